//! Why a search has no outcome.

use encoder::EncodeError;

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The assumptions contradict each other.
    #[error("the assumptions admit no execution at all: {0}")]
    NoExecution(String),
    /// Nothing is to be covered.
    #[error(
        "there is no goal: write a property function that calls the step function under assumptions, or a [[goal]] in chaincover.toml"
    )]
    NoGoals,
    /// A claimed invariant is violated by an execution.
    #[error("the invariant `{invariant}` does not hold: an execution of {steps} steps violates it")]
    RefutedInvariant {
        /// Its text.
        invariant: String,
        /// Length of the execution to the violating state.
        steps: u32,
    },
    /// A term cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The engine asked for cannot handle the system.
    #[error("the explicit engine does not suit this system: {0}")]
    Unsuited(String),
    /// Simulation was asked for with a strategy that asks for distances.
    #[error(
        "simulation answers no questions about distances: `--engine simulate` goes with `--strategy exact`"
    )]
    SimulationAnswersNothing,
    /// Two parts of this tool disagree: a defect of the tool.
    #[error("self-check failed: {0}")]
    SelfCheck(String),
}
