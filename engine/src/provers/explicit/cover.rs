//! Optimal chains by best-first search over (state, goals begun).
//!
//! A* with the greater of two bounds. One is exact for the order of goals: the cheapest way through
//! the remaining goals by distances between goals (M. Held, R. M. Karp, J. SIAM 10 (1962), dynamic
//! programming over sets), begun from the state at hand. Where legs join freely the search goes
//! straight to the optimum. The other one is exact for the states, for as many goals as a
//! [table](Table) holds: it knows what joints cost. A chain may end (in Final) and another one
//! begin at a price, so the result is the cheapest set of chains.

use super::attempt::Attempt;
use super::distances::Space;
use super::sequence::Path;
use super::windows::{Lists, Point};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::pattern_databases::{Edges, Extras, Table};
use crate::search::best_first::{BestFirst, Expansion, SearchResult, SearchSpace};
use crate::search::held_karp::tails;
use crate::session::{Session, Stop};

/// Most goals that are searched for directly.
pub(crate) const MOST_GOALS: usize = 64;

/// Number of successors of a point that a further one is compared with.
const COMPARED: usize = 12;

/// Cost standing for "impossible".
const IMPOSSIBLE: u32 = u32::MAX;
/// What came of the search for the cheapest chains.
pub(crate) struct Cheapest {
    /// Chains that cost less than the known ones.
    pub(crate) paths: Option<Vec<Path>>,
    /// No set of chains costs less.
    pub(crate) bound: u32,
}

/// Searches from quick to exact: the weight of the bound in percent, and the share of the points it
/// may visit.
const WEIGHTS: [(u64, usize); 4] = [(300, 4), (130, 4), (104, 2), (EXACT, 1)];
/// The weight at which the first chains found are the cheapest.
const EXACT: u64 = 100;

/// What to cover and at which price.
#[derive(Clone)]
pub(crate) struct Coverage<'a> {
    /// The goals, at most [`MOST_GOALS`].
    pub(crate) goals: &'a [Vertex],
    /// Price of a further chain.
    pub(crate) reset: u32,
    /// Steps from each state to where each goal can begin, by position in `goals`.
    pub(crate) to_goal: Vec<&'a [u32]>,
    /// Steps from each state to where a chain may end.
    pub(crate) to_end: &'a [u32],
    /// What may be spent on it.
    pub(crate) attempt: &'a Attempt,
}

/// For each set of goals to come and each first one among them: the least cost from its beginning
/// to the end.
pub(crate) struct Tails {
    goals: usize,
    costs: Vec<u32>,
    from_init: Vec<u32>,
}

impl Tails {
    /// Of no goals: the bounds are 0.
    pub(crate) fn none() -> Self {
        Self { goals: 0, costs: Vec::new(), from_init: Vec::new() }
    }

    pub(crate) fn new(all: &[Vertex], reset: u32, graph: &ReachGraph) -> Self {
        let weight = |source: Vertex, target: Vertex| graph.lower(source, target).unwrap_or(IMPOSSIBLE);
        let from_init: Vec<u32> = all.iter().map(|&goal| weight(Vertex::DEPOT, goal)).collect();
        let leg = |a: usize, b: usize| {
            let restart = sum(sum(weight(all[a], Vertex::DEPOT), reset), from_init[b]);
            weight(all[a], all[b]).min(restart)
        };
        let costs = tails(all.len(), |goal| weight(all[goal], Vertex::DEPOT), leg);
        Self { goals: all.len(), costs, from_init }
    }

    /// A lower bound of the cost from a state with these goals to come to the end.
    fn bound(&self, coverage: &Coverage<'_>, state: u32, open: u64) -> u32 {
        let end = coverage.to_end[state as usize];
        if open == 0 {
            return end;
        }
        if self.goals == 0 {
            return 0;
        }
        let restart = sum(end, coverage.reset);
        let first = (0..self.goals).filter(|goal| open >> goal & 1 == 1);
        let costs = first.map(|goal| {
            let approach = coverage.to_goal[goal][state as usize].min(sum(restart, self.from_init[goal]));
            sum(approach, self.costs[open as usize * self.goals + goal])
        });
        costs.min().unwrap_or(IMPOSSIBLE)
    }
}

