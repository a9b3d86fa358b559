//! Strategies that run on any engine.

use crate::knowledge::findings::Findings;
use crate::knowledge::problem::Problem;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::Oracle;
use crate::schedule::explicit;
use crate::session::{Context, Halt};

/// A strategy that asks an [`Oracle`].
pub(crate) trait OracleUse {
    /// Runs the strategy to its end or to a limit, and says what it came to and why it ended.
    fn run<O: Oracle>(
        self,
        problem: &Problem<'_>,
        oracle: O,
        context: &Context<'_>,
    ) -> (Findings, Result<(), Halt>);
}

/// Runs it with the engine that suits the problem and the options, chosen by [`schedule`](crate::schedule).
pub(crate) fn with_oracle(
    problem: &Problem<'_>,
    context: &Context<'_>,
    strategy: impl OracleUse,
) -> (Findings, Result<(), Halt>) {
    let nothing = |halt: Halt| (Findings::nothing(problem, String::new()), Err(halt));
    match explicit(problem, context) {
        Ok(Some(oracle)) => return strategy.run(problem, *oracle, context),
        Ok(None) => {}
        Err(halt) => return nothing(halt),
    }
    match Bounded::new(problem, context) {
        Ok(oracle) => strategy.run(problem, oracle, context),
        Err(error) => nothing(error.into()),
    }
}
