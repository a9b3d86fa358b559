//! The summary for people: result, goals, and each chain as a table.

use super::chain_file::{Chain, ChainFile, Expectation, Goal, Minimal, Status, Violation};
use super::chain_table::{self, lines, table};
use super::holds::time_text;
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
    let width = table().width().map_or(WIDTH, usize::from);
    let mut text = headline(file);
    text.push('\n');
    text.push_str(&goal_table(file));
    for (index, chain) in file.chains.iter().enumerate() {
        let number = if file.chains.len() > 1 { format!(" {}", index + 1) } else { String::new() };
        let time = chain.seconds.map_or_else(String::new, |time| format!(" in {}", time_text(time)));
        let _ = write!(text, "\nchain{number}: {} steps{time}, ", chain.length);
        let _ = writeln!(text, "{}{}", chain.order.join(" -> "), replay_text(chain));
        text.push_str(&chain_table::text(file, chain, width));
    }
    text
}

fn headline(file: &ChainFile) -> String {
    let summary = &file.summary;
    let covered = format!("{} of {} goals covered", summary.covered, summary.goals);
    let chains = match summary.chains {
        0 => return format!("{}: {covered}, no chain\n", file.model.name),
        1 => format!("one chain of {} steps", summary.length),
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
        Json::Bool(true) if chain.replayed_how.as_deref() == Some(frontend::INTERPRETED) => {
            ", replayed by the interpreter".to_owned()
        }
        Json::Bool(true) => ", replayed on the compiled code".to_owned(),
        Json::Bool(false) => ", REJECTED by the compiled code".to_owned(),
        _ => ", replayed by the evaluator".to_owned(),
    }
}

fn goal_table(file: &ChainFile) -> String {
    let mut table = table();
    for goal in &file.goals {
        table.add_row(vec![
            format!("  {}", visible(&goal.name)),
            visible(goal.requirement.as_deref().unwrap_or_default()),
            verdict(goal, file.chains.len() > 1),
            match goal.expectation {
                Expectation::Held => "expectation held".to_owned(),
                Expectation::Violated => violated(goal, file.chains.len() > 1),
                Expectation::None => String::new(),
            },
        ]);
    }
    lines(&table)
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
