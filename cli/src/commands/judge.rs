//! `chaincover judge`: the coverage of a stored result beside what gcc measures of its replay.

use super::args::JudgeArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::{CompilerVerdict, Limit, judge_coverage};
use std::fmt::Write;

/// Compiles, runs, compares. The exit code is 4 where something differs, and where no compiler here
/// measures conditions.
pub(crate) fn run(arguments: &JudgeArguments) -> Result<Exit, Failure> {
    let verdict = judge_coverage(&arguments.result, &Limit::default())?;
    print(&text(&verdict))?;
    let is_complete = verdict.measures_conditions && verdict.differences.is_empty();
    Ok(if is_complete { Exit::Success } else { Exit::SelfCheck })
}

fn text(verdict: &CompilerVerdict) -> String {
    let mut text = String::new();
    let CompilerVerdict { compiler, statements, halves, .. } = verdict;
    let _ = writeln!(text, "judge: {compiler} agrees with {} of {} statements", statements.0, statements.1);
    if verdict.measures_conditions {
        let _ =
            writeln!(text, "judge: {compiler} agrees with {} of {} halves of conditions", halves.0, halves.1);
        if verdict.unmeasured > 0 {
            let unmeasured = verdict.unmeasured;
            let _ = writeln!(
                text,
                "judge: it says nothing of {unmeasured} halves (bitwise operators, values, folded)"
            );
        }
    } else {
        text.push_str("judge: no compiler here measures conditions: gcc 14 or later is needed\n");
    }
    verdict.differences.iter().for_each(|difference| {
        let _ = writeln!(text, "differs: {difference}");
    });
    verdict.notes.iter().for_each(|note| {
        let _ = writeln!(text, "note: {note}");
    });
    text
}
