//! Which goals a tester can force, and which need the system's cooperation: a game of reachability.
//!
//! The tester plans to send a message when a time has passed, or to wait. The others, the system and
//! those who send on uncontrollable channels, choose their events and the times of these; where both
//! could come at one time, the others choose. They may stay silent as long as silence is specified:
//! for ever where no output can come, else until the last time at which an event of theirs can. They also choose data that are unknown at the start, which the tester
//! does not see: a position of the game is the set of states in which the system may be.
//!
//! Two arguments decide:
//! * [`structure`]: the others can avoid the goal by rules that read the states of the text alone.
//!   This holds in dense time and for data of any size.
//! * [`search`]: positions over ticks are enumerated. A tester with a part of his moves who wins
//!   shows that the goal can be forced; only where all moves and positions are known is it said that
//!   he cannot. What is found holds of events at ticks.
//!
//! Input that the specification does not know is none of the others' moves here, and the tester
//! wins nothing by sending any.

mod live;
mod moves;
mod search;
mod structure;

use crate::lower::{Lowered, TimedChain};
use crate::system::{Goal, System, Target};
use spec::typed::Expr;
use spec::value::Value;
use std::collections::BTreeMap;
use std::time::Instant;

/// Whether a goal can be forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// The tester reaches it whatever the others do, where events come at ticks.
    CanBeForced,
    /// The others can prevent it.
    NeedsCooperation {
        /// Whether that is known of events at ticks only; else of dense time.
        over_ticks: bool,
    },
    /// Not known.
    Undecided(Limit),
}

/// Why a game is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Data have too many values.
    Values,
    /// There are too many positions.
    Positions,
    /// The time is up.
    Time,
}

impl Target {
    /// Its condition on data and clocks, where it has one.
    fn condition<'s>(&self, system: &'s System) -> Option<&'s Expr> {
        let Self::Condition(position) = self else { return None };
        match system.goals.get(*position)? {
            Goal::Condition(_, condition, _) => Some(condition),
            _ => None,
        }
    }
}

impl Limit {
    /// In words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Values => "data have too many values to try them all",
            Self::Positions => "the game has too many positions",
            Self::Time => "the time is up",
        }
    }
}

/// What deciding games may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Transitions that are tried, for all goals together.
    pub tries: u64,
    /// Transitions that are tried for one goal, with the same moves of the tester.
    pub tries_at_once: u64,
    /// Positions of one game.
    pub positions: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tries: 1_000_000, tries_at_once: 200_000, positions: 20_000, deadline: None }
    }
}

/// Decides for each target whether it can be forced. `chains` are known to reach some targets:
/// what they send is tried first.
pub fn decide(
    lowered: &Lowered,
    system: &System,
    targets: &[&Target],
    chains: &[TimedChain],
    effort: Effort,
) -> Vec<Force> {
    let hints = sent(system, chains);
    let mut board = moves::Board::new(lowered, system, hints, effort);
    targets
        .iter()
        .map(|target| match structure::can_be_avoided(system, target) {
            true => Force::NeedsCooperation { over_ticks: false },
            false => search::decide(&mut board, target),
        })
        .collect()
}

/// The messages that chains send, by channel.
fn sent(system: &System, chains: &[TimedChain]) -> BTreeMap<usize, Vec<Vec<Value>>> {
    let mut found: BTreeMap<usize, Vec<Vec<Value>>> = BTreeMap::new();
    for event in chains.iter().flat_map(|chain| &chain.events) {
        let known = found.entry(system.edges[event.edge].channel).or_default();
        if !known.contains(&event.received) {
            known.push(event.received.clone());
        }
    }
    found
}
