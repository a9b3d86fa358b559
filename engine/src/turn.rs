//! What an engine is to the schedule: it works for a turn, and keeps its state until the next one.
//!
//! A [`Finder`] can only offer chains, which the evaluator has run; a [`Prover`] may claim. So
//! "simulation claims nothing" is a matter of types.

use crate::knowledge::chains::CheckedChain;
use crate::knowledge::known::Knowledge;
use crate::session::{Session, Stop};

/// How a turn ended that no limit has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// There is more to do, with more effort.
    Open,
    /// There is nothing to do before better chains are known.
    Idle,
    /// There is nothing that it could do any more.
    Exhausted,
    /// It has done all that there is to do, to the end.
    Complete,
}

/// Chains that a finder offers, in the order in which it found them.
#[derive(Debug, Default)]
pub(crate) struct Found(Vec<Vec<CheckedChain>>);

impl Found {
    /// Offers a set of chains.
    pub(crate) fn offer(&mut self, chains: Vec<CheckedChain>) {
        if !chains.is_empty() {
            self.0.push(chains);
        }
    }
    /// All sets that were offered.
    pub(crate) fn into_sets(self) -> Vec<Vec<CheckedChain>> {
        self.0
    }
}

/// An engine that looks for chains, for as much `work` in its own unit. What it offers before a
/// limit stops it counts.
pub(crate) trait Finder {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop>;
}

/// An engine that raises bounds, excludes goals and offers chains, for as much `work` in its own
/// unit. What is counted in conflicts is limited by the session as well.
pub(crate) trait Prover {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop>;
}
