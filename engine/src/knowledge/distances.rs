//! The property reachability graph: what is known about distances between goals.
//!
//! Vertices are Init, the goals and Final. The weight W(a, b) of an edge is the fewest transitions
//! from the first state of some occurrence of a to the first state of some occurrence of b, in a
//! run that starts in any state the known invariants allow. It includes a's own transitions; for
//! Init these are none. Windows may overlap, so a weight may be 0. W(a, Final) is the fewest
//! transitions, at least those of a's window, to a state of Final.
//!
//! Every entry is a bound that only grows, with a witness once it is met. The entry of a pair that
//! was refuted at all depths up to k and not seen since is `AtLeast { k + 1 }`: it never turns into
//! "unreachable" without a proof.

use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use model::id::Id;
use model::system::GoalId;
use model::trace::Trace;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An end of an edge of the graph, as users of the engine see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeEnd {
    /// The initial state; only a source.
    Init,
    /// A goal.
    Goal(GoalId),
    /// The states a chain must end in; only a target, and only where the system has an end.
    Final,
}

/// Why something can never happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Proof {
    /// The known invariants exclude it.
    Invariant,
    /// No state that ranges and small sets of words leave admits it, and every step keeps these.
    Ranges,
    /// k-induction: not within `k` steps, and never after `k` steps without it.
    KInduction {
        /// The induction depth.
        k: u32,
    },
    /// An inductive invariant of what follows excludes it.
    Inductive {
        /// Number of its clauses over state bits.
        clauses: usize,
    },
    /// None of the reachable states admits it.
    Exhaustive {
        /// How many states are reachable.
        states: usize,
    },
    /// None of the reachable states of a projection admits it, which leaves out some state words
    /// and so admits more.
    Projection {
        /// How many states the projection reaches.
        states: usize,
    },
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invariant => formatter.write_str("inductive invariant"),
            Self::Ranges => formatter.write_str("ranges of words"),
            Self::KInduction { k } => write!(formatter, "k-induction with k = {k}"),
            Self::Inductive { clauses } => write!(formatter, "inductive invariant of {clauses} clauses"),
            Self::Exhaustive { states } => write!(formatter, "exhaustive: {states} reachable states"),
            Self::Projection { states } => {
                write!(formatter, "exhaustive: {states} reachable states of a projection")
            }
        }
    }
}

/// What is known about the distance of a pair of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The distance.
    Exactly {
        /// Number of transitions.
        steps: u32,
        /// A run that has it, from the source's first state on; kept where the engine made one.
        witness: Option<Arc<Trace>>,
    },
    /// Refuted for fewer transitions; nothing is known beyond.
    AtLeast {
        /// Number of transitions.
        steps: u32,
    },
    /// Refuted for every number of transitions.
    Never {
        /// How.
        proof: Proof,
    },
}

/// Lower bound standing for "never".
const NEVER: u32 = u32::MAX;

/// One entry of the graph.
#[derive(Clone, Debug)]
struct Bound {
    lower: u32,
    upper: Option<u32>,
    witness: Option<Arc<Trace>>,
    proof: Option<Proof>,
    engine: Engine,
}

impl Bound {
    const UNKNOWN: Self = Self { lower: 0, upper: None, witness: None, proof: None, engine: Engine::Sat };
}

/// An edge of known weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: EdgeEnd,
    /// Where it ends.
    pub to: EdgeEnd,
    /// Number of transitions; see the module text.
    pub weight: u32,
    /// Who found it.
    pub engine: Engine,
}

/// The graph; see the module text.
///
/// Inside the engine the ends of edges are [vertices](Vertex): the depot or a goal, by its position
/// among [`goals`](Self::goals).
#[derive(Clone, Debug)]
pub struct ReachGraph {
    goals: Vec<GoalId>,
    names: Vec<String>,
    has_end: bool,
    depth: u32,
    bounds: Vec<Bound>,
}

impl ReachGraph {
    /// A graph over these goals (ascending) in which nothing is known. Without an end every goal reaches it as soon as its
    /// window is over; `steps` are the lengths of the goals' windows.
    pub(crate) fn new(goals: Vec<GoalId>, names: Vec<String>, steps: &[u32], has_end: bool) -> Self {
        let size = goals.len() + 1;
        let mut graph = Self { goals, names, has_end, depth: 0, bounds: vec![Bound::UNKNOWN; size * size] };
        for (goal, &steps) in graph.goal_vertices().zip(steps) {
            graph.raise(goal, Vertex::DEPOT, steps, Engine::Sat);
            if !has_end {
                graph.found(goal, Vertex::DEPOT, steps, None, Engine::Sat);
            }
        }
        graph
    }

