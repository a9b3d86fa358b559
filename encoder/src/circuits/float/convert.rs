//! Conversions between float formats, and between floats and words.

use super::Layout;
use super::normalise::{normalise, pad_below};
use super::round::{Special, assemble, pack, round};
use super::unpack::{Unpacked, unpack};
use crate::bits::BitBuilder;
use crate::circuits::{add, compare, logic, shift};

/// A float in another format, correctly rounded.
///
/// # Panics
/// If one format has more exponent bits and the other more fraction bits.
pub fn convert<B: BitBuilder>(bits: &mut B, from: Layout, to: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let arg = unpack(bits, from, word);
    let magnitude = if from == to {
        word[..from.magnitude()].to_vec()
    } else if from.exponent < to.exponent {
        assert!(from.fraction <= to.fraction, "a format should extend the other in both fields");
        widened(bits, from, to, &arg)
    } else {
        assert!(from.exponent > to.exponent, "formats should differ in the exponent");
        narrowed(bits, from, to, &arg)
    };
    let special = Special { nan: arg.nan, infinite: arg.infinite, zero: arg.zero };
    assemble(bits, to, arg.sign, &magnitude, &special)
}

/// The magnitude in a larger format, where every number is normal.
fn widened<B: BitBuilder>(bits: &mut B, from: Layout, to: Layout, arg: &Unpacked<B::Bit>) -> Vec<B::Bit> {
    let (exponent, significand) = arg.normalised(bits, from);
    let exponent = logic::resize(bits, &exponent, to.exponent, true);
    let offset = bits.constant_word(to.exponent, (to.bias() - from.bias()) as u128);
    let field = add::add(bits, &exponent, &offset);
    let fraction = pad_below(bits, &significand[..from.fraction], to.fraction);
    [fraction, field].concat()
}

/// The magnitude in a smaller format. Subnormal numbers of the larger one are too small for the
/// other, so the room is negative where the significand has no hidden bit.
fn narrowed<B: BitBuilder>(bits: &mut B, from: Layout, to: Layout, arg: &Unpacked<B::Bit>) -> Vec<B::Bit> {
    let width = from.exponent + 2;
    let exponent = logic::resize(bits, &arg.exponent, width, false);
    let offset = bits.constant_word(width, (to.bias() - from.bias() - 1) as u128);
    let room = add::add(bits, &exponent, &offset);
    round(bits, to, &room, &arg.significand)
}

/// The nearest float of an unsigned word.
pub fn from_unsigned<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let sign = bits.constant(false);
    from_magnitude(bits, layout, sign, word)
}

/// The nearest float of a word in two's complement.
pub fn from_signed<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let sign = *word.last().expect("a word should have a bit");
    let magnitude = add::magnitude(bits, word);
    from_magnitude(bits, layout, sign, &magnitude)
}

fn from_magnitude<B: BitBuilder>(bits: &mut B, layout: Layout, sign: B::Bit, word: &[B::Bit]) -> Vec<B::Bit> {
    let (significand, amount) = normalise(bits, word);
    let top = word.len() as u128 - 1 + layout.bias() as u128 - 1;
    let width = layout.exponent.max((u128::BITS - top.leading_zeros()) as usize);
    let top = bits.constant_word(width, top);
    let amount = logic::resize(bits, &amount, width, false);
    let room = add::subtract(bits, &top, &amount);
    let significand = pad_below(bits, &significand, layout.precision());
    let magnitude = pack(bits, layout, &room, &significand);
    let zero = compare::is_zero(bits, word);
    let no = bits.constant(false);
    assemble(bits, layout, sign, &magnitude, &Special { nan: no, infinite: no, zero })
}

/// The float truncated to an integer, modulo 2^width; 0 of infinities and NaN.
pub fn to_word<B: BitBuilder>(bits: &mut B, layout: Layout, width: usize, word: &[B::Bit]) -> Vec<B::Bit> {
    let arg = unpack(bits, layout, word);
    let bias = bits.constant_word(layout.exponent, layout.bias() as u128);
    let (exponent, reaches_one) = add::subtract_with_order(bits, &arg.exponent, &bias);
    // The significand in fixed point, its fraction bits cut off after the shift.
    let fixed = logic::resize(bits, &arg.significand, layout.fraction + width, false);
    let shifted = shift::left(bits, &fixed, &exponent);
    let magnitude = &shifted[layout.fraction..];
    let signed = add::negate_if(bits, arg.sign, magnitude);
    let special = bits.or(arg.nan, arg.infinite);
    let finite = bits.not(special);
    let kept = bits.and(finite, reaches_one);
    logic::masked(bits, &signed, kept)
}
