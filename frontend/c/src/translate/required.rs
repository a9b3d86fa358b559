//! What must hold in all executions, from goals with expectations, error functions, assertions that
//! nothing reaches, and undefined operations.

use super::ending::Ending;
use super::setup::Task;
use super::step::Stepped;
use crate::exec::Machine;
use crate::exec::hazard::HazardVisit;
use crate::goals::{self, Draft};
use frontend::source::Span;
use frontend::{Claim, Finding, Requirement, RequirementKind, Topic};
use model::system::{Goal, OriginId};
use model::term::{TermId, TermPool};
use std::collections::BTreeSet;

/// A requirement that belongs to no goal.
pub(crate) struct Further {
    /// What it says.
    pub(crate) draft: Draft,
    /// Where it stands.
    pub(crate) span: Span,
}

/// Requirements that belong to no goal: assertions that nothing reaches, and undefined operations
/// where they are wanted. Names differ from those of goals.
pub(crate) fn further(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    stepped: &Stepped,
    goals: &[Draft],
) -> Vec<Further> {
    let mut found = goals::unreached_assertions(task, machine, goals, stepped.events.skips_tail);
    if machine.robustness {
        found.extend(hazards(machine, stepped.ending.as_ref()));
    }
    let mut names: BTreeSet<String> = goals.iter().map(|goal| goal.name.clone()).collect();
    for draft in &mut found {
        let plain = draft.name.clone();
        let mut count = 1;
        while !names.insert(draft.name.clone()) {
            count += 1;
            draft.name = format!("{plain}#{count}");
        }
    }
    found.into_iter().filter_map(|draft| draft.span.map(|span| Further { span, draft })).collect()
}

/// That operations are not undefined wherever they are come to.
fn hazards(machine: &mut Machine<'_>, ending: Option<&Ending>) -> Vec<Draft> {
    let mut found = Vec::new();
    for (number, site) in machine.hazards.sites.clone().into_iter().enumerate() {
        let visits = machine.hazards.visits.iter().filter(|visit| visit.site == number);
        let mut times: Vec<(TermId, usize)> =
            visits.map(|&HazardVisit { reached, assumed, .. }| (reached, assumed)).collect();
        let safe = machine.hazards.safe.iter();
        let same = safe.filter(|visit| visit.kind == site.kind && visit.span == site.span);
        times.extend(same.map(|visit| (visit.reached, visit.assumed)));
        let mut reached = machine.system.terms.truth(false);
        for (path, assumed) in times {
            let alive = match ending {
                Some(ending) => machine.system.terms.and(path, ending.alive(assumed)),
                None => path,
            };
            reached = machine.system.terms.or(reached, alive);
        }
        let name = goals::place_name(machine, site.span);
        let holds = machine.system.terms.not(site.condition);
        let (line, place) = goals::wording::line_text(machine, site.span);
        let claim = Claim { fails: site.condition, text: line, place: Some(place), read: Vec::new() };
        let text = Some(site.kind.description().to_owned());
        let (kind, claims) = (Some(RequirementKind::Hazard), vec![claim]);
        found.push(Draft { text, kind, claims, ..Draft::in_step(name, site.span, reached, Some(holds)) });
    }
    found
}

/// What to tell of operations that cannot be undefined, whatever executions there are: they are no
/// requirements.
pub(crate) fn safe_operations(machine: &Machine<'_>) -> Option<Finding> {
    let at_risk: BTreeSet<_> = machine.hazards.sites.iter().map(|site| (site.kind, site.span)).collect();
    let places = machine.hazards.safe.iter().map(|visit| (visit.kind, visit.span));
    let safe: BTreeSet<_> = places.filter(|place| !at_risk.contains(place)).collect();
    let reason = match (safe.is_empty(), at_risk.is_empty()) {
        (false, _) => "ranges of their operands show that none of them is ever undefined",
        (true, true) => "the step has none that C could leave undefined",
        (true, false) => return None,
    };
    let subject = format!("{} operations", safe.len());
    Some(Finding { topic: Topic::Robustness, subject, reason: reason.to_owned() })
}

/// The requirement that a draft states, if it states one. That an error function is called nowhere
/// holds of all steps; so does an assertion that is written as false, as the C library writes those
/// that have failed.
pub(crate) fn requirement(
    terms: &mut TermPool,
    draft: &Draft,
    origin: Option<OriginId>,
) -> Option<Requirement> {
    let kind = draft.kind?;
    let expected = draft.expectation.unwrap_or_else(|| terms.truth(true));
    let (antecedent, expectation) = match draft.is_never {
        true => (terms.truth(true), terms.not(draft.antecedent)),
        false => (draft.antecedent, expected),
    };
    let statement = Goal {
        name: draft.name.clone(),
        requirement: draft.requirement.clone(),
        text: draft.text.clone(),
        origin,
        steps: draft.steps,
        antecedent,
        expectation: Some(expectation),
    };
    let (claims, observed) = (draft.claims.clone(), draft.observed.clone());
    Some(Requirement { kind, goal: None, statement, claims, observed })
}
