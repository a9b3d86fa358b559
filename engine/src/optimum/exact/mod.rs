//! Order, concretise, learn, until the chain is as long as the bound.
//!
//! 1. The best order under all bounds known so far gives a lower bound for every chain.
//! 2. Distances on it that are only bounded so far are asked one step deeper, and the order is
//!    sought again.
//! 3. An order of known distances is concretised. A run of its length is a proven-minimal chain.
//! 4. If there is none, the true costs of its sub-paths are learned, shortest windows first, and
//!    the order is sought again.
//! 5. Meanwhile repaired orders give chains that are longer than the bound, and latched queries
//!    close the gap between the two from both sides.
//!
//! The depth up to which distances are asked for is never guessed: a distance that matters for the
//! bound is asked for, and no other.

pub(crate) mod anytime;
mod bounds;
pub(crate) mod closing;
mod learning;

use crate::error::StopReason;
use crate::finders::greedy;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::total;
use crate::knowledge::chains::{CheckedChain, accepted, covered, covering, missed};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::{Knowledge, price};
use crate::knowledge::path_costs::PathCosts;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{Vertex, by_vertex};
use crate::optimum::order::additive_abstraction::Parts;
use crate::optimum::order::plan::{Plan, Planned};
use crate::optimum::reachable::{PATIENCE, Statuses, settle_ends};
use crate::optimum::requery::Asked;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use crate::tuning::Constant;
use crate::turn::{Prover, Turn};
use anytime::{Guide, priced_orders};
use model::trace::Trace;
use rustc_hash::FxHashSet;
use solver::atsp;
use std::cell::Cell;
use std::cmp::Ordering;
use std::time::{Duration, Instant};

/// Conflicts that the first latched query may cost; doubled from round to round.
pub(crate) const FIRST_LATCHED_EFFORT: Constant = Constant {
    name: "optimum.first-latched-effort",
    usual: 2_000,
    unit: "conflicts",
    purpose: "what the first latched query may cost",
};

/// Conflicts that finding out which goals can be covered may cost, before the best chains are
/// sought for those that are known to be.
pub(crate) const FIRST_SETTLING: Constant = Constant {
    name: "optimum.first-settling",
    usual: 15_000,
    unit: "conflicts",
    purpose: "what finding out which goals can be covered may cost before others are searched for",
};

/// Greatest product of goals and steps for which a whole chain is asked for in one query, where
/// guided search makes chains as well.
pub(crate) const MOST_CONCRETISED: Constant = Constant {
    name: "optimum.most-concretised",
    usual: 30_000,
    unit: "goals times steps",
    purpose: "up to which size a whole chain is asked for in one query",
};
/// Most goals for which the cheapest chains are sought directly with all means before anything
/// else.
pub(crate) const MOST_DIRECT_GOALS: Constant = Constant {
    name: "optimum.most-direct-goals",
    usual: 18,
    unit: "goals",
    purpose: "up to how many the cheapest chains are sought directly before anything else",
};
/// Time for the first proof of a bound by order alone; orders are sought again later without this
/// limit.
const FIRST_ORDER: Duration = Duration::from_secs(15);
/// Time for the bound of a search that was stopped before it came to any.
const LAST_BOUND: Duration = Duration::from_millis(300);
/// The state of the search; see the module text.
pub(crate) struct OptimalSearch<'c, 's, O> {
    task: &'s Task<'s>,
    session: &'c Session<'c>,
    distances: O,
    graph: ReachGraph,
    book: PathCosts,
    statuses: Statuses,
    goals: Vec<Vertex>,
    /// No fewer chains cover the goals.
    chains: usize,
    /// No set of so many chains has a smaller total length.
    bound: u64,
    best: Vec<CheckedChain>,
    latched_effort: u64,
    /// Pairs that are not deepened any further.
    abandoned: FxHashSet<(Vertex, Vertex)>,
    /// Pairs within windows for which a proof was sought that the second never follows the first.
    compared: FxHashSet<(Vertex, Vertex)>,
    /// The number of chains and the bound that were proven before abandoned pairs and windows were
    /// assumed impossible; from then on `chains` and `bound` hold under that assumption only.
    proven: Option<(usize, u64)>,
    /// Guided search, where it suits the system and is worth its cost.
    guide: Option<Guide<'s>>,
    /// Parts of the state bits that change one at a time, where there are any.
    parts: Option<Parts>,
    /// Whether the search is for the goals known to be coverable alone, and others wait for it to
    /// end.
    has_postponed: bool,
    /// Whether the best chains were made shorter before.
    was_improved: bool,
    /// Total length of the chains whose windows are asked for again, and how far each of them was.
    requeried: (u64, Vec<Asked>),
    /// Whether the search has entered what it knows without asking for distances.
    is_begun: bool,
    /// Whether it is known which goals can be covered.
    is_settled: bool,
    /// Depths asked beyond the last success before a search is put off.
    patience: u32,
    /// Whether the goals have a first order.
    is_planned: bool,
    /// What all sets of chains cost at least, under a price of further chains, where the distance
    /// engine knows it.
    least_price: u64,
    /// Disturbs orders.
    random: Random,
    /// The number and length of the chains that were told of last.
    told: Cell<Option<(usize, u64)>>,
}

