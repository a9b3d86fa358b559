//! The long run: each operator on as many operands as asked for, judged by two references that
//! share no code.
//!
//! ```sh
//! FLOAT_SAMPLES=10000000 CARGO_PROFILE_DEV_OPT_LEVEL=3 cargo test -p chaincover-encoder long_run -- --ignored --nocapture
//! ```
//! The circuits (64 operand lists at once), the host's arithmetic (the evaluator) and
//! `rustc_apfloat` must agree on every result: on all pairs of boundary values, then on random
//! operands in chunks with seeds of their own. `FLOAT_OPERATORS` names operators, by the beginnings
//! of their names, where not all are wanted. Each operator prints the number of operand lists.

use super::Layout;
use super::testing::{boundary_values, check_on_lanes, random_samples_of, tuples};
use super::tests::{
    BINARY, FORMATS, SAMPLES, binary_circuit, cancelling, float, random_words, unary_circuit,
    unary_operators, words_to_convert,
};
use super::{from_signed, from_unsigned, fused_multiply_add};
use crate::bits::Lanes;
use model::eval::{apply_binary, apply_fma, apply_unary};
use model::sort::FloatFormat;
use model::term::{BinaryOp, RoundTo, UnaryOp};
use model::value::Value;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// Operand lists made at once.
const CHUNK: usize = 1 << 16;

/// Divides the number of samples of the exact remainders, whose circuits are a hundred times as
/// large.
const HEAVY: usize = 10;

trait Soft: Float + FloatConvert<Single> + FloatConvert<Double> {}
impl Soft for Single {}
impl Soft for Double {}

fn canonical<F: Float>(number: F, format: FloatFormat) -> u128 {
    if number.is_nan() { format.canonical_nan() } else { number.to_bits() }
}

fn soft_binary<F: Soft>(op: BinaryOp, format: FloatFormat, lhs: u128, rhs: u128) -> u128 {
    let (lhs, rhs) = (F::from_bits(lhs), F::from_bits(rhs));
    let nearest = Round::NearestTiesToEven;
    let number = match op {
        BinaryOp::FloatAdd => lhs.add_r(rhs, nearest).value,
        BinaryOp::FloatSub => lhs.sub_r(rhs, nearest).value,
        BinaryOp::FloatMul => lhs.mul_r(rhs, nearest).value,
        BinaryOp::FloatDiv => lhs.div_r(rhs, nearest).value,
        BinaryOp::FloatFmod => lhs.c_fmod(rhs).value,
        BinaryOp::FloatRemainder => lhs.ieee_rem(rhs).value,
        BinaryOp::FloatEq => return u128::from(lhs == rhs),
        BinaryOp::FloatLt => return u128::from(lhs < rhs),
        BinaryOp::FloatLe => return u128::from(lhs <= rhs),
        _ => unreachable!("{op:?} should be a float operator"),
    };
    canonical(number, format)
}

/// `None` where `rustc_apfloat` has no such operator: square roots, and conversions beyond 128
/// bits.
fn soft_unary<F: Soft>(op: UnaryOp, format: FloatFormat, arg: u128) -> Option<u128> {
    let number = F::from_bits(arg);
    Some(match op {
        UnaryOp::FloatNeg => (-number).to_bits(),
        UnaryOp::FloatAbs => number.abs().to_bits(),
        UnaryOp::FloatIsNan => number.is_nan().into(),
        UnaryOp::FloatIsInfinite => number.is_infinite().into(),
        UnaryOp::FloatConvert(FloatFormat::Single) => {
            let single: Single = number.convert(&mut false).value;
            canonical(single, FloatFormat::Single)
        }
        UnaryOp::FloatConvert(FloatFormat::Double) => {
            let double: Double = number.convert(&mut false).value;
            canonical(double, FloatFormat::Double)
        }
        UnaryOp::FloatRound(to) => {
            let round = match to {
                RoundTo::NearestEven => Round::NearestTiesToEven,
                RoundTo::NearestAway => Round::NearestTiesToAway,
                RoundTo::Zero => Round::TowardZero,
                RoundTo::Up => Round::TowardPositive,
                RoundTo::Down => Round::TowardNegative,
            };
            canonical(number.round_to_integral(round).value, format)
        }
        UnaryOp::FloatToUnsigned(width) | UnaryOp::FloatToSigned(width)
            if number.is_finite() && number.ilogb() < 127 =>
        {
            let exact = number.to_i128_r(128, Round::TowardZero, &mut false).value;
            exact as u128 & (u128::MAX >> (128 - u32::from(width)))
        }
        _ => return None,
    })
}

