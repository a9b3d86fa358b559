//! `chaincover replay`: a stored chain on the code as it is now, judged again.

use super::args::{FailOn, ReplayArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::{load, print, search};
use chaincover::chain_file::{ChainFile, Expectation, Status};
use chaincover::diagnostics::{visible, visible_lines};
use chaincover::{
    NativeCheck, ReplayedChain, read_stored, replay_from, stored_configuration, stored_root, to_json,
    told_root, write,
};
use std::fmt::Write;
use std::path::Path;

/// Runs every chain of the file by evaluator and compiled code and compares with what the file
/// says.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let stored = read_stored(&arguments.chain)?;
    let configuration = stored_configuration(&stored, &arguments.chain)?;
    let loaded = load::translate(configuration, arguments.verbosity)?;
    let mut report = Report { text: String::new(), exit: Exit::Success, fail_on: &arguments.fail_on };
    report.text += &told_root(&stored, &arguments.chain).map_or_else(String::new, |told| told + "\n");
    let replayed = replay_from(&loaded, &stored, &stored_root(&stored, &arguments.chain))?;
    for path in &replayed.changed {
        let _ = writeln!(report.text, "{} has changed since the chain was made", visible(path));
    }
    for difference in replayed.configured.iter().take(SHOWN) {
        let _ = writeln!(report.text, "{}", visible(difference));
    }
    if replayed.configured.len() > SHOWN {
        let _ = writeln!(report.text, "and {} more such differences", replayed.configured.len() - SHOWN);
    }
    // Files that have not changed give what they gave: then something else was recorded.
    if replayed.changed.is_empty() && !replayed.configured.is_empty() {
        report.fail(FailOn::Violated, Exit::Violated);
    }
    for (index, (chain, found)) in stored.chains.iter().zip(&replayed.chains).enumerate() {
        report.chain(index, chain.length, found, replayed.changed.is_empty());
    }
    report.goals(&stored, &replayed.judged);
    let of_coverage = search::exit_for_coverage(replayed.judged.coverage.as_ref(), report.fail_on);
    report.exit = report.exit.combine(of_coverage);
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &to_json(&replayed.judged))?;
    }
    match arguments.json.as_deref() == Some(Path::new("-")) {
        false => print(&report.text).map(drop)?,
        true if !arguments.verbosity.quiet => eprint!("{}", report.text),
        true => {}
    }
    Ok(report.exit)
}

/// Differences of one chain that are listed at most.
const SHOWN: usize = 10;

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
    fn chain(&mut self, index: usize, length: usize, found: &ReplayedChain, is_same_code: bool) {
        let ReplayedChain { check, differences } = found;
        let shown = visible_lines(&check.to_string());
        let _ = writeln!(self.text, "chain {}: {length} steps; {shown}", index + 1);
        for difference in differences.iter().take(SHOWN) {
            let _ = writeln!(self.text, "  {}", visible(&difference.text));
        }
        if differences.len() > SHOWN {
            let _ = writeln!(self.text, "  and {} more differences", differences.len() - SHOWN);
        }
        if differences.iter().any(|difference| difference.is_of_outputs() || is_same_code) {
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
            if now.status != Status::Covered {
                // A replay proves nothing: that a goal is unreachable is what the record says.
                let is_excluded = before.status == Status::Unreachable;
                self.fail(FailOn::Uncovered, if is_excluded { Exit::Unreachable } else { Exit::Undecided });
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
