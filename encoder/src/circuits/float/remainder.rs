//! The exact remainders: C's `fmod` and IEEE 754's remainder.
//!
//! Both divide bit by bit: with the unbounded exponents of floats a quotient may have as many bits
//! as there are exponents (277 rows for binary32, 2098 for binary64). No shorter exact way is known
//! that is not made of multiplications, which a SAT solver handles worse than a longer chain of
//! subtractions.

use super::Layout;
use super::normalise::{normalise_within, pad_below, up};
use super::round::{Special, assemble, pack};
use super::unpack::{Unpacked, unpack};
use crate::bits::BitBuilder;
use crate::circuits::{add, compare, divide, logic};

/// C's `fmod`: `lhs - n * rhs` for the quotient n rounded towards zero; it has the sign of `lhs`.
pub fn fmod<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let (left, right) = (unpack(bits, layout, lhs), unpack(bits, layout, rhs));
    let (gap, reaches) = add::subtract_with_order(bits, &left.exponent, &right.exponent);
    let dividend = shifted_far(bits, &left.significand, &gap, largest_gap(layout));
    let (_, rest) = divide::rows_of_division(bits, &dividend, &right.significand);
    let result = Remainder { sign: left.sign, rest, reduced: reaches };
    finish(bits, layout, lhs, &left, &right, &result)
}

/// IEEE 754's remainder: `lhs - n * rhs` for the integer n nearest to the quotient, ties to even.
pub fn remainder<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let (left, right) = (unpack(bits, layout, lhs), unpack(bits, layout, rhs));
    // One place more than for `fmod`: a dividend whose exponent is one less may exceed half the
    // divisor.
    let width = layout.exponent + 1;
    let exponent = logic::resize(bits, &left.exponent, width, false);
    let one = bits.constant_word(width, 1);
    let exponent = add::add(bits, &exponent, &one);
    let divisor_exponent = logic::resize(bits, &right.exponent, width, false);
    let (gap, reaches) = add::subtract_with_order(bits, &exponent, &divisor_exponent);
    let dividend = shifted_far(bits, &left.significand, &gap, largest_gap(layout) + 1);
    let doubled = pad_below(bits, &right.significand, layout.precision() + 1);
    let (quotient, rest) = divide::rows_of_division(bits, &dividend, &doubled);

    // Twice the rest against the doubled divisor: the rest against the divisor.
    let half = logic::resize(bits, &right.significand, layout.precision() + 1, false);
    let more = compare::unsigned_less(bits, &half, &rest);
    let tie = compare::equal(bits, &half, &rest);
    let odd_tie = bits.and(tie, quotient[0]);
    let past_half = bits.or(more, odd_tie);
    let complement = add::subtract(bits, &doubled, &rest);
    let rest = logic::select(bits, past_half, &complement, &rest);
    let sign = bits.xor(left.sign, past_half);
    let result = Remainder { sign, rest, reduced: reaches };
    finish(bits, layout, lhs, &left, &right, &result)
}

/// Largest difference of two biased exponents.
fn largest_gap(layout: Layout) -> usize {
    (1 << layout.exponent) - 3
}

/// A word shifted left by an amount of at most `largest` places, without loss. The stages run from
/// the largest distance down, so that the first ones move few bits.
fn shifted_far<B: BitBuilder>(
    bits: &mut B,
    word: &[B::Bit],
    amount: &[B::Bit],
    largest: usize,
) -> Vec<B::Bit> {
    let width = word.len() + largest;
    let mut shifted = logic::resize(bits, word, width, false);
    for (stage, &bit) in amount.iter().enumerate().rev() {
        let distance = (1 << stage).min(width);
        let moved = up(bits, &shifted, distance);
        shifted = logic::select(bits, bit, &moved, &shifted);
    }
    shifted
}

/// A remainder with the divisor's exponent: the top bit of `rest` stands where that of the
/// divisor's significand does.
struct Remainder<Bit> {
    sign: Bit,
    rest: Vec<Bit>,
    /// Whether the dividend was large enough to be reduced; else it is the result.
    reduced: Bit,
}

fn finish<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    lhs: &[B::Bit],
    left: &Unpacked<B::Bit>,
    right: &Unpacked<B::Bit>,
    remainder: &Remainder<B::Bit>,
) -> Vec<B::Bit> {
    let minus_one = bits.constant_word(layout.exponent, u128::MAX);
    let room = add::add(bits, &right.exponent, &minus_one);
    let zero = compare::is_zero(bits, &remainder.rest);
    let (significand, room) = normalise_within(bits, &remainder.rest, &room);
    let magnitude = pack(bits, layout, &room, &significand);
    let no = bits.constant(false);
    let special = Special { nan: no, infinite: no, zero };
    let reduced = assemble(bits, layout, remainder.sign, &magnitude, &special);

    // An infinite divisor has the largest exponent, but its significand means nothing.
    let finite = bits.not(right.infinite);
    let takes = bits.and(remainder.reduced, finite);
    let result = logic::select(bits, takes, &reduced, lhs);
    let nan = bits.any(&[left.nan, left.infinite, right.nan, right.zero]);
    let (magnitude, sign) = result.split_at(layout.magnitude());
    assemble(bits, layout, sign[0], magnitude, &Special { nan, infinite: no, zero: no })
}
