//! Optimal chains by best-first search over (state, goals begun).
//!
//! A* with the greater of two bounds. One is exact for the order of goals: the cheapest way through the remaining goals by
//! distances between goals (M. Held, R. M. Karp, J. SIAM 10 (1962), dynamic programming over sets), begun from the state at hand.
//! Where legs join freely the search goes straight to the optimum. The other one is exact for the states, for as many goals
//! as a [table](Table) holds: it knows what joints cost. A chain may
//! end (in Final) and another one begin at a price, so the result is the cheapest set of chains.

use super::distances::Space;
use super::sequence::Path;
use super::states::Transition;
use super::tables::{Edges, Table};
use super::windows::Active;
use crate::reach::graph::ReachGraph;
use crate::stats::{Context, Halt};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most goals that are searched for directly.
pub(crate) const MOST_GOALS: usize = 64;
/// Most goals for which the costs over sets of goals are computed.
const MOST_TAIL_GOALS: usize = 18;

/// Cost standing for "impossible".
const IMPOSSIBLE: u32 = u32::MAX;
/// Number standing for "none".
const NONE: u32 = u32::MAX;

/// A point of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Point {
    state: u32,
    /// Number of the list of windows that have begun and are not over; 0 is the empty list.
    active: u32,
    /// Bit k: goal k has begun.
    begun: u64,
}

/// How a point was reached.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// The point before; [`NONE`]: the first chain begins here.
    before: u32,
    /// Position of the transition from there; [`NONE`]: a chain ended there and a new one begins here.
    transition: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    point: Point,
    cost: u32,
    origin: Origin,
}

/// What a search came to.
pub(crate) enum Cheapest {
    /// The cheapest set of chains.
    Chains(Vec<Path>),
    /// Too many points; no set of chains costs less than this.
    AtLeast(u32),
}

/// What to cover and at which price.
pub(crate) struct Task<'a> {
    /// The goals, at most [`MOST_GOALS`].
    pub(crate) goals: &'a [usize],
    /// Price of a further chain.
    pub(crate) reset: u32,
    /// Steps from each state to where each goal can begin, by position in `goals`.
    pub(crate) to_goal: Vec<&'a [u32]>,
    /// Steps from each state to where a chain may end.
    pub(crate) to_end: &'a [u32],
    /// Most points to visit.
    pub(crate) points: usize,
}

/// For each set of goals to come and each first one among them: the least cost from its beginning to the end.
struct Tails {
    goals: usize,
    costs: Vec<u32>,
    from_init: Vec<u32>,
}

impl Tails {
    fn new(task: &Task<'_>, graph: &ReachGraph) -> Self {
        let goals = if task.goals.len() <= MOST_TAIL_GOALS { task.goals.len() } else { 0 };
        let weight = |source: usize, target: usize| graph.lower(source, target).unwrap_or(IMPOSSIBLE);
        let from_init: Vec<u32> = task.goals[..goals].iter().map(|&goal| weight(0, goal)).collect();
        let leg = |a: usize, b: usize| {
            let restart = sum(sum(weight(task.goals[a], 0), task.reset), from_init[b]);
            weight(task.goals[a], task.goals[b]).min(restart)
        };
        let legs: Vec<Vec<u32>> = (0..goals)
            .map(|a| (0..goals).map(|b| if a == b { IMPOSSIBLE } else { leg(a, b) }).collect())
            .collect();
        let mut costs = vec![IMPOSSIBLE; goals << goals];
        for set in 1usize..1 << goals {
            for first in (0..goals).filter(|first| set >> first & 1 == 1) {
                let rest = set & !(1 << first);
                costs[set * goals + first] = if rest == 0 {
                    weight(task.goals[first], 0)
                } else {
                    let next = (0..goals).filter(|next| rest >> next & 1 == 1);
                    next.map(|next| sum(legs[first][next], costs[rest * goals + next]))
                        .min()
                        .unwrap_or(IMPOSSIBLE)
                };
            }
        }
        Self { goals, costs, from_init }
    }

