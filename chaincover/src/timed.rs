//! Timed symbolic systems: what is asked of them beside chains.
//!
//! Chains of timed systems come from [`find_chains`](crate::find_chains) like those of other
//! models; [`least_time`] makes them short in time as well.

mod testcases;

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::pairs::part;
use ::timed::game::{Effort, decide};
use ::timed::infimum::infimum;
use ::timed::judge::JudgeError;
use ::timed::lower::{Budget, Lowered, TimedChain, Variant};
use ::timed::play::to_json;
use ::timed::purpose::{judge, report, report_never_enabled};
use ::timed::read::{Model as Text, read};
use ::timed::read_over_ticks;
use ::timed::smt::{SmtError, Solver};
use ::timed::system::{System, Target};
use engine::error::EngineError;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{Options, Strategy};
use engine::outcome::{GoalResult, Outcome};
use engine::session::Silent;
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use num_rational::BigRational;
use report::output::chain_file::{self, ChainFile, Forcing, TimedEvent};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

pub use ::timed::code::Code;
pub use ::timed::game::{Force, Limit as GameLimit};
pub use ::timed::infimum::Infimum;
pub use ::timed::judge::Observed;
pub use ::timed::mutate::{Operator, Operators};
pub use ::timed::purpose::Judged;
pub use ::timed::read::is_timed;
pub use ::timed::testcase::Excuse;
pub use ::timed::write::direction_name;
pub use harness::{Report, Verdict};
pub use testcases::{
    ChainRun, RealTime, RunOptions, TestFiles, TestOptions, monitor, run, run_chains, testcase,
    testcases_of_chains,
};
pub(crate) use testcases::{placed, recorded};

/// The program that answers questions of linear arithmetic where no other is named.
pub const SMT: &str = "z3";

impl From<SmtError> for Error {
    fn from(error: SmtError) -> Self {
        Self::request(&error)
    }
}

impl From<JudgeError> for Error {
    fn from(error: JudgeError) -> Self {
        Self::request(&error)
    }
}

/// What `check` says of a timed system.
#[derive(Debug)]
pub struct Checked {
    /// The system, with warnings about its text.
    pub model: Text,
    /// Each purpose with what was found of it; none where no SMT solver can be started.
    pub purposes: Vec<(String, Option<Judged>)>,
    /// Why purposes are not judged, where they are not.
    pub unanswered: Option<String>,
}

/// Reads a timed system and judges its purposes until a deadline; `define` has `NAME=VALUE` for
/// constants.
///
/// # Errors
/// The text is wrong, or the SMT solver does not answer. That it cannot be started, or that the
/// time is up, is no error: it stands in [`Checked::unanswered`].
pub fn check(path: &Path, define: &[String], smt: &str, deadline: Option<Instant>) -> Result<Checked, Error> {
    let mut model = read(path, define)?;
    let mut solver = match Solver::start(smt) {
        Err(SmtError::NotStarted(..)) if model.system.purposes.is_empty() => {
            return Ok(Checked { model, purposes: Vec::new(), unanswered: None });
        }
        Err(error @ SmtError::NotStarted(..)) => {
            let purposes = model.system.purposes.iter().map(|purpose| (purpose.name.clone(), None)).collect();
            return Ok(Checked { model, purposes, unanswered: Some(error.to_string()) });
        }
        solver => solver?,
    };
    solver.limit(deadline, u32::MAX);
    let mut judging = || -> Result<Vec<(String, Option<Judged>)>, (Vec<_>, SmtError)> {
        let mut purposes = Vec::new();
        let named = report_never_enabled(&model.system, &mut solver, &mut model.diagnostics);
        named.map_err(|error| (Vec::new(), error))?;
        for purpose in &model.system.purposes {
            let judged = judge(&model.system, &purpose.edges, &mut solver).and_then(|judged| {
                report(&model.system, purpose, &judged, &mut solver, &mut model.diagnostics)?;
                Ok(judged)
            });
            match judged {
                Ok(judged) => purposes.push((purpose.name.clone(), Some(judged))),
                Err(error) => return Err((purposes, error)),
            }
        }
        Ok(purposes)
    };
    let (mut purposes, unanswered) = match judging() {
        Ok(purposes) => (purposes, None),
        Err((purposes, SmtError::TimeUp)) => (purposes, Some(SmtError::TimeUp.to_string())),
        Err((_, error)) => return Err(error.into()),
    };
    let left = model.system.purposes.iter().skip(purposes.len());
    purposes.extend(left.map(|purpose| (purpose.name.clone(), None)).collect::<Vec<_>>());
    Ok(Checked { model, purposes, unanswered })
}

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
}

