//! Shorter chains by solving windows of a chain again.
//!
//! Between two of its states a chain covers some goals that it covers nowhere else. Any shorter run
//! between these states that covers them, in whatever order, makes the chain shorter. The state at
//! the end need not even be the same: it must agree in the bits that the rest of the chain depends
//! on, which are found by running the rest with each bit flipped in turn. Every changed chain is
//! run by the evaluator before it takes the place of the old one, and only a shorter one does.

use super::follow;
use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, cut};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::{End, Guided, MOST_GOALS, Rest, Subproblem, Wanted};
use crate::random_simulation::Random;
use crate::search::best_first::SearchResult;
use crate::session::{Session, Stop};

/// Points that the search for one window may visit.
const POINTS: usize = 30_000;

/// Most disturbed orders that are tried in one go.
const MOST_ROUNDS: usize = 100;

/// Makes one chain shorter; see the module text.
pub(crate) struct Improver<'c, 's, 'g> {
    task: &'c Task<'s>,
    guided: &'c mut Guided<'g>,
    graph: &'c ReachGraph,
    session: &'c Session<'c>,
    /// What the chain must cover.
    goals: Vec<Vertex>,
    chain: CheckedChain,
    /// Points that may be visited in all, counted from the guide's beginning.
    until: u64,
}

/// A goal's place in a chain: its first step and the step after its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    begin: usize,
    end: usize,
    goal: Vertex,
}

impl<'c, 's, 'g> Improver<'c, 's, 'g> {
    /// For a chain that covers these goals, in a graph of lower bounds.
    pub(crate) fn new(
        task: &'c Task<'s>,
        guided: &'c mut Guided<'g>,
        graph: &'c ReachGraph,
        session: &'c Session<'c>,
        goals: &[Vertex],
        chain: CheckedChain,
        until: u64,
    ) -> Self {
        Self { task, guided, graph, session, goals: goals.to_vec(), chain, until }
    }

    /// Solves all windows of up to `widest` goals again until none of them gets shorter, or the
    /// chain has `target` steps. A limit that is reached meanwhile leaves the chain as short as it
    /// was.
    pub(crate) fn settle(mut self, widest: usize, target: u64) -> Result<CheckedChain, Stop> {
        let mut width = 1;
        while width <= widest.min(MOST_GOALS) && self.may_go_on(target) {
            match self.sweep(width) {
                Ok(true) => width = 1,
                Ok(false) => width = if width < 3 { width + 1 } else { width + 2 },
                Err(Stop::Limit(_)) => break,
                Err(halt) => return Err(halt),
            }
        }
        Ok(self.chain)
    }

    fn may_go_on(&self, target: u64) -> bool {
        u64::from(self.chain.length()) > target && self.guided.visited() < self.until
    }

    /// Solves the windows of so many goals from front to back. `true`: the chain got shorter.
    fn sweep(&mut self, width: usize) -> Result<bool, Stop> {
        let (mut first, mut shorter) = (0, false);
        loop {
            let visits = self.visits();
            if (first == 0 || first + width <= visits.len()) && self.guided.visited() < self.until {
                let begin = if first == 0 { 0 } else { visits[first - 1].end };
                let end = visits.get(first + width).map(|visit| visit.begin);
                shorter |= self.solve_again(begin, end)?;
                first += width.div_ceil(2);
            } else {
                return Ok(shorter);
            }
        }
    }

    /// The first visits of the goals in order.
    fn visits(&self) -> Vec<Visit> {
        let visit = |&goal: &Vertex| {
            let begin = self.chain.run.occurrences[self.task.goal(goal)][0].step;
            Visit { begin, end: begin + self.task.steps(goal) as usize, goal }
        };
        let mut visits: Vec<Visit> = self.goals.iter().map(visit).collect();
        visits.sort_unstable();
        visits
    }

    /// Looks for a shorter way between two states of the chain (`None`: to Final). `true`: there is
    /// one.
    fn solve_again(&mut self, begin: usize, end: Option<usize>) -> Result<bool, Stop> {
        // What a window's end needs may take longer to find out than the search for a shorter way.
        self.session.check_limits()?;
        let length = self.chain.trace.inputs.len();
        let last = end.unwrap_or(length);
        if last <= begin {
            return Ok(false);
        }
        let (wanted, later) = self.split(begin, last);
        if wanted.len() > MOST_GOALS {
            return Ok(false);
        }
        let from = self.guided.pack(&self.chain.run.states[begin]);
        let Some(last) = end else {
            let walk = self.walk(&from, &wanted, End::Final, length - begin - 1)?;
            return Ok(self.take(begin, length, walk)?);
        };
        let state = self.guided.pack(&self.chain.run.states[last]);
        let rest = Rest { inputs: &self.chain.trace.inputs[last..], begins: &later };
        let mut mask = self.guided.needed_bits(&state, &rest);
        let exact = vec![u64::MAX; mask.len()];
        loop {
            let walk =
                self.walk(&from, &wanted, End::Like { state: &state, mask: &mask }, last - begin - 1)?;
            let hopeless = !matches!(walk, SearchResult::Found(_)) || mask == exact;
            if self.take(begin, last, walk)? {
                return Ok(true);
            }
            if hopeless {
                return Ok(false);
            }
            mask.clone_from(&exact);
        }
    }

