//! Timed symbolic systems: what is asked of them beside chains.
//!
//! Chains of timed systems come from [`find_chains`](crate::find_chains) like those of other
//! models; [`least_time`] makes them short in time as well.

mod least_time;
mod test_page;
mod testcases;

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use ::timed::game::{Effort, decide};
use ::timed::judge::JudgeError;
use ::timed::lower::{Lowered, Relaxation, Ticks, TimedChain, Variant};
use ::timed::play::to_json;
use ::timed::purpose::{judge, report, report_never_enabled};
use ::timed::read::{Model as Text, read};
use ::timed::read_over_ticks;
use ::timed::smt::{SmtError, Solver};
use ::timed::system::{System, Target};
use engine::error::EngineError;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::Options;
use engine::outcome::{GoalResult, Outcome};
use engine::session::Silent;
use model::system::{InputId, TransitionSystem};
use model::validate::{Validated, validate};
use num_rational::BigRational;
use report::output::chain_file::{self, ChainFile, Forcing, TimedEvent};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

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
pub(crate) use least_time::quicken;
pub use least_time::{Minimise, Time, Timing, least_time};
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
    let mut purposes = Vec::new();
    let judged = judge_all(&mut model, &mut solver, &mut purposes);
    let unanswered = match judged {
        Ok(()) => None,
        Err(SmtError::TimeUp) => Some(SmtError::TimeUp.to_string()),
        Err(error) => return Err(error.into()),
    };
    let left = model.system.purposes.iter().skip(purposes.len());
    purposes.extend(left.map(|purpose| (purpose.name.clone(), None)).collect::<Vec<_>>());
    Ok(Checked { model, purposes, unanswered })
}

/// Judges transitions and purposes, one after the other; those that were judged before an error stay.
fn judge_all(
    model: &mut Text,
    solver: &mut Solver,
    judged: &mut Vec<(String, Option<Judged>)>,
) -> Result<(), SmtError> {
    let Text { system, diagnostics, .. } = model;
    report_never_enabled(system, solver, diagnostics)?;
    for purpose in &system.purposes {
        let found = judge(system, &purpose.edges, solver)?;
        report(system, purpose, &found, solver, diagnostics)?;
        judged.push((purpose.name.clone(), Some(found)));
    }
    Ok(())
}

