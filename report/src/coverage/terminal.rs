//! Coverage for people, in the terminal.

use super::{Coverage, CoverageGoal, CoverageStatus, Justification, PairOutcome};
use crate::output::chain_file::ChainFile;
use frontend::diagnostics::visible;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Goals that are listed one by one.
const LISTED: usize = 20;

/// The table of totals, and what is not covered.
pub fn text(coverage: &Coverage) -> String {
    let goals = coverage.goals.len();
    let mut text = format!("\ncoverage: {goals} goals ({} after merging)\n", coverage.merged);
    let _ = writeln!(
        text,
        "  {:<12}{:>7}{:>9}{:>15}{:>11}{:>11}",
        "", "goals", "covered", "dead (proven)", "justified", "undecided"
    );
    let count = |number: usize| if number == 0 { "-".to_owned() } else { number.to_string() };
    for total in &coverage.criteria {
        let _ = writeln!(
            text,
            "  {:<12}{:>7}{:>9}{:>15}{:>11}{:>11}",
            total.name,
            total.goals,
            total.covered,
            count(total.dead),
            count(total.justified),
            count(total.undecided)
        );
    }
    let open: Vec<&CoverageGoal> =
        coverage.goals.iter().filter(|goal| goal.status != CoverageStatus::Covered).collect();
    for goal in open.iter().take(LISTED) {
        let _ = writeln!(text, "  {:<10} {}", word(goal), visible(&goal.name));
    }
    if open.len() > LISTED {
        let _ = writeln!(text, "  ... and {} more that are not covered", open.len() - LISTED);
    }
    let missed: Vec<&PairOutcome> =
        coverage.pairs.iter().filter(|pair| pair.status != CoverageStatus::Covered).collect();
    for pair in missed.iter().take(LISTED) {
        let _ = writeln!(text, "  {:<10} {}", word_of(pair.status, &pair.justified), visible(&pair.name));
    }
    if missed.len() > LISTED {
        let _ = writeln!(text, "  ... and {} more pairs that the chains do not have", missed.len() - LISTED);
    }
    for stale in &coverage.stale {
        let _ = writeln!(text, "  stale justification of {}: {}", visible(&stale.goal), stale.why);
    }
    text
}

fn word(goal: &CoverageGoal) -> &'static str {
    word_of(goal.status, &goal.justified)
}

fn word_of(status: CoverageStatus, justified: &Option<Justification>) -> &'static str {
    match (status, justified) {
        (CoverageStatus::Dead, _) => "dead",
        (_, Some(_)) => "justified",
        _ => "undecided",
    }
}

/// The result as people read it: goals that only stand for coverage are counted, not named.
pub fn condensed(file: &ChainFile) -> ChainFile {
    let Some(coverage) = &file.coverage else { return file.clone() };
    let of_coverage: BTreeSet<&str> = coverage.goals.iter().map(|goal| goal.goal.as_str()).collect();
    let mut shown = file.clone();
    shown.goals.retain(|goal| !of_coverage.contains(goal.name.as_str()));
    let condense = |names: &mut Vec<String>, unit: &str| {
        let before = names.len();
        names.retain(|name| !of_coverage.contains(name.as_str()));
        let count = before - names.len();
        if count > 0 {
            names.push(format!("+{count}{unit}"));
        }
    };
    for chain in &mut shown.chains {
        condense(&mut chain.order, " for coverage");
        chain.steps.iter_mut().for_each(|step| condense(&mut step.covers, ""));
        chain.holds.iter_mut().for_each(|hold| condense(&mut hold.covers, ""));
    }
    shown
}
