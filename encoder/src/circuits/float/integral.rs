//! Rounding to integral floats.
//!
//! The fraction bits below the units are found by a mask made from the exponent, and cleared or, to
//! round away from zero, set and incremented: on the packed magnitude a carry runs into the
//! exponent field by itself.

use super::Layout;
use super::normalise::increment_if;
use super::round::{Special, assemble};
use super::unpack::fields;
use crate::bits::BitBuilder;
use crate::circuits::{add, logic, shift};
use model::term::RoundTo;

/// The float rounded to an integral value; zero results keep the sign.
pub fn round_to_integral<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    word: &[B::Bit],
    to: RoundTo,
) -> Vec<B::Bit> {
    let (fraction, field, sign) = fields(layout, word);
    let bias = bits.constant_word(layout.exponent, layout.bias() as u128);
    let (exponent, reaches_one) = add::subtract_with_order(bits, field, &bias);
    let large = round_large(bits, layout, word, &exponent, to);
    let small = round_small(bits, layout, word, &exponent, to);
    let magnitude = logic::select(bits, reaches_one, &large, &small);
    let (ones, some) = (bits.all(field), bits.any(fraction));
    let nan = bits.and(ones, some);
    let no = bits.constant(false);
    assemble(bits, layout, sign, &magnitude, &Special { nan, infinite: no, zero: no })
}

/// The magnitude where the number is at least 1 in magnitude: its exponent is not negative.
fn round_large<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    word: &[B::Bit],
    exponent: &[B::Bit],
    to: RoundTo,
) -> Vec<B::Bit> {
    let (fraction, field, sign) = fields(layout, word);
    let (yes, no) = (bits.constant(true), bits.constant(false));
    // Bit i is below the units where i < fraction - exponent. Above the mask, clear bits continue
    // it.
    let mut below = shift::right_logical(bits, &vec![yes; layout.fraction], exponent);
    below.push(no);
    let significand = [fraction, &[yes]].concat();
    let mut parts = Parts { odd: no, half: no, less: no };
    let mut unit = bits.not(below[0]);
    for index in 0..=layout.fraction {
        let here = significand[index];
        let odd = bits.and(unit, here);
        parts.odd = bits.or(parts.odd, odd);
        if index < layout.fraction {
            let last = bits.not(below[index + 1]);
            let half = bits.all(&[below[index], last, here]);
            let less = bits.and(below[index + 1], here);
            parts.half = bits.or(parts.half, half);
            parts.less = bits.or(parts.less, less);
            unit = bits.and(below[index], last);
        }
    }
    let away = rounds_away(bits, sign, &parts, to);
    let filled = logic::bitwise(bits, fraction, &below[..layout.fraction], B::or);
    let (sum, _) = increment_if(bits, away, &[&filled, field].concat());
    let kept = logic::not(bits, &below[..layout.fraction]);
    let cleared = logic::bitwise(bits, &sum[..layout.fraction], &kept, B::and);
    [&cleared, &sum[layout.fraction..]].concat()
}

/// The magnitude where the number is below 1 in magnitude: 0 or 1.
fn round_small<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    word: &[B::Bit],
    exponent: &[B::Bit],
    to: RoundTo,
) -> Vec<B::Bit> {
    let (fraction, field, sign) = fields(layout, word);
    let no = bits.constant(false);
    // The exponent is -1 exactly for numbers in [1/2, 1).
    let half = bits.all(exponent);
    let (fraction_set, field_set) = (bits.any(fraction), bits.any(field));
    let nonzero = bits.or(fraction_set, field_set);
    let below_half = bits.not(half);
    let small = bits.and(below_half, nonzero);
    let less = bits.mux(half, fraction_set, small);
    let one = rounds_away(bits, sign, &Parts { odd: no, half, less }, to);
    let pattern = bits.constant_word(layout.magnitude(), (layout.bias() as u128) << layout.fraction);
    logic::masked(bits, &pattern, one)
}

/// What a number has below its units.
struct Parts<Bit> {
    /// Whether the units are odd.
    odd: Bit,
    /// Whether the part is at least one half.
    half: Bit,
    /// Whether there is something besides that half.
    less: Bit,
}

/// Whether the magnitude is rounded up.
fn rounds_away<B: BitBuilder>(bits: &mut B, sign: B::Bit, parts: &Parts<B::Bit>, to: RoundTo) -> B::Bit {
    let some = bits.or(parts.half, parts.less);
    match to {
        RoundTo::NearestEven => {
            let more = bits.or(parts.odd, parts.less);
            bits.and(parts.half, more)
        }
        RoundTo::NearestAway => parts.half,
        RoundTo::Zero => bits.constant(false),
        RoundTo::Up => {
            let positive = bits.not(sign);
            bits.and(positive, some)
        }
        RoundTo::Down => bits.and(sign, some),
    }
}