    /// The goals that are vertices.
    pub fn goals(&self) -> &[GoalId] {
        &self.goals
    }
    /// Whether Final is a vertex.
    pub fn has_end(&self) -> bool {
        self.has_end
    }
    /// The greatest distance that was asked for (the paper's K).
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// What is known about a pair. `None` where the pair makes no sense (into Init, out of Final, a
    /// goal to itself) or is no vertex of this graph.
    pub fn reach(&self, from: EdgeEnd, to: EdgeEnd) -> Option<Reach> {
        let (source, target) = (self.source(from)?, self.target(to)?);
        if source == target {
            return None;
        }
        let bound = self.bound(source, target);
        Some(match (&bound.proof, bound.upper) {
            (Some(proof), _) => Reach::Never { proof: proof.clone() },
            (None, Some(steps)) if steps == bound.lower => {
                Reach::Exactly { steps, witness: bound.witness.clone() }
            }
            (None, _) => Reach::AtLeast { steps: bound.lower },
        })
    }

    /// The edges of exactly known weight: from Init first, then from the goals in order, Final as
    /// the last target.
    pub fn edges(&self) -> Vec<Edge> {
        let targets = self.goal_vertices().chain(self.has_end.then_some(Vertex::DEPOT));
        let pairs = self.vertices().flat_map(|source| targets.clone().map(move |target| (source, target)));
        pairs
            .filter(|&(source, target)| source != target && self.is_exact(source, target))
            .map(|(source, target)| Edge {
                from: self.end_of(source, EdgeEnd::Init),
                to: self.end_of(target, EdgeEnd::Final),
                weight: self.lower(source, target).expect("an exact weight should be finite"),
                engine: self.bound(source, target).engine,
            })
            .collect()
    }

    /// The name of an end of an edge.
    pub fn name(&self, end: EdgeEnd) -> &str {
        match end {
            EdgeEnd::Init => "Init",
            EdgeEnd::Final => "Final",
            EdgeEnd::Goal(goal) => match self.position(goal) {
                Some(position) => &self.names[position],
                None => "?",
            },
        }
    }

