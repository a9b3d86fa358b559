//! The property K-reachability graph of the paper (Algorithm 2): all pairs, depth by depth.

use crate::order::existence::has_covering_path;
use crate::pipeline::GraphExtent;
use crate::problem::Problem;
use crate::reach::graph::ReachGraph;
use crate::reach::oracle::Oracle;
use crate::stats::{Context, Halt};
use crate::strategy::reachable::PATIENCE;

/// Deepens all pairs evenly, until there is a covering path (Lemma 1) or the extent is reached or all pairs are settled.
pub(crate) fn sweep(
    problem: &Problem<'_>,
    oracle: &mut impl Oracle,
    graph: &mut ReachGraph,
    extent: GraphExtent,
    context: &Context<'_>,
) -> Result<(), Halt> {
    let mut depth = 0;
    while !is_complete(graph, extent, depth) {
        for source in 0..graph.size() {
            let is_due = |&target: &usize| {
                target != source
                    && !graph.is_settled(source, target)
                    && graph.lower(source, target) == Some(depth)
            };
            let first = usize::from(!problem.has_end() || source == 0);
            let targets: Vec<usize> = (first..graph.size()).filter(is_due).collect();
            if !targets.is_empty() {
                oracle.deepen(source, &targets, graph, context)?;
            }
        }
        graph.asked(depth);
        context.progress.update(depth, graph.reached(), None, 0);
        depth += 1;
    }
    Ok(())
}

fn is_complete(graph: &ReachGraph, extent: GraphExtent, depth: u32) -> bool {
    let sources = 0..graph.size();
    let settled =
        |source: usize| (0..graph.size()).all(|target| target == source || graph.is_settled(source, target));
    let goals = graph.size() - 1;
    let reached = match extent {
        GraphExtent::CoveringPath => {
            has_covering_path(goals, |source, target| graph.is_exact(source, target))
                || depth > PATIENCE + 3 * graph.farthest()
        }
        GraphExtent::Depth(limit) => depth > limit,
    };
    reached || sources.into_iter().all(settled)
}
