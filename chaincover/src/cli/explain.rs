//! `chaincover explain`: why a goal is unreachable or undecided, or how short a chain for it alone is.

use super::args::ExplainArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::load::{self, Loaded};
use super::progress::TerminalProgress;
use super::{print, search};
use crate::explain::{Explanation, explain};
use crate::outcome::GoalStatus;
use model::system::{GoalId, OriginId};
use model::text::print_term;
use std::fmt::Write;
use std::time::Duration;

/// Time for each question that leaves a part out.
const EFFORT: Duration = Duration::from_secs(10);
/// Nesting of terms that is printed.
const DEPTH: usize = 6;

/// Explains the goal.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let options = search::options(&arguments.search)?;
    let loaded = load::load(&arguments.model, arguments.verbosity)?;
    let goal = find(&loaded, &arguments.goal)?;
    let progress = TerminalProgress::new(arguments.verbosity.quiet);
    let explanation = explain(&loaded.system, goal, &options, EFFORT, &progress);
    progress.finish();
    let explanation = explanation.map_err(|error| search::failure(&error))?;
    print(&text(&loaded, goal, &explanation))?;
    Ok(match explanation.status {
        GoalStatus::Covered { .. } => Exit::Success,
        GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. } => Exit::Unreachable,
        GoalStatus::Undecided { .. } | GoalStatus::EndUndecided { .. } | GoalStatus::NotChained => {
            Exit::Undecided
        }
    })
}

fn find(loaded: &Loaded, name: &str) -> Result<GoalId, Failure> {
    let found = loaded.system.goals.iter().find(|(_, goal)| goal.name == name);
    found.map(|(id, _)| id).ok_or_else(|| {
        let names: Vec<&str> = loaded.system.goals.values().map(|goal| goal.name.as_str()).collect();
        Failure::new(Exit::Usage, format!("there is no goal `{name}`; there are {}", names.join(", ")))
    })
}

fn text(loaded: &Loaded, goal: GoalId, explanation: &Explanation) -> String {
    let description = &loaded.system.goals[goal];
    let mut text = format!("{}: {}", description.name, explanation.status.name());
    match (explanation.length, explanation.status.reason()) {
        (Some(length), _) => {
            let _ = writeln!(text, ", by a chain of {length} steps that covers it alone");
        }
        (None, Some(reason)) => {
            let _ = writeln!(text, ", {reason}");
        }
        (None, None) => text.push('\n'),
    }
    let _ = writeln!(text, "\ngoal{}", place(loaded, description.origin));
    let shown = loaded.translated.source.goal_text(goal);
    shown.lines().for_each(|line| {
        let _ = writeln!(text, "    {line}");
    });
    let excluded =
        matches!(explanation.status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. });
    if excluded {
        exclusion(&mut text, loaded, explanation);
    }
    if !explanation.notes.is_empty() {
        text.push_str("\nknown about the model\n");
        explanation.notes.iter().for_each(|note| {
            let _ = writeln!(text, "    {note}");
        });
    }
    text
}

/// The parts that exclude the goal.
fn exclusion(text: &mut String, loaded: &Loaded, explanation: &Explanation) {
    let terms = &loaded.system.terms;
    let (count, all) = (explanation.conjuncts.len(), explanation.of_conjuncts);
    let _ = writeln!(text, "\n{count} of {all} conditions of the goal exclude it");
    for &part in &explanation.conjuncts {
        let _ = writeln!(text, "    {}", print_term(terms, part, DEPTH));
    }
    let (count, all) = (explanation.assumptions.len(), explanation.of_assumptions);
    match (count, all) {
        (_, 0) => text.push_str("\nno assumption is in force: the code itself excludes it\n"),
        (0, _) => {
            let _ = writeln!(
                text,
                "\nnone of {all} conditions on the environment is needed: the code itself excludes it"
            );
        }
        _ => {
            let _ =
                writeln!(text, "\n{count} of {all} conditions on the environment are needed to exclude it");
        }
    }
    for assumption in &explanation.assumptions {
        let _ = writeln!(
            text,
            "    {}{}",
            print_term(terms, assumption.condition, DEPTH),
            place(loaded, assumption.origin)
        );
    }
}

fn place(loaded: &Loaded, origin: Option<OriginId>) -> String {
    origin.map_or_else(String::new, |origin| {
        let place = loaded.translated.source.locate(origin);
        format!(" at {}:{}", place.file.display(), place.line)
    })
}
