//! Chains of least time, at their length or of any length: a bisection over ticks.

use super::{covered, is_excluded, line, names, replayed, text_of, total, with_goals};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use ::timed::infimum::{Infimum, infimum};
use ::timed::lower::{Budget, Lowered, Relaxation, TimedChain, Variant};
use ::timed::read_over_ticks;
use ::timed::system::System;
use engine::error::EngineError;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{Options, Strategy};
use engine::outcome::Outcome;
use engine::session::Silent;
use model::id::Id;
use model::trace::{Trace, replay};
use model::validate::Validated;
use model::value::Value as Word;
use num_rational::BigRational;
use std::path::Path;
use std::time::{Duration, Instant};

/// What chains are to have least of, once there are as few of them as can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Minimise {
    /// Steps, then time.
    #[default]
    Steps,
    /// Time, then steps.
    Time,
}

/// Chains in exact time.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Each chain as a line: its events with their delays.
    pub chains: Vec<String>,
    /// The time of all chains together.
    pub time: Time,
    /// No set of as many chains takes less time; [`Minimise::Steps`]: of as few steps.
    pub bound: Time,
    /// The steps of all chains together.
    pub steps: u64,
    /// No set of as many chains has fewer steps; [`Minimise::Time`]: of as little time, over ticks.
    pub least_steps: u64,
    /// Whether bounds hold of dense time; else of multiples of a tick only.
    pub is_dense: bool,
    /// Whether all times over ticks were found or excluded.
    pub is_complete: bool,
    /// The distance of the times that were tried.
    pub tick: Time,
    /// Where clocks have strict bounds: the infimum of the time of as many chains that were found, at
    /// any times, where it is less than [`Timing::time`].
    pub infimum: Option<Infimum>,
}

impl Timing {
    /// In words: the time, and what is known about it.
    pub fn summary(&self, minimise: Minimise) -> String {
        let (time, bound, steps) = (&self.time, &self.bound, self.steps);
        let ticks = if self.is_dense { "" } else { " over ticks" };
        let strict = format!(
            "; clocks have strict bounds, and the times tried are multiples of {}: a smaller `tick` in the text may come nearer",
            self.tick
        );
        let open = match (self.is_complete, self.is_dense) {
            (false, _) => "; less was not tried to the end",
            (true, true) => strict.as_str(),
            (true, false) => "",
        };
        let nearer = self.nearer();
        let strict = nearer.as_deref().unwrap_or(open);
        match minimise {
            Minimise::Steps if time == bound => format!("{time}, the least of {steps} steps, proven{ticks}"),
            Minimise::Steps => format!("{time}, at least {bound} at {steps} steps{ticks}{strict}"),
            Minimise::Time => {
                let chains = match self.chains.len() {
                    1 => "one chain".to_owned(),
                    count => format!("{count} chains"),
                };
                let least = match time == bound {
                    true => format!("the least of {chains}, proven{ticks}"),
                    false => format!("at least {bound} for {chains}{ticks}{strict}"),
                };
                let fewest = match steps == self.least_steps {
                    true => format!("{steps} steps, the fewest of that time over ticks, proven"),
                    false => format!("{steps} steps, at least {} of that time over ticks", self.least_steps),
                };
                format!("{time}, {least}; {fewest}")
            }
        }
    }
    /// What is known of times between those that were tried.
    fn nearer(&self) -> Option<String> {
        let Infimum { time, is_attained } = self.infimum.as_ref().filter(|_| self.is_dense)?;
        let is_least = if *time == self.bound { ", proven" } else { "" };
        Some(match is_attained {
            true => format!("; between the ticks of {} {time} is attained{is_least}", self.tick),
            false => format!(
                "; infimum {time}{is_least}, not attained by its transitions, whose times here are multiples of {}",
                self.tick
            ),
        })
    }
}

/// Times are exact.
pub type Time = BigRational;

