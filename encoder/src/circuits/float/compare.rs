//! IEEE comparison: on sign and magnitude, since the patterns of positive floats are ordered as
//! their values.

use super::{Layout, is_nan};
use crate::bits::BitBuilder;
use crate::circuits::compare;

/// IEEE equality: false with a NaN; the zeros are equal.
pub fn equal<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let same = compare::equal(bits, lhs, rhs);
    let zeros = both_zero(bits, layout, lhs, rhs);
    let equal = bits.or(same, zeros);
    let ordered = ordered(bits, layout, lhs, rhs);
    bits.and(ordered, equal)
}

/// IEEE less; false with a NaN.
pub fn less<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let less = signed_magnitude_less(bits, layout, lhs, rhs);
    let zeros = both_zero(bits, layout, lhs, rhs);
    let differ = bits.not(zeros);
    let less = bits.and(less, differ);
    let ordered = ordered(bits, layout, lhs, rhs);
    bits.and(ordered, less)
}

/// IEEE less or equal; false with a NaN.
pub fn less_equal<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let greater = signed_magnitude_less(bits, layout, rhs, lhs);
    let not_greater = bits.not(greater);
    let zeros = both_zero(bits, layout, lhs, rhs);
    let less_equal = bits.or(not_greater, zeros);
    let ordered = ordered(bits, layout, lhs, rhs);
    bits.and(ordered, less_equal)
}

/// Less as numbers of sign and magnitude, where -0 is below +0.
fn signed_magnitude_less<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
) -> B::Bit {
    let (left, left_sign) = (&lhs[..layout.magnitude()], lhs[layout.magnitude()]);
    let (right, right_sign) = (&rhs[..layout.magnitude()], rhs[layout.magnitude()]);
    let smaller = compare::unsigned_less(bits, left, right);
    let larger = compare::unsigned_less(bits, right, left);
    let same_signs = bits.mux(left_sign, larger, smaller);
    let opposite_signs = bits.xor(left_sign, right_sign);
    bits.mux(opposite_signs, left_sign, same_signs)
}

fn both_zero<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let left = compare::is_zero(bits, &lhs[..layout.magnitude()]);
    let right = compare::is_zero(bits, &rhs[..layout.magnitude()]);
    bits.and(left, right)
}

/// Whether neither is a NaN.
fn ordered<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> B::Bit {
    let (left, right) = (is_nan(bits, layout, lhs), is_nan(bits, layout, rhs));
    let unordered = bits.or(left, right);
    bits.not(unordered)
}
