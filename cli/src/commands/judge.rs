//! `chaincover judge`: the coverage of a stored result beside what compilers measure of its replay.

use super::args::JudgeArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::{CompilerVerdict, Limit, judge_coverage, summary};
use std::fmt::Write;

/// Compiles, runs, compares. The exit code is 4 where something differs, and where no compiler here
/// measures conditions or pairs.
pub(crate) fn run(arguments: &JudgeArguments) -> Result<Exit, Failure> {
    let verdicts = judge_coverage(&arguments.result, &Limit::default())?;
    print(&verdicts.iter().map(text).collect::<String>())?;
    let is_complete = |verdict: &CompilerVerdict| {
        (verdict.measures_conditions || verdict.measures_pairs) && verdict.differences.is_empty()
    };
    Ok(if verdicts.iter().all(is_complete) { Exit::Success } else { Exit::SelfCheck })
}

fn text(verdict: &CompilerVerdict) -> String {
    let mut text = String::new();
    let CompilerVerdict { compiler, statements, halves, pairs, unmeasured, .. } = verdict;
    let _ = writeln!(text, "judge: {compiler} agrees with {} of {} statements", statements.0, statements.1);
    if verdict.measures_conditions {
        let _ =
            writeln!(text, "judge: {compiler} agrees with {} of {} halves of conditions", halves.0, halves.1);
    } else if verdict.measures_pairs {
        let _ = writeln!(text, "judge: {compiler} agrees with {} of {} pairs of MC/DC", pairs.0, pairs.1);
    } else {
        text.push_str(
            "judge: no compiler here measures conditions: gcc 14 or clang 18, or later, is needed\n",
        );
    }
    if *unmeasured > 0 && (verdict.measures_conditions || verdict.measures_pairs) {
        let what = if verdict.measures_pairs {
            format!(
                "{} (single conditions, bitwise operators, folded)",
                summary::counted(*unmeasured, "goal")
            )
        } else {
            let halves = if *unmeasured == 1 { "half" } else { "halves" };
            format!("{unmeasured} {halves} of conditions (bitwise operators, values, folded)")
        };
        let _ = writeln!(text, "judge: it says nothing of {what}");
    }
    verdict.differences.iter().for_each(|difference| {
        let _ = writeln!(text, "differs: {difference}");
    });
    verdict.notes.iter().for_each(|note| {
        let _ = writeln!(text, "note: {note}");
    });
    text
}
