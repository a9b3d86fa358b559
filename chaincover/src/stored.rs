//! Stored results, and their chains as executions of a model.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use ::replay::ending::early_end;
use engine::step::external;
use frontend::diagnostics::visible;
use model::id::Id;
use model::system::StateId;
use model::trace::{Execution, Start, Trace};
use model::value::Value;
use report::build;
use report::output::chain_file::{Chain, ChainFile, SCHEMA, Values};
use report::output::root::root;
use report::output::{consistent, number};
use std::path::{Path, PathBuf};

/// Where the sources of a stored result are taken from, unless that is the current folder.
pub fn told_root(stored: &ChainFile, path: &Path) -> Option<String> {
    let root = root(stored, path);
    if root.as_os_str().is_empty() {
        return None;
    }
    let beside = path.parent().unwrap_or(Path::new(""));
    let place = if root == beside { "the folder of the result" } else { "a folder above the result" };
    Some(format!("the sources are taken from {}, {place}", visible(&root.display().to_string())))
}

/// Reads a `chain.json` that makes sense in itself.
///
/// # Errors
/// [`ErrorKind::Request`]: no such file, another schema, parts that contradict one another.
pub fn read_stored(path: &Path) -> Result<ChainFile, Error> {
    let file = read_unchecked(path)?;
    let usage = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    consistent::check(&file).map_err(|why| usage(format!("not a result as it was written: {why}")))?;
    Ok(file)
}

/// Reads a `chain.json`, whatever it claims.
///
/// # Errors
/// Usage errors: no such file, another schema.
pub(crate) fn read_unchecked(path: &Path) -> Result<ChainFile, Error> {
    let usage = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| usage(format!("cannot be read: {error}")))?;
    let unknown = |schema: &str| format!("schema `{schema}` is not known; this version reads {SCHEMA}");
    let file = ChainFile::parse(&text).map_err(|error| {
        // What another file is says more than which key it has not.
        let json = serde_json::from_str::<serde_json::Value>(&text);
        usage(match json.as_ref().map(|json| json["schema"].as_str()) {
            Ok(None) => {
                format!("no chain file: it has no `schema`, as those that chaincover writes ({SCHEMA})")
            }
            Ok(Some(schema)) if schema != SCHEMA => unknown(schema),
            _ => format!("no chain file: {error}"),
        })
    })?;
    if file.schema != SCHEMA {
        return Err(usage(unknown(&file.schema)));
    }
    Ok(file)
}

/// The folder that the paths of a result are relative to which was read from `path`.
pub fn stored_root(stored: &ChainFile, path: &Path) -> PathBuf {
    root(stored, path)
}

/// Refuses sources that are not there.
///
/// # Errors
/// Usage errors.
pub(crate) fn require(sources: &[PathBuf]) -> Result<(), Error> {
    let Some(missing) = sources.iter().find(|path| !path.is_file()) else { return Ok(()) };
    let message = format!(
        "cannot find the source {}; call from the folder in which the chain was searched, or put the result below it",
        missing.display()
    );
    Err(Error::new(ErrorKind::Request, message))
}

/// The sources whose content is no longer the one recorded.
pub(crate) fn changed_sources(stored: &ChainFile, model: &Model) -> Vec<String> {
    let now = build::sources(&model.configuration.request, &model.translated);
    let same = |path: &str, hash: &str| {
        let name = Path::new(path).file_name();
        now.iter().any(|source| Path::new(&source.path).file_name() == name && source.sha256 == hash)
    };
    let changed = stored.model.sources.iter().filter(|source| !same(&source.path, &source.sha256));
    changed.map(|source| source.path.clone()).collect()
}

/// The sources of whose name the chain was made of none.
pub(crate) fn unknown_sources(stored: &ChainFile, model: &Model) -> Vec<String> {
    let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let is_known = |path: &str| stored.model.sources.iter().any(|source| name(&source.path) == name(path));
    let now =
        build::sources(&model.configuration.request, &model.translated).into_iter().map(|source| source.path);
    now.filter(|path| !is_known(path)).collect()
}

/// The trace that a stored chain stands for.
pub(crate) fn trace(model: &Model, chain: &Chain, index: usize) -> Result<Trace, Error> {
    let system = &model.system;
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("chain {}: {why}", index + 1));
    let mut initial = Vec::new();
    for input in system.initial_inputs.values() {
        let symbol = system.terms.symbol(input.symbol);
        let json = chain.initial_inputs.get(&symbol.name);
        let value = json.and_then(|json| number::from_json(json, symbol.sort));
        initial.push(value.ok_or_else(|| refuse(format!("no value for the initial input {}", symbol.name)))?);
    }
    let mut inputs = Vec::new();
    for (number, step) in chain.steps.iter().enumerate() {
        let mut row: Vec<Value> =
            system.inputs.values().map(|input| Value::zero(system.terms.symbol(input.symbol).sort)).collect();
        for input in &model.translated.signals.inputs {
            let slot = &mut row[input.input.index()];
            let json = step.inputs.get(&input.signal.name);
            *slot = json.and_then(|json| number::from_json(&json, slot.sort())).ok_or_else(|| {
                refuse(format!(
                    "step {number} has no value of type {} for {}",
                    input.signal.type_name, input.signal.name
                ))
            })?;
        }
        for (id, input) in system.inputs.iter() {
            let symbol = system.terms.symbol(input.symbol);
            let json = step.choices.get(&symbol.name);
            if let Some(value) = json.and_then(|json| number::from_json(json, symbol.sort)) {
                row[id.index()] = value;
            }
        }
        inputs.push(row);
    }
    let trace = Trace { start: Start::Initial(initial), inputs };
    Ok(external::complete(system, trace))
}