/// The search with the SAT engine, which is made at its first turn.
pub(crate) struct Optimum<'s> {
    task: &'s Task<'s>,
    session: &'s Session<'s>,
    search: Option<OptimalSearch<'s, 's, Bounded<'s>>>,
}

impl<'s> Optimum<'s> {
    pub(crate) fn new(task: &'s Task<'s>, session: &'s Session<'s>) -> Self {
        Self { task, session, search: None }
    }
}

impl Prover for Optimum<'_> {
    fn run(&mut self, known: &mut Knowledge, _work: u64, _context: &Session<'_>) -> Result<Turn, Stop> {
        let Self { task, session, .. } = *self;
        let search = match &mut self.search {
            Some(search) => search,
            None => self.search.insert(OptimalSearch::new(task, Bounded::new(task, session)?, session)),
        };
        search.turn(known).map(|()| Turn::Complete)
    }
}

impl<'c, 's, O: DistanceEngine> OptimalSearch<'c, 's, O> {
    pub(crate) fn new(task: &'s Task<'s>, distances: O, session: &'c Session<'c>) -> Self {
        let tuning = &session.options.tuning;
        Self {
            task,
            session,
            distances,
            graph: task.empty_graph(),
            book: PathCosts::default(),
            statuses: by_vertex(task.len(), |_| None),
            goals: Vec::new(),
            chains: 1,
            bound: 0,
            best: Vec::new(),
            latched_effort: tuning.value(&FIRST_LATCHED_EFFORT),
            abandoned: FxHashSet::default(),
            compared: FxHashSet::default(),
            proven: None,
            guide: None,
            parts: None,
            has_postponed: false,
            was_improved: false,
            requeried: (0, Vec::new()),
            is_begun: false,
            is_settled: false,
            patience: tuning.value(&PATIENCE) as u32,
            is_planned: false,
            least_price: 0,
            random: Random::new(session.options.seed),
            told: Cell::new(None),
        }
    }

    /// Goes on with the search, from what is known, to its end or to a limit, and enters what it
    /// comes to.
    pub(crate) fn turn(&mut self, known: &mut Knowledge) -> Result<(), Stop> {
        self.take_over(known)?;
        let ended = self.search(known);
        let knows_nothing = self.goals.is_empty() && self.bound == 0 && !self.best.is_empty();
        if knows_nothing && matches!(ended, Err(Stop::Limit(_))) {
            self.goals = self.covered_goals();
            let deadline = Some(Instant::now() + LAST_BOUND);
            self.raise_bound(&atsp::Options { deadline, ..self.plan_options(None) });
        }
        self.publish(known)?;
        ended
    }

    /// Begins with what others have found since the last turn.
    fn take_over(&mut self, known: &Knowledge) -> Result<(), Stop> {
        if let Some(graph) = known.graph() {
            self.graph.take_bounds(graph);
        }
        for (own, status) in self.statuses.values_mut().zip(known.statuses().values()) {
            if own.is_none() && status.as_ref().is_some_and(|status| status.name() == "unreachable") {
                own.clone_from(status);
            }
        }
        let may_cover_more =
            self.is_settled && !known.open_goals().is_empty() && self.session.options.max_k.is_none();
        for vertex in self.task.vertices() {
            let is_exclusion = known.is_excluded(vertex);
            // What was given up is looked for again, deeper, where there is time for another turn.
            if !is_exclusion && (known.is_covered(vertex) || may_cover_more) {
                self.statuses[vertex] = None;
            }
        }
        if may_cover_more {
            (self.is_settled, self.patience) = (false, self.patience.saturating_mul(2));
        }
        let chains = known.chains().to_vec();
        self.told.set((!chains.is_empty()).then(|| (chains.len(), total(&chains))));
        self.best = chains;
        Ok(())
    }

