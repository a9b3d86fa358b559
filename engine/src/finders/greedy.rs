//! Some chains, quickly: always on to the nearest goal that is not covered yet, from the concrete
//! state at hand.
//!
//! They are an upper bound early. Where no uncovered goal can be reached any more, a further chain
//! begins.

use crate::knowledge::chains::{CheckedChain, accept, cut, longest_run};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};
use model::trace::Trace;
use model::value::Value;

/// Conflicts that the search for one leg may cost at each depth.
const EFFORT: Effort = Effort::Conflicts(20_000);

/// Chains that together cover the goals; none where the search got stuck. The distances from Init
/// must be known.
pub(crate) fn chains(
    task: &Task<'_>,
    goals: &[usize],
    distances: &mut impl DistanceEngine,
    graph: &ReachGraph,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let mut open = goals.to_vec();
    let mut chains = Vec::new();
    while !open.is_empty() {
        let Some(chain) = one_chain(task, &open, distances, graph, session)? else { return Ok(Vec::new()) };
        open.retain(|&goal| !chain.covers(task.goal(goal)));
        chains.push(chain);
    }
    Ok(chains)
}

/// A chain that covers at least one of the goals.
fn one_chain(
    task: &Task<'_>,
    goals: &[usize],
    distances: &mut impl DistanceEngine,
    graph: &ReachGraph,
    session: &Session<'_>,
) -> Result<Option<CheckedChain>, Stop> {
    let mut open = goals.to_vec();
    let mut complete = None;
    let limit = 16 + 2 * graph.farthest();
    let nearest = goals.iter().filter_map(|&goal| Some((graph.upper(0, goal)?, goal))).min();
    let Some((distance, first)) = nearest else { return Ok(None) };
    let answer = distances.sequence(&[0, first], distance, graph, Effort::Any, session)?;
    let Answer::Run(mut trace) = answer else { return Ok(None) };
    loop {
        let reached = longest_run(task, &trace)?;
        open.retain(|&goal| !reached.covers(task.goal(goal)));
        let covered: Vec<usize> = goals.iter().copied().filter(|goal| !open.contains(goal)).collect();
        let state = reached.run.states.last().expect("a run should have a state").clone();
        trace = reached.trace;
        if let Some(chain) = finish(task, &trace, &state, &covered, limit, distances, session)? {
            complete = Some(chain);
        }
        if open.is_empty() {
            return Ok(complete);
        }
        match distances.nearest(&state, &open, limit, EFFORT, session)? {
            Answer::Run(leg) => trace.inputs.extend(leg.inputs),
            Answer::None | Answer::GaveUp => return Ok(complete),
        }
    }
}

/// The chain that goes on to Final from here, if there is one.
fn finish(
    task: &Task<'_>,
    trace: &Trace,
    state: &[Value],
    covered: &[usize],
    limit: u32,
    distances: &mut impl DistanceEngine,
    session: &Session<'_>,
) -> Result<Option<CheckedChain>, Stop> {
    if let Some(chain) = cut(task, trace, covered)? {
        return Ok(Some(chain));
    }
    let Answer::Run(leg) = distances.nearest(state, &[0], limit, EFFORT, session)? else { return Ok(None) };
    let mut trace = trace.clone();
    trace.inputs.extend(leg.inputs);
    Ok(Some(accept(task, &trace, covered)?))
}
