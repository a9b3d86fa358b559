//! Shorter chains by solving windows of a chain again.
//!
//! Between two of its states a chain covers some goals that it covers nowhere else. Any shorter run between these states that covers
//! them, in whatever order, makes the chain shorter. The state at the end need not even be the same: it must agree in the bits that the
//! rest of the chain depends on, which are found by running the rest with each bit flipped in turn. Every changed chain
//! is run by the evaluator before it takes the place of the old one, and only a shorter one does.

use super::check::{Candidate, cut};
use super::follow;
use crate::pipeline::EngineError;
use crate::problem::Problem;
use crate::reach::graph::ReachGraph;
use crate::reach::guided::{End, Errand, Guided, MOST_GOALS, Rest, Walk, Wanted};
use crate::reach::sample::Random;
use crate::stats::{Context, Halt};
use model::trace::Trace;

/// Points that the search for one window may visit.
const POINTS: usize = 30_000;

/// Most disturbed orders that are tried in one go.
const MOST_ROUNDS: usize = 100;

/// Makes one chain shorter; see the module text.
pub(crate) struct Improver<'c, 's, 'g> {
    problem: &'c Problem<'s>,
    guided: &'c mut Guided<'g>,
    graph: &'c ReachGraph,
    context: &'c Context<'c>,
    /// What the chain must cover.
    goals: Vec<usize>,
    chain: Candidate,
    /// Points that may be visited in all, counted from the guide's beginning.
    until: u64,
}

/// A goal's place in a chain: its first step and the step after its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    begin: usize,
    end: usize,
    goal: usize,
}

impl<'c, 's, 'g> Improver<'c, 's, 'g> {
    /// For a chain that covers these goals, in a graph of lower bounds.
    pub(crate) fn new(
        problem: &'c Problem<'s>,
        guided: &'c mut Guided<'g>,
        graph: &'c ReachGraph,
        context: &'c Context<'c>,
        goals: &[usize],
        chain: Candidate,
        until: u64,
    ) -> Self {
        Self { problem, guided, graph, context, goals: goals.to_vec(), chain, until }
    }

    /// Solves all windows of up to `widest` goals again until none of them gets shorter, or the chain has `target` steps. A limit
    /// that is reached meanwhile leaves the chain as short as it was.
    pub(crate) fn settle(mut self, widest: usize, target: u64) -> Result<Candidate, Halt> {
        let mut width = 1;
        while width <= widest.min(MOST_GOALS) && self.may_go_on(target) {
            match self.sweep(width) {
                Ok(true) => width = 1,
                Ok(false) => width = if width < 3 { width + 1 } else { width + 2 },
                Err(Halt::Stopped(_)) => break,
                Err(halt) => return Err(halt),
            }
        }
        Ok(self.chain)
    }

    fn may_go_on(&self, target: u64) -> bool {
        u64::from(self.chain.length()) > target && self.guided.visited() < self.until
    }

    /// Solves the windows of so many goals from front to back. `true`: the chain got shorter.
    fn sweep(&mut self, width: usize) -> Result<bool, Halt> {
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
        let visit = |&goal: &usize| {
            let begin = self.chain.run.occurrences[self.problem.goal(goal)][0].step;
            Visit { begin, end: begin + self.problem.steps(goal) as usize, goal }
        };
        let mut visits: Vec<Visit> = self.goals.iter().map(visit).collect();
        visits.sort_unstable();
        visits
    }

