//! The bit type that circuits are written over.
//!
//! Every circuit of `circuits` is a function generic over a [`BitBuilder`], so one text serves
//! three purposes: over the and-inverter graph it encodes, over [`Plain`] it computes on `bool` and
//! can be tested against arithmetic, and over [`Lanes`] it computes 64 such results at once.
//!
//! A word is a slice of bits, least significant bit first.

use std::fmt::Debug;

/// Makes bits out of bits. `constant`, `not` and `and` suffice; a builder overrides the others
/// where it knows better.
pub trait BitBuilder {
    /// A bit of the circuit.
    type Bit: Copy + Eq + Debug;

    /// The bit that is always `value`.
    fn constant(&mut self, value: bool) -> Self::Bit;
    /// Complement.
    fn not(&mut self, bit: Self::Bit) -> Self::Bit;
    /// Conjunction.
    fn and(&mut self, lhs: Self::Bit, rhs: Self::Bit) -> Self::Bit;
    /// The value of a bit that the builder knows to be constant. Circuits use it only to choose
    /// between equivalent forms; `None` is always a right answer, and the one of [`Plain`] and
    /// [`Lanes`]: they run the general form.
    fn known(&self, _bit: Self::Bit) -> Option<bool> {
        None
    }
    /// Whether a circuit of a commutative operator takes its operands the other way round: where
    /// builders have an order, circuits over equal pairs are the same whatever stands first.
    fn swaps(&self, _lhs: &[Self::Bit], _rhs: &[Self::Bit]) -> bool {
        false
    }
    /// Number of gates made so far; 0 for builders that keep none.
    fn gates(&self) -> usize {
        0
    }

    /// Disjunction.
    fn or(&mut self, lhs: Self::Bit, rhs: Self::Bit) -> Self::Bit {
        let (no_lhs, no_rhs) = (self.not(lhs), self.not(rhs));
        let neither = self.and(no_lhs, no_rhs);
        self.not(neither)
    }
    /// `!lhs | rhs`.
    fn implies(&mut self, lhs: Self::Bit, rhs: Self::Bit) -> Self::Bit {
        let no_rhs = self.not(rhs);
        let violated = self.and(lhs, no_rhs);
        self.not(violated)
    }
    /// Exclusive or.
    fn xor(&mut self, lhs: Self::Bit, rhs: Self::Bit) -> Self::Bit {
        let both = self.and(lhs, rhs);
        let (no_lhs, no_rhs) = (self.not(lhs), self.not(rhs));
        let neither = self.and(no_lhs, no_rhs);
        let (not_both, some) = (self.not(both), self.not(neither));
        self.and(not_both, some)
    }
    /// Whether the bits are equal.
    fn equal(&mut self, lhs: Self::Bit, rhs: Self::Bit) -> Self::Bit {
        let differ = self.xor(lhs, rhs);
        self.not(differ)
    }
    /// `condition ? then : otherwise`.
    fn mux(&mut self, condition: Self::Bit, then: Self::Bit, otherwise: Self::Bit) -> Self::Bit {
        let taken = self.and(condition, then);
        let no_condition = self.not(condition);
        let left = self.and(no_condition, otherwise);
        self.or(taken, left)
    }
    /// Whether at least two of three bits are set.
    fn majority(&mut self, a: Self::Bit, b: Self::Bit, c: Self::Bit) -> Self::Bit {
        self.full_adder(a, b, c).1
    }
    /// Sum and carry of two bits.
    fn half_adder(&mut self, a: Self::Bit, b: Self::Bit) -> (Self::Bit, Self::Bit) {
        (self.xor(a, b), self.and(a, b))
    }
    /// Sum and carry of three bits.
    fn full_adder(&mut self, a: Self::Bit, b: Self::Bit, c: Self::Bit) -> (Self::Bit, Self::Bit) {
        let (partial, first) = self.half_adder(a, b);
        let (sum, second) = self.half_adder(partial, c);
        (sum, self.or(first, second))
    }
    /// Conjunction of all bits, as a balanced tree; true of none.
    fn all(&mut self, bits: &[Self::Bit]) -> Self::Bit {
        balanced(self, bits, true, Self::and)
    }
    /// Disjunction of all bits, as a balanced tree; false of none.
    fn any(&mut self, bits: &[Self::Bit]) -> Self::Bit {
        balanced(self, bits, false, Self::or)
    }
    /// The word of `width` bits that holds `value` modulo 2^width; bits from 128 on are 0.
    fn constant_word(&mut self, width: usize, value: u128) -> Vec<Self::Bit> {
        (0..width).map(|index| self.constant(index < 128 && value >> index & 1 == 1)).collect()
    }
    /// The number that a word holds where the builder knows all its bits.
    fn known_word(&self, word: &[Self::Bit]) -> Option<u128> {
        assert!(word.len() <= 128, "a known word should fit u128");
        word.iter().rev().try_fold(0, |value, &bit| Some(value << 1 | u128::from(self.known(bit)?)))
    }
}

