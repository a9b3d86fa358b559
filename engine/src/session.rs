//! Stages of a run with their timings and query counts, and the limits every query obeys.

use crate::error::EngineError;
use crate::error::StopReason;
use crate::options::{EngineId, Options, part_of_time};
use encoder::EncodeError;
use encoder::blast::Bounds;
use encoder::unroll::{Start, Unrolling};
use model::validate::Validated;
use solver::sat::{Budget, IncrementalSat, Lit, Verdict};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a stage of the pipeline took.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTiming {
    /// Name of the stage: `prepare`, `graph`, `order`, `chain`, ...
    pub name: String,
    /// Wall-clock time in seconds, summed over all visits of the stage.
    pub seconds: f64,
    /// SAT queries, summed over all visits of the stage.
    pub sat_calls: u64,
}

/// Adds what another visit of a stage took.
pub(crate) fn add(stages: &mut Vec<StageTiming>, visit: StageTiming) {
    match stages.iter_mut().find(|stage| stage.name == visit.name) {
        Some(stage) => {
            stage.seconds += visit.seconds;
            stage.sat_calls += visit.sat_calls;
        }
        None => stages.push(visit),
    }
}

/// What an engine cost and came to.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineAccount {
    /// Which engine.
    pub engine: EngineId,
    /// Number of its turns.
    pub turns: u32,
    /// Wall-clock time of all turns, in seconds.
    pub seconds: f64,
    /// SAT queries of all turns.
    pub sat_calls: u64,
    /// How often its turns covered goals, made chains better or raised the bound.
    pub facts: u32,
}

/// Adds what further turns of an engine cost.
pub(crate) fn add_account(accounts: &mut Vec<EngineAccount>, turns: EngineAccount) {
    match accounts.iter_mut().find(|account| account.engine == turns.engine) {
        Some(account) => {
            account.turns += turns.turns;
            account.seconds += turns.seconds;
            account.sat_calls += turns.sat_calls;
            account.facts += turns.facts;
        }
        None => accounts.push(turns),
    }
}

/// Which engine gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Bounded queries and induction by SAT.
    Sat,
    /// Enumeration of all reachable states.
    Explicit,
    /// Executions under random inputs.
    Simulation,
    /// Ranges of words, from step to step.
    Interval,
}

impl Engine {
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Explicit => "explicit",
            Self::Simulation => "simulation",
            Self::Interval => "interval",
        }
    }
}

/// What an engine came to, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Milestone {
    /// Since the run began.
    pub seconds: f64,
    /// Which engine.
    pub engine: Engine,
    /// What it found or proved.
    pub text: String,
}

/// Who wants to know how far the search is.
pub trait Progress {
    /// A stage begins (or is entered again).
    fn stage(&self, name: &str);
    /// Depth asked so far, goals known to be reachable, total length of the best chains, lower
    /// bound.
    fn update(&self, depth: u32, covered: usize, best: Option<u64>, bound: u64);
}

/// Nobody wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str) {}
    fn update(&self, _depth: u32, _covered: usize, _best: Option<u64>, _bound: u64) {}
}

/// Why a computation of the engine did not finish: a limit, which leaves the results so far, or an
/// error.
#[derive(Debug)]
pub enum Stop {
    /// A limit was reached; what was found so far stays.
    Limit(StopReason),
    /// There is no result.
    Failed(EngineError),
}

impl<E: Into<EngineError>> From<E> for Stop {
    fn from(error: E) -> Self {
        match error.into() {
            EngineError::Stopped | EngineError::Encode(EncodeError::Stopped) => {
                Self::Limit(StopReason::Deadline)
            }
            EngineError::Encode(EncodeError::TooLarge(_)) => Self::Limit(StopReason::Effort),
            error => Self::Failed(error),
        }
    }
}

/// Gates of one unrolling at most: more take too much memory.
const MOST_GATES: usize = 50_000_000;

