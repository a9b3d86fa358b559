//! Searching systems in which results of the C library are open, until a chain keeps to the library.
//!
//! The system that the front end makes of a call of `sin` has every execution of the program, and others in which the result is another number within its
//! range. So what is unreachable there is unreachable, and a lower bound there is a lower bound. A chain found there is
//! run with the stimuli it has and the results that the host's library really gives ([`complete`]). If it still covers
//! all its goals and ends in Final, it is a chain of the program, and as short as the bound says. Else
//! the points at which the library was asked become [lemmas](lemma), and the search begins again.
//!
//! Simulation asks the library itself, so its chains are executions of the program. It works once, before the first search; what the searches come to
//! never falls behind its chains.

mod complete;
mod distances;
mod keep;
mod lemma;
mod narrowed;

pub(crate) use complete::Answers;
pub use complete::complete;
pub(crate) use distances::keep_confirmed;
pub use distances::reach_graph;
pub(crate) use keep::{Sliced, slice_with_calls};
pub(crate) use lemma::rounded;
pub(crate) use narrowed::Narrowed;

use crate::chain::check::{Candidate, first_occurrence, longest_run};
use crate::options::{EngineChoice, Options, Strategy};
use crate::outcome::{Chain, GoalResult, GoalStatus, Minimality, Outcome, expectation, orders};
use crate::pipeline::{self, EngineError, Library, TimeLimits};
use crate::problem::{Problem, all_goals};
use crate::smooth::Smoothing;
use crate::stats::{Context, Progress, Silent, add};
use crate::strategy::total;
use complete::points;
use frontend::c::libm::{Call, Lemma};
use model::system::{GoalId, TransitionSystem};
use model::validate::{Validated, validate};
use rustc_hash::FxHashSet;
use std::time::Instant;

/// Searches after which the result is left undecided.
const MOST_ROUNDS: usize = 200;

/// What is searched: a system, with the calls of the C library in its step.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    /// The system.
    pub system: &'s Validated,
    /// The calls, in the order of execution.
    pub calls: &'s [Call],
}

/// A system whose step calls nothing of the C library.
impl<'s> From<&'s Validated> for Subject<'s> {
    fn from(system: &'s Validated) -> Self {
        Self { system, calls: &[] }
    }
}

/// Finds chains that cover all goals; see the text of [`pipeline`] and of this module.
///
/// # Errors
/// Where there is nothing to search for, or the search is not possible. A limit is no error: the
/// best result so far comes with [`Outcome::stopped`].
pub fn find_chains<'s>(
    subject: impl Into<Subject<'s>>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, EngineError> {
    let Subject { system, calls } = subject.into();
    if calls.is_empty() {
        return pipeline::find_chains_calling(system, &Library::default(), options, progress);
    }
    let limits = TimeLimits::of(options);
    let problem = Problem::new(system, &all_goals(system), Vec::new()).calling(calls.to_vec());
    let searched = Options { smoothing: None, deadline: limits.search, ..options.clone() };
    let mut outcome = search(&problem, &searched, progress)?;
    if let Some(wishes) = &options.smoothing
        && options.interruption().is_none()
    {
        let options = Options { deadline: limits.smoothing, ..options.clone() };
        smooth_real(&problem, &mut outcome, wishes, &options)?;
    }
    Ok(outcome)
}

/// Smooths chains that the library confirms.
fn smooth_real(
    problem: &Problem<'_>,
    outcome: &mut Outcome,
    wishes: &Smoothing,
    options: &Options,
) -> Result<(), EngineError> {
    let context = Context::new(options, &Silent);
    let candidate = |chain: &Chain| Candidate { trace: chain.trace.clone(), run: chain.run.clone() };
    let mut chains: Vec<Candidate> = outcome.chains.iter().map(candidate).collect();
    let smoothed =
        context.stage("smooth", || pipeline::smooth_chains(problem, &mut chains, wishes, &context))?;
    replace_chains(problem, outcome, &chains);
    outcome.smoothing = smoothed;
    outcome.stages.extend(context.timings());
    if outcome.minimal == Minimality::Gap && chains.len() == 1 && total(&chains) <= outcome.lower_bound {
        outcome.minimal = Minimality::Proven;
    }
    Ok(())
}

