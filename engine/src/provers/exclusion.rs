//! Goals that are soon proven unreachable, so that nobody looks for them any longer, and what
//! projections say of distances from Init.

use crate::error::StopReason;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::first_occurrence;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::Task;
use crate::provers::abstraction::enter_cones;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Engine, Session, Stop};
use crate::turn::{Prover, Turn};
use std::sync::Arc;

/// The share of a turn that a proof for one goal may cost.
const PROOF_SHARE: u64 = 3;

/// See the module text.
pub(crate) struct Exclusion<'s> {
    task: &'s Task<'s>,
    graph: ReachGraph,
    distances: Option<Bounded<'s>>,
}

impl<'s> Exclusion<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, graph: task.empty_graph(), distances: None }
    }

    /// Tries to prove that open goals are unreachable, each with that many conflicts at most.
    fn exclude(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<(), Stop> {
        let Self { task, graph, distances } = self;
        session.check_limits()?;
        enter_cones(task, graph, session)?;
        let is_open = |&goal: &usize| graph.lower(0, goal).is_some();
        let goals: Vec<usize> = known.open_goals().into_iter().filter(is_open).collect();
        if goals.is_empty() {
            return Ok(());
        }
        for chain in known.chains() {
            let witness = Arc::new(chain.trace.clone());
            for vertex in task.vertices() {
                if let Some(steps) = first_occurrence(&chain.run, task.goal(vertex)) {
                    graph.found(0, vertex, steps, Some(&witness), Engine::Simulation);
                }
            }
        }
        let distances = match distances {
            Some(distances) => distances,
            None => distances.insert(Bounded::new(task, session)?),
        };
        match session.within(work, || distances.prepare_proofs(graph, session)) {
            // Each proof would begin with this.
            Err(Stop::Limit(StopReason::Effort)) => return Ok(()),
            prepared => prepared?,
        }
        for goal in goals {
            match session.within(work / PROOF_SHARE, || distances.exclude(0, goal, graph, session)) {
                Ok(_) | Err(Stop::Limit(StopReason::Effort)) => {}
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }
}

impl Prover for Exclusion<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let open = known.open_goals();
        let ended = session.stage("proof", || self.exclude(known, work, session));
        for &goal in &open {
            if let Some(proof) = self.graph.proof(0, goal) {
                let name = &self.task.system.goals[self.task.goal(goal)].name;
                session.record(Engine::Sat, format!("{name} is unreachable: {proof}"));
                known.decide(goal, GoalStatus::Unreachable { proof: proof.clone() })?;
            }
        }
        for goal in self.task.vertices() {
            if let Some(before) = self.graph.lower(0, goal) {
                let steps = u64::from(before + self.task.steps(goal));
                known.raise(Bound::new(&[goal], Claim::Steps(steps)))?;
            }
        }
        ended.map(|()| Turn::Open)
    }
}