/// Conflicts that the first part of a query may cost where the effort is limited; doubled from part
/// to part.
const FIRST_SLICE: u64 = 500;
/// Instructions that the evaluator is sure to run in a second.
const EVALUATED_PER_SECOND: u64 = 20_000_000;
/// The last part of the time is 1 in so many.
const LAST_PART: u32 = 5;
/// Executions may be run beyond the time of a search for 1 in so many parts of that.
const AFTERWARDS: u32 = 16;
/// How often an execution must be able to run within the time limit.
const REPLAYS: u64 = 16;
/// Clauses whose propagation is counted as one conflict.
const CLAUSES_PER_CONFLICT: u64 = 2_000;
/// Propagated literals that are counted as one conflict.
const PROPAGATIONS_PER_CONFLICT: u64 = 2_000;

/// Options, limits and counters of one run; shared by all stages. Each thread has one of its own.
pub struct Session<'a> {
    /// What the caller asked for.
    pub options: &'a Options,
    pub(crate) progress: &'a dyn Progress,
    sat_calls: Cell<u64>,
    /// Effort left for the engine at work, in conflicts; `None`: no limit.
    allowance: Cell<Option<u64>>,
    /// When the work in hand has to end: [`Options::deadline`] or earlier.
    deadline: Cell<Option<Instant>>,
    stages: RefCell<Vec<StageTiming>>,
    /// When the run began.
    began: Instant,
    /// When the part of the work began whose end the options name.
    opened: Instant,
    milestones: RefCell<Vec<Milestone>>,
    accounts: RefCell<Vec<EngineAccount>>,
    /// Seconds and queries of the stages inside the current one.
    charged_inside: Cell<(f64, u64)>,
    /// Each set by a thread beside which this one works, where nothing more is wanted of it.
    is_ended: Vec<&'a AtomicBool>,
}

/// What another thread needs for a session with the same limits, and until when its work is wanted.
pub(crate) struct Part<'a> {
    options: &'a Options,
    began: Instant,
    opened: Instant,
    /// What ends it: last, what ends it alone.
    is_ended: Vec<&'a AtomicBool>,
}

impl<'a> Part<'a> {
    /// The session, for the thread that works in it.
    pub(crate) fn open(&self) -> Session<'a> {
        let session = Session::new(self.options, &Silent);
        Session { began: self.began, opened: self.opened, is_ended: self.is_ended.clone(), ..session }
    }
    /// Whether nothing more is wanted.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.last().is_some_and(|ended| ended.load(Ordering::Relaxed))
    }
}

/// What was counted in a session.
#[derive(Debug)]
pub(crate) struct Accounts {
    sat_calls: u64,
    stages: Vec<StageTiming>,
    milestones: Vec<Milestone>,
    engines: Vec<EngineAccount>,
}

impl<'a> Session<'a> {
    /// A session with the limits of the options, in which nothing has been counted.
    pub fn new(options: &'a Options, progress: &'a dyn Progress) -> Self {
        let now = Instant::now();
        Self {
            options,
            progress,
            sat_calls: Cell::new(0),
            allowance: Cell::new(None),
            deadline: Cell::new(options.deadline),
            stages: RefCell::new(Vec::new()),
            began: now,
            opened: now,
            milestones: RefCell::new(Vec::new()),
            accounts: RefCell::new(Vec::new()),
            charged_inside: Cell::new((0.0, 0)),
            is_ended: Vec::new(),
        }
    }

