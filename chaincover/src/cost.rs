//! What chains cost, and chains of least cost.
//!
//! ```text
//! [cost] of the configuration -> Prices: a number for each step, more where conditions hold
//!   a run of a chain -> its cost, by evaluating the conditions
//!   a budget -> the system with a word that adds up costs, which stays within the budget
//!     -> searched like any other: a chain within the budget, or a proof that there is none
//! ```

use crate::coverage::is_unknown;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use engine::error::{EngineError, StopReason};
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{Options, Smoothing};
use engine::outcome::{Chain, Outcome};
use engine::session::{Progress, Silent, StageTiming};
use model::simulate::WindowEvaluator;
use model::sort::Sort;
use model::system::{Assumption, GoalId, TransitionSystem};
use model::term::{BinaryOp, TermId};
use model::trace::{Execution, Trace, replay};
use model::validate::{Validated, validate};
use report::output::chain_file::{ChainFile, Cost};
use std::time::Instant;

/// What steps of a model cost.
struct Prices<'m> {
    system: &'m Validated,
    unit: &'m str,
    /// What each step costs.
    step: u64,
    /// What steps cost in addition, with the truths over (state, input) under which they do.
    add: Vec<(TermId, u64)>,
}

impl<'m> Prices<'m> {
    /// Those of the configuration; none where it says nothing of costs.
    fn of(model: &'m Model) -> Option<Self> {
        let request = model.configuration.request.cost.as_ref()?;
        let added = request.add.iter().map(|added| u64::from(added.cost));
        Some(Self {
            system: &model.system,
            unit: &request.unit,
            step: u64::from(request.step),
            add: model.translated.costs.iter().copied().zip(added).collect(),
        })
    }
    /// The cost of a run.
    fn of_run(&self, trace: &Trace, run: &Execution) -> u64 {
        let mut conditions =
            WindowEvaluator::new(self.system, self.add.iter().map(|&(condition, _)| condition));
        let mut total = 0_u64;
        for (state, inputs) in run.states.iter().zip(&trace.inputs) {
            conditions.run(&[state], &[inputs]);
            let added = self.add.iter().enumerate().filter(|(position, _)| conditions.holds(*position));
            let step = added.fold(self.step, |sum, (_, &(_, cost))| sum.saturating_add(cost));
            total = total.saturating_add(step);
        }
        total
    }
    fn of_chains(&self, chains: &[Chain]) -> u64 {
        let costs = chains.iter().map(|chain| self.of_run(&chain.trace, &chain.run));
        costs.fold(0, u64::saturating_add)
    }
    /// The greatest number that all costs are multiples of.
    fn divisor(&self) -> u64 {
        self.add.iter().fold(self.step, |divisor, &(_, cost)| gcd(divisor, cost)).max(1)
    }
}

const fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Whether the configuration of the model says what steps cost.
///
/// # Errors
/// It does not: where to say it.
pub(crate) fn check(model: &Model, options: &Options) -> Result<(), Error> {
    let refuse = |message: &str| Err(Error::new(ErrorKind::Request, format!("--minimise cost: {message}")));
    if Prices::of(model).is_none() {
        return refuse(
            "nothing is said of what steps cost; `[cost]` in the chaincover.toml of a model in C says it",
        );
    }
    if options.reset_cost.is_some() {
        return refuse("`--reset-cost` counts steps, which are not what is to be least: leave it away");
    }
    if model.coverage().is_some_and(|found| !found.pairs.is_empty()) {
        return refuse(
            "pairs of MC/DC are searched for with the fewest steps only: ask for another criterion",
        );
    }
    Ok(())
}

/// Adds to a result what its chains cost, where the configuration says what steps cost.
pub(crate) fn record(model: &Model, outcome: &Outcome, file: &mut ChainFile) {
    let Some(prices) = Prices::of(model) else { return };
    for (chain, entry) in outcome.chains.iter().zip(&mut file.chains) {
        entry.cost = Some(prices.of_run(&chain.trace, &chain.run));
    }
    let total = prices.of_chains(&outcome.chains);
    if !outcome.chains.is_empty() {
        file.summary.cost = Some(Cost { total, unit: prices.unit.to_owned(), lower_bound: None });
    }
}

