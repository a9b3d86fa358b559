//! Splitting a bit pattern into what arithmetic needs.

use super::Layout;
use super::normalise::normalise;
use crate::bits::BitBuilder;
use crate::circuits::add::subtract;
use crate::circuits::logic;

/// A float in parts.
pub(super) struct Unpacked<Bit> {
    /// The sign bit.
    pub(super) sign: Bit,
    /// The biased exponent, as an unsigned word as wide as the field: the field, but 1 for
    /// subnormal numbers and zero.
    pub(super) exponent: Vec<Bit>,
    /// The significand with its hidden bit on top; clear in subnormal numbers and zero.
    pub(super) significand: Vec<Bit>,
    /// Whether this is a NaN.
    pub(super) nan: Bit,
    /// Whether this is an infinity.
    pub(super) infinite: Bit,
    /// Whether this is a zero.
    pub(super) zero: Bit,
}

/// The parts of a float. Exponent and significand of infinities and NaN mean nothing.
pub(super) fn unpack<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Unpacked<B::Bit> {
    let (fraction, field, sign) = fields(layout, word);
    let hidden = bits.any(field);
    let (ones, some) = (bits.all(field), bits.any(fraction));
    let nan = bits.and(ones, some);
    let no_fraction = bits.not(some);
    let infinite = bits.and(ones, no_fraction);
    let subnormal = bits.not(hidden);
    let zero = bits.and(subnormal, no_fraction);
    let mut exponent = field.to_vec();
    exponent[0] = bits.or(exponent[0], subnormal);
    let significand = [fraction, &[hidden]].concat();
    Unpacked { sign, exponent, significand, nan, infinite, zero }
}

/// Fraction, exponent field and sign.
pub(super) fn fields<Bit: Copy>(layout: Layout, word: &[Bit]) -> (&[Bit], &[Bit], Bit) {
    assert_eq!(word.len(), layout.width(), "a float should have its layout's width");
    let (magnitude, sign) = word.split_at(layout.magnitude());
    let (fraction, field) = magnitude.split_at(layout.fraction);
    (fraction, field, sign[0])
}

impl<Bit: Copy> Unpacked<Bit> {
    /// The biased exponent as a signed word of [`Layout::signed_exponent`] bits, and the
    /// significand with its top bit set, unless the number is zero: subnormal numbers are brought
    /// to the form of normal ones.
    pub(super) fn normalised<B: BitBuilder<Bit = Bit>>(
        &self,
        bits: &mut B,
        layout: Layout,
    ) -> (Vec<Bit>, Vec<Bit>) {
        let width = layout.signed_exponent();
        let (significand, amount) = normalise(bits, &self.significand);
        let exponent = logic::resize(bits, &self.exponent, width, false);
        let amount = logic::resize(bits, &amount, width, false);
        (subtract(bits, &exponent, &amount), significand)
    }
}