/// Also of impossible costs: [`FAR`](crate::search::breadth_first::FAR) is the same number.
pub(super) fn sum(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// A space with bounds of costs in it: the one that is searched, or a projection.
pub(crate) struct View<'a> {
    space: Space<'a>,
    coverage: Coverage<'a>,
    /// For a projection: the number there of each state.
    numbers: Option<&'a [u32]>,
    tails: &'a Tails,
    tables: Vec<Table>,
}

impl<'a> View<'a> {
    /// Computes a first table of the goals that matter most, and a second one that begins with the
    /// others, where the effort is made.
    pub(crate) fn new(
        space: Space<'a>,
        coverage: Coverage<'a>,
        tails: &'a Tails,
        numbers: Option<&'a [u32]>,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<Self, Stop> {
        if !Table::is_worthwhile(&space, coverage.attempt) {
            return Ok(Self { space, coverage, numbers, tails, tables: Vec::new() });
        }
        let edges = Edges::new(&space, &coverage);
        let hardest = |position: &usize| {
            let goal = coverage.goals[*position];
            graph.lower(Vertex::DEPOT, goal).map(|to| sum(to, graph.lower(goal, Vertex::DEPOT).unwrap_or(0)))
        };
        let (mut tables, mut known) = (Vec::new(), 0);
        let extras = Extras::new(&space, &edges, &coverage, session)?;
        for _ in 0..2 {
            let others = (0..coverage.goals.len()).filter(|goal| known >> goal & 1 == 0);
            let Some(seed) = others.max_by_key(hardest) else { break };
            let table = Table::grow(&space, &edges, &coverage, extras.as_ref(), seed, known, session)?;
            known |= table.mask();
            tables.push(table);
        }
        Ok(Self { space, coverage, numbers, tails, tables })
    }

    /// A lower bound of the cost from Init with all goals open.
    fn lower_from_init(&self) -> u32 {
        let all = every(self.coverage.goals.len());
        let initial = 0..self.space.states.initial() as u32;
        initial.map(|state| self.lower(state, all)).min().unwrap_or(0)
    }

    /// A lower bound of the cost from one of the view's states with these goals open.
    fn lower(&self, state: u32, open: u64) -> u32 {
        let tables = self.tables.iter().map(|table| table.bound(state, open));
        tables.fold(self.tails.bound(&self.coverage, state, open), u32::max)
    }
}

/// The points of one search, with bounds.
struct Points<'v, 'a> {
    own: &'v View<'a>,
    /// By set of labels: the goals that begin along its transitions.
    begin: Vec<u64>,
    /// The goals of several steps.
    long: u64,
    projections: &'v [View<'a>],
    all: u64,
    /// What does not cost less is of no interest.
    limit: u32,
    /// Of the bound, in percent.
    weight: u64,
    lists: Lists,
}

/// The cheapest set of chains, with help from views of projections, unless none costs less than
/// `known`. The projections are searched first: their optimum is a bound, and may show that the
/// known chains are the cheapest. Then chains are sought with a weight on the bound (I. Pohl,
/// Artificial Intelligence 1 (1970)): good ones, soon, which cut the exact search that follows.
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
    // What the tables say of Init counts, however the search ends.
    let bound = own.lower_from_init().min(known);
    let mut cheapest = Cheapest { paths: None, bound };
    let mut limit = known;
    let points = own.coverage.attempt.points;
    for projection in projections {
        let bound = match search(projection, &[], known, EXACT, points, session)? {
            SearchResult::Found(paths) => cost(&paths, own.coverage.reset),
            SearchResult::None => known,
            SearchResult::GaveUp { rank } => rank,
        };
        cheapest.bound = cheapest.bound.max(bound);
    }
    for (weight, share) in WEIGHTS {
        if cheapest.bound >= limit {
            break;
        }
        match search(own, projections, limit, weight, points / share, session) {
            Ok(SearchResult::Found(paths)) => {
                limit = cost(&paths, own.coverage.reset);
                cheapest.paths = Some(paths);
                if weight == EXACT {
                    cheapest.bound = limit;
                }
            }
            Ok(SearchResult::None) => cheapest.bound = cheapest.bound.max(limit),
            Ok(SearchResult::GaveUp { rank }) if weight == EXACT => {
                cheapest.bound = cheapest.bound.max(rank);
            }
            Ok(SearchResult::GaveUp { .. }) => {}
            Err(Stop::Limit(_)) => break,
            Err(halt) => return Err(halt),
        }
    }
    Ok(cheapest)
}