    /// A lower bound of the cost from a state with these goals to come to the end.
    fn bound(&self, task: &Task<'_>, state: u32, open: u64) -> u32 {
        let end = task.to_end[state as usize];
        if open == 0 {
            return end;
        }
        if self.goals == 0 {
            return 0;
        }
        let restart = sum(end, task.reset);
        let first = (0..self.goals).filter(|goal| open >> goal & 1 == 1);
        let costs = first.map(|goal| {
            let approach = task.to_goal[goal][state as usize].min(sum(restart, self.from_init[goal]));
            sum(approach, self.costs[open as usize * self.goals + goal])
        });
        costs.min().unwrap_or(IMPOSSIBLE)
    }
}

/// Also of impossible costs: [`FAR`](super::distances::FAR) is the same number.
pub(super) fn sum(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// Lower bounds of the cost from a point to the end.
struct Heuristic {
    tails: Tails,
    tables: Vec<Table>,
}

impl Heuristic {
    /// A first table of the goals that matter most, and a second one that begins with the others.
    fn new(
        space: &Space<'_>,
        task: &Task<'_>,
        graph: &ReachGraph,
        context: &Context<'_>,
    ) -> Result<Self, Halt> {
        let edges = Edges::new(space, task);
        let hardest = |goal: &usize| {
            let goal = task.goals[*goal];
            graph.lower(0, goal).map(|to| sum(to, graph.lower(goal, 0).unwrap_or(0)))
        };
        let first = (0..task.goals.len()).max_by_key(hardest);
        let mut tables = Vec::new();
        if let Some(first) = first {
            let table = Table::grow(space, &edges, task, first, 0, context)?;
            let known = table.mask();
            tables.push(table);
            let others = (0..task.goals.len()).filter(|goal| known >> goal & 1 == 0);
            if let Some(second) = others.max_by_key(hardest) {
                tables.push(Table::grow(space, &edges, task, second, known, context)?);
            }
        }
        Ok(Self { tails: Tails::new(task, graph), tables })
    }

    fn bound(&self, task: &Task<'_>, state: u32, open: u64) -> u32 {
        let tables = self.tables.iter().map(|table| table.bound(state, open));
        tables.fold(self.tails.bound(task, state, open), u32::max)
    }
}

struct Search<'a> {
    space: Space<'a>,
    task: &'a Task<'a>,
    heuristic: Heuristic,
    all: u64,
    records: Vec<Record>,
    known: FxHashMap<Point, u32>,
    lists: Vec<Active>,
    list_numbers: FxHashMap<Active, u32>,
    /// Ascending by bound, then deepest first.
    queue: BinaryHeap<(Reverse<u32>, u32, Reverse<u32>)>,
}

/// The cheapest set of chains.
///
/// # Panics
/// If there are too many goals.
pub(crate) fn cheapest_chains(
    space: Space<'_>,
    task: &Task<'_>,
    graph: &ReachGraph,
    context: &Context<'_>,
) -> Result<Cheapest, Halt> {
    assert!(task.goals.len() <= MOST_GOALS, "a set of goals should fit a word");
    let mut search = Search {
        heuristic: Heuristic::new(&space, task, graph, context)?,
        space,
        task,
        all: u64::MAX.checked_shr(64 - task.goals.len() as u32).unwrap_or(0),
        records: Vec::new(),
        known: FxHashMap::default(),
        lists: vec![Active::new()],
        list_numbers: FxHashMap::from_iter([(Active::new(), 0)]),
        queue: BinaryHeap::new(),
    };
    search.run(context)
}

