//! Which words the localizations of a goal have.

use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::{states_in, values};
use crate::provers::explicit::Limits;
use crate::provers::part::Part;
use crate::session::Session;
use model::dependencies::Words;
use model::id::Id;
use model::localization::{left_behind, localized};
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use std::collections::{BTreeMap, BTreeSet};

/// Most words of a localization, and most that are told apart.
pub(super) const MOST_WORDS: usize = 3_000;
/// How localizations grow beyond the words that few steps name, one after the other, as reasons may
/// lie further back: which of the words that next values are made of are added, and how often.
pub(super) const RUNGS: [(Behind, usize); 7] = [
    (Behind::Nothing, 0),
    (Behind::Modes, 1),
    (Behind::Modes, usize::MAX),
    (Behind::Words(8), 1),
    (Behind::Words(32), 1),
    (Behind::Words(32), 2),
    (Behind::Words(32), usize::MAX),
];
/// What the enumeration of a localization may cost that is to tell how late a goal is.
pub(super) const ENUMERATED: Limits =
    Limits { states: 200_000, classes: 400, outcomes: true, work: 40_000_000 };
/// Gate evaluations that a state may cost on average.
const WORK_PER_STATE: u64 = 2_000;
/// So many states that are enumerated cost as much as a conflict.
pub(super) const STATES_PER_CONFLICT: u64 = 40;
/// Most states that are enumerated of a localization.
const MOST_STATES: usize = 800_000;
/// Widest word that may be a mode, in bits.
const WIDEST_MODE: u32 = 8;
/// Most values of a mode that simulation has seen.
const MOST_MODES: usize = 12;

/// Which words are added to a localization.
#[derive(Clone, Copy)]
pub(super) enum Behind {
    /// None: the localization has the words that few steps name.
    Nothing,
    /// Narrow words with few values.
    Modes,
    /// Integers of at most so many bits.
    Words(u32),
}

/// What is known of the localizations of a goal.
pub(super) struct Localization {
    /// The words that few steps name, and those that each of its localizations has.
    pub(super) words: BTreeSet<StateId>,
    /// They suffice to miss the goal within so many steps.
    pub(super) depth: u32,
    /// A way to the goal was found that takes more steps than words are learned from at once.
    pub(super) is_long: bool,
    /// Whether cubes are wanted of states that are not reached: evidence alone needs them.
    pub(super) wants_cubes: bool,
    /// Words of the localizations that were to be enumerated, and how many states were allowed.
    tried: BTreeMap<Words, usize>,
    /// Positions in [`RUNGS`] of those that may exclude the goal. None are left where the goal may
    /// well be reached.
    pub(super) rungs: Vec<usize>,
}

impl Localization {
    pub(super) fn new(task: &Task<'_>, goal: Vertex) -> Self {
        let words = left_behind(task.system, task.goal(goal)).into_iter().collect();
        Self {
            words,
            depth: 0,
            is_long: false,
            wants_cubes: false,
            tried: BTreeMap::new(),
            rungs: (0..RUNGS.len()).collect(),
        }
    }

    /// What an enumeration of the localization with these words may cost, where so much effort is
    /// left. `None`: not much less was tried before.
    pub(super) fn limits(&mut self, words: &Words, effort: Option<u64>) -> Option<Limits> {
        let allowed = effort.unwrap_or(u64::MAX).saturating_mul(STATES_PER_CONFLICT);
        let states = usize::try_from(allowed).unwrap_or(usize::MAX).min(MOST_STATES);
        let tried = self.tried.entry(words.clone()).or_insert(0);
        if states < *tried + *tried / 2 {
            return None;
        }
        *tried = states;
        Some(Limits { work: states as u64 * WORK_PER_STATE, ..Limits { states, ..ENUMERATED } })
    }

    /// The localization of a rung, and its words. `None`: it is that of the rung before, or has too
    /// many words.
    pub(super) fn part(
        &self,
        rung: usize,
        (task, goal): (&Task<'_>, Vertex),
        modes: &[bool],
    ) -> Option<(Part, Words)> {
        let words = self.grown(rung, task, modes);
        let is_known = rung > 0 && words == self.grown(rung - 1, task, modes);
        if is_known || words.len() > MOST_WORDS {
            return None;
        }
        let ids = [task.goal(goal)];
        Some((Part::new(task, localized(task.system, &words, &ids)?, &ids), words))
    }

    /// The words of a rung.
    fn grown(&self, rung: usize, task: &Task<'_>, modes: &[bool]) -> Words {
        let (behind, times) = RUNGS[rung];
        let system = task.system;
        let is_added = |word: &StateId| match behind {
            Behind::Nothing => false,
            Behind::Modes => modes[word.index()],
            Behind::Words(width) => is_narrow(system, *word, width),
        };
        let mut words = self.words.clone();
        for _ in 0..times {
            let before = words.len();
            let read = words.iter().flat_map(|&word| states_in(system, system.states[word].next));
            let added: Vec<StateId> = read.filter(is_added).collect();
            words.extend(added);
            if words.len() == before {
                break;
            }
        }
        words.into_iter().collect()
    }
}

/// Whether a word is an integer of at most so many bits.
fn is_narrow(system: &TransitionSystem, word: StateId, width: u32) -> bool {
    let sort = system.terms.symbol(system.states[word].symbol).sort;
    matches!(sort, Sort::Word(_)) && sort.width() <= width
}

/// For each word whether it is a mode.
pub(super) fn modes(task: &Task<'_>, session: &Session<'_>) -> Vec<bool> {
    let seen = task.sample(session);
    let is_mode = |word| is_narrow(task.system, word, WIDEST_MODE) && values(word, seen) <= MOST_MODES;
    task.system.states.ids().map(is_mode).collect()
}