/// The set of so many goals.
fn every(goals: usize) -> u64 {
    u64::MAX.checked_shr(64 - goals as u32).unwrap_or(0)
}

/// The cost of a set of chains.
pub(super) fn cost(paths: &[Path], reset: u32) -> u32 {
    let steps: usize = paths.iter().map(|path| path.inputs.len()).sum();
    steps as u32 + (paths.len() as u32 - 1) * reset
}

/// Searches for chains below the limit, with the bound weighted (in percent), among at most so many
/// points.
fn search(
    own: &View<'_>,
    projections: &[View<'_>],
    limit: u32,
    weight: u64,
    points: usize,
    session: &Session<'_>,
) -> Result<SearchResult<Vec<Path>>, Stop> {
    let goals = own.coverage.goals.len();
    assert!(goals <= MOST_GOALS, "a set of goals should fit a word");
    let all = every(goals);
    let View { space, coverage, .. } = own;
    let is_long = |(_, goal): &(usize, &Vertex)| space.task.steps(**goal) > 1;
    let long = coverage.goals.iter().enumerate().filter(is_long).fold(0, |long, (goal, _)| long | 1 << goal);
    let begin = space.beginnings(coverage.goals);
    let space = Points { own, begin, long, projections, all, limit, weight, lists: Lists::new() };
    let states = own.space.states;
    let starts = (0..states.initial() as u32).map(|state| (Point { state, begun: 0, active: 0 }, None));
    let found = BestFirst::new(space, Expansion::Partial, points).run(starts, || session.check_limits())?;
    Ok(found.map(|path| chains(&path, |transition| states.transition(transition).input)))
}

/// The chains of a path: a new one begins where no transition leads to a point.
fn chains(path: &[(Point, Option<u32>)], input: impl Fn(u32) -> u32) -> Vec<Path> {
    let begins = |point: &(Point, Option<u32>)| point.1.is_none();
    let chain = |points: &[(Point, Option<u32>)]| Path {
        start: points[0].0.state,
        inputs: points.iter().filter_map(|&(_, transition)| transition.map(&input)).collect(),
    };
    path.chunk_by(|_, next| !begins(next)).map(chain).collect()
}

impl SearchSpace for Points<'_, '_> {
    type Node = Point;
    /// Position of the transition; `None`: a chain ended before, if there was one, and another one
    /// begins here.
    type Edge = Option<u32>;

    fn is_goal(&mut self, point: Point) -> bool {
        point.begun == self.all && point.active == 0 && self.own.space.states.ends(point.state)
    }

    fn rank(&mut self, point: Point, cost: u32) -> Option<u32> {
        let to_go = self.to_go(point.state, self.all & !point.begun);
        let weighted = (u64::from(to_go) * self.weight / EXACT).min(u64::from(IMPOSSIBLE)) as u32;
        (sum(cost, to_go) < self.limit).then(|| sum(cost, weighted))
    }

    fn successors(&mut self, point: Point, found: &mut Vec<(Point, Option<u32>, u32)>) {
        let Self { own: View { space, coverage, .. }, begin, long, lists, .. } = self;
        let Space { task, step, states } = space;
        for (position, transition) in states.numbered_from(point.state) {
            let begin = begin[transition.labels as usize];
            if point.active == 0 && begin & *long & !point.begun == 0 {
                let next = Point { state: transition.to, begun: point.begun | begin, active: 0 };
                let is_known = |(known, ..): &(Point, _, _)| *known == next;
                if !found.iter().rev().take(COMPARED).any(is_known) {
                    found.push((next, Some(position), 1));
                }
                continue;
            }
            let goals = coverage.goals.iter().enumerate().map(|(position, &goal)| (1 << position, goal));
            let has = |vertex, matched| states.has(transition, step.label(vertex, matched));
            let next = lists.after(point, transition.to, task, has, goals);
            found.extend(next.map(|next| (next, Some(position), 1)));
        }
        if point.active == 0 && point.begun != 0 && states.ends(point.state) {
            let fresh = |state| (Point { state, begun: point.begun, active: 0 }, None, coverage.reset);
            found.extend((0..states.initial() as u32).map(fresh));
        }
    }
}

impl Points<'_, '_> {
    /// A lower bound of the cost from here to the end.
    fn to_go(&self, state: u32, open: u64) -> u32 {
        let projected = self.projections.iter().map(|view| {
            let numbers = view.numbers.expect("a projection should number the states");
            view.lower(numbers[state as usize], open)
        });
        projected.fold(self.own.lower(state, open), u32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::{Task, all_goals};
    use crate::options::Options;
    use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
    use crate::provers::explicit::{Explicit, Limits};
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;

    /// A hall with goals in its corners and in the middle.
    const HALL: &str = "system hall input go w2
        state x w3 init 0 next (ite (eq go 0) (add x 1) (ite (and (eq go 1) (ult 0 x)) (sub x 1) x))
        state y w3 init 0 next (ite (eq go 2) (add y 1) (ite (and (eq go 3) (ult 0 y)) (sub y 1) y))
        goal a when (and (eq x 7) (eq y 0)) goal b when (and (eq x 0) (eq y 5)) goal c when (and (eq x 5) (eq y 6))
        goal d when (and (eq x 3) (eq y 3)) goal e when (and (eq x 4) (eq y 1)) goal f when (and (eq x 2) (eq y 7))
        end (and (eq x 0) (eq y 0))";

    #[test]
    fn searches_that_give_up_claim_no_more_than_the_optimum() {
        let system = validate(parse(HALL).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one initial state") };
        let limits = Limits { states: 1_000, classes: 100, outcomes: false, work: u64::MAX };
        let Ok(Some(mut explicit)) = Explicit::enumerate(&task, &initial, limits, &session) else {
            panic!("few states")
        };
        let goals: Vec<Vertex> = task.vertices().collect();
        let mut graph = task.empty_graph();
        explicit.deepen(Vertex::DEPOT, &[], &mut graph, &session).unwrap_or_else(|_| panic!("no limit"));
        let mut cheapest = |explicit: &mut Explicit<'_>, known: Option<(usize, u64)>| {
            let found = explicit.cheapest_chains(&goals, None, known, Search::Thorough, &mut graph, &session);
            let Ok(Chains::Bounded { chains, steps, .. }) = found else {
                panic!("bounds of the cheapest chains")
            };
            (chains, steps)
        };
        let optimum = cheapest(&mut explicit, None);
        assert_eq!(optimum.0, 1);
        let brief = Attempt { points: 0, ..Attempt::LADDER[0] };
        let attempts = (1..150).map(|points| Attempt { points, ..brief }).collect::<Vec<_>>();
        let attempts: &'static [Attempt] = attempts.leak();
        for attempt in attempts {
            explicit.attempts = std::slice::from_ref(attempt);
            for further in 1..60 {
                let claimed = cheapest(&mut explicit, Some((1, optimum.1 + further)));
                assert!(claimed <= optimum, "{claimed:?} where {optimum:?} is possible: {attempt:?}");
            }
        }
    }
}
