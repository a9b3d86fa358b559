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

use crate::chain::check::{Candidate, accept, longest_run};
use crate::chain::latched::{Knowledge, Latched};
use crate::chain::requery::Asked;
use crate::chain::windows::WindowBook;
use crate::order::partition::fewest_chains;
use crate::order::parts::{Parts, least_steps};
use crate::order::plan::{Plan, Planned, plan};
use crate::outcome::Minimality;
use crate::problem::Problem;
use crate::reach::graph::{Engine, ReachGraph};
use crate::reach::oracle::{Answer, Chains, Effort, Oracle, Search};
use crate::reach::sample::Random;
use crate::stats::{Context, Halt};
use crate::strategy::greedy;
use crate::strategy::reachable::{PATIENCE, Statuses, deepest, settle_ends};
use crate::strategy::{Findings, total};
use anytime::{Guide, priced_orders};
use rustc_hash::FxHashSet;
use solver::atsp::{self, WarmStart};
use std::cell::Cell;
use std::cmp::Ordering;
use std::time::{Duration, Instant};

/// Conflicts that one step of learning may cost.
const LEARNING_EFFORT: Effort = Effort::Conflicts(50_000);
/// Conflicts that the first latched query may cost; doubled from round to round.
const FIRST_LATCHED_EFFORT: u64 = 2_000;
/// Lengths that are refuted in one go while no chain is known.
const STRIDE: u64 = 8;
/// Greatest number of clauses a latched query may add for pairs of goals.
const LATCHED_CLAUSES: u64 = 3_000_000;