/// Folds neighbours pairwise until one bit is left: depth logarithmic, `bits.len() - 1` operations.
fn balanced<B: BitBuilder + ?Sized>(
    builder: &mut B,
    bits: &[B::Bit],
    neutral: bool,
    mut operation: impl FnMut(&mut B, B::Bit, B::Bit) -> B::Bit,
) -> B::Bit {
    let mut level = bits.to_vec();
    while level.len() > 1 {
        let pairs = level.len() / 2;
        for pair in 0..pairs {
            level[pair] = operation(builder, level[2 * pair], level[2 * pair + 1]);
        }
        if level.len() % 2 == 1 {
            level[pairs] = level[level.len() - 1];
            level.truncate(pairs + 1);
        } else {
            level.truncate(pairs);
        }
    }
    level.first().copied().unwrap_or_else(|| builder.constant(neutral))
}

/// Computes on `bool`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl BitBuilder for Plain {
    type Bit = bool;

    fn constant(&mut self, value: bool) -> bool {
        value
    }
    fn not(&mut self, bit: bool) -> bool {
        !bit
    }
    fn and(&mut self, lhs: bool, rhs: bool) -> bool {
        lhs & rhs
    }
    fn or(&mut self, lhs: bool, rhs: bool) -> bool {
        lhs | rhs
    }
    fn xor(&mut self, lhs: bool, rhs: bool) -> bool {
        lhs ^ rhs
    }
    fn mux(&mut self, condition: bool, then: bool, otherwise: bool) -> bool {
        if condition { then } else { otherwise }
    }
}

impl Plain {
    /// The low `width` bits of a number as a word.
    pub fn word(width: usize, value: u128) -> Vec<bool> {
        Self.constant_word(width, value)
    }
    /// The number that a word of at most 128 bits holds.
    pub fn number(word: &[bool]) -> u128 {
        assert!(word.len() <= 128, "a number should fit u128");
        word.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
    }
}

/// Computes 64 independent results at once: bit `k` of every `u64` belongs to lane `k`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lanes;

impl BitBuilder for Lanes {
    type Bit = u64;

    fn constant(&mut self, value: bool) -> u64 {
        if value { u64::MAX } else { 0 }
    }
    fn not(&mut self, bit: u64) -> u64 {
        !bit
    }
    fn and(&mut self, lhs: u64, rhs: u64) -> u64 {
        lhs & rhs
    }
    fn or(&mut self, lhs: u64, rhs: u64) -> u64 {
        lhs | rhs
    }
    fn xor(&mut self, lhs: u64, rhs: u64) -> u64 {
        lhs ^ rhs
    }
    fn mux(&mut self, condition: u64, then: u64, otherwise: u64) -> u64 {
        condition & then | !condition & otherwise
    }
}

impl Lanes {
    /// The word of `width` bits whose lane `k` holds `numbers[k]`; lanes without a number hold 0.
    ///
    /// # Panics
    /// If there are more than 64 numbers or `width` is above 128.
    pub fn pack(width: usize, numbers: &[u128]) -> Vec<u64> {
        assert!(numbers.len() <= 64 && width <= 128, "numbers should fit the lanes");
        let mut word = vec![0; width];
        for (lane, &number) in numbers.iter().enumerate() {
            for (index, bit) in word.iter_mut().enumerate() {
                *bit |= ((number >> index & 1) as u64) << lane;
            }
        }
        word
    }
    /// The number that a word of at most 128 bits holds in lane `lane`.
    pub fn unpack(word: &[u64], lane: usize) -> u128 {
        assert!(word.len() <= 128, "a number should fit u128");
        word.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit >> lane & 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A builder with nothing but the required operations, to run the provided ones.
    struct Minimal;

    impl BitBuilder for Minimal {
        type Bit = bool;
        fn constant(&mut self, value: bool) -> bool {
            value
        }
        fn not(&mut self, bit: bool) -> bool {
            !bit
        }
        fn and(&mut self, lhs: bool, rhs: bool) -> bool {
            lhs & rhs
        }
    }

    #[test]
    fn provided_operations_equal_their_truth_tables() {
        let bits = &mut Minimal;
        for code in 0..8u8 {
            let (a, b, c) = (code & 1 != 0, code & 2 != 0, code & 4 != 0);
            let ones = u8::from(a) + u8::from(b) + u8::from(c);
            assert_eq!(bits.or(a, b), a | b);
            assert_eq!(bits.implies(a, b), !a | b);
            assert_eq!(bits.xor(a, b), a ^ b);
            assert_eq!(bits.equal(a, b), a == b);
            assert_eq!(bits.mux(a, b, c), if a { b } else { c });
            assert_eq!(bits.majority(a, b, c), ones >= 2);
            assert_eq!(bits.full_adder(a, b, c), (ones % 2 == 1, ones >= 2));
        }
    }

    #[test]
    fn trees_fold_any_number_of_bits() {
        for width in 0..9usize {
            for value in 0..1u128 << width {
                let word = Plain::word(width, value);
                assert_eq!(Plain::number(&word), value);
                assert_eq!(Plain.all(&word), value == (1 << width) - 1);
                assert_eq!(Plain.any(&word), value != 0);
            }
        }
    }

    #[test]
    fn lanes_are_independent() {
        let numbers: Vec<u128> = (0..64).map(|lane| lane * 0x9E37_79B9_7F4A_7C15).collect();
        let word = Lanes::pack(70, &numbers);
        for (lane, &number) in numbers.iter().enumerate() {
            assert_eq!(Lanes::unpack(&word, lane), number % (1 << 70));
        }
    }
}
