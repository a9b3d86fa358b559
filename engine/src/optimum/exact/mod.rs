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

mod anytime;
mod bounds;
mod closing;
mod learning;

use crate::error::StopReason;
use crate::finders::greedy;
use crate::knowledge::chains::{Candidate, covering};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::findings::{Findings, total};
use crate::knowledge::path_costs::WindowBook;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::Minimality;
use crate::optimum::order::additive_abstraction::Parts;
use crate::optimum::order::plan::{Plan, Planned};
use crate::optimum::reachable::{PATIENCE, Statuses, deepest, settle_ends};
use crate::optimum::requery::Asked;
use crate::provers::distance_engine::{Chains, Oracle, Search};
use crate::random_simulation::Random;
use crate::session::{Context, Halt};
use anytime::{Guide, priced_orders};
use bounds::cost;
use rustc_hash::FxHashSet;
use solver::atsp;
use std::cell::Cell;
use std::cmp::Ordering;
use std::time::{Duration, Instant};

/// Conflicts that the first latched query may cost; doubled from round to round.
const FIRST_LATCHED_EFFORT: u64 = 2_000;

/// Conflicts that finding out which goals can be covered may cost, before the best chains are sought for those that are known to be.
const FIRST_SETTLING: u64 = 15_000;

/// Greatest product of goals and steps for which a whole chain is asked for in one query, where guided search makes chains as well.
const MOST_CONCRETISED: u64 = 30_000;
/// Most goals for which the cheapest chains are sought directly with all means before anything else.
const MOST_DIRECT_GOALS: usize = 18;
/// Time for the first proof of a bound by order alone; orders are sought again later without this limit.
const FIRST_ORDER: Duration = Duration::from_secs(15);
/// Time for the bound of a search that was stopped before it came to any.
const LAST_BOUND: Duration = Duration::from_millis(300);
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
    /// Pairs within windows for which a proof was sought that the second never follows the first.
    compared: FxHashSet<(usize, usize)>,
    /// The number of chains and the bound that were proven before abandoned pairs and windows were assumed impossible; from
    /// then on `chains` and `bound` hold under that assumption only.
    proven: Option<(usize, u64)>,
    /// Whether the bound takes the price of further chains into account.
    is_priced: bool,
    /// Guided search, where it suits the system and is worth its cost.
    guide: Option<Guide<'s>>,
    /// Parts of the state bits that change one at a time, where there are any.
    parts: Option<Parts>,
    /// Whether the search is for the goals known to be coverable alone, and others wait for it to end.
    has_postponed: bool,
    /// Whether the best chains were made shorter before.
    was_improved: bool,
    /// Total length of the chains whose windows are asked for again, and how far each of them was.
    requeried: (u64, Vec<Asked>),
    /// Disturbs orders.
    random: Random,
    /// The number and length of the chains that were told of last.
    told: Cell<Option<(usize, u64)>>,
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
            compared: FxHashSet::default(),
            proven: None,
            is_priced: false,
            guide: None,
            parts: None,
            has_postponed: false,
            was_improved: false,
            requeried: (0, Vec::new()),
            random: Random::new(context.options.seed),
            told: Cell::new(None),
        }
    }

    /// Begins with chains that are known already.
    pub(crate) fn knowing(mut self, chains: Vec<Candidate>) -> Self {
        self.told.set((!chains.is_empty()).then(|| (chains.len(), total(&chains))));
        self.best = chains;
        self
    }

    /// Runs the search to its end or to a limit, and says what it came to and why it ended.
    pub(crate) fn run(mut self) -> (Findings, Result<(), Halt>) {
        let ended = self.search();
        let knows_nothing = self.goals.is_empty() && self.bound == 0 && !self.best.is_empty();
        if knows_nothing && matches!(ended, Err(Halt::Stopped(_))) {
            self.goals = self.covered_goals();
            let deadline = Some(Instant::now() + LAST_BOUND);
            self.raise_bound(&atsp::Options { deadline, ..self.plan_options(None) });
        }
        self.findings(ended)
    }

    /// What is known at the end.
    fn findings(self, ended: Result<(), Halt>) -> (Findings, Result<(), Halt>) {
        let (chains, bound) = self.proven.unwrap_or((self.chains, self.bound));
        // A search that was stopped before it knew which goals can be covered has shown nothing.
        let nothing_to_cover = ended.is_ok() && self.goals.is_empty();
        let priced = self.context.options.reset_cost.map(|reset| (reset, self.least_cost(reset)));
        let met = nothing_to_cover
            || (!self.best.is_empty()
                && match priced {
                    Some((reset, least)) if !self.is_priced => cost(&self.best, reset) <= least,
                    _ => self.best.len() == chains && total(&self.best) <= bound,
                });
        let minimal = match (met, self.best.is_empty()) {
            (true, _) => Minimality::Proven,
            (false, true) => Minimality::Unknown,
            (false, false) => Minimality::Gap,
        };
        let is_least_cost = met && self.context.options.reset_cost.is_some() && !self.best.is_empty();
        let lower_bound = match self.best.len() {
            // Fewer steps in as many chains would cost less.
            _ if is_least_cost => total(&self.best),
            0 => bound,
            so_many if so_many == chains => bound,
            // No set of chains costs less than the least one, so that many have all the steps that resets do not pay for.
            so_many => {
                let covers_all = self.goals.iter().all(|&goal| self.is_covered(goal));
                let paid = |(reset, least): (u64, u64)| least.saturating_sub(reset * (so_many as u64 - 1));
                self.least().max(priced.filter(|_| covers_all).map_or(0, paid))
            }
        };
        if bound > 0 && !self.best.is_empty() {
            let text = format!("so many chains have at least {lower_bound} steps");
            self.context.record(self.oracle.engine(), text);
        }
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

    /// Only finds out what the chains known need at least, as far as that follows without asking for distances step by step.
    pub(crate) fn run_bounds(mut self) -> (Findings, Result<(), Halt>) {
        let ended = self.bounds();
        self.findings(ended)
    }

    fn bounds(&mut self) -> Result<(), Halt> {
        let (problem, context) = (self.problem, self.context);
        self.goals = self.covered_goals();
        self.enter_projected()?;
        let guide = context.stage("guide", || Guide::new(problem, context))?;
        if let Some(guide) = guide {
            guide.enter_bounds(&mut self.graph);
        }
        let ranges = self.oracle.raise_all(&mut self.graph, context);
        self.raise_bound(&self.plan_options(Some(FIRST_ORDER)));
        ranges
    }

    fn search(&mut self) -> Result<(), Halt> {
        let context = self.context;
        if !self.oracle.is_exhaustive() && context.options.max_k.is_none() {
            self.start_guided()?;
        }
        if context.options.max_k.is_none() {
            self.oracle.raise_all(&mut self.graph, context)?;
        }
        if !self.settle_soon()? {
            self.goals = self.covered_goals();
            self.has_postponed = true;
            self.search_for_goals()?;
            self.has_postponed = false;
            self.settle()?;
        }
        self.goals = self.problem.vertices().filter(|&goal| self.statuses[goal].is_none()).collect();
        self.search_for_goals()
    }

    /// Finds out which goals can be covered, unless that is hard and some are known to be: one goal beyond all effort must not keep the
    /// best chain for the others back. Whether it is known.
    fn settle_soon(&mut self) -> Result<bool, Halt> {
        let context = self.context;
        if self.best.is_empty() || self.oracle.is_exhaustive() {
            return self.settle().map(|()| true);
        }
        let effort = context.allowance().map_or(FIRST_SETTLING, |left| FIRST_SETTLING.min(left / 2));
        match context.at_most(effort, || self.settle()) {
            Err(Halt::Stopped(StopReason::Effort)) => context.check_limits().map(|()| false),
            settled => settled.map(|()| true),
        }
    }

    /// Finds out which goals can be covered, of those that no known chain covers.
    fn settle(&mut self) -> Result<(), Halt> {
        let (covered, context) = (self.covered_goals(), self.context);
        context.stage("graph", || {
            let Self { problem, oracle, graph, statuses, .. } = self;
            settle_ends(problem, oracle, graph, statuses, &covered, context)
        })
    }

    /// Searches for the best chains for `goals`, to the end or to a limit.
    fn search_for_goals(&mut self) -> Result<(), Halt> {
        let context = self.context;
        if self.goals.is_empty() {
            return Ok(());
        }
        if self.oracle.is_exhaustive() && self.goals.len() > MOST_DIRECT_GOALS {
            self.cover_rest()?;
            if context.stage("chain", || self.search_directly(Search::Brief))? {
                return Ok(());
            }
            self.deepen_all()?;
            self.start_guided()?;
        }
        self.cover_rest()?;
        if !self.oracle.is_exhaustive() {
            self.learn_arrivals();
        }
        self.raise_bound(&self.plan_options(Some(FIRST_ORDER)));
        self.improve_in_stage()?;
        let reset = context.options.reset_cost;
        if reset.is_none() && self.is_closed() {
            return Ok(());
        }
        let is_late = reset.is_none() && self.goals.len() > MOST_DIRECT_GOALS;
        if !is_late && context.stage("chain", || self.search_directly(Search::Thorough))? {
            return Ok(());
        }
        if let Some(reset) = reset {
            self.search_priced(reset)?;
            if !self.best.is_empty() {
                return Ok(());
            }
        }
        while !self.is_closed() && self.round()? {
            self.improve_in_stage()?;
        }
        if is_late && !self.is_closed() {
            context.stage("chain", || self.search_directly(Search::Thorough))?;
        }
        while !self.is_closed() && (self.may_only_improve() || self.has_windows_left()) {
            context.check_limits()?;
            self.improve_in_stage()?;
        }
        Ok(())
    }

    /// Whether there is time to make chains shorter, and neither another engine waits nor a goal of which it is open whether it can be covered.
    fn may_only_improve(&self) -> bool {
        let options = self.context.options;
        let waits = self.has_postponed || self.context.allowance().is_some();
        self.guide.is_some() && options.deadline.is_some() && !waits
    }

    fn is_covered(&self, goal: usize) -> bool {
        self.best.iter().any(|chain| chain.covers(self.problem.goal(goal)))
    }

    /// The goals that the best chains cover.
    fn covered_goals(&self) -> Vec<usize> {
        self.problem.vertices().filter(|&goal| self.is_covered(goal)).collect()
    }

    /// Further chains for the goals that the best ones miss.
    fn cover_rest(&mut self) -> Result<(), Halt> {
        let rest: Vec<usize> = self.goals.iter().copied().filter(|&goal| !self.is_covered(goal)).collect();
        if rest.is_empty() {
            return Ok(());
        }
        let further = self.context.stage("chain", || {
            greedy::chains(self.problem, &rest, &mut self.oracle, &self.graph, self.context)
        })?;
        match further.is_empty() {
            true => self.best.clear(),
            false => self.best.extend(further),
        }
        self.report();
        Ok(())
    }

    /// Asks for all distances, of an oracle that knows them.
    fn deepen_all(&mut self) -> Result<(), Halt> {
        for position in 0..self.goals.len() {
            self.oracle.deepen(self.goals[position], &[], &mut self.graph, self.context)?;
        }
        Ok(())
    }

    fn improve_in_stage(&mut self) -> Result<(), Halt> {
        match self.is_closed() {
            true => Ok(()),
            false => self.context.stage("improve", || self.improve_best()),
        }
    }

    /// Chains of lower rank are better.
    fn rank(&self, chains: &[Candidate]) -> (usize, u64) {
        match self.context.options.reset_cost {
            Some(reset) => (0, cost(chains, reset)),
            None => (chains.len(), total(chains)),
        }
    }

    /// Asks the oracle for the cheapest chains at once.
    fn search_directly(&mut self, search: Search) -> Result<bool, Halt> {
        let reset = self.context.options.reset_cost;
        let known = (!self.best.is_empty()).then(|| (self.best.len(), total(&self.best)));
        let Self { oracle, graph, goals, .. } = self;
        let answer = oracle.cheapest_chains(goals, reset, known, search, graph, self.context)?;
        let Chains::Bounded { better, chains, steps } = answer else { return Ok(false) };
        match (reset, chains.cmp(&self.chains)) {
            (Some(_), _) | (None, Ordering::Greater) => (self.chains, self.bound) = (chains, steps),
            (None, Ordering::Equal) => self.bound = self.bound.max(steps),
            (None, Ordering::Less) => {}
        }
        self.is_priced |= reset.is_some();
        if let Some(traces) = better {
            let chain = |trace| covering(self.problem, trace, &self.goals);
            self.best = traces.iter().map(chain).collect::<Result<_, _>>()?;
        }
        self.report();
        Ok(self.is_closed())
    }

    /// Deepens the distances on the best tour with restarts until all are known, and looks for chains of its orders.
    fn search_priced(&mut self, reset: u64) -> Result<(), Halt> {
        let context = self.context;
        loop {
            context.check_limits()?;
            let options = self.plan_options(None);
            let orders = context.stage("order", || priced_orders(&self.goals, &self.graph, reset, &options));
            let Some(orders) = orders else { return Ok(()) };
            let plan = Plan { orders, length: 0, lower_bound: 0 };
            if self.needs_abandoned(&plan) {
                return Ok(());
            }
            if !context.stage("graph", || self.deepen(&plan))? {
                context.stage("chain", || self.concretise(&plan))?;
                return Ok(());
            }
        }
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
        let is_better = self.best.is_empty() || self.rank(&chains) < self.rank(&self.best);
        if !chains.is_empty() && is_better {
            self.best = chains;
        }
        self.report();
    }

    /// Tells of chains better than those told of last.
    fn record_best(&self, chains: usize, steps: u64) {
        if self.told.get() != Some((chains, steps)) {
            self.told.set(Some((chains, steps)));
            let chains = if chains == 1 { "chain".to_owned() } else { format!("{chains} chains") };
            self.context.record(self.oracle.engine(), format!("{chains} of {steps} steps"));
        }
    }

    fn report(&self) {
        let best = (!self.best.is_empty()).then(|| total(&self.best));
        if let Some(steps) = best {
            self.record_best(self.best.len(), steps);
        }
        self.context.progress.update(self.graph.depth(), self.goals.len(), best, self.bound);
    }

    /// One round of the loop; `false`: nothing can be learned any more within the options.
    fn round(&mut self) -> Result<bool, Halt> {
        self.context.check_limits()?;
        let planned = self.context.stage("order", || self.plan(&self.plan_options(None)));
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
            if self.context.stage("graph", || self.excludes_in(&plan))? {
                return Ok(true);
            }
            self.assume_more_chains();
            return Ok(true);
        }
        if self.is_closed() || self.context.stage("graph", || self.deepen(&plan))? {
            return Ok(true);
        }
        let context = self.context;
        let is_large = self.guide.is_some() && plan.length * self.goals.len() as u64 > MOST_CONCRETISED;
        if !is_large && context.stage("chain", || self.concretise(&plan))? {
            return Ok(true);
        }
        let learned = context.stage("chain", || self.learn(&plan))?;
        if !is_large {
            context.stage("chain", || self.stretch(&plan))?;
        }
        let learns_on = learned && self.goals.len() > MOST_DIRECT_GOALS;
        let is_worthwhile = !self.is_closed() && !learns_on;
        let closing = is_worthwhile && context.stage("latched", || self.close_gap())?;
        Ok(learned || closing || self.is_closed())
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
        let patience = PATIENCE + 3 * self.graph.farthest();
        self.context.options.max_k.unwrap_or(patience.min(deepest(&self.oracle)))
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
