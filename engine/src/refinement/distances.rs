//! The property reachability graph of a system in which results of the C library are open.
//!
//! A distance that is refuted there is refuted for every library. A run that has a distance is one
//! of the program only if the host's library confirms it: the run is repeated with the results that
//! the library gives, and if source and target are still so far apart, the distance is exact. Else
//! the points at which the library was asked become [lemmas](crate::step::lemma), and the pairs
//! that are still open are asked again.

use super::MOST_ROUNDS;
use crate::baselines::sweep::sweep;
use crate::error::EngineError;
use crate::error::StopReason;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::options::GraphExtent;
use crate::options::Options;
use crate::pipeline::{prepare, stop_reason};
use crate::provers::bmc::Bounded;
use crate::session::{Progress, Session, Stop};
use crate::step::confirmed::{is_confirmed, seen_pairs};
use crate::step::external::{complete, points};
use crate::step::lemma::with_lemmas;
use model::external::Lemma;
use model::validate::Validated;
use rustc_hash::FxHashSet;

/// The property reachability graph, by bounded queries. A limit ends the construction early.
///
/// # Errors
/// As for [`find_chains`](super::find_chains).
pub fn reach_graph(
    system: &Validated,
    options: &Options,
    progress: &dyn Progress,
    extent: GraphExtent,
) -> Result<ReachGraph, EngineError> {
    let session = Session::new(options, progress);
    let extent = match (extent, options.max_k) {
        (GraphExtent::CoveringPath, Some(limit)) => GraphExtent::Depth(limit),
        (extent, _) => extent,
    };
    let goals = all_goals(system);
    let mut graph = Task::new(system, &goals, Vec::new()).empty_graph();
    let built = session.stage("prepare", || prepare(system, &session)).and_then(|prepared| {
        let task = Task::new(&prepared.system, &goals, prepared.invariants.clone());
        session.stage("graph", || explore(&task, &mut graph, extent, &session))
    });
    stop_reason(built).map(|_| graph)
}

/// Asks for distances until the library confirms all that were found.
fn explore(
    task: &Task<'_>,
    graph: &mut ReachGraph,
    extent: GraphExtent,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let goals: Vec<Vertex> = task.vertices().collect();
    let mut known: FxHashSet<Lemma> = FxHashSet::default();
    let mut refined = task.system.clone();
    for _ in 0..MOST_ROUNDS {
        let open = Task::new(&refined, &task.goals(), task.invariants().clone());
        let mut found = graph.clone();
        let swept = Bounded::new(&open, session)
            .map_err(Stop::from)
            .and_then(|mut distances| sweep(&open, &goals, &mut distances, &mut found, extent, session));
        let asked = take_confirmed(task, &found, graph)?;
        swept?;
        if asked.is_empty() {
            return Ok(());
        }
        let fresh: Vec<Lemma> = asked.into_iter().filter(|lemma| known.insert(lemma.clone())).collect();
        if fresh.is_empty() {
            break;
        }
        drop(open);
        refined = with_lemmas(refined, &fresh)?;
    }
    Err(Stop::Limit(StopReason::Effort))
}

/// Takes over what was refuted, and what was found as far as the library confirms it; the points at
/// which it was asked in vain.
fn take_confirmed(
    task: &Task<'_>,
    found: &ReachGraph,
    graph: &mut ReachGraph,
) -> Result<Vec<Lemma>, EngineError> {
    let before = graph.clone();
    *graph = found.clone();
    let mut asked = Vec::new();
    for (source, target, steps) in seen_pairs(found) {
        let was_known = before.upper(source, target) == Some(steps);
        if was_known || is_confirmed(task, found, (source, target, steps))? {
            continue;
        }
        graph.forget(source, target);
        if let Some(witness) = found.witness(source, target) {
            let real = complete(task.system, witness.clone());
            asked.extend(points(task.system, witness));
            asked.extend(points(task.system, &real));
        }
    }
    Ok(asked)
}
