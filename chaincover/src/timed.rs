//! Timed symbolic systems: what is asked of them beside chains.
//!
//! Chains of timed systems come from [`find_chains`](crate::find_chains) like those of other
//! models; [`least_time`] makes them short in time as well.

use crate::error::{Error, ErrorKind};
use ::timed::judge::{JudgeError, TestFile, trace};
use ::timed::lower::{Budget, Lowered, TimedChain, Variant};
use ::timed::play::{Player, to_json};
use ::timed::purpose::{judge, report};
use ::timed::read::{Model, read};
use ::timed::smt::{SmtError, Solver};
use ::timed::system::System;
use ::timed::testcase::{TestCaseError, generate};
use ::timed::{read_over_ticks, write};
use engine::options::Options;
use engine::outcome::Outcome;
use engine::session::Silent;
use harness::{Events, Process, Time};
use model::validate::validate;
use num_rational::BigRational;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;
use std::time::Duration;

pub use ::timed::code::Code;
pub use ::timed::judge::Observed;
pub use ::timed::purpose::Judged;
pub use ::timed::read::is_timed;
pub use ::timed::write::direction_name;
pub use harness::{Report, Verdict};

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
    pub model: Model,
    /// Each purpose with what was found of it.
    pub purposes: Vec<(String, Judged)>,
}

/// Reads a timed system and judges its purposes; `define` has `NAME=VALUE` for constants.
///
/// # Errors
/// The text is wrong, or the SMT solver is needed and does not answer.
pub fn check(path: &Path, define: &[String], smt: &str) -> Result<Checked, Error> {
    let mut model = read(path, define)?;
    let mut purposes = Vec::new();
    if !model.system.purposes.is_empty() {
        let mut solver = Solver::start(smt)?;
        for purpose in &model.system.purposes {
            let judged = judge(&model.system, &purpose.edges, &mut solver)?;
            report(&model.system, purpose, &judged, &mut solver, &mut model.diagnostics)?;
            purposes.push((purpose.name.clone(), judged));
        }
    }
    Ok(Checked { model, purposes })
}

/// The files of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFiles {
    /// One line about it.
    pub summary: String,
    /// `testcase.json`.
    pub json: String,
    /// All guards as SMT-LIB.
    pub smt2: String,
    /// A picture for Graphviz.
    pub dot: String,
}

/// Makes the test case of a purpose. `timeout` is how long a tester waits for an event; none: what
/// the text says.
///
/// # Errors
/// There is no such purpose, it is infeasible or not trace-deterministic, there is no time-out, or
/// the solver does not answer.
pub fn testcase(
    path: &Path,
    define: &[String],
    purpose: &str,
    (timeout, prune): (Option<&str>, bool),
    smt: &str,
) -> Result<TestFiles, Error> {
    let model = read(path, define)?;
    let system = &model.system;
    let Some(found) = system.purpose(purpose) else {
        let names: Vec<&str> = system.purposes.iter().map(|purpose| purpose.name.as_str()).collect();
        let message = format!("there is no purpose `{purpose}`; there are: {}", names.join(", "));
        return Err(Error::new(ErrorKind::Request, message));
    };
    let timeout = match timeout {
        Some(text) => {
            let wrong = || Error::new(ErrorKind::Request, format!("`{text}` is no time"));
            Some(Time::parse(text).ok_or_else(wrong)?.value().clone())
        }
        None => system.timeout.clone(),
    };
    let missing =
        || Error::new(ErrorKind::Request, "how long to wait: `--timeout`, or `timeout` in the text");
    let timeout = timeout.ok_or_else(missing)?;
    let mut solver = Solver::start(smt)?;
    let made = generate(system, (purpose, &found.edges), &timeout, &mut solver);
    let mut test = made.map_err(|error| match error {
        TestCaseError::Smt(error) => Error::from(error),
        other => Error::new(ErrorKind::Source, other.to_string()),
    })?;
    if prune {
        test.prune(&mut solver)?;
    }
    Ok(TestFiles {
        summary: test.summary(),
        json: format!("{:#}\n", write::json(&test)),
        smt2: write::smt2(&test),
        dot: write::dot(&test),
    })
}

/// Judges a recorded run, JSON lines, by a test case.
///
/// # Errors
/// One of the texts is wrong, or the solver does not answer.
pub fn monitor(testcase: &str, log: &str, smt: &str) -> Result<Report, Error> {
    let test = TestFile::read(testcase)?;
    let trace = trace(log)?;
    Ok(::timed::run::monitor(&test, &trace, &mut Solver::start(smt)?)?)
}

/// How a test is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A command of the shell, or a timed system that plays the system.
    pub sut: String,
    /// Whether stimuli are chosen at random.
    pub is_random: bool,
    /// Where random numbers begin.
    pub seed: u64,
    /// How long one answer may take.
    pub answer: Duration,
}

