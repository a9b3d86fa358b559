//! Order, concretise, learn, until the chain is as long as the bound.
//!
//! 1. The best order under all bounds known so far gives a lower bound for every chain.
//! 2. Distances on it that are only bounded so far are asked one step deeper, and the order is sought again.
//! 3. An order of known distances is concretised. A run of its length is a proven-minimal chain.
//! 4. If there is none, the true costs of its sub-paths are learned, shortest windows first, and the order is sought again.
//! 5. Meanwhile repaired orders give chains that are longer than the bound, and latched queries close the gap
//!    between the two from both sides.
//!
//! The depth up to which distances are asked for is never guessed: a distance that matters for the bound is asked for,
//! and no other.

use crate::chain::check::{Candidate, accept, longest_run};
use crate::chain::latched::{Knowledge, Latched};
use crate::chain::windows::WindowBook;
use crate::order::plan::{Plan, Planned, plan};
use crate::outcome::Minimality;
use crate::problem::Problem;
use crate::reach::graph::ReachGraph;
use crate::reach::oracle::{Answer, Chains, Effort, Oracle};
use crate::stats::{Context, Halt};
use crate::strategy::greedy;
use crate::strategy::reachable::{PATIENCE, Statuses, settle_ends};
use crate::strategy::{Findings, total};
use rustc_hash::FxHashSet;
use solver::atsp::{self, WarmStart};

/// Conflicts that one step of learning may cost.
const LEARNING_EFFORT: Effort = Effort::Conflicts(50_000);
/// Conflicts that the first latched query may cost; doubled from round to round.
const FIRST_LATCHED_EFFORT: u64 = 2_000;
/// Lengths that are refuted in one go while no chain is known.
const STRIDE: u64 = 8;
/// Greatest number of clauses a latched query may add for pairs of goals.
const LATCHED_CLAUSES: u64 = 3_000_000;

/// The state of the search; see the module text.
pub(crate) struct Exact<'c, 's, O> {
    problem: &'s Problem<'s>,
    context: &'c Context<'c>,
    oracle: O,
    graph: ReachGraph,
    book: WindowBook,
    statuses: Statuses,
    goals: Vec<usize>,
    /// No fewer chains cover the goals.
    chains: usize,
    /// No set of so many chains has a smaller total length.
    bound: u64,
    best: Vec<Candidate>,
    latched_effort: u64,
    /// Pairs that are not deepened any further.
    abandoned: FxHashSet<(usize, usize)>,
    /// The number of chains and the bound that were proven before abandoned pairs and windows were assumed impossible; from
    /// then on `chains` and `bound` hold under that assumption only.
    proven: Option<(usize, u64)>,
}

impl<'c, 's, O: Oracle> Exact<'c, 's, O> {
    pub(crate) fn new(problem: &'s Problem<'s>, oracle: O, context: &'c Context<'c>) -> Self {
        Self {
            problem,
            context,
            oracle,
            graph: problem.empty_graph(),
            book: WindowBook::default(),
            statuses: vec![None; problem.len() + 1],
            goals: Vec::new(),
            chains: 1,
            bound: 0,
            best: Vec::new(),
            latched_effort: FIRST_LATCHED_EFFORT,
            abandoned: FxHashSet::default(),
            proven: None,
        }
    }

    /// Runs the search to its end or to a limit, and says what it came to and why it ended.
    pub(crate) fn run(mut self) -> (Findings, Result<(), Halt>) {
        let ended = self.search();
        let (chains, bound) = self.proven.unwrap_or((self.chains, self.bound));
        // A search that was stopped before it knew which goals can be covered has shown nothing.
        let nothing_to_cover = ended.is_ok() && self.goals.is_empty();
        let met = nothing_to_cover
            || (!self.best.is_empty() && self.best.len() == chains && total(&self.best) <= bound);
        let minimal = match (met, self.best.is_empty()) {
            (true, _) => Minimality::Proven,
            (false, true) => Minimality::Unknown,
            (false, false) => Minimality::Gap,
        };
        let lower_bound =
            if self.best.is_empty() || self.best.len() == chains { bound } else { self.least() };
        let findings = Findings {
            chains: self.best,
            statuses: self.statuses,
            lower_bound,
            minimal,
            depth: self.graph.depth(),
            solver: self.oracle.solver_name(),
            graph: Some(self.graph),
            notes: Vec::new(),
        };
        (findings, ended)
    }

