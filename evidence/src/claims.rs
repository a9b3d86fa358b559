//! What `chain.json` claims beyond its chains, as data.
//!
//! Chains are run again; that needs no proof. What needs one is that something does *not* exist: an
//! execution with an unreachable goal, fewer chains, shorter chains.

use report::output::chain_file::{ChainFile, Minimal, RequirementVerdict, Status, VerdictName};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "claim", rename_all = "kebab-case")]
pub enum Claim {
    /// No execution has an occurrence of the goal.
    Unreachable {
        /// Its name.
        goal: String,
    },
    /// No execution covers the goal and ends in Final.
    NoWayToFinal {
        /// Its name.
        goal: String,
    },
    /// No smaller number of chains covers what the chains cover.
    FewestChains {
        /// The number.
        chains: usize,
    },
    /// No so many chains that cover the same goals have fewer steps in all.
    Length {
        /// Number of chains.
        chains: usize,
        /// Number of steps.
        steps: u64,
    },
    /// No chains that cover the same goals cost less, where each chain after the first one costs
    /// `reset` more than its steps.
    Cost {
        /// Price of a further chain.
        reset: u64,
        /// The cost.
        cost: u64,
    },
}

impl Claim {
    /// Whether another claim follows from this one alone.
    pub(crate) fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Length { chains, steps }, Self::Length { chains: as_many, steps: fewer }) => {
                chains == as_many && fewer <= steps
            }
            (Self::FewestChains { chains }, Self::FewestChains { chains: fewer }) => fewer <= chains,
            (Self::Cost { reset, cost }, Self::Cost { reset: same, cost: less }) => {
                reset == same && less <= cost
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { goal } => write!(formatter, "{goal} is unreachable"),
            Self::NoWayToFinal { goal } => write!(formatter, "no execution covers {goal} and ends in Final"),
            Self::FewestChains { chains } => {
                write!(formatter, "fewer than {chains} chains do not cover the goals")
            }
            Self::Length { chains: 1, steps } => {
                write!(formatter, "no chain of less than {steps} steps covers the goals")
            }
            Self::Length { chains, steps } => {
                write!(formatter, "no {chains} chains of less than {steps} steps in all cover the goals")
            }
            Self::Cost { reset, cost } => {
                write!(formatter, "no chains cost less than {cost}, where a further chain costs {reset}")
            }
        }
    }
}

/// The beginning of the reason of a goal without occurrence, as
/// [`GoalStatus::reason`](engine::knowledge::status::GoalStatus::reason) has it.
const NO_OCCURRENCE: &str = "no execution reaches it";

/// The claims of a file, in a fixed order. The names of the goals they are about are those the file
/// calls covered.
pub(crate) fn claims(file: &ChainFile) -> Vec<Claim> {
    let mut claims = Vec::new();
    for goal in file.goals.iter().filter(|goal| goal.status == Status::Unreachable) {
        let never = goal.reason.as_ref().is_some_and(|reason| reason.starts_with(NO_OCCURRENCE));
        let goal = goal.name.clone();
        claims.push(if never { Claim::Unreachable { goal } } else { Claim::NoWayToFinal { goal } });
    }
    let summary = &file.summary;
    let (chains, steps) = (summary.chains, summary.lower_bound);
    match (summary.reset_cost, summary.minimal) {
        _ if chains == 0 => {}
        (Some(reset), Minimal::Proven) => {
            // No evidence shows the greatest of all costs, so one beyond it is not certified.
            let further = reset.saturating_mul(chains as u64 - 1);
            claims.push(Claim::Cost { reset, cost: steps.saturating_add(further) });
        }
        (_, minimal) => {
            if minimal == Minimal::Proven && chains > 1 {
                claims.push(Claim::FewestChains { chains });
            }
            if steps > 0 {
                claims.push(Claim::Length { chains, steps });
            }
        }
    }
    claims
}

/// Name of the goal that a requirement is violated.
pub fn violation_of(requirement: &str) -> String {
    format!("violation of {requirement}")
}

/// Name of the goal that the antecedent of a requirement holds.
pub fn antecedent_of(requirement: &str) -> String {
    format!("antecedent of {requirement}")
}

/// What the verdicts of a file claim not to exist, in their order: violations, and occurrences of
/// antecedents. One that is undecided without a depth says that there is no violation, too.
pub(crate) fn of_verdicts(file: &ChainFile) -> Vec<Claim> {
    let claim = |verdict: &RequirementVerdict| match verdict.verdict {
        VerdictName::Proven => Some(violation_of(&verdict.name)),
        VerdictName::Vacuous => Some(antecedent_of(&verdict.name)),
        VerdictName::Undecided if verdict.depth.is_none() => Some(violation_of(&verdict.name)),
        VerdictName::Violated | VerdictName::Undecided => None,
    };
    file.verdicts.iter().filter_map(claim).map(|goal| Claim::Unreachable { goal }).collect()
}

/// That no execution reaches these goals.
pub(crate) fn unreachable(goals: &[String]) -> Vec<Claim> {
    goals.iter().map(|goal| Claim::Unreachable { goal: goal.clone() }).collect()
}

/// The goals that the chains cover.
pub(crate) fn covered(file: &ChainFile) -> Vec<String> {
    let covered = file.goals.iter().filter(|goal| goal.status == Status::Covered);
    covered.map(|goal| goal.name.clone()).collect()
}
