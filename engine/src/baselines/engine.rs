//! Strategies that run on any engine.

use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::DistanceEngine;
use crate::schedule::explicit;
use crate::session::{Session, Stop};

/// A strategy that asks an [`DistanceEngine`].
pub(crate) trait DistanceEngineUse {
    /// Runs the strategy to its end or to a limit, and enters what it came to.
    fn run<O: DistanceEngine>(
        self,
        task: &Task<'_>,
        distances: O,
        known: &mut Knowledge,
        session: &Session<'_>,
    ) -> Result<(), Stop>;
}

/// Runs it with the engine that suits the task and the options, chosen by
/// [`schedule`](crate::schedule).
pub(crate) fn with_distances(
    task: &Task<'_>,
    known: &mut Knowledge,
    session: &Session<'_>,
    strategy: impl DistanceEngineUse,
) -> Result<(), Stop> {
    match explicit(task, session)? {
        Some(distances) => strategy.run(task, *distances, known, session),
        None => strategy.run(task, Bounded::new(task, session)?, known, session),
    }
}
