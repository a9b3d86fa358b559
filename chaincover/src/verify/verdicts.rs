//! Verdicts of a stored result, checked without the search that made them.
//!
//! Of a violated requirement the execution is run again; of a proven and of a vacuous one the
//! evidence must show that no execution violates it or reaches its antecedent. Proven is only what
//! applies to some execution, and such an execution is run again, too.

use super::Verification;
use crate::evidence::claimed;
use crate::model::Model;
use crate::stored;
use crate::verdicts::{self, counterexample_entry, described, judged_system, occurrence, violates};
use evidence::check::{self, Verdict};
use evidence::{Claim, Part, Stored, antecedent_of, violation_of};
use frontend::Requirement;
use model::trace::{Execution, Trace};
use report::output::chain_file::{
    Applies, Chain, ChainFile, Counterexample, Origin, RequirementVerdict, VerdictName, Violation,
};
use std::path::Path;

/// What verdicts are checked against.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) stored: Stored<'a>,
    pub(super) model: &'a Model,
    /// The chains of the result that could be run.
    pub(super) runs: &'a [(Trace, Execution)],
}

/// Checks all verdicts of a result.
pub(super) fn check_verdicts(place: Place<'_>, report: &mut Verification) {
    let Place { stored, model, .. } = place;
    let file = stored.file;
    if !check_names(stored, model, report) {
        return;
    }
    let shown = check_evidence(place, report);
    let verdict = |claim: &Claim| {
        let found = shown.iter().find(|(known, _)| known == claim);
        found.map(|(_, verdict)| verdict.clone())
    };
    for (entry, required) in entries(file, model) {
        let Some(required) = required else { continue };
        let name = &entry.name;
        let violation = Claim::Unreachable { goal: violation_of(name) };
        match entry.verdict {
            VerdictName::Violated => check_violated(place, (entry, required), report),
            VerdictName::Proven => {
                let excluded = verdict(&violation);
                check_proven(place, (entry, required), excluded, report);
            }
            VerdictName::Vacuous => {
                let excluded = verdict(&Claim::Unreachable { goal: antecedent_of(name) });
                conclude(
                    excluded,
                    &format!("{name} is vacuous: no execution reaches its antecedent"),
                    report,
                );
            }
            VerdictName::Undecided if entry.depth.is_none() => {
                conclude(verdict(&violation), &format!("no execution violates {name}"), report);
            }
            VerdictName::Undecided => {}
        }
        check_runs(place, (entry, required), report);
    }
}

/// The verdicts of a file with the requirements that they are about.
fn entries<'a>(
    file: &'a ChainFile,
    model: &'a Model,
) -> impl Iterator<Item = (&'a RequirementVerdict, Option<&'a Requirement>)> {
    let required = |entry: &RequirementVerdict| {
        model.requirements().iter().find(|required| required.statement.name == entry.name)
    };
    file.verdicts.iter().map(move |entry| (entry, required(entry)))
}

/// Every verdict must be about a requirement of the model, once, and describe it as it is; goals
/// must have the verdicts of their requirements. Whether all of that is so.
fn check_names(stored: Stored<'_>, model: &Model, report: &mut Verification) -> bool {
    let file = stored.file;
    let before = report.claims.len();
    for (number, (entry, required)) in entries(file, model).enumerate() {
        let name = &entry.name;
        let Some(required) = required else {
            report.reject(format!("there is no requirement {name}, of which there is a verdict"));
            continue;
        };
        if file.verdicts[..number].iter().any(|other| other.name == *name) {
            report.reject(format!("there are two verdicts on {name}"));
        }
        if !is_described(entry, &described(model, required)) {
            report.reject(format!("{name} is described otherwise than the model has it"));
        }
        let goal = required.goal.map(|goal| &model.system.goals[goal].name);
        let goal = file.goals.iter().find(|entry| Some(&entry.name) == goal);
        if goal.is_some_and(|goal| goal.verdict != Some(entry.verdict)) {
            report.reject(format!("{name} has one verdict among the goals, and another one by itself"));
        }
    }
    let of_none = file.goals.iter().filter(|goal| goal.verdict.is_some()).find(|goal| {
        let is_its = |required: &&Requirement| {
            required.goal.is_some_and(|own| model.system.goals[own].name == goal.name)
        };
        let required = model.requirements().iter().find(is_its);
        required
            .is_none_or(|required| file.verdicts.iter().all(|entry| entry.name != required.statement.name))
    });
    if let Some(goal) = of_none {
        report.reject(format!("the goal {} has a verdict that is not listed", goal.name));
    }
    // A result of chains has a verdict on each requirement, or on none.
    if stored.name == crate::evidence::CHAINS && !file.verdicts.is_empty() {
        for required in model.requirements() {
            let name = &required.statement.name;
            if file.verdicts.iter().all(|entry| entry.name != *name) {
                report.reject(format!("there is no verdict on {name}"));
            }
        }
    }
    report.claims.len() == before
}

