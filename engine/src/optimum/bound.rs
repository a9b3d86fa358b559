//! What may be claimed of chains that were not searched for with a proof in mind.
//!
//! The best plan under the distances known so far is a lower bound for every set of as many chains. Chains that meet it are minimal,
//! whoever found them.

use crate::knowledge::chains::Candidate;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::findings::total;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::Minimality;
use crate::optimum::order::plan::{Planned, plan};
use crate::session::Context;
use solver::atsp::{self, WarmStart};

/// Steps of the longest window of a goal: a chain that covers it has no fewer, whatever the system does.
pub(crate) fn longest_window(problem: &Problem<'_>) -> u32 {
    problem.vertices().map(|vertex| problem.steps(vertex)).max().unwrap_or(0)
}

/// The lower bound of the total length of as many chains that cover the same goals, and what follows for these chains.
pub(crate) fn claim(
    problem: &Problem<'_>,
    graph: &ReachGraph,
    chains: &[Candidate],
    context: &Context<'_>,
) -> (u64, Minimality) {
    let is_covered = |&vertex: &usize| chains.iter().any(|chain| chain.covers(problem.goal(vertex)));
    let goals: Vec<usize> = problem.vertices().filter(is_covered).collect();
    if goals.is_empty() {
        return (0, Minimality::Unknown);
    }
    let options = atsp::Options {
        seed: context.options.seed,
        deadline: context.options.deadline,
        stop: Some(context.options.stop.clone()),
    };
    let best = |count: usize| {
        plan(|from, to| graph.lower(from, to), &goals, &[], count, &WarmStart::default(), &options)
    };
    let fewest = (1..chains.len()).all(|fewer| best(fewer) == Planned::Impossible);
    let bound = match best(chains.len()) {
        Planned::Plan(plan) => plan.lower_bound,
        Planned::Unknown { lower_bound } => lower_bound,
        Planned::Impossible => 0,
    };
    let minimal = match context.options.reset_cost {
        Some(_) => Minimality::Unknown,
        None if fewest && total(chains) <= bound => Minimality::Proven,
        None => Minimality::Gap,
    };
    (bound, minimal)
}