/// Runs a test case against a system; returns the verdict and what was observed.
///
/// # Errors
/// The test case is wrong, or the solver does not answer.
pub fn run(testcase: &str, options: &RunOptions, smt: &str) -> Result<(Report, Vec<Observed>), Error> {
    let test = TestFile::read(testcase)?;
    let mut solver = Solver::start(smt)?;
    let mut random = StdRng::seed_from_u64(options.seed);
    let mut source = |below: u64| random.random_range(0..below.max(1));
    let source: Option<&mut dyn FnMut(u64) -> u64> = if options.is_random { Some(&mut source) } else { None };
    let path = Path::new(&options.sut);
    if is_timed(path) {
        let model = read(path, &[])?;
        let mut player = Player::new(&model.system, options.seed);
        return Ok(::timed::run::run(&test, &mut player as &mut dyn Events, &mut solver, source)?);
    }
    let mut process = Process::new(options.sut.clone(), options.answer);
    Ok(::timed::run::run(&test, &mut process as &mut dyn Events, &mut solver, source)?)
}

/// Chains in exact time.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Each chain as a line: its events with their delays.
    pub chains: Vec<String>,
    /// The time of all chains together.
    pub time: BigRational,
    /// No set of as many chains of as few steps takes less time.
    pub bound: BigRational,
}

/// The least time of chains that are as few and as short as those found: the search is repeated
/// with ever smaller bounds on the time, and what it proves impossible is the proof.
///
/// Only chains that the reference interpreter runs in dense time are returned.
///
/// # Errors
/// As for [`find_chains`](crate::find_chains); [`SelfCheck`](ErrorKind::SelfCheck): the interpreter
/// refuses a chain.
pub fn least_time(
    path: &Path,
    define: &[String],
    outcome: &Outcome,
    options: &Options,
) -> Result<Timing, Error> {
    let (lowered, system, ..) = read_over_ticks(path, define, Variant::default())?;
    let mut best = Vec::new();
    for chain in &outcome.chains {
        best.extend(replayed(&lowered, &system, &chain.trace)?);
    }
    let tick = BigRational::new((*lowered.ticks.tick.numer()).into(), (*lowered.ticks.tick.denom()).into());
    let in_ticks = |time: BigRational| u64::try_from((time / &tick).to_integer()).unwrap_or(u64::MAX);
    let (mut high, mut low) = (in_ticks(total(&best)), 0);
    // Wishes speak of the inputs of the other system.
    let options = &Options { smoothing: None, ..options.clone() };
    let restarts = u32::try_from(outcome.chains.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let length = outcome.length() + u64::from(restarts);
    while low < high && !outcome.chains.is_empty() {
        let ticks = low + (high - low) / 2;
        let variant = Variant { budget: Some(Budget { ticks, restarts }), ..Variant::default() };
        let (bounded, ..) = read_over_ticks(path, define, variant)?;
        let Ok(mut tried) = validate(bounded.system.clone()).map(|valid| (*valid).clone()) else { break };
        // What cannot be covered at all is not asked for again.
        let is_covered = |index: usize| outcome.goals.values().nth(index).is_some_and(covered);
        tried.goals = tried
            .goals
            .values()
            .enumerate()
            .filter(|(index, _)| is_covered(*index))
            .map(|(_, goal)| goal.clone())
            .collect();
        let Ok(tried) = validate(tried) else { break };
        let found = engine::find_chains(&tried, options, &Silent)?;
        let is_short =
            found.chains.len() == 1 && found.length() <= length && found.goals.values().all(covered);
        if is_short {
            best = replayed(&bounded, &system, &found.chains[0].trace)?;
            high = in_ticks(total(&best)).min(ticks);
        } else if is_refuted(&found, length) {
            low = ticks + 1;
        } else {
            break;
        }
    }
    let chains = best.iter().map(|chain| line(chain, &system)).collect();
    Ok(Timing { chains, time: total(&best), bound: BigRational::from_integer(low.into()) * tick })
}

fn covered(goal: &engine::outcome::GoalResult) -> bool {
    matches!(goal.status, engine::knowledge::status::GoalStatus::Covered { .. })
}

/// Whether no single chain of that length covers all goals.
fn is_refuted(found: &Outcome, length: u64) -> bool {
    use engine::knowledge::status::{GoalStatus, Minimality};
    let is_proven = matches!(found.minimal, Minimality::Proven);
    let has_unreachable =
        found.goals.values().any(|goal| matches!(goal.status, GoalStatus::Unreachable { .. }));
    has_unreachable
        || (is_proven && (found.chains.len() != 1 || found.length() > length))
        || (found.chains.len() == 1 && found.lower_bound > length)
}

fn total(chains: &[TimedChain]) -> BigRational {
    chains.iter().map(TimedChain::time).sum()
}

fn replayed(
    lowered: &Lowered,
    system: &System,
    trace: &model::trace::Trace,
) -> Result<Vec<TimedChain>, Error> {
    let refused = || Error::new(ErrorKind::SelfCheck, "the reference interpreter refuses a chain");
    let chains = lowered.chains(trace).ok_or_else(refused)?;
    for chain in &chains {
        chain.replay(system).ok_or_else(refused)?;
    }
    Ok(chains)
}

/// A chain as one line of events with the delays before them.
fn line(chain: &TimedChain, system: &System) -> String {
    let messages = chain.replay(system).unwrap_or_default();
    let event = |(event, message): (&::timed::lower::Event, &Vec<::timed::Value>)| {
        let channel = system.channel(&system.edges[event.edge]);
        let delay = Time::new(event.delay.clone()).unwrap_or_default();
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
