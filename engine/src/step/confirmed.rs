//! Distances whose runs the host's C library confirms.

use crate::error::EngineError;
use crate::knowledge::chains::longest_run;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::step::external::complete;

/// Leaves out of a graph the distances whose runs the library does not confirm; they become lower
/// bounds.
///
/// # Errors
/// Where a run does not fit the system, against expectation.
pub(crate) fn keep_confirmed(task: &Task<'_>, graph: &mut ReachGraph) -> Result<(), EngineError> {
    for (source, target, steps) in seen_pairs(graph) {
        // Where there is no Final, a chain may end behind any goal.
        let is_trivial = target.is_depot() && !graph.has_end();
        if !is_trivial && !is_confirmed(task, graph, (source, target, steps))? {
            graph.forget(source, target);
        }
    }
    Ok(())
}

/// Pairs with a run, and its length.
pub(crate) fn seen_pairs(graph: &ReachGraph) -> Vec<(Vertex, Vertex, u32)> {
    let vertices = graph.vertices();
    let pairs = vertices.clone().flat_map(|source| vertices.clone().map(move |target| (source, target)));
    let pairs = pairs.filter(|(source, target)| source != target);
    pairs.filter_map(|(source, target)| Some((source, target, graph.upper(source, target)?))).collect()
}

/// Whether the run of a pair has that length with the results that the library gives, too.
pub(crate) fn is_confirmed(
    task: &Task<'_>,
    graph: &ReachGraph,
    (source, target, steps): (Vertex, Vertex, u32),
) -> Result<bool, EngineError> {
    if task.calls().is_empty() {
        return Ok(true);
    }
    let Some(witness) = graph.witness(source, target) else { return Ok(false) };
    let run = longest_run(task, &complete(task.system, witness.clone()))?.run;
    let begins = |vertex: Vertex, at: usize| match vertex.is_depot() {
        true => run.states.get(at).is_some_and(|state| task.may_end(state)),
        false => run.occurrences[graph.goal(vertex)].iter().any(|found| found.step == at),
    };
    Ok((source.is_depot() || begins(source, 0)) && begins(target, steps as usize))
}