impl Search<'_> {
    fn run(&mut self, context: &Context<'_>) -> Result<Cheapest, Halt> {
        for state in 0..self.space.states.initial() as u32 {
            let start = Origin { before: NONE, transition: NONE };
            self.offer(Point { state, begun: 0, active: 0 }, 0, start);
        }
        let mut popped = 0usize;
        while let Some((Reverse(bound), cost, Reverse(index))) = self.queue.pop() {
            if self.records[index as usize].cost != cost {
                continue;
            }
            popped += 1;
            if popped.is_multiple_of(4096) {
                context.check_limits()?;
            }
            if self.is_goal(index) {
                return Ok(Cheapest::Chains(self.chains(index)));
            }
            if self.records.len() > self.task.points {
                return Ok(Cheapest::AtLeast(bound));
            }
            self.expand(index);
        }
        Ok(Cheapest::AtLeast(0))
    }

    fn is_goal(&self, index: u32) -> bool {
        let point = &self.records[index as usize].point;
        point.begun == self.all && point.active == 0 && self.space.states.ends(point.state)
    }

    fn offer(&mut self, point: Point, cost: u32, origin: Origin) {
        let open = self.all & !point.begun;
        let bound = sum(cost, self.heuristic.bound(self.task, point.state, open));
        if bound == IMPOSSIBLE {
            return;
        }
        let index = match self.known.get(&point) {
            Some(&index) if self.records[index as usize].cost <= cost => return,
            Some(&index) => {
                let record = &mut self.records[index as usize];
                (record.cost, record.origin) = (cost, origin);
                index
            }
            None => {
                let index = self.records.len() as u32;
                self.known.insert(point, index);
                self.records.push(Record { point, cost, origin });
                index
            }
        };
        self.queue.push((Reverse(bound), cost, Reverse(index)));
    }

    fn expand(&mut self, index: u32) {
        let Record { point, cost, .. } = self.records[index as usize];
        let states = self.space.states;
        for (position, transition) in states.numbered_from(point.state) {
            for next in self.successors(point, transition) {
                self.offer(next, cost + 1, Origin { before: index, transition: position });
            }
        }
        if point.active == 0 && point.begun != 0 && states.ends(point.state) {
            for state in 0..states.initial() as u32 {
                let fresh = Point { state, begun: point.begun, active: 0 };
                let origin = Origin { before: index, transition: NONE };
                self.offer(fresh, sum(cost, self.task.reset), origin);
            }
        }
    }

    /// The points after one transition: goals of one step begin as soon as they can, others may.
    fn successors(&mut self, point: Point, transition: Transition) -> Vec<Point> {
        let Some(active) = self.space.advance(&self.lists[point.active as usize], transition) else {
            return Vec::new();
        };
        let mut choices = vec![(point.begun, active)];
        for (position, &goal) in self.task.goals.iter().enumerate() {
            if point.begun >> position & 1 == 1 || !self.space.may_begin(goal, transition) {
                continue;
            }
            if self.space.problem.steps(goal) == 1 {
                choices.iter_mut().for_each(|(begun, _)| *begun |= 1 << position);
            } else {
                let mut begun = choices.clone();
                for (set, active) in &mut begun {
                    *set |= 1 << position;
                    active.push((goal as u16, 1));
                }
                choices.extend(begun);
            }
        }
        let point = |(begun, active)| Point { state: transition.to, begun, active: self.number(active) };
        choices.into_iter().map(point).collect()
    }

    fn number(&mut self, active: Active) -> u32 {
        if let Some(&known) = self.list_numbers.get(&active) {
            return known;
        }
        let number = self.lists.len() as u32;
        self.lists.push(active.clone());
        self.list_numbers.insert(active, number);
        number
    }

    fn chains(&self, last: u32) -> Vec<Path> {
        let (mut index, mut inputs, mut paths) = (last, Vec::new(), Vec::new());
        loop {
            let Record { point, origin, .. } = self.records[index as usize];
            index = origin.before;
            if origin.transition != NONE {
                inputs.push(self.space.states.transition(origin.transition).input);
                continue;
            }
            inputs.reverse();
            paths.push(Path { start: point.state, inputs: std::mem::take(&mut inputs) });
            if index == NONE {
                paths.reverse();
                return paths;
            }
        }
    }
}
