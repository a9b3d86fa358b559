//! Sequences of events in a given order, with free positions.
//!
//! "Is there a run in which v0, v1, ..., vm begin in this order, vm at most T steps after v0?" Any
//! number of other events may lie in between, several may begin in the same step. The least such T
//! is the true cost of the sub-path: a lower bound for every chain that covers these goals in this
//! order, since a chain contains such a run.
//!
//! The encoding is a ladder for each prefix: `reached(prefix, t)` implies that the last vertex of
//! the prefix began at t or before, after the earlier ones in order. It is built on demand and
//! shared between all sequences with that prefix. Distances known when a rung is built keep
//! neighbours apart.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use encoder::EncodeError;
use rustc_hash::FxHashMap;
use solver::sat::Lit;

/// A node of the tree of prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Prefix(usize);

struct Node {
    parent: Option<Prefix>,
    vertex: Vertex,
    rungs: Vec<Option<Lit>>,
}

/// The ladders of one unfolding; see the module text. The first vertex of a sequence begins in the
/// unfolding's first state; the depot is Init at the beginning and Final elsewhere.
pub(crate) struct Ladders {
    nodes: Vec<Node>,
    children: FxHashMap<(Option<Prefix>, Vertex), Prefix>,
}

impl Ladders {
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), children: FxHashMap::default() }
    }

    /// A literal that implies that the sequence happens with at most `steps` steps from the first
    /// state of its first vertex to the first state of its last one. `None` where distances exclude
    /// it. Every step that is built can be the last one before a limit of the session.
    pub(crate) fn within(
        &mut self,
        sequence: &[Vertex],
        steps: u32,
        graph: &ReachGraph,
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
        session: &Session<'_>,
    ) -> Result<Option<Lit>, Stop> {
        let mut prefix = None;
        for &vertex in sequence {
            prefix = Some(self.child(prefix, vertex));
        }
        let prefix = prefix.expect("a sequence should not be empty");
        for time in 0..=steps {
            session.check_limits()?;
            self.climb(prefix, time, graph, task, unfolding)?;
        }
        Ok(self.rung(prefix, steps, graph, task, unfolding)?)
    }

    fn child(&mut self, parent: Option<Prefix>, vertex: Vertex) -> Prefix {
        let next = Prefix(self.nodes.len());
        let child = *self.children.entry((parent, vertex)).or_insert(next);
        if child == next {
            self.nodes.push(Node { parent, vertex, rungs: Vec::new() });
        }
        child
    }

    /// Builds the rungs of all ancestors at `time` first, so that no recursion runs deep.
    fn climb(
        &mut self,
        prefix: Prefix,
        time: u32,
        graph: &ReachGraph,
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
    ) -> Result<(), EncodeError> {
        let mut path = vec![prefix];
        while let Some(parent) = self.nodes[path[path.len() - 1].0].parent {
            path.push(parent);
        }
        for &node in path.iter().rev() {
            self.rung(node, time, graph, task, unfolding)?;
        }
        Ok(())
    }

    fn rung(
        &mut self,
        prefix: Prefix,
        time: u32,
        graph: &ReachGraph,
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
    ) -> Result<Option<Lit>, EncodeError> {
        let node = &self.nodes[prefix.0];
        if let Some(&known) = node.rungs.get(time as usize) {
            return Ok(known);
        }
        debug_assert_eq!(node.rungs.len(), time as usize, "rungs should be built from below");
        let (parent, vertex) = (node.parent, node.vertex);
        let before = time.checked_sub(1).and_then(|earlier| node.rungs[earlier as usize]);
        let now = match parent {
            None => self.root(vertex, time, unfolding)?,
            Some(parent) => self.arrival(parent, vertex, time, graph, task, unfolding)?,
        };
        let rung = match (before, now) {
            (None, other) | (other, None) => other,
            (Some(before), Some(now)) => {
                let rung = unfolding.solver().fresh().positive();
                unfolding.solver().clause(&[!rung, before, now]);
                Some(rung)
            }
        };
        self.nodes[prefix.0].rungs.push(rung);
        Ok(rung)
    }

    /// The first vertex begins at 0 or not at all.
    fn root(
        &mut self,
        vertex: Vertex,
        time: u32,
        unfolding: &mut BmcSolver<'_>,
    ) -> Result<Option<Lit>, EncodeError> {
        match time {
            0 if vertex.is_depot() => unfolding.running(0).map(Some),
            0 => unfolding.event(vertex, 0).map(Some),
            _ => Ok(None),
        }
    }

    /// A literal that implies that `vertex` begins exactly at `time`, after its predecessors.
    fn arrival(
        &mut self,
        parent: Prefix,
        vertex: Vertex,
        time: u32,
        graph: &ReachGraph,
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
    ) -> Result<Option<Lit>, EncodeError> {
        let source = self.nodes[parent.0].vertex;
        let Some(distance) = graph.lower(source, vertex) else { return Ok(None) };
        let mut before = vec![(parent, distance)];
        if vertex.is_depot() {
            before.extend(self.windows_before(parent, task));
        }
        let arrival = unfolding.solver().fresh().positive();
        for (prefix, gap) in before {
            let Some(earlier) = time.checked_sub(gap) else { return Ok(None) };
            let Some(begun) = self.rung(prefix, earlier, graph, task, unfolding)? else { return Ok(None) };
            unfolding.solver().clause(&[!arrival, begun]);
        }
        let event = unfolding.event(vertex, time)?;
        unfolding.solver().clause(&[!arrival, event]);
        Ok(Some(arrival))
    }

    /// The earlier goals with the lengths of their windows: Final comes after all of them.
    fn windows_before(&self, last: Prefix, task: &Task<'_>) -> Vec<(Prefix, u32)> {
        let ancestors = std::iter::successors(Some(last), |&prefix| self.nodes[prefix.0].parent);
        let longer = |&(_, steps): &(Prefix, u32)| steps > task.steps(self.nodes[last.0].vertex);
        ancestors.map(|prefix| (prefix, task.steps(self.nodes[prefix.0].vertex))).filter(longer).collect()
    }
}
