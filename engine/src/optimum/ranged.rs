//! Bounds of chains from ranges alone: distances by [ranges](crate::provers::intervals), and the
//! best plan under them.
//!
//! Nothing is unrolled, so a chain of thousands of steps has a bound after moments, long before
//! distances are asked for. The first turn looks from Init alone, the next ones from all goals.

use super::bound::raise_by_plan;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::intervals::enter_bounds;
use crate::session::{Session, Stop};
use crate::turn::{Prover, Turn};

/// Shortest distances that are worth a bound: shorter ones are soon asked for.
const LEAST: u32 = 2;

/// See the module text.
pub(crate) struct RangedBounds<'s> {
    task: &'s Task<'s>,
    /// Whether it has looked from Init.
    is_begun: bool,
    /// How many steps were looked ahead from all goals.
    ahead: u32,
}

impl<'s> RangedBounds<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, is_begun: false, ahead: 0 }
    }

    fn raise(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let task = self.task;
        let mut graph = known.graph().cloned().unwrap_or_else(|| task.empty_graph());
        known.enter_from_init(&mut graph);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        if is_first {
            enter_bounds(task, &mut graph, &[Vertex::DEPOT], (LEAST, work), session)?;
        } else if self.ahead <= graph.farthest() {
            let sources: Vec<Vertex> = graph.vertices().collect();
            self.ahead = enter_bounds(task, &mut graph, &sources, (LEAST, work), session)?;
        }
        for goal in known.possible_goals() {
            let Some(steps) = graph.lower(Vertex::DEPOT, goal) else { continue };
            let steps = u64::from(steps) + u64::from(task.steps(goal));
            known.raise(Bound::new(&[goal], Claim::Steps(steps)))?;
        }
        raise_by_plan(&graph, known, session)?;
        known.learn_distances(&graph);
        Ok(if is_first || self.ahead <= graph.farthest() { Turn::Open } else { Turn::Idle })
    }
}

impl Prover for RangedBounds<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        session.stage("ranges", || self.raise(known, work, session))
    }
}