/// The input that is the time before an event, of a timed system.
pub(crate) fn delay(model: &Model) -> Option<InputId> {
    text_of(model)?;
    let inputs = model.system.inputs.iter();
    let mut named = inputs.filter(|(_, input)| model.system.terms.symbol(input.symbol).name == "delay");
    named.next().map(|(id, _)| id)
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

/// Chains of a timed system, also where nothing can happen in it: then it reaches no goal. None for
/// other models, whose assumptions contradict one another then.
pub(crate) fn without_steps(
    model: &Model,
    system: &Validated,
    options: &Options,
) -> Option<Result<Outcome, Error>> {
    text_of(model)?;
    let found = at_rest(system, options).map(|mut outcome| {
        outcome.notes.push(NOTHING_HAPPENS.to_owned());
        outcome
    });
    Some(found.map_err(Error::from))
}

/// What is said where no transition can be taken.
const NOTHING_HAPPENS: &str =
    "no transition can be taken in the initial state, at any tick and with any values that are tried";

/// The goals of a system that admits no step, none of which is reached. The engine is asked about
/// the same system without assumptions and with goals that never hold.
fn at_rest(system: &Validated, options: &Options) -> Result<Outcome, EngineError> {
    let mut still: TransitionSystem = (**system).clone();
    still.assumptions.clear();
    let never = still.terms.truth(false);
    still.goals.values_mut().for_each(|goal| (goal.antecedent, goal.expectation) = (never, None));
    let still = validate(still).expect("a valid system should stay valid with fewer executions");
    engine::find_chains(&still, &Options { smoothing: None, ..options.clone() }, &Silent)
}

/// What was found over ticks, with claims that hold of dense time, also where clocks have strict
/// bounds, data are rational, or ticks are coarse: those that hold of a system that demands less, and
/// has every dense run and more.
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

/// Why a goal that ticks exclude is open nevertheless: the model is a timed system which, with
/// weaker conditions, so that it has every dense run, is not proven never to reach the goal.
pub(crate) fn may_reach(model: &Model, goal: &str, options: &Options) -> Result<Option<String>, Error> {
    let Some(lowered) = closed(model)? else { return Ok(None) };
    let closed = Closed { lowered: &lowered, options };
    let found = closed.chains(&[goal])?;
    let is_open = found.is_some_and(|(found, _)| !found.goals.values().any(|goal| is_excluded(&goal.status)));
    Ok(is_open.then(|| {
        format!(
            "over ticks it cannot be reached, and dense time does not exclude it since {}; a smaller `tick` in the text may reach it",
            closed.limit()
        )
    }))
}

/// The file of a timed system, and values of its constants; none: the model is something else.
fn text_of(model: &Model) -> Option<(&Path, &[String])> {
    let request = &model.translated.resolved;
    match &request.sources[..] {
        [path] if is_timed(path) => Some((path, &request.define)),
        _ => None,
    }
}

/// Why what ticks exclude may be in dense time; none: they exclude nothing that dense time has.
fn limit_of(ticks: &Ticks) -> Option<&'static str> {
    if !ticks.rational.is_empty() {
        return Some("rational data have values between ticks, and beyond those tried");
    }
    if !ticks.is_fine {
        return Some("ticks are too coarse for the bounds of clocks");
    }
    ticks.is_strict.then_some("clocks have strict bounds")
}

/// The system with every dense run and more, where the model is a timed system some of whose dense
/// runs are none of ticks.
fn closed(model: &Model) -> Result<Option<Lowered>, Error> {
    let Some((path, define)) = text_of(model) else { return Ok(None) };
    let variant = Variant { relaxation: Relaxation::Dense, ..Variant::default() };
    let (closed, ..) = read_over_ticks(path, define, variant)?;
    Ok(limit_of(&closed.ticks).is_some().then_some(closed))
}

/// A system that has every dense run and more.
struct Closed<'a> {
    lowered: &'a Lowered,
    options: &'a Options,
}

impl Closed<'_> {
    /// Why ticks exclude more than dense time does.
    fn limit(&self) -> &'static str {
        limit_of(&self.lowered.ticks).unwrap_or_default()
    }
    /// Its chains for the goals of some names; none where it cannot be asked.
    fn chains(&self, names: &[&str]) -> Result<Option<(Outcome, Validated)>, Error> {
        let goals = self.lowered.system.goals.values();
        let wanted: Vec<bool> = goals.map(|goal| names.contains(&goal.name.as_str())).collect();
        let Some(asked) = with_goals(&self.lowered.system, &wanted) else { return Ok(None) };
        let found = match engine::find_chains(&asked, self.options, &Silent) {
            Err(EngineError::NoExecution(_)) => at_rest(&asked, self.options),
            found => found,
        };
        Ok(Some((found?, asked)))
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
                "over ticks of {} not reached, and not excluded in dense time since {}: {}; a smaller `tick` in the text may reach more",
                self.lowered.ticks.tick,
                self.limit(),
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
                "the chains are proven minimal over ticks of {} only: {}, and dense time may need less",
                self.lowered.ticks.tick,
                self.limit()
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
    (outcome, timing): (&Outcome, Option<&Timing>),
    options: &Options,
    file: &mut ChainFile,
) -> Result<(), Error> {
    file.summary.time = timing.map(|timing| chain_file::ChainTime {
        total: shown(&timing.time),
        lower_bound: shown(&timing.bound),
        steps: timing.steps,
        least_steps: timing.least_steps,
        dense: timing.is_dense,
    });
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