    /// Looks for a shorter way between two states of the chain (`None`: to Final). `true`: there is one.
    fn solve_again(&mut self, begin: usize, end: Option<usize>) -> Result<bool, Halt> {
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
            let hopeless = !matches!(walk, Walk::Found(_)) || mask == exact;
            if self.take(begin, last, walk)? {
                return Ok(true);
            }
            if hopeless {
                return Ok(false);
            }
            mask.clone_from(&exact);
        }
    }

    /// The goals that are covered between two steps only, and those visited in the rest, with their first steps there.
    fn split(&self, begin: usize, end: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
        let (mut wanted, mut later) = (Vec::new(), Vec::new());
        for &goal in &self.goals {
            let steps = self.problem.steps(goal) as usize;
            let begins = || {
                self.chain.run.occurrences[self.problem.goal(goal)].iter().map(|occurrence| occurrence.step)
            };
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

    fn walk(&mut self, from: &[u64], wanted: &[usize], end: End<'_>, steps: usize) -> Result<Walk, Halt> {
        let wanted = Wanted::All(wanted);
        let errand = Errand { from, wanted, end, steps: steps as u32, points: POINTS };
        self.guided.walk(errand, self.graph, self.context)
    }

    /// Puts a walk in place of the steps from `begin` to `end`, if the chain then is one and is shorter.
    fn take(&mut self, begin: usize, end: usize, walk: Walk) -> Result<bool, EngineError> {
        let Walk::Found(classes) = walk else { return Ok(false) };
        let old = &self.chain.trace;
        let parts = [&old.inputs[..begin], &self.guided.inputs(&classes), &old.inputs[end..]];
        let trace = Trace { start: old.start.clone(), inputs: parts.concat() };
        match cut(self.problem, &trace, &self.goals)? {
            Some(chain) if chain.length() < self.chain.length() => {
                self.chain = chain;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Makes a chain shorter by its windows, then again and again from orders that are a little different, as long as the effort
/// allows; never longer.
pub(crate) fn improve(
    problem: &Problem<'_>,
    guided: &mut Guided<'_>,
    graph: &ReachGraph,
    context: &Context<'_>,
    search: Improvement<'_>,
) -> Result<Candidate, Halt> {
    let Improvement { chain, goals, target, points, random } = search;
    let until = guided.visited() + points;
    let settle = |guided: &mut Guided<'_>, chain| {
        Improver::new(problem, guided, graph, context, goals, chain, until).settle(MOST_GOALS, target)
    };
    let mut best = settle(guided, chain)?;
    let rounds = if goals.len() > MOST_GOALS { MOST_ROUNDS } else { 0 };
    for _ in 0..rounds {
        if u64::from(best.length()) <= target || guided.visited() >= until || context.stopped().is_some() {
            break;
        }
        let order = disturbed(order(problem, &best, goals), random);
        let other = match follow::chains(problem, guided, &[order], graph, context) {
            Ok(chains) => chains,
            Err(Halt::Stopped(_)) => break,
            Err(halt) => return Err(halt),
        };
        let [other] = &other[..] else { continue };
        let Some(other) = cut(problem, &other.trace, goals)? else { continue };
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
    pub(crate) chain: Candidate,
    /// What it must cover.
    pub(crate) goals: &'a [usize],
    /// No chain is shorter: improvement ends there.
    pub(crate) target: u64,
    /// Points of search that it may cost.
    pub(crate) points: u64,
    /// Where the disturbances come from.
    pub(crate) random: &'a mut Random,
}

/// The goals by their first visits.
fn order(problem: &Problem<'_>, chain: &Candidate, goals: &[usize]) -> Vec<usize> {
    let first = |&goal: &usize| (chain.run.occurrences[problem.goal(goal)][0].step, goal);
    let mut visits: Vec<(usize, usize)> = goals.iter().map(first).collect();
    visits.sort_unstable();
    visits.into_iter().map(|(_, goal)| goal).collect()
}

/// The order with two neighbouring parts exchanged (a local double bridge).
fn disturbed(mut order: Vec<usize>, random: &mut Random) -> Vec<usize> {
    let longest = (order.len() / 3).clamp(1, 12);
    let (first, second) = (1 + random.below(longest), 1 + random.below(longest));
    if first + second <= order.len() {
        let at = random.below(order.len() - first - second + 1);
        order[at..at + first + second].rotate_left(first);
    }
    order
}
