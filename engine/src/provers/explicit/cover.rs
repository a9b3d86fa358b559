//! Optimal chains by best-first search over (state, goals begun).
//!
//! A* with the greater of two bounds. One is exact for the order of goals: the cheapest way through the remaining goals by
//! distances between goals (M. Held, R. M. Karp, J. SIAM 10 (1962), dynamic programming over sets), begun from the state at hand.
//! Where legs join freely the search goes straight to the optimum. The other one is exact for the states, for as many goals
//! as a [table](Table) holds: it knows what joints cost. A chain may
//! end (in Final) and another one begin at a price, so the result is the cheapest set of chains.

use super::attempt::Attempt;
use super::distances::Space;
use super::sequence::Path;
use super::states::Transition;
use super::windows::{Lists, beginnings};
use crate::knowledge::distances::ReachGraph;
use crate::provers::explicit::pattern_databases::{Edges, Extras, Table};
use crate::search::held_karp::tails;
use crate::session::{Session, Stop};
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

/// What came of the search for the cheapest chains.
pub(crate) struct Cheapest {
    /// Chains that cost less than the known ones.
    pub(crate) paths: Option<Vec<Path>>,
    /// No set of chains costs less.
    pub(crate) bound: u32,
}

/// What one search came to.
enum Ended {
    /// Chains below the limit.
    Found(Vec<Path>),
    /// No set of chains costs less than this: too many points, or none below the limit.
    AtLeast(u32),
}

/// Searches from quick to exact: the weight of the bound in percent, and the share of the points it may visit.
const WEIGHTS: [(u64, usize); 4] = [(300, 4), (130, 4), (104, 2), (EXACT, 1)];
/// The weight at which the first chains found are the cheapest.
const EXACT: u64 = 100;

/// What to cover and at which price.
#[derive(Clone)]
pub(crate) struct Task<'a> {
    /// The goals, at most [`MOST_GOALS`].
    pub(crate) goals: &'a [usize],
    /// Price of a further chain.
    pub(crate) reset: u32,
    /// Steps from each state to where each goal can begin, by position in `goals`.
    pub(crate) to_goal: Vec<&'a [u32]>,
    /// Steps from each state to where a chain may end.
    pub(crate) to_end: &'a [u32],
    /// What may be spent on it.
    pub(crate) attempt: &'a Attempt,
}

/// For each set of goals to come and each first one among them: the least cost from its beginning to the end.
pub(crate) struct Tails {
    goals: usize,
    costs: Vec<u32>,
    from_init: Vec<u32>,
}

impl Tails {
    pub(crate) fn new(all: &[usize], reset: u32, graph: &ReachGraph) -> Self {
        let goals = if all.len() <= MOST_TAIL_GOALS { all.len() } else { 0 };
        let weight = |source: usize, target: usize| graph.lower(source, target).unwrap_or(IMPOSSIBLE);
        let from_init: Vec<u32> = all[..goals].iter().map(|&goal| weight(0, goal)).collect();
        let leg = |a: usize, b: usize| {
            let restart = sum(sum(weight(all[a], 0), reset), from_init[b]);
            weight(all[a], all[b]).min(restart)
        };
        let costs = tails(goals, |goal| weight(all[goal], 0), leg);
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

/// A space with bounds of costs in it: the one that is searched, or a projection.
pub(crate) struct View<'a> {
    space: Space<'a>,
    task: Task<'a>,
    /// For a projection: the number there of each state.
    numbers: Option<&'a [u32]>,
    tails: &'a Tails,
    tables: Vec<Table>,
}

impl<'a> View<'a> {
    /// Computes a first table of the goals that matter most, and a second one that begins with the others, where the effort
    /// is made.
    pub(crate) fn new(
        space: Space<'a>,
        task: Task<'a>,
        tails: &'a Tails,
        numbers: Option<&'a [u32]>,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<Self, Stop> {
        if !Table::is_worthwhile(&space, task.attempt) {
            return Ok(Self { space, task, numbers, tails, tables: Vec::new() });
        }
        let edges = Edges::new(&space, &task);
        let hardest = |goal: &usize| {
            let goal = task.goals[*goal];
            graph.lower(0, goal).map(|to| sum(to, graph.lower(goal, 0).unwrap_or(0)))
        };
        let (mut tables, mut known) = (Vec::new(), 0);
        let extras = Extras::new(&space, &edges, &task, session)?;
        for _ in 0..2 {
            let others = (0..task.goals.len()).filter(|goal| known >> goal & 1 == 0);
            let Some(seed) = others.max_by_key(hardest) else { break };
            let table = Table::grow(&space, &edges, &task, extras.as_ref(), seed, known, session)?;
            known |= table.mask();
            tables.push(table);
        }
        Ok(Self { space, task, numbers, tails, tables })
    }

