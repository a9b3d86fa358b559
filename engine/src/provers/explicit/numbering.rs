//! Rows of words, each numbered when it first comes: the states and the sets of labels of the
//! explicit engine.
//!
//! The rows lie in one buffer, and the hash table holds nothing but their numbers (open addressing,
//! linear probing, at most half full): millions of states cost 8 to 16 bytes each beside their own
//! bits.

use std::hash::Hasher;

/// Number that stands for a free slot.
const FREE: u32 = u32::MAX;

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    width: usize,
    rows: Vec<u64>,
    count: usize,
    slots: Vec<u32>,
}

impl Numbering {
    /// For rows of so many words.
    pub(crate) fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), count: 0, slots: vec![FREE; 64] }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The row of a number.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.rows[number as usize * self.width..][..self.width]
    }

    /// The number of a row, if it has one.
    pub(crate) fn number(&self, row: &[u64]) -> Option<u32> {
        Some(self.slots[self.slot(row)]).filter(|&number| number != FREE)
    }

    /// The number of a row, a new one if it has none.
    pub(crate) fn intern(&mut self, row: &[u64]) -> u32 {
        let slot = self.slot(row);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        let number = self.count as u32;
        self.rows.extend_from_slice(row);
        self.count += 1;
        self.slots[slot] = number;
        if 2 * self.count > self.slots.len() {
            self.enlarge();
        }
        number
    }

    /// Where the row is or would be.
    fn slot(&self, row: &[u64]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(row) as usize & mask;
        while self.slots[slot] != FREE && self.row(self.slots[slot]) != row {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn enlarge(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for number in 0..self.count as u32 {
            let slot = self.slot(self.row(number));
            self.slots[slot] = number;
        }
    }
}

fn hash(row: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    row.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_numbers() {
        let mut numbering = Numbering::new(2);
        let row = |value: u64| [value.wrapping_mul(0x9E37_79B9), value % 3];
        for value in 0..1000 {
            assert_eq!(numbering.number(&row(value)), None);
            assert_eq!(numbering.intern(&row(value)), value as u32);
        }
        for value in 0..1000 {
            assert_eq!(numbering.intern(&row(value)), value as u32);
            assert_eq!(numbering.row(value as u32), row(value));
        }
        assert_eq!(numbering.len(), 1000);
    }

    #[test]
    fn rows_without_words_are_one_row() {
        let mut numbering = Numbering::new(0);
        assert_eq!((numbering.number(&[]), numbering.intern(&[]), numbering.intern(&[])), (None, 0, 0));
        assert_eq!(numbering.len(), 1);
    }
}