impl Timing {
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
            let found = [Some(&best.chains), closed.as_ref()].into_iter().flatten();
            nearest = found.filter_map(|chains| of_all(&system, chains)).min_by(|left, right| {
                (&left.time, !left.is_attained).cmp(&(&right.time, !right.is_attained))
            });
        }
    }
    let tick = search.tick();
    Ok(Timing {
        chains: best.chains.iter().map(|chain| line(chain, &system)).collect(),
        time: total(&best.chains),
        bound: BigRational::from_integer(low.into()) * &tick,
        steps: best.chains.iter().map(|chain| chain.events.len() as u64).sum(),
        least_steps: best.least_steps,
        is_dense: ticks.is_dense(),
        is_complete,
        tick,
        infimum: nearest.filter(|infimum| infimum.time < total(&best.chains)),
    })
}

/// The infimum of the time of some chains together; none where it is not known of one of them.
fn of_all(system: &System, chains: &[TimedChain]) -> Option<Infimum> {
    let each: Option<Vec<Infimum>> = chains.iter().map(|chain| infimum(system, chain)).collect();
    let each = each?;
    Some(Infimum {
        time: each.iter().map(|one| &one.time).sum(),
        is_attained: each.iter().all(|one| one.is_attained),
    })
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
    fn within(&self, ticks: u64, is_relaxed: bool) -> Result<Bounded, Error> {
        let budget = Some(Budget { ticks, restarts: self.restarts });
        let (bounded, ..) = read_over_ticks(self.path, self.define, Variant { is_relaxed, budget })?;
        // What cannot be covered at all is not asked for again.
        let Some(tried) = with_goals(&bounded.system, &self.is_covered) else { return Ok(Bounded::Unknown) };
        // Chains that are as short as those found take one query.
        if let Some(length) = self.length.and_then(|length| u32::try_from(length).ok()) {
            let half = part(self.options, 2);
            let options = Options {
                strategy: Strategy::Monolithic,
                max_k: Some(length),
                least_length: length,
                deadline: half.deadline.or_else(|| Instant::now().checked_add(QUERY)),
                ..half
            };
            match self.ask(&tried, &bounded, &options, is_relaxed)? {
                Bounded::Unknown => {}
                answer => return Ok(answer),
            }
        }
        self.ask(&tried, &bounded, &part(self.options, 2), is_relaxed)
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
        is_relaxed: bool,
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
            // Chains of the closed system need not be chains of the system: they only tell transitions.
            let chains = match is_relaxed {
                true => bounded.chains(&found.chains[0].trace).unwrap_or_default(),
                false => replayed(bounded, self.system, &found.chains[0].trace)?,
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
            match self.within(ticks, false)? {
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
            match self.within(ticks, true)? {
                Bounded::Found(chains, _) => (high, quickest) = (ticks, Some(chains)),
                Bounded::Refuted => low = ticks + 1,
                Bounded::Unknown => break,
            }
            ticks = low + (high - low) / 2;
        }
        Ok((low, quickest))
    }
}

/// A system with some of its goals.
fn with_goals(system: &TransitionSystem, is_wanted: &[bool]) -> Option<Validated> {
    // Bounds become assumptions and words, which are found again after validation.
    let mut system = validate(system.clone()).map(|valid| (*valid).clone()).ok()?;
    let goals = system.goals.values().zip(is_wanted).filter(|(_, is_wanted)| **is_wanted);
    system.goals = goals.map(|(goal, _)| goal.clone()).collect();
    validate(system).ok()
}

const fn is_excluded(status: &GoalStatus) -> bool {
    matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
}

/// Why there are no chains, in words of timed systems where the model is one.
pub(crate) fn explained(model: &Model, error: EngineError) -> Error {
    match error {
        EngineError::NoExecution(_) if text_of(model).is_some() => {
            let message = "no transition can be taken in the initial state, at any tick and with any values; \
                           a shorter tick may meet transitions that lie between ticks";
            Error::new(ErrorKind::Request, message)
        }
        other => other.into(),
    }
}

/// What was found over ticks, with claims that hold of dense time where clocks have strict bounds:
/// those that hold of the system with these bounds closed, which has every dense run and more.
///
/// `system` is that of the model with the goals that were asked for.
pub(crate) fn in_dense_time(
    model: &Model,
    system: &Validated,
    mut outcome: Outcome,
    options: &Options,
) -> Result<Outcome, Error> {
    let Some(closed) = closed(model)? else { return Ok(outcome) };
    let options = &Options { smoothing: None, ..options.clone() };
    let closed = Closed { lowered: &closed, options };
    closed.reopen(system, &mut outcome)?;
    closed.compare(system, &mut outcome)?;
    Ok(outcome)
}

/// Why a goal that ticks exclude is open nevertheless.
pub(crate) const ONLY_TICKS: &str = "over ticks it cannot be reached, and dense time does not exclude it since clocks have strict bounds; a smaller `tick` in the text may reach it";

/// Whether the model is a timed system with strict bounds of clocks which, if these are closed, is
/// not proven never to reach a goal.
pub(crate) fn may_reach(model: &Model, goal: &str, options: &Options) -> Result<bool, Error> {
    let Some(closed) = closed(model)? else { return Ok(false) };
    let found = Closed { lowered: &closed, options }.chains(&[goal])?;
    Ok(found.is_some_and(|(found, _)| !found.goals.values().any(|goal| is_excluded(&goal.status))))
}

/// The file of a timed system, and values of its constants; none: the model is something else.
fn text_of(model: &Model) -> Option<(&Path, &[String])> {
    let request = &model.translated.resolved;
    match &request.sources[..] {
        [path] if is_timed(path) => Some((path, &request.define)),
        _ => None,
    }
}

/// The system with strict bounds of clocks closed, where the model is a timed system that has some.
fn closed(model: &Model) -> Result<Option<Lowered>, Error> {
    let Some((path, define)) = text_of(model) else { return Ok(None) };
    let variant = Variant { is_relaxed: true, ..Variant::default() };
    let (closed, ..) = read_over_ticks(path, define, variant)?;
    Ok(closed.ticks.is_strict.then_some(closed))
}

/// A system with strict bounds of clocks closed.
struct Closed<'a> {
    lowered: &'a Lowered,
    options: &'a Options,
}

