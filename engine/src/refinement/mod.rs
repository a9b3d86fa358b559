//! Searching systems in which results of the C library are open, until a chain keeps to the
//! library.
//!
//! The system that the front end makes of a call of `sin` has every execution of the program, and
//! others in which the result is another number within its range. So what is unreachable there is
//! unreachable, and a lower bound there is a lower bound. A chain found there is run with the
//! stimuli it has and the results that the host's library really gives ([`complete`]). If it still
//! covers all its goals and ends in Final, it is a chain of the program, and as short as the bound
//! says. Else the points at which the library was asked become [lemmas](crate::step::lemma), and
//! the search begins again.
//!
//! Some finders ask the library themselves, so their chains are executions of the program. They
//! work before the first search; what the searches come to never falls behind their chains.

mod distances;
mod points;

pub use distances::reach_graph;

use crate::error::EngineError;
use crate::knowledge::chains::total;
use crate::knowledge::chains::{CheckedChain, covering, longest_run};
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::Minimality;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::options::Smoothing;
use crate::options::{EngineChoice, HazardPolicy, Options, Strategy};
use crate::outcome::{Chain, Outcome, Searched, orders};
use crate::pipeline::{self, Facts, TimeLimits};
use crate::session::{Progress, Session, Silent, add, add_account};
use crate::step::external::complete;
use crate::step::lemma::with_lemmas;
use crate::step::size::Size;
use crate::threads::side_by_side;
use model::external::Call;
use model::system::GoalId;
use model::trace::Trace;
use model::validate::Validated;
use points::Points;

/// Rounds of the first look by finders that ask the library.
const LOOK: u32 = 1;

/// Eighths of the time for finders that ask the library: they are the first of two ways, and the one
/// that suits large systems.
const FINDING: u32 = 6;

/// Where the step is so large that the other way says little, finders get so many eighths of the time
/// that the first look has left.
const FINDING_IN_LARGE: u32 = 7;

/// Eighths of the time for proofs before most goals have been sought.
const PROVING: u32 = 1;

/// Eighths of the time for proofs beside finders: what comes after both makes chains shorter.
const PROVING_BESIDE: u32 = 6;

/// Searches after which the result is left undecided.
const MOST_ROUNDS: usize = 200;

