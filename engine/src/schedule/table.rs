//! The engines, what they are good for, and what their turns cost.

use crate::finders::concatenate::Concatenation;
use crate::finders::concolic::{self, Concolic};
use crate::finders::landmarks::Landmarks;
use crate::finders::modes::ModeSearch;
use crate::finders::pattern_walk::PatternWalk;
use crate::finders::restricted_enumeration::RestrictedEnumeration;
use crate::finders::simulate::annealing::{Annealing, FIRST_TURN};
use crate::finders::simulate::hold::HeldInputs;
use crate::finders::simulation::{LONGER, LOOK, Simulation};
use crate::knowledge::task::Task;
use crate::optimum::enumerated::Enumerated;
use crate::optimum::exact::Optimum;
use crate::optimum::incremental::IncrementalQuery;
use crate::optimum::ranged::RangedBounds;
use crate::options::EngineId;
use crate::provers::exclusion::Exclusion;
use crate::provers::induction::Induction;
use crate::provers::intervals::ReachableRanges;
use crate::provers::localized::Localized;
use crate::schedule::cones::Cones;
use crate::schedule::situation::Situation;
use crate::session::Session;
use crate::turn::{Finder, Prover};

/// An engine that works in turns.
pub(super) enum Engine<'s> {
    Finder(FinderBox<'s>),
    Prover(ProverBox<'s>),
}

/// A finder, which may work beside provers in a thread of its own.
pub(super) type FinderBox<'s> = Box<dyn Finder + Send + 's>;
/// A prover.
pub(super) type ProverBox<'s> = Box<dyn Prover + 's>;

/// What the schedule knows of an engine.
pub struct Row {
    /// Its name.
    pub engine: EngineId,
    /// What it does.
    pub purpose: &'static str,
    /// Whether it may claim; others only offer chains.
    pub proves: bool,
    /// What its turns are counted in.
    pub unit: &'static str,
    /// What its first turns may cost, in that unit; later ones cost more and more.
    pub turns: &'static [u64],
    /// By what factor each later turn costs more.
    pub growth: u64,
    /// Whether it goes on in every round, also where its last turn came to nothing; finders only where
    /// there is a limit of time.
    pub persists: bool,
    /// Whether it keeps to the effort of its turn by itself; conflicts of others are limited for
    /// them.
    pub(super) counts_itself: bool,
    /// Whether what it finds are executions of the program where the step calls the C library:
    /// others leave open what the library gives.
    pub(super) asks_library: bool,
    /// Whether it gets a turn after that of any other engine, where chains are short: where it is
    /// the one that suits, it should not wait for all others.
    pub(super) interleaves: bool,
    /// Whether it works in the lane of the provers, for a finder that does not gain from what the
    /// others have found a moment ago.
    pub(super) beside_provers: bool,
    /// Whether it goes on where its last turn ended, so that a turn at once after one that covered
    /// much is worth it.
    pub(super) goes_on: bool,
    /// Whether a turn makes sense as things are.
    pub(super) suits: fn(&Situation) -> bool,
}

/// So many open goals are looked at by proofs in the first round: of so many, some are mostly
/// impossible for one reason, and finders would look for them in vain.
const MANY_TO_EXCLUDE: usize = 16;

/// The engines in the order of their turns within a round.
pub static ENGINES: &[Row] = &[
    Row {
        engine: EngineId::Enumeration,
        purpose: "all reachable states, and the best chains through them",
        proves: true,
        unit: "states",
        turns: &[100_000, 1_500_000, 3_000_000],
        growth: 1,
        persists: true,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.round == 0 || (now.is_large && (now.round > 1 || !now.is_enough)),
    },
    Row {
        engine: EngineId::Ranges,
        purpose: "goals that no state allows which ranges and small sets of words leave",
        proves: true,
        unit: "evaluated instructions",
        turns: &[1_000_000, 3_000_000, 6_000_000],
        growth: 2,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.round == 0 || now.open > 0,
    },
    Row {
        engine: EngineId::Induction,
        purpose: "goals that no step leads to, whatever the state before it",
        proves: true,
        unit: "conflicts",
        turns: &[4_000],
        growth: 1,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.open > 0,
    },
    Row {
        engine: EngineId::Cones,
        purpose: "goals that depend on a small part of the state, searched in that part alone",
        proves: true,
        unit: "rounds",
        turns: &[2, 4],
        growth: 2,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.round > 0,
    },
    Row {
        engine: EngineId::PatternWalk,
        purpose: "walks that exact distances in parts of the state guide",
        proves: false,
        unit: "walks",
        turns: &[8, 64],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.simulates && now.round > 0,
    },
    Row {
        engine: EngineId::Latched,
        purpose: "one incremental query about the whole chain, with a growing bound",
        proves: true,
        unit: "conflicts",
        turns: &[4_000, 4_000, 8_000, 8_000, 16_000, 16_000, 32_000, 32_000],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: false,
        interleaves: true,
        beside_provers: false,
        goes_on: false,
        suits: |now| {
            now.simulates
                && now.chains == 1
                && !now.seeks_goals
                && (now.round > 1 || (now.round == 1 && now.is_shallow))
        },
    },
    Row {
        engine: EngineId::Concolic,
        purpose: "short ways to goals by queries from states of known chains",
        proves: false,
        unit: "conflicts",
        turns: &[concolic::ALLOWANCE / 4, concolic::ALLOWANCE / 2],
        growth: 2,
        persists: false,
        counts_itself: false,
        asks_library: true,
        interleaves: false,
        beside_provers: false,
        goes_on: true,
        suits: |now| {
            let is_early = now.round == 0 && (now.covers_half_of_many || now.seeks_goals);
            now.simulates && now.open > 0 && !is_early
        },
    },
    Row {
        engine: EngineId::HeldInputs,
        purpose: "goals that occur where inputs are held for long",
        proves: false,
        unit: "evaluated instructions",
        turns: &[500_000_000],
        growth: 2,
        persists: false,
        counts_itself: false,
        asks_library: true,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.simulates && now.round > 0 && now.open > 0,
    },
    Row {
        engine: EngineId::Modes,
        purpose: "ways through new combinations of modes and counts, by held inputs and by queries",
        proves: false,
        unit: "evaluated instructions",
        turns: &[1_000_000_000],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: true,
        interleaves: false,
        beside_provers: false,
        goes_on: true,
        suits: |now| now.simulates && now.round > 0 && now.open > 0,
    },
    Row {
        engine: EngineId::Simulation,
        purpose: "executions under random and solved inputs that cover goals",
        proves: false,
        unit: "evaluated instructions",
        turns: &[LOOK, LONGER / 4],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: true,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| {
            now.simulates
                && match now.round {
                    0 => true,
                    1 => !now.is_enough || now.seeks_goals,
                    2 => now.open > 0 || !now.is_large,
                    _ => now.open > 0,
                }
        },
    },
    Row {
        engine: EngineId::RangedBounds,
        purpose: "bounds of chains from distances that ranges of words tell step by step",
        proves: true,
        unit: "evaluated instructions",
        turns: &[10_000_000, 60_000_000],
        growth: 4,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.chains > 0 && !(now.seeks_goals && now.round > 0),
    },
    Row {
        engine: EngineId::Localization,
        purpose: "goals that a few words next to them prove unreachable or late, whatever all others do",
        proves: true,
        unit: "conflicts",
        turns: &[4_000, 20_000],
        growth: 2,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.open > 0 || (now.round > 0 && now.is_large),
    },
    Row {
        engine: EngineId::Exclusion,
        purpose: "goals that are soon proven unreachable",
        proves: true,
        unit: "conflicts",
        turns: &[15_000],
        growth: 4,
        persists: false,
        counts_itself: true,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| match now.round {
            0 => !now.seeks_goals || now.open == 1 || now.open >= MANY_TO_EXCLUDE,
            _ => now.open > 0,
        },
    },
    Row {
        engine: EngineId::Landmarks,
        purpose: "ways to goals by way of modes, phases and counts that lie before them",
        proves: false,
        unit: "evaluated instructions",
        turns: &[2_000_000_000],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: true,
        goes_on: true,
        suits: |now| now.simulates && now.round > 0 && now.open > 0,
    },
    Row {
        engine: EngineId::Concatenation,
        purpose: "fewer chains, where some can follow others",
        proves: false,
        unit: "evaluated instructions",
        turns: &[60_000_000],
        growth: 2,
        persists: false,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.chains > 1 && !now.seeks_goals,
    },
    Row {
        engine: EngineId::Annealing,
        purpose: "shorter chains by many small changes of their inputs",
        proves: false,
        unit: "evaluated instructions",
        turns: &[FIRST_TURN],
        growth: 2,
        persists: false,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| {
            now.simulates
                && now.chains > 0
                && now.round > 0
                && !now.seeks_goals
                && (!now.is_enough || now.round > 1)
        },
    },
    Row {
        engine: EngineId::RestrictedEnumeration,
        purpose: "the best chains under the inputs of known chains alone",
        proves: false,
        unit: "states",
        turns: &[200_000, 1_200_000],
        growth: 1,
        persists: false,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| now.simulates && now.round > 0 && now.chains > 0 && !now.seeks_goals,
    },
    Row {
        engine: EngineId::Optimum,
        purpose: "distances, the best order, what its paths truly cost, until chain and bound meet",
        proves: true,
        unit: "conflicts",
        turns: &[60_000],
        growth: 2,
        persists: true,
        counts_itself: false,
        asks_library: false,
        interleaves: false,
        beside_provers: false,
        goes_on: false,
        suits: |now| {
            !now.seeks_goals
                && (now.round > 1 || (now.round == 1 && (now.chains > 0 || (now.is_shallow && now.is_large))))
        },
    },
];

/// The engine of a row, which has not worked yet.
pub(super) fn engine<'s>(id: EngineId, task: &'s Task<'s>, session: &'s Session<'s>) -> Engine<'s> {
    match id {
        EngineId::Enumeration => Engine::Prover(Box::new(Enumerated::new(task, session))),
        EngineId::Ranges => Engine::Prover(Box::new(ReachableRanges::new(task))),
        EngineId::RangedBounds => Engine::Prover(Box::new(RangedBounds::new(task))),
        EngineId::Cones => Engine::Prover(Box::new(Cones::new(task))),
        EngineId::PatternWalk => Engine::Finder(Box::new(PatternWalk::new(task))),
        EngineId::Simulation => Engine::Finder(Box::new(Simulation::new(task))),
        EngineId::HeldInputs => Engine::Finder(Box::new(HeldInputs::new(task))),
        EngineId::Concolic => Engine::Finder(Box::new(Concolic::new(task))),
        EngineId::Modes => Engine::Finder(Box::new(ModeSearch::new(task))),
        EngineId::Landmarks => Engine::Finder(Box::new(Landmarks::new(task))),
        EngineId::Localization => Engine::Prover(Box::new(Localized::new(task))),
        EngineId::Induction => Engine::Prover(Box::new(Induction::new(task))),
        EngineId::Exclusion => Engine::Prover(Box::new(Exclusion::new(task))),
        EngineId::Concatenation => Engine::Finder(Box::new(Concatenation::new(task))),
        EngineId::Annealing => Engine::Finder(Box::new(Annealing::new(task))),
        EngineId::RestrictedEnumeration => Engine::Finder(Box::new(RestrictedEnumeration::new(task))),
        EngineId::Latched => Engine::Prover(Box::new(IncrementalQuery::new(task))),
        EngineId::Optimum => Engine::Prover(Box::new(Optimum::new(task, session))),
    }
}