/// What the chains of a stored result cost, where the model says what steps cost.
pub(crate) fn of_runs(model: &Model, runs: &[(Trace, Execution)]) -> Option<Vec<u64>> {
    let prices = Prices::of(model)?;
    Some(runs.iter().map(|(trace, run)| prices.of_run(trace, run)).collect())
}

/// A chain of least cost.
#[derive(Clone, Debug)]
pub struct LeastCost {
    /// The chains; the bounds on the number of steps are those of the outcome before.
    pub outcome: Outcome,
    /// What the chains cost together.
    pub cost: u64,
    /// No chains that are as few and cover the same goals cost less.
    pub bound: u64,
}

/// The chain of least cost that covers what one chain of an outcome covers. The search is repeated
/// with budgets on the cost, and a budget that is proven too small is a lower bound.
///
/// Several chains are left as they are: the number of steps bounds what they cost.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, find_chains, least_cost, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int n; void step(int fast) { n += fast ? 3 : 1; if (n > 9) n = 9;\n__CPROVER_cover(n >= 6); }")?;
/// # let config = folder.path().join("chaincover.toml");
/// std::fs::write(&config, "[model]\nsources = ['lamp.c']\n[cost]\nunit = 's'\nadd = [{ when = 'step.fast', cost = 4 }]")?;
/// let model = read([&config], &Settings::default())?;
/// let outcome = find_chains(&model, &Options::default(), &Silent)?;
/// assert_eq!(outcome.length(), 2);
/// let least = least_cost(&model, outcome, &Options::default(), &Silent)?;
/// assert_eq!((least.outcome.length(), least.cost, least.bound), (6, 6, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](ErrorKind::Request): the model says nothing of costs, or `options` ask for something
/// that has no meaning with them. Otherwise as for [`find_chains`](crate::find_chains()).
pub fn least_cost(
    model: &Model,
    outcome: Outcome,
    options: &Options,
    progress: &dyn Progress,
) -> Result<LeastCost, Error> {
    check(model, options)?;
    let prices = Prices::of(model).expect("checked prices should be there");
    let (began, cost) = (Instant::now(), prices.of_chains(&outcome.chains));
    let bound = outcome.lower_bound.saturating_mul(prices.step).min(cost);
    if outcome.chains.len() != 1 {
        let mut outcome = outcome;
        if outcome.chains.len() > 1 {
            outcome.notes.push(SEVERAL.to_owned());
        }
        return Ok(LeastCost { outcome, cost, bound });
    }
    progress.stage("cost");
    let search = Search { divisor: prices.divisor(), prices, goals: covered(model, &outcome), options };
    let mut best = Best { low: bound, high: cost, found: None, queries: 0 };
    search.improve(&mut best)?;
    let Best { low, high, found, queries } = best;
    let mut outcome = match found {
        Some(found) => search.adopt(outcome, found, high)?,
        None => outcome,
    };
    // Smooth inputs may cost less than those that were found.
    let cost = search.prices.of_chains(&outcome.chains);
    debug_assert!(cost <= high);
    if low < cost {
        outcome.stopped = outcome.stopped.or(search.stopped());
    }
    let seconds = began.elapsed().as_secs_f64();
    outcome.stages.push(StageTiming { name: "cost".to_owned(), seconds, sat_calls: queries });
    Ok(LeastCost { outcome, cost, bound: low.min(cost) })
}

/// What several chains mean for the cost.
const SEVERAL: &str = "--minimise cost: least cost is sought for what one chain covers; these goals take several chains, which have the fewest steps found, and whose cost may not be the least";

