//! The best chains where all reachable states can be enumerated.
//!
//! Enumerating few states answers everything exactly and at once, so it comes first, up to small
//! limits. Later turns go further.

use crate::error::{EngineError, StopReason};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::optimum::exact::OptimalSearch;
use crate::provers::explicit::{Explicit, ExplicitStop, Limits};
use crate::session::{Session, Stop};
use crate::step::initial::{INITIAL_STATES, initial_states};
use crate::threads::processor_time;
use crate::tuning::{Constant, Tuning};
use crate::turn::{Prover, Turn};
use std::time::{Duration, Instant};

/// Classes of inputs that are told apart in one state at most.
pub(crate) const CLASSES: Constant = Constant {
    name: "enumeration.classes",
    usual: 2_000,
    unit: "classes of inputs",
    purpose: "of how many classes the inputs may be",
};
/// What the enumeration of a state may cost on average, in evaluated instructions.
const WORK_PER_STATE: u64 = 2_000;
/// What an enumeration may cost in any case.
pub(crate) const LEAST_WORK: Constant = Constant {
    name: "enumeration.least-work",
    usual: 400_000_000,
    unit: "evaluated instructions",
    purpose: "what an enumeration may cost in any case",
};
/// Limits where inputs are told apart by what steps make of them.
const OUTCOME_LIMITS: Limits = Limits { states: 100_000, classes: 200, outcomes: true, work: 200_000_000 };
/// What the first attempt to tell inputs apart may cost, in conflicts: where steps are wide, such
/// queries are hard, and other engines cover goals in the time of a few of them.
const FIRST_EFFORT: u64 = 5_000;
/// By what factor each further attempt may cost more.
const EFFORT_GROWTH: u64 = 4;
/// Limits where no other engine is wanted.
const FORCED_LIMITS: Limits = Limits { states: usize::MAX, classes: 65_536, outcomes: true, work: u64::MAX };
/// Most states: beyond that time and memory go where other engines do better.
const MOST_STATES: u64 = 3_000_000;

/// Says how an enumeration ended.
pub(crate) enum Enumeration<'s> {
    Done(Box<Explicit<'s>>),
    /// Beyond the limits.
    TooLarge,
    /// The system does not suit the engine.
    Unsuited,
}

/// How long the search among enumerated states takes at first, until the others have their turns.
/// Where a step reaches many goals at once, an order of goals says little, and other engines prove
/// within a moment what it does not come to.
const FIRST_SLICE: Duration = Duration::from_secs(2);
/// Most steps of chains for which others have their turns: to those with more, states are the better
/// way.
const SHORT: u64 = 300;
/// By what factor each further part of the search may take longer.
const SLICE_GROWTH: u32 = 3;
/// Part of the time that the processor may have been with others: a search that had less of it is
/// given time again, since it begins anew.
const MOST_ELSEWHERE: u32 = 2;
/// By what factor the time is longer then, at most.
const MOST_LONGER: u32 = 8;

/// See the module text.
pub(crate) struct Enumerated<'s> {
    task: &'s Task<'s>,
    session: &'s Session<'s>,
    /// The search among the states, once they are enumerated.
    search: Option<OptimalSearch<'s, 's, Explicit<'s>>>,
    /// How long the next part of the search may take.
    slice: Duration,
    /// The limits of the last attempt that told inputs apart.
    states: u64,
    /// What the next attempt may cost to find classes of inputs; `None`: they are too many.
    by_classes: Option<u64>,
    /// What the next attempt may cost to tell inputs apart by what steps make of them; `None`: that
    /// is too much, or there is no need.
    by_outcomes: Option<u64>,
}

impl<'s> Enumerated<'s> {
    pub(crate) fn new(task: &'s Task<'s>, session: &'s Session<'s>) -> Self {
        let effort = Some(FIRST_EFFORT);
        Self {
            task,
            session,
            search: None,
            slice: FIRST_SLICE,
            states: 0,
            by_classes: effort,
            by_outcomes: effort,
        }
    }

    /// Goes on with the search for a while.
    fn search(&mut self, known: &mut Knowledge) -> Result<Turn, Stop> {
        let Some(search) = &mut self.search else { return Ok(Turn::Open) };
        let session = self.session;
        let (began, before) = (Instant::now(), processor_time());
        let mut ended = session.apart(|| session.for_a_while(self.slice, || search.turn(known)));
        if let (Err(Stop::Limit(StopReason::Deadline)), None) = (&ended, session.stopped())
            && let Some(worked) = processor_time().zip(before).map(|(now, before)| now.saturating_sub(before))
            && worked * MOST_ELSEWHERE < self.slice
        {
            let times = began.elapsed().div_duration_f64(worked).ceil().clamp(1.0, f64::from(MOST_LONGER));
            let longer = self.slice.mul_f64(times);
            ended = session.apart(|| session.for_a_while(longer, || search.turn(known)));
        }
        self.slice = self.slice.saturating_mul(SLICE_GROWTH);
        let waits = known.open_goals().is_empty() && known.cost().1 <= SHORT;
        match ended {
            Err(Stop::Limit(StopReason::Deadline)) if waits => session.check_limits().map(|()| Turn::Open),
            Err(Stop::Limit(StopReason::Deadline)) => {
                session.check_limits()?;
                session.apart(|| search.turn(known)).map(|()| Turn::Complete)
            }
            ended => ended.map(|()| Turn::Complete),
        }
    }

