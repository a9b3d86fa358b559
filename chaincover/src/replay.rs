//! A stored chain on the code as it is now, judged again.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::{conditions, coverage};
use ::replay::check::{self as native_check, NativeCheck};
use ::replay::ending::early_end;
use config::resolve::Model as Configuration;
use engine::step::external;
use frontend::diagnostics::visible;
use model::id::Id;
use model::trace::{Execution, Start, Trace};
use model::value::Value;
use report::build;
use report::output::chain_file::{Chain, ChainFile, Expectation, SCHEMA, Status, Values};
use report::output::root::root;
use report::output::{consistent, number};
use std::path::{Path, PathBuf};

/// What became of the chains of a stored result on the code as it is now.
pub struct Replayed {
    /// The chains, in the order of the file.
    pub chains: Vec<ReplayedChain>,
    /// The result, judged again: what each step covers, statuses, verdicts, whether the compiled
    /// code agrees.
    pub judged: ChainFile,
    /// Sources, and the configuration file, whose content is no longer the one recorded.
    pub changed: Vec<String>,
    /// Where the recorded configuration is another than the one that the files give now, a
    /// sentence each.
    pub configured: Vec<String>,
}

/// What became of a stored chain.
pub struct ReplayedChain {
    /// What the compiled code says.
    pub check: NativeCheck,
    /// Recorded values that are others now.
    pub differences: Vec<Difference>,
}

/// Runs every chain of a stored result by evaluator and compiled code, compares with what is
/// recorded, and judges again.
///
/// ```
/// # use chaincover::{Limit, NativeCheck, Options, Settings, Silent, check_natively, find_chains, read, replay, report};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// # let (settings, options) = (Settings::default(), Options::default());
/// # let model = read([&path], &settings)?;
/// # let outcome = find_chains(&model, &options, &Silent)?;
/// # let checks = check_natively(&model, &outcome, &Limit::default());
/// # let result = report(&model, (&outcome, &checks), (&settings, &options), Default::default());
/// let replayed = replay(&model, &result)?;
/// assert!(matches!(replayed.chains[0].check, NativeCheck::Agrees { .. }));
/// assert!(replayed.chains[0].differences.is_empty() && replayed.changed.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the chains do not fit the model. [`ErrorKind::Deviates`]: a chain is no
/// execution of the model any more.
pub fn replay(model: &Model, stored: &ChainFile) -> Result<Replayed, Error> {
    replay_from(model, stored, Path::new(""))
}

/// Like [`replay()`], where the paths of the result are relative to the folder of [`stored_root`].
///
/// # Errors
/// As for [`replay()`].
pub fn replay_from(model: &Model, stored: &ChainFile, root: &Path) -> Result<Replayed, Error> {
    let mut changed = changed_sources(stored, model);
    changed.extend(conditions::changed_configuration(stored, root).map(str::to_owned));
    let configured = conditions::differences(stored, root, model);
    check_goals_known(stored, model, changed.is_empty())?;
    let mut judged = stored.clone();
    let (mut runs, mut chains) = (Vec::new(), Vec::new());
    let period = model.configuration.period.as_ref().map(|(_, period)| *period);
    for (index, chain) in stored.chains.iter().enumerate() {
        let trace = trace(model, chain, index)?;
        let run = execute(model, &trace, index)?;
        let check = native_check::check(&model.translated, &model.system, &trace, &run);
        let differences = recorded_differences(model, chain, &trace, &run);
        let now = build::chain(&model.translated, &model.system, &trace, &run, &chain.order, &check);
        judged.chains[index] = build::timed(now, period);
        chains.push(ReplayedChain { check, differences });
        runs.push(run);
    }
    judge(model, &runs, &mut judged);
    if !changed.is_empty() || !configured.is_empty() {
        // What was proven of all executions was proven of another model.
        judged.verdicts.clear();
        judged.goals.iter_mut().for_each(|goal| goal.verdict = None);
    }
    Ok(Replayed { chains, judged, changed, configured })
}

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

/// While the code is what it was, all goals of the file are goals of the model.
fn check_goals_known(stored: &ChainFile, model: &Model, is_same_code: bool) -> Result<(), Error> {
    let is_known = |name: &str| model.system.goals.values().any(|goal| goal.name == name);
    match stored.goals.iter().find(|goal| is_same_code && !is_known(&goal.name)) {
        Some(goal) => {
            let message = format!("goal `{}` of the file is no goal of the model", goal.name);
            Err(Error::new(ErrorKind::Request, message))
        }
        None => Ok(()),
    }
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
    let file: ChainFile =
        serde_json::from_str(&text).map_err(|error| usage(format!("no chain file: {error}")))?;
    if file.schema != SCHEMA {
        return Err(usage(format!("schema `{}` is not known; this version reads {SCHEMA}", file.schema)));
    }
    Ok(file)
}

