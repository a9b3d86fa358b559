//! From search arguments to engine options.

use super::args::{FailOn, SearchArguments, UndefinedBehaviour};
use super::exit::Exit;
use super::failure::Failure;
use super::watch;
use chaincover::{
    Coverage, CoverageStatus, Expectation, GoalStatus, HazardPolicy, Limit, Model, Options, Outcome,
    PairOutcome, StopReason, Tuning, is_coverage_goal, tune,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Engine options; the time limit starts now.
///
/// # Errors
/// Unknown names of solvers, strategies, engines.
pub(crate) fn options(arguments: &SearchArguments) -> Result<Options, Failure> {
    let usage = |option: &str| {
        let option = option.to_owned();
        move |why: String| Failure::new(Exit::Usage, format!("{option}: {why}"))
    };
    let default = Options::default();
    let deadline = deadline(arguments.timeout);
    let flags = watch::begin(deadline.zip(arguments.timeout), arguments.memory);
    Ok(Options {
        least_length: default.least_length,
        max_k: arguments.max_k,
        deadline,
        stop: flags.stop,
        memory: flags.memory,
        jobs: arguments.jobs.unwrap_or_else(cores).max(1),
        seed: arguments.seed,
        backend: match &arguments.solver {
            Some(name) => name.parse().map_err(|why| usage("--solver")(format!("{why}")))?,
            None => default.backend,
        },
        strategy: arguments.strategy.parse().map_err(usage("--strategy"))?,
        engine: arguments.engine.parse().map_err(usage("--engine"))?,
        simulation: true,
        most_states: None,
        without: arguments.without.clone(),
        tuning: tuning(&arguments.set)?,
        gap: arguments.gap.unwrap_or(0.0),
        hazards: arguments.ub.into(),
        reset_cost: arguments.reset_cost,
        exchange: None,
        smoothing: None,
    })
}

/// Constants of the search that are not the usual ones.
fn tuning(texts: &[String]) -> Result<Tuning, Failure> {
    let mut tuning = Tuning::default();
    for text in texts {
        tune(&mut tuning, text).map_err(|why| Failure::new(Exit::Usage, format!("--set: {why}")))?;
    }
    Ok(tuning)
}

impl From<UndefinedBehaviour> for HazardPolicy {
    fn from(policy: UndefinedBehaviour) -> Self {
        match policy {
            UndefinedBehaviour::Report => Self::Report,
            UndefinedBehaviour::Avoid => Self::Avoid,
            UndefinedBehaviour::Forbid => Self::Forbid,
        }
    }
}

/// The limit of the search, for reading the model.
pub(crate) fn limit(options: &Options) -> Limit {
    let (stop, memory) = (Arc::clone(&options.stop), Arc::clone(&options.memory));
    Limit { deadline: options.deadline, stop: Some(stop), memory: Some(memory) }
}

/// When a time that starts now is up; `None`: never.
pub(crate) fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|limit| Instant::now().checked_add(limit))
}

/// The limit of a command that reads a model and searches nothing; the time starts now.
pub(crate) fn reading_limit(timeout: Option<Duration>, memory: Option<u64>) -> Limit {
    let deadline = deadline(timeout);
    let flags = watch::begin(deadline.zip(timeout), memory);
    Limit { deadline, stop: Some(flags.stop), memory: Some(flags.memory) }
}

/// How a run ended whose result does not tell whether a limit ended it.
pub(crate) fn stopped(options: &Options) -> Exit {
    match options.interruption() {
        Some(StopReason::Interrupted) => Exit::Interrupted,
        Some(_) => Exit::TimeOut,
        None if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) => Exit::TimeOut,
        None => Exit::Success,
    }
}

/// The exit code of a result, native replay aside: of what happened, what the user wants to be
/// told.
pub(crate) fn exit_for(loaded: &Model, outcome: &Outcome, fail_on: &[FailOn]) -> Exit {
    let is_any = |events: [FailOn; 2]| events.iter().any(|event| fail_on.contains(event));
    let is_wanted = |exit: Exit| match exit {
        Exit::Violated => fail_on.contains(&FailOn::Violated),
        Exit::Undecided => is_any([FailOn::Undecided, FailOn::Uncovered]),
        Exit::Unreachable => is_any([FailOn::Unreachable, FailOn::Uncovered]),
        Exit::TimeOut | Exit::Interrupted => fail_on.contains(&FailOn::Stopped),
        _ => true,
    };
    events(loaded, outcome).into_iter().filter(|&exit| is_wanted(exit)).fold(Exit::Success, Exit::combine)
}

/// How a run ended by what became of coverage goals, as far as the user wants to be told.
pub(crate) fn exit_for_coverage(coverage: Option<&Coverage>, fail_on: &[FailOn]) -> Exit {
    let Some(coverage) = coverage else { return Exit::Success };
    let mut exit = Exit::Success;
    if fail_on.contains(&FailOn::Stale) && !coverage.stale.is_empty() {
        exit = Exit::Unreachable;
    }
    if fail_on.contains(&FailOn::Uncovered) {
        for goal in coverage.goals.iter().filter(|goal| goal.is_uncovered()) {
            let is_open = goal.status == CoverageStatus::Undecided;
            exit = exit.combine(if is_open { Exit::Undecided } else { Exit::Unreachable });
        }
    }
    let open = coverage.pairs.iter().filter(|pair| pair.status == CoverageStatus::Undecided);
    let excuses = !fail_on.contains(&FailOn::Undecided);
    let is_told =
        |pair: &&PairOutcome| !excuses || fail_on.contains(&FailOn::Uncovered) && pair.is_uncovered();
    if open.into_iter().any(|pair| is_told(&pair)) {
        exit = exit.combine(Exit::Undecided);
    }
    let mut dead = coverage.pairs.iter().filter(|pair| pair.status == CoverageStatus::Dead);
    if fail_on.contains(&FailOn::Uncovered) && dead.any(PairOutcome::is_uncovered) {
        exit = exit.combine(Exit::Unreachable);
    }
    exit
}

/// Everything that happened and has an exit code.
fn events(loaded: &Model, outcome: &Outcome) -> Vec<Exit> {
    let mut events = vec![match outcome.stopped {
        None => Exit::Success,
        Some(StopReason::Deadline | StopReason::Effort | StopReason::Memory) => Exit::TimeOut,
        Some(StopReason::Interrupted) => Exit::Interrupted,
    }];
    for (id, goal) in outcome.goals.iter() {
        if goal.expectation == Expectation::Violated {
            events.push(Exit::Violated);
        }
        events.push(match goal.status {
            GoalStatus::Covered { .. } => Exit::Success,
            // Dead code is told of, and is no failure of the search.
            GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. }
                if is_coverage_goal(loaded, id) =>
            {
                Exit::Success
            }
            GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. } => Exit::Unreachable,
            GoalStatus::Undecided { .. } | GoalStatus::EndUndecided { .. } | GoalStatus::NotChained => {
                Exit::Undecided
            }
        });
    }
    events
}

/// How many threads the machine runs at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
