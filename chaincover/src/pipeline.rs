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
use crate::outcome::assemble;
pub use crate::outcome::{Chain, Expectation, GoalResult, GoalStatus, Minimality, Outcome};
use crate::problem::{Problem, all_goals};
use crate::reach::bounded::Bounded;
use crate::reach::graph::ReachGraph;
use crate::reach::unfolding::Unfolding;
use crate::stats::{Context, Halt};
pub use crate::stats::{Progress, Silent, StageTiming, StopReason};
use crate::strategy::exact::exact;
use crate::strategy::sweep::sweep;
use crate::strategy::{Findings, monolithic};
use encoder::EncodeError;
use encoder::unroll::Start;
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
    /// The engine asked for cannot handle the system.
    #[error("the explicit engine does not suit this system: {0}")]
    Unsuited(String),
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

/// Finds chains that cover all goals; see the module text.
///
/// # Errors
/// Where there is nothing to search for, or the search is not possible. A limit is no error: the best result so far
/// comes with [`Outcome::stopped`].
pub fn find_chains(
    system: &Validated,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, EngineError> {
    let context = Context::new(options, progress);
    let prepared = context.stage("prepare", || prepare(system, &context));
    let Prepared { problem, notes } = match prepared {
        Ok(prepared) => prepared,
        Err(Halt::Failed(error)) => return Err(error),
        Err(Halt::Stopped(reason)) => return stopped_early(system, reason, &context),
    };
    let (findings, ended) = match options.strategy {
        Strategy::Exact => exact(&problem, &context),
        Strategy::Monolithic => monolithic::run(&problem, &context)?,
    };
    let stopped = match ended {
        Ok(()) => None,
        Err(Halt::Stopped(reason)) => Some(reason),
        Err(Halt::Failed(error)) => return Err(error),
    };
    Ok(assemble(system, &problem, findings, stopped, &context, notes))
}

/// The property reachability graph, by bounded queries. A limit ends the construction early.
///
/// # Errors
/// As for [`find_chains`].
pub fn reach_graph(
    system: &Validated,
    options: &Options,
    progress: &dyn Progress,
    extent: GraphExtent,
) -> Result<ReachGraph, EngineError> {
    let context = Context::new(options, progress);
    let extent = match (extent, options.max_k) {
        (GraphExtent::CoveringPath, Some(limit)) => GraphExtent::Depth(limit),
        (extent, _) => extent,
    };
    let mut graph = Problem::new(system, &all_goals(system), Vec::new()).empty_graph();
    let built = context.stage("prepare", || prepare(system, &context)).and_then(|prepared| {
        let mut oracle = Bounded::new(&prepared.problem, &context)?;
        context.stage("graph", || sweep(&prepared.problem, &mut oracle, &mut graph, extent, &context))
    });
    match built {
        Ok(()) | Err(Halt::Stopped(_)) => Ok(graph),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// What `prepare` hands on.
struct Prepared<'s> {
    problem: Problem<'s>,
    notes: Vec<String>,
}

fn prepare<'s>(system: &'s Validated, context: &Context<'_>) -> Result<Prepared<'s>, Halt> {
    if system.goals.is_empty() {
        return Err(EngineError::NoGoals.into());
    }
    let problem = Problem::new(system, &all_goals(system), Vec::new());
    check_executions(&problem, context)?;
    Ok(Prepared { problem, notes: Vec::new() })
}

/// Fails where the assumptions admit no execution.
fn check_executions(problem: &Problem<'_>, context: &Context<'_>) -> Result<(), Halt> {
    let mut unfolding = Unfolding::new(problem, Start::Initial, context)?;
    let questions = [
        (0, "no initial inputs satisfy the initial assumptions"),
        (1, "no inputs satisfy the assumptions in any initial state"),
    ];
    for (steps, why) in questions {
        let running = unfolding.running(steps)?;
        if !unfolding.ask(context, &[running])? {
            return Err(EngineError::NoExecution(why.to_owned()).into());
        }
    }
    Ok(())
}

/// The outcome of a run that was stopped before it knew anything.
fn stopped_early(
    system: &Validated,
    reason: StopReason,
    context: &Context<'_>,
) -> Result<Outcome, EngineError> {
    let problem = Problem::new(system, &[], Vec::new());
    let findings = Findings::nothing(&problem, String::new());
    Ok(assemble(system, &problem, findings, Some(reason), context, Vec::new()))
}