/// The least time of chains that are as few as those found, and as short ([`Minimise::Steps`]) or
/// of any length ([`Minimise::Time`]): the search is repeated with ever smaller bounds on the time,
/// and what it proves impossible is the proof.
///
/// Only chains that the reference interpreter runs in dense time are returned. Where clocks have
/// strict bounds, the bound on the time comes from the system with these bounds closed, which has
/// every dense run and more.
///
/// # Errors
/// As for [`find_chains`](crate::find_chains); [`SelfCheck`](ErrorKind::SelfCheck): the interpreter
/// refuses a chain.
pub fn least_time(
    model: &Model,
    outcome: &Outcome,
    options: &Options,
    minimise: Minimise,
) -> Result<Timing, Error> {
    Ok(quickest(model, outcome, options, minimise)?.timing)
}

/// Puts the quickest chains in place of those that were found, where they take less time; what is
/// known of times, of a timed system that has chains.
///
/// # Errors
/// As for [`least_time`].
pub(crate) fn quicken(
    model: &Model,
    outcome: &mut Outcome,
    options: &Options,
    minimise: Minimise,
) -> Result<Option<Timing>, Error> {
    if text_of(model).is_none() || outcome.chains.is_empty() {
        return Ok(None);
    }
    let Quickest { timing, lowered, chains, before } = quickest(model, outcome, options, minimise)?;
    if timing.time < before {
        let traces: Option<Vec<Trace>> = chains.iter().map(|chain| lowered.trace(chain)).collect();
        let no_word = || Error::new(ErrorKind::SelfCheck, "the quickest chains: a value has no word");
        outcome.smoothing.clear();
        replace(model, outcome, traces.ok_or_else(no_word)?)?;
        smooth(model, outcome, options)?;
    }
    Ok(Some(timing))
}

/// Does what is wished of the inputs of chains; delays stay.
fn smooth(model: &Model, outcome: &mut Outcome, options: &Options) -> Result<(), Error> {
    if options.smoothing.is_none() {
        return Ok(());
    }
    // The chains are there: any will do.
    let options = Options { gap: f64::MAX, ..options.clone() };
    let known: Vec<Trace> = outcome.chains.iter().map(|chain| chain.trace.clone()).collect();
    let found = engine::find_chains_from(&model.system, &known, &options, &Silent)?;
    let traces: Vec<Trace> = found.chains.into_iter().map(|chain| chain.trace).collect();
    let delays = |traces: &[Trace]| -> Vec<Vec<Option<Word>>> {
        let delay = |inputs: &Vec<Word>| inputs.get(super::delay(model)?.index()).copied();
        traces.iter().map(|trace| trace.inputs.iter().map(delay).collect()).collect()
    };
    if delays(&traces) == delays(&known) {
        replace(model, outcome, traces)?;
        outcome.smoothing = found.smoothing;
    }
    Ok(())
}

/// Puts traces in place of the chains of an outcome, whose goals they cover.
fn replace(model: &Model, outcome: &mut Outcome, traces: Vec<Trace>) -> Result<(), Error> {
    let refuse = |why: &str| Error::new(ErrorKind::SelfCheck, format!("the quickest chains: {why}"));
    let executions = traces.into_iter().map(|trace| {
        let run = replay(&model.system, &trace)
            .map_err(|error| refuse(&format!("the evaluator does not accept one: {error}")))?;
        Ok((trace, run))
    });
    if !outcome.put_chains(&model.system, executions.collect::<Result<_, Error>>()?).is_empty() {
        return Err(refuse("they do not cover what the others do"));
    }
    Ok(())
}

/// The quickest chains.
struct Quickest {
    timing: Timing,
    /// The system, without any bound on the time.
    lowered: Lowered,
    chains: Vec<TimedChain>,
    /// The time of the chains that were known before.
    before: Time,
}

