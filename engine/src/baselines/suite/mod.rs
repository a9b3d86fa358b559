//! Rivals that make a suite of separate test cases and then throw out what is not needed.
//!
//! Each test case starts in Init, covers one goal or more, and ends in Final. Nothing is claimed of
//! a suite but what the evaluator saw, and the trivial lower bound.

pub(crate) mod bounded;
pub mod cover;
pub(crate) mod random;

use crate::error::EngineError;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::{CheckedChain, covered, cut};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use cover::Item;
use model::id::Id;
use model::trace::Trace;

/// A test case and the vertices it covers, ascending.
#[derive(Clone, Debug)]
pub(crate) struct TestCase {
    pub(crate) chain: CheckedChain,
    pub(crate) covers: Vec<Vertex>,
}

impl TestCase {
    /// The shortest prefix of the trace that still covers these goals and ends in Final.
    pub(crate) fn of(task: &Task<'_>, trace: &Trace, goals: &[Vertex]) -> Result<Option<Self>, EngineError> {
        let chain = cut(task, trace, goals)?;
        Ok(chain.map(|chain| {
            let covers = covered(task, [&chain], task.vertices());
            Self { chain, covers }
        }))
    }

    /// What it covers, by the numbers of vertices, and what it costs.
    fn item(&self) -> Item {
        let covers = self.covers.iter().map(|goal| goal.index()).collect();
        Item { covers, cost: u64::from(self.chain.length()) }
    }
}

/// Enters a finished suite, and that its chains are no shorter than the longest window of a goal
/// that they cover.
pub(crate) fn enter(
    task: &Task<'_>,
    known: &mut Knowledge,
    suite: Vec<TestCase>,
    solver: String,
) -> Result<(), EngineError> {
    known.asked(solver);
    let goals = suite.iter().flat_map(|test| test.covers.iter().copied());
    if let Some(goal) = goals.max_by_key(|&goal| task.steps(goal)) {
        known.raise(Bound::new(&[goal], Claim::Steps(u64::from(task.steps(goal)))))?;
    }
    known.offer(suite.into_iter().map(|test| test.chain).collect())?;
    Ok(())
}
