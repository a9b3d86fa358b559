//! Tiny formats with all operands, against exact arithmetic.
//!
//! The reference computes on `f64`: sums, products and remainders of tiny floats are exact there;
//! quotients and square roots are rounded to 53 bits first, which is harmless, since no such result
//! comes within 2^-50 of the middle between two tiny floats without being that middle. It shares
//! nothing with the reference of the other tests.

use super::testing::{check_on_graphs, check_on_lanes, tuples};
use super::*;
use model::term::RoundTo;

/// 3 exponent and 2 fraction bits: all triples are tried.
const SIX_BITS: Layout = Layout { exponent: 3, fraction: 2 };
/// 4 exponent and 3 fraction bits: all pairs are tried.
const EIGHT_BITS: Layout = Layout { exponent: 4, fraction: 3 };

/// All patterns of a layout.
fn patterns(layout: Layout) -> Vec<u128> {
    (0..1 << layout.width()).collect()
}

fn decode(layout: Layout, word: u128) -> f64 {
    let fraction = (word & ((1 << layout.fraction) - 1)) as f64;
    let field = (word >> layout.fraction & ((1 << layout.exponent) - 1)) as i32;
    let (units, last) = ((1 << layout.fraction) as f64, (1 << layout.exponent) - 1);
    let magnitude = match field {
        0 => fraction / units * scale(layout, 1),
        field if field == last && fraction == 0.0 => f64::INFINITY,
        field if field == last => f64::NAN,
        field => (1.0 + fraction / units) * scale(layout, field),
    };
    if word >> (layout.width() - 1) == 1 { -magnitude } else { magnitude }
}

fn scale(layout: Layout, field: i32) -> f64 {
    2f64.powi(field - layout.bias() as i32)
}

/// The nearest float, ties to even.
fn encode(layout: Layout, number: f64) -> u128 {
    let infinity = ((1 << layout.exponent) - 1) << layout.fraction;
    if number.is_nan() {
        return infinity | 1 << (layout.fraction - 1);
    }
    let sign = u128::from(number.is_sign_negative()) << (layout.width() - 1);
    let magnitude = number.abs();
    // The exponent field of a normal number, but at least 1.
    let field =
        (1..1 << layout.exponent).rev().find(|&field| field == 1 || scale(layout, field) <= magnitude);
    let field = field.expect("there should be a field 1");
    let units = magnitude / scale(layout, field) * (1 << layout.fraction) as f64;
    // With the hidden bit counted as a unit of the field, rounding up carries over by itself.
    let packed = ((field as u128 - 1) << layout.fraction).saturating_add(units.round_ties_even() as u128);
    sign | packed.min(infinity)
}

#[test]
fn the_reference_round_trips() {
    for layout in [SIX_BITS, EIGHT_BITS] {
        for word in patterns(layout) {
            let number = decode(layout, word);
            if !number.is_nan() {
                assert_eq!(encode(layout, number), word);
            }
        }
    }
    let numbers = [0.0, 0.0625, 0.25, 1.0, 14.0, f64::INFINITY];
    assert_eq!(numbers.map(|number| encode(SIX_BITS, number)), [0, 1, 4, 12, 27, 28]);
    let ties = [0.03125, 0.09375, 1.125, 1.375, 14.9, 15.0];
    assert_eq!(ties.map(|number| encode(SIX_BITS, number)), [0, 2, 12, 14, 27, 28]);
}

fn ieee_remainder(lhs: f64, rhs: f64) -> f64 {
    if lhs.is_finite() && rhs.is_infinite() {
        return lhs;
    }
    let rest = lhs - (lhs / rhs).round_ties_even() * rhs;
    if rest == 0.0 { rest.copysign(lhs) } else { rest }
}

macro_rules! check_pairs {
    ($circuit:ident, $reference:expr) => {
        for layout in [SIX_BITS, EIGHT_BITS] {
            let reference = |operands: &[u128]| {
                let reference: fn(f64, f64) -> f64 = $reference;
                encode(layout, reference(decode(layout, operands[0]), decode(layout, operands[1])))
            };
            let pairs = tuples(&patterns(layout), 2);
            let widths = [layout.width(); 2];
            check_on_lanes(
                &widths,
                &pairs,
                |bits, words| $circuit(bits, layout, &words[0], &words[1]),
                reference,
            );
            if layout == SIX_BITS {
                let circuit = |bits: &mut _, words: &[Vec<_>]| $circuit(bits, layout, &words[0], &words[1]);
                check_on_graphs(&widths, &pairs, circuit, reference);
            }
        }
    };
}

#[test]
fn arithmetic() {
    check_pairs!(add, |a, b| a + b);
    check_pairs!(subtract, |a, b| a - b);
    check_pairs!(multiply, |a, b| a * b);
    check_pairs!(divide, |a, b| a / b);
    check_pairs!(fmod, |a, b| a % b);
    check_pairs!(remainder, ieee_remainder);
}

