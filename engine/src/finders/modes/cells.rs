//! States by the combination of modes that they are in.

use crate::finders::landmarks::system::Discrete;
use crate::finders::simulate::archive::Hold;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use model::id::Id;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Steps in a row in which a word changes under held inputs, after which it counts time.
pub(super) const IN_A_ROW: usize = 4;
/// Most values of all kept states together.
const MOST_VALUES: usize = 8_000_000;
/// Most entries.
const MOST_ENTRIES: usize = 200_000;
/// Entries of one cell at most.
const MOST_OF_CELL: usize = 24;
/// A way is much shorter than another that has at most this share of its steps.
const MUCH_SHORTER: (u64, u64) = (3, 4);
/// Tries that make an entry no less worth picking than one with fewer of them.
const EQUAL_TRIES: u32 = 4;
/// Cells that are compared when one is picked, of each kind.
const CANDIDATES: usize = 3;
/// Newest cells, one of which is a candidate.
const NEWEST: usize = 16;

/// From one entry to the next one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// Inputs were held.
    Hold(Hold),
    /// The swing of this number, for so many periods.
    Swing(u32, u64),
    /// The inputs of this number, one after the other.
    Path(u32),
}

/// A state that was reached, and how.
pub(super) struct Entry {
    pub(super) state: Box<[u64]>,
    /// Number of the beginning.
    pub(super) root: u32,
    /// The entry it was reached from, and how; `None` for a beginning.
    pub(super) parent: Option<(u32, Way)>,
    /// Steps of the whole way.
    pub(super) length: u64,
    /// Windows of goals under way: vertex, and the transition that comes next.
    pub(super) active: Box<[(Vertex, usize)]>,
}

impl Entry {
    /// A beginning.
    pub(super) fn root(state: Box<[u64]>, root: u32, length: u64) -> Self {
        Self { state, root, parent: None, length, active: Box::default() }
    }
    /// What has led to it last.
    pub(super) fn last(&self) -> Option<Way> {
        self.parent.map(|(_, way)| way)
    }
}

/// The values of all words that tell modes.
pub(super) type Key = Box<[u64]>;

/// Where a state belongs.
pub(super) struct Place {
    /// Its combination of modes.
    pub(super) cell: Key,
    /// What tells it from other states of the cell.
    same: u64,
}

impl Place {
    /// Says where a state of this cell belongs that has these truths of atoms and these windows under
    /// way.
    pub(super) fn new(cell: Key, atoms: &[u32], active: &[(Vertex, usize)]) -> Self {
        let same = hash(&(&cell, atoms, active));
        Self { cell, same }
    }
}

#[derive(Default)]
struct Cell {
    entries: Vec<u32>,
    tries: u32,
}

/// See the module text.
pub(super) struct Cells {
    /// Position of each word that tells modes, up to where its values matter, and whether it counts
    /// time and is left out.
    words: Vec<(usize, u64, bool)>,
    entries: Vec<Entry>,
    /// Tries by entry.
    tries: Vec<u32>,
    most: usize,
    cells: Vec<Cell>,
    numbers: FxHashMap<Key, u32>,
    /// The shortest entry of each cell with the same truths of atoms.
    known: FxHashMap<u64, u32>,
    /// Entries and inputs that were tried.
    tried: FxHashSet<u64>,
    /// By word that tells modes and its value: the cells that have it.
    having: FxHashMap<(usize, u64), Vec<u32>>,
    /// The keys of `having`, in the order in which they were met.
    values: Vec<(usize, u64)>,
}

impl Cells {
    pub(super) fn new(words: &[Discrete], states: usize) -> Self {
        let words = words.iter().map(|one| (one.word.index(), one.most.unwrap_or(u64::MAX), false));
        Self {
            words: words.collect(),
            entries: Vec::new(),
            tries: Vec::new(),
            most: (MOST_VALUES / states.max(1)).clamp(64, MOST_ENTRIES),
            cells: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            tried: FxHashSet::default(),
            having: FxHashMap::default(),
            values: Vec::new(),
        }
    }

