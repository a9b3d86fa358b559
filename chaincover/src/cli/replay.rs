//! `chaincover replay`: a stored chain on the code as it is now, judged again.

use super::args::{FailOn, ReplayArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::load::{self, Loaded};
use super::{chain, print};
use crate::check_native::{self, NativeCheck};
use crate::config::resolve;
use crate::output::chain_file::{Chain, ChainFile, Expectation, SCHEMA, Status};
use crate::output::root::root;
use crate::output::{consistent, number, write};
use crate::{refine, report};
use frontend::diagnostics::{visible, visible_lines};
use model::id::Id;
use model::trace::{Execution, Start, Trace};
use model::value::Value;
use serde_json::{Map, Value as Json};
use std::fmt::Write;
use std::path::Path;

/// Runs every chain of the file by evaluator and compiled code and compares with what the file says.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let stored = read(&arguments.chain)?;
    let loaded = load(&stored, &arguments.chain, arguments.verbosity)?;
    let mut report = Report { text: String::new(), exit: Exit::Success, fail_on: &arguments.fail_on };
    report.text += &told_root(&stored, &arguments.chain).map_or_else(String::new, |told| told + "\n");
    let changed = changed_sources(&stored, &loaded);
    for path in &changed {
        let _ = writeln!(report.text, "{} has changed since the chain was made", visible(path));
    }
    check_goals_known(&stored, &loaded, changed.is_empty())?;
    let mut judged = stored.clone();
    let mut runs = Vec::new();
    for (index, chain) in stored.chains.iter().enumerate() {
        let trace = trace(&loaded, chain, index)?;
        let run = execute(&loaded, &trace, index)?;
        let check = check_native::check(&loaded.translated, &loaded.system, &trace, &run);
        let differences = recorded_differences(&loaded, chain, &run);
        report.chain(index, chain.length, &check, (&differences, changed.is_empty()));
        let judged_chain =
            report::chain(&loaded.translated, &loaded.system, &trace, &run, &chain.order, &check);
        let period = loaded.model.period.as_ref().map(|(_, period)| *period);
        judged.chains[index] = report::timed(judged_chain, period);
        runs.push(run);
    }
    judge(&loaded, &runs, &mut judged);
    report.goals(&stored, &judged);
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &chain::json_text(&judged)?)?;
    }
    match arguments.json.as_deref() == Some(Path::new("-")) {
        false => print(&report.text).map(drop)?,
        true if !arguments.verbosity.quiet => eprint!("{}", report.text),
        true => {}
    }
    Ok(report.exit)
}

/// What is told of a replay, and the exit code so far.
struct Report<'a> {
    text: String,
    exit: Exit,
    fail_on: &'a [FailOn],
}

impl Report<'_> {
    /// Counts an event, if the user wants to be told of it by the exit code.
    fn fail(&mut self, event: FailOn, exit: Exit) {
        if self.fail_on.contains(&event) {
            self.exit = self.exit.combine(exit);
        }
    }

    /// What became of a chain. States may differ where the code was changed since, outputs may not.
    fn chain(
        &mut self,
        index: usize,
        length: usize,
        check: &NativeCheck,
        (differences, is_same_code): (&[Difference], bool),
    ) {
        let shown = visible_lines(&check.to_string());
        let _ = writeln!(self.text, "chain {}: {length} steps; {shown}", index + 1);
        for difference in differences.iter().take(SHOWN) {
            let _ = writeln!(self.text, "  {}", visible(&difference.text));
        }
        if differences.len() > SHOWN {
            let _ = writeln!(self.text, "  and {} more differences", differences.len() - SHOWN);
        }
        if differences.iter().any(|difference| difference.is_output || is_same_code) {
            self.fail(FailOn::Violated, Exit::Violated);
        }
        match check {
            NativeCheck::Disagrees { .. } => self.exit = self.exit.combine(Exit::SelfCheck),
            NativeCheck::Dies { .. } => self.fail(FailOn::Violated, Exit::Violated),
            _ => {}
        }
    }

    /// What became of the goals.
    fn goals(&mut self, stored: &ChainFile, judged: &ChainFile) {
        for (before, now) in stored.goals.iter().zip(&judged.goals) {
            if before.status == Status::Covered && now.status != Status::Covered {
                let _ = writeln!(self.text, "{} is no longer covered", now.name);
                self.fail(FailOn::Undecided, Exit::Undecided);
            }
            if now.expectation == Expectation::Violated {
                let _ = writeln!(self.text, "{}: the expectation is violated", now.name);
                self.fail(FailOn::Violated, Exit::Violated);
            }
        }
        let covered = judged.goals.iter().filter(|goal| goal.status == Status::Covered).count();
        let _ = writeln!(self.text, "{covered} of {} goals covered", judged.goals.len());
    }
}