#[test]
fn comparisons() {
    for layout in [SIX_BITS, EIGHT_BITS] {
        let reference = |operands: &[u128]| {
            let (a, b) = (decode(layout, operands[0]), decode(layout, operands[1]));
            u128::from(a == b) | u128::from(a < b) << 1 | u128::from(a <= b) << 2
        };
        let pairs = tuples(&patterns(layout), 2);
        let circuit = |bits: &mut _, words: &[Vec<_>]| {
            let (a, b) = (&words[0], &words[1]);
            vec![equal(bits, layout, a, b), less(bits, layout, a, b), less_equal(bits, layout, a, b)]
        };
        check_on_lanes(&[layout.width(); 2], &pairs, circuit, reference);
    }
}

#[test]
fn fused_products_and_sums() {
    let reference = |operands: &[u128]| {
        let [a, b, c] = [0, 1, 2].map(|index| decode(SIX_BITS, operands[index]));
        encode(SIX_BITS, a * b + c)
    };
    let triples = tuples(&patterns(SIX_BITS), 3);
    let circuit =
        |bits: &mut _, words: &[Vec<_>]| fused_multiply_add(bits, SIX_BITS, &words[0], &words[1], &words[2]);
    check_on_lanes(&[SIX_BITS.width(); 3], &triples, circuit, reference);
    let few: Vec<_> = triples.into_iter().step_by(97).collect();
    let circuit =
        |bits: &mut _, words: &[Vec<_>]| fused_multiply_add(bits, SIX_BITS, &words[0], &words[1], &words[2]);
    check_on_graphs(&[SIX_BITS.width(); 3], &few, circuit, reference);
}

#[test]
fn roots_and_integral_values() {
    for layout in [SIX_BITS, EIGHT_BITS] {
        let all = tuples(&patterns(layout), 1);
        let widths = [layout.width()];
        check_on_lanes(
            &widths,
            &all,
            |bits, words| square_root(bits, layout, &words[0]),
            |operands| encode(layout, decode(layout, operands[0]).sqrt()),
        );
        for to in [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down] {
            let reference = match to {
                RoundTo::NearestEven => f64::round_ties_even,
                RoundTo::NearestAway => f64::round,
                RoundTo::Zero => f64::trunc,
                RoundTo::Up => f64::ceil,
                RoundTo::Down => f64::floor,
            };
            let circuit = |bits: &mut _, words: &[Vec<_>]| round_to_integral(bits, layout, &words[0], to);
            check_on_lanes(&widths, &all, circuit, |operands| {
                encode(layout, reference(decode(layout, operands[0])))
            });
        }
    }
}

#[test]
fn conversions() {
    let single = Layout { exponent: 8, fraction: 23 };
    for (from, to) in [(SIX_BITS, EIGHT_BITS), (EIGHT_BITS, SIX_BITS), (EIGHT_BITS, EIGHT_BITS)] {
        let circuit = |bits: &mut _, words: &[Vec<_>]| convert(bits, from, to, &words[0]);
        check_on_lanes(&[from.width()], &tuples(&patterns(from), 1), circuit, |operands| {
            encode(to, decode(from, operands[0]))
        });
    }
    let widen = |bits: &mut _, words: &[Vec<_>]| convert(bits, EIGHT_BITS, single, &words[0]);
    check_on_lanes(&[EIGHT_BITS.width()], &tuples(&patterns(EIGHT_BITS), 1), widen, |operands| {
        let number = decode(EIGHT_BITS, operands[0]) as f32;
        if number.is_nan() { 0x7FC0_0000 } else { u128::from(number.to_bits()) }
    });
}

#[test]
fn words() {
    for layout in [SIX_BITS, EIGHT_BITS] {
        for width in 1..=10usize {
            let all = tuples(&(0..1 << width).collect::<Vec<_>>(), 1);
            let unsigned = |bits: &mut _, words: &[Vec<_>]| from_unsigned(bits, layout, &words[0]);
            check_on_lanes(&[width], &all, unsigned, |operands| encode(layout, operands[0] as f64));
            let signed = |bits: &mut _, words: &[Vec<_>]| from_signed(bits, layout, &words[0]);
            check_on_lanes(&[width], &all, signed, |operands| {
                let number = (operands[0] << (128 - width)) as i128 >> (128 - width);
                encode(layout, number as f64)
            });
            let back = |bits: &mut _, words: &[Vec<_>]| to_word(bits, layout, width, &words[0]);
            check_on_lanes(&[layout.width()], &tuples(&patterns(layout), 1), back, |operands| {
                let number = decode(layout, operands[0]);
                let integer = if number.is_finite() { number as i128 } else { 0 };
                integer as u128 & ((1 << width) - 1)
            });
        }
    }
}
