//! One path, always extended to the nearest uncovered goal, in the manner of SAL-ATG (Hamon, de
//! Moura, Rushby, SEFM 2004).
//!
//! This search also gives [`exact`](crate::optimum::exact) its first upper bound; here it stands
//! alone, as a rival.

use crate::baselines::engine::DistanceEngineUse;
use crate::finders::greedy;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{Vertex, by_vertex};
use crate::optimum::reachable::{PATIENCE, settle_ends};
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};

/// See the module text.
pub(crate) struct Nearest;

impl DistanceEngineUse for Nearest {
    fn run<O: DistanceEngine>(
        self,
        task: &Task<'_>,
        mut distances: O,
        known: &mut Knowledge,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        known.asked(distances.solver_name());
        let mut graph = task.empty_graph();
        let ended = self.search(task, &mut distances, &mut graph, known, session);
        known.learn_distances(&graph);
        ended
    }
}

impl Nearest {
    fn search<O: DistanceEngine>(
        self,
        task: &Task<'_>,
        distances: &mut O,
        graph: &mut ReachGraph,
        known: &mut Knowledge,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let mut statuses = by_vertex(task.len(), |_| None);
        let settled = session.stage("graph", || {
            settle_ends(task, (distances, PATIENCE.usual as u32), graph, &mut statuses, &[], session)
        });
        for (vertex, status) in statuses.iter() {
            if let Some(status) = status {
                known.decide(vertex, status.clone())?;
            }
        }
        settled?;
        let goals: Vec<Vertex> = task.vertices().filter(|&goal| statuses[goal].is_none()).collect();
        let (chains, ended) =
            session.stage("chain", || greedy::chains(task, &goals, distances, graph, session));
        known.offer(chains)?;
        ended?;
        let alone = |&goal: &Vertex| {
            Some(u64::from(graph.lower(Vertex::DEPOT, goal)? + graph.lower(goal, Vertex::DEPOT)?))
        };
        let farthest = goals.iter().filter_map(alone).max().unwrap_or(0);
        known.raise(Bound::new(&goals, Claim::Steps(farthest)))?;
        Ok(())
    }
}