/// Searches until chains keep to the library; see the module text.
fn search(problem: &Problem<'_>, options: &Options, progress: &dyn Progress) -> Result<Outcome, EngineError> {
    let (system, calls) = (problem.system, problem.calls());
    let mut refined = system.clone();
    let mut lemmas: Vec<Lemma> = Vec::new();
    let mut known: FxHashSet<Lemma> = FxHashSet::default();
    let is_simulated = options.strategy == Strategy::Exact && options.engine == EngineChoice::Auto;
    let (mut best, mut stages) = match is_simulated {
        true => pipeline::simulated_chains(system, calls, &most_of_the_time(options), progress)?,
        false => (Vec::new(), Vec::new()),
    };
    let options = &Options { simulation: false, ..options.clone() };
    for lemma in best.iter().flat_map(|chain| points(system, calls, &chain.trace)) {
        if known.insert(lemma.clone()) {
            lemmas.push(lemma);
        }
    }
    refined = with_lemmas(refined, calls, &lemmas)?;
    for round in 1.. {
        let library = Library { calls, chains: &best };
        let mut outcome = pipeline::find_chains_calling(&refined, &library, options, progress)?;
        outcome.stages.drain(..).for_each(|stage| add(&mut stages, stage));
        let real = run_really(problem, calls, &outcome)?;
        let are_real = are_real(problem, &outcome, &real);
        best = better(problem, best, useful(problem, &real));
        if are_real && !is_behind(problem, &real, &best) || is_as_good(problem, &outcome, &best) {
            replace_chains(problem, &mut outcome, if are_real { &real } else { &best });
            outcome.notes.push(note(calls, lemmas.len(), round));
            return Ok(Outcome { lemmas, stages, ..outcome });
        }
        let before = lemmas.len();
        let traces =
            outcome.chains.iter().map(|chain| &chain.trace).chain(real.iter().map(|real| &real.trace));
        for lemma in traces.flat_map(|trace| points(system, calls, trace)) {
            if known.insert(lemma.clone()) {
                lemmas.push(lemma);
            }
        }
        if outcome.stopped.is_some() || round == MOST_ROUNDS || lemmas.len() == before {
            keep_real_part(problem, &mut outcome, &best);
            outcome.notes.push(note(calls, lemmas.len(), round));
            return Ok(Outcome { lemmas, stages, ..outcome });
        }
        refined = with_lemmas(refined, calls, &lemmas[before..])?;
    }
    unreachable!("the rounds should be limited")
}

/// Simulation is the first of two ways, and the one that suits large systems.
fn most_of_the_time(options: &Options) -> Options {
    let now = Instant::now();
    let deadline = options.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 4 * 3);
    Options { deadline, ..options.clone() }
}

/// The chains with the results that the library gives, as far as assumptions allow.
fn run_really(
    problem: &Problem<'_>,
    calls: &[Call],
    outcome: &Outcome,
) -> Result<Vec<Candidate>, EngineError> {
    let run = |chain: &Chain| longest_run(problem, &complete(problem.system, calls, &chain.trace));
    outcome.chains.iter().map(run).collect()
}

/// Whether the real runs are as good as the chains.
fn are_real(problem: &Problem<'_>, outcome: &Outcome, real: &[Candidate]) -> bool {
    let keeps = |(chain, real): (&Chain, &Candidate)| {
        real.run.may_end
            && real.trace.inputs.len() == chain.trace.inputs.len()
            && chain.order.iter().all(|&goal| real.covers(goal))
    };
    debug_assert!(problem.len() >= outcome.covered());
    outcome.chains.iter().zip(real).all(keeps)
}

