//! Multiplication: the exact product of normalised significands, rounded once.

use super::Layout;
use super::normalise::up;
use super::round::{Special, assemble, round};
use super::unpack::{Unpacked, unpack};
use crate::bits::BitBuilder;
use crate::circuits::{add, logic, multiply as words};

/// IEEE product.
pub fn multiply<B: BitBuilder>(bits: &mut B, layout: Layout, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let (lhs, rhs) = (unpack(bits, layout, lhs), unpack(bits, layout, rhs));
    let Product { sign, room, significand, special } = product(bits, layout, &lhs, &rhs);
    let magnitude = round(bits, layout, &room, &significand);
    assemble(bits, layout, sign, &magnitude, &special)
}

/// An exact product.
pub(super) struct Product<Bit> {
    pub(super) sign: Bit,
    /// Signed, [`Layout::signed_exponent`] bits.
    pub(super) room: Vec<Bit>,
    /// Twice the precision's bits; the top one is set unless the product is special.
    pub(super) significand: Vec<Bit>,
    pub(super) special: Special<Bit>,
}

/// The exact product of two floats.
pub(super) fn product<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    lhs: &Unpacked<B::Bit>,
    rhs: &Unpacked<B::Bit>,
) -> Product<B::Bit> {
    let (left_exponent, left) = lhs.normalised(bits, layout);
    let (right_exponent, right) = rhs.normalised(bits, layout);
    let width = 2 * layout.precision();
    let (left, right) = (logic::resize(bits, &left, width, false), logic::resize(bits, &right, width, false));
    let product = words::multiply(bits, &left, &right);
    // The product of numbers in [1, 2) is in [1, 4): the top bit, of weight 2, may be clear.
    let top = product[width - 1];
    let moved = up(bits, &product, 1);
    let significand = logic::select(bits, top, &product, &moved);
    let exponent = add::add(bits, &left_exponent, &right_exponent);
    let offset = bits.constant_word(exponent.len(), (-layout.bias() - 1) as u128);
    let (room, _) = add::add_with_carry(bits, &exponent, &offset, top);
    let sign = bits.xor(lhs.sign, rhs.sign);
    Product { sign, room, significand, special: special_product(bits, lhs, rhs) }
}

fn special_product<B: BitBuilder>(
    bits: &mut B,
    lhs: &Unpacked<B::Bit>,
    rhs: &Unpacked<B::Bit>,
) -> Special<B::Bit> {
    let zero = bits.or(lhs.zero, rhs.zero);
    let infinite = bits.or(lhs.infinite, rhs.infinite);
    let invalid = bits.and(zero, infinite);
    let nan = bits.any(&[lhs.nan, rhs.nan, invalid]);
    Special { nan, infinite, zero }
}
