//! Chains by simulation: to start from, or to be content with.
//!
//! As an engine of its own simulation claims nothing but what it shows: goals that occur, chains that run. It stands beside the engines
//! that prove.

use crate::chain::check::Candidate;
use crate::outcome::Minimality;
use crate::problem::Problem;
use crate::reach::initial::initial_states;
use crate::reach::simulate::chains::chains;
use crate::reach::simulate::search::Budget;
use crate::stats::{Context, Halt};
use crate::strategy::Findings;

/// Most initial states that are simulated from.
const INITIAL_STATES: usize = 64;

/// What simulation may cost where it soon finds short chains that cover everything.
const LOOK: Budget = Budget { total: 200_000_000, idle: 100_000_000 };
/// What simulation may cost before another engine is asked.
const FIRST: Budget = Budget { total: 4_000_000_000, idle: 300_000_000 };
/// What it may cost where nothing else is asked.
const ALONE: Budget = Budget { total: 8_000_000_000, idle: 300_000_000 };

/// Chains that cover as many of the goals as simulation can.
pub(crate) fn simulated(
    problem: &Problem<'_>,
    goals: &[usize],
    budget: Budget,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    context.stage("simulate", || {
        let initial = initial_states(problem, INITIAL_STATES, context)?.unwrap_or_default();
        chains(problem, goals, &initial, budget, context)
    })
}

/// Chains to start from, where the states are too many to enumerate at once. Where a look finds chains of at most `shallow` steps
/// that cover everything, other engines do better from there than simulation would.
pub(crate) fn first_chains(
    problem: &Problem<'_>,
    shallow: u32,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let goals: Vec<usize> = problem.vertices().collect();
    let chains = simulated(problem, &goals, LOOK, context)?;
    let is_covered = |&goal: &usize| chains.iter().any(|chain| chain.covers(problem.goal(goal)));
    if goals.iter().all(is_covered) && chains.iter().all(|chain| chain.length() <= shallow) {
        return Ok(chains);
    }
    simulated(problem, &goals, FIRST, context)
}

/// What chains say by themselves.
pub(crate) fn findings(problem: &Problem<'_>, chains: Vec<Candidate>) -> Findings {
    let minimal = if chains.is_empty() { Minimality::Unknown } else { Minimality::Gap };
    Findings { chains, minimal, ..Findings::nothing(problem, String::new()) }
}

/// Simulation alone: no claim of minimality, nothing excluded.
pub(crate) fn run(problem: &Problem<'_>, context: &Context<'_>) -> (Findings, Result<(), Halt>) {
    let mut findings = Findings::nothing(problem, "none: simulation".to_owned());
    let goals: Vec<usize> = problem.vertices().collect();
    match simulated(problem, &goals, ALONE, context) {
        Ok(chains) => {
            findings.chains = chains;
            findings.minimal = Minimality::Unknown;
            (findings, context.check_limits())
        }
        Err(halt) => (findings, Err(halt)),
    }
}
