//! Shortest runs from one state that begin given goals in any order, by best-first search with
//! bounds from projections.
//!
//! A* over (state, goals begun, windows in progress). The bound of a point is the cheapest way
//! through the goals to come: from the state at hand to the first of them by the exact distances of
//! the projections, then on by distances between goals (M. Held, R. M. Karp, J. SIAM 10 (1962),
//! dynamic programming over sets), then to the end.

use super::lazy::LazyStates;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::Projection;
use crate::provers::explicit::windows::{Lists, Point};
use crate::search::best_first::SearchSpace;
use crate::search::held_karp::tails;
use rustc_hash::FxHashMap;

/// Most goals of a subproblem that asks for all of them.
pub(crate) const MOST_GOALS: usize = 9;

/// Cost standing for "impossible".
const IMPOSSIBLE: u32 = u32::MAX;

/// Which goals must begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// All of these, at most [`MOST_GOALS`].
    All(&'a [Vertex]),
    /// One of these.
    Any(&'a [Vertex]),
}

/// Where the run must end, with all windows over that have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End<'a> {
    /// Anywhere.
    Anywhere,
    /// Where a chain may end.
    Final,
    /// In a state with these packed bits where the mask is set.
    Like { state: &'a [u64], mask: &'a [u64] },
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subproblem<'a> {
    /// Packed bits of the first state.
    pub(crate) from: &'a [u64],
    /// What must begin on the way.
    pub(crate) wanted: Wanted<'a>,
    /// Where to end.
    pub(crate) end: End<'a>,
    /// Greatest number of steps.
    pub(crate) steps: u32,
    /// Most points to visit.
    pub(crate) points: usize,
}

/// Bounds of what is to come.
struct Bounds<'a> {
    projections: &'a [Projection<'a>],
    goals: &'a [Vertex],
    all: bool,
    /// For each projection the distances to the end; empty where the end is anywhere.
    to_end: Vec<Vec<u32>>,
    /// For each set of goals and each first one: the least cost from its beginning to the end.
    tails: Vec<u32>,
}

impl<'a> Bounds<'a> {
    fn new(
        task: &Task<'_>,
        projections: &'a [Projection<'a>],
        subproblem: &Subproblem<'a>,
        graph: &ReachGraph,
    ) -> Self {
        let (goals, all) = match subproblem.wanted {
            Wanted::All(goals) => (goals, true),
            Wanted::Any(goals) => (goals, false),
        };
        let to_end = projections.iter().filter_map(|projection| projection.to_end(&subproblem.end)).collect();
        let mut bounds = Self { projections, goals, all, to_end, tails: Vec::new() };
        if all {
            let last = |position: usize| bounds.last_leg(task, graph, &subproblem.end, goals[position]);
            let leg = |a: usize, b: usize| graph.lower(goals[a], goals[b]).unwrap_or(IMPOSSIBLE);
            bounds.tails = tails(goals.len(), last, leg);
        }
        bounds
    }

    /// From the beginning of a goal to the end.
    fn last_leg(&self, task: &Task<'_>, graph: &ReachGraph, end: &End<'_>, goal: Vertex) -> u32 {
        let window = task.steps(goal);
        match end {
            End::Anywhere => window,
            End::Final => graph.lower(goal, Vertex::DEPOT).unwrap_or(IMPOSSIBLE),
            End::Like { .. } => {
                let ends = self.projections.iter().zip(&self.to_end);
                let least = ends.map(|(projection, to_end)| projection.explicit.least_at(goal, to_end));
                least.fold(window, u32::max)
            }
        }
    }

    /// A lower bound of the cost from a state, given by its numbers in the projections, with these
    /// goals to come.
    fn to_go(&self, numbers: &[u32], open: u64) -> u32 {
        if open == 0 {
            let ends = self.to_end.iter().zip(numbers).map(|(to_end, &number)| to_end[number as usize]);
            return ends.max().unwrap_or(0);
        }
        let toward = |goal: Vertex| {
            let away = |(projection, &number): (&Projection<'_>, &u32)| {
                projection.explicit.to_event(goal)[number as usize]
            };
            self.projections.iter().zip(numbers).map(away).max().unwrap_or(0)
        };
        if !self.all {
            return self.goals.iter().map(|&goal| toward(goal)).min().unwrap_or(IMPOSSIBLE);
        }
        let count = self.goals.len();
        let first = (0..count).filter(|position| open >> position & 1 == 1);
        let way = |position: usize| {
            toward(self.goals[position]).saturating_add(self.tails[open as usize * count + position])
        };
        first.map(way).min().unwrap_or(IMPOSSIBLE)
    }
}

