//! Strategies that run on any engine.

use crate::knowledge::known::Knowledge;
use crate::knowledge::problem::Problem;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::Oracle;
use crate::schedule::explicit;
use crate::session::{Context, Halt};

/// A strategy that asks an [`Oracle`].
pub(crate) trait OracleUse {
    /// Runs the strategy to its end or to a limit, and enters what it came to.
    fn run<O: Oracle>(
        self,
        problem: &Problem<'_>,
        oracle: O,
        known: &mut Knowledge,
        context: &Context<'_>,
    ) -> Result<(), Halt>;
}

/// Runs it with the engine that suits the problem and the options, chosen by [`schedule`](crate::schedule).
pub(crate) fn with_oracle(
    problem: &Problem<'_>,
    known: &mut Knowledge,
    context: &Context<'_>,
    strategy: impl OracleUse,
) -> Result<(), Halt> {
    match explicit(problem, context)? {
        Some(oracle) => strategy.run(problem, *oracle, known, context),
        None => strategy.run(problem, Bounded::new(problem, context)?, known, context),
    }
}
