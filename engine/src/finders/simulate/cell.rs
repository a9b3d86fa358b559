//! Cells: what goals and guards see of a state. See [`archive`](super::archive).

use crate::step::code::Program;
use model::sort::Sort;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What changes in more than 1 step in so many says nothing about progress.
const NOISE: u64 = 4;

/// Which atoms and words make a cell.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    /// Atoms that count, in packed words.
    pub(crate) quiet: Vec<u32>,
    words: Vec<bool>,
    sorts: Vec<Sort>,
}

impl Features {
    /// All of them.
    pub(crate) fn all(program: &Program) -> Self {
        Self {
            quiet: vec![u32::MAX; program.packed_atoms.len()],
            words: vec![true; program.states],
            sorts: program.state_sorts.clone(),
        }
    }
    /// The cell of a state.
    pub(crate) fn cell(&self, state: &[u64], atoms: &[u32]) -> u64 {
        let mut hasher = FxHasher::default();
        for (atoms, quiet) in atoms.iter().zip(&self.quiet) {
            hasher.write_u32(atoms & quiet);
        }
        for ((&word, &sort), _) in
            state.iter().zip(&self.sorts).zip(&self.words).filter(|(_, counts)| **counts)
        {
            hasher.write_u8(size(word, sort));
        }
        hasher.finish()
    }
}

/// The size of a word: small numbers are told apart, larger ones by sign and number of bits; floats
/// by sign and exponent.
fn size(word: u64, sort: Sort) -> u8 {
    match sort {
        Sort::Word(width) => {
            let negative = width > 4 && word >> (width - 1) & 1 == 1;
            let amount = if negative { (!word).wrapping_add(1) & sort.mask() as u64 } else { word };
            let size = if amount < 4 { amount as u8 } else { 2 + (64 - amount.leading_zeros()) as u8 };
            size | u8::from(negative) << 7
        }
        Sort::Float(format) => {
            let exponent = word >> format.fraction_bits();
            ((exponent & 0x7f) as u8) | ((word >> (format.width() - 1)) as u8) << 7
        }
    }
}

/// Counts changes under held inputs, to find out which features are noise.
pub(crate) struct Census {
    features: Features,
    atoms: Vec<[u64; 32]>,
    words: Vec<u64>,
    steps: u64,
}

impl Census {
    pub(crate) fn new(program: &Program) -> Self {
        let features = Features::all(program);
        Self {
            atoms: vec![[0; 32]; features.quiet.len()],
            words: vec![0; features.words.len()],
            features,
            steps: 0,
        }
    }
    /// Counts one step.
    pub(crate) fn count(&mut self, before: (&[u64], &[u32]), after: (&[u64], &[u32])) {
        self.steps += 1;
        for (counts, (before, after)) in self.atoms.iter_mut().zip(before.1.iter().zip(after.1)) {
            let changed = before ^ after;
            (0..32).filter(|bit| changed >> bit & 1 == 1).for_each(|bit| counts[bit] += 1);
        }
        let words = before.0.iter().zip(after.0).zip(&self.features.sorts);
        for (count, ((&before, &after), &sort)) in self.words.iter_mut().zip(words) {
            *count += u64::from(size(before, sort) != size(after, sort));
        }
    }
    /// The features that are no noise.
    pub(crate) fn features(self) -> Features {
        let mut features = self.features;
        let is_noise = |count: u64| count * NOISE > self.steps;
        for (quiet, counts) in features.quiet.iter_mut().zip(&self.atoms) {
            (0..32).filter(|&bit| is_noise(counts[bit])).for_each(|bit| *quiet &= !(1 << bit));
        }
        for (counts, &changes) in features.words.iter_mut().zip(&self.words) {
            *counts = !is_noise(changes);
        }
        features
    }
}
