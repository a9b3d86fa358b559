//! Inputs that do not matter in a step.
//!
//! Step by step, from the concrete state the chain has there: an input is free where, whatever
//! values it and the other free inputs of the step take together, every output, every state word
//! that anything later depends on, every assumption, every hazard and every goal of one step stay
//! as they are. Only the declared range of an input is taken for granted: whoever fills in a value
//! knows that. Any other assumption has to hold whatever the value is. Since the next state stays
//! as it is, steps are independent of one another. Inputs that a goal of several steps reads are
//! never called free. Nothing is said where the step calls the C library, whose results may depend
//! on any input.

use super::Requirements;
use super::changes::stimuli;
use super::window::kept_inputs;
use crate::knowledge::chains::CheckedChain;
use crate::session::{Session, Stop};
use encoder::aig::Literal;
use encoder::unroll::{Start, Unrolling};
use model::eval::Evaluator;
use model::id::Id;
use model::slice::{Keep, reduce};
use model::system::InputId;
use model::validate::{Meaning, Validated};
use model::value::Value;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Longer chains are not examined.
const LONGEST: usize = 2_000;
/// Nodes of one step at most.
const NODES: u64 = 100_000;
/// Conflicts that one query may cost.
const CONFLICTS: u64 = 500;

/// For each step and input of the whole system, whether it is free. A limit leaves the rest of the
/// steps without free inputs.
pub(super) fn free_inputs(
    required: &Requirements<'_>,
    chain: &CheckedChain,
    session: &Session<'_>,
) -> Result<Vec<Vec<bool>>, Stop> {
    let whole = required.task.system;
    let length = chain.trace.inputs.len();
    let mut free = vec![vec![false; whole.inputs.len()]; length];
    if length > LONGEST || session.stopped().is_some() || !required.task.calls().is_empty() {
        return Ok(free);
    }
    let (system, map) =
        reduce(whole, Keep { outputs: true, hazards: true, invariants: false, external_calls: false });
    let places = kept_inputs(whole, &map, &system);
    let never = read_by_long_goals(&system);
    // Slicing keeps assumptions in their places.
    let ranges: Vec<bool> =
        (0..system.assumptions.len()).map(|at| required.ranges.get(at).copied().unwrap_or(false)).collect();
    for (step, row) in free.iter_mut().enumerate() {
        let state = map.lower_state(&chain.run.states[step]);
        let inputs = map.lower_inputs(&chain.trace.inputs[step]);
        let found = match free_in_step(&system, state, &inputs, &ranges, &never, session) {
            Ok(Some(found)) => found,
            Ok(None) | Err(Stop::Limit(_)) => return Ok(free),
            Err(failed) => return Err(failed),
        };
        for input in stimuli(whole) {
            row[input.index()] = places[input.index()].is_none_or(|kept| found[kept.index()]);
        }
    }
    Ok(free)
}

/// Inputs in goals with windows of several steps.
fn read_by_long_goals(system: &Validated) -> Vec<bool> {
    let mut read = vec![false; system.inputs.len()];
    for goal in system.goals.values().filter(|goal| goal.steps > 1) {
        let terms = std::iter::once(goal.antecedent).chain(goal.expectation);
        for (symbol, _) in Evaluator::new(&system.terms, terms).symbols() {
            let base = match system.meaning(*symbol) {
                Meaning::Framed { base, .. } => system.meaning(base),
                meaning => meaning,
            };
            if let Meaning::Input(input) = base {
                read[input.index()] = true;
            }
        }
    }
    read
}

/// For each input whether it is free; `None` where the step is too large.
fn free_in_step(
    system: &Validated,
    state: Vec<Value>,
    inputs: &[Value],
    ranges: &[bool],
    never: &[bool],
    session: &Session<'_>,
) -> Result<Option<Vec<bool>>, Stop> {
    let mut unrolling = session.unrolling(system, Start::Concrete(state));
    let mut solver = session.options.backend.open();
    let Some(roots) = roots(system, &mut unrolling, ranges)? else { return Ok(None) };
    let roots: Vec<Lit> = roots.into_iter().map(|root| unrolling.encode(root, 0, &mut solver)).collect();
    let mut always = Vec::new();
    for (assumption, _) in system.assumptions.iter().zip(ranges).filter(|(_, is_range)| **is_range) {
        always.push(unrolling.literal(assumption.condition, 0, &mut solver)?);
    }
    let fixed: Vec<Vec<Lit>> =
        system.inputs.ids().map(|input| fixed_bits(&unrolling, input, inputs[input.index()])).collect();
    let changed = solver.fresh().positive();
    let everything: Vec<Lit> = always.iter().copied().chain(fixed.iter().flatten().copied()).collect();
    if session.solve_within(&mut solver, &everything, None)? != Some(true) {
        return Ok(None);
    }
    let differs = |&root: &Lit| if solver.is_true(root) { !root } else { root };
    let mut clause: Vec<Lit> = roots.iter().map(differs).collect();
    clause.push(!changed);
    solver.clause(&clause);
    let mut free = vec![false; system.inputs.len()];
    for input in stimuli(system).filter(|input| !never[input.index()]) {
        free[input.index()] = true;
        let held = fixed.iter().zip(&free).filter(|(_, free)| !**free).flat_map(|(bits, _)| bits);
        let mut assumptions: Vec<Lit> = always.iter().copied().chain(held.copied()).collect();
        assumptions.push(changed);
        free[input.index()] =
            session.solve_within(&mut solver, &assumptions, Some(CONFLICTS))? == Some(false);
    }
    Ok(Some(free))
}

/// What must stay as it is: next state, outputs, assumptions other than ranges, hazards, goals of
/// one step. Constants are left out. `None` where the step is too large.
fn roots(
    system: &Validated,
    unrolling: &mut Unrolling<'_>,
    ranges: &[bool],
) -> Result<Option<Vec<Literal>>, Stop> {
    let mut roots = Vec::new();
    for state in system.states.ids() {
        roots.extend(unrolling.state_word(state, 1)?);
        if unrolling.statistics().conjunctions > NODES {
            return Ok(None);
        }
    }
    for output in &system.outputs {
        roots.extend(unrolling.word(output.value, 0)?);
    }
    for (assumption, _) in system.assumptions.iter().zip(ranges).filter(|(_, is_range)| !**is_range) {
        roots.push(unrolling.truth(assumption.condition, 0)?);
    }
    for hazard in &system.hazards {
        roots.push(unrolling.truth(hazard.condition, 0)?);
    }
    for goal in system.goals.values().filter(|goal| goal.steps == 1) {
        for term in std::iter::once(goal.antecedent).chain(goal.expectation) {
            roots.push(unrolling.truth(term, 0)?);
        }
    }
    roots.retain(|root| root.constant().is_none());
    roots.sort_unstable();
    roots.dedup();
    Ok((unrolling.statistics().conjunctions <= NODES).then_some(roots))
}

/// Assumptions that fix an input; nothing for bits on which nothing depends.
fn fixed_bits(unrolling: &Unrolling<'_>, input: InputId, value: Value) -> Vec<Lit> {
    let bits = unrolling.input_literals(input, 0).into_iter().enumerate();
    bits.filter_map(|(position, bit)| {
        bit.map(|bit| if value.bits() >> position & 1 == 1 { bit } else { !bit })
    })
    .collect()
}
