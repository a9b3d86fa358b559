//! Rivals that make a suite of separate test cases and then throw out what is not needed.
//!
//! Each test case starts in Init, covers one goal or more, and ends in Final. Nothing is claimed of a suite but what the evaluator
//! saw, and the trivial lower bound.

pub(crate) mod bounded;
pub mod cover;
pub(crate) mod random;

use crate::error::EngineError;
use crate::knowledge::chains::{Candidate, cut};
use crate::knowledge::findings::Findings;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::Minimality;
use model::trace::Trace;

/// A test case and the vertices it covers, ascending.
#[derive(Clone, Debug)]
pub(crate) struct TestCase {
    pub(crate) chain: Candidate,
    pub(crate) covers: Vec<usize>,
}

impl TestCase {
    /// The shortest prefix of the trace that still covers these goals and ends in Final.
    pub(crate) fn of(
        problem: &Problem<'_>,
        trace: &Trace,
        goals: &[usize],
    ) -> Result<Option<Self>, EngineError> {
        let chain = cut(problem, trace, goals)?;
        Ok(chain.map(|chain| {
            let covers = problem.vertices().filter(|&vertex| chain.covers(problem.goal(vertex))).collect();
            Self { chain, covers }
        }))
    }
}

/// The findings of a finished suite.
pub(crate) fn findings(problem: &Problem<'_>, suite: Vec<TestCase>, solver: String) -> Findings {
    let longest_window = suite.iter().flat_map(|test| &test.covers).map(|&goal| problem.steps(goal)).max();
    Findings {
        lower_bound: u64::from(longest_window.unwrap_or(0)),
        minimal: if suite.is_empty() { Minimality::Unknown } else { Minimality::Gap },
        chains: suite.into_iter().map(|test| test.chain).collect(),
        ..Findings::nothing(problem, solver)
    }
}
