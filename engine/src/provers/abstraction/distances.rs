//! What an enumerated projection says about distances between goals.

use crate::knowledge::abstractions::Words;
use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::{Explicit, Limits, if_suited};
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::initial::InitialState;
use model::id::Id;
use model::system::{GoalId, StateId};

/// Applies `read` to the projection to these words; its task has only these goals, in their order.
/// Returns `None` where the projection is beyond the limits.
pub(super) fn projected<T>(
    task: &Task<'_>,
    words: &Words,
    goals: &[Vertex],
    initial: &[InitialState],
    limits: Limits,
    session: &Session<'_>,
    read: impl FnOnce(&Explicit<'_>) -> T,
) -> Result<Option<T>, Stop> {
    let ids: Vec<GoalId> = goals.iter().map(|&goal| task.goal(goal)).collect();
    let part = Task::new(task.system, &ids, Vec::new());
    let limits = Limits { outcomes: limits.outcomes && task.calls().is_empty(), ..limits };
    let kept = |word: StateId| words.contains(&word.index());
    Ok(if_suited(Explicit::project(&part, &kept, initial, limits, session))?.as_ref().map(read))
}

/// Distances between vertices in a projection: lower bounds of those in the system.
pub(super) struct Distances {
    /// Number of states of the projection.
    pub(super) states: usize,
    /// Source, target, and fewest steps; `None`: there is no way.
    rows: Vec<(Vertex, Vertex, Option<u32>)>,
}

impl Distances {
    /// Those between all vertices of the projection's task, which has so many goals; `vertex` tells
    /// which ones of the graph they are.
    pub(super) fn of(projection: &Explicit<'_>, goals: usize, vertex: impl Fn(Vertex) -> Vertex) -> Self {
        let row =
            |source: Vertex| projection.row(source).into_iter().map(move |(to, steps)| (source, to, steps));
        let rows = Vertex::all(goals).flat_map(row);
        let rows = rows.map(|(source, target, steps)| (vertex(source), vertex(target), steps)).collect();
        Self { states: projection.len(), rows }
    }

    /// Those between Init, Final and these goals in the projection to these words. `None`: it is
    /// beyond the limits.
    pub(super) fn over(
        task: &Task<'_>,
        words: &Words,
        goals: &[Vertex],
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let vertex = |own: Vertex| if own.is_depot() { own } else { goals[own.position()] };
        let read = |explicit: &Explicit<'_>| Self::of(explicit, goals.len(), vertex);
        projected(task, words, goals, initial, limits, session, read)
    }

    /// Enters them.
    pub(super) fn enter(&self, graph: &mut ReachGraph) {
        for &(source, target, steps) in &self.rows {
            match steps {
                _ if graph.is_settled(source, target) => {}
                Some(steps) => graph.raise(source, target, steps, Engine::Explicit),
                None => {
                    let proof = Proof::Projection { states: self.states };
                    graph.never(source, target, proof, Engine::Explicit);
                }
            }
        }
    }

    /// How much they say: number of pairs without a way, and the sum of all others.
    pub(super) fn worth(&self) -> (usize, u64) {
        let apart = self.rows.iter().filter(|(.., steps)| steps.is_none()).count();
        (apart, self.rows.iter().filter_map(|&(.., steps)| steps.map(u64::from)).sum())
    }
}
