//! `chaincover explain`: why a goal is unreachable or undecided, or how short a chain for it alone
//! is.

use super::args::{ExplainArguments, ModelArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::TerminalProgress;
use super::{load, print, requirements, search};
use chaincover::{
    Explanation, GoalStatus, Location, Model, Settings, Written, configure, explain, is_excluded,
};
use std::fmt::Write;
use std::path::PathBuf;

/// Explains the goal.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let options = search::options(&arguments.search)?;
    let mut settings = arguments.model.settings_for(&options);
    // Branches and deciding steps of requirements are goals only where they are asked for.
    if requirements::are(&arguments.model.model) && settings.goals.is_empty() {
        settings.goals = vec![PathBuf::from(&arguments.goal)];
    }
    let ModelArguments { model, .. } = &arguments.model;
    let configuration = configure(model, &Settings { keep_wording: true, ..settings })?;
    let loaded = load::translate(configuration, arguments.verbosity)?;
    let progress = TerminalProgress::new(arguments.verbosity.quiet, options.deadline);
    let explanation = explain(&loaded, &arguments.goal, &options, &progress);
    progress.finish();
    let explanation = explanation?;
    print(&text(&loaded, &explanation))?;
    Ok(match explanation.status {
        GoalStatus::Covered { .. } => Exit::Success,
        GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. } => Exit::Unreachable,
        GoalStatus::Undecided { .. } | GoalStatus::EndUndecided { .. } | GoalStatus::NotChained => {
            Exit::Undecided.combine(search::stopped(&options))
        }
    })
}

fn text(loaded: &Model, explanation: &Explanation) -> String {
    let description = &loaded.system.goals[explanation.goal];
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
    goal_text(&mut text, loaded, explanation);
    if is_excluded(&explanation.status) {
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

/// The goal as it was written.
fn goal_text(text: &mut String, loaded: &Model, explanation: &Explanation) {
    let description = &loaded.system.goals[explanation.goal];
    let place = loaded.goal_place(description);
    let _ = writeln!(text, "\ngoal{}", at(place.as_ref()));
    let meaning = [description.requirement.clone(), description.text.clone()].into_iter().flatten();
    let meaning = meaning.collect::<Vec<_>>().join(": ");
    if !meaning.is_empty() {
        let _ = writeln!(text, "    {meaning}");
    }
    conditions(text, &explanation.all.antecedent);
}

/// The conditions that exclude the goal.
fn exclusion(text: &mut String, loaded: &Model, explanation: &Explanation) {
    let what = if loaded.translated.source.has_code() { "code" } else { "system" };
    let Explanation { needed, all, .. } = explanation;
    let (count, of) = (needed.antecedent.len(), all.antecedent.len());
    let _ = writeln!(text, "\n{count} of {of} conditions of the goal exclude it");
    conditions(text, &needed.antecedent);
    let (count, of) = (needed.assumptions.len(), all.assumptions.len());
    let _ = match (count, of) {
        (_, 0) => writeln!(text, "\nno assumption is in force: the {what} itself excludes it"),
        (0, _) => writeln!(text, "\nnone of {of} assumptions is needed: the {what} itself excludes it"),
        _ => writeln!(text, "\n{count} of {of} assumptions are needed to exclude it"),
    };
    conditions(text, &needed.assumptions);
    decisions(text, explanation);
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
fn decisions(text: &mut String, explanation: &Explanation) {
    let (needed, of) = (&explanation.needed.decisions, explanation.all.decisions.len());
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
