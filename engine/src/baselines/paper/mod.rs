//! The algorithms of the paper (Schrammel, Melham, Kroening), for comparison with
//! [`exact`](crate::optimum::exact).
//!
//! The graph of distances between goals is deepened until it has a covering path (Algorithm 2), its
//! shortest covering path is concretised, and broken paths are repaired (Algorithm 4). What is done
//! where repair fails makes the variants:
//!
//! - [`Variant::Repair`] gives up.
//! - [`Variant::Refinement`] goes on: the goals inside the failed path are split and the groups
//!   collapsed (Algorithm 5).
//! - [`Variant::Constraints`] goes on: the failed path is forbidden and the order sought again
//!   (Example 5). The paper asks an answer set solver; here the exact tour with forbidden sub-paths
//!   does the same.
//!
//! Goals that exclude each other go into chains of their own (Algorithms 6 and 7). If the last two
//! variants fail, the graph is completed up to the cap on distances before more chains are allowed
//! (Remark 1). Distances, order and checks come from the same distance engine and solvers as those
//! of `exact`. Chains are claimed to be minimal only where they meet the bound of [`claim`].

mod network;
mod partition;
mod repair;
mod route;

use crate::baselines::engine::DistanceEngineUse;
use crate::baselines::sweep::sweep;
use crate::knowledge::chains::CheckedChain;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{Vertex, by_vertex};
use crate::optimum::bound::raise_by_plan;
use crate::optimum::reachable::{PATIENCE, Statuses, settle_ends};
use crate::options::GraphExtent;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};
use network::{FINAL, INIT, Network};
use partition::partition;
use repair::{Path, Repair, Repaired};
use route::{Constraints, Route, shortest};

/// What is done where repair fails; see the module text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Repair,
    Refinement,
    Constraints,
}

/// Failed paths after which a chain is given up.
const MOST_FAILURES: usize = 400;
/// Failed paths that are reported one by one.
const MOST_NOTES: usize = 10;

impl DistanceEngineUse for Variant {
    fn run<O: DistanceEngine>(
        self,
        task: &Task<'_>,
        distances: O,
        known: &mut Knowledge,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let mut paper = Paper {
            task,
            session,
            variant: self,
            distances,
            graph: task.empty_graph(),
            statuses: by_vertex(task.len(), |_| None),
            chains: Vec::new(),
            notes: Vec::new(),
            failures: 0,
        };
        let ended = paper.search();
        known.asked(paper.distances.solver_name());
        known.offer(paper.chains)?;
        for (vertex, status) in paper.statuses.iter() {
            if let Some(status) = status {
                known.decide(vertex, status.clone())?;
            }
        }
        raise_by_plan(&paper.graph, known, session)?;
        known.learn_distances(&paper.graph);
        paper.notes.into_iter().for_each(|note| known.note(note));
        ended
    }
}

struct Paper<'c, 's, O> {
    task: &'s Task<'s>,
    session: &'c Session<'c>,
    variant: Variant,
    distances: O,
    graph: ReachGraph,
    statuses: Statuses,
    chains: Vec<CheckedChain>,
    notes: Vec<String>,
    /// Paths that could not be repaired.
    failures: usize,
}

impl<O: DistanceEngine> Paper<'_, '_, O> {
    fn search(&mut self) -> Result<(), Stop> {
        let session = self.session;
        session.stage("graph", || {
            settle_ends(
                self.task,
                (&mut self.distances, PATIENCE.usual as u32),
                &mut self.graph,
                &mut self.statuses,
                &[],
                session,
            )
        })?;
        let goals: Vec<Vertex> = self.task.vertices().filter(|&goal| self.statuses[goal].is_none()).collect();
        self.deepen(&goals, GraphExtent::CoveringPath)?;
        for class in self.classes(&goals) {
            self.cover(&class)?;
        }
        Ok(())
    }

    fn deepen(&mut self, goals: &[Vertex], extent: GraphExtent) -> Result<(), Stop> {
        let session = self.session;
        session
            .stage("graph", || sweep(self.task, goals, &mut self.distances, &mut self.graph, extent, session))
    }

    /// The paper's K.
    fn limit(&self) -> u32 {
        self.session.options.max_k.unwrap_or(PATIENCE.usual as u32 + 3 * self.graph.farthest())
    }

    fn classes(&self, goals: &[Vertex]) -> Vec<Vec<Vertex>> {
        let network = Network::new(&self.graph, goals);
        let reach = network.reachability();
        let node = |goal: Vertex| network.group(goal).next().unwrap_or(FINAL);
        partition(goals, |a, b| reach.holds(node(a), node(b)))
    }

    fn cover(&mut self, class: &[Vertex]) -> Result<(), Stop> {
        match self.variant {
            Variant::Repair => self.cover_by_repair(class),
            Variant::Refinement => self.cover_by_refinement(class),
            Variant::Constraints => self.cover_by_constraints(class),
        }
    }

    fn cover_by_repair(&mut self, class: &[Vertex]) -> Result<(), Stop> {
        let network = Network::new(&self.graph, class);
        let Some(route) = self.shortest(&network, &network.first_nodes(class))? else { return Ok(()) };
        self.concretise(&network, &route).map(drop)
    }

