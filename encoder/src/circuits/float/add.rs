//! Addition and subtraction.
//!
//! The operand of smaller magnitude is aligned to the other with three extra bits (guard, round and
//! sticky bit: M. Ercegovac and T. Lang, *Digital Arithmetic*, 2004, chapter 8) and added or
//! subtracted. Subnormal operands need no case: they share the exponent of the smallest normal
//! numbers, and normalising within the room lets subnormal sums come out exactly.

use super::normalise::{normalise_within, pad_below, shift_right_sticky};
use super::round::{Special, assemble, pack};
use super::unpack::unpack;
use super::{Layout, negate};
use crate::bits::BitBuilder;
use crate::circuits::{add as words, compare, logic};

/// Extra bits below the aligned significands.
const EXTRA: usize = 3;

/// IEEE sum.
pub fn add<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let magnitude = layout.magnitude();
    let swap = compare::unsigned_less(bits, &lhs[..magnitude], &rhs[..magnitude]);
    let large = logic::select(bits, swap, rhs, lhs);
    let small = logic::select(bits, swap, lhs, rhs);
    let (large, small) = (unpack(bits, layout, &large), unpack(bits, layout, &small));
    let subtract = bits.xor(large.sign, small.sign);
    let large_number = Scaled { exponent: &large.exponent, significand: &large.significand };
    let small_number = Scaled { exponent: &small.exponent, significand: &small.significand };
    let sum = sum_of_ordered(bits, &large_number, &small_number, subtract);
    let zero = compare::is_zero(bits, &sum);
    // The sum has one bit more on top, so the biased exponent of its top bit is one more than the
    // larger operand's.
    let (significand, room) = normalise_within(bits, &sum, &large.exponent);
    let magnitude = pack(bits, layout, &room, &significand);
    let sign = sign_of_sum(bits, zero, large.sign, small.sign);
    // NaN has the largest magnitude of all, then the infinities.
    let both_infinite = bits.and(large.infinite, small.infinite);
    let opposite = bits.and(both_infinite, subtract);
    let nan = bits.or(large.nan, opposite);
    let special = Special { nan, infinite: large.infinite, zero };
    assemble(bits, layout, sign, &magnitude, &special)
}

/// IEEE difference.
pub fn subtract<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let negated = negate(bits, layout, rhs);
    add(bits, layout, lhs, &negated)
}

/// The number `significand * 2^exponent`, up to a power of two that both operands share.
pub(super) struct Scaled<'a, Bit> {
    pub(super) exponent: &'a [Bit],
    pub(super) significand: &'a [Bit],
}

/// The sum or difference of two numbers of which the first is the larger, with one bit more on top
/// and [`EXTRA`] bits below, the last of them sticky.
///
/// The larger one is normalised, or both have the same exponent: then the bits lost in the sticky
/// one do not matter, because a difference that loses more than one leading bit comes from operands
/// at most one place apart.
pub(super) fn sum_of_ordered<B: BitBuilder>(
    bits: &mut B,
    large: &Scaled<B::Bit>,
    small: &Scaled<B::Bit>,
    subtract: B::Bit,
) -> Vec<B::Bit> {
    let width = large.significand.len() + EXTRA;
    let distance = words::subtract(bits, large.exponent, small.exponent);
    let small = pad_below(bits, small.significand, width);
    let small = shift_right_sticky(bits, &small, &distance);
    let large = pad_below(bits, large.significand, width);
    let (large, small) =
        (logic::resize(bits, &large, width + 1, false), logic::resize(bits, &small, width + 1, false));
    let flipped: Vec<B::Bit> = small.iter().map(|&bit| bits.xor(bit, subtract)).collect();
    words::add_with_carry(bits, &large, &flipped, subtract).0
}

/// A sum has the larger operand's sign; an exact zero is negative only where both operands are.
pub(super) fn sign_of_sum<B: BitBuilder>(
    bits: &mut B,
    zero: B::Bit,
    large_sign: B::Bit,
    small_sign: B::Bit,
) -> B::Bit {
    let both = bits.and(large_sign, small_sign);
    bits.mux(zero, both, large_sign)
}
