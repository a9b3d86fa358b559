//! Why a search has no outcome, or ended before its goal.

use encoder::EncodeError;
use std::fmt;

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The assumptions contradict each other.
    #[error("the assumptions admit no execution at all: {0}")]
    NoExecution(String),
    /// Nothing is to be covered.
    #[error(
        "there is no goal: write a property function that calls the step function under assumptions, or a [[goal]] in chaincover.toml, or cover the code itself (--coverage decision,mcdc)"
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
    /// A limit was reached in the middle of a computation that has no result of its own.
    #[error("the time is up")]
    Stopped,
    /// Two parts of this tool disagree: a defect of the tool.
    #[error("self-check failed: {0}")]
    SelfCheck(String),
}

/// Why a run ended before its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// [`Options::deadline`](crate::options::Options::deadline) has passed.
    Deadline,
    /// [`Options::stop`](crate::options::Options::stop) was set.
    Interrupted,
    /// More memory is in use than may be.
    Memory,
    /// The effort set aside for one engine is spent; another one goes on.
    Effort,
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Deadline => "the time is up",
            Self::Interrupted => "interrupted",
            Self::Memory => "the memory limit is reached (--memory)",
            Self::Effort => "the effort set aside for it is spent",
        })
    }
}
