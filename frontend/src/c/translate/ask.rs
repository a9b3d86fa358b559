//! What is asked of a system: goals, assumptions, claims and where chains end, from code, configuration and the types of inputs.

use super::setup::Task;
use super::step::Stepped;
use crate::c::exec::{Machine, Outcome, Stop};
use crate::c::goals::{self, Draft, Limit, wording};
use crate::c::request::Written;
use crate::source::Span;
use model::system::InputId;
use model::term::TermId;
use std::collections::BTreeMap;

/// Everything that is asked of the system.
#[derive(Default)]
pub(crate) struct Asked {
    /// Goals.
    pub(crate) goals: Vec<Draft>,
    /// Conditions on every step.
    pub(crate) assumptions: Vec<(TermId, Option<Span>)>,
    /// Claims about states.
    pub(crate) invariants: Vec<(TermId, String)>,
    /// Where chains end.
    pub(crate) end: Option<TermId>,
    /// The conditions on every step as they were written.
    pub(crate) assumed: Vec<Written>,
    /// What the types of inputs tell of their values.
    pub(crate) meant: BTreeMap<InputId, &'static str>,
    /// For inputs with a range or a list of values, the condition that states it.
    pub(crate) limits: BTreeMap<InputId, TermId>,
}

/// Collects goals, assumptions and claims.
pub(crate) fn ask(task: &Task<'_>, machine: &mut Machine<'_>, stepped: &Stepped) -> Outcome<Asked> {
    let mut asked = Asked::default();
    for site in &stepped.events.assumptions {
        asked.assumptions.push((site.condition, Some(site.span)));
        asked.assumed.push(wording::line(machine, site.condition, site.span));
    }
    if let Some(ended) = stepped.ended {
        let condition = still_running(machine, ended);
        asked.assumptions.push((condition, None));
        asked.assumed.push(Written { condition, text: "the program has not ended".to_owned(), place: None });
    }
    machine.forget_values();
    for &property in &task.entry.properties {
        asked.goals.push(goals::property_goal(task, machine, property)?);
    }
    asked.goals.extend(goals::goals_in_step(task, machine, &stepped.events));
    asked.goals.extend(goals::configured_goals(task, machine)?);
    if let Some(function) = task.entry.assume {
        let (condition, parts) = goals::condition_function(task, machine, function)?;
        asked.assumptions.push((condition, Some(task.program.functions[function].span)));
        asked.assumed.extend(parts);
    }
    let (configured, parts) = goals::configured_assumptions(task, machine)?;
    asked.assumed.extend(parts);
    asked.assumptions.extend(configured.into_iter().map(|condition| (condition, None)));
    for Limit { input, condition, text, place, by_type } in goals::input_limits(task, machine)? {
        asked.assumptions.push((condition, None));
        asked.assumed.push(Written { condition, text, place });
        asked.meant.extend(by_type.map(|values| (input, values)));
        asked.limits.insert(input, condition);
    }
    asked.invariants = goals::configured_invariants(task, machine)?;
    asked.end = goals::configured_end(task, machine)?;
    if let (None, Some(function)) = (asked.end, task.entry.end) {
        let (end, _) = goals::condition_function(task, machine, function)?;
        let span = task.program.functions[function].span;
        goals::must_not_read_inputs(machine, end, "`chaincover_final`", Some(span))?;
        asked.end = Some(end);
    }
    check_goals(machine, &asked.goals)?;
    for &(fact, span) in &machine.world.transcendental_facts {
        asked.assumptions.push((fact, Some(span)));
        asked.assumed.push(wording::line(machine, fact, span));
    }
    Ok(asked)
}

/// Truth: the program has not ended. Makes the state word that tells it.
fn still_running(machine: &mut Machine<'_>, ended: TermId) -> TermId {
    let state = machine.system.add_state("(program has ended)", model::sort::Sort::TRUTH);
    let never = machine.system.terms.truth(false);
    machine.world.extras.push((state, never, ended));
    let has_ended = machine.system.state_term(state);
    machine.system.terms.not(has_ended)
}

fn check_goals(machine: &mut Machine<'_>, goals: &[Draft]) -> Outcome<()> {
    let mut names: BTreeMap<&str, Option<Span>> = BTreeMap::new();
    for goal in goals {
        if let Some(first) = names.insert(&goal.name, goal.span) {
            let message = format!("there are two goals named `{}`", goal.name);
            let error = machine.diagnostics.error("duplicate-goal", goal.span, message);
            if let Some(span) = first {
                error.related("the first one is here", span);
            }
        }
    }
    if machine.diagnostics.has_errors() { Err(Stop::Failed) } else { Ok(()) }
}