/// Differences of one chain that are listed at most.
const SHOWN: usize = 10;

/// Where the sources of a stored result are taken from, unless that is the current folder.
pub(super) fn told_root(stored: &ChainFile, path: &Path) -> Option<String> {
    let root = root(stored, path);
    if root.as_os_str().is_empty() {
        return None;
    }
    let beside = path.parent().unwrap_or(Path::new(""));
    let place = if root == beside { "the folder of the result" } else { "a folder above the result" };
    Some(format!("the sources are taken from {}, {place}", visible(&root.display().to_string())))
}

/// While the code is what it was, all goals of the file are goals of the model.
fn check_goals_known(stored: &ChainFile, loaded: &Loaded, is_same_code: bool) -> Result<(), Failure> {
    let is_known = |name: &str| loaded.system.goals.values().any(|goal| goal.name == name);
    match stored.goals.iter().find(|goal| is_same_code && !is_known(&goal.name)) {
        Some(goal) => {
            let message = format!("goal `{}` of the file is no goal of the model", goal.name);
            Err(Failure::new(Exit::Usage, message))
        }
        None => Ok(()),
    }
}

/// Reads a `chain.json` that makes sense in itself.
///
/// # Errors
/// Usage errors: no such file, another schema, parts that contradict one another.
pub(crate) fn read(path: &Path) -> Result<ChainFile, Failure> {
    let file = read_unchecked(path)?;
    let usage = |why: String| Failure::new(Exit::Usage, format!("{}: {why}", path.display()));
    consistent::check(&file).map_err(|why| usage(format!("not a result as it was written: {why}")))?;
    Ok(file)
}

/// Reads a `chain.json`, whatever it claims.
///
/// # Errors
/// Usage errors: no such file, another schema.
pub(crate) fn read_unchecked(path: &Path) -> Result<ChainFile, Failure> {
    let usage = |why: String| Failure::new(Exit::Usage, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| usage(format!("cannot be read: {error}")))?;
    let file: ChainFile =
        serde_json::from_str(&text).map_err(|error| usage(format!("no chain file: {error}")))?;
    if file.schema != SCHEMA {
        return Err(usage(format!("schema `{}` is not known; this version reads {SCHEMA}", file.schema)));
    }
    Ok(file)
}