    fn search(&mut self) -> Result<(), Halt> {
        let context = self.context;
        context.stage("graph", || {
            settle_ends(self.problem, &mut self.oracle, &mut self.graph, &mut self.statuses, context)
        })?;
        self.goals = self.problem.vertices().filter(|&goal| self.statuses[goal].is_none()).collect();
        if self.goals.is_empty() {
            return Ok(());
        }
        let first = context.stage("chain", || {
            greedy::chains(self.problem, &self.goals, &mut self.oracle, &self.graph, context)
        })?;
        self.offer(first);
        if context.stage("chain", || self.search_directly())? {
            return Ok(());
        }
        while !self.is_closed() && self.round()? {}
        Ok(())
    }

    /// A bound for any number of chains: the farthest goal must be covered by one of them.
    fn least(&self) -> u64 {
        let alone = |&goal: &usize| Some(u64::from(self.graph.lower(0, goal)? + self.graph.lower(goal, 0)?));
        self.goals.iter().filter_map(alone).max().unwrap_or(0)
    }

    /// Asks the oracle for the cheapest chains at once.
    fn search_directly(&mut self) -> Result<bool, Halt> {
        let reset = self.context.options.reset_cost;
        let known = (!self.best.is_empty()).then(|| (self.best.len(), total(&self.best)));
        let answer = self.oracle.cheapest_chains(&self.goals, reset, known, &mut self.graph, self.context)?;
        let Chains::Bounded { better, chains, steps } = answer else { return Ok(false) };
        (self.chains, self.bound) = (chains, steps);
        if let Some(traces) = better {
            self.best.clear();
            for trace in &traces {
                let whole = longest_run(self.problem, trace)?;
                let covers = |&goal: &usize| whole.covers(self.problem.goal(goal));
                let covered: Vec<usize> = self.goals.iter().copied().filter(covers).collect();
                self.best.push(accept(self.problem, trace, &covered)?);
            }
        }
        self.report();
        Ok(self.is_closed())
    }

    /// Whether the best chains are as few and as short as is possible.
    fn is_closed(&self) -> bool {
        self.goals.is_empty() || self.best_total().is_some_and(|total| total <= self.bound)
    }

    /// The total length of the best chains, if there are no more than needed.
    fn best_total(&self) -> Option<u64> {
        (!self.best.is_empty() && self.best.len() <= self.chains).then(|| total(&self.best))
    }

    fn offer(&mut self, chains: Vec<Candidate>) {
        let key = |chains: &[Candidate]| (chains.len(), total(chains));
        if !chains.is_empty() && (self.best.is_empty() || key(&chains) < key(&self.best)) {
            self.best = chains;
        }
        self.report();
    }

    fn report(&self) {
        let best = (!self.best.is_empty()).then(|| total(&self.best));
        self.context.progress.update(self.graph.depth(), self.goals.len(), best, self.bound);
    }

    /// One round of the loop; `false`: nothing can be learned any more within the options.
    fn round(&mut self) -> Result<bool, Halt> {
        self.context.check_limits()?;
        let planned = self.context.stage("order", || self.plan());
        let plan = match planned {
            Planned::Plan(plan) => plan,
            Planned::Impossible if self.chains < self.goals.len() => {
                (self.chains, self.bound) = (self.chains + 1, 0);
                return Ok(true);
            }
            Planned::Impossible => return Ok(false),
            Planned::Unknown { lower_bound } => {
                self.bound = self.bound.max(lower_bound);
                return self.close_gap();
            }
        };
        if self.proven.is_none() && self.needs_abandoned(&plan) {
            self.proven = Some((self.chains, self.bound.max(plan.lower_bound)));
            return Ok(true);
        }
        self.bound = self.bound.max(plan.lower_bound);
        self.report();
        if self.is_hopeless() {
            self.assume_more_chains();
            return Ok(true);
        }
        if self.is_closed() || self.context.stage("graph", || self.deepen(&plan))? {
            return Ok(true);
        }
        let context = self.context;
        if context.stage("chain", || self.concretise(&plan))? {
            return Ok(true);
        }
        let learned = context.stage("chain", || self.learn(&plan))?;
        context.stage("chain", || self.stretch(&plan))?;
        let closing = !self.is_closed() && context.stage("latched", || self.close_gap())?;
        Ok(learned || closing || self.is_closed())
    }