/// Whether an entry says of a requirement what the model does; folders may be others.
fn is_described(entry: &RequirementVerdict, now: &RequirementVerdict) -> bool {
    let place = |entry: &RequirementVerdict| entry.origin.as_ref().map(Origin::without_folder);
    (&entry.kind, &entry.requirement, &entry.text, entry.steps, place(entry))
        == (&now.kind, &now.requirement, &now.text, now.steps, place(now))
}

/// What the evidence shows of the claims that verdicts make.
fn check_evidence(place: Place<'_>, report: &mut Verification) -> Vec<(Claim, Verdict)> {
    let Place { stored, model, .. } = place;
    let claims = Part::Verdicts.claims(stored.file);
    if claims.is_empty() {
        return Vec::new();
    }
    let system = judged_system(model, &claimed(&claims));
    match check::check(Part::Verdicts, stored, &system) {
        Ok(found) => {
            let is_known = |change: &String, report: &Verification| {
                report.claims.iter().any(|(_, claim)| claim == change)
            };
            for change in found.changed {
                if !is_known(&change, report) {
                    report.reject(change);
                }
            }
            let is_claimed = |(claim, _): &&(Claim, Verdict)| claims.contains(claim);
            for (claim, verdict) in found.verdicts.iter().filter(|verdict| !is_claimed(verdict)) {
                if let Verdict::Rejected(why) = verdict {
                    report.reject(format!("{claim}: {why}"));
                }
            }
            report.notes.extend(found.notes);
            found.verdicts
        }
        Err(why) => {
            let open = |claim: Claim| (claim, Verdict::NotCertified(why.to_string()));
            claims.into_iter().map(open).collect()
        }
    }
}

fn conclude(verdict: Option<Verdict>, claim: &str, report: &mut Verification) {
    match verdict {
        Some(Verdict::Checked(evidence)) => report.hold(format!("{claim} ({evidence})")),
        Some(Verdict::NotCertified(why)) => report.leave_open(format!("{claim}: {why}")),
        Some(Verdict::Rejected(why)) => report.reject(format!("{claim}: {why}")),
        None => report.reject(format!("{claim}: the manifest does not list this claim")),
    }
}

/// No execution violates what is proven, and some execution reaches its antecedent.
fn check_proven(
    place: Place<'_>,
    (entry, required): (&RequirementVerdict, &Requirement),
    excluded: Option<Verdict>,
    report: &mut Verification,
) {
    let claim = format!("{} is proven: no execution violates it", entry.name);
    let applies = match &entry.applies {
        None => Err(None),
        Some(applies) => application(place, required, applies).map_err(Some),
    };
    match (applies, excluded) {
        (Err(Some(why)), _) => report.reject(format!("{} applies: {why}", entry.name)),
        (Err(None), Some(Verdict::Checked(evidence))) => {
            let open = "whether its antecedent is ever reached is not shown by any execution";
            report.leave_open(format!("{claim} ({evidence}), but {open}"));
        }
        (Ok(place), Some(Verdict::Checked(evidence))) => {
            report.hold(format!("{claim} ({evidence}), and it applies {place}"));
        }
        (_, excluded) => conclude(excluded, &claim, report),
    }
}

/// Where a requirement applies, as a phrase.
///
/// # Errors
/// Why it does not.
fn application(place: Place<'_>, required: &Requirement, applies: &Applies) -> Result<String, String> {
    let Place { model, runs, .. } = place;
    let is_there = |(trace, run): (&Trace, &Execution)| {
        let start = applies.at.min(trace.inputs.len());
        let rest = Trace { start: trace.start.clone(), inputs: trace.inputs[start..].to_vec() };
        let states = Execution { states: run.states[start..].to_vec(), ..run.clone() };
        occurrence(&model.system, &required.statement, (&rest, &states)) == Some(0)
    };
    match (applies.chain, &applies.execution) {
        (Some(chain), _) => match runs.get(chain) {
            None => Err(format!("there is no chain {} that runs", chain + 1)),
            Some((trace, run)) if is_there((trace, run)) => {
                Ok(format!("in step {} of chain {}", applies.at, chain + 1))
            }
            Some(_) => Err(format!("not in step {} of chain {}", applies.at, chain + 1)),
        },
        (None, Some(execution)) => {
            let (trace, run) = executed(model, execution)?;
            match is_there((&trace, &run)) {
                true => Ok(format!("in step {} of an execution that was run again", applies.at)),
                false => Err(format!("not in step {} of its execution", applies.at)),
            }
        }
        (None, None) => Err("no execution is given".to_owned()),
    }
}

fn executed(model: &Model, chain: &Chain) -> Result<(Trace, Execution), String> {
    let trace = stored::trace(model, chain, 0).map_err(|error| error.message)?;
    let run = stored::execute(model, &trace, 0).map_err(|error| error.message)?;
    Ok((trace, run))
}

