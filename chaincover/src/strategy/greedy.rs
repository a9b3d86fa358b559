//! Some chains, quickly: always on to the nearest goal that is not covered yet, from the concrete state at hand.
//!
//! Gives an upper bound early. Where no uncovered goal can be reached any more, a further chain is begun.

use crate::chain::check::{Candidate, accept, cut, longest_run};
use crate::problem::Problem;
use crate::reach::graph::ReachGraph;
use crate::reach::oracle::{Answer, Effort, Oracle};
use crate::stats::{Context, Halt};
use model::trace::Trace;

/// Conflicts that the search for one leg may cost at each depth.
const EFFORT: Effort = Effort::Conflicts(20_000);

/// Chains that together cover the goals; none where the search got stuck. The distances from Init must be known.
pub(crate) fn chains(
    problem: &Problem<'_>,
    goals: &[usize],
    oracle: &mut impl Oracle,
    graph: &ReachGraph,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let mut open = goals.to_vec();
    let mut chains = Vec::new();
    while !open.is_empty() {
        let Some(chain) = one_chain(problem, &open, oracle, graph, context)? else { return Ok(Vec::new()) };
        open.retain(|&goal| chain.run.first_occurrence(problem.goal(goal)).is_none());
        chains.push(chain);
    }
    Ok(chains)
}

/// A chain that covers at least one of the goals.
fn one_chain(
    problem: &Problem<'_>,
    goals: &[usize],
    oracle: &mut impl Oracle,
    graph: &ReachGraph,
    context: &Context<'_>,
) -> Result<Option<Candidate>, Halt> {
    let mut trace = Trace { start: graph.start_of_runs(), inputs: Vec::new() };
    let mut open = goals.to_vec();
    let mut complete = None;
    let limit = 16 + 2 * graph.greatest();
    let nearest = goals.iter().copied().filter(|&goal| graph.witness(0, goal).is_some());
    let Some(first) = nearest.min_by_key(|&goal| graph.upper(0, goal)) else { return Ok(None) };
    if let Some(witness) = graph.witness(0, first) {
        trace = (*witness).clone();
    }
    loop {
        let (executed, run) = longest_run(problem.system, &trace)?;
        trace = executed;
        open.retain(|&goal| run.first_occurrence(problem.goal(goal)).is_none());
        let covered: Vec<usize> = goals.iter().copied().filter(|goal| !open.contains(goal)).collect();
        let state = run.states.last().expect("a run should have a state").clone();
        if let Some(chain) = finish(problem, &trace, &state, &covered, limit, oracle, context)? {
            complete = Some(chain);
        }
        if open.is_empty() {
            return Ok(complete);
        }
        match oracle.nearest(&state, &open, limit, EFFORT, context)? {
            Answer::Run(leg) => trace.inputs.extend(leg.inputs),
            Answer::None | Answer::GaveUp => return Ok(complete),
        }
    }
}

/// The chain that goes on to Final from here, if there is one.
fn finish(
    problem: &Problem<'_>,
    trace: &Trace,
    state: &[model::value::Value],
    covered: &[usize],
    limit: u32,
    oracle: &mut impl Oracle,
    context: &Context<'_>,
) -> Result<Option<Candidate>, Halt> {
    if let Some(chain) = cut(problem, trace, covered)? {
        return Ok(Some(chain));
    }
    let Answer::Run(leg) = oracle.nearest(state, &[0], limit, EFFORT, context)? else { return Ok(None) };
    let mut trace = trace.clone();
    trace.inputs.extend(leg.inputs);
    Ok(Some(accept(problem, &trace, covered)?))
}