    fn plan(&self) -> Planned {
        let options = atsp::Options {
            seed: self.context.options.seed,
            deadline: self.context.options.deadline,
            stop: Some(self.context.options.stop.clone()),
        };
        let known = WarmStart { tour: None, lower_bound: self.bound };
        let assuming = self.proven.is_some();
        let distance = |source: usize, target: usize| {
            let assumed = assuming && self.abandoned.contains(&(source, target));
            self.graph.lower(source, target).filter(|_| !assumed)
        };
        let assumed = assuming.then(|| self.book.assumed());
        let windows = assumed.as_deref().unwrap_or(self.book.learned());
        plan(distance, &self.goals, windows, self.chains, &known, &options)
    }

    /// Whether so few chains were sought far beyond the length at which more chains do.
    fn is_hopeless(&self) -> bool {
        let known = if self.best.is_empty() { u64::from(self.patience()) } else { total(&self.best) };
        self.best_total().is_none() && self.chains < self.goals.len() && self.bound > 2 * known + 16
    }

    /// Goes on as if so few chains were impossible.
    fn assume_more_chains(&mut self) {
        self.proven.get_or_insert((self.chains, self.bound));
        (self.chains, self.bound) = (self.chains + 1, 0);
    }

    /// Whether the plan rests on something that was abandoned.
    fn needs_abandoned(&self, plan: &Plan) -> bool {
        let abandoned = |order: &Vec<usize>| {
            legs(order).any(|leg| self.abandoned.contains(&leg)) || self.book.holds_abandoned(&whole(order))
        };
        plan.orders.iter().any(abandoned)
    }

    /// The depth beyond which a distance is not sought any further.
    fn patience(&self) -> u32 {
        self.context.options.max_k.unwrap_or(PATIENCE + 3 * self.graph.farthest())
    }

    /// Asks one step deeper for the distances of the plan that are not known, or abandons them. `false`: all are known.
    fn deepen(&mut self, plan: &Plan) -> Result<bool, Halt> {
        let mut targets = self.goals.clone();
        if self.problem.has_end() {
            targets.push(0);
        }
        let limit = self.patience();
        let mut asked = false;
        for (source, target) in plan.orders.iter().flat_map(|order| legs(order)) {
            if self.graph.is_settled(source, target) {
                continue;
            }
            if self.graph.lower(source, target) <= Some(limit) {
                self.oracle.deepen(source, &targets, &mut self.graph, self.context)?;
                if self.graph.lower(source, target).is_some_and(|lower| lower >= 4 && lower.is_power_of_two())
                {
                    self.oracle.exclude(source, target, &mut self.graph, self.context)?;
                }
            } else {
                self.abandoned.insert((source, target));
            }
            asked = true;
        }
        Ok(asked)
    }

    /// Looks for chains of the plan's orders and lengths.
    fn concretise(&mut self, plan: &Plan) -> Result<bool, Halt> {
        let mut chains = Vec::new();
        for order in &plan.orders {
            let whole = whole(order);
            let Some(steps) = self.book.lower(&whole, &self.graph) else { return Ok(false) };
            let answer = self.oracle.sequence(&whole, steps, &self.graph, LEARNING_EFFORT, self.context)?;
            match answer {
                Answer::Run(trace) => chains.push(accept(self.problem, &trace, order)?),
                Answer::None => return Ok(false),
                Answer::GaveUp => return Ok(false),
            }
        }
        self.offer(chains);
        Ok(true)
    }

