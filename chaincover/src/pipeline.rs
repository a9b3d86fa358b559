//! The way from a validated system to its chains: an ordered list of stages.
//!
//! | stage | hands on |
//! |---|---|
//! | `prepare` | the system with its proven invariants, or why it has no execution |
//! | `graph` | [`ReachGraph`](crate::reach::graph::ReachGraph): bounds on distances |
//! | `order` | plans: orders with a lower bound |
//! | `chain` | candidates: runs the evaluator accepts; what sub-paths truly cost |
//! | `latched` | a closed gap between bound and chain |
//! | `check` | [`Outcome`]: replayed chains, verdicts of the oracles, hazards |

use crate::options::{Options, Strategy};
pub use crate::stats::{Progress, Silent, StageTiming, StopReason};
pub use crate::outcome::{Chain, Expectation, GoalResult, GoalStatus, Minimality, Outcome};
use crate::outcome::assemble;
use crate::problem::{Problem, all_goals};
use crate::reach::graph::ReachGraph;
use crate::stats::{Context, Halt};
use crate::strategy;
use encoder::EncodeError;
use model::validate::Validated;

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The assumptions contradict each other.
    #[error("the assumptions admit no execution at all: {0}")]
    NoExecution(String),
    /// Nothing is to be covered.
    #[error("there are no goals to cover")]
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
    /// Two parts of this tool disagree: a defect of the tool.
    #[error("self-check failed: {0}")]
    SelfCheck(String),
}

/// How far [`reach_graph`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphExtent {
    /// To the first k with a covering path (Algorithm 2 of the paper), or to [`Options::max_k`].
    CoveringPath,
    /// To this k.
    Depth(u32),
}