    /// A lower bound of the cost from one of the view's states with these goals open.
    fn lower(&self, state: u32, open: u64) -> u32 {
        let tables = self.tables.iter().map(|table| table.bound(state, open));
        tables.fold(self.tails.bound(&self.task, state, open), u32::max)
    }
}

struct Search<'v, 'a> {
    space: Space<'a>,
    own: &'v View<'a>,
    projections: &'v [View<'a>],
    all: u64,
    /// What does not cost less is of no interest.
    limit: u32,
    /// Of the bound, in percent.
    weight: u64,
    /// Most points to visit.
    points: usize,
    records: Vec<Record>,
    known: FxHashMap<Point, u32>,
    lists: Lists,
    /// Ascending by bound, then deepest first.
    queue: BinaryHeap<(Reverse<u32>, u32, Reverse<u32>)>,
}

/// The cheapest set of chains, with help from views of projections, unless none costs less than `known`. The projections are
/// searched first: their optimum is a bound, and may show that the known chains are the cheapest. Then chains are sought with a
/// weight on the bound (I. Pohl, Artificial Intelligence 1 (1970)): good ones, soon, which cut the exact search that follows.
/// Where time runs out the best so far are returned.
///
/// # Panics
/// If there are too many goals.
pub(crate) fn cheapest_chains(
    own: &View<'_>,
    projections: &[View<'_>],
    known: u32,
    session: &Session<'_>,
) -> Result<Cheapest, Stop> {
    let mut cheapest = Cheapest { paths: None, bound: 0 };
    let mut limit = known;
    let points = own.task.attempt.points;
    for projection in projections {
        let bound = match Search::new(projection, &[], known, EXACT, points).run(session)? {
            Ended::Found(paths) => cost(&paths, own.task.reset),
            Ended::AtLeast(cost) => cost,
        };
        cheapest.bound = cheapest.bound.max(bound);
    }
    for (weight, share) in WEIGHTS {
        if cheapest.bound >= limit {
            break;
        }
        match Search::new(own, projections, limit, weight, points / share).run(session) {
            Ok(Ended::Found(paths)) => {
                limit = cost(&paths, own.task.reset);
                cheapest.paths = Some(paths);
                if weight == EXACT {
                    cheapest.bound = limit;
                }
            }
            Ok(Ended::AtLeast(cost)) if weight == EXACT || cost == limit => {
                cheapest.bound = cheapest.bound.max(cost);
            }
            Ok(Ended::AtLeast(_)) => {}
            Err(Stop::Limit(_)) => break,
            Err(halt) => return Err(halt),
        }
    }
    Ok(cheapest)
}

/// The cost of a set of chains.
pub(super) fn cost(paths: &[Path], reset: u32) -> u32 {
    let steps: usize = paths.iter().map(|path| path.inputs.len()).sum();
    steps as u32 + (paths.len() as u32 - 1) * reset
}

impl<'v, 'a> Search<'v, 'a> {
    fn new(own: &'v View<'a>, projections: &'v [View<'a>], limit: u32, weight: u64, points: usize) -> Self {
        let goals = own.task.goals.len();
        assert!(goals <= MOST_GOALS, "a set of goals should fit a word");
        Self {
            space: own.space,
            own,
            projections,
            all: u64::MAX.checked_shr(64 - goals as u32).unwrap_or(0),
            limit,
            weight,
            points,
            records: Vec::new(),
            known: FxHashMap::default(),
            lists: Lists::new(),
            queue: BinaryHeap::new(),
        }
    }
}

