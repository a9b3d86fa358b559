//! A small generator of pseudo-random numbers whose sequence never changes between releases or
//! platforms.
//!
//! Results must be the same for the same seed, so the generator is part of the specification:
//! SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that looks random and depends on nothing but this one.
pub(crate) fn mixed(number: u64) -> u64 {
    finish(number.wrapping_add(STEP))
}

fn finish(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        finish(self.state)
    }

    /// A number in `0..bound`; the bias is below `bound / 2⁶⁴`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