/// The goals that chains cover.
fn covered(model: &Model, outcome: &Outcome) -> Vec<GoalId> {
    let is_covered = |&goal: &GoalId| {
        matches!(outcome.goals[goal].status, GoalStatus::Covered { .. }) && !is_unknown(model, goal)
    };
    model.system.goals.ids().filter(is_covered).collect()
}

/// What is known of the least cost.
struct Best {
    /// No chain costs less.
    low: u64,
    /// A chain costs that.
    high: u64,
    /// The result that has the chain; none: the one before.
    found: Option<Outcome>,
    /// SAT queries so far.
    queries: u64,
}

/// A search for a chain of least cost.
struct Search<'a> {
    prices: Prices<'a>,
    /// Costs are counted in multiples of this.
    divisor: u64,
    /// What the chain is to cover.
    goals: Vec<GoalId>,
    options: &'a Options,
}

/// What a search within a budget came to.
enum Within {
    /// A chain of this cost.
    Found(Box<Outcome>, u64),
    /// There is none.
    Refuted,
    Open,
}

impl Search<'_> {
    /// Tries budgets between what is proven and what is known, in the end those above the greatest
    /// that stayed open, too: they may have a better chain, though no proof.
    fn improve(&self, best: &mut Best) -> Result<(), Error> {
        let mut floor = best.low / self.divisor;
        while floor < best.high / self.divisor && self.stopped().is_none() {
            let budget = floor + (best.high / self.divisor - floor) / 2;
            match self.within(budget, &mut best.queries)? {
                Within::Found(found, cost) => (best.high, best.found) = (cost, Some(*found)),
                Within::Refuted => {
                    floor = budget + 1;
                    best.low = best.low.max(floor.saturating_mul(self.divisor));
                }
                Within::Open => floor = budget + 1,
            }
        }
        Ok(())
    }

    /// Searches for a chain of at most this cost, as multiple of the divisor.
    fn within(&self, budget: u64, queries: &mut u64) -> Result<Within, Error> {
        // Wishes about inputs are for the last search, and each gets half of the time that is left.
        let options = Options { smoothing: None, ..self.options.within_part(1, 2) };
        let bounded = self.bounded(budget);
        let found = match engine::find_chains(&bounded, &options, &Silent) {
            // Not even the first step is within the budget.
            Err(EngineError::NoExecution(_)) => return Ok(Within::Refuted),
            found => found?,
        };
        *queries += found.stages.iter().map(|stage| stage.sat_calls).sum::<u64>();
        let is_covered = |status: &GoalStatus| matches!(status, GoalStatus::Covered { .. });
        if let [chain] = &found.chains[..]
            && found.goals.values().all(|goal| is_covered(&goal.status))
        {
            let cost = self.prices.of_run(&chain.trace, &self.run(&chain.trace)?);
            if cost / self.divisor > budget {
                return Err(disagreement("a chain costs more than its budget"));
            }
            return Ok(Within::Found(Box::new(found), cost));
        }
        let is_excluded = |status: &GoalStatus| {
            matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
        };
        // Fewest chains come first: several that are proven to be as few as can be exclude one.
        let takes_several = found.minimal == Minimality::Proven && found.chains.len() > 1;
        let is_refuted = takes_several || found.goals.values().any(|goal| is_excluded(&goal.status));
        Ok(if is_refuted { Within::Refuted } else { Within::Open })
    }

    /// The system whose executions cost at most `budget`, with the goals that are to be covered.
    fn bounded(&self, budget: u64) -> Validated {
        let mut system: TransitionSystem = (**self.prices.system).clone();
        let goals = self.goals.iter().map(|&goal| self.prices.system.goals[goal].clone());
        system.goals = goals.collect();
        let in_units = |cost: u64| u128::from(cost / self.divisor);
        let most =
            self.prices.add.iter().fold(in_units(self.prices.step), |sum, &(_, cost)| sum + in_units(cost));
        // The sum of a step is computed in a word in which it cannot wrap.
        let (width, wide) = (bits(u128::from(budget)), bits(u128::from(budget) + most));
        let spent = system.add_state("(cost)", Sort::word(width));
        let before = system.state_term(spent);
        let terms = &mut system.terms;
        let none = terms.word(wide, 0);
        let mut after = terms.resize(before, wide, false);
        let step = terms.word(wide, in_units(self.prices.step));
        after = terms.binary(BinaryOp::Add, after, step);
        for &(condition, cost) in &self.prices.add {
            let cost = terms.word(wide, in_units(cost));
            let added = terms.ite(condition, cost, none);
            after = terms.binary(BinaryOp::Add, after, added);
        }
        let last = terms.word(wide, u128::from(budget));
        let condition = terms.binary(BinaryOp::ULe, after, last);
        let next = terms.resize(after, width, false);
        let init = terms.word(width, 0);
        (system.states[spent].init, system.states[spent].next) = (init, next);
        system.assumptions.push(Assumption { condition, origin: None });
        validate(system).expect("a valid system should stay valid with a word that adds up costs")
    }

    /// The outcome with a chain that was found within a budget, whose inputs become what is wished
    /// of them as far as the cost allows.
    fn adopt(&self, mut outcome: Outcome, found: Outcome, cost: u64) -> Result<Outcome, Error> {
        let found = self.smoothed(found, cost)?;
        let runs = found.chains.iter().map(|chain| self.run(&chain.trace)).collect::<Result<Vec<_>, _>>()?;
        let traces = found.chains.into_iter().map(|chain| chain.trace);
        if !outcome.put_chains(self.prices.system, traces.zip(runs).collect()).is_empty() {
            return Err(disagreement("a chain of less cost misses a goal"));
        }
        outcome.smoothing = found.smoothing;
        outcome.lemmas.extend(found.lemmas);
        Ok(outcome)
    }

    /// The chain with what is wished of its inputs, at no greater cost.
    fn smoothed(&self, found: Outcome, cost: u64) -> Result<Outcome, Error> {
        let Some(wishes) = &self.options.smoothing else { return Ok(found) };
        let bounded = self.bounded(cost / self.divisor);
        let mut ranges = wishes.ranges.clone();
        ranges.resize(bounded.assumptions.len(), false);
        let wishes = Smoothing { ranges, ..wishes.clone() };
        // The chain is there: any chain within the budget will do.
        let options = Options { smoothing: Some(wishes), gap: f64::MAX, ..self.options.clone() };
        let known: Vec<Trace> = found.chains.iter().map(|chain| chain.trace.clone()).collect();
        let smoothed = engine::find_chains_from(&bounded, &known, &options, &Silent)?;
        let is_whole = smoothed.chains.len() == 1
            && smoothed.goals.values().all(|goal| matches!(goal.status, GoalStatus::Covered { .. }));
        Ok(if is_whole { smoothed } else { found })
    }

    /// The run of a chain on the system of the model.
    fn run(&self, trace: &Trace) -> Result<Execution, Error> {
        replay(self.prices.system, trace)
            .map_err(|error| disagreement(&format!("a chain was refused by the evaluator: {error}")))
    }

    /// Why no more budgets can be tried.
    fn stopped(&self) -> Option<StopReason> {
        let is_late = self
            .options
            .deadline
            .is_some_and(|end| end.saturating_duration_since(Instant::now()) < LEAST_TIME);
        self.options.interruption().or(is_late.then_some(StopReason::Deadline))
    }
}

/// Time below which no further budget is tried.
const LEAST_TIME: std::time::Duration = std::time::Duration::from_millis(50);

fn disagreement(message: &str) -> Error {
    Error::new(ErrorKind::SelfCheck, message)
}

/// Bits of a word that holds numbers up to `most`.
const fn bits(most: u128) -> u32 {
    let bits = u128::BITS - most.leading_zeros();
    if bits == 0 { 1 } else { bits }
}
