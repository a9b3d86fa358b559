//! Goals, assumptions and claims that are written as expressions in the configuration.

use super::{Draft, claims, must_not_read_inputs, observed, wording};
use crate::exec::initial_memory::Phase;
use crate::exec::state::State;
use crate::exec::watch::Watched;
use crate::exec::{Machine, Old, Outcome};
use crate::translate::setup::{Task, condition_frame};
use frontend::{Claim, Observed, RequirementKind, TextRole, Unobservable, Written};
use model::system::StateId;
use model::term::TermId;

/// Where `old(x)` of a condition looks.
enum Before {
    /// At the start of the step in the given frame; of inputs at what they were in the step before.
    Frame(u32),
    /// One step earlier than the condition itself: at words that keep what was there.
    History,
    /// Nowhere.
    Nothing,
}

/// A configured condition: its truth, and its parts where they are wanted.
struct Configured {
    truth: TermId,
    parts: Vec<Written>,
    /// What it reads.
    read: Vec<Watched>,
    text: String,
    /// Whether it asks for values before its window, or of inputs of the step before.
    asks_history: bool,
}

/// The truth of a configured condition at a point of a window.
fn truth(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    role: TextRole,
    phase: Phase,
    before: Before,
) -> Outcome<Option<TermId>> {
    Ok(evaluate(task, machine, role, phase, before)?.map(|configured| configured.truth))
}

/// Evaluates a configured condition at a point of a window.
fn evaluate(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    role: TextRole,
    phase: Phase,
    before: Before,
) -> Outcome<Option<Configured>> {
    let Some((index, condition)) = task.condition(role) else { return Ok(None) };
    let were_off = std::mem::replace(&mut machine.hazards.is_off, true);
    machine.initial_memory.phase = phase;
    let mut frame = condition_frame(machine, index, condition)?;
    let blank = machine.blank();
    machine.old = match before {
        Before::Frame(frame) => Some(Old {
            state: blank.clone(),
            phase: Phase::Step { frame },
            history: false,
            looks_back: false,
        }),
        Before::History => Some(Old { state: blank.clone(), phase, history: true, looks_back: false }),
        Before::Nothing => None,
    };
    let state = machine.property_body(&mut frame, blank.clone(), &condition.prelude)?;
    let state = state.map_or(blank.clone(), |state| State { path: blank.path, ..state });
    let (truth, read) =
        machine.watched(Some(index), |machine| machine.truth(&frame, &state, &condition.value))?;
    let operands = match machine.keep_wording {
        true => machine.operand_truths(&frame, &state, &condition.value, truth),
        false => Vec::new(),
    };
    let looks_back = machine.old.take().is_some_and(|old| old.looks_back);
    machine.hazards.is_off = were_off;
    machine.initial_memory.phase = Phase::Step { frame: 0 };
    let mut in_force = |truth| if looks_back { with_history(machine, role, phase, truth) } else { truth };
    let truth = in_force(truth);
    let operands: Vec<TermId> = operands.into_iter().map(in_force).collect();
    let parts = wording::parts(truth, &operands, &condition.text, task.request.place(role));
    Ok(Some(Configured { truth, parts, read, text: condition.text.clone(), asks_history: looks_back }))
}

/// What remains of a condition that speaks about the step before: in the first step there is none,
/// so nothing is demanded of it.
fn with_history(machine: &mut Machine<'_>, role: TextRole, phase: Phase, truth: TermId) -> TermId {
    let first = first_step(machine);
    let (Phase::Step { frame } | Phase::Behind { frame }) = phase else { return truth };
    let first = machine.shift(first, frame);
    match role {
        TextRole::Assumption(_) | TextRole::Expect(_) => machine.system.terms.or(first, truth),
        _ => {
            let later = machine.system.terms.not(first);
            machine.system.terms.and(later, truth)
        }
    }
}

/// Truth: no step was taken yet.
fn first_step(machine: &mut Machine<'_>) -> TermId {
    if let Some(state) = machine.initial_memory.first_step {
        return machine.system.state_term(state);
    }
    let state: StateId = machine.system.add_state("(first step)", model::sort::Sort::TRUTH);
    machine.initial_memory.first_step = Some(state);
    let (init, next) = (machine.system.terms.truth(true), machine.system.terms.truth(false));
    machine.initial_memory.extras.push((state, init, next));
    machine.system.state_term(state)
}