    /// The goals that are covered between two steps only, and those visited in the rest, with their
    /// first steps there.
    fn split(&self, begin: usize, end: usize) -> (Vec<Vertex>, Vec<(Vertex, usize)>) {
        let (mut wanted, mut later) = (Vec::new(), Vec::new());
        for &goal in &self.goals {
            let steps = self.task.steps(goal) as usize;
            let begins =
                || self.chain.run.occurrences[self.task.goal(goal)].iter().map(|occurrence| occurrence.step);
            if begins().any(|at| at + steps <= begin) {
                continue;
            }
            match begins().find(|&at| at >= end) {
                Some(at) => later.push((goal, at - end)),
                None => wanted.push(goal),
            }
        }
        (wanted, later)
    }

    fn walk(
        &mut self,
        from: &[u64],
        wanted: &[Vertex],
        end: End<'_>,
        steps: usize,
    ) -> Result<SearchResult<Vec<u32>>, Stop> {
        let wanted = Wanted::All(wanted);
        let subproblem = Subproblem { from, wanted, end, steps: steps as u32, points: POINTS };
        self.guided.solve(subproblem, self.graph, self.session)
    }

    /// Puts a walk in place of the steps from `begin` to `end`, if the chain then is one and is
    /// shorter.
    fn take(&mut self, begin: usize, end: usize, walk: SearchResult<Vec<u32>>) -> Result<bool, EngineError> {
        let SearchResult::Found(classes) = walk else { return Ok(false) };
        let way = self.guided.inputs(&classes);
        let Some(shorter) = self.chain.shortened(self.task, begin..end, &way, &self.goals)? else {
            return Ok(false);
        };
        self.chain = shorter;
        Ok(true)
    }
}

/// Makes a chain shorter by its windows, then again and again from orders that are a little
/// different, as long as the effort allows; never longer.
pub(crate) fn improve(
    task: &Task<'_>,
    guided: &mut Guided<'_>,
    graph: &ReachGraph,
    session: &Session<'_>,
    search: Improvement<'_>,
) -> Result<CheckedChain, Stop> {
    let Improvement { chain, goals, target, points, random } = search;
    let until = guided.visited() + points;
    let settle = |guided: &mut Guided<'_>, chain| {
        Improver::new(task, guided, graph, session, goals, chain, until).settle(MOST_GOALS, target)
    };
    let mut best = settle(guided, chain)?;
    let rounds = if goals.len() > MOST_GOALS { MOST_ROUNDS } else { 0 };
    for _ in 0..rounds {
        if u64::from(best.length()) <= target || guided.visited() >= until || session.stopped().is_some() {
            break;
        }
        let order = disturbed(visited_order(task, &best, goals), random);
        let other = match follow::chains(task, guided, &[order], graph, session) {
            Ok(chains) => chains,
            Err(Stop::Limit(_)) => break,
            Err(halt) => return Err(halt),
        };
        let [other] = &other[..] else { continue };
        let Some(other) = cut(task, &other.trace, goals)? else { continue };
        let other = settle(guided, other)?;
        if other.length() <= best.length() {
            best = other;
        }
    }
    Ok(best)
}

/// What [`improve`] starts from and how long it goes on.
pub(crate) struct Improvement<'a> {
    /// The chain.
    pub(crate) chain: CheckedChain,
    /// What it must cover.
    pub(crate) goals: &'a [Vertex],
    /// No chain is shorter: improvement ends there.
    pub(crate) target: u64,
    /// Points of search that it may cost.
    pub(crate) points: u64,
    /// Where the disturbances come from.
    pub(crate) random: &'a mut Random,
}

/// The goals, all of which the chain covers, by their first visits.
pub(crate) fn visited_order(task: &Task<'_>, chain: &CheckedChain, goals: &[Vertex]) -> Vec<Vertex> {
    let first = |&goal: &Vertex| (chain.run.occurrences[task.goal(goal)][0].step, goal);
    let mut visits: Vec<(usize, Vertex)> = goals.iter().map(first).collect();
    visits.sort_unstable();
    visits.into_iter().map(|(_, goal)| goal).collect()
}