impl Closed<'_> {
    /// Its chains for the goals of some names; none where it cannot be asked.
    fn chains(&self, names: &[&str]) -> Result<Option<(Outcome, Validated)>, Error> {
        let goals = self.lowered.system.goals.values();
        let wanted: Vec<bool> = goals.map(|goal| names.contains(&goal.name.as_str())).collect();
        let Some(asked) = with_goals(&self.lowered.system, &wanted) else { return Ok(None) };
        Ok(Some((engine::find_chains(&asked, self.options, &Silent)?, asked)))
    }
    /// Takes back that goals are unreachable which the closed system reaches.
    fn reopen(&self, system: &Validated, outcome: &mut Outcome) -> Result<(), Error> {
        let excluded = names(system, outcome, is_excluded);
        if excluded.is_empty() {
            return Ok(());
        }
        let found = self.chains(&excluded)?;
        let still: Vec<&str> =
            found.as_ref().map_or_else(Vec::new, |(found, asked)| names(asked, found, is_excluded));
        let open: Vec<&str> = excluded.into_iter().filter(|name| !still.contains(name)).collect();
        for (goal, description) in system.goals.iter() {
            if open.contains(&description.name.as_str()) {
                outcome.goals[goal].status = GoalStatus::Undecided { bound: 0 };
            }
        }
        if !open.is_empty() {
            outcome.notes.push(format!(
                "over ticks of {} not reached, and not excluded in dense time since clocks have strict bounds: {}; a smaller `tick` in the text may reach more",
                self.lowered.ticks.tick,
                open.join(", ")
            ));
        }
        Ok(())
    }
    /// Claims no more about the number and the length of chains than holds of the closed system.
    fn compare(&self, system: &Validated, outcome: &mut Outcome) -> Result<(), Error> {
        let reached = names(system, outcome, |status| matches!(status, GoalStatus::Covered { .. }));
        if reached.is_empty() {
            return Ok(());
        }
        let Some((found, _)) = self.chains(&reached)? else { return Ok(()) };
        let is_known = found.minimal == Minimality::Proven && found.chains.len() == outcome.chains.len();
        let bound = if is_known { found.length() } else { found.lower_bound_of_any };
        outcome.lower_bound = outcome.lower_bound.min(bound);
        outcome.lower_bound_of_any = outcome.lower_bound_of_any.min(found.lower_bound_of_any);
        if outcome.minimal == Minimality::Proven && !(is_known && found.length() == outcome.length()) {
            outcome.minimal = Minimality::Gap;
            outcome.notes.push(format!(
                "the chains are proven minimal over ticks of {} only: clocks have strict bounds, and dense time may need less",
                self.lowered.ticks.tick
            ));
        }
        Ok(())
    }
}