/// The points of one search, with bounds; see the module text.
pub(super) struct Points<'a> {
    task: &'a Task<'a>,
    space: &'a mut LazyStates,
    subproblem: Subproblem<'a>,
    bounds: Bounds<'a>,
    all: u64,
    lists: Lists,
    /// By state: its numbers in the projections.
    numbers: FxHashMap<u32, Vec<u32>>,
}

impl<'a> Points<'a> {
    /// # Panics
    /// If too many goals are wanted.
    pub(super) fn new(
        task: &'a Task<'a>,
        space: &'a mut LazyStates,
        projections: &'a [Projection<'a>],
        subproblem: Subproblem<'a>,
        graph: &ReachGraph,
    ) -> Self {
        let all = match subproblem.wanted {
            Wanted::All(goals) => {
                assert!(goals.len() <= MOST_GOALS, "a subproblem should not want too many goals");
                (1 << goals.len()) - 1
            }
            Wanted::Any(goals) => u64::from(!goals.is_empty()),
        };
        let bounds = Bounds::new(task, projections, &subproblem, graph);
        Self { task, bounds, space, subproblem, all, lists: Lists::new(), numbers: FxHashMap::default() }
    }

    /// Where the run starts.
    pub(super) fn start(&mut self) -> Point {
        Point { state: self.space.intern(self.subproblem.from), begun: 0, active: 0 }
    }
}

impl SearchSpace for Points<'_> {
    type Node = Point;
    /// The class of inputs of the transition; `None` at the start.
    type Edge = Option<u32>;

    fn is_goal(&mut self, Point { state, begun, active }: Point) -> bool {
        if begun != self.all || active != 0 {
            return false;
        }
        match self.subproblem.end {
            End::Anywhere => true,
            End::Final => self.space.ends(state),
            End::Like { state: wanted, mask } => {
                let bits = self.space.packed(state).iter().zip(wanted).zip(mask);
                bits.into_iter().all(|((&bits, &wanted), &mask)| (bits ^ wanted) & mask == 0)
            }
        }
    }

    fn rank(&mut self, point: Point, cost: u32) -> Option<u32> {
        let Self { space, bounds, numbers, .. } = self;
        let numbers = numbers.entry(point.state).or_insert_with(|| {
            let packed = space.packed(point.state);
            bounds.projections.iter().map(|projection| projection.number(packed)).collect()
        });
        let rank = cost.saturating_add(bounds.to_go(numbers, self.all & !point.begun));
        (rank <= self.subproblem.steps).then_some(rank)
    }

    fn successors(&mut self, point: Point, found: &mut Vec<(Point, Option<u32>, u32)>) {
        let Self { task, space, bounds: Bounds { goals, all, .. }, lists, .. } = self;
        for position in space.from(point.state) {
            let transition = space.transition(position);
            let goals = goals.iter().enumerate();
            let goals = goals.map(|(position, &goal)| (if *all { 1 << position } else { 1 }, goal));
            let has = |vertex, matched| space.has(transition, space.step().label(vertex, matched));
            let next = lists.after(point, transition.to, task, has, goals);
            found.extend(next.map(|next| (next, Some(transition.input), 1)));
        }
    }
}