/// The order with two neighbouring parts exchanged (a local double bridge).
fn disturbed(mut order: Vec<Vertex>, random: &mut Random) -> Vec<Vertex> {
    let longest = (order.len() / 3).clamp(1, 12);
    let (first, second) = (1 + random.below(longest), 1 + random.below(longest));
    if first + second <= order.len() {
        let at = random.below(order.len() - first - second + 1);
        order[at..at + first + second].rotate_left(first);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::accept;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;
    use model::value::Value;

    /// A shuttle on 8 x 8 places; at each one a lamp can be switched.
    const HALL: &str = "
        input go w3
        state x w3 next (ite (and (eq go 1) (ult x 7)) (add x 1) (ite (and (eq go 2) (ult 0 x)) (sub x 1) x))
        state y w3 next (ite (and (eq go 3) (ult y 7)) (add y 1) (ite (and (eq go 4) (ult 0 y)) (sub y 1) y))
        state lamp w1 next (ite (eq go 5) (not lamp) lamp)
        goal a when (and (eq x 2) (eq y 3) (eq go 5))
        goal b when (and (eq x 6) (eq y 1) (eq lamp 1))
        goal c when (and (eq x 1) (eq y 6) (eq lamp 0))
        goal d when (and (eq x 5) (eq y 5) (eq go 5))
        goal e when (and (eq x 3) (eq x@1 3) (eq y 0) (eq y@1 0) (eq lamp@1 1))
        goal f when (and (eq x 7) (eq y 7) (eq lamp 1))
        goal h when (and (eq x 0) (eq y 4) (eq go 5))
        goal i when (and (eq x 4) (eq y 2) (eq lamp 0))
        goal j when (and (eq x 2) (eq y 7) (eq go 5))
        goal k when (and (eq x 7) (eq y 3) (eq lamp 0))
        goal l when (and (eq x 1) (eq y 1) (eq lamp 1))
        end (and (eq x 0) (eq y 0))";

    /// Legs of one goal after the other in the order of their names, each with a walk into a corner
    /// before it.
    fn poor_chain(task: &Task<'_>, guided: &mut Guided<'_>, session: &Session<'_>) -> CheckedChain {
        let graph = task.empty_graph();
        let goals: Vec<Vertex> = task.vertices().collect();
        let inputs = |go: u128, times: usize| vec![vec![Value::new(Sort::word(3), go)]; times];
        let mut trace = Trace { start: Start::Initial(Vec::new()), inputs: Vec::new() };
        for &goal in &goals {
            trace.inputs.extend([inputs(1, 7), inputs(3, 7)].concat());
            let state = task.replay(&trace).expect("a run").states.pop().expect("a state");
            let from = guided.pack(&state);
            let subproblem = Subproblem {
                from: &from,
                wanted: Wanted::All(&[goal]),
                end: End::Anywhere,
                steps: 90,
                points: 90_000,
            };
            let Ok(SearchResult::Found(classes)) = guided.solve(subproblem, &graph, session) else {
                panic!("a way to each goal")
            };
            trace.inputs.extend(guided.inputs(&classes));
        }
        trace.inputs.extend([inputs(2, 7), inputs(4, 7)].concat());
        accept(task, &trace, &goals).expect("a chain")
    }

    #[test]
    fn a_poor_chain_gets_much_shorter_and_a_good_one_never_longer() {
        let system = validate(parse(HALL).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one initial state") };
        let Ok(Some(mut guided)) = Guided::new(&task, initial, &session) else { panic!("a small step") };
        let mut graph = task.empty_graph();
        guided.enter_bounds(&mut graph);
        let goals: Vec<Vertex> = task.vertices().collect();
        let mut chain = poor_chain(&task, &mut guided, &session);
        let poor = chain.length();
        let mut random = Random::new(1);
        for _ in 0..3 {
            let before = chain.length();
            let search =
                Improvement { chain, goals: &goals, target: 0, points: 150_000, random: &mut random };
            let Ok(better) = improve(&task, &mut guided, &graph, &session, search) else {
                panic!("no limit")
            };
            assert!(better.length() <= before);
            let again = accept(&task, &better.trace, &goals).expect("a chain that the evaluator accepts");
            assert_eq!(again.length(), better.length());
            chain = better;
        }
        assert!(chain.length() <= 60, "{poor} steps became {}", chain.length());
    }

    #[test]
    fn disturbances_keep_all_goals() {
        let mut random = Random::new(3);
        for size in 1..30 {
            let mut order = disturbed(Vertex::goals(size).collect(), &mut random);
            order.sort_unstable();
            assert_eq!(order, Vertex::goals(size).collect::<Vec<_>>());
        }
    }
}
