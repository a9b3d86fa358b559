//! Verdicts as results have them: entries of `chain.json`, and a file for each counterexample.

use super::{Applied, Counterexample, Verdict, Verdicts};
use crate::model::Model;
use crate::search::{check_trace, no_chains, report};
use crate::settings::Settings;
use engine::options::Options;
use frontend::limit::Limit;
use frontend::{Location, Requirement, RequirementKind, SignalKind};
use model::value::Value;
use replay::check::NativeCheck;
use report::build;
use report::output::chain_file::{
    self, Applies, ChainFile, Minimal, Origin, RequirementVerdict, Saw, Stage, Status, VerdictName, Violation,
};
use report::output::number;
use std::collections::BTreeSet;
use std::time::Duration;

/// What the compiled code says of each counterexample, within a limit; `None` where there is none.
pub fn check_violations(model: &Model, verdicts: &Verdicts, limit: &Limit) -> Vec<Option<NativeCheck>> {
    let check = |(_, verdict): &(usize, Verdict)| match verdict {
        Verdict::Violated(found) => Some(check_trace(model, (&found.chain.trace, &found.chain.run), limit)),
        _ => None,
    };
    verdicts.all.iter().map(check).collect()
}

/// Names of files for counterexamples: `violation_NAME.json`. Those that a chain shows anyway get
/// none.
pub fn violation_names(model: &Model, verdicts: &Verdicts) -> Vec<Option<String>> {
    let mut known = BTreeSet::new();
    let mut name = |(number, verdict): &(usize, Verdict)| match verdict {
        Verdict::Violated(found) if found.shown_by.is_none() => {
            let plain = file_name(&model.requirements()[*number].statement.name);
            let mut name = format!("violation_{plain}.json");
            let mut count = 1;
            // File systems may not tell capital letters from others.
            while !known.insert(name.to_lowercase()) {
                count += 1;
                name = format!("violation_{plain}_{count}.json");
            }
            Some(name)
        }
        _ => None,
    };
    verdicts.all.iter().map(&mut name).collect()
}

/// Characters of a name that a file's name gets at most.
const LONGEST_NAME: usize = 100;

/// A name with nothing but letters, digits, `_` and `-`.
fn file_name(name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    name.chars().map(plain).take(LONGEST_NAME).collect()
}

/// Puts verdicts into a result. `checks` and `files` have an entry for each verdict.
pub fn add_verdicts(
    file: &mut ChainFile,
    model: &Model,
    verdicts: &Verdicts,
    (checks, files): (&[Option<NativeCheck>], &[Option<String>]),
) {
    for (index, (number, verdict)) in verdicts.all.iter().enumerate() {
        let required = &model.requirements()[*number];
        let check = checks.get(index).and_then(Option::as_ref);
        let mut entry = entry(model, required, verdict, check);
        entry.applies = applies(model, verdict, file.chains.len());
        if let Some(found) = &mut entry.counterexample {
            found.file = files.get(index).cloned().flatten();
            let goal = file.goals.iter().find(|goal| goal.name == required.statement.name);
            found.shown = goal.and_then(|goal| match required.kind {
                // To cover it is to violate it.
                RequirementKind::Error => Some(Violation { chain: goal.chain?, at: goal.at? }),
                _ => goal.violation,
            });
        }
        let goal = required.goal.map(|goal| &model.system.goals[goal].name);
        if let Some(goal) = file.goals.iter_mut().find(|entry| Some(&entry.name) == goal) {
            goal.verdict = Some(entry.verdict);
        }
        file.verdicts.push(entry);
    }
    let is_new = |note: &&String| !file.notes.contains(note);
    let notes: Vec<String> = verdicts.notes.iter().filter(is_new).cloned().collect();
    file.notes.extend(notes);
    let seconds = (verdicts.seconds * 1e3).round() / 1e3;
    file.stages.push(Stage { name: "verdicts".to_owned(), seconds, sat_calls: verdicts.sat_calls });
}

/// Where a requirement that is proven applies: by one of so many chains of the result, or by an
/// execution of its own.
fn applies(model: &Model, verdict: &Verdict, chains: usize) -> Option<Applies> {
    let Verdict::Proven { applied: Some(Applied { trace, at, shown_by }), .. } = verdict else { return None };
    let chain = shown_by.filter(|&chain| chain < chains);
    let execution = match chain {
        Some(_) => None,
        None => {
            let run = model::trace::replay(&model.system, trace).ok()?;
            let check = NativeCheck::Skipped { reason: "run by the evaluator alone".to_owned() };
            Some(build::chain(&model.translated, &model.system, trace, &run, &[], &check))
        }
    };
    Some(Applies { chain, at: *at, execution })
}

/// What the entry of a requirement says of it whatever the verdict is.
pub(crate) fn described(model: &Model, required: &Requirement) -> RequirementVerdict {
    entry(model, required, &Verdict::Undecided { steps: 0, excluded: None }, None)
}