/// The names of the goals of which something holds.
fn names<'s>(system: &'s Validated, outcome: &Outcome, holds: fn(&GoalStatus) -> bool) -> Vec<&'s str> {
    let goals = system.goals.iter().filter(|(goal, _)| holds(&outcome.goals[*goal].status));
    goals.map(|(_, goal)| goal.name.as_str()).collect()
}

fn covered(goal: &GoalResult) -> bool {
    matches!(goal.status, GoalStatus::Covered { .. })
}

fn total(chains: &[TimedChain]) -> BigRational {
    chains.iter().map(TimedChain::time).sum()
}

/// The chains of a trace, which the reference interpreter has run.
pub(crate) fn replayed(
    lowered: &Lowered,
    system: &System,
    trace: &model::trace::Trace,
) -> Result<Vec<TimedChain>, Error> {
    let refused = || Error::new(ErrorKind::SelfCheck, "the reference interpreter refuses a chain");
    lowered.replayed(system, trace).ok_or_else(refused)
}

/// Which of the goals that chains reach a tester can force, whatever the system and others do, and
/// which need their cooperation; by the names of the goals.
///
/// The game is decided in dense time where the text alone shows who wins; else for events at ticks,
/// by trying all that can happen, and not at all where that is too much: then the goal is
/// [undecided](Force::Undecided).
///
/// ```
/// # use chaincover::{Options, Settings, Silent, find_chains, read, timed};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.tio");
/// # std::fs::write(&path, "timed lamp\nclock c\ninput Press()\noutput On(), Off()\ninitial q0
/// # edge press: q0 -> q1 Press? reset c\nedge on: q1 -> q0 when c <= 2 On!\nedge off: q1 -> q0 when c <= 2 Off!\n")?;
/// let model = read([&path], &Settings::default())?;
/// let outcome = find_chains(&model, &Options::default(), &Silent)?;
/// let forces = timed::forces(&model, &outcome, &Options::default())?;
/// assert_eq!(forces["press"], timed::Force::CanBeForced);
/// assert_eq!(forces["on"], timed::Force::NeedsCooperation { over_ticks: true });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file cannot be read again; [`SelfCheck`](ErrorKind::SelfCheck): the interpreter refuses a
/// chain. A model that is no timed system has no such goals, which is no error.
pub fn forces(model: &Model, outcome: &Outcome, options: &Options) -> Result<BTreeMap<String, Force>, Error> {
    Ok(Found::read(model, outcome)?.map_or_else(BTreeMap::new, |found| found.forces(model, outcome, options)))
}

/// Chains of a timed system in exact time.
struct Found {
    lowered: Lowered,
    system: System,
    /// Those of each chain of the outcome.
    chains: Vec<Vec<TimedChain>>,
}