    fn enumerate(&mut self, states: u64, session: &Session<'_>) -> Result<Enumeration<'s>, Stop> {
        if let Some(effort) = self.by_classes {
            let limits = limits(states, &session.options.tuning);
            match session.at_most(effort, || enumerate(self.task, limits, session)) {
                Err(Stop::Limit(StopReason::Effort)) => {
                    self.by_classes = Some(effort.saturating_mul(EFFORT_GROWTH));
                }
                Ok(Enumeration::Unsuited) if self.states == 0 => self.by_classes = None,
                found => {
                    (self.states, self.by_outcomes) = (states, None);
                    return found;
                }
            }
        }
        if let Some(effort) = self.by_outcomes {
            self.by_outcomes = Some(effort.saturating_mul(EFFORT_GROWTH));
            match session.within(effort, || enumerate(self.task, OUTCOME_LIMITS, session)) {
                Ok(Enumeration::TooLarge | Enumeration::Unsuited) => self.by_outcomes = None,
                Err(Stop::Limit(StopReason::Effort)) => {}
                found => return found,
            }
        }
        match self.by_classes.or(self.by_outcomes) {
            Some(_) => Ok(Enumeration::TooLarge),
            None => Ok(Enumeration::Unsuited),
        }
    }
}

/// The limits of an enumeration of that many states.
fn limits(states: u64, tuning: &Tuning) -> Limits {
    let limits = Limits::of_states(states, tuning.value(&CLASSES) as usize, WORK_PER_STATE);
    Limits { work: limits.work.max(tuning.value(&LEAST_WORK)), ..limits }
}

impl Prover for Enumerated<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let task = self.task;
        if self.search.is_some() {
            return self.search(known);
        }
        // Results of the C library are inputs as wide as a float: classes of inputs would be many,
        // and hard to tell apart.
        let is_spent = self.by_outcomes.is_none() && self.states >= MOST_STATES.min(work);
        if !task.calls().is_empty() || is_spent {
            return Ok(Turn::Exhausted);
        }
        match self.enumerate(work.min(MOST_STATES), session)? {
            Enumeration::Done(distances) => {
                self.search = Some(OptimalSearch::new(task, *distances, self.session));
                self.search(known)
            }
            Enumeration::TooLarge => Ok(Turn::Open),
            Enumeration::Unsuited => Ok(Turn::Exhausted),
        }
    }
}

/// The explicit engine for a strategy that runs on one engine only; `None`: it is beyond reasonable
/// limits.
pub(crate) fn for_strategy<'s>(
    task: &'s Task<'s>,
    session: &Session<'_>,
) -> Result<Option<Box<Explicit<'s>>>, Stop> {
    match enumerate(task, limits(MOST_STATES, &session.options.tuning), session)? {
        Enumeration::Done(distances) => Ok(Some(distances)),
        Enumeration::TooLarge | Enumeration::Unsuited => Ok(None),
    }
}

/// The explicit engine at any cost.
pub(crate) fn forced<'s>(task: &'s Task<'s>, session: &Session<'_>) -> Result<Box<Explicit<'s>>, Stop> {
    match session.stage("states", || attempt(task, FORCED_LIMITS, session)) {
        Ok(Some(explicit)) => Ok(explicit),
        Ok(None) => Err(EngineError::Unsuited("there are too many states".to_owned()).into()),
        Err(ExplicitStop::Unsuited(why)) => Err(EngineError::Unsuited(why).into()),
        Err(ExplicitStop::Stop(halt)) => Err(halt),
    }
}

fn enumerate<'s>(task: &'s Task<'s>, limits: Limits, session: &Session<'_>) -> Result<Enumeration<'s>, Stop> {
    let states = session.options.most_states.map_or(limits.states, |most| most.min(limits.states));
    let limits = Limits { states, ..limits };
    match session.stage("states", || attempt(task, limits, session)) {
        Ok(Some(explicit)) => Ok(Enumeration::Done(explicit)),
        Ok(None) => Ok(Enumeration::TooLarge),
        Err(ExplicitStop::Unsuited(_)) => Ok(Enumeration::Unsuited),
        Err(ExplicitStop::Stop(halt)) => Err(halt),
    }
}

fn attempt<'s>(
    task: &'s Task<'s>,
    limits: Limits,
    session: &Session<'_>,
) -> Result<Option<Box<Explicit<'s>>>, ExplicitStop> {
    let initial = initial_states(task, INITIAL_STATES, session).map_err(ExplicitStop::Stop)?;
    match initial {
        Some(initial) => Ok(Explicit::enumerate(task, &initial, limits, session)?.map(Box::new)),
        None => Err(ExplicitStop::Unsuited("there are too many initial states".to_owned())),
    }
}