/// Puts real runs in the place of the chains.
fn replace_chains(problem: &Problem<'_>, outcome: &mut Outcome, real: &[Candidate]) {
    outcome.chains = orders(problem.system, real);
    let judge = |(goal, before): (GoalId, &GoalResult)| {
        let covering = outcome.chains.iter().position(|chain| chain.order.contains(&goal));
        let status = match covering {
            Some(chain) => {
                let at =
                    first_occurrence(&outcome.chains[chain].run, goal).expect("an ordered goal should occur");
                GoalStatus::Covered { chain, at }
            }
            None if matches!(before.status, GoalStatus::Covered { .. }) => GoalStatus::Undecided { bound: 0 },
            None => before.status.clone(),
        };
        let expectation = expectation(outcome.chains.iter().map(|chain| &chain.run), goal);
        GoalResult { status, expectation }
    };
    outcome.goals = outcome.goals.iter().map(judge).collect();
}

/// Of chains that the library does not confirm as they are, what it does confirm.
fn useful(problem: &Problem<'_>, real: &[Candidate]) -> Vec<Candidate> {
    let is_useful = |real: &&Candidate| real.run.may_end && !real.trace.inputs.is_empty();
    let mut kept: Vec<Candidate> = real.iter().filter(is_useful).cloned().collect();
    loop {
        let empty = orders(problem.system, &kept).iter().position(|chain| chain.order.is_empty());
        let Some(empty) = empty else { return kept };
        kept.remove(empty);
    }
}

/// How good chains are: goals that they do not cover, their number, their steps.
fn rank(problem: &Problem<'_>, chains: &[Candidate]) -> (usize, usize, u64) {
    let is_missed = |&goal: &GoalId| !chains.iter().any(|chain| chain.covers(goal));
    (problem.goals().iter().filter(|goal| is_missed(goal)).count(), chains.len(), total(chains))
}

fn better(problem: &Problem<'_>, left: Vec<Candidate>, right: Vec<Candidate>) -> Vec<Candidate> {
    if rank(problem, &right) < rank(problem, &left) { right } else { left }
}

/// Whether chains cover less than others.
fn is_behind(problem: &Problem<'_>, chains: &[Candidate], others: &[Candidate]) -> bool {
    rank(problem, others).0 < rank(problem, chains).0
}

/// Whether chains that the library confirms cover as much in as few steps as those of an outcome that is proven to be minimal.
fn is_as_good(problem: &Problem<'_>, outcome: &Outcome, best: &[Candidate]) -> bool {
    let (missed, chains, steps) = rank(problem, best);
    outcome.minimal == Minimality::Proven
        && missed + outcome.covered() == problem.len()
        && chains == outcome.chains.len()
        && steps == outcome.lower_bound
}

/// Keeps the best chains that the library confirms, and claims nothing about their minimality.
fn keep_real_part(problem: &Problem<'_>, outcome: &mut Outcome, best: &[Candidate]) {
    replace_chains(problem, outcome, best);
    outcome.lower_bound = 0;
    outcome.minimal = Minimality::Unknown;
}

/// The system under what some points say of its calls.
///
/// # Errors
/// Where that is no valid system, against expectation.
pub(crate) fn with_lemmas(
    system: Validated,
    calls: &[Call],
    lemmas: &[Lemma],
) -> Result<Validated, EngineError> {
    let mut system = (*system).clone();
    for lemma in lemmas {
        for call in calls.iter().filter(|call| lemma::is_about(lemma, call)) {
            lemma::assume(&mut system, call, lemma);
        }
    }
    validated(system)
}

/// A system that was made here, checked.
fn validated(system: TransitionSystem) -> Result<Validated, EngineError> {
    validate(system).map_err(|malformed| EngineError::SelfCheck(format!("{malformed:?}")))
}

/// What the user should know of the functions.
fn note(calls: &[Call], lemmas: usize, rounds: usize) -> String {
    let mut names: Vec<String> = calls.iter().map(|call| call.function.c_name(call.format)).collect();
    names.sort();
    names.dedup();
    format!(
        "values of {} come from the host's C library ({lemmas} points asked for, {rounds} searches); bounds and proofs hold for \
         every library that agrees with it there and keeps to the ranges of docs/guarantees.md",
        names.join(", ")
    )
}