/// Looks for the quickest chains.
fn quickest(
    model: &Model,
    outcome: &Outcome,
    options: &Options,
    minimise: Minimise,
) -> Result<Quickest, Error> {
    let Some((path, define)) = text_of(model) else {
        return Err(Error::new(ErrorKind::Request, "only steps of timed systems (*.tio, *.xlia) take time"));
    };
    let (lowered, system, ..) = read_over_ticks(path, define, Variant::default())?;
    let restarts = u32::try_from(outcome.chains.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let reached = names(&model.system, outcome, |status| matches!(status, GoalStatus::Covered { .. }));
    let length = outcome.length() + u64::from(restarts);
    let mut search = Bisection {
        path,
        define,
        lowered: &lowered,
        system: &system,
        is_covered: lowered.system.goals.values().map(|goal| reached.contains(&goal.name.as_str())).collect(),
        restarts,
        length: Some(length),
        // Wishes speak of the inputs of the other system.
        options: &Options { smoothing: None, reset_cost: None, ..options.clone() },
    };
    let mut best = Best { chains: Vec::new(), least_steps: outcome.lower_bound };
    for chain in &outcome.chains {
        best.chains.extend(replayed(&lowered, &system, &chain.trace)?);
    }
    let before = total(&best.chains);
    let ticks = &lowered.ticks;
    let mut low = 0;
    let (mut nearest, mut is_complete) = (None, true);
    if !best.chains.is_empty() {
        low = search.improve(&mut best)?;
        if minimise == Minimise::Time {
            // Chains as short as those found are tried first: that is quick.
            search.length = None;
            low = search.improve(&mut best)?;
        }
        let high = search.in_ticks(&total(&best.chains));
        is_complete = low >= high;
        if ticks.is_strict {
            let (bound, closed) = search.bound_of_closed(low.min(high))?;
            low = bound;
            let conditions = lowered.conditions(&search.is_covered);
            let found = [Some(&best.chains), closed.as_ref()].into_iter().flatten();
            nearest =
                found.filter_map(|chains| infimum(&system, chains, &conditions)).min_by(|left, right| {
                    (&left.time, !left.is_attained).cmp(&(&right.time, !right.is_attained))
                });
        }
    }
    let tick = search.tick();
    let timing = Timing {
        chains: best.chains.iter().map(|chain| line(chain, &system)).collect(),
        time: total(&best.chains),
        bound: BigRational::from_integer(low.into()) * &tick,
        steps: best.chains.iter().map(|chain| chain.events.len() as u64).sum(),
        least_steps: best.least_steps,
        is_dense: ticks.is_dense(),
        is_complete,
        tick,
        infimum: nearest.filter(|infimum| infimum.time < total(&best.chains)),
    };
    let chains = best.chains;
    Ok(Quickest { timing, lowered, chains, before })
}

/// The best chains so far.
struct Best {
    chains: Vec<TimedChain>,
    /// No chains of the same time have fewer steps.
    least_steps: u64,
}

/// A search for the least time of chains.
struct Bisection<'a> {
    path: &'a Path,
    define: &'a [String],
    lowered: &'a Lowered,
    system: &'a System,
    /// The goals that chains are to cover.
    is_covered: Vec<bool>,
    /// Most steps that begin a further chain.
    restarts: u32,
    /// Most steps, those that begin a chain included; none: any number.
    length: Option<u64>,
    options: &'a Options,
}

/// How long one query for chains of a certain length may take where there is no limit.
const QUERY: Duration = Duration::from_secs(60);

/// What a search with a bound on the time came to.
enum Bounded {
    /// Chains, and steps that chains within this bound have at least.
    Found(Vec<TimedChain>, u64),
    /// There are none.
    Refuted,
    Unknown,
}