    /// Enters what the search has come to.
    fn publish(&self, known: &mut Knowledge) -> Result<(), Stop> {
        known.learn_distances(&self.graph);
        known.asked(self.distances.solver_name());
        for (vertex, status) in self.statuses.iter().skip(1) {
            if let Some(status) = status
                && !self.is_covered(vertex)
            {
                known.decide(vertex, status.clone())?;
            }
        }
        if !self.goals.is_empty() {
            let (chains, steps) = self.proven.unwrap_or((self.chains, self.bound));
            let goals = &self.goals;
            known.raise(Bound::new(goals, Claim::Fewest { chains, steps }))?;
            known.raise(Bound::new(goals, Claim::Steps(self.least())))?;
            if let Some(reset) = self.session.options.reset_cost {
                let least = self.least_cost(reset).max(self.least_price);
                known.raise(Bound::new(goals, Claim::Price { reset, least }))?;
            }
        }
        known.offer(self.best.clone())?;
        if !known.chains().is_empty() && known.lower_bound() > 0 {
            let text = format!("so many chains have at least {} steps", known.lower_bound());
            self.session.record(self.distances.engine(), text);
        }
        Ok(())
    }

    /// One turn; what was finished in an earlier one is not done again.
    fn search(&mut self, known: &mut Knowledge) -> Result<(), Stop> {
        let session = self.session;
        if !self.is_begun {
            if !self.distances.is_exhaustive() && session.options.max_k.is_none() {
                self.start_guided()?;
            }
            if session.options.max_k.is_none() {
                self.distances.raise_all(&mut self.graph, session)?;
            }
            self.is_begun = true;
        }
        if !self.is_settled && !self.settle_soon()? {
            self.aim_for(self.covered_goals());
            self.has_postponed = true;
            let searched = self.search_for_goals(known);
            self.has_postponed = false;
            self.publish(known)?;
            searched?;
            self.settle()?;
        }
        self.is_settled = true;
        self.aim_for(self.task.vertices().filter(|&goal| self.statuses[goal].is_none()).collect());
        self.search_for_goals(known)
    }

    /// Searches for these goals from now on. A bound for fewer chains says nothing about more of
    /// them.
    fn aim_for(&mut self, goals: Vec<Vertex>) {
        if goals != self.goals {
            (self.goals, self.is_planned) = (goals, false);
        }
    }

    /// Finds out which goals can be covered, unless that is hard and some are known to be: one goal
    /// beyond all effort must not keep the best chain for the others back. Whether it is known.
    fn settle_soon(&mut self) -> Result<bool, Stop> {
        let session = self.session;
        if self.best.is_empty() || self.distances.is_exhaustive() {
            return self.settle().map(|()| true);
        }
        let first = session.options.tuning.value(&FIRST_SETTLING);
        let effort = session.allowance().map_or(first, |left| first.min(left / 2));
        match session.at_most(effort, || self.settle()) {
            Err(Stop::Limit(StopReason::Effort)) => session.check_limits().map(|()| false),
            settled => settled.map(|()| true),
        }
    }

    /// Finds out which goals can be covered, of those that no known chain covers.
    fn settle(&mut self) -> Result<(), Stop> {
        let (covered, session) = (self.covered_goals(), self.session);
        session.stage("graph", || {
            let Self { task, distances, graph, statuses, patience, .. } = self;
            settle_ends(task, (distances, *patience), graph, statuses, &covered, session)
        })
    }

    /// Searches for the best chains for `goals`, to the end or to a limit.
    fn search_for_goals(&mut self, known: &mut Knowledge) -> Result<(), Stop> {
        let session = self.session;
        if self.goals.is_empty() {
            return Ok(());
        }
        let reset = session.options.reset_cost;
        let is_late = reset.is_none() && self.are_many_goals();
        if !self.is_planned && self.begin_goals(is_late)? {
            return Ok(());
        }
        if self.distances.is_exhaustive() {
            // The search among states ends early where a limit says so, and is the best way: it is
            // begun again in the next turn, from the chains that it has found.
            session.check_limits()?;
        }
        self.is_planned = true;
        self.cover_rest()?;
        if let Some(reset) = reset {
            self.search_priced(reset)?;
            if !self.best.is_empty() {
                return Ok(());
            }
        }
        while !self.is_closed() && self.round()? {
            self.improve_in_stage()?;
            self.meet_others(known)?;
        }
        if is_late && !self.is_closed() {
            session.stage("chain", || self.search_directly(Search::Thorough))?;
        }
        while !self.is_closed() && (self.may_only_improve() || self.has_windows_left()) {
            session.check_limits()?;
            self.improve_in_stage()?;
            self.meet_others(known)?;
        }
        Ok(())
    }

