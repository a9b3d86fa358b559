//! The property reachability graph of a system in which results of the C library are open.
//!
//! A distance that is refuted there is refuted for every library. A run that has a distance is one
//! of the program only if the host's library confirms it: the run is repeated with the results that
//! the library gives, and if source and target are still so far apart, the distance is exact. Else
//! the points at which the library was asked become [lemmas](super::lemma), and the pairs that are
//! still open are asked again.

use super::complete::{complete, points};
use super::{MOST_ROUNDS, Subject, with_lemmas};
use crate::chain::check::longest_run;
use crate::options::Options;
use crate::pipeline::{EngineError, GraphExtent, prepare, stop_reason};
use crate::problem::{Problem, all_goals};
use crate::reach::bounded::Bounded;
use crate::reach::graph::ReachGraph;
use crate::stats::{Context, Halt, Progress, StopReason};
use crate::strategy::sweep::sweep;
use frontend::c::libm::Lemma;
use rustc_hash::FxHashSet;

/// The property reachability graph, by bounded queries. A limit ends the construction early.
///
/// # Errors
/// As for [`find_chains`](super::find_chains).
pub fn reach_graph<'s>(
    subject: impl Into<Subject<'s>>,
    options: &Options,
    progress: &dyn Progress,
    extent: GraphExtent,
) -> Result<ReachGraph, EngineError> {
    let Subject { system, calls } = subject.into();
    let context = Context::new(options, progress);
    let extent = match (extent, options.max_k) {
        (GraphExtent::CoveringPath, Some(limit)) => GraphExtent::Depth(limit),
        (extent, _) => extent,
    };
    let goals = all_goals(system);
    let mut graph = Problem::new(system, &goals, Vec::new()).empty_graph();
    let built = context.stage("prepare", || prepare(system, calls, &context)).and_then(|prepared| {
        let problem = Problem::new(&prepared.system, &goals, prepared.invariants.clone())
            .calling(prepared.calls.clone());
        context.stage("graph", || explore(&problem, &mut graph, extent, &context))
    });
    stop_reason(built).map(|_| graph)
}

/// Asks for distances until the library confirms all that were found.
fn explore(
    problem: &Problem<'_>,
    graph: &mut ReachGraph,
    extent: GraphExtent,
    context: &Context<'_>,
) -> Result<(), Halt> {
    let goals: Vec<usize> = problem.vertices().collect();
    let mut known: FxHashSet<Lemma> = FxHashSet::default();
    let mut refined = problem.system.clone();
    for _ in 0..MOST_ROUNDS {
        let open = Problem::new(&refined, &problem.goals(), problem.invariants().clone())
            .calling(problem.calls().to_vec());
        let mut found = graph.clone();
        let swept = Bounded::new(&open, context)
            .map_err(Halt::from)
            .and_then(|mut oracle| sweep(&open, &goals, &mut oracle, &mut found, extent, context));
        let asked = take_confirmed(problem, &found, graph)?;
        swept?;
        if asked.is_empty() {
            return Ok(());
        }
        let fresh: Vec<Lemma> = asked.into_iter().filter(|lemma| known.insert(lemma.clone())).collect();
        if fresh.is_empty() {
            break;
        }
        drop(open);
        refined = with_lemmas(refined, problem.calls(), &fresh)?;
    }
    Err(Halt::Stopped(StopReason::Effort))
}

/// Takes over what was refuted, and what was found as far as the library confirms it; the points at
/// which it was asked in vain.
fn take_confirmed(
    problem: &Problem<'_>,
    found: &ReachGraph,
    graph: &mut ReachGraph,
) -> Result<Vec<Lemma>, EngineError> {
    let before = graph.clone();
    *graph = found.clone();
    let mut asked = Vec::new();
    for (source, target, steps) in seen_pairs(found) {
        let was_known = before.upper(source, target) == Some(steps);
        if was_known || is_confirmed(problem, found, (source, target, steps))? {
            continue;
        }
        graph.forget(source, target);
        if let Some(witness) = found.witness(source, target) {
            let real = complete(problem.system, problem.calls(), witness);
            asked.extend(points(problem.system, problem.calls(), witness));
            asked.extend(points(problem.system, problem.calls(), &real));
        }
    }
    Ok(asked)
}

/// Leaves out of a graph the distances whose runs the library does not confirm; they become lower
/// bounds.
///
/// # Errors
/// Where a run does not fit the system, against expectation.
pub(crate) fn keep_confirmed(problem: &Problem<'_>, graph: &mut ReachGraph) -> Result<(), EngineError> {
    for (source, target, steps) in seen_pairs(graph) {
        // Where there is no Final, a chain may end behind any goal.
        let is_trivial = target == 0 && !graph.has_end();
        if !is_trivial && !is_confirmed(problem, graph, (source, target, steps))? {
            graph.forget(source, target);
        }
    }
    Ok(())
}

/// Pairs with a run, and its length.
fn seen_pairs(graph: &ReachGraph) -> Vec<(usize, usize, u32)> {
    let pairs = (0..graph.size()).flat_map(|source| (0..graph.size()).map(move |target| (source, target)));
    let pairs = pairs.filter(|(source, target)| source != target);
    pairs.filter_map(|(source, target)| Some((source, target, graph.upper(source, target)?))).collect()
}

/// Whether the run of a pair has that length with the results that the library gives, too.
fn is_confirmed(
    problem: &Problem<'_>,
    graph: &ReachGraph,
    (source, target, steps): (usize, usize, u32),
) -> Result<bool, EngineError> {
    if problem.calls().is_empty() {
        return Ok(true);
    }
    let Some(witness) = graph.witness(source, target) else { return Ok(false) };
    let run = longest_run(problem, &complete(problem.system, problem.calls(), witness))?.run;
    let begins = |vertex: usize, at: usize| match vertex {
        0 => run.states.get(at).is_some_and(|state| problem.may_end(state)),
        _ => run.occurrences[graph.goals()[vertex - 1]].iter().any(|found| found.step == at),
    };
    Ok((source == 0 || begins(source, 0)) && begins(target, steps as usize))
}