/// Finds chains that cover all goals, of the program: results of external calls are those that the
/// functions give.
///
/// # Errors
/// Where there is nothing to search for, or the search is not possible. A limit is no error: the
/// best result so far comes with [`Outcome::stopped`].
pub fn find_chains(
    system: &Validated,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, EngineError> {
    find_chains_from(system, &[], options, progress)
}

/// As [`find_chains`], from executions that are known, such as old tests: the result never covers
/// less than they do. The exact strategy alone makes use of them. Of each trace the longest prefix
/// counts that is an execution of the system, covers a goal and ends in Final.
///
/// # Errors
/// As for [`find_chains`]; a trace whose values do not fit the system is one, too.
pub fn find_chains_from(
    system: &Validated,
    known: &[Trace],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, EngineError> {
    let task = Task::new(system, &all_goals(system), Vec::new());
    let begun = begun(&task, known, options)?;
    if system.external_calls.is_empty() {
        return Ok(pipeline::search(system, &begun, options, progress)?.outcome(&task));
    }
    let limits = TimeLimits::of(system, options);
    let searched = Options { smoothing: None, deadline: limits.search, ..options.clone() };
    let mut searched = search(&task, begun, &searched, progress)?;
    if let Some(wishes) = &options.smoothing
        && options.interruption().is_none()
    {
        let options = Options { deadline: limits.smoothing, ..options.clone() };
        smooth_real(&task, &mut searched, wishes, &options)?;
    }
    Ok(searched.outcome(&task))
}

/// The chains that known executions are. Executions that cover nothing new are left out.
fn begun(task: &Task<'_>, known: &[Trace], options: &Options) -> Result<Vec<CheckedChain>, EngineError> {
    let mut chains: Vec<CheckedChain> = Vec::new();
    let mut open: Vec<Vertex> = task.vertices().collect();
    for trace in known {
        let mut run = longest_run(task, &complete(task.system, trace.clone()))?;
        if options.hazards == HazardPolicy::Forbid
            && let Some(first) = run.run.hazards.iter().map(|met| met.step).min()
        {
            run = longest_run(task, &run.prefix(first))?;
        }
        // Behind its last state in Final a test is no part of a chain.
        let Some(end) = run.run.states.iter().rposition(|state| task.may_end(state)) else { continue };
        if let Some(chain) = covering(task, run.prefix(end), &open)? {
            open.retain(|&vertex| !chain.covers(task.goal(vertex)));
            chains.push(chain);
        }
    }
    Ok(chains)
}

/// Smooths chains that the library confirms.
fn smooth_real(
    task: &Task<'_>,
    searched: &mut Searched,
    wishes: &Smoothing,
    options: &Options,
) -> Result<(), EngineError> {
    let session = Session::new(options, &Silent);
    let mut chains = searched.known.chains().to_vec();
    searched.smoothing =
        session.stage("smooth", || pipeline::smooth_chains(task, &mut chains, wishes, &session))?;
    searched.known.replace(chains)?;
    searched.stages.extend(session.timings());
    Ok(())
}

/// Searches until chains keep to the library; see the module text.
fn search(
    task: &Task<'_>,
    begun: Vec<CheckedChain>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Searched, EngineError> {
    let (system, calls) = (task.system, task.calls());
    let mut points = Points::default();
    let mut refined = system.clone();
    let mut facts = Facts { chains: begun, ..Facts::default() };
    let is_simulated = options.strategy == Strategy::Exact && options.engine == EngineChoice::Auto;
    if is_simulated {
        refined = first_facts(task, &mut facts, &mut points, refined, options, progress)?;
    }
    let Facts { chains: mut best, mut stages, mut engines, .. } = facts;
    let options = &Options { simulation: false, ..options.clone() };
    refined = with_lemmas(refined, points.of_traces(system, best.iter().map(|chain| &*chain.trace)))?;
    for round in 1.. {
        let mut searched = pipeline::search(&refined, &best, options, progress)?;
        searched.stages.drain(..).for_each(|stage| add(&mut stages, stage));
        searched.engines.drain(..).for_each(|turns| add_account(&mut engines, turns));
        let found = orders(system, searched.known.chains().iter().cloned());
        let real = run_really(task, &found)?;
        let are_real = are_real(&found, &real);
        best = better(task, best, useful(task, &real));
        if are_real && !is_behind(task, &real, &best) || is_as_good(&searched.known, &best) {
            searched.known.replace(if are_real { real } else { best })?;
            searched.notes.push(note(calls, points.lemmas.len(), round));
            return Ok(Searched { lemmas: points.lemmas, stages, engines, ..searched });
        }
        let traces = found.iter().map(|chain| &chain.trace).chain(real.iter().map(|real| &*real.trace));
        let new = points.of_traces(system, traces);
        if searched.stopped.is_some() || round == MOST_ROUNDS || new.is_empty() {
            searched.known.replace(best)?;
            searched.notes.push(note(calls, points.lemmas.len(), round));
            return Ok(Searched { lemmas: points.lemmas, stages, engines, ..searched });
        }
        refined = with_lemmas(refined, new)?;
    }
    unreachable!("the rounds should be limited")
}

/// What finders that ask the library and provers that leave its results open come to in turns: a
/// first look shows points at which the library is asked, these may suffice to exclude goals, and
/// only what is open then is sought for long. Returns the system with what was learned of the
/// library.
fn first_facts(
    task: &Task<'_>,
    facts: &mut Facts,
    points: &mut Points,
    refined: Validated,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Validated, EngineError> {
    let system = task.system;
    let longest = options.within_part(FINDING, 8);
    pipeline::find_real(system, facts, 0..LOOK, &longest, progress)?;
    if !facts.has_open(system) {
        pipeline::shorten_real(system, facts, &longest, progress)?;
        return Ok(refined);
    }
    points.few_of_random_executions(system, &Session::new(options, &Silent));
    points.of_traces(system, facts.chains.iter().map(|chain| &*chain.trace));
    let refined = with_lemmas(refined, &points.lemmas)?;
    if Size::until(&refined, options.deadline).gates.is_none() {
        let longest = options.within_part(FINDING_IN_LARGE, 8);
        find_beside_proofs((system, &refined), facts, &longest, progress)?;
        pipeline::shorten_real(system, facts, &longest, progress)?;
        return Ok(refined);
    }
    pipeline::exclude(&refined, facts, &options.within_part(PROVING, 8), progress)?;
    if facts.has_open(system) {
        pipeline::find_real(system, facts, LOOK..u32::MAX, &longest, progress)?;
    }
    pipeline::shorten_real(system, facts, &longest, progress)?;
    Ok(refined)
}

/// Where the step is so large that proofs take long and say little, finders do not wait for them.
fn find_beside_proofs(
    (system, refined): (&Validated, &Validated),
    facts: &mut Facts,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    let mut proven =
        Facts { chains: facts.chains.clone(), excluded: facts.excluded.clone(), ..Facts::default() };
    let is_alone = options.jobs < 2;
    let eighths = if is_alone { PROVING } else { PROVING_BESIDE };
    let proving = options.within_part(eighths, 8);
    let exclude = || {
        let ended = pipeline::exclude(refined, &mut proven, &proving, &Silent);
        (proven, ended)
    };
    let find = || pipeline::find_real(system, facts, LOOK..u32::MAX, options, progress);
    let ((proven, excluded), found) = side_by_side(is_alone, exclude, find);
    facts.excluded = proven.excluded;
    proven.stages.into_iter().for_each(|stage| add(&mut facts.stages, stage));
    proven.engines.into_iter().for_each(|turns| add_account(&mut facts.engines, turns));
    excluded.and(found)
}

/// The chains with the results that the library gives, as far as assumptions allow.
fn run_really(task: &Task<'_>, found: &[Chain]) -> Result<Vec<CheckedChain>, EngineError> {
    let run = |chain: &Chain| longest_run(task, &complete(task.system, chain.trace.clone()));
    found.iter().map(run).collect()
}

/// Whether the real runs are as good as the chains.
fn are_real(found: &[Chain], real: &[CheckedChain]) -> bool {
    let keeps = |(chain, real): (&Chain, &CheckedChain)| {
        real.run.may_end
            && real.trace.inputs.len() == chain.trace.inputs.len()
            && chain.order.iter().all(|&goal| real.covers(goal))
    };
    found.iter().zip(real).all(keeps)
}

/// Of chains that the library does not confirm as they are, what it does confirm.
fn useful(task: &Task<'_>, real: &[CheckedChain]) -> Vec<CheckedChain> {
    let is_useful = |real: &&CheckedChain| real.run.may_end && !real.trace.inputs.is_empty();
    let mut kept: Vec<CheckedChain> = real.iter().filter(is_useful).cloned().collect();
    loop {
        let empty = orders(task.system, kept.iter().cloned()).iter().position(|chain| chain.order.is_empty());
        let Some(empty) = empty else { return kept };
        kept.remove(empty);
    }
}

/// How good chains are: goals that they do not cover, their number, their steps.
fn rank(task: &Task<'_>, chains: &[CheckedChain]) -> (usize, usize, u64) {
    let is_missed = |&goal: &GoalId| !chains.iter().any(|chain| chain.covers(goal));
    (task.goals().iter().filter(|goal| is_missed(goal)).count(), chains.len(), total(chains))
}

fn better(task: &Task<'_>, left: Vec<CheckedChain>, right: Vec<CheckedChain>) -> Vec<CheckedChain> {
    if rank(task, &right) < rank(task, &left) { right } else { left }
}

/// Whether chains cover less than others.
fn is_behind(task: &Task<'_>, chains: &[CheckedChain], others: &[CheckedChain]) -> bool {
    rank(task, others).0 < rank(task, chains).0
}

/// Whether chains that the library confirms cover as much as the best ones of a search, and are
/// proven to be minimal by its bounds.
fn is_as_good(known: &Knowledge, best: &[CheckedChain]) -> bool {
    known.covers_as_much(best) && known.minimality_of(best) == Minimality::Proven
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
