//! The property K-reachability graph of the paper (Algorithm 2): all pairs of goals, depth by
//! depth.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::existence::has_covering_path;
use crate::optimum::reachable::PATIENCE;
use crate::options::GraphExtent;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};

/// Deepens all pairs of these goals (ascending), Init and Final evenly, until there is a covering
/// path (Lemma 1) or the extent is reached or all pairs are settled.
pub(crate) fn sweep(
    task: &Task<'_>,
    goals: &[Vertex],
    distances: &mut impl DistanceEngine,
    graph: &mut ReachGraph,
    extent: GraphExtent,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let pairs = Pairs { goals, has_end: task.has_end() };
    let mut depth = 0;
    while !pairs.is_complete(graph, extent, depth) {
        let is_due = |source: Vertex, target: Vertex| {
            !graph.is_settled(source, target) && graph.lower(source, target) == Some(depth)
        };
        let due = |source: Vertex| -> Vec<Vertex> {
            pairs.targets(source).filter(|&target| target != source && is_due(source, target)).collect()
        };
        let tasks: Vec<(Vertex, Vec<Vertex>)> = pairs
            .sources()
            .map(|source| (source, due(source)))
            .filter(|(_, targets)| !targets.is_empty())
            .collect();
        distances.deepen_each(&tasks, graph, session)?;
        graph.asked(depth);
        session.progress.update(depth, graph.reached(), None, 0);
        depth += 1;
    }
    Ok(())
}

/// The pairs that are asked for.
struct Pairs<'a> {
    goals: &'a [Vertex],
    has_end: bool,
}

impl Pairs<'_> {
    fn sources(&self) -> impl Iterator<Item = Vertex> {
        std::iter::once(Vertex::DEPOT).chain(self.goals.iter().copied())
    }

    fn targets(&self, source: Vertex) -> impl Iterator<Item = Vertex> {
        let end = (self.has_end && !source.is_depot()).then_some(Vertex::DEPOT);
        end.into_iter().chain(self.goals.iter().copied().filter(move |&goal| goal != source))
    }

    fn is_complete(&self, graph: &ReachGraph, extent: GraphExtent, depth: u32) -> bool {
        let reached = match extent {
            GraphExtent::CoveringPath => {
                has_covering_path(self.goals, |from, to| graph.is_exact(from, to))
                    || depth > PATIENCE.usual as u32 + 3 * graph.farthest()
            }
            GraphExtent::Depth(limit) => depth > limit,
        };
        let settled = |source: Vertex| self.targets(source).all(|target| graph.is_settled(source, target));
        reached || self.sources().all(settled)
    }
}