    /// Tells others, where there are any, what the search has come to, and goes on with better
    /// chains of theirs.
    fn meet_others(&mut self, known: &mut Knowledge) -> Result<(), Stop> {
        if known.others().is_none() {
            return Ok(());
        }
        self.publish(known)?;
        known.meet_others()?;
        let chains = known.chains();
        let is_better = self.best.is_empty() || self.rank(chains) < self.rank(&self.best);
        if is_better && missed(self.task, chains, &self.goals).is_empty() {
            self.offer(chains.to_vec());
        }
        Ok(())
    }

    /// First chains and bounds for `goals`, and the cheapest chains at once where the distance
    /// engine knows them. Whether these are the best ones.
    fn begin_goals(&mut self, is_late: bool) -> Result<bool, Stop> {
        let session = self.session;
        if self.distances.is_exhaustive() {
            self.cover_rest()?;
            if session.stage("chain", || self.search_directly(Search::Brief))? {
                return Ok(true);
            }
        }
        if self.distances.is_exhaustive() && self.are_many_goals() {
            self.deepen_all()?;
            if session.options.reset_cost.is_none() && self.is_closed() {
                return Ok(true);
            }
            // Where an order under all distances already costs as much as the known chains, nothing
            // is left to guide.
            self.raise_bound(&self.plan_options(Some(FIRST_ORDER)));
            if session.options.reset_cost.is_none() && self.is_closed() {
                return Ok(true);
            }
            self.start_guided()?;
        }
        self.cover_rest()?;
        if !self.distances.is_exhaustive() {
            self.learn_arrivals();
        }
        self.raise_bound(&self.plan_options(Some(FIRST_ORDER)));
        self.improve_in_stage()?;
        if session.options.reset_cost.is_none() && self.is_closed() {
            return Ok(true);
        }
        Ok(!is_late && session.stage("chain", || self.search_directly(Search::Thorough))?)
    }

    /// Whether there is time to make chains shorter, and neither another engine waits nor a goal of
    /// which it is open whether it can be covered.
    fn may_only_improve(&self) -> bool {
        let options = self.session.options;
        let waits = self.has_postponed || self.session.allowance().is_some();
        self.guide.is_some() && options.deadline.is_some() && !waits
    }

    fn is_covered(&self, goal: Vertex) -> bool {
        self.best.iter().any(|chain| chain.covers(self.task.goal(goal)))
    }

    /// The goals that the best chains cover.
    fn covered_goals(&self) -> Vec<Vertex> {
        covered(self.task, &self.best, self.task.vertices())
    }

    /// Further chains for the goals that the best ones miss.
    fn cover_rest(&mut self) -> Result<(), Stop> {
        let rest = missed(self.task, &self.best, &self.goals);
        if rest.is_empty() {
            return Ok(());
        }
        let (further, ended) = self.session.stage("chain", || {
            greedy::chains(self.task, &rest, &mut self.distances, &self.graph, self.session)
        });
        self.best.extend(further);
        self.report();
        ended?;
        if !missed(self.task, &self.best, &self.goals).is_empty() {
            self.best.clear();
        }
        Ok(())
    }

    /// Asks for all distances, of a distance engine that knows them.
    fn deepen_all(&mut self) -> Result<(), Stop> {
        for position in 0..self.goals.len() {
            self.distances.deepen(self.goals[position], &[], &mut self.graph, self.session)?;
        }
        Ok(())
    }

    fn improve_in_stage(&mut self) -> Result<(), Stop> {
        match self.is_closed() {
            true => Ok(()),
            false => self.session.stage("improve", || self.improve_best()),
        }
    }

    /// Whether the goals are too many for all means at once.
    fn are_many_goals(&self) -> bool {
        self.goals.len() as u64 > self.session.options.tuning.value(&MOST_DIRECT_GOALS)
    }

    /// Chains of lower rank are better.
    fn rank(&self, chains: &[CheckedChain]) -> (usize, u64) {
        match self.session.options.reset_cost {
            Some(reset) => (0, price(chains, reset)),
            None => (chains.len(), total(chains)),
        }
    }