/// The configuration of the model of a result that was read from `path`, as it is on disk: that of
/// its configuration file, or of its sources alone, with the options of the run. What the result
/// itself says of it can be compared ([`Replayed::configured`]).
///
/// # Errors
/// [`ErrorKind::Request`]: sources or the configuration file are missing, or the configuration
/// makes no sense.
pub fn stored_configuration(stored: &ChainFile, path: &Path) -> Result<Configuration, Error> {
    conditions::configuration(stored, &root(stored, path))
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
    /// Whether it is of an output, and no state word.
    pub is_output: bool,
    /// What was recorded and what is there now.
    pub text: String,
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
    let mut compare = |is_output: bool, step: usize, name: &str, json: &Values, now: Value| {
        let recorded = json.get(name).and_then(|json| number::from_json(&json, now.sort()));
        if recorded.is_none_or(|recorded| !recorded.agrees_with(now)) {
            let recorded = json.get(name).map_or_else(|| "nothing".to_owned(), |json| json.to_string());
            let kind = if is_output { "output" } else { "state" };
            let text = format!("{kind} {name} at step {step}: recorded {recorded}, the model has {now}");
            // What was never recorded cannot differ from its record.
            all.push(Difference { is_output: is_output && json.contains_key(name), text });
        }
    };
    let end = early_end(&model.translated, &model.system, trace, run);
    let returned = run.outputs.len() - usize::from(end.is_some());
    for (step, state) in run.states.iter().enumerate().take(returned + 1) {
        let recorded = chain.steps.get(step).map_or(&chain.end_state, |recorded| &recorded.state);
        for (signal, id) in &signals.states {
            compare(false, step, &signal.name, recorded, state[id.index()]);
        }
    }
    for (step, row) in run.outputs[..returned].iter().enumerate() {
        for (signal, index) in &signals.outputs {
            compare(true, step, &signal.name, &chain.steps[step].outputs, row[*index]);
        }
    }
    for (step, recorded) in chain.steps.iter().enumerate() {
        let now = end.as_ref().filter(|_| step == returned);
        if recorded.ends.as_ref() != now {
            let text = |end: Option<&String>| end.map_or("it returns", String::as_str).to_owned();
            let (recorded, now) = (text(recorded.ends.as_ref()), text(now));
            let text = format!("end of step {step}: recorded `{recorded}`, the model has `{now}`");
            all.push(Difference { is_output: true, text });
        }
    }
    let recorded = chain.steps.first().into_iter().flat_map(|step| step.outputs.keys());
    let gone = recorded.filter(|name| signals.outputs.iter().all(|(signal, _)| signal.name != **name));
    all.extend(gone.map(|name| Difference {
        is_output: true,
        text: format!("output {name}: recorded, but the model has no such output"),
    }));
    all
}

/// Sets status, place and expectation of every goal as the runs have them now.
pub(crate) fn judge(model: &Model, runs: &[Execution], judged: &mut ChainFile) {
    for (id, goal) in model.system.goals.iter() {
        let Some(entry) = judged.goals.iter_mut().find(|entry| entry.name == goal.name) else { continue };
        let found = build::occurrence(runs, id);
        let was_covered = entry.status == Status::Covered;
        (entry.chain, entry.at) = found.map_or((None, None), |(chain, at)| (Some(chain), Some(at)));
        entry.expectation = build::expectation(runs, id);
        entry.violation = build::violation(runs.iter(), id);
        if found.is_some() {
            (entry.status, entry.reason) = (Status::Covered, None);
        } else if was_covered {
            entry.status = Status::Undecided;
            entry.reason = Some("the stored chain does not cover it any more".to_owned());
        }
    }
    for entry in &mut judged.goals {
        if model.system.goals.values().all(|goal| goal.name != entry.name) {
            (entry.chain, entry.at, entry.violation) = (None, None, None);
            (entry.status, entry.expectation) = (Status::Undecided, Expectation::None);
            entry.reason = Some("the model has no such goal any more".to_owned());
        }
    }
    judged.summary.covered = judged.goals.iter().filter(|goal| goal.status == Status::Covered).count();
    if judged.coverage.is_some() && judged.goals.len() == model.system.goals.len() {
        match coverage::of_stored(model, judged) {
            Ok(found) => judged.coverage = found,
            Err(error) => judged.notes.push(format!("coverage cannot be judged: {error}")),
        }
    }
}