/// Reads the model as the stored configuration names it, from the folder where its sources are.
pub(super) fn load(stored: &ChainFile, path: &Path, verbosity: Verbosity) -> Result<Loaded, Failure> {
    let model = resolve::from_file(&stored.model.configuration, &root(stored, path), path)?;
    if let Some(missing) = model.request.sources.iter().find(|path| !path.is_file()) {
        let message = format!(
            "cannot find the source {}; call from the folder in which the chain was searched, or put the result below it",
            missing.display()
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    load::translate(model, verbosity)
}

/// The sources whose content is no longer the one recorded.
pub(super) fn changed_sources(stored: &ChainFile, loaded: &Loaded) -> Vec<String> {
    let now = report::sources(&loaded.model.request);
    let same = |path: &str, hash: &str| {
        let name = Path::new(path).file_name();
        now.iter().any(|source| Path::new(&source.path).file_name() == name && source.sha256 == hash)
    };
    let changed = stored.model.sources.iter().filter(|source| !same(&source.path, &source.sha256));
    changed.map(|source| source.path.clone()).collect()
}

/// The trace that a stored chain stands for.
pub(super) fn trace(loaded: &Loaded, chain: &Chain, index: usize) -> Result<Trace, Failure> {
    let system = &loaded.system;
    let refuse = |why: String| Failure::new(Exit::Usage, format!("chain {}: {why}", index + 1));
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
        for input in &loaded.translated.signals.inputs {
            let slot = &mut row[input.input.index()];
            let json = step.inputs.get(&input.signal.name);
            *slot = json.and_then(|json| number::from_json(json, slot.sort())).ok_or_else(|| {
                refuse(format!(
                    "step {number} has no value of type {} for {}",
                    input.signal.type_name, input.signal.name
                ))
            })?;
        }
        inputs.push(row);
    }
    let trace = Trace { start: Start::Initial(initial), inputs };
    Ok(refine::complete(system, &loaded.translated.libm, &trace))
}

/// The trace on the model.
pub(super) fn execute(loaded: &Loaded, trace: &Trace, index: usize) -> Result<Execution, Failure> {
    model::trace::replay(&loaded.system, trace).map_err(|error| {
        Failure::new(Exit::Violated, format!("chain {} cannot be run on the model: {error}", index + 1))
    })
}

/// A recorded value that is another now.
pub(super) struct Difference {
    /// Whether it is of an output, and no state word.
    pub(super) is_output: bool,
    /// What was recorded and what is there now.
    pub(super) text: String,
}

/// Where recorded states and outputs differ from what the evaluator computes now. Outputs that the model has no more differ, too.
pub(super) fn recorded_differences(loaded: &Loaded, chain: &Chain, run: &Execution) -> Vec<Difference> {
    let signals = &loaded.translated.signals;
    let mut all = Vec::new();
    let mut compare = |is_output: bool, step: usize, name: &str, json: &Map<String, Json>, now: Value| {
        let recorded = json.get(name).and_then(|json| number::from_json(json, now.sort()));
        if recorded.is_none_or(|recorded| !recorded.agrees_with(now)) {
            let recorded = json.get(name).map_or_else(|| "nothing".to_owned(), Json::to_string);
            let kind = if is_output { "output" } else { "state" };
            let text = format!("{kind} {name} at step {step}: recorded {recorded}, the model has {now}");
            // What was never recorded cannot differ from its record.
            all.push(Difference { is_output: is_output && json.contains_key(name), text });
        }
    };
    for (step, state) in run.states.iter().enumerate() {
        let recorded = chain.steps.get(step).map_or(&chain.end_state, |recorded| &recorded.state);
        for (signal, id) in &signals.states {
            compare(false, step, &signal.name, recorded, state[id.index()]);
        }
    }
    for (step, row) in run.outputs.iter().enumerate() {
        for (signal, index) in &signals.outputs {
            compare(true, step, &signal.name, &chain.steps[step].outputs, row[*index]);
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
pub(super) fn judge(loaded: &Loaded, runs: &[Execution], judged: &mut ChainFile) {
    for (id, goal) in loaded.system.goals.iter() {
        let Some(entry) = judged.goals.iter_mut().find(|entry| entry.name == goal.name) else { continue };
        let found = report::occurrence(runs, id);
        let was_covered = entry.status == Status::Covered;
        (entry.chain, entry.at) = found.map_or((None, None), |(chain, at)| (Some(chain), Some(at)));
        entry.expectation = report::expectation(runs, id);
        entry.violation = report::violation(runs.iter(), id);
        if found.is_some() {
            (entry.status, entry.reason) = (Status::Covered, None);
        } else if was_covered {
            entry.status = Status::Undecided;
            entry.reason = Some("the stored chain does not cover it any more".to_owned());
        }
    }
    for entry in &mut judged.goals {
        if loaded.system.goals.values().all(|goal| goal.name != entry.name) {
            (entry.chain, entry.at, entry.violation) = (None, None, None);
            (entry.status, entry.expectation) = (Status::Undecided, Expectation::None);
            entry.reason = Some("the model has no such goal any more".to_owned());
        }
    }
    judged.summary.covered = judged.goals.iter().filter(|goal| goal.status == Status::Covered).count();
}
