//! What executions have reached: one entry for each cell and each set of goals covered on the way
//! there.
//!
//! A *cell* is what goals and guards see of a state: the truths of atoms, and the size of each
//! state word (its value where it is small, else its number of bits). Atoms and words that change
//! all the time say nothing about progress and are left out. Entries hold the shortest way known,
//! as inputs with how long they are held, behind the way to an earlier entry. (After A. Ecoffet, J.
//! Huizinga, J. Lehman, K. O. Stanley, J. Clune, First return, then explore, Nature 590 (2021).)

use super::goals::Goals;
use crate::random_simulation::Random;
use rustc_hash::FxHashMap;

/// Inputs by number, held for so many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    pub(crate) inputs: u32,
    pub(crate) steps: u64,
}

/// What was reached, and how.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) state: Box<[u64]>,
    pub(crate) covered: Goals,
    /// Number of steps from Init.
    pub(crate) length: u64,
    /// The entry that the way goes on from; itself for an initial state.
    pub(crate) parent: u32,
    pub(crate) holds: Box<[Hold]>,
    tries: u32,
    replaced: bool,
}

/// Most entries.
const MOST_ENTRIES: usize = 200_000;
/// Entries that are compared when one is picked.
const CANDIDATES: usize = 4;
/// Draws for candidates before it is given up that any is usable.
const PICKS: usize = 16;
/// Tries that make an entry no less worth picking than one with fewer of them.
const EQUAL_TRIES: u32 = 4;

/// See the module text.
#[derive(Default)]
pub(crate) struct Archive {
    entries: Vec<Entry>,
    known: FxHashMap<(u64, Goals), u32>,
    /// Entries by number of goals covered.
    levels: Vec<Vec<u32>>,
    /// Number of entries beside those of the cells.
    attached: usize,
}

fn is_usable(entry: &Entry, limit: u64) -> bool {
    !entry.replaced && entry.length < limit
}

impl Archive {
    /// An entry.
    pub(crate) fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize]
    }
    /// Number of entries of cells.
    pub(crate) fn cells(&self) -> usize {
        self.entries.len() - self.attached
    }
    /// The most goals that an entry covers.
    pub(crate) fn most_covered(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }
    /// The entry of a cell with these goals covered.
    pub(crate) fn find(&self, cell: u64, covered: Goals) -> Option<(u32, &Entry)> {
        self.known.get(&(cell, covered)).map(|&number| (number, self.entry(number)))
    }

    /// Whether a way of that length would be entered.
    pub(crate) fn wants(&self, cell: u64, covered: Goals, length: u64) -> bool {
        match self.known.get(&(cell, covered)) {
            Some(&number) => length < self.entry(number).length,
            None => self.entries.len() < MOST_ENTRIES || covered.len() > self.most_covered(),
        }
    }

    /// Enters what [`wants`](Self::wants) asked for. An initial state has no parent.
    pub(crate) fn enter(
        &mut self,
        cell: u64,
        state: &[u64],
        covered: Goals,
        length: u64,
        parent: Option<u32>,
        holds: Vec<Hold>,
    ) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push(Entry {
            state: state.into(),
            covered,
            length,
            parent: parent.unwrap_or(number),
            holds: holds.into(),
            tries: 0,
            replaced: false,
        });
        if let Some(shorter) = self.known.insert((cell, covered), number) {
            self.entries[shorter as usize].replaced = true;
        }
        let level = covered.len();
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        self.levels[level].push(number);
        number
    }

    /// An entry beside those of the cells, which [`pick`](Self::pick) does not see. `None`: there
    /// are too many entries.
    pub(crate) fn attach(
        &mut self,
        state: &[u64],
        covered: Goals,
        length: u64,
        parent: u32,
        holds: Vec<Hold>,
    ) -> Option<u32> {
        let number = self.entries.len() as u32;
        if self.entries.len() >= MOST_ENTRIES {
            return None;
        }
        let (state, holds) = (state.into(), holds.into());
        self.entries.push(Entry { state, covered, length, parent, holds, tries: 0, replaced: false });
        self.attached += 1;
        Some(number)
    }

    /// An entry to go on from, shorter than `limit`: mostly one of those that cover most goals, of
    /// a few the one that was tried least; where the search is stuck, any level will do. `None`:
    /// there is none.
    pub(crate) fn pick(&mut self, stuck: bool, limit: u64, random: &mut Random) -> Option<u32> {
        for _ in 0..PICKS {
            let level = self.draw_level(stuck, random)?;
            let level = &self.levels[level];
            let candidates = (0..CANDIDATES).map(|_| level[random.below(level.len())]);
            let entries = &self.entries;
            let usable = |&number: &u32| is_usable(&entries[number as usize], limit);
            let rank = |number: &u32| {
                let entry = &entries[*number as usize];
                (entry.tries / EQUAL_TRIES, entry.length, *number)
            };
            if let Some(picked) = candidates.filter(usable).min_by_key(rank) {
                self.entries[picked as usize].tries += 1;
                return Some(picked);
            }
        }
        None
    }

    /// Whether an entry may be gone on from: none with the same is shorter, and it is within the
    /// limit.
    pub(crate) fn is_usable(&self, number: u32, limit: u64) -> bool {
        is_usable(self.entry(number), limit)
    }

    fn draw_level(&self, stuck: bool, random: &mut Random) -> Option<usize> {
        let levels: Vec<usize> =
            (0..self.levels.len()).rev().filter(|&level| !self.levels[level].is_empty()).collect();
        if levels.is_empty() {
            return None;
        }
        if stuck && random.below(2) == 0 {
            return Some(levels[random.below(levels.len())]);
        }
        let depth = (random.next_word() | 1 << 63).trailing_zeros() as usize;
        Some(levels[depth.min(levels.len() - 1)])
    }

    /// The way to an entry: its initial state's entry, and all holds.
    pub(crate) fn way(&self, number: u32) -> (u32, Vec<Hold>) {
        let (mut at, mut parts) = (number, Vec::new());
        while self.entry(at).parent != at {
            parts.push(&self.entry(at).holds);
            at = self.entry(at).parent;
        }
        let mut holds: Vec<Hold> = Vec::new();
        parts.into_iter().rev().flat_map(|part| part.iter()).for_each(|hold| join(&mut holds, *hold));
        (at, holds)
    }
}

/// Goes on with a hold, as one with the last where the inputs are the same.
pub(crate) fn join(holds: &mut Vec<Hold>, hold: Hold) {
    match holds.last_mut() {
        _ if hold.steps == 0 => {}
        Some(last) if last.inputs == hold.inputs => last.steps += hold.steps,
        _ => holds.push(hold),
    }
}
