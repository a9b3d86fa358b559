//! Shortest runs from one state that begin given goals in any order, by best-first search with bounds from projections.
//!
//! A* over (state, goals begun, windows in progress). The bound of a point is the cheapest way through the goals to come: from
//! the state at hand to the first of them by the exact distances of the projections, then on by distances between goals
//! (M. Held, R. M. Karp, J. SIAM 10 (1962), dynamic programming over sets), then to the end.

use super::lazy::LazyStates;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::problem::Problem;
use crate::provers::abstraction::enumerated::Projection;
use crate::provers::explicit::Transition;
use crate::provers::explicit::windows::{Active, Lists, advance, beginnings};
use crate::search::held_karp::tails;
use crate::session::{Session, Stop};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most goals of an errand that asks for all of them.
pub(crate) const MOST_GOALS: usize = 9;

/// Cost standing for "impossible".
const IMPOSSIBLE: u32 = u32::MAX;
/// Number standing for "none".
const NONE: u32 = u32::MAX;

/// Which goals must begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// All of these, at most [`MOST_GOALS`].
    All(&'a [usize]),
    /// One of these.
    Any(&'a [usize]),
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
pub(crate) struct Errand<'a> {
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

/// What came of an errand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// The classes of inputs of a shortest run.
    Found(Vec<u32>),
    /// There is none of so few steps.
    None,
    /// Too many points.
    GaveUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Point {
    state: u32,
    begun: u32,
    /// Number of the list of windows in progress; 0 is the empty list.
    active: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    point: Point,
    cost: u32,
    before: u32,
    input: u32,
}

/// Bounds of what is to come.
struct Bounds<'a> {
    projections: &'a [Projection<'a>],
    goals: &'a [usize],
    all: bool,
    /// For each projection the distances to the end; empty where the end is anywhere.
    to_end: Vec<Vec<u32>>,
    /// For each set of goals and each first one: the least cost from its beginning to the end.
    tails: Vec<u32>,
}

impl<'a> Bounds<'a> {
    fn new(
        problem: &Problem<'_>,
        projections: &'a [Projection<'a>],
        errand: &Errand<'a>,
        graph: &ReachGraph,
    ) -> Self {
        let (goals, all) = match errand.wanted {
            Wanted::All(goals) => (goals, true),
            Wanted::Any(goals) => (goals, false),
        };
        let to_end = projections.iter().filter_map(|projection| projection.to_end(&errand.end)).collect();
        let mut bounds = Self { projections, goals, all, to_end, tails: Vec::new() };
        if all {
            let last = |goal: usize| bounds.last_leg(problem, graph, &errand.end, goals[goal]);
            let leg = |a: usize, b: usize| graph.lower(goals[a], goals[b]).unwrap_or(IMPOSSIBLE);
            bounds.tails = tails(goals.len(), last, leg);
        }
        bounds
    }

    /// From the beginning of a goal to the end.
    fn last_leg(&self, problem: &Problem<'_>, graph: &ReachGraph, end: &End<'_>, goal: usize) -> u32 {
        let window = problem.steps(goal);
        match end {
            End::Anywhere => window,
            End::Final => graph.lower(goal, 0).unwrap_or(IMPOSSIBLE),
            End::Like { .. } => {
                let least = |(projection, to_end): (&Projection<'_>, &Vec<u32>)| {
                    let begins = projection.explicit.to_event(goal).iter().zip(to_end);
                    begins.filter(|&(&away, _)| away == 0).map(|(_, &end)| end).min().unwrap_or(IMPOSSIBLE)
                };
                self.projections.iter().zip(&self.to_end).map(least).fold(window, u32::max)
            }
        }
    }

    /// A lower bound of the cost from a state, given by its numbers in the projections, with these goals to come.
    fn to_go(&self, numbers: &[u32], open: u32) -> u32 {
        if open == 0 {
            let ends = self.to_end.iter().zip(numbers).map(|(to_end, &number)| to_end[number as usize]);
            return ends.max().unwrap_or(0);
        }
        let toward = |goal: usize| {
            let away = |(projection, &number): (&Projection<'_>, &u32)| {
                projection.explicit.to_event(goal)[number as usize]
            };
            self.projections.iter().zip(numbers).map(away).max().unwrap_or(0)
        };
        if !self.all {
            return self.goals.iter().map(|&goal| toward(goal)).min().unwrap_or(IMPOSSIBLE);
        }
        let count = self.goals.len();
        let first = (0..count).filter(|goal| open >> goal & 1 == 1);
        let way =
            |goal: usize| toward(self.goals[goal]).saturating_add(self.tails[open as usize * count + goal]);
        first.map(way).min().unwrap_or(IMPOSSIBLE)
    }
}

/// One search; see the module text.
pub(super) struct Search<'a> {
    problem: &'a Problem<'a>,
    space: &'a mut LazyStates,
    errand: Errand<'a>,
    bounds: Bounds<'a>,
    all: u32,
    records: Vec<Record>,
    known: FxHashMap<Point, u32>,
    lists: Lists,
    /// Ascending by bound, then deepest first.
    queue: BinaryHeap<(Reverse<u32>, u32, Reverse<u32>)>,
    /// By state: its numbers in the projections.
    numbers: FxHashMap<u32, Vec<u32>>,
}

