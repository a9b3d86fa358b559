//! Strategies that run on any engine.

use crate::knowledge::known::Knowledge;
use crate::knowledge::problem::Problem;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::DistanceEngine;
use crate::schedule::explicit;
use crate::session::{Session, Stop};

/// A strategy that asks an [`DistanceEngine`].
pub(crate) trait DistanceEngineUse {
    /// Runs the strategy to its end or to a limit, and enters what it came to.
    fn run<O: DistanceEngine>(
        self,
        problem: &Problem<'_>,
        oracle: O,
        known: &mut Knowledge,
        session: &Session<'_>,
    ) -> Result<(), Stop>;
}

/// Runs it with the engine that suits the problem and the options, chosen by [`schedule`](crate::schedule).
pub(crate) fn with_oracle(
    problem: &Problem<'_>,
    known: &mut Knowledge,
    session: &Session<'_>,
    strategy: impl DistanceEngineUse,
) -> Result<(), Stop> {
    match explicit(problem, session)? {
        Some(oracle) => strategy.run(problem, *oracle, known, session),
        None => strategy.run(problem, Bounded::new(problem, session)?, known, session),
    }
}
