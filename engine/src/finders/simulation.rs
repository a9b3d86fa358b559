//! Chains by simulation: to start from, or to be content with.
//!
//! Simulation claims nothing but what it shows: goals that occur, chains that run.

use crate::finders::simulate::chains::chains;
use crate::finders::simulate::search::Budget;
use crate::knowledge::chains::{CheckedChain, missed};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::initial::initial_states;
use crate::tuning::Constant;
use crate::turn::{Finder, Found, Turn};

/// Most initial states that are simulated from.
pub(super) const INITIAL_STATES: usize = 64;

/// What a first look by simulation costs at most, in evaluated instructions.
pub(crate) const LOOK: u64 = 200_000_000;
/// What longer simulation costs at most at first, in evaluated instructions.
pub(crate) const LONGER: u64 = 4_000_000_000;
/// Simulation may spend 1 in so many of its evaluated instructions without progress.
pub(crate) const IDLE_SHARE: Constant = Constant {
    name: "simulation.idle-share",
    usual: 4,
    unit: "1 in so many",
    purpose: "what share of a turn may pass without progress",
};
/// Evaluated instructions that simulation may spend without progress in any case.
pub(crate) const LEAST_IDLE: Constant = Constant {
    name: "simulation.least-idle",
    usual: 100_000_000,
    unit: "evaluated instructions",
    purpose: "what may pass without progress in any case",
};

/// The budget of a turn.
fn budget(work: u64, session: &Session<'_>) -> Budget {
    let tuning = &session.options.tuning;
    let share = work / tuning.value(&IDLE_SHARE).max(1);
    Budget { total: work, idle: share.max(tuning.value(&LEAST_IDLE)) }
}

/// Simulation that goes on from known chains, and begins anew where that does not help.
pub(crate) struct Simulation<'s> {
    task: &'s Task<'s>,
    turns: u64,
    /// The number of goals that simulation has covered by itself.
    covered: usize,
}

impl<'s> Simulation<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, turns: 0, covered: 0 }
    }
}

impl Finder for Simulation<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let (task, budget) = (self.task, budget(work, session));
        let goals = known.possible_goals();
        let covered = |chains: &[CheckedChain]| goals.len() - missed(task, chains, &goals).len();
        let open = known.open_goals().len();
        // Where other engines have led to goals that simulation missed, it goes on from there.
        let are_others_ahead = self.turns > 1 || known.covered().len() > self.covered;
        let seed = self.turns;
        self.turns += 1;
        if open > 0 && !known.chains().is_empty() && are_others_ahead {
            let longer = continued(task, known.chains().to_vec(), &goals, (budget, seed), session)?;
            self.covered = self.covered.max(covered(&longer));
            found.offer(longer);
            if self.covered == goals.len() {
                return Ok(Turn::Open);
            }
        }
        // Chains that were begun for the wrong goals may lead away from others: once more from the
        // beginning.
        let afresh = continued(task, Vec::new(), &goals, (budget, seed), session)?;
        self.covered = self.covered.max(covered(&afresh));
        found.offer(afresh);
        Ok(Turn::Open)
    }
}

/// Chains that cover as many of the goals as simulation can, going on from chains that are known.
/// The number is added to the seed.
pub(super) fn continued(
    task: &Task<'_>,
    known: Vec<CheckedChain>,
    goals: &[Vertex],
    (budget, seed): (Budget, u64),
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let before = known.clone();
    let found = session.stage("simulate", || {
        let initial = initial_states(task, INITIAL_STATES, session)?.unwrap_or_default();
        chains(task, goals, &initial, known, (budget, seed), session)
    });
    unless_stopped(found, before)
}

/// What was found, or where a limit stopped the search what was known before.
pub(super) fn unless_stopped(
    found: Result<Vec<CheckedChain>, Stop>,
    before: Vec<CheckedChain>,
) -> Result<Vec<CheckedChain>, Stop> {
    match found {
        Err(Stop::Limit(_)) => Ok(before),
        found => found,
    }
}

/// Chains where no other engine is wanted.
pub(crate) fn alone(task: &Task<'_>, session: &Session<'_>) -> Result<Vec<CheckedChain>, Stop> {
    let goals: Vec<Vertex> = task.vertices().collect();
    continued(task, Vec::new(), &goals, (budget(2 * LONGER, session), 0), session)
}