impl<'a> Search<'a> {
    /// # Panics
    /// If too many goals are wanted.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        space: &'a mut LazyStates,
        projections: &'a [Projection<'a>],
        errand: Errand<'a>,
        graph: &ReachGraph,
    ) -> Self {
        let all = match errand.wanted {
            Wanted::All(goals) => {
                assert!(goals.len() <= MOST_GOALS, "an errand should not want too many goals");
                (1 << goals.len()) - 1
            }
            Wanted::Any(goals) => u32::from(!goals.is_empty()),
        };
        Self {
            problem,
            bounds: Bounds::new(problem, projections, &errand, graph),
            space,
            errand,
            all,
            records: Vec::new(),
            known: FxHashMap::default(),
            lists: Lists::new(),
            queue: BinaryHeap::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Searches.
    pub(super) fn run(&mut self, session: &Session<'_>) -> Result<Walk, Stop> {
        let state = self.space.intern(self.errand.from);
        self.offer(Record {
            point: Point { state, begun: 0, active: 0 },
            cost: 0,
            before: NONE,
            input: NONE,
        });
        let mut popped = 0usize;
        while let Some((_, cost, Reverse(index))) = self.queue.pop() {
            if self.records[index as usize].cost != cost {
                continue;
            }
            popped += 1;
            if popped.is_multiple_of(1024) {
                session.check_limits()?;
            }
            if self.is_over(index) {
                return Ok(Walk::Found(self.inputs(index)));
            }
            if self.records.len() > self.errand.points {
                return Ok(Walk::GaveUp);
            }
            self.expand(index);
        }
        Ok(Walk::None)
    }

    /// Number of points visited.
    pub(super) fn visited(&self) -> u64 {
        self.records.len() as u64
    }

    fn is_over(&mut self, index: u32) -> bool {
        let Point { state, begun, active } = self.records[index as usize].point;
        if begun != self.all || active != 0 {
            return false;
        }
        match self.errand.end {
            End::Anywhere => true,
            End::Final => self.space.ends(state),
            End::Like { state: wanted, mask } => {
                let bits = self.space.packed(state).iter().zip(wanted).zip(mask);
                bits.into_iter().all(|((&bits, &wanted), &mask)| (bits ^ wanted) & mask == 0)
            }
        }
    }

    fn offer(&mut self, record: Record) {
        let known = self.known.get(&record.point).copied();
        if known.is_some_and(|index| self.records[index as usize].cost <= record.cost) {
            return;
        }
        let to_go = self.rest_of(&record.point);
        let rank = record.cost.saturating_add(to_go);
        if rank > self.errand.steps {
            return;
        }
        let index = known.unwrap_or(self.records.len() as u32);
        match self.records.get_mut(index as usize) {
            Some(known) => *known = record,
            None => {
                self.known.insert(record.point, index);
                self.records.push(record);
            }
        }
        self.queue.push((Reverse(rank), record.cost, Reverse(index)));
    }

    fn rest_of(&mut self, point: &Point) -> u32 {
        let Self { space, bounds, numbers, .. } = self;
        let numbers = numbers.entry(point.state).or_insert_with(|| {
            let packed = space.packed(point.state);
            bounds.projections.iter().map(|projection| projection.number(packed)).collect()
        });
        bounds.to_go(numbers, self.all & !point.begun)
    }

    fn expand(&mut self, index: u32) {
        let Record { point, cost, .. } = self.records[index as usize];
        for position in self.space.from(point.state) {
            let transition = self.space.transition(position);
            for next in self.successors(point, transition) {
                self.offer(Record { point: next, cost: cost + 1, before: index, input: transition.input });
            }
        }
    }

    /// The points after one transition.
    fn successors(&mut self, point: Point, transition: Transition) -> Vec<Point> {
        let Self { problem, space, bounds, lists, .. } = self;
        let has = |vertex, matched| space.has(transition, space.step().label(vertex, matched));
        let steps = |vertex| problem.steps(vertex);
        let Some(active) = advance(lists.get(point.active), has, steps) else { return Vec::new() };
        let begun = u64::from(point.begun);
        let bits = bounds.goals.iter().enumerate().map(|(position, &goal)| {
            let bit: u64 = if bounds.all { 1 << position } else { 1 };
            (bit, goal, problem.steps(goal))
        });
        let beginning = bits.filter(|&(bit, goal, _)| begun & bit == 0 && has(goal, 0));
        let point = |(begun, active): (u64, Active)| Point {
            state: transition.to,
            begun: begun as u32,
            active: lists.number(active),
        };
        beginnings(begun, active, beginning).into_iter().map(point).collect()
    }

    fn inputs(&self, last: u32) -> Vec<u32> {
        let (mut index, mut inputs) = (last, Vec::new());
        while self.records[index as usize].before != NONE {
            inputs.push(self.records[index as usize].input);
            index = self.records[index as usize].before;
        }
        inputs.reverse();
        inputs
    }
}