impl Search<'_, '_> {
    fn run(mut self, session: &Session<'_>) -> Result<Ended, Stop> {
        for state in 0..self.space.states.initial() as u32 {
            let start = Origin { before: NONE, transition: NONE };
            self.offer(Point { state, begun: 0, active: 0 }, 0, start, IMPOSSIBLE);
        }
        let mut popped = 0usize;
        while let Some((Reverse(bound), cost, Reverse(index))) = self.queue.pop() {
            if self.records[index as usize].cost != cost {
                continue;
            }
            popped += 1;
            if popped.is_multiple_of(4096) {
                session.check_limits()?;
            }
            if self.is_goal(index) {
                return Ok(Ended::Found(self.chains(index)));
            }
            if self.records.len() > self.points {
                return Ok(Ended::AtLeast(bound));
            }
            self.expand(index, bound);
        }
        Ok(Ended::AtLeast(self.limit))
    }

    fn is_goal(&self, index: u32) -> bool {
        let point = &self.records[index as usize].point;
        point.begun == self.all && point.active == 0 && self.space.states.ends(point.state)
    }

    /// The rank of a point in the queue; `None`: of no interest.
    fn rank(&self, point: &Point, cost: u32) -> Option<u32> {
        let to_go = self.to_go(point.state, self.all & !point.begun);
        let weighted = (u64::from(to_go) * self.weight / EXACT).min(u64::from(IMPOSSIBLE)) as u32;
        (sum(cost, to_go) < self.limit).then(|| sum(cost, weighted))
    }

    /// Enters a point whose rank is at most `most`. Otherwise its rank, if it is of interest later.
    fn offer(&mut self, point: Point, cost: u32, origin: Origin, most: u32) -> Option<u32> {
        let known = self.known.get(&point).copied();
        if known.is_some_and(|index| self.records[index as usize].cost <= cost) {
            return None;
        }
        let rank = self.rank(&point, cost)?;
        if rank > most {
            return Some(rank);
        }
        let index = known.unwrap_or(self.records.len() as u32);
        let record = Record { point, cost, origin };
        match self.records.get_mut(index as usize) {
            Some(known) => *known = record,
            None => {
                self.known.insert(point, index);
                self.records.push(record);
            }
        }
        self.queue.push((Reverse(rank), cost, Reverse(index)));
        None
    }

    /// A lower bound of the cost from here to the end.
    fn to_go(&self, state: u32, open: u64) -> u32 {
        let projected = self.projections.iter().map(|view| {
            let numbers = view.numbers.expect("a projection should number the states");
            view.lower(numbers[state as usize], open)
        });
        projected.fold(self.own.lower(state, open), u32::max)
    }

    /// Enters the successors whose rank is at most `rank`, and comes back to the others when it is their turn (T. Yoshizumi,
    /// T. Miura, T. Ishida, A* with partial expansion, AAAI 2000): long chains pass many states whose neighbours never
    /// matter.
    fn expand(&mut self, index: u32, rank: u32) {
        let Record { point, cost, .. } = self.records[index as usize];
        let states = self.space.states;
        let mut later: Option<u32> = None;
        let mut postpone = |rank: Option<u32>| later = later.into_iter().chain(rank).min();
        for (position, transition) in states.numbered_from(point.state) {
            for next in self.successors(point, transition) {
                postpone(self.offer(next, cost + 1, Origin { before: index, transition: position }, rank));
            }
        }
        if point.active == 0 && point.begun != 0 && states.ends(point.state) {
            for state in 0..states.initial() as u32 {
                let fresh = Point { state, begun: point.begun, active: 0 };
                let origin = Origin { before: index, transition: NONE };
                postpone(self.offer(fresh, sum(cost, self.own.task.reset), origin, rank));
            }
        }
        if let Some(later) = later {
            self.queue.push((Reverse(later), cost, Reverse(index)));
        }
    }

    /// The points after one transition.
    fn successors(&mut self, point: Point, transition: Transition) -> Vec<Point> {
        let Some(active) = self.space.advance(self.lists.get(point.active), transition) else {
            return Vec::new();
        };
        let begun = point.begun;
        let Self { space, own, lists, .. } = self;
        let open = own.task.goals.iter().enumerate().filter(|&(position, _)| begun >> position & 1 == 0);
        let beginning = open
            .filter(|&(_, &goal)| space.may_begin(goal, transition))
            .map(|(position, &goal)| (1 << position, goal, space.problem.steps(goal)));
        let point = |(begun, active)| Point { state: transition.to, begun, active: lists.number(active) };
        beginnings(begun, active, beginning).into_iter().map(point).collect()
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