/// The goals of the request.
pub(crate) fn configured_goals(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Vec<Draft>> {
    let mut found = Vec::new();
    for (index, goal) in task.request.goals.iter().enumerate() {
        let Stated { steps, conditions, expected } = stated(task, machine, index)?;
        let looks_back = conditions.iter().chain(&expected).any(|entry| entry.asks_history);
        let seen = match &expected {
            Some(_) if looks_back => Err(Unobservable::LooksBack),
            Some(_) => {
                observed(machine, |machine| observed_goal(task, machine, index)).ok_or(Unobservable::Unknown)
            }
            None => Err(Unobservable::Unknown),
        };
        let expect = TextRole::Expect(index);
        found.push(Draft {
            name: goal.name.clone(),
            requirement: goal.requirement.clone(),
            text: goal.text.clone(),
            span: None,
            steps,
            antecedent: machine.system.terms.conjunction(conditions.iter().map(|entry| entry.truth)),
            expectation: expected.as_ref().map(|expected| expected.truth),
            kind: expected.as_ref().map(|_| RequirementKind::Property),
            claims: expected.into_iter().map(|expected| claim(task, machine, expect, expected)).collect(),
            observed: seen,
            is_never: false,
            parts: conditions.into_iter().flat_map(|entry| entry.parts).collect(),
        });
    }
    Ok(found)
}

/// What a goal of the request demands and expects.
struct Stated {
    /// Steps of its window.
    steps: u32,
    conditions: Vec<Configured>,
    expected: Option<Configured>,
}

fn stated(task: &Task<'_>, machine: &mut Machine<'_>, index: usize) -> Outcome<Stated> {
    let mut conditions: Vec<Configured> = Vec::new();
    let mut frame = 0;
    for step in 0..task.request.goals[index].steps.len() {
        let when = TextRole::When(index, step);
        conditions.extend(evaluate(task, machine, when, Phase::Step { frame }, Before::History)?);
        let after = TextRole::After(index, step);
        conditions.extend(evaluate(task, machine, after, Phase::Behind { frame }, Before::Frame(frame))?);
        frame += 1;
    }
    let last = frame.max(1) - 1;
    let expect = TextRole::Expect(index);
    let expected = evaluate(task, machine, expect, Phase::Behind { frame: last }, Before::Frame(last))?;
    Ok(Stated { steps: frame.max(1), conditions, expected })
}

/// A goal of the request over what memory holds between steps.
fn observed_goal(task: &Task<'_>, machine: &mut Machine<'_>, index: usize) -> Outcome<Option<Observed>> {
    let Stated { conditions, expected, .. } = stated(task, machine, index)?;
    let Some(expected) = expected else { return Ok(None) };
    let antecedent = machine.system.terms.conjunction(conditions.iter().map(|entry| entry.truth));
    let expectation = expected.truth;
    let claims = vec![claim(task, machine, TextRole::Expect(index), expected)];
    Ok(Some(Observed { antecedent, expectation, claims }))
}

/// The claim of an expectation.
fn claim(task: &Task<'_>, machine: &mut Machine<'_>, role: TextRole, expected: Configured) -> Claim {
    let fails = machine.system.terms.not(expected.truth);
    let read = claims::readings(machine, &expected.read, |_, term| Some(term));
    Claim { fails, text: expected.text, place: task.request.place(role).cloned(), read }
}

/// The assumptions of the request and their parts.
pub(crate) fn configured_assumptions(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
) -> Outcome<(Vec<TermId>, Vec<Written>)> {
    let (mut found, mut parts) = (Vec::new(), Vec::new());
    for index in 0..task.request.assumptions.len() {
        let role = TextRole::Assumption(index);
        let assumed = evaluate(task, machine, role, Phase::Step { frame: 0 }, Before::History)?;
        found.extend(assumed.iter().map(|entry| entry.truth));
        parts.extend(assumed.into_iter().flat_map(|entry| entry.parts));
    }
    Ok((found, parts))
}

/// Claims about states: condition, and text.
pub(crate) fn configured_invariants(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
) -> Outcome<Vec<(TermId, String)>> {
    let mut found = Vec::new();
    for (index, text) in task.request.invariants.iter().enumerate() {
        let role = TextRole::Invariant(index);
        if let Some(term) = truth(task, machine, role, Phase::Step { frame: 0 }, Before::Nothing)? {
            must_not_read_inputs(machine, term, &format!("the invariant `{text}`"), None)?;
            found.push((term, text.clone()));
        }
    }
    Ok(found)
}

/// For each cost of the request that only some steps have, where they have it.
pub(crate) fn configured_costs(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Vec<TermId>> {
    let count = task.request.cost.as_ref().map_or(0, |cost| cost.add.len());
    let mut found = Vec::new();
    for index in 0..count {
        let role = TextRole::Cost(index);
        found.extend(truth(task, machine, role, Phase::Step { frame: 0 }, Before::History)?);
    }
    Ok(found)
}

/// Where chains end, if the request says it.
pub(crate) fn configured_end(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Option<TermId>> {
    let end = truth(task, machine, TextRole::End, Phase::Step { frame: 0 }, Before::Nothing)?;
    if let Some(term) = end {
        must_not_read_inputs(machine, term, "the condition of [final]", None)?;
    }
    Ok(end)
}
