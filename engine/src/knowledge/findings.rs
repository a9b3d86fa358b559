//! How chains are found.

use crate::knowledge::chains::Candidate;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::{GoalStatus, Minimality};

/// What a strategy came to, whenever it was stopped.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The chains.
    pub(crate) chains: Vec<Candidate>,
    /// By vertex (0 unused): why a goal is not covered, where that is known.
    pub(crate) statuses: Vec<Option<GoalStatus>>,
    /// Lower bound of the total length.
    pub(crate) lower_bound: u64,
    /// What is known about minimality.
    pub(crate) minimal: Minimality,
    /// What is known about distances.
    pub(crate) graph: Option<ReachGraph>,
    /// Greatest distance asked for.
    pub(crate) depth: u32,
    /// Name of the SAT solver.
    pub(crate) solver: String,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Findings {
    /// Of a search that has not begun.
    pub(crate) fn nothing(problem: &Problem<'_>, solver: String) -> Self {
        Self {
            chains: Vec::new(),
            statuses: vec![None; problem.len() + 1],
            lower_bound: 0,
            minimal: Minimality::Unknown,
            graph: None,
            depth: 0,
            solver,
            notes: Vec::new(),
        }
    }
}

/// Total length.
pub(crate) fn total(chains: &[Candidate]) -> u64 {
    chains.iter().map(|chain| u64::from(chain.length())).sum()
}