fn entry(
    model: &Model,
    required: &Requirement,
    verdict: &Verdict,
    check: Option<&NativeCheck>,
) -> RequirementVerdict {
    let statement = &required.statement;
    let (name, reason, depth, counterexample) = match verdict {
        Verdict::Proven { proof, .. } => (VerdictName::Proven, Some(proof.clone()), None, None),
        Verdict::Vacuous { proof } => (VerdictName::Vacuous, Some(proof.clone()), None, None),
        Verdict::Undecided { excluded: Some(proof), .. } => {
            let open = "whether its antecedent is ever reached is not known";
            let reason = format!("no execution violates it ({proof}), but {open}");
            (VerdictName::Undecided, Some(reason), None, None)
        }
        Verdict::Undecided { steps, .. } => (VerdictName::Undecided, None, Some(*steps), None),
        Verdict::Violated(found) => {
            (VerdictName::Violated, None, None, Some(counterexample_entry(model, found, check)))
        }
    };
    RequirementVerdict {
        name: statement.name.clone(),
        kind: required.kind.name().to_owned(),
        requirement: statement.requirement.clone(),
        text: statement.text.clone(),
        origin: build::goal_place(&model.configuration, &model.translated, statement).as_ref().map(origin),
        steps: statement.steps,
        verdict: name,
        reason,
        depth,
        counterexample,
        applies: None,
    }
}

fn origin(place: &Location) -> Origin {
    Origin { file: place.file.display().to_string(), line: place.line }
}

/// What a result says of an execution that violates a requirement.
pub(crate) fn counterexample_entry(
    model: &Model,
    found: &Counterexample,
    check: Option<&NativeCheck>,
) -> chain_file::Counterexample {
    let skipped = NativeCheck::Skipped { reason: "--no-replay".to_owned() };
    let (replayed, how) = build::replayed(check.unwrap_or(&skipped));
    let before: Vec<_> = found.hazards_before().copied().collect();
    let undefined_before = build::hazards_met(&model.translated, &model.system, &before);
    chain_file::Counterexample {
        length: found.chain.trace.inputs.len(),
        lower_bound: found.lower_bound,
        minimal: if found.is_shortest() { Minimal::Proven } else { Minimal::Gap },
        at: found.at,
        step: found.step(),
        expression: found.broken.as_ref().map(|broken| broken.text.clone()),
        origin: found.broken.as_ref().and_then(|broken| broken.place.as_ref()).map(origin),
        saw: found.broken.iter().flat_map(|broken| &broken.read).map(saw).collect(),
        undefined_before,
        shown: None,
        file: None,
        replayed,
        replayed_how: Some(how),
    }
}

fn saw(read: &super::ValueRead) -> Saw {
    Saw {
        expression: read.text.clone(),
        value: number::to_json(read.value, &read.kind),
        named: enumerator(read.value, &read.kind),
    }
}

/// The name of a value of an enumeration.
fn enumerator(value: Value, kind: &SignalKind) -> Option<String> {
    let SignalKind::Enum { signed, enumerators } = kind else { return None };
    let number = if *signed { value.signed() } else { value.bits() as i128 };
    enumerators.iter().find(|(_, known)| *known == number).map(|(name, _)| name.clone())
}

/// The result that a counterexample is by itself: its chain, the goals that occur along it, and the
/// verdict. It can be replayed and exported as any other.
pub fn violation_file(
    model: &Model,
    (verdicts, index): (&Verdicts, usize),
    check: Option<&NativeCheck>,
    (settings, options): (&Settings, &Options),
) -> Option<ChainFile> {
    let (number, verdict) = verdicts.all.get(index)?;
    let Verdict::Violated(found) = verdict else { return None };
    let mut outcome = no_chains(model, options);
    outcome.put_chains(&model.system, vec![(found.chain.trace.clone(), found.chain.run.clone())]);
    outcome.smoothing = found.smoothed.iter().cloned().collect();
    let skipped = NativeCheck::Skipped { reason: "--no-replay".to_owned() };
    let checks = [check.unwrap_or(&skipped).clone()];
    let mut file = report(model, (&outcome, &checks), (settings, options), Duration::ZERO);
    file.goals.retain(|goal| goal.status == Status::Covered);
    file.summary.goals = file.goals.len();
    file.summary.reset_cost = None;
    let required = &model.requirements()[*number];
    let mut entry = entry(model, required, verdict, check);
    let goal = required.goal.map(|goal| &model.system.goals[goal].name);
    if let Some(goal) = file.goals.iter_mut().find(|covered| Some(&covered.name) == goal) {
        goal.verdict = Some(entry.verdict);
    }
    if let Some(found) = &mut entry.counterexample {
        found.shown = Some(Violation { chain: 0, at: found.at });
    }
    file.verdicts.push(entry);
    Some(file)
}

/// What verdicts about all executions rest on: what is assumed of inputs and steps, a line each.
pub fn assumptions(model: &Model, options: &Options) -> Vec<String> {
    crate::conditions::assumed(model, options)
}
