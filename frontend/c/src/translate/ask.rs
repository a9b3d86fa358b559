//! What is asked of a system: goals, assumptions, claims and where chains end, from code,
//! configuration and the types of inputs.

use super::ending::Ending;
use super::setup::Task;
use super::start::Initialised;
use super::step::Stepped;
use crate::code::Code;
use crate::exec::events::Premise;
use crate::exec::{Machine, Outcome, Stop};
use crate::goals::{self, Draft, Limit, wording};
use frontend::coverage::Coverage;
use frontend::source::Span;
use frontend::{TextRole, Written};
use model::system::InputId;
use model::term::TermId;
use std::collections::BTreeMap;

/// Everything that is asked of the system.
#[derive(Default)]
pub(crate) struct Asked {
    /// Goals.
    pub(crate) goals: Vec<Draft>,
    /// Goals that follow from the structure of the code, whose goals are among those.
    pub(crate) coverage: Option<Coverage>,
    /// Conditions on every step.
    pub(crate) assumptions: Vec<(TermId, Option<Span>)>,
    /// Claims about states.
    pub(crate) invariants: Vec<(TermId, String)>,
    /// Where chains end.
    pub(crate) end: Option<TermId>,
    /// Where steps cost more, for each such cost of the request.
    pub(crate) costs: Vec<TermId>,
    /// The conditions on every step as they were written.
    pub(crate) assumed: Vec<Written>,
    /// What the types of inputs tell of their values.
    pub(crate) meant: BTreeMap<InputId, &'static str>,
    /// For inputs with a range or a list of values, the condition that states it.
    pub(crate) limits: BTreeMap<InputId, TermId>,
}

/// Collects goals, assumptions and claims.
pub(crate) fn ask(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    (initialised, stepped): (&Initialised, &Stepped),
) -> Outcome<Asked> {
    let mut asked = Asked::default();
    let ending = stepped.ending.as_ref();
    for site in &stepped.events.assumptions {
        let demanded = ending.map_or(Some(site.condition), |ending| ending.demanded(machine, site));
        let Some(condition) = demanded else { continue };
        let mut written = wording::line(machine, condition, site.span);
        // Undefined operations are no assumptions that somebody wrote.
        let origin = match site.premise {
            Premise::Undefined(kind) => {
                written.text = format!("no {}: {}", kind.description(), written.text);
                None
            }
            _ => Some(site.span),
        };
        asked.assumptions.push((condition, origin));
        asked.assumed.push(written);
    }
    // Where nothing is said of the state that the program leaves, it does not matter how it ended.
    let says_nothing = task.request.invariants.is_empty()
        && task.entry.end.is_none()
        && task.condition(TextRole::End).is_none();
    let shared = ending.filter(|_| says_nothing);
    if let (Some(ended), Some(ending)) = (stepped.ended, shared) {
        ending.add_end(machine, ended);
    }
    if let Some(ended) = stepped.ended.filter(|_| shared.is_none()) {
        let condition = still_running(machine, ended);
        asked.assumptions.push((condition, None));
        asked.assumed.push(Written { condition, text: "the program has not ended".to_owned(), place: None });
    }
    if let Some(ending) = ending {
        let condition = ending.is_running(machine);
        asked.assumptions.push((condition, None));
        let text = "no step before has ended the program".to_owned();
        asked.assumed.push(Written { condition, text, place: None });
    }
    machine.forget_values();
    for &property in &task.entry.properties {
        asked.goals.push(goals::property_goal(task, machine, property)?);
    }
    let properties = asked.goals.len();
    asked.goals.extend(goals::goals_in_step(task, machine, stepped));
    let in_code = properties..asked.goals.len();
    asked.goals.extend(goals::configured_goals(task, machine)?);
    if let Some(ending) = ending {
        let of_whole_steps = asked.goals.iter_mut().enumerate().filter(|(index, _)| !in_code.contains(index));
        of_whole_steps.for_each(|(_, goal)| ending.of_whole_steps(machine, goal));
    }
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
    asked.costs = goals::configured_costs(task, machine)?;
    asked.invariants = goals::configured_invariants(task, machine)?;
    asked.end = goals::configured_end(task, machine)?;
    if let (None, Some(function)) = (asked.end, task.entry.end) {
        let (end, _) = goals::condition_function(task, machine, function)?;
        let span = task.program.functions[function].span;
        goals::must_not_read_inputs(machine, end, "`chaincover_final`", Some(span))?;
        asked.end = Some(end);
    }
    if let Some(ending) = ending {
        limit_states(machine, ending, &mut asked);
    }
    check_goals(machine, &asked.goals)?;
    if task.request.coverage.is_wanted() {
        let names: Vec<String> = asked.goals.iter().map(|goal| goal.name.clone()).collect();
        let found = goals::coverage_goals(task, machine, (initialised, stepped), names.into_iter())?;
        if task.request.coverage.alone {
            asked.goals.clear();
        }
        let (drafts, coverage) = found.behind(asked.goals.len());
        asked.goals.extend(drafts);
        asked.coverage = Some(coverage);
    }
    for &(fact, span) in &machine.initial_memory.transcendental_facts {
        asked.assumptions.push((fact, Some(span)));
        asked.assumed.push(wording::line(machine, fact, span));
    }
    Ok(asked)
}

/// What is said of states holds of those that a step has left.
fn limit_states(machine: &mut Machine<'_>, ending: &Ending, asked: &mut Asked) {
    let is_running = ending.is_running(machine);
    for (claim, _) in &mut asked.invariants {
        *claim = machine.system.terms.implies(is_running, *claim);
    }
    if let Some(end) = &mut asked.end {
        *end = machine.system.terms.and(is_running, *end);
    }
}

/// Truth: the program has not ended. Makes the state word that tells it.
fn still_running(machine: &mut Machine<'_>, ended: TermId) -> TermId {
    let state = machine.system.add_state("(program has ended)", model::sort::Sort::TRUTH);
    let never = machine.system.terms.truth(false);
    machine.initial_memory.extras.push((state, never, ended));
    let has_ended = machine.system.state_term(state);
    machine.system.terms.not(has_ended)
}

fn check_goals(machine: &mut Machine<'_>, goals: &[Draft]) -> Outcome<()> {
    let mut names: BTreeMap<&str, Option<Span>> = BTreeMap::new();
    for goal in goals {
        if let Some(first) = names.insert(&goal.name, goal.span) {
            let message = format!("there are two goals named `{}`", goal.name);
            let error = machine.diagnostics.error(Code::DuplicateGoal, goal.span, message);
            if let Some(span) = first {
                error.related("the first one is here", span);
            }
        }
    }
    if machine.diagnostics.has_errors() { Err(Stop::Failed) } else { Ok(()) }
}
