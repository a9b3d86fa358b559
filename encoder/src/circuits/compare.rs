//! Comparison of words.

use crate::bits::BitBuilder;
use crate::circuits::logic;

/// Whether the words have equal bits.
pub fn equal<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let equal = logic::bitwise(bits, lhs, rhs, |bits, lhs, rhs| bits.equal(lhs, rhs));
    bits.all(&equal)
}

/// Whether all bits are zero.
pub fn is_zero<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> B::Bit {
    let some = bits.any(word);
    bits.not(some)
}

/// `lhs < rhs` as unsigned numbers: the borrow of the subtraction.
pub fn unsigned_less<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let start = bits.constant(false);
    borrow(bits, lhs, rhs, start)
}

/// `lhs <= rhs` as unsigned numbers.
pub fn unsigned_less_equal<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let greater = unsigned_less(bits, rhs, lhs);
    bits.not(greater)
}

/// `lhs < rhs` in two's complement: as for unsigned numbers with the sign bits exchanged.
pub fn signed_less<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let (mut low, mut high) = (lhs.to_vec(), rhs.to_vec());
    if let (Some(lhs), Some(rhs)) = (low.last_mut(), high.last_mut()) {
        std::mem::swap(lhs, rhs);
    }
    unsigned_less(bits, &low, &high)
}

/// `lhs <= rhs` in two's complement.
pub fn signed_less_equal<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let greater = signed_less(bits, rhs, lhs);
    bits.not(greater)
}

/// The borrow of `lhs - rhs - start` out of the top bit.
fn borrow<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit], start: B::Bit) -> B::Bit {
    assert_eq!(lhs.len(), rhs.len(), "operands should have equal widths");
    lhs.iter().zip(rhs).fold(start, |borrow, (&lhs, &rhs)| {
        let complement = bits.not(lhs);
        bits.majority(complement, rhs, borrow)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::testing::{check_binary, signed};

    #[test]
    fn comparisons() {
        check_binary!(|bits, a, b| vec![equal(bits, a, b)], |_, a, b| u128::from(a == b));
        check_binary!(|bits, a, _| vec![is_zero(bits, a)], |_, a, _| u128::from(a == 0));
        check_binary!(|bits, a, b| vec![unsigned_less(bits, a, b)], |_, a, b| u128::from(a < b));
        check_binary!(|bits, a, b| vec![unsigned_less_equal(bits, a, b)], |_, a, b| u128::from(a <= b));
        check_binary!(|bits, a, b| vec![signed_less(bits, a, b)], |width, a, b| u128::from(
            signed(width, a) < signed(width, b)
        ),);
        check_binary!(|bits, a, b| vec![signed_less_equal(bits, a, b)], |width, a, b| u128::from(
            signed(width, a) <= signed(width, b)
        ),);
    }
}