impl Bisection<'_> {
    fn tick(&self) -> Time {
        let tick = self.lowered.ticks.tick;
        BigRational::new((*tick.numer()).into(), (*tick.denom()).into())
    }
    fn in_ticks(&self, time: &Time) -> u64 {
        u64::try_from((time / self.tick()).to_integer()).unwrap_or(u64::MAX)
    }
    /// Chains of at most so many ticks.
    fn within(&self, ticks: u64, relaxation: Relaxation) -> Result<Bounded, Error> {
        let budget = Some(Budget { ticks, restarts: self.restarts });
        let (bounded, ..) = read_over_ticks(self.path, self.define, Variant { relaxation, budget })?;
        // What cannot be covered at all is not asked for again.
        let Some(tried) = with_goals(&bounded.system, &self.is_covered) else { return Ok(Bounded::Unknown) };
        // Chains that are as short as those found take one query.
        if let Some(length) = self.length.and_then(|length| u32::try_from(length).ok()) {
            let half = self.options.within_part(1, 2);
            let options = Options {
                strategy: Strategy::Monolithic,
                max_k: Some(length),
                least_length: length,
                deadline: half.deadline.or_else(|| Instant::now().checked_add(QUERY)),
                ..half
            };
            match self.ask(&tried, &bounded, &options, relaxation)? {
                Bounded::Unknown => {}
                answer => return Ok(answer),
            }
        }
        self.ask(&tried, &bounded, &self.options.within_part(1, 2), relaxation)
    }
    fn is_late(&self) -> bool {
        self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
    /// Looks for a chain of the system within a bound on the time.
    fn ask(
        &self,
        tried: &Validated,
        bounded: &Lowered,
        options: &Options,
        relaxation: Relaxation,
    ) -> Result<Bounded, Error> {
        let found = match engine::find_chains(tried, options, &Silent) {
            // Not even the first event comes in time.
            Err(EngineError::NoExecution(_)) => return Ok(Bounded::Refuted),
            found => found?,
        };
        let is_long = |steps: u64| self.length.is_some_and(|length| steps > length);
        let is_one = found.chains.len() == 1;
        if is_one && !is_long(found.length()) && found.goals.values().all(covered) {
            let steps = found.lower_bound.saturating_sub(u64::from(self.restarts));
            // Chains of the closed system need not be chains of the system: they only tell
            // transitions.
            let chains = match relaxation {
                Relaxation::None => replayed(bounded, self.system, &found.chains[0].trace)?,
                _ => bounded.chains(&found.chains[0].trace).unwrap_or_default(),
            };
            return Ok(Bounded::Found(chains, steps));
        }
        let has_unreachable = found.goals.values().any(|goal| is_excluded(&goal.status));
        let is_refuted = has_unreachable
            || (found.minimal == Minimality::Proven && (!is_one || is_long(found.length())))
            || (found.chains.len() <= 1 && is_long(found.lower_bound));
        Ok(if is_refuted { Bounded::Refuted } else { Bounded::Unknown })
    }
    /// Makes chains quicker; returns how many ticks chains over ticks take at least.
    fn improve(&self, best: &mut Best) -> Result<u64, Error> {
        let (mut low, mut high) = (0, self.in_ticks(&total(&best.chains)));
        // Less time may be excluded where nothing is known of more.
        let mut unknown = high;
        while low < high.min(unknown) {
            let ticks = low + (high.min(unknown) - low) / 2;
            match self.within(ticks, Relaxation::None)? {
                Bounded::Found(chains, steps) => {
                    // Without a bound on steps these are the fewest of their own time, too.
                    let least_steps = if self.length.is_some() { best.least_steps } else { steps };
                    high = self.in_ticks(&total(&chains)).min(ticks);
                    *best = Best { chains, least_steps };
                }
                Bounded::Refuted => low = ticks + 1,
                Bounded::Unknown if self.options.interruption().is_some() || self.is_late() => break,
                Bounded::Unknown => unknown = ticks,
            }
        }
        Ok(low)
    }
    /// How many ticks, up to `high`, chains of the system with closed bounds take at least, and the
    /// quickest of them where some take less.
    fn bound_of_closed(&self, high: u64) -> Result<(u64, Option<Vec<TimedChain>>), Error> {
        let (mut low, mut high) = (0, high);
        let mut quickest = None;
        // Mostly they take as many.
        let mut ticks = high.saturating_sub(1);
        while low < high {
            match self.within(ticks, Relaxation::Closed)? {
                Bounded::Found(chains, _) => (high, quickest) = (ticks, Some(chains)),
                Bounded::Refuted => low = ticks + 1,
                Bounded::Unknown => break,
            }
            ticks = low + (high - low) / 2;
        }
        Ok((low, quickest))
    }
}
