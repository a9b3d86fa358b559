//! `chaincover explain`: why a goal is unreachable or undecided, or how short a chain for it alone is.

use super::args::ExplainArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::load::{self, Loaded};
use super::progress::TerminalProgress;
use super::{print, search, setup};
use chaincover::explain::{Explanation, Reasons, Worded, explain, is_excluded};
use chaincover::front_ends;
use chaincover::judge::LimitedJudge;
use config::resolve::Model;
use engine::knowledge::status::GoalStatus;
use frontend::diagnostics::visible;
use frontend::{Location, Written};
use model::system::GoalId;
use model::validate::validate;
use report::build;
use std::fmt::Write;
use std::time::Duration;

/// Time for each question that leaves a part out.
const EFFORT: Duration = Duration::from_secs(10);

/// Explains the goal.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let options = search::options(&arguments.search)?;
    let mut model = setup::model(&arguments.model)?;
    model.request.keep_wording = true;
    model.request.limit = search::limit(&options);
    let loaded = load::translate(model, arguments.verbosity)?;
    let goal = find(&loaded, &arguments.goal)?;
    let progress = TerminalProgress::new(arguments.verbosity.quiet);
    let worded = Worded::new(loaded.system.clone(), &*loaded.translated.source, goal);
    let open = |places: &[Location]| with_open_decisions(&loaded.model, &arguments.goal, places);
    let explanation = explain(&worded, goal, &open, (&options, EFFORT), &progress);
    progress.finish();
    let explanation = explanation.map_err(|error| search::failure(&error))?;
    print(&text(&loaded, goal, &worded.all, &explanation))?;
    Ok(match explanation.status {
        GoalStatus::Covered { .. } => Exit::Success,
        GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. } => Exit::Unreachable,
        GoalStatus::Undecided { .. } | GoalStatus::EndUndecided { .. } | GoalStatus::NotChained => {
            Exit::Undecided.combine(search::stopped(&options))
        }
    })
}

fn find(loaded: &Loaded, name: &str) -> Result<GoalId, Failure> {
    let name = &visible(name);
    let found = loaded.system.goals.iter().find(|(_, goal)| goal.name == *name);
    found.map(|(id, _)| id).ok_or_else(|| {
        let names: Vec<&str> = loaded.system.goals.values().map(|goal| goal.name.as_str()).collect();
        Failure::new(Exit::Usage, format!("there is no goal `{name}`; there are {}", names.join(", ")))
    })
}

/// The model with the decisions of some lines left open; `None` where it cannot be translated so.
fn with_open_decisions(model: &Model, goal: &str, places: &[Location]) -> Option<Worded> {
    let mut request = model.request.clone();
    request.open_decisions = places.to_vec();
    let mut translated = front_ends::translate(&request, &LimitedJudge(request.limit.clone())).ok()?;
    let system = validate(std::mem::take(&mut translated.system)).ok()?;
    let (goal, _) = system.goals.iter().find(|(_, candidate)| candidate.name == visible(goal))?;
    Some(Worded::new(system, &*translated.source, goal))
}

fn text(loaded: &Loaded, goal: GoalId, all: &Reasons, explanation: &Explanation) -> String {
    let description = &loaded.system.goals[goal];
    let mut text = format!("{}: {}", description.name, explanation.status.name());
    match (explanation.length, explanation.status.reason()) {
        (Some(length), _) => {
            let proof = match explanation.least {
                least if least >= length => "no shorter one does: proven".to_owned(),
                0 => "whether a shorter one does was not found out".to_owned(),
                least => format!("at least {least} steps are needed"),
            };
            let _ = writeln!(text, ", by a chain of {length} steps that covers it alone; {proof}");
        }
        (None, Some(reason)) => {
            let _ = writeln!(text, ", {reason}");
        }
        (None, None) => text.push('\n'),
    }
    goal_text(&mut text, loaded, goal);
    if is_excluded(&explanation.status) {
        exclusion(&mut text, all, explanation);
    }
    if !explanation.notes.is_empty() {
        text.push_str("\nknown about the model\n");
        explanation.notes.iter().for_each(|note| {
            let _ = writeln!(text, "    {note}");
        });
    }
    text
}

/// The goal as it was written.
fn goal_text(text: &mut String, loaded: &Loaded, goal: GoalId) {
    let description = &loaded.system.goals[goal];
    let place = build::goal_place(&loaded.model, &loaded.translated, description);
    let _ = writeln!(text, "\ngoal{}", at(place.as_ref()));
    let meaning = [description.requirement.clone(), description.text.clone()].into_iter().flatten();
    let meaning = meaning.collect::<Vec<_>>().join(": ");
    if !meaning.is_empty() {
        let _ = writeln!(text, "    {meaning}");
    }
    conditions(text, loaded.translated.source.goal_parts(goal));
}

/// The conditions that exclude the goal.
fn exclusion(text: &mut String, all: &Reasons, explanation: &Explanation) {
    let needed = &explanation.needed;
    let (count, of) = (needed.antecedent.len(), all.antecedent.len());
    let _ = writeln!(text, "\n{count} of {of} conditions of the goal exclude it");
    conditions(text, &needed.antecedent);
    let (count, of) = (needed.assumptions.len(), all.assumptions.len());
    let _ = match (count, of) {
        (_, 0) => writeln!(text, "\nno assumption is in force: the code itself excludes it"),
        (0, _) => writeln!(text, "\nnone of {of} assumptions is needed: the code itself excludes it"),
        _ => writeln!(text, "\n{count} of {of} assumptions are needed to exclude it"),
    };
    conditions(text, &needed.assumptions);
    decisions(text, all, explanation);
    if !needed.invariants.is_empty() {
        text.push_str("\nwithout these invariants of the configuration it could not be proven\n");
        for invariant in &needed.invariants {
            let _ = writeln!(text, "    {}", invariant.text);
        }
    }
    if !explanation.is_minimal {
        text.push_str("\nnot everything could be tried in time: less may suffice to exclude it\n");
    }
}

/// The lines of code that exclude the goal.
fn decisions(text: &mut String, all: &Reasons, explanation: &Explanation) {
    let (needed, of) = (&explanation.needed.decisions, all.decisions.len());
    let _ = match (needed.len(), of) {
        (_, 0) => Ok(()),
        (0, _) => writeln!(
            text,
            "\nnone of {of} branching lines of the code is needed: whichever way they go, the goal is excluded"
        ),
        (count, _) => {
            writeln!(text, "\n{count} of {of} branching lines of the code are needed to exclude it")
        }
    };
    for decision in needed {
        let _ = writeln!(text, "    {}{}", decision.text, at(Some(&decision.place)));
    }
}

fn conditions(text: &mut String, written: &[Written]) {
    for part in written {
        let _ = writeln!(text, "    {}{}", part.text, at(part.place.as_ref()));
    }
}

fn at(place: Option<&Location>) -> String {
    place.map_or_else(String::new, |place| format!("   {}:{}", place.file.display(), place.line))
}