    /// Algorithm 5. Where no path passes all goals any more, the best one is taken and the others
    /// get chains of their own.
    fn cover_by_refinement(&mut self, class: &[Vertex]) -> Result<(), Stop> {
        let mut open = class.to_vec();
        while !open.is_empty() {
            let covered = self.refine(&open)?;
            if covered.is_empty() {
                self.notes.push("abstraction refinement found no path that works".to_owned());
                break;
            }
            open.retain(|goal| !covered.contains(goal));
        }
        Ok(())
    }

    /// Refines until a path through as many of the goals as possible is concretised; which ones
    /// that are.
    fn refine(&mut self, goals: &[Vertex]) -> Result<Vec<Vertex>, Stop> {
        let mut network = Network::new(&self.graph, goals);
        for _ in 0..MOST_FAILURES {
            let mut nodes = network.cover(goals);
            if nodes.len() < goals.len() && self.complete(goals)? {
                network = Network::new(&self.graph, goals);
                nodes = network.cover(goals);
            }
            let Some(route) = self.shortest(&network, &nodes)? else { break };
            match self.concretise(&network, &route)? {
                Repaired::Chain(_) => return Ok(route.goals(&network)),
                Repaired::Failed(failed) => network.split(&route.nodes[failed]),
            }
        }
        Ok(Vec::new())
    }

    /// Example 5. Where the constraints admit no tour any more, one chain more is allowed.
    fn cover_by_constraints(&mut self, class: &[Vertex]) -> Result<(), Stop> {
        let mut count = 1;
        let mut constraints = Constraints::default();
        let mut network = Network::new(&self.graph, class);
        for _ in 0..MOST_FAILURES {
            let nodes = network.first_nodes(class);
            match shortest(&network, &nodes, &constraints, count, self.session)? {
                Some(routes) => {
                    if self.concretise_all(&network, &routes, &mut constraints)? {
                        return Ok(());
                    }
                }
                None if self.complete(class)? => {
                    (network, constraints) = (Network::new(&self.graph, class), Constraints::default());
                }
                None if count < class.len() => count += 1,
                None => break,
            }
        }
        self.notes.push("path constraints found no order that works".to_owned());
        Ok(())
    }

    /// Chains along all routes; `false`: some of them failed and are excluded from now on.
    fn concretise_all(
        &mut self,
        network: &Network,
        routes: &[Route],
        constraints: &mut Constraints,
    ) -> Result<bool, Stop> {
        let known = self.chains.len();
        let mut succeeded = true;
        for route in routes {
            if let Repaired::Failed(failed) = self.concretise(network, route)? {
                constraints.exclude(route, network, *failed.start(), *failed.end());
                succeeded = false;
            }
        }
        if !succeeded {
            self.chains.truncate(known);
        }
        Ok(succeeded)
    }

    /// Asks for all distances up to the cap; `false`: they are known already.
    fn complete(&mut self, goals: &[Vertex]) -> Result<bool, Stop> {
        let settled = |graph: &ReachGraph| {
            let pairs = goals.iter().flat_map(|&a| goals.iter().map(move |&b| (a, b)));
            pairs.filter(|&(a, b)| a != b && graph.is_settled(a, b)).count()
        };
        let before = settled(&self.graph);
        self.deepen(goals, GraphExtent::Depth(self.limit()))?;
        Ok(settled(&self.graph) > before)
    }

    /// The shortest route from Init over these nodes to Final.
    fn shortest(&self, network: &Network, nodes: &[usize]) -> Result<Option<Route>, Stop> {
        let routes = shortest(network, nodes, &Constraints::default(), 1, self.session)?;
        Ok(routes.and_then(|routes| routes.into_iter().next()))
    }

    /// The chain along a route, if there is one.
    fn concretise(&mut self, network: &Network, route: &Route) -> Result<Repaired, Stop> {
        let weight = |pair: &[usize]| network.weight(pair[0], pair[1]).expect("a route should follow edges");
        let path = Path {
            vertices: route.nodes.iter().map(|&node| network.vertex(node)).collect(),
            weights: route.nodes.windows(2).map(weight).collect(),
        };
        let limit = self.limit();
        let session = self.session;
        let mut repair =
            Repair { task: self.task, distances: &mut self.distances, graph: &self.graph, session, limit };
        let repaired = session.stage("chain", || repair.chain(path, &route.goals(network)))?;
        match &repaired {
            Repaired::Chain(chain) => self.chains.push(chain.clone()),
            Repaired::Failed(failed) => self.note_failure(network, &route.nodes[failed.clone()]),
        }
        Ok(repaired)
    }

    fn note_failure(&mut self, network: &Network, nodes: &[usize]) {
        self.failures += 1;
        if self.failures <= MOST_NOTES {
            let names: Vec<String> = nodes.iter().map(|&node| self.name(network, node)).collect();
            self.notes.push(format!("chain repair failed on the path {}", names.join(" -> ")));
        }
    }

    fn name(&self, network: &Network, node: usize) -> String {
        match node {
            INIT => "Init".to_owned(),
            FINAL => "Final".to_owned(),
            _ => self.task.system.goals[self.task.goal(network.vertex(node))].name.clone(),
        }
    }
}
