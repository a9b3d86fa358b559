//! The question behind every strategy: what can happen within so many steps?
//!
//! Two engines answer it: bounded queries by SAT and the enumeration of all reachable states.
//! Strategies know this interface alone, so each of them runs on each engine, and the engines are
//! tested against each other.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::Answer;
use crate::step::bmc_solver::Effort;
use model::trace::Trace;
use model::value::Value;

/// See the module text. Vertices are those of a [`Task`](crate::knowledge::task::Task).
pub(crate) trait DistanceEngine {
    /// Name of the solver, for reports.
    fn solver_name(&self) -> String;

    /// Whether it knows all reachable states, and so every distance at once.
    fn is_exhaustive(&self) -> bool {
        false
    }

    /// Which engine this is.
    fn engine(&self) -> Engine;

    /// The depth beyond which nothing is asked: time and memory would run out before answers come.
    fn deepest(&self) -> u32 {
        u32::MAX
    }

    /// Raises what bounds it can without asking for single distances.
    fn raise_all(&mut self, _graph: &mut ReachGraph, _context: &Session<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// Raises the least bounds among the pairs from `source` to `targets` that are not settled:
    /// asks at that depth, settles the pairs that have it, and raises the others by one.
    fn deepen(
        &mut self,
        source: Vertex,
        targets: &[Vertex],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop>;

    /// The same for several sources, each of which comes once; possibly by several threads.
    fn deepen_each(
        &mut self,
        tasks: &[(Vertex, Vec<Vertex>)],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        tasks.iter().try_for_each(|(source, targets)| self.deepen(*source, targets, graph, session))
    }

    /// Tries to prove that `target` never follows `source`, and enters the proof; `false`: not
    /// proven.
    fn exclude(
        &mut self,
        source: Vertex,
        target: Vertex,
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<bool, Stop>;

    /// Asks for a run that covers the goals of the sequence in this order, its last vertex
    /// beginning at most `steps` steps after the first one. A leading depot is Init, a trailing one
    /// Final; without a leading depot the run may start in any state the known invariants allow.
    /// With both, the run is a chain, of at most `steps` steps.
    fn sequence(
        &mut self,
        sequence: &[Vertex],
        steps: u32,
        graph: &ReachGraph,
        effort: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop>;

    /// Asks for a shortest run, of at most `steps` steps up to its first state, to an occurrence of
    /// any of the targets (the depot: Final) from this state on.
    fn nearest(
        &mut self,
        state: &[Value],
        targets: &[Vertex],
        steps: u32,
        effort: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop>;

    /// The cheapest set of chains that cover the goals, where each chain after the first one costs
    /// `reset` (`None`: more than any length), if this engine can find it directly with that
    /// effort. Every goal must be coverable by some chain; `known` are the number and the total
    /// length of chains that do.
    fn cheapest_chains(
        &mut self,
        _goals: &[Vertex],
        _reset: Option<u64>,
        _known: Option<(usize, u64)>,
        _search: Search,
        _graph: &mut ReachGraph,
        _context: &Session<'_>,
    ) -> Result<Chains, Stop> {
        Ok(Chains::TooHard)
    }
}

/// How hard the cheapest chains are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Only as long as most searches take.
    Brief,
    /// With all means.
    Thorough,
}

/// The answer to the question for the cheapest chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chains {
    /// Chains, and what is proven: no fewer do, and so many are no shorter in total.
    Bounded {
        /// Chains that are cheaper than the known ones, if any were found.
        better: Option<Vec<Trace>>,
        /// No fewer chains do.
        chains: usize,
        /// So many chains are no shorter in total.
        steps: u64,
    },
    /// Not within the means of this engine.
    TooHard,
}
