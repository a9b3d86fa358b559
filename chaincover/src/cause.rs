//! The decisions that make the first difference between an old chain and changed code.
//!
//! The old code is not at hand, only the record. So a decision is named where its opposite outcome,
//! in the step that first differs, gives what was recorded: the code is read with each decision
//! inverted that the step evaluates, as for values that have to be seen at outputs.

use crate::model::Model;
use crate::observability::Reading;
use crate::stored::{Difference, Place};
use crate::versions::{Version, fed};
use config::resolve::Model as Configuration;
use frontend::Inversion;
use frontend::coverage::{CoverageGoal, CoverageRequest, Criterion, Part, Site, SiteKind};
use model::id::Id;
use model::system::{GoalId, StateId};
use model::trace::{Execution, Trace, replay};
use model::value::Value;
use std::collections::BTreeSet;
use std::time::Instant;

/// Decisions that are told, at most.
const MOST_TOLD: usize = 3;

/// Decisions of the step that first differs whose opposite outcome there gives all that was recorded
/// behind it, in words; empty where there is none, or nothing was found out in time.
pub(crate) fn causes(
    model: &Model,
    differences: &[Difference],
    (trace, run): (&Trace, &Execution),
    deadline: Option<Instant>,
) -> Vec<String> {
    let is_late = || deadline.is_some_and(|end| Instant::now() >= end);
    let Some(step) = differences.iter().filter_map(Difference::made_in).min() else { return Vec::new() };
    let Some(decisions) = with_decisions(model) else { return Vec::new() };
    let first = Trace { start: trace.start.clone(), inputs: trace.inputs[..=step].to_vec() };
    let Ok(own) = fed(&decisions.system, &model.system, &first) else { return Vec::new() };
    let Ok(own_run) = replay(&decisions.system, &own) else { return Vec::new() };
    let wanted = Wanted { model, differences, step, run };
    let reading = Reading::new(&decisions);
    let Ok(plain) = reading.version(&Inversion::default()) else { return Vec::new() };
    let mut found = Vec::new();
    for (site, outcome) in evaluated(&decisions, &own_run, step) {
        if is_late() || found.len() >= MOST_TOLD {
            break;
        }
        let Ok(Ok((inverted, with_its_words))) = reading.inverted(&site.values, &plain) else { continue };
        let Ok(plain) = with_its_words.as_ref().unwrap_or(&plain) else { continue };
        if wanted.is_given_by(inverted, plain, &own) {
            found.push(text(site, outcome, step));
        }
    }
    found
}

/// The model with a goal for each outcome of a decision; `None` where that is not known of it.
fn with_decisions(model: &Model) -> Option<Model> {
    let mut configuration: Configuration = model.configuration.clone();
    configuration.request.coverage = CoverageRequest {
        criteria: BTreeSet::from([Criterion::Decision]),
        alone: true,
        ..CoverageRequest::default()
    };
    Model::unobserved(configuration).ok()
}

/// The decisions that a step evaluates to one outcome alone, those further behind in the text first.
fn evaluated<'m>(model: &'m Model, run: &Execution, step: usize) -> Vec<(&'m Site, bool)> {
    let Some(coverage) = model.coverage() else { return Vec::new() };
    let reached = |goal: GoalId| run.occurrences[goal].iter().any(|occurrence| occurrence.step == step);
    let outcomes_of = |site: usize| {
        let goals = coverage.goals.iter().filter(move |goal| goal.site == site && reached(goal.goal));
        let outcome = |goal: &CoverageGoal| match goal.part {
            Part::Outcome(outcome) => Some(outcome),
            _ => None,
        };
        goals.filter_map(outcome).collect::<Vec<bool>>()
    };
    let sites = coverage.sites.iter().enumerate().rev();
    let decisions = sites.filter(|(_, site)| site.kind == SiteKind::Decision);
    decisions
        .filter_map(|(at, site)| match outcomes_of(at)[..] {
            [outcome] => Some((site, outcome)),
            _ => None,
        })
        .collect()
}

/// What is told of a decision.
fn text(site: &Site, outcome: bool, step: usize) -> String {
    let place = site.place.as_ref().map_or_else(String::new, |place| {
        format!("{}:{}: ", frontend::diagnostics::visible(&place.file.display().to_string()), place.line)
    });
    format!(
        "{place}`{}` is {outcome} in step {step}; were it {}, all would be as recorded",
        site.text, !outcome
    )
}

/// What was recorded behind a step.
struct Wanted<'a> {
    model: &'a Model,
    differences: &'a [Difference],
    step: usize,
    run: &'a Execution,
}

impl Wanted<'_> {
    /// Whether the step, inverted, gives all that was recorded behind it, where the steps before are
    /// those of the code as it is. `plain`: the code with the same words.
    fn is_given_by(&self, inverted: Version, plain: &Version, trace: &Trace) -> bool {
        let Ok(before) = replay(&plain.model.system, &plain.trace(trace, trace.inputs.len())) else {
            return false;
        };
        let Ok(version) = inverted.on_memory_of(&plain.model) else { return false };
        let Some(found) = version.step(trace, &before, self.step) else { return false };
        let of_state = |id: StateId| {
            let name = self.model.system.state_name(id);
            let system = &version.model.system;
            let other = system.states.ids().find(|&other| system.state_name(other) == name)?;
            found.next.get(other.index()).copied()
        };
        let of_output = |lvalue: &str| {
            let theirs = &version.model.translated.signals.outputs;
            let (_, at) = theirs.iter().find(|(signal, _)| signal.lvalue == lvalue)?;
            found.outputs.get(*at).copied()
        };
        // What was recorded, or is as recorded; nothing is known of what was not.
        let agrees = |place: &dyn Fn(Place) -> bool, now: Value, found: Option<Value>| {
            let wanted = match self.differences.iter().find(|known| place(known.place)) {
                None => Some(now),
                Some(known) => known.recorded,
            };
            wanted.is_none_or(|wanted| found.is_some_and(|found| found.agrees_with(wanted)))
        };
        let signals = &self.model.translated.signals;
        let outputs = signals.outputs.iter().all(|(signal, at)| {
            let is_it =
                |place| matches!(place, Place::Output(step, output, _) if (step, output) == (self.step, *at));
            agrees(&is_it, self.run.outputs[self.step][*at], of_output(&signal.lvalue))
        });
        let states = signals.states.iter().all(|&(_, id)| {
            let is_it = |place| place == Place::State(self.step + 1, id);
            agrees(&is_it, self.run.states[self.step + 1][id.index()], of_state(id))
        });
        outputs && states
    }
}