/// The number of random operand lists that is asked for.
fn wanted(name: &str) -> Option<usize> {
    let chosen = std::env::var("FLOAT_OPERATORS").unwrap_or_default();
    let is_chosen = chosen.is_empty() || chosen.split(',').any(|chosen| name.starts_with(chosen));
    let samples =
        std::env::var("FLOAT_SAMPLES").map_or(10 * SAMPLES, |count| count.parse().expect("a number"));
    is_chosen.then_some(samples)
}

/// Random operand lists in chunks, until there are `count`.
fn in_chunks(operands: usize, layout: Layout, count: usize, mut check: impl FnMut(&[Vec<u128>])) {
    let layouts = vec![layout; operands];
    for (seed, start) in (0..count).step_by(CHUNK).enumerate() {
        check(&random_samples_of(&layouts, CHUNK.min(count - start), seed as u64));
    }
}

fn long_binary(op: BinaryOp) {
    let Some(samples) = wanted(&format!("{op:?}")) else { return };
    let is_heavy = matches!(op, BinaryOp::FloatFmod | BinaryOp::FloatRemainder);
    let samples = if is_heavy { samples / HEAVY } else { samples };
    for format in FORMATS {
        let layout = Layout::from(format);
        let reference = |operands: &[u128]| {
            let (lhs, rhs) = (operands[0], operands[1]);
            let hardware = apply_binary(op, float(format, lhs), float(format, rhs)).bits();
            let soft = match format {
                FloatFormat::Single => soft_binary::<Single>(op, format, lhs, rhs),
                FloatFormat::Double => soft_binary::<Double>(op, format, lhs, rhs),
            };
            assert_eq!(hardware, soft, "{op:?} of {lhs:#x} and {rhs:#x}: the references disagree");
            hardware
        };
        let widths = [layout.width(); 2];
        let boundary = tuples(&boundary_values(layout), 2);
        check_on_lanes(&widths, &boundary, binary_circuit(op, layout), reference);
        in_chunks(2, layout, samples, |chunk| {
            check_on_lanes(&widths, chunk, binary_circuit(op, layout), reference);
        });
        println!("{op:?} {format:?}: {} boundary pairs, {samples} random pairs", boundary.len());
    }
}

fn long_unary(op: UnaryOp) {
    let Some(samples) = wanted(&format!("{op:?}")) else { return };
    for format in FORMATS {
        let layout = Layout::from(format);
        let reference = |operands: &[u128]| {
            let hardware = apply_unary(op, float(format, operands[0])).bits();
            let soft = match format {
                FloatFormat::Single => soft_unary::<Single>(op, format, operands[0]),
                FloatFormat::Double => soft_unary::<Double>(op, format, operands[0]),
            };
            let soft = soft.unwrap_or(hardware);
            assert_eq!(hardware, soft, "{op:?} of {:#x}: the references disagree", operands[0]);
            hardware
        };
        let boundary = tuples(&boundary_values(layout), 1);
        check_on_lanes(&[layout.width()], &boundary, unary_circuit(op, layout), reference);
        in_chunks(1, layout, samples, |chunk| {
            check_on_lanes(&[layout.width()], chunk, unary_circuit(op, layout), reference);
        });
        println!("{op:?} {format:?}: {} boundary values, {samples} random values", boundary.len());
    }
}

