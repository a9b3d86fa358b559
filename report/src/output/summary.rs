//! The summary for people: result, goals, and each chain as a table.

use super::chain_file::{
    Chain, ChainFile, Expectation, Goal, Minimal, RequirementVerdict, Status, Violation,
};
use super::chain_table::{self, lines, table};
use super::holds::time_text;
use crate::coverage::terminal as coverage;
use frontend::diagnostics::visible;
use serde_json::Value as Json;
use std::fmt::Write;

/// Characters in a line where standard output is no terminal.
const WIDTH: usize = 160;

/// Says where, if it is not where the goal is covered.
fn violated(goal: &Goal, several: bool) -> String {
    let text = "EXPECTATION VIOLATED";
    match goal.violation {
        Some(Violation { chain, at }) if goal.chain.zip(goal.at) != Some((chain, at)) => match several {
            true => format!("{text} in chain {} at step {at}", chain + 1),
            false => format!("{text} at step {at}"),
        },
        _ => text.to_owned(),
    }
}

/// The whole summary, as wide as the terminal where that is possible.
pub fn text(file: &ChainFile) -> String {
    let mut text = headline(file);
    text.extend(file.summary.cost.as_ref().map(|cost| format!("cost: {}\n", cost.words())));
    let whole = file;
    let file = &coverage::condensed(file);
    if !file.goals.is_empty() {
        text.push('\n');
        text.push_str(&goal_table(file));
    }
    text.push_str(&further_verdicts(file));
    text.extend(whole.coverage.as_ref().map(coverage::text));
    for (index, chain) in file.chains.iter().enumerate() {
        let number = if file.chains.len() > 1 { format!(" {}", index + 1) } else { String::new() };
        let time = chain.seconds.map_or_else(String::new, |time| format!(" in {}", time_text(time)));
        let _ = write!(text, "\nchain{number}: {}{time}, ", counted(chain.length, "step"));
        let _ = writeln!(text, "{}{}", chain.order.join(" -> "), replay_text(chain));
        text.push_str(&chain_table::text(file, chain, width()));
    }
    text
}

/// A number of things, with the plural where there are several or none.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Characters in a line.
fn width() -> usize {
    table().width().map_or(WIDTH, usize::from)
}

/// The execution that violates a requirement, as a table.
pub fn violation(name: &str, file: &ChainFile) -> String {
    let mut text = String::new();
    for chain in &file.chains {
        let time = chain.seconds.map_or_else(String::new, |time| format!(" in {}", time_text(time)));
        let (name, length) = (visible(name), counted(chain.length, "step"));
        let _ = writeln!(text, "\nviolation of {name}: {length}{time}{}", replay_text(chain));
        text.push_str(&chain_table::text(file, chain, width()));
    }
    text
}

fn headline(file: &ChainFile) -> String {
    let summary = &file.summary;
    let covered = format!("{} of {} goals covered", summary.covered, summary.goals);
    let chains = match summary.chains {
        0 => return format!("{}: {covered}, no chain\n", file.model.name),
        1 => format!("one chain of {}", counted(summary.length, "step")),
        several => format!("{several} chains of {} steps in all", summary.length),
    };
    let proof = match summary.minimal {
        Minimal::Proven => "proven minimal".to_owned(),
        Minimal::Gap if summary.lower_bound > 0 => match summary.lower_bound {
            1 => "at least 1 step is needed".to_owned(),
            steps => format!("at least {steps} steps are needed"),
        },
        Minimal::Gap | Minimal::Unknown => "minimality not examined".to_owned(),
    };
    format!("{}: {covered}, {chains}, {proof}\n", file.model.name)
}

fn replay_text(chain: &Chain) -> String {
    match &chain.replayed {
        Json::Bool(true) => {
            format!(", replayed {}", frontend::replayed_where(chain.replayed_how.as_deref()))
        }
        Json::Bool(false) => ", REJECTED in the replay".to_owned(),
        _ => ", replayed by the evaluator".to_owned(),
    }
}

fn goal_table(file: &ChainFile) -> String {
    let mut table = table();
    let verdict_of = |goal: &Goal| file.verdicts.iter().find(|verdict| verdict.name == goal.name);
    for goal in &file.goals {
        table.add_row(vec![
            format!("  {}", visible(&goal.name)),
            visible(goal.requirement.as_deref().unwrap_or_default()),
            verdict(goal, file.chains.len() > 1) + &forcing(goal) + &seen(goal),
            match goal.expectation {
                Expectation::Held => "expectation held".to_owned(),
                Expectation::Violated => violated(goal, file.chains.len() > 1),
                Expectation::None => String::new(),
            },
            verdict_of(goal).map_or_else(String::new, |verdict| visible(&verdict.words())),
        ]);
    }
    with_details(&lines(&table), file, file.goals.iter().map(verdict_of))
}

/// Verdicts on requirements that belong to no goal: all of them, where there are no goals.
pub fn further_verdicts(file: &ChainFile) -> String {
    let is_shown = |verdict: &&RequirementVerdict| file.goals.iter().all(|goal| goal.name != verdict.name);
    let shown: Vec<&RequirementVerdict> = file.verdicts.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut table = table();
    for verdict in &shown {
        table.add_row(vec![
            format!("  {}", visible(&verdict.name)),
            visible(verdict.requirement.as_deref().unwrap_or_default()),
            visible(verdict.text.as_deref().unwrap_or_default()),
            visible(&verdict.words()),
        ]);
    }
    with_details(&lines(&table), file, shown.into_iter().map(Some))
}

/// The lines of a table, each with what there is to say of the violation that it tells of.
fn with_details<'v>(
    table: &str,
    file: &ChainFile,
    verdicts: impl Iterator<Item = Option<&'v RequirementVerdict>>,
) -> String {
    let mut text = String::new();
    for (line, verdict) in table.lines().zip(verdicts) {
        text += line;
        text.push('\n');
        let Some(verdict) = verdict else { continue };
        for detail in verdict.lines() {
            let _ = writeln!(text, "      {}", visible(&detail));
        }
        let is_hidden = verdict.counterexample.as_ref().is_some_and(|found| found.shown.is_none());
        if is_hidden && !file.chains.is_empty() {
            let chains = if file.chains.len() == 1 { "chain does" } else { "chains do" };
            let _ = writeln!(text, "      the covering {chains} not show it");
        }
    }
    text
}

/// Whether a tester can force the goal, behind its verdict.
fn forcing(goal: &Goal) -> String {
    goal.forcing.as_ref().map_or_else(String::new, |forcing| format!(", {}", visible(&forcing.words())))
}

/// Where outputs show it, behind its verdict.
fn seen(goal: &Goal) -> String {
    goal.seen.as_ref().map_or_else(String::new, |seen| format!(", {}", visible(&seen.text())))
}

fn verdict(goal: &Goal, several: bool) -> String {
    let reason = visible(goal.reason.as_deref().unwrap_or("no reason given"));
    match (goal.status, goal.chain, goal.at) {
        (Status::Covered, Some(chain), Some(at)) if several => {
            format!("covered in chain {} at step {at}", chain + 1)
        }
        (Status::Covered, _, at) => format!("covered at step {}", at.unwrap_or_default()),
        (Status::Unreachable, ..) => format!("unreachable: {reason}"),
        (Status::Undecided, ..) => format!("undecided: {reason}"),
    }
}