/// Greatest product of goals and steps for which a whole chain is asked for in one query, where guided search makes chains as well.
const MOST_CONCRETISED: u64 = 30_000;
/// Most goals for which the cheapest chains are sought directly with all means before anything else.
const MOST_DIRECT_GOALS: usize = 18;
/// Steps up to which a distance on the plan is asked for whatever the others are.
const SHALLOW_QUESTION: u32 = 8;
/// Most windows from Init over another goal that are learned from distances alone.
const MOST_ARRIVALS: usize = 64;
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
        let met = nothing_to_cover
            || (!self.best.is_empty()
                && match self.context.options.reset_cost {
                    Some(reset) if !self.is_priced => cost(&self.best, reset) <= self.least_cost(reset),
                    _ => self.best.len() == chains && total(&self.best) <= bound,
                });
        let minimal = match (met, self.best.is_empty()) {
            (true, _) => Minimality::Proven,
            (false, true) => Minimality::Unknown,
            (false, false) => Minimality::Gap,
        };
        let lower_bound =
            if self.best.is_empty() || self.best.len() == chains { bound } else { self.least() };
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
        self.enter_cones()?;
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
        let covered = self.covered_goals();
        context.stage("graph", || {
            let Self { problem, oracle, graph, statuses, .. } = self;
            settle_ends(problem, oracle, graph, statuses, &covered, context)
        })?;
        self.goals = self.problem.vertices().filter(|&goal| self.statuses[goal].is_none()).collect();
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

    /// Whether there is time to make chains shorter, and no other engine that waits.
    fn may_only_improve(&self) -> bool {
        let options = self.context.options;
        self.guide.is_some() && options.deadline.is_some() && self.context.allowance().is_none()
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

    /// A goal is not reached any sooner by way of another one: where the two legs say less, the window from Init says so.
    fn learn_arrivals(&mut self) {
        let mut windows = Vec::new();
        for &first in &self.goals {
            for &second in self.goals.iter().filter(|&&second| second != first) {
                let legs = self.graph.lower(0, first).zip(self.graph.lower(first, second));
                if let Some((legs, alone)) = legs.map(|(a, b)| a + b).zip(self.graph.lower(0, second))
                    && legs < alone
                {
                    windows.push((alone - legs, first, second, alone));
                }
            }
        }
        windows
            .sort_unstable_by_key(|&(missing, first, second, _)| (std::cmp::Reverse(missing), first, second));
        for (_, first, second, alone) in windows.into_iter().take(MOST_ARRIVALS) {
            self.book.raise(&[0, first, second], Some(alone));
        }
    }

    /// The number of chains and the bound that follow from what is known of distances.
    fn raise_bound(&mut self, options: &atsp::Options) {
        self.chains = fewest_chains(&self.goals, |a, b| self.graph.lower(a, b).is_some());
        let planned = self.context.stage("order", || self.plan(options));
        match planned {
            Planned::Plan(plan) => self.bound = self.bound.max(plan.lower_bound),
            Planned::Unknown { lower_bound } => self.bound = self.bound.max(lower_bound),
            Planned::Impossible => {}
        }
        self.bound = self.bound.max(self.least());
        if self.context.options.reset_cost.is_none() {
            self.context.stage("parts", || self.raise_bound_by_parts(options));
        }
        self.report();
    }

    /// The bound that follows from parts of the state bits that change one at a time.
    fn raise_bound_by_parts(&mut self, options: &atsp::Options) {
        let Some(parts) = &self.parts else { return };
        let groups = parts.groups(&self.goals);
        let steps = least_steps(&groups, self.chains, options);
        if steps > self.bound {
            self.context.record(Engine::Sat, format!("parts of the state change in at least {steps} steps"));
            self.bound = steps;
        }
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

    /// No set of chains, of any number, costs less: the best tour in which a restart may take the place of any leg.
    fn least_cost(&self, reset: u64) -> u64 {
        let distance = |a: usize, b: usize| leg_or_restart(&self.graph, reset, a, b).map(|(steps, _)| steps);
        match plan(distance, &self.goals, &[], 1, &WarmStart::default(), &self.plan_options(None)) {
            Planned::Plan(plan) => plan.lower_bound,
            Planned::Unknown { lower_bound } => lower_bound,
            Planned::Impossible => 0,
        }
    }

    /// A bound for any number of chains: the farthest goal must be covered by one of them.
    fn least(&self) -> u64 {
        let alone = |&goal: &usize| Some(u64::from(self.graph.lower(0, goal)? + self.graph.lower(goal, 0)?));
        self.goals.iter().filter_map(alone).max().unwrap_or(0)
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

    /// Limits of the search for an order; it may take this long at most.
    fn plan_options(&self, most: Option<Duration>) -> atsp::Options {
        plan_options(self.context, most)
    }

    fn plan(&self, options: &atsp::Options) -> Planned {
        let known = WarmStart { tour: None, lower_bound: self.bound };
        let assuming = self.proven.is_some();
        let distance = |source: usize, target: usize| {
            let assumed = assuming && self.abandoned.contains(&(source, target));
            self.graph.lower(source, target).filter(|_| !assumed)
        };
        let assumed = assuming.then(|| self.book.assumed());
        let windows = assumed.as_deref().unwrap_or(self.book.learned());
        plan(distance, &self.goals, windows, self.chains, &known, options)
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

    /// Asks one step deeper for the distances of the plan that are not known, or abandons them. `false`: all are known.
    fn deepen(&mut self, plan: &Plan) -> Result<bool, Halt> {
        let mut targets = self.goals.clone();
        if self.problem.has_end() {
            targets.push(0);
        }
        let limit = self.patience();
        let unsettled: Vec<(usize, usize)> = plan
            .orders
            .iter()
            .flat_map(|order| legs(order))
            .filter(|&(source, target)| !self.graph.is_settled(source, target))
            .collect();
        let (open, late): (Vec<_>, Vec<_>) =
            unsettled.iter().partition(|&&(source, target)| self.graph.lower(source, target) <= Some(limit));
        for (source, target) in late {
            if self.abandoned.insert((source, target)) {
                self.oracle.exclude(source, target, &mut self.graph, self.context)?;
            }
        }
        // Where bounds differ much, shallow questions are cheaper and raise the plan's bound as well.
        let least = open.iter().filter_map(|&(source, target)| self.graph.lower(source, target)).min();
        let is_shallow = |source: usize, target: usize| {
            self.graph.lower(source, target) <= least.map(|least| 2 * least + SHALLOW_QUESTION)
        };
        let open: Vec<(usize, usize)> =
            open.into_iter().filter(|&(source, target)| is_shallow(source, target)).collect();
        let mut sources: Vec<usize> = open.iter().map(|&(source, _)| source).collect();
        sources.sort_unstable();
        sources.dedup();
        let tasks: Vec<(usize, Vec<usize>)> =
            sources.into_iter().map(|source| (source, targets.clone())).collect();
        self.oracle.deepen_each(&tasks, &mut self.graph, self.context)?;
        for (source, target) in open {
            let lower = self.graph.lower(source, target);
            if lower.is_some_and(|lower| lower >= 4 && lower.is_power_of_two()) {
                self.oracle.exclude(source, target, &mut self.graph, self.context)?;
            }
        }
        Ok(!unsettled.is_empty())
    }

    /// Looks for chains of the plan's orders and lengths.
    fn concretise(&mut self, plan: &Plan) -> Result<bool, Halt> {
        let mut chains = Vec::new();
        for order in &plan.orders {
            let whole = whole(order);
            let Some(steps) = self.book.lower(&whole, &self.graph) else { return Ok(false) };
            let answer = self.sequence(&whole, steps)?;
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
        for size in window_sizes(longest) {
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
            match self.sequence(window, steps)? {
                Answer::Run(_) => {
                    self.book.saw(window, steps);
                    return Ok(steps > first);
                }
                Answer::None if steps > limit => {
                    if self.excludes_within(window)? {
                        return Ok(true);
                    }
                    self.book.abandon(window);
                }
                Answer::None => self.book.raise(window, Some(steps + 1)),
                Answer::GaveUp => return Ok(steps > first),
            }
        }
        Ok(true)
    }

    /// Whether two goals of one of the plan's chains are proven never to follow each other.
    fn excludes_in(&mut self, plan: &Plan) -> Result<bool, Halt> {
        for order in &plan.orders {
            if self.excludes_within(&whole(order))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether two goals of the window are proven never to follow each other, whatever is between them. Not asked where goals are many: each
    /// answer takes another order, which is dear then.
    fn excludes_within(&mut self, window: &[usize]) -> Result<bool, Halt> {
        if self.goals.len() > MOST_DIRECT_GOALS {
            return Ok(false);
        }
        for width in 2..window.len() {
            for part in window.windows(width + 1) {
                let (source, target) = (part[0], part[width]);
                if !self.graph.is_settled(source, target) && self.compared.insert((source, target)) {
                    self.oracle.exclude(source, target, &mut self.graph, self.context)?;
                }
                if self.graph.lower(source, target).is_none() {
                    self.book.raise(part, None);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Asks for a run unless it would be unrolled too far.
    fn sequence(&mut self, sequence: &[usize], steps: u32) -> Result<Answer, Halt> {
        if steps > deepest(&self.oracle) {
            return Ok(Answer::GaveUp);
        }
        self.oracle.sequence(sequence, steps, &self.graph, LEARNING_EFFORT, self.context)
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
            let answer = self.sequence(&whole(order), steps)?;
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
        if self.chains > 1
            || goals * goals * longest > LATCHED_CLAUSES
            || longest > u64::from(deepest(&self.oracle))
        {
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

/// What chains cost, where each after the first one costs `reset`.
fn cost(chains: &[Candidate], reset: u64) -> u64 {
    total(chains) + reset * (chains.len() as u64).saturating_sub(1)
}

/// The lesser of the distance between two vertices and of the way through Final, a reset and Init, and whether it is the latter.
fn leg_or_restart(graph: &ReachGraph, reset: u64, a: usize, b: usize) -> Option<(u32, bool)> {
    let leg = graph.lower(a, b).map(|steps| (steps, false));
    let restart = || {
        let steps = u64::from(graph.lower(a, 0)?) + u64::from(graph.lower(0, b)?) + reset;
        Some((u32::try_from(steps).ok()?, true))
    };
    if a == 0 || b == 0 { leg } else { leg.into_iter().chain(restart()).min() }
}

/// Limits of the search for an order; it may take `most` at most.
fn plan_options(context: &Context<'_>, most: Option<Duration>) -> atsp::Options {
    let own = most.map(|most| Instant::now() + most);
    let deadline = own.into_iter().chain(context.options.deadline).min();
    atsp::Options { seed: context.options.seed, deadline, stop: Some(context.options.stop.clone()) }
}

/// Sizes of windows that are asked for: all small ones, then every second power of the root of two, so that their number
/// grows with the logarithm of the longest.
fn window_sizes(longest: usize) -> impl Iterator<Item = usize> {
    let next = |&size: &usize| Some(if size < 8 { size + 1 } else { size + size / 2 });
    let sizes = std::iter::successors(Some(3), next).take_while(move |&size| size < longest);
    sizes.chain((longest >= 3).then_some(longest))
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