    /// Learns the costs of the shortest windows of the plan that cost more than is known. `false`: there are none.
    fn learn(&mut self, plan: &Plan) -> Result<bool, Halt> {
        let longest = plan.orders.iter().map(|order| order.len() + 2).max().unwrap_or(0);
        for size in 3..=longest {
            let mut learned = false;
            for order in &plan.orders {
                for window in whole(order).windows(size) {
                    learned |= self.learn_window(window)?;
                }
            }
            if learned {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Raises the cost of a window until a run has it or it is more than a better chain can bear.
    fn learn_window(&mut self, window: &[usize]) -> Result<bool, Halt> {
        let Some(first) = self.book.lower(window, &self.graph) else { return Ok(false) };
        if self.book.is_seen(window, first) {
            return Ok(false);
        }
        let slack = self.best_total().map_or(4, |total| (total - self.bound) as u32);
        let limit = self.patience() + 2 * self.distance_sum(window);
        for steps in first..=first + slack {
            match self.oracle.sequence(window, steps, &self.graph, LEARNING_EFFORT, self.context)? {
                Answer::Run(_) => {
                    self.book.saw(window, steps);
                    return Ok(steps > first);
                }
                Answer::None if steps > limit => self.book.abandon(window),
                Answer::None => self.book.raise(window, Some(steps + 1)),
                Answer::GaveUp => return Ok(steps > first),
            }
        }
        Ok(true)
    }

    fn distance_sum(&self, window: &[usize]) -> u32 {
        window.windows(2).filter_map(|pair| self.graph.lower(pair[0], pair[1])).sum()
    }

    /// Looks for shorter chains of the plan's orders with stretched legs (what the paper calls repair).
    fn stretch(&mut self, plan: &Plan) -> Result<(), Halt> {
        let mut chains = Vec::new();
        let mut left = self.best_total().map_or(plan.length + 8 + plan.length / 2, |total| total - 1);
        for order in &plan.orders {
            let steps = u32::try_from(left).unwrap_or(u32::MAX);
            let answer =
                self.oracle.sequence(&whole(order), steps, &self.graph, LEARNING_EFFORT, self.context)?;
            let Answer::Run(trace) = answer else { return Ok(()) };
            let chain = accept(self.problem, &trace, order)?;
            left = left.saturating_sub(u64::from(chain.length()));
            chains.push(chain);
        }
        self.offer(chains);
        Ok(())
    }

    /// Latched queries from below and above, with twice the effort of the last time. `false`: it makes no sense here.
    fn close_gap(&mut self) -> Result<bool, Halt> {
        let goals = self.goals.len() as u64;
        let longest = self.best_total().unwrap_or(2 * self.bound + 8);
        if self.chains > 1 || goals * goals * longest > LATCHED_CLAUSES {
            return Ok(false);
        }
        let effort = Effort::Conflicts(self.latched_effort);
        self.latched_effort *= 2;
        let mut latched = Latched::new(self.problem, &self.goals, self.context)?;
        let limit = self.best_total().unwrap_or(self.bound + STRIDE);
        while !self.is_closed() && self.bound < limit {
            let steps = self.bound as u32;
            match self.ask_latched(&mut latched, steps, effort)? {
                Answer::None => self.bound += 1,
                Answer::Run(_) => return Ok(true),
                Answer::GaveUp => break,
            }
            self.report();
        }
        while !self.is_closed()
            && let Some(total) = self.best_total()
        {
            match self.ask_latched(&mut latched, total as u32 - 1, effort)? {
                Answer::None => self.bound = total,
                Answer::Run(_) => {}
                Answer::GaveUp => break,
            }
        }
        Ok(true)
    }

    fn ask_latched(&mut self, latched: &mut Latched<'_>, steps: u32, effort: Effort) -> Result<Answer, Halt> {
        let knowledge = Knowledge::Bounds(&self.graph, self.book.learned());
        let answer = latched.within(steps, knowledge, effort, self.context)?;
        if let Answer::Run(trace) = &answer {
            let chain = accept(self.problem, trace, &self.goals)?;
            self.offer(vec![chain]);
        }
        Ok(answer)
    }
}

/// The vertices of a chain of that order, Init and Final included.
fn whole(order: &[usize]) -> Vec<usize> {
    std::iter::once(0).chain(order.iter().copied()).chain([0]).collect()
}

/// The legs of a chain of that order.
fn legs(order: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let whole = whole(order);
    (1..whole.len()).map(move |end| (whole[end - 1], whole[end]))
}