/// The trace on the model.
pub(crate) fn execute(model: &Model, trace: &Trace, index: usize) -> Result<Execution, Error> {
    model::trace::replay(&model.system, trace).map_err(|error| {
        Error::new(ErrorKind::Deviates, format!("chain {} cannot be run on the model: {error}", index + 1))
    })
}

/// A recorded value that is another now.
pub struct Difference {
    /// What is another.
    pub(crate) place: Place,
    /// What was recorded, where that is a value that it can have.
    pub(crate) recorded: Option<Value>,
    /// What was recorded and what is there now.
    pub text: String,
}

/// What is compared with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A state word before a step, or behind the last one.
    State(usize, StateId),
    /// The output of this number behind a step; whether something was recorded of it.
    Output(usize, usize, bool),
    /// How a step ends, or which outputs there are.
    Form,
}

impl Difference {
    /// Whether something that was recorded of outputs is another: what was never recorded cannot
    /// differ from its record.
    pub const fn is_of_outputs(&self) -> bool {
        matches!(self.place, Place::Output(_, _, true) | Place::Form)
    }

    /// The step that makes a recorded value another; `None`: no step does, or there is no value.
    pub(crate) const fn made_in(&self) -> Option<usize> {
        match (self.place, &self.recorded) {
            (Place::State(step, _), Some(_)) => step.checked_sub(1),
            (Place::Output(step, ..), Some(_)) => Some(step),
            _ => None,
        }
    }
}

/// Where recorded states and outputs differ from what the evaluator computes now. Outputs that the
/// model has no more differ, too.
pub(crate) fn recorded_differences(
    model: &Model,
    chain: &Chain,
    trace: &Trace,
    run: &Execution,
) -> Vec<Difference> {
    let signals = &model.translated.signals;
    let mut all = Vec::new();
    let mut compare = |place: Place, name: &str, json: &Values, now: Value| {
        let recorded = json.get(name).and_then(|json| number::from_json(&json, now.sort()));
        if recorded.is_none_or(|recorded| !recorded.agrees_with(now)) {
            let shown = json.get(name).map_or_else(|| "nothing".to_owned(), |json| json.to_string());
            let (kind, step) = match place {
                Place::State(step, _) => ("state", step),
                Place::Output(step, ..) => ("output", step),
                Place::Form => return,
            };
            let text = format!("{kind} {name} at step {step}: recorded {shown}, the model has {now}");
            all.push(Difference { place, recorded, text });
        }
    };
    let end = early_end(&model.translated, &model.system, trace, run);
    let returned = run.outputs.len() - usize::from(end.is_some());
    for (step, state) in run.states.iter().enumerate().take(returned + 1) {
        let recorded = chain.steps.get(step).map_or(&chain.end_state, |recorded| &recorded.state);
        for (signal, id) in &signals.states {
            compare(Place::State(step, *id), &signal.name, recorded, state[id.index()]);
        }
    }
    for (step, row) in run.outputs[..returned].iter().enumerate() {
        for (signal, index) in &signals.outputs {
            let recorded = &chain.steps[step].outputs;
            let place = Place::Output(step, *index, recorded.contains_key(&signal.name));
            compare(place, &signal.name, recorded, row[*index]);
        }
    }
    for (step, recorded) in chain.steps.iter().enumerate() {
        let now = end.as_ref().filter(|_| step == returned);
        if recorded.ends.as_ref() != now {
            let text = |end: Option<&String>| end.map_or("it returns", String::as_str).to_owned();
            let (recorded, now) = (text(recorded.ends.as_ref()), text(now));
            let text = format!("end of step {step}: recorded `{recorded}`, the model has `{now}`");
            all.push(Difference { place: Place::Form, recorded: None, text });
        }
    }
    let recorded = chain.steps.first().into_iter().flat_map(|step| step.outputs.keys());
    let gone = recorded.filter(|name| signals.outputs.iter().all(|(signal, _)| signal.name != **name));
    all.extend(gone.map(|name| Difference {
        place: Place::Form,
        recorded: None,
        text: format!("output {name}: recorded, but the model has no such output"),
    }));
    all
}