/// The execution that violates a requirement is run again.
fn check_violated(
    place: Place<'_>,
    (entry, required): (&RequirementVerdict, &Requirement),
    report: &mut Verification,
) {
    let claim = format!("{} is violated", entry.name);
    let Some(found) = &entry.counterexample else {
        return report.reject(format!("{claim}: no execution is given"));
    };
    match counterexample(place, required, found) {
        Ok(Some(how)) => report.hold(format!("{claim} {how}")),
        Ok(None) => report.leave_open(format!("{claim}: the execution that does it is not at hand")),
        Err(why) => report.reject(format!("{claim}: {why}")),
    }
}

/// How an execution violates a requirement; `None`: there is none at hand.
///
/// # Errors
/// Why it does not.
fn counterexample(
    place: Place<'_>,
    required: &Requirement,
    found: &Counterexample,
) -> Result<Option<String>, String> {
    let Place { stored, model, runs } = place;
    if let Some(name) = &found.file {
        if Path::new(name).file_name().is_none_or(|plain| plain != &name[..]) {
            return Err(format!("`{name}` is no name of a file beside the result"));
        }
        let path = stored.folder.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let file = stored::read_unchecked(&path).map_err(|error| error.message)?;
        let chain = file.chains.first().ok_or_else(|| format!("{name} has no chain"))?;
        let (trace, run) = executed(model, chain).map_err(|why| format!("{name}: {why}"))?;
        if trace.inputs.len() != found.length {
            return Err(format!("{name} has {} steps, not {}", trace.inputs.len(), found.length));
        }
        if !violates(model, required, (&trace, &run), found.at) {
            return Err(format!("{name} does not violate it at step {}", found.at));
        }
        told_otherwise(model, required, (&trace, found.at), found)?;
        shown_by_chain(place, required, found)?;
        return Ok(Some(format!("in step {} of {name}, which was run again", found.step)));
    }
    let Some(shown) = shown_by_chain(place, required, found)? else { return Ok(None) };
    told_otherwise(model, required, (&runs[shown.chain].0, shown.at), found)?;
    Ok(Some(format!("at step {} of chain {}", shown.at, shown.chain + 1)))
}

/// Where a chain of the result violates a requirement, if it is said to.
///
/// # Errors
/// Why it does not.
fn shown_by_chain(
    place: Place<'_>,
    required: &Requirement,
    found: &Counterexample,
) -> Result<Option<Violation>, String> {
    let Some(shown) = found.shown else { return Ok(None) };
    let number = shown.chain + 1;
    let (trace, run) =
        place.runs.get(shown.chain).ok_or_else(|| format!("there is no chain {number} that runs"))?;
    match violates(place.model, required, (trace, run), shown.at) {
        true => Ok(Some(shown)),
        false => Err(format!("chain {number} does not violate it at step {}", shown.at)),
    }
}

/// What is said of an execution that violates a requirement from that step on must be so: its length,
/// the formula and what that read.
///
/// # Errors
/// What is not so.
fn told_otherwise(
    model: &Model,
    required: &Requirement,
    (trace, at): (&Trace, usize),
    told: &Counterexample,
) -> Result<(), String> {
    if told.lower_bound > told.length as u64 {
        return Err("its lower bound is above its length".to_owned());
    }
    let cut = verdicts::Counterexample::cut(model, required, (trace, at), told.lower_bound);
    let now = counterexample_entry(model, &cut.map_err(|error| error.message)?, None);
    let place = |one: &Counterexample| one.origin.as_ref().map(Origin::without_folder);
    let parts = [
        ("length", told.length == now.length),
        ("minimal", told.minimal == now.minimal),
        ("at", told.at == now.at),
        ("step", told.step == now.step),
        ("expression", told.expression == now.expression),
        ("origin", place(told) == place(&now)),
        ("saw", told.saw == now.saw),
        ("undefined_before", told.undefined_before == now.undefined_before),
    ];
    match parts.into_iter().find(|(_, is_so)| !is_so) {
        Some((part, _)) => Err(format!("`{part}` of the counterexample is another one than recorded")),
        None => Ok(()),
    }
}

/// No chain of the result may violate what is not called violated.
fn check_runs(
    place: Place<'_>,
    (entry, required): (&RequirementVerdict, &Requirement),
    report: &mut Verification,
) {
    if entry.verdict == VerdictName::Violated {
        return;
    }
    for (number, (trace, run)) in place.runs.iter().enumerate() {
        let violated = (0..trace.inputs.len()).find(|&at| violates(place.model, required, (trace, run), at));
        if let Some(at) = violated {
            let (name, verdict) = (&entry.name, entry.verdict.name());
            report.reject(format!(
                "{name} is called {verdict}, but chain {} violates it at step {at}",
                number + 1
            ));
        }
    }
}