fn long_fused() {
    let Some(samples) = wanted("FloatFma") else { return };
    for format in FORMATS {
        let layout = Layout::from(format);
        let circuit = |bits: &mut Lanes, words: &[Vec<u64>]| {
            fused_multiply_add(bits, layout, &words[0], &words[1], &words[2])
        };
        let reference = |operands: &[u128]| {
            let [a, b, c] = [0, 1, 2].map(|index| float(format, operands[index]));
            let hardware = apply_fma(a, b, c).bits();
            let soft = match format {
                FloatFormat::Single => soft_fused::<Single>(format, operands),
                FloatFormat::Double => soft_fused::<Double>(format, operands),
            };
            assert_eq!(hardware, soft, "fma of {operands:#x?}: the references disagree");
            hardware
        };
        let widths = [layout.width(); 3];
        let boundary = boundary_values(layout);
        let pairs = tuples(&boundary, 2);
        for &first in &boundary {
            let triples: Vec<Vec<u128>> = pairs.iter().map(|pair| vec![first, pair[0], pair[1]]).collect();
            check_on_lanes(&widths, &triples, circuit, reference);
        }
        in_chunks(3, layout, samples, |chunk| {
            check_on_lanes(&widths, chunk, circuit, reference);
            check_on_lanes(&widths, &cancelling(chunk, format), circuit, reference);
        });
        println!(
            "FloatFma {format:?}: {} boundary triples, {} random triples",
            boundary.len().pow(3),
            2 * samples
        );
    }
}

fn soft_fused<F: Soft>(format: FloatFormat, operands: &[u128]) -> u128 {
    let [a, b, c] = [0, 1, 2].map(|index| F::from_bits(operands[index]));
    canonical(a.mul_add(b, c).value, format)
}

fn long_from_words() {
    let Some(samples) = wanted("FloatFrom") else { return };
    for format in FORMATS {
        let layout = Layout::from(format);
        for (width, signed) in [8, 16, 32, 64].into_iter().flat_map(|width| [(width, false), (width, true)]) {
            let reference = |operands: &[u128]| {
                let value = Value::word(width, operands[0]);
                let op = if signed {
                    UnaryOp::FloatFromSigned(format)
                } else {
                    UnaryOp::FloatFromUnsigned(format)
                };
                let hardware = apply_unary(op, value).bits();
                let soft = match (format, signed) {
                    (FloatFormat::Single, false) => Single::from_u128(value.bits()).value.to_bits(),
                    (FloatFormat::Single, true) => Single::from_i128(value.signed()).value.to_bits(),
                    (FloatFormat::Double, false) => Double::from_u128(value.bits()).value.to_bits(),
                    (FloatFormat::Double, true) => Double::from_i128(value.signed()).value.to_bits(),
                };
                assert_eq!(hardware, soft, "{op:?} of {value:?}: the references disagree");
                hardware
            };
            let circuit = |bits: &mut Lanes, words: &[Vec<u64>]| match signed {
                false => from_unsigned(bits, layout, &words[0]),
                true => from_signed(bits, layout, &words[0]),
            };
            let mut words = words_to_convert(width);
            words.extend(random_words(width, samples));
            for chunk in words.chunks(CHUNK) {
                let chunk: Vec<Vec<u128>> = chunk.iter().map(|&word| vec![word]).collect();
                check_on_lanes(&[width as usize], &chunk, circuit, reference);
            }
            let kind = if signed { "signed" } else { "unsigned" };
            println!("{kind} {width} bits to {format:?}: {} words", words.len());
        }
    }
}

#[test]
#[ignore = "takes as long as asked for"]
fn long_run() {
    BINARY.iter().for_each(|&op| long_binary(op));
    unary_operators().into_iter().for_each(long_unary);
    long_fused();
    long_from_words();
}