impl Found {
    /// Reads the system again; none for a model that is no timed system.
    fn read(model: &Model, outcome: &Outcome) -> Result<Option<Self>, Error> {
        let Some((path, define)) = text_of(model) else { return Ok(None) };
        let (lowered, system, ..) = read_over_ticks(path, define, Variant::default())?;
        let chains = outcome.chains.iter().map(|chain| replayed(&lowered, &system, &chain.trace));
        let chains = chains.collect::<Result<_, _>>()?;
        Ok(Some(Self { lowered, system, chains }))
    }
    fn forces(&self, model: &Model, outcome: &Outcome, options: &Options) -> BTreeMap<String, Force> {
        let reached = names(&model.system, outcome, |status| matches!(status, GoalStatus::Covered { .. }));
        let goals = self.lowered.system.goals.values().zip(&self.lowered.targets);
        let (names, targets): (Vec<String>, Vec<&Target>) = goals
            .filter(|(goal, _)| reached.contains(&goal.name.as_str()))
            .map(|(goal, target)| (goal.name.clone(), target))
            .unzip();
        let effort = Effort { deadline: options.deadline, ..Effort::default() };
        let forces = decide(&self.lowered, &self.system, &targets, &self.chains.concat(), effort);
        names.into_iter().zip(forces).collect()
    }
    /// The events of a chain of the outcome.
    fn events(&self, chain: usize) -> Vec<TimedEvent> {
        let mut at = Time::default();
        let mut found = Vec::new();
        for (event, message) in self.chains[chain]
            .iter()
            .flat_map(|chain| chain.events.iter().zip(chain.replay(&self.system).unwrap_or_default()))
        {
            at += &event.delay;
            let transition = &self.system.edges[event.edge];
            let channel = self.system.channel(transition);
            let args = message.iter().zip(&channel.args).map(|(value, ty)| to_json(value, ty.as_ref()));
            found.push(TimedEvent {
                at: shown(&at),
                delay: shown(&event.delay),
                transition: transition.name.clone(),
                channel: channel.name.clone(),
                direction: direction_name(channel.direction).to_owned(),
                args: args.collect(),
            });
        }
        found
    }
}

/// A time as a decimal, or `p/q`.
fn shown(time: &Time) -> String {
    harness::Time::new(time.clone()).unwrap_or_default().to_string()
}

/// Adds to a result the events of its chains and which goals can be forced, where the model is a
/// timed system.
pub(crate) fn record(
    model: &Model,
    outcome: &Outcome,
    options: &Options,
    file: &mut ChainFile,
) -> Result<(), Error> {
    let Some(found) = Found::read(model, outcome)? else { return Ok(()) };
    for (number, chain) in file.chains.iter_mut().enumerate().take(found.chains.len()) {
        chain.events = found.events(number);
    }
    let forces = found.forces(model, outcome, options);
    let tick = found.lowered.ticks.tick.to_string();
    for goal in &mut file.goals {
        goal.forcing = forces.get(&goal.name).map(|&force| forcing(force, &tick));
    }
    Ok(())
}

fn forcing(force: Force, tick: &str) -> Forcing {
    let ticks = Some(tick.to_owned());
    let (verdict, tick, reason) = match force {
        Force::CanBeForced => (chain_file::Force::Forced, ticks, None),
        Force::NeedsCooperation { over_ticks } => {
            (chain_file::Force::Cooperation, ticks.filter(|_| over_ticks), None)
        }
        Force::Undecided(limit) => (chain_file::Force::Undecided, None, Some(limit.reason().to_owned())),
    };
    Forcing { verdict, tick, reason }
}

/// A chain as one line of events with the delays before them.
fn line(chain: &TimedChain, system: &System) -> String {
    let messages = chain.replay(system).unwrap_or_default();
    let event = |(event, message): (&::timed::lower::Event, &Vec<::timed::Value>)| {
        let channel = system.channel(&system.edges[event.edge]);
        let delay = harness::Time::new(event.delay.clone()).unwrap_or_default();
        let values: Vec<String> = message
            .iter()
            .zip(&channel.args)
            .map(|(value, ty)| match to_json(value, ty.as_ref()) {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            })
            .collect();
        let space = if values.is_empty() { "" } else { " " };
        format!("({delay},{}{space}{})", channel.name, values.join(" "))
    };
    chain.events.iter().zip(&messages).map(event).collect()
}