    /// The vertices of the goals, ascending.
    pub(crate) fn goal_vertices(&self) -> impl DoubleEndedIterator<Item = Vertex> + Clone + use<> {
        Vertex::goals(self.goals.len())
    }
    /// The depot and the vertices of the goals, ascending.
    pub(crate) fn vertices(&self) -> impl DoubleEndedIterator<Item = Vertex> + Clone + use<> {
        Vertex::all(self.goals.len())
    }
    /// The goal of a vertex other than the depot.
    pub(crate) fn goal(&self, vertex: Vertex) -> GoalId {
        self.goals[vertex.position()]
    }
    /// The lower bound of a weight, `None` where there is proven to be no edge.
    pub(crate) fn lower(&self, source: Vertex, target: Vertex) -> Option<u32> {
        let lower = self.bound(source, target).lower;
        (lower != NEVER).then_some(lower)
    }
    /// The shortest length seen.
    pub(crate) fn upper(&self, source: Vertex, target: Vertex) -> Option<u32> {
        self.bound(source, target).upper
    }
    /// The shortest run seen, where it was kept.
    pub(crate) fn witness(&self, source: Vertex, target: Vertex) -> Option<&Trace> {
        self.bound(source, target).witness.as_deref()
    }
    /// Whether the weight is known.
    pub(crate) fn is_exact(&self, source: Vertex, target: Vertex) -> bool {
        let bound = self.bound(source, target);
        bound.upper == Some(bound.lower)
    }
    /// Whether nothing more can be learned about the weight.
    pub(crate) fn is_settled(&self, source: Vertex, target: Vertex) -> bool {
        self.bound(source, target).lower == NEVER || self.is_exact(source, target)
    }
    /// Records that the weight is at least `steps`.
    pub(crate) fn raise(&mut self, source: Vertex, target: Vertex, steps: u32, engine: Engine) {
        let bound = self.bound_mut(source, target);
        debug_assert!(bound.upper.is_none_or(|upper| steps <= upper), "a bound should not pass a witness");
        if bound.lower < steps {
            (bound.lower, bound.engine) = (steps, engine);
        }
    }
    /// Records a run of that length.
    pub(crate) fn found(
        &mut self,
        source: Vertex,
        target: Vertex,
        steps: u32,
        witness: Option<&Arc<Trace>>,
        engine: Engine,
    ) {
        let bound = self.bound_mut(source, target);
        debug_assert!(bound.lower <= steps, "a witness should not undercut a proven bound");
        if bound.upper.is_none_or(|upper| steps < upper) {
            (bound.upper, bound.witness, bound.engine) = (Some(steps), witness.cloned(), engine);
        }
    }
    /// Records that there is no edge.
    pub(crate) fn never(&mut self, source: Vertex, target: Vertex, proof: Proof, engine: Engine) {
        let bound = self.bound_mut(source, target);
        debug_assert!(bound.upper.is_none(), "what was seen should not be proven impossible");
        (bound.lower, bound.proof, bound.engine) = (NEVER, Some(proof), engine);
    }
    /// Why there is no edge, where that is proven.
    pub(crate) fn proof(&self, source: Vertex, target: Vertex) -> Option<&Proof> {
        self.bound(source, target).proof.as_ref()
    }
    /// Takes over the lower bounds and exclusions of a graph of the same task.
    pub(crate) fn take_bounds(&mut self, other: &Self) {
        for source in self.vertices() {
            for target in self.vertices().filter(|&target| target != source) {
                let known = other.bound(source, target);
                match known.proof.clone() {
                    _ if self.is_settled(source, target) => {}
                    Some(proof) if known.lower == NEVER => self.never(source, target, proof, known.engine),
                    _ => self.raise(source, target, known.lower, known.engine),
                }
            }
        }
    }
    /// Takes over all that a graph of the same task says: bounds, exclusions and the runs it has
    /// seen.
    pub(crate) fn take_all(&mut self, other: &Self) {
        self.take_bounds(other);
        for source in self.vertices() {
            for target in self.vertices().filter(|&target| target != source) {
                let seen = other.bound(source, target);
                if let Some(steps) = seen.upper.filter(|_| seen.proof.is_none()) {
                    self.found(source, target, steps, seen.witness.as_ref(), seen.engine);
                }
            }
        }
        self.asked(other.depth);
    }
    /// Forgets runs that are none: what was refuted below their lengths stays.
    pub(crate) fn forget(&mut self, source: Vertex, target: Vertex) {
        let bound = self.bound_mut(source, target);
        (bound.upper, bound.witness) = (None, None);
    }
    /// The longest distance seen from a source to any goal.
    pub(crate) fn farthest_from(&self, source: Vertex) -> Option<u32> {
        self.goal_vertices()
            .filter(|&target| target != source)
            .filter_map(|target| self.upper(source, target))
            .max()
    }
    /// The longest distance seen.
    pub(crate) fn farthest(&self) -> u32 {
        let between = self.vertices().filter_map(|source| self.farthest_from(source)).max().unwrap_or(0);
        self.goal_vertices().filter_map(|source| self.upper(source, Vertex::DEPOT)).fold(between, u32::max)
    }
    /// Number of goals seen from Init.
    pub(crate) fn reached(&self) -> usize {
        self.goal_vertices().filter(|&goal| self.upper(Vertex::DEPOT, goal).is_some()).count()
    }
    /// Records that queries of that depth were asked.
    pub(crate) fn asked(&mut self, depth: u32) {
        self.depth = self.depth.max(depth);
    }

    fn end_of(&self, vertex: Vertex, depot: EdgeEnd) -> EdgeEnd {
        if vertex.is_depot() { depot } else { EdgeEnd::Goal(self.goal(vertex)) }
    }
    fn position(&self, goal: GoalId) -> Option<usize> {
        self.goals.binary_search(&goal).ok()
    }
    fn source(&self, end: EdgeEnd) -> Option<Vertex> {
        match end {
            EdgeEnd::Init => Some(Vertex::DEPOT),
            EdgeEnd::Goal(goal) => self.position(goal).map(Vertex::of_position),
            EdgeEnd::Final => None,
        }
    }
    fn target(&self, end: EdgeEnd) -> Option<Vertex> {
        match end {
            EdgeEnd::Init => None,
            EdgeEnd::Goal(goal) => self.position(goal).map(Vertex::of_position),
            EdgeEnd::Final => self.has_end.then_some(Vertex::DEPOT),
        }
    }
    fn cell(&self, source: Vertex, target: Vertex) -> usize {
        source.index() * (self.goals.len() + 1) + target.index()
    }
    fn bound(&self, source: Vertex, target: Vertex) -> &Bound {
        &self.bounds[self.cell(source, target)]
    }
    fn bound_mut(&mut self, source: Vertex, target: Vertex) -> &mut Bound {
        let cell = self.cell(source, target);
        &mut self.bounds[cell]
    }
}

impl fmt::Display for ReachGraph {
    /// One line for each edge, `Init -> p1  2`, then the depth.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for edge in self.edges() {
            writeln!(formatter, "{} -> {}  {}", self.name(edge.from), self.name(edge.to), edge.weight)?;
        }
        writeln!(formatter, "asked up to {}", self.depth)
    }
}
