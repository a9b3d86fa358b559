//! Which goals can be covered at all: the distances from Init and to Final, or why there are none.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex};
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};
use crate::tuning::Constant;

/// Depths asked beyond the last success before a search without a cap is put off.
pub(crate) const PATIENCE: Constant = Constant {
    name: "optimum.patience",
    usual: 64,
    unit: "steps",
    purpose: "how deep beyond the last success a goal is sought",
};

/// Depths asked without success before the first attempt to prove that there is none.
const FIRST_PROOF: u32 = 4;

/// Why goals cannot be covered, where that is known; the depot's entry is not used.
pub(crate) type Statuses = ByVertex<Option<GoalStatus>>;

/// Settles the distances from Init to all goals and from all reachable goals to Final, but for
/// goals that are `covered` by a known chain. `patience` depths are asked beyond the last success.
/// Goals that are not reached get a status: proven unreachable, or undecided where the cap on depth
/// or the patience is exhausted.
pub(crate) fn settle_ends(
    task: &Task<'_>,
    (distances, patience): (&mut impl DistanceEngine, u32),
    graph: &mut ReachGraph,
    statuses: &mut Statuses,
    covered: &[Vertex],
    session: &Session<'_>,
) -> Result<(), Stop> {
    let open = || task.vertices().filter(|goal| !covered.contains(goal));
    let mut goals: Vec<Vertex> = open().collect();
    let reached = |graph: &ReachGraph| graph.farthest_from(Vertex::DEPOT);
    search(
        &mut goals,
        graph,
        (&mut *distances, patience),
        session,
        reached,
        |goal| (Vertex::DEPOT, goal),
        |distances, goals, graph| distances.deepen(Vertex::DEPOT, goals, graph, session),
    )?;
    for goal in goals {
        statuses[goal] = Some(match graph.proof(Vertex::DEPOT, goal) {
            Some(proof) => {
                let name = &task.system.goals[task.goal(goal)].name;
                session.record(distances.engine(), format!("{name} is unreachable: {proof}"));
                GoalStatus::Unreachable { proof: proof.clone() }
            }
            None => GoalStatus::Undecided {
                bound: graph.lower(Vertex::DEPOT, goal).unwrap_or(0).saturating_sub(1),
            },
        });
    }
    if !task.has_end() {
        return Ok(());
    }
    let mut goals: Vec<Vertex> = open().filter(|&goal| statuses[goal].is_none()).collect();
    let ended =
        |graph: &ReachGraph| task.vertices().filter_map(|goal| graph.upper(goal, Vertex::DEPOT)).max();
    search(
        &mut goals,
        graph,
        (&mut *distances, patience),
        session,
        ended,
        |goal| (goal, Vertex::DEPOT),
        |distances, goals, graph| {
            let tasks: Vec<(Vertex, Vec<Vertex>)> =
                goals.iter().map(|&goal| (goal, vec![Vertex::DEPOT])).collect();
            distances.deepen_each(&tasks, graph, session)
        },
    )?;
    for goal in goals {
        statuses[goal] = Some(match graph.proof(goal, Vertex::DEPOT) {
            Some(proof) => GoalStatus::EndUnreachable { proof: proof.clone() },
            None => GoalStatus::EndUndecided { bound: excluded_steps(graph, goal) },
        });
    }
    for goal in open().filter(|&goal| statuses[goal].is_none()).collect::<Vec<_>>() {
        statuses[goal] = settle_joint(goal, distances, graph, session)?;
    }
    Ok(())
}

/// Greatest number of steps within which no execution covers the goal and ends in Final, by
/// distances alone.
fn excluded_steps(graph: &ReachGraph, goal: Vertex) -> u32 {
    let legs = graph.lower(Vertex::DEPOT, goal).zip(graph.lower(goal, Vertex::DEPOT));
    legs.map_or(0, |(to, from)| (to + from).saturating_sub(1))
}

/// Whether some chain covers the goal alone: Init, the goal and Final joined.
fn settle_joint(
    goal: Vertex,
    distances: &mut impl DistanceEngine,
    graph: &ReachGraph,
    session: &Session<'_>,
) -> Result<Option<GoalStatus>, Stop> {
    let (Some(to), Some(from)) = (graph.lower(Vertex::DEPOT, goal), graph.lower(goal, Vertex::DEPOT)) else {
        return Ok(None);
    };
    let patience = session.options.tuning.value(&PATIENCE) as u32;
    let limit = session.options.max_k.map_or(to + from + patience + 2 * graph.farthest(), |k| 2 * k);
    let mut steps = to + from;
    loop {
        match distances.sequence(&[Vertex::DEPOT, goal, Vertex::DEPOT], steps, graph, Effort::Any, session)? {
            Answer::Run(_) => return Ok(None),
            _ if steps >= limit => return Ok(Some(GoalStatus::EndUndecided { bound: steps })),
            _ => steps = limit.min(2 * steps + 2),
        }
    }
}

/// Deepens until each goal's pair is met, or excluded, or given up; leaves in `goals` those that
/// are not met.
fn search<O: DistanceEngine>(
    goals: &mut Vec<Vertex>,
    graph: &mut ReachGraph,
    (distances, patience): (&mut O, u32),
    session: &Session<'_>,
    farthest: impl Fn(&ReachGraph) -> Option<u32>,
    pair: impl Fn(Vertex) -> (Vertex, Vertex),
    mut deepen: impl FnMut(&mut O, &[Vertex], &mut ReachGraph) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut open = std::mem::take(goals);
    // What was seen can be reached; how soon is asked where it matters.
    open.retain(|&goal| {
        let (source, target) = pair(goal);
        graph.upper(source, target).is_none()
    });
    let mut idle = 0u32;
    while !open.is_empty() {
        let before = open.len();
        // What is known to be further away than can be asked, or is to be, is not asked.
        let deepest = session.options.max_k.unwrap_or(u32::MAX).min(distances.deepest());
        let near: Vec<Vertex> = open
            .iter()
            .copied()
            .filter(|&goal| {
                let (source, target) = pair(goal);
                graph.lower(source, target).is_none_or(|lower| lower <= deepest)
            })
            .collect();
        if !near.is_empty() {
            deepen(distances, &near, graph)?;
        }
        let patience = patience + 3 * farthest(graph).unwrap_or(0);
        let limit = session.options.max_k.unwrap_or(patience).min(distances.deepest());
        let mut still_open = Vec::new();
        for goal in open {
            let (source, target) = pair(goal);
            if graph.is_exact(source, target) {
                continue;
            }
            let is_never = |graph: &ReachGraph| graph.lower(source, target).is_none();
            let late = graph.lower(source, target) > Some(limit);
            let due = late || (idle >= FIRST_PROOF && idle.is_power_of_two());
            let excluded = is_never(graph) || (due && distances.exclude(source, target, graph, session)?);
            if excluded || late {
                goals.push(goal);
            } else {
                still_open.push(goal);
            }
        }
        open = still_open;
        idle = if open.len() < before { 0 } else { idle + 1 };
        session.progress.update(graph.depth(), graph.reached(), None, 0);
    }
    goals.sort_unstable();
    Ok(())
}