    /// Whether no word tells modes.
    pub(super) fn has_no_modes(&self) -> bool {
        self.words.is_empty()
    }
    /// Number of combinations.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }
    /// Number of states.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }
    pub(super) fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize]
    }

    /// The combination of modes in a state.
    pub(super) fn key(&self, state: &[u64]) -> Key {
        self.words
            .iter()
            .map(|&(word, most, is_timer)| if is_timer { 0 } else { state[word].min(most) })
            .collect()
    }

    /// Whether a way of that length to a place is worth entering: none is known, or it is much longer,
    /// and there are not too many.
    pub(super) fn wants(&self, place: &Place, length: u64) -> bool {
        let known = self.known.get(&place.same).map(|&known| self.entry(known).length);
        let is_shorter = |known: u64| length * MUCH_SHORTER.1 <= known * MUCH_SHORTER.0;
        self.entries.len() < self.most && known.is_none_or(is_shorter)
    }

    /// Enters a state, in place of the one that is known there.
    pub(super) fn enter(&mut self, entry: Entry, place: Place) -> u32 {
        if let Some(&cell) = self.numbers.get(&place.cell) {
            if let Some(known) = self.known.get(&place.same) {
                self.cells[cell as usize].entries.retain(|other| other != known);
            }
            self.make_room(cell);
        }
        let number = self.entries.len() as u32;
        self.entries.push(entry);
        self.tries.push(0);
        self.sort(number, place);
        number
    }

    /// Takes the entry that was tried most out of a cell that is full.
    fn make_room(&mut self, cell: u32) {
        let entries = &mut self.cells[cell as usize].entries;
        if entries.len() >= MOST_OF_CELL {
            let most = (0..entries.len()).max_by_key(|&position| self.tries[entries[position] as usize]);
            most.map(|position| entries.remove(position));
        }
    }

    /// Puts an entry into its place.
    fn sort(&mut self, number: u32, place: Place) {
        self.known.insert(place.same, number);
        let cell = match self.numbers.get(&place.cell) {
            Some(&cell) => cell,
            None => {
                let cell = self.cells.len() as u32;
                for value in place.cell.iter().copied().enumerate() {
                    let having = self.having.entry(value).or_default();
                    if having.is_empty() {
                        self.values.push(value);
                    }
                    having.push(cell);
                }
                self.cells.push(Cell::default());
                self.numbers.insert(place.cell, cell);
                cell
            }
        };
        self.cells[cell as usize].entries.push(number);
    }

    /// Whether these inputs were not tried from an entry yet; they are then.
    pub(super) fn tries(&mut self, entry: u32, inputs: &impl Hash) -> bool {
        self.tried.insert(hash(&(entry, inputs)))
    }

    /// From the states of steps in a row under held inputs: notes words that changed in each. Those
    /// that were not known to count time.
    pub(super) fn note_timers(&mut self, states: &[Vec<u64>]) -> Vec<usize> {
        let mut news = Vec::new();
        for (word, most, is_timer) in &mut self.words {
            let counts = *most < u64::MAX && states.windows(2).all(|pair| pair[0][*word] != pair[1][*word]);
            if counts && !*is_timer {
                news.push(*word);
            }
            *is_timer |= counts;
        }
        news
    }

    /// Puts all entries into cells again, after other words tell modes.
    pub(super) fn sort_again(&mut self, mut atoms: impl FnMut(&[u64]) -> Vec<u32>) {
        self.cells.clear();
        self.numbers.clear();
        self.known.clear();
        self.having.clear();
        self.values.clear();
        for number in 0..self.entries.len() {
            let entry = &self.entries[number];
            let place = Place::new(self.key(&entry.state), &atoms(&entry.state), &entry.active);
            let is_shorter = |known: &u32| entry.length < self.entries[*known as usize].length;
            if self.known.get(&place.same).is_none_or(is_shorter) {
                self.sort(number as u32, place);
            }
        }
        for cell in &mut self.cells {
            cell.tries = cell.entries.iter().map(|&entry| self.tries[entry as usize]).sum();
        }
    }

    /// An entry to go on from, of a cell that was tried least among any ones, new ones, and such with
    /// a rare value. `None`: there is none.
    pub(super) fn pick(&mut self, random: &mut Random) -> Option<u32> {
        let count = self.cells.len();
        if count == 0 {
            return None;
        }
        let mut candidates = Vec::with_capacity(3 * CANDIDATES);
        for _ in 0..CANDIDATES {
            candidates.push(random.below(count) as u32);
            candidates.push((count - 1 - random.below(count.min(NEWEST))) as u32);
            let values = (0..CANDIDATES).map(|_| self.values[random.below(self.values.len())]);
            let rarest = values.min_by_key(|value| self.having[value].len());
            if let Some(having) = rarest.map(|value| &self.having[&value]) {
                candidates.push(having[random.below(having.len())]);
            }
        }
        let picked =
            candidates.into_iter().min_by_key(|&cell| (self.cells[cell as usize].tries, u32::MAX - cell))?;
        let cell = &mut self.cells[picked as usize];
        cell.tries += 1;
        let entries = &cell.entries;
        let drawn = (0..CANDIDATES).map(|_| entries[random.below(entries.len())]);
        let rank = |entry: u32| {
            (self.tries[entry as usize] / EQUAL_TRIES, self.entries[entry as usize].length, entry)
        };
        let entry = drawn.min_by_key(|&entry| rank(entry))?;
        self.tries[entry as usize] += 1;
        Some(entry)
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}
