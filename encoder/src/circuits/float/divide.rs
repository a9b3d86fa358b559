//! Division: restoring, one quotient bit per row, the remainder as sticky bit.

use super::Layout;
use super::normalise::up;
use super::round::{Special, assemble, round};
use super::unpack::{Unpacked, unpack};
use crate::bits::BitBuilder;
use crate::circuits::{add, logic};

/// IEEE quotient.
pub fn divide<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let (lhs, rhs) = (unpack(bits, layout, lhs), unpack(bits, layout, rhs));
    let (left_exponent, left) = lhs.normalised(bits, layout);
    let (right_exponent, right) = rhs.normalised(bits, layout);
    let quotient = quotient(bits, &left, &right, layout.precision() + 2);
    // The quotient of numbers in [1, 2) is in (1/2, 2): the top bit, of weight 1, may be clear.
    let top = quotient[quotient.len() - 1];
    let moved = up(bits, &quotient, 1);
    let significand = logic::select(bits, top, &quotient, &moved);
    let exponent = add::subtract(bits, &left_exponent, &right_exponent);
    let offset = bits.constant_word(exponent.len(), (layout.bias() - 2) as u128);
    let (room, _) = add::add_with_carry(bits, &exponent, &offset, top);
    let magnitude = round(bits, layout, &room, &significand);
    let sign = bits.xor(lhs.sign, rhs.sign);
    let special = special_quotient(bits, &lhs, &rhs);
    assemble(bits, layout, sign, &magnitude, &special)
}

/// `count` quotient bits of two numbers of which the first is less than twice the second, from
/// weight 1 down, and below them a bit that is set where a remainder is left.
fn quotient<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit], count: usize) -> Vec<B::Bit> {
    let width = lhs.len() + 1;
    let mut rest = logic::resize(bits, lhs, width, false);
    let divisor = logic::resize(bits, rhs, width, false);
    let mut quotient = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let (difference, fits) = add::subtract_with_order(bits, &rest, &divisor);
        let kept = logic::select(bits, fits, &difference, &rest);
        rest = up(bits, &kept, 1);
        quotient.push(fits);
    }
    quotient.push(bits.any(&rest));
    quotient.reverse();
    quotient
}

fn special_quotient<B: BitBuilder>(
    bits: &mut B,
    lhs: &Unpacked<B::Bit>,
    rhs: &Unpacked<B::Bit>,
) -> Special<B::Bit> {
    let zeros = bits.and(lhs.zero, rhs.zero);
    let infinities = bits.and(lhs.infinite, rhs.infinite);
    let nan = bits.any(&[lhs.nan, rhs.nan, zeros, infinities]);
    let infinite = bits.or(lhs.infinite, rhs.zero);
    let zero = bits.or(lhs.zero, rhs.infinite);
    Special { nan, infinite, zero }
}