    /// For a part of the work that has limits of its own within those of this session.
    pub(crate) fn inner<'p>(&self, options: &'p Options) -> Session<'p> {
        Session { began: self.began, ..Session::new(options, &Silent) }
    }

    /// For all the work of this session under these options, whose limits are no wider than its own.
    pub(crate) fn under<'p>(&self, options: &'p Options) -> Session<'p>
    where
        'a: 'p,
    {
        let session = Session::new(options, self.progress);
        Session { began: self.began, opened: self.opened, is_ended: self.is_ended.clone(), ..session }
    }

    /// For a thread that works beside this one until `is_ended` is set.
    pub(crate) fn beside<'p>(&'p self, is_ended: &'p AtomicBool) -> Part<'p> {
        let is_ended = self.is_ended.iter().copied().chain([is_ended]).collect();
        Part { options: self.options, began: self.began, opened: self.opened, is_ended }
    }
    /// What was counted here.
    pub(crate) fn into_accounts(self) -> Accounts {
        Accounts {
            sat_calls: self.sat_calls.get(),
            stages: self.stages.into_inner(),
            milestones: self.milestones.into_inner(),
            engines: self.accounts.into_inner(),
        }
    }
    /// Adds what was counted in a session beside this one.
    pub(crate) fn take(&self, counted: Accounts) {
        self.count(counted.sat_calls, 0);
        counted.stages.into_iter().for_each(|visit| add(&mut self.stages.borrow_mut(), visit));
        counted.engines.into_iter().for_each(|account| add_account(&mut self.accounts.borrow_mut(), account));
        let mut milestones = self.milestones.borrow_mut();
        milestones.extend(counted.milestones);
        milestones.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    }

    /// Runs `work` as part of the stage `name`: its time and queries are charged there, and not to
    /// a stage around it.
    pub(crate) fn stage<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        self.progress.stage(name);
        let (started, calls) = (Instant::now(), self.sat_calls.get());
        let (outer_seconds, outer_calls) = self.charged_inside.replace((0.0, 0));
        let result = work();
        let (seconds, calls) = (started.elapsed().as_secs_f64(), self.sat_calls.get() - calls);
        let (inner_seconds, inner_calls) = self.charged_inside.get();
        self.charge(name, seconds - inner_seconds, calls - inner_calls);
        self.charged_inside.set((outer_seconds + seconds, outer_calls + calls));
        result
    }

    fn charge(&self, name: &str, seconds: f64, sat_calls: u64) {
        add(&mut self.stages.borrow_mut(), StageTiming { name: name.to_owned(), seconds, sat_calls });
    }

    /// Records what an engine came to.
    pub(crate) fn record(&self, engine: Engine, text: String) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.milestones.borrow_mut().push(Milestone { seconds, engine, text });
    }
    /// What the engines came to, in order of time.
    pub(crate) fn milestones(&self) -> Vec<Milestone> {
        self.milestones.borrow().clone()
    }
    /// Adds a turn to the account of an engine.
    pub(crate) fn account(&self, engine: EngineId, time: Duration, sat_calls: u64, facts: u32) {
        let seconds = time.as_secs_f64();
        let turn = EngineAccount { engine, turns: 1, seconds, sat_calls, facts };
        add_account(&mut self.accounts.borrow_mut(), turn);
    }
    /// What each engine cost and came to, in the order of their first turns.
    pub(crate) fn accounts(&self) -> Vec<EngineAccount> {
        self.accounts.borrow().clone()
    }
    /// The stages in the order of their first visit.
    pub(crate) fn timings(&self) -> Vec<StageTiming> {
        self.stages.borrow().clone()
    }

    /// For a part of the work that another thread may do: the same limits, and as much effort as is
    /// left here.
    pub(crate) fn part<'p>(options: &'p Options, allowance: Option<u64>) -> Session<'p> {
        let part = Session::new(options, &Silent);
        part.allowance.set(allowance);
        part
    }
    /// Counts queries and effort of such a part.
    pub(crate) fn count(&self, sat_calls: u64, effort: u64) {
        self.sat_calls.set(self.sat_calls.get() + sat_calls);
        self.allowance.set(self.allowance.get().map(|left| left.saturating_sub(effort)));
    }
    /// Number of queries so far.
    pub(crate) fn sat_calls(&self) -> u64 {
        self.sat_calls.get()
    }

    /// An unrolling that is given up where it becomes too large, or the time is up.
    pub(crate) fn unrolling<'s>(&self, system: &'s Validated, start: Start) -> Unrolling<'s> {
        Unrolling::new(system, start).bounded(self.bounds(MOST_GATES))
    }

    /// Bounds of a circuit: so many gates, and the time limit of the run.
    pub(crate) fn bounds(&self, gates: usize) -> Bounds {
        let limit = self.limit();
        Bounds { gates: Some(gates), is_over: Some(Arc::new(move || limit.is_spent())) }
    }

    /// The limits of the whole run, for work that has no session.
    pub(crate) fn limit(&self) -> Budget {
        let (deadline, stop) = (self.options.deadline, Some(Arc::clone(&self.options.stop)));
        Budget { deadline, stop, conflicts: None }
    }

    /// The limits of executions that the evaluator runs: where the time of the search is up, what
    /// it has just found is still looked at.
    pub(crate) fn limit_of_executions(&self) -> Budget {
        let limit = self.limit();
        let time = |deadline: Instant| deadline.saturating_duration_since(self.began) / AFTERWARDS;
        Budget { deadline: limit.deadline.map(|deadline| deadline + time(deadline)), ..limit }
    }

    /// Steps of an execution that the evaluator can run some dozens of times before the time is up,
    /// where the evaluation of a step takes so many instructions: a longer one would not be judged,
    /// shortened and described in time. No limit, where there is none of time.
    pub(crate) fn longest_execution(&self, instructions: u64) -> u64 {
        let Some(deadline) = self.options.deadline else { return u64::MAX };
        // Powers of two, so that runs with the same limit mostly agree.
        let seconds = deadline.saturating_duration_since(self.began).as_secs().next_power_of_two();
        seconds * EVALUATED_PER_SECOND / (REPLAYS * instructions.max(1))
    }

    /// Whether a limit of the whole run is reached.
    pub(crate) fn is_over(&self) -> bool {
        let is_late = self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late || self.options.stop.load(Ordering::Relaxed) || self.is_unwanted()
    }

    /// Whether the thread beside which this one works has come to an end.
    fn is_unwanted(&self) -> bool {
        self.is_ended.iter().any(|ended| ended.load(Ordering::Relaxed))
    }

    /// Which limit is reached, if any.
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        if let Some(reason) = self.options.interruption() {
            return Some(reason);
        }
        if self.is_unwanted() {
            return Some(StopReason::Interrupted);
        }
        if self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::Deadline);
        }
        (self.allowance.get() == Some(0)).then_some(StopReason::Effort)
    }

    /// Runs `work` with so much effort for its queries, in conflicts; where it is spent `work` is
    /// halted. A number of conflicts and not a time, so that results do not depend on the machine.
    pub fn within<T>(&self, effort: u64, work: impl FnOnce() -> T) -> T {
        let outer = self.allowance.replace(Some(effort));
        let result = work();
        self.allowance.set(outer);
        result
    }

    /// Runs `work` with so much effort at most, as a part of what is left here.
    pub(crate) fn at_most<T>(&self, effort: u64, work: impl FnOnce() -> T) -> T {
        let outer = self.allowance.get();
        let given = outer.map_or(effort, |left| left.min(effort));
        self.allowance.set(Some(given));
        let result = work();
        let spent = given - self.allowance.get().unwrap_or(0);
        self.allowance.set(outer.map(|left| left.saturating_sub(spent)));
        result
    }

    /// Runs work that has limits of its own, whatever effort is left.
    pub(crate) fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let outer = self.allowance.replace(None);
        let result = work();
        self.allowance.set(outer);
        result
    }

    /// When the last part of the time begins, where there is a limit of time.
    fn last_part(&self) -> Option<Instant> {
        let deadline = self.options.deadline?;
        Some(deadline - deadline.saturating_duration_since(self.opened) / LAST_PART)
    }

    /// Whether only the last part of the time is left.
    pub(crate) fn is_last_call(&self) -> bool {
        self.last_part().is_some_and(|begin| Instant::now() >= begin)
    }

    /// Runs `work` until this point in time.
    fn until<T>(&self, deadline: Option<Instant>, work: impl FnOnce() -> T) -> T {
        let outer = self.deadline.replace(deadline);
        let result = work();
        self.deadline.set(outer);
        result
    }

    /// When the work in hand has to end, where it may not go on beyond this point in time either.
    fn no_later(&self, end: Option<Instant>) -> Option<Instant> {
        self.deadline.get().into_iter().chain(end).min()
    }

    /// Runs `work` for so long at most.
    pub(crate) fn for_a_while<T>(&self, time: Duration, work: impl FnOnce() -> T) -> T {
        self.until(self.no_later(Instant::now().checked_add(time)), work)
    }

    /// Runs `work` until the last part of the time begins; in the last part without another limit.
    pub(crate) fn before_last_call<T>(&self, work: impl FnOnce() -> T) -> T {
        let deadline = self.no_later(self.last_part().filter(|_| !self.is_last_call()));
        self.until(deadline, work)
    }

    /// Runs `work` until so much before the time is up, for what has to come after it.
    pub(crate) fn leaving<T>(&self, time: Duration, work: impl FnOnce() -> T) -> T {
        let earlier = |end: Instant| end.checked_sub(time).unwrap_or(end);
        self.until(self.deadline.get().map(earlier), work)
    }

    /// Runs `work` with one of so many parts of the time that is left, where there is a limit of
    /// time.
    pub fn share<T>(&self, parts: u32, work: impl FnOnce() -> T) -> T {
        self.until(part_of_time(self.deadline.get(), 1, parts), work)
    }

    /// When the work in hand has to end.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Effort left for the engine at work, in conflicts; `None`: no limit.
    pub(crate) fn allowance(&self) -> Option<u64> {
        self.allowance.get()
    }

    /// Takes what a query cost from the allowance: an answer may take many literals that are
    /// propagated, and no conflict.
    fn charge_effort(&self, solver: &dyn IncrementalSat, conflicts: u64, propagations: u64) {
        let conflicts = conflicts.max(propagations / PROPAGATIONS_PER_CONFLICT);
        let cost = conflicts + 1 + solver.clauses() / CLAUSES_PER_CONFLICT;
        self.allowance.set(self.allowance.get().map(|left| left.saturating_sub(cost)));
    }

    /// Takes work that asks no query from the allowance.
    pub(crate) fn spend(&self, effort: u64) {
        self.allowance.set(self.allowance.get().map(|left| left.saturating_sub(effort)));
    }

    /// Fails where a limit is reached.
    pub(crate) fn check_limits(&self) -> Result<(), Stop> {
        match self.stopped() {
            Some(reason) => Err(Stop::Limit(reason)),
            None => Ok(()),
        }
    }

    /// Asks a query without a limit of its own: the answer is yes (`true`) or no.
    pub fn solve(&self, solver: &mut dyn IncrementalSat, assumptions: &[Lit]) -> Result<bool, Stop> {
        match self.solve_within(solver, assumptions, None)? {
            Some(answer) => Ok(answer),
            None => Err(Stop::Limit(self.stopped().unwrap_or(StopReason::Interrupted))),
        }
    }

    /// Asks a query that may cost at most `conflicts`; `None` where that was not enough.
    pub fn solve_within(
        &self,
        solver: &mut dyn IncrementalSat,
        assumptions: &[Lit],
        conflicts: Option<u64>,
    ) -> Result<Option<bool>, Stop> {
        self.check_limits()?;
        self.sat_calls.set(self.sat_calls.get() + 1);
        let (mut left, mut slice) = (conflicts, FIRST_SLICE);
        loop {
            let limit = match self.allowance.get() {
                Some(allowance) => Some(slice.min(allowance).min(left.unwrap_or(u64::MAX))),
                None => left,
            };
            let budget = Budget {
                conflicts: limit,
                deadline: self.deadline.get(),
                stop: Some(self.options.stop.clone()),
            };
            let before = solver.propagations();
            let verdict = solver.solve(assumptions, &budget);
            let spent = limit.filter(|_| verdict == Verdict::Unknown).unwrap_or(0);
            let propagations = before.zip(solver.propagations()).map_or(0, |(before, after)| after - before);
            self.charge_effort(solver, spent, propagations);
            match verdict {
                Verdict::Sat => return Ok(Some(true)),
                Verdict::Unsat => return Ok(Some(false)),
                Verdict::Unknown => self.check_limits()?,
            }
            left = left.map(|left| left.saturating_sub(spent));
            if limit.is_none() || left == Some(0) {
                return Ok(None);
            }
            slice *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parts_of_what_is_left_and_end_with_the_work() {
        let end = Instant::now() + Duration::from_secs(1_000);
        let options = Options { deadline: Some(end), ..Options::default() };
        let session = Session::new(&options, &Silent);
        let left = |deadline: Option<Instant>| {
            deadline.expect("a deadline").saturating_duration_since(Instant::now()).as_secs()
        };
        let (outer, inner) =
            session.share(2, || (session.deadline(), session.share(5, || session.deadline())));
        assert!((450..=500).contains(&left(outer)) && (90..=100).contains(&left(inner)));
        assert_eq!(session.deadline(), Some(end));
        let unlimited = Options::default();
        assert_eq!(Session::new(&unlimited, &Silent).share(3, || 7), 7);
    }
}
