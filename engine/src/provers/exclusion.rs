//! Goals that are soon proven unreachable, or without a way on to Final, so that nobody looks for
//! them any longer, and what projections say of distances from Init.

use crate::error::StopReason;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::enter_cones;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Engine, Session, Stop};
use crate::turn::{Prover, Turn};

/// What may be spent on what is said of twins, in turns: it excludes most of what can be excluded
/// of versions, and ends soon.
const OF_TWINS: u64 = 4;
/// The share of what is left of a turn that a proof for one goal costs at most.
const PROOF_SHARE: u64 = 3;
/// What a query costs, as far as none was asked.
const USUAL_COST: u64 = 8;
/// Queries that are worth an attempt.
const FEW_QUERIES: u64 = 20;

/// See the module text.
pub(crate) struct Exclusion<'s> {
    task: &'s Task<'s>,
    graph: ReachGraph,
    distances: Option<Bounded<'s>>,
    /// How many proofs were tried: the next turn begins with the one behind them.
    tried: usize,
}

impl<'s> Exclusion<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, graph: task.empty_graph(), distances: None, tried: 0 }
    }

    /// Tries to prove that open goals are unreachable, or Final from their occurrences: each proof may
    /// cost an equal share of what is left of the effort, so that what easy ones leave goes to those
    /// behind them, and no hard one takes all.
    fn exclude(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<(), Stop> {
        let Self { task, graph, distances, tried } = self;
        session.check_limits()?;
        enter_cones(task, graph, session)?;
        let is_open = |&goal: &Vertex, graph: &ReachGraph| graph.lower(Vertex::DEPOT, goal).is_some();
        let goals: Vec<Vertex> = known.open_goals().into_iter().filter(|goal| is_open(goal, graph)).collect();
        if goals.is_empty() {
            return Ok(());
        }
        known.enter_from_init(graph);
        let distances = match distances {
            Some(distances) => distances,
            None => distances.insert(Bounded::new(task, session)?),
        };
        let excluded = session
            .within(work.saturating_mul(OF_TWINS), || distances.exclude_by_twins(&goals, graph, session));
        if unless_spent(excluded)?.is_none() {
            return Ok(());
        }
        let goals: Vec<Vertex> = goals.into_iter().filter(|goal| is_open(goal, graph)).collect();
        if goals.is_empty() {
            return Ok(());
        }
        // Each proof would begin with this.
        let prepared = session.within(work, || distances.prepare_proofs(graph, session));
        if unless_spent(prepared)?.is_none() {
            return Ok(());
        }
        let mut pairs: Vec<(Vertex, Vertex)> = goals.iter().map(|&goal| (Vertex::DEPOT, goal)).collect();
        if task.has_end() {
            pairs.extend(goals.iter().map(|&goal| (goal, Vertex::DEPOT)));
        }
        let first = *tried % pairs.len();
        pairs.rotate_left(first);
        session.within(work, || {
            let asked = session.sat_calls();
            for (position, &(source, target)) in pairs.iter().enumerate() {
                let left = session.allowance().unwrap_or(0);
                if left == 0 {
                    break;
                }
                *tried += 1;
                let queries = session.sat_calls() - asked;
                let cost = (work - left).checked_div(queries).unwrap_or(USUAL_COST).max(1);
                let share = left / (pairs.len() - position) as u64;
                // A proof that runs out of queries goes on from there the next time; one that runs
                // out of effort begins anew.
                distances.allow(source, (share / cost).max(FEW_QUERIES));
                let most = (left / PROOF_SHARE).max(share);
                match session
                    .at_most(most, || exclude_pair(task, distances, (source, target), graph, session))
                {
                    Ok(()) | Err(Stop::Limit(StopReason::Effort)) => {}
                    Err(halt) => return Err(halt),
                }
            }
            Ok(())
        })
    }
}

/// Gives what came of work, and `None` where the effort did not suffice.
fn unless_spent<T>(result: Result<T, Stop>) -> Result<Option<T>, Stop> {
    match result {
        Err(Stop::Limit(StopReason::Effort)) => Ok(None),
        result => result.map(Some),
    }
}

/// Tries to prove that no execution leads from an occurrence of `source` to one of `target`. Proofs
/// are about states behind the occurrence: what occurs within its steps is asked before.
fn exclude_pair(
    task: &Task<'_>,
    distances: &mut Bounded<'_>,
    (source, target): (Vertex, Vertex),
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<(), Stop> {
    while graph.upper(source, target).is_none()
        && graph.lower(source, target).is_some_and(|lower| lower < task.steps(source))
    {
        distances.deepen(source, &[target], graph, session)?;
    }
    distances.exclude(source, target, graph, session).map(drop)
}

impl Prover for Exclusion<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let open = known.open_goals();
        let ended = session.stage("proof", || self.exclude(known, work, session));
        for &goal in &open {
            if let Some(proof) = self.graph.proof(Vertex::DEPOT, goal) {
                known.exclude(self.task, goal, (Engine::Sat, proof.clone()), session)?;
            } else if let Some(proof) = self.graph.proof(goal, Vertex::DEPOT) {
                known.decide(goal, GoalStatus::EndUnreachable { proof: proof.clone() })?;
            }
        }
        for goal in self.task.vertices() {
            if let Some(before) = self.graph.lower(Vertex::DEPOT, goal) {
                let steps = u64::from(before + self.task.steps(goal));
                known.raise(Bound::new(&[goal], Claim::Steps(steps)))?;
            }
        }
        ended.map(|()| Turn::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;

    /// More states than anyone enumerates; nothing leads back from three to less.
    const SYSTEM: &str = "system s input a w32
        state x w32 init 0 next (add x a)
        state n w8 init 0 next (ite (ult n 3) (add n 1) n)
        goal dead when (and (eq x 100000) (eq n 3))
        goal alive when (ult 1000 x)
        goal never when (eq n 5)
        end (ult n 3)";

    #[test]
    fn goals_behind_which_there_is_no_end_are_excluded() {
        let system = validate(parse(SYSTEM).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        Exclusion::new(&task).run(&mut known, 10_000, &session).expect("no limit");
        let open = known.open_goals();
        assert_eq!(open, [Vertex::of_position(1)], "only that one can be covered");
    }
}
