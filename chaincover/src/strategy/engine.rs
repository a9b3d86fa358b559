//! Strategies that run on any engine.

use crate::problem::Problem;
use crate::reach::bounded::Bounded;
use crate::reach::oracle::Oracle;
use crate::stats::{Context, Halt};
use crate::strategy::Findings;
use crate::strategy::schedule::explicit;

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

/// Runs it with the engine that suits the problem and the options, chosen by [`schedule`](super::schedule).
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