    /// Asks the distance engine for the cheapest chains at once.
    fn search_directly(&mut self, search: Search) -> Result<bool, Stop> {
        let reset = self.session.options.reset_cost;
        let known = (!self.best.is_empty()).then(|| (self.best.len(), total(&self.best)));
        let Self { distances, graph, goals, .. } = self;
        let answer = distances.cheapest_chains(goals, reset, known, search, graph, self.session)?;
        let Chains::Bounded { better, chains, steps } = answer else { return Ok(false) };
        match (reset, chains.cmp(&self.chains)) {
            (Some(reset), _) => {
                let price = steps.saturating_add(reset.saturating_mul(chains as u64 - 1));
                self.least_price = self.least_price.max(price);
            }
            (None, Ordering::Greater) => (self.chains, self.bound) = (chains, steps),
            (None, Ordering::Equal) => self.bound = self.bound.max(steps),
            (None, Ordering::Less) => {}
        }
        if let Some(traces) = better {
            let chain = |trace: &Trace| accepted(covering(self.task, trace.clone(), &self.goals)?, trace);
            self.best = traces.iter().map(chain).collect::<Result<_, _>>()?;
        }
        self.report();
        Ok(reset.is_some() || self.is_closed())
    }

    /// Deepens the distances on the best tour with restarts until all are known, and looks for
    /// chains of its orders.
    fn search_priced(&mut self, reset: u64) -> Result<(), Stop> {
        let session = self.session;
        loop {
            session.check_limits()?;
            let options = self.plan_options(None);
            let orders = session.stage("order", || priced_orders(&self.goals, &self.graph, reset, &options));
            let Some(orders) = orders else { return Ok(()) };
            let plan = Plan { orders, length: 0, lower_bound: 0 };
            if self.needs_abandoned(&plan) {
                return Ok(());
            }
            if !session.stage("graph", || self.deepen(&plan))? {
                session.stage("chain", || self.concretise(&plan))?;
                return Ok(());
            }
        }
    }

    /// Whether the best chains are as few and as short as is possible, or so nearly that nothing
    /// better is asked for.
    fn is_closed(&self) -> bool {
        let gap = self.session.options.gap;
        let is_near = |total: u64| total.saturating_sub(self.bound) as f64 <= gap * total as f64;
        self.goals.is_empty() || self.best_total().is_some_and(is_near)
    }

    /// The total length of the best chains, if there are no more than needed.
    fn best_total(&self) -> Option<u64> {
        (!self.best.is_empty() && self.best.len() <= self.chains).then(|| total(&self.best))
    }

    fn offer(&mut self, chains: Vec<CheckedChain>) {
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
            self.session.record(self.distances.engine(), format!("{chains} of {steps} steps"));
        }
    }

    fn report(&self) {
        let best = (!self.best.is_empty()).then(|| total(&self.best));
        if let Some(steps) = best {
            self.record_best(self.best.len(), steps);
        }
        self.session.progress.update(self.graph.depth(), self.goals.len(), best, self.bound);
    }

    /// One round of the loop; `false`: nothing can be learned any more within the options.
    fn round(&mut self) -> Result<bool, Stop> {
        self.session.check_limits()?;
        let planned = self.session.stage("order", || self.plan(&self.plan_options(None)));
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
            if self.session.stage("graph", || self.excludes_in(&plan))? {
                return Ok(true);
            }
            self.assume_more_chains();
            return Ok(true);
        }
        if self.is_closed() || self.session.stage("graph", || self.deepen(&plan))? {
            return Ok(true);
        }
        let session = self.session;
        let most = session.options.tuning.value(&MOST_CONCRETISED);
        let is_large = self.guide.is_some() && plan.length * self.goals.len() as u64 > most;
        if !is_large && session.stage("chain", || self.concretise(&plan))? {
            return Ok(true);
        }
        let learned = session.stage("chain", || self.learn(&plan))?;
        if !is_large {
            session.stage("chain", || self.stretch(&plan))?;
        }
        let learns_on = learned && self.are_many_goals();
        let is_worthwhile = !self.is_closed() && !learns_on;
        let closing = is_worthwhile && session.stage("latched", || self.close_gap())?;
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
        let abandoned = |order: &Vec<Vertex>| {
            legs(order).any(|leg| self.abandoned.contains(&leg)) || self.book.holds_abandoned(&whole(order))
        };
        plan.orders.iter().any(abandoned)
    }

    /// The depth beyond which a distance is not sought any further.
    fn patience(&self) -> u32 {
        let patience = self.patience + 3 * self.graph.farthest();
        self.session.options.max_k.unwrap_or(patience).min(self.distances.deepest())
    }
}

/// The vertices of a chain of that order, Init and Final included.
fn whole(order: &[Vertex]) -> Vec<Vertex> {
    std::iter::once(Vertex::DEPOT).chain(order.iter().copied()).chain([Vertex::DEPOT]).collect()
}

/// The legs of a chain of that order.
fn legs(order: &[Vertex]) -> impl Iterator<Item = (Vertex, Vertex)> {
    let whole = whole(order);
    (1..whole.len()).map(move |end| (whole[end - 1], whole[end]))
}
