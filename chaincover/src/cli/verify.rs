//! `chaincover verify`: every claim of a stored result, checked without the search that made it.
//!
//! The exit code tells about the claims alone: 0 all of them hold, 4 some are rejected, 5 some are not certified.

use super::args::VerifyArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::load::Loaded;
use super::{print, replay};
use crate::check_native::{self, NativeCheck};
use crate::output::chain_file::{ChainFile, Goal, Minimal};
use crate::output::root::root;
use crate::proofs::check::{self, Verdict};
use crate::report::source_file;
use model::trace::Execution;
use std::fmt::Write;
use std::path::Path;

/// Runs the chains again, compares them with the file, and checks the evidence for all other claims.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let path = arguments.folder.join("chain.json");
    let file = replay::read_unchecked(&path)?;
    let loaded = replay::load(&file, &path, arguments.verbosity)?;
    let mut report = Report::default();
    for changed in replay::changed_sources(&file, &loaded) {
        report.reject(format!("{changed} has changed since the chain was made"));
    }
    if let Some(changed) = changed_configuration(&file, &root(&file, &path)) {
        report.reject(format!("{changed} has changed since the chain was made"));
    }
    let runs = check_chains(&file, &loaded, &mut report);
    check_goals(&file, &loaded, &runs, &mut report);
    check_summary(&file, &mut report);
    let claims = check::check(&arguments.folder, &loaded.system, &loaded.translated.libm, &file)
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    for (claim, verdict) in claims.verdicts {
        match verdict {
            Verdict::Checked(evidence) => report.hold(format!("{claim} ({evidence})")),
            Verdict::NotCertified(why) => report.leave_open(format!("{claim}: {why}")),
            Verdict::Rejected(why) => report.reject(format!("{claim}: {why}")),
        }
    }
    for change in claims.changed {
        report.reject(change);
    }
    for note in claims.notes {
        let _ = writeln!(report.text, "note: {note}");
    }
    print(&report.finish())?;
    Ok(report.exit())
}

/// The configuration file, where it is still there and no longer what it was. What it said then is part of the result, so it is not needed.
fn changed_configuration<'f>(file: &'f ChainFile, root: &Path) -> Option<&'f str> {
    let recorded = file.model.configuration_file.as_ref()?;
    let path = root.join(&recorded.path);
    (path.is_file() && source_file(&path).sha256 != recorded.sha256).then_some(&recorded.path[..])
}

/// What was found so far.
#[derive(Default)]
struct Report {
    text: String,
    held: usize,
    open: usize,
    rejected: usize,
}

impl Report {
    fn hold(&mut self, what: String) {
        self.held += 1;
        let _ = writeln!(self.text, "verified       {what}");
    }
    fn leave_open(&mut self, what: String) {
        self.open += 1;
        let _ = writeln!(self.text, "NOT CERTIFIED  {what}");
    }
    fn reject(&mut self, what: String) {
        self.rejected += 1;
        let _ = writeln!(self.text, "REJECTED       {what}");
    }
    fn finish(&self) -> String {
        let Self { text, held, open, rejected } = self;
        let verdict = match (open, rejected) {
            (0, 0) => format!("all {held} claims verified"),
            (open, 0) => format!("{held} claims verified, {open} not certified"),
            (open, rejected) => format!("{held} claims verified, {open} not certified, {rejected} REJECTED"),
        };
        format!("{text}{verdict}\n")
    }
    fn exit(&self) -> Exit {
        match (self.rejected, self.open) {
            (0, 0) => Exit::Success,
            (0, _) => Exit::Undecided,
            _ => Exit::SelfCheck,
        }
    }
}

/// Runs every chain by evaluator and compiled code; all that the file records of it must be so.
fn check_chains(file: &ChainFile, loaded: &Loaded, report: &mut Report) -> Vec<Execution> {
    let mut runs = Vec::new();
    for (index, chain) in file.chains.iter().enumerate() {
        let number = index + 1;
        let executed = replay::trace(loaded, chain, index)
            .and_then(|trace| replay::execute(loaded, &trace, index).map(|run| (trace, run)));
        let (trace, run) = match executed {
            Ok(executed) => executed,
            Err(failure) => {
                report.reject(failure.message);
                continue;
            }
        };
        let differences = replay::recorded_differences(loaded, chain, &run);
        let mut wrong: Vec<String> = differences.into_iter().map(|difference| difference.text).collect();
        if chain.length != trace.inputs.len() {
            wrong.push(format!("its length is {}, not {}", trace.inputs.len(), chain.length));
        }
        if !run.may_end {
            wrong.push("it does not end in Final".to_owned());
        }
        let native = check_native::check(&loaded.translated, &loaded.system, &trace, &run);
        let steps = trace.inputs.len();
        match (wrong.first(), native) {
            (Some(first), _) => report.reject(format!("chain {number}: {first}")),
            (None, check @ NativeCheck::Disagrees { .. }) => {
                report.reject(format!("chain {number}: {check}"))
            }
            (None, check @ NativeCheck::Agrees { .. }) => {
                report.hold(format!("chain {number} runs as recorded: {steps} steps; {check}"));
            }
            (None, check) => report.leave_open(format!("chain {number} on the compiled code: {check}")),
        }
        runs.push(run);
    }
    runs
}

/// Status, place and verdict of every goal must be what the runs show.
fn check_goals(file: &ChainFile, loaded: &Loaded, runs: &[Execution], report: &mut Report) {
    let mut now = file.clone();
    replay::judge(loaded, runs, &mut now);
    let known: Vec<&str> = loaded.system.goals.values().map(|goal| goal.name.as_str()).collect();
    if !file.goals.iter().map(|goal| goal.name.as_str()).eq(known) {
        return report.reject("the goals of the file are not those of the model".to_owned());
    }
    let judged = |goal: &Goal| (goal.status, goal.chain, goal.at, goal.expectation);
    let differ = file.goals.iter().zip(&now.goals).filter(|(before, now)| judged(before) != judged(now));
    let mut wrong = 0;
    for (before, now) in differ {
        wrong += 1;
        report.reject(format!(
            "{}: recorded as {}, the chains show {}",
            before.name,
            told(before),
            told(now)
        ));
    }
    if wrong == 0 {
        let covered = now.summary.covered;
        report.hold(format!(
            "the chains cover {covered} of {} goals, with the verdicts recorded",
            now.goals.len()
        ));
    }
}

fn told(goal: &Goal) -> String {
    let status = format!("{:?}", goal.status).to_lowercase();
    let at = goal.chain.zip(goal.at).map(|(chain, at)| format!(" by chain {} at {at}", chain + 1));
    let expectation = format!("{:?}", goal.expectation).to_lowercase();
    format!("{status}{}, expectation {expectation}", at.unwrap_or_default())
}

/// The numbers of the summary must follow from the rest.
fn check_summary(file: &ChainFile, report: &mut Report) {
    let summary = &file.summary;
    let length: usize = file.chains.iter().map(|chain| chain.length).sum();
    let covered = file.goals.iter().filter(|goal| goal.chain.is_some()).count();
    let numbers = [
        ("goals", summary.goals, file.goals.len()),
        ("covered", summary.covered, covered),
        ("chains", summary.chains, file.chains.len()),
        ("length", summary.length, length),
    ];
    for (name, told, counted) in numbers.into_iter().filter(|&(_, told, counted)| told != counted) {
        report.reject(format!("the summary says {name} {told}, but there are {counted}"));
    }
    if summary.minimal == Minimal::Proven && summary.lower_bound != summary.length as u64 {
        report.reject("the summary calls a length proven that is not its lower bound".to_owned());
    }
}
