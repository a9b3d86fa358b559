//! Float circuits against the host's arithmetic, another implementation, and exact arithmetic on
//! tiny formats.
//!
//! Each operator runs on all pairs of boundary values and on random operands; `long` runs many more
//! of the latter.

use super::testing::{boundary_values, check_on_graphs, check_on_lanes, gates, random_samples, tuples};
use super::*;
use crate::bits::BitBuilder;
use model::eval::{apply_binary, apply_fma, apply_unary};
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, RoundTo, UnaryOp};
use model::value::Value;

pub(super) const FORMATS: [FloatFormat; 2] = [FloatFormat::Single, FloatFormat::Double];
const DIRECTIONS: [RoundTo; 5] =
    [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down];

/// Random lists of operands for each operator and format in the normal run.
pub(super) const SAMPLES: usize = 20_000;

pub(super) fn float(format: FloatFormat, bits: u128) -> Value {
    Value::new(Sort::Float(format), bits)
}

pub(super) fn binary_circuit<B: BitBuilder>(
    op: BinaryOp,
    layout: Layout,
) -> impl Fn(&mut B, &[Vec<B::Bit>]) -> Vec<B::Bit> {
    move |bits, words| {
        let (lhs, rhs) = (&words[0], &words[1]);
        match op {
            BinaryOp::FloatAdd => add(bits, layout, lhs, rhs),
            BinaryOp::FloatSub => subtract(bits, layout, lhs, rhs),
            BinaryOp::FloatMul => multiply(bits, layout, lhs, rhs),
            BinaryOp::FloatDiv => divide(bits, layout, lhs, rhs),
            BinaryOp::FloatFmod => fmod(bits, layout, lhs, rhs),
            BinaryOp::FloatRemainder => remainder(bits, layout, lhs, rhs),
            BinaryOp::FloatEq => vec![equal(bits, layout, lhs, rhs)],
            BinaryOp::FloatLt => vec![less(bits, layout, lhs, rhs)],
            BinaryOp::FloatLe => vec![less_equal(bits, layout, lhs, rhs)],
            _ => unreachable!("{op:?} should be a float operator"),
        }
    }
}

fn check_binary(op: BinaryOp, samples: usize) {
    for format in FORMATS {
        let layout = Layout::from(format);
        let reference = |operands: &[u128]| {
            apply_binary(op, float(format, operands[0]), float(format, operands[1])).bits()
        };
        let widths = [layout.width(); 2];
        let random = random_samples(&[layout; 2], samples);
        check_on_lanes(&widths, &tuples(&boundary_values(layout), 2), binary_circuit(op, layout), reference);
        check_on_lanes(&widths, &random, binary_circuit(op, layout), reference);
        let graphs = if matches!(op, BinaryOp::FloatFmod | BinaryOp::FloatRemainder) { 3 } else { 30 };
        check_on_graphs(&widths, &random[..graphs.min(samples)], binary_circuit(op, layout), reference);
    }
}

macro_rules! binary_tests {
    ($($name:ident: $op:ident;)*) => {
        $(#[test] fn $name() { check_binary(BinaryOp::$op, SAMPLES); })*
        pub(super) const BINARY: &[BinaryOp] = &[$(BinaryOp::$op),*];
    };
}

binary_tests! {
    sums: FloatAdd;
    differences: FloatSub;
    products: FloatMul;
    quotients: FloatDiv;
    truncated_remainders: FloatFmod;
    ieee_remainders: FloatRemainder;
    equalities: FloatEq;
    strict_orders: FloatLt;
    orders: FloatLe;
}

pub(super) fn unary_circuit<B: BitBuilder>(
    op: UnaryOp,
    layout: Layout,
) -> impl Fn(&mut B, &[Vec<B::Bit>]) -> Vec<B::Bit> {
    move |bits, words| {
        let word = &words[0];
        match op {
            UnaryOp::FloatNeg => negate(bits, layout, word),
            UnaryOp::FloatAbs => absolute(bits, layout, word),
            UnaryOp::FloatSqrt => square_root(bits, layout, word),
            UnaryOp::FloatRound(to) => round_to_integral(bits, layout, word, to),
            UnaryOp::FloatIsNan => vec![is_nan(bits, layout, word)],
            UnaryOp::FloatIsInfinite => vec![is_infinite(bits, layout, word)],
            UnaryOp::FloatConvert(to) => convert(bits, layout, to.into(), word),
            UnaryOp::FloatToUnsigned(width) | UnaryOp::FloatToSigned(width) => {
                to_word(bits, layout, usize::from(width), word)
            }
            _ => unreachable!("{op:?} should take a float"),
        }
    }
}

fn check_unary(op: UnaryOp, samples: usize) {
    for format in FORMATS {
        let layout = Layout::from(format);
        let reference = |operands: &[u128]| apply_unary(op, float(format, operands[0])).bits();
        let random = random_samples(&[layout], samples);
        let widths = [layout.width()];
        check_on_lanes(&widths, &tuples(&boundary_values(layout), 1), unary_circuit(op, layout), reference);
        check_on_lanes(&widths, &random, unary_circuit(op, layout), reference);
        check_on_graphs(&widths, &random[..20.min(samples)], unary_circuit(op, layout), reference);
    }
}

pub(super) fn unary_operators() -> Vec<UnaryOp> {
    let mut operators = vec![
        UnaryOp::FloatNeg,
        UnaryOp::FloatAbs,
        UnaryOp::FloatSqrt,
        UnaryOp::FloatIsNan,
        UnaryOp::FloatIsInfinite,
        UnaryOp::FloatConvert(FloatFormat::Single),
        UnaryOp::FloatConvert(FloatFormat::Double),
    ];
    operators.extend(DIRECTIONS.map(UnaryOp::FloatRound));
    for width in [1, 7, 8, 16, 31, 32, 33, 64] {
        operators.extend([UnaryOp::FloatToUnsigned(width), UnaryOp::FloatToSigned(width)]);
    }
    operators
}

#[test]
fn operators_of_one_operand() {
    for op in unary_operators() {
        check_unary(op, SAMPLES);
    }
}

fn check_fused(samples: usize) {
    for format in FORMATS {
        let layout = Layout::from(format);
        let circuit = |bits: &mut _, words: &[Vec<_>]| {
            fused_multiply_add(bits, layout, &words[0], &words[1], &words[2])
        };
        let reference = |operands: &[u128]| {
            let [a, b, c] = [0, 1, 2].map(|index| float(format, operands[index]));
            apply_fma(a, b, c).bits()
        };
        let widths = [layout.width(); 3];
        // A third of the boundary values: their triples would be two million.
        let few: Vec<u128> = boundary_values(layout).into_iter().step_by(5).collect();
        check_on_lanes(&widths, &tuples(&few, 3), circuit, reference);
        let random = random_samples(&[layout; 3], samples);
        check_on_lanes(&widths, &random, circuit, reference);
        check_on_lanes(&widths, &cancelling(&random, format), circuit, reference);
        let circuit = |bits: &mut _, words: &[Vec<_>]| {
            fused_multiply_add(bits, layout, &words[0], &words[1], &words[2])
        };
        check_on_graphs(&widths, &random[..20.min(samples)], circuit, reference);
    }
}

/// Triples whose summand is nearly the negated product.
pub(super) fn cancelling(samples: &[Vec<u128>], format: FloatFormat) -> Vec<Vec<u128>> {
    let near = |sample: &Vec<u128>| {
        let product =
            apply_binary(BinaryOp::FloatMul, float(format, sample[0]), float(format, sample[1])).bits();
        let opposite = product ^ 1 << (format.width() - 1);
        vec![sample[0], sample[1], opposite ^ (sample[2] % 3)]
    };
    samples.iter().map(near).collect()
}

#[test]
fn fused_products_and_sums() {
    check_fused(SAMPLES);
}

fn check_from_words(samples: usize) {
    for format in FORMATS {
        let layout = Layout::from(format);
        for width in [1, 2, 8, 16, 24, 25, 32, 53, 54, 64, 127, 128u32] {
            let mut values = words_to_convert(width);
            values.extend(random_words(width, samples / 4));
            let values: Vec<Vec<u128>> = values.into_iter().map(|value| vec![value]).collect();
            for signed in [false, true] {
                let reference = |operands: &[u128]| {
                    let op = match signed {
                        false => UnaryOp::FloatFromUnsigned(format),
                        true => UnaryOp::FloatFromSigned(format),
                    };
                    apply_unary(op, Value::word(width, operands[0])).bits()
                };
                let on_lanes = |bits: &mut _, words: &[Vec<_>]| match signed {
                    false => from_unsigned(bits, layout, &words[0]),
                    true => from_signed(bits, layout, &words[0]),
                };
                check_on_lanes(&[width as usize], &values, on_lanes, reference);
            }
        }
    }
}

/// Words next to powers of two and to what the formats hold exactly.
pub(super) fn words_to_convert(width: u32) -> Vec<u128> {
    let mask = u128::MAX >> (128 - width);
    let mut words = vec![0];
    for power in 0..width {
        let power = 1u128 << power;
        for precision in [24, 53] {
            let last = power >> (precision - 1);
            let half = last / 2;
            for offset in [0, half, last + half, half + 1, half.wrapping_sub(1), last] {
                words.extend([power.wrapping_add(offset), power.wrapping_sub(offset)]);
                words.push(power.wrapping_add(offset).wrapping_neg());
            }
        }
        words.extend([power - 1, power + 1, !power]);
    }
    words.iter().map(|word| word & mask).collect()
}

pub(super) fn random_words(width: u32, count: usize) -> Vec<u128> {
    use rand::{Rng, SeedableRng};
    let mut rng = rand::rngs::SmallRng::seed_from_u64(5);
    (0..count).map(|_| (rng.random::<u128>() >> (128 - width)) >> rng.random_range(0..width)).collect()
}

#[test]
fn words_become_floats() {
    check_from_words(SAMPLES);
}

/// Upper bounds of the circuits' sizes over free operands, in gates, for binary32 and binary64.
#[test]
fn circuits_stay_small() {
    let bounds = [
        (BinaryOp::FloatAdd, [2_000, 4_400]),
        (BinaryOp::FloatSub, [2_000, 4_400]),
        (BinaryOp::FloatMul, [7_600, 34_000]),
        (BinaryOp::FloatDiv, [9_200, 39_000]),
        (BinaryOp::FloatFmod, [83_000, 1_400_000]),
        (BinaryOp::FloatRemainder, [84_000, 1_400_000]),
        (BinaryOp::FloatEq, [220, 420]),
        (BinaryOp::FloatLt, [280, 540]),
        (BinaryOp::FloatLe, [280, 540]),
    ];
    for (op, bounds) in bounds {
        for (layout, bound) in FORMATS.map(Layout::from).into_iter().zip(bounds) {
            let found = gates(&[layout.width(); 2], binary_circuit(op, layout));
            assert!(found <= bound, "{op:?} of {layout:?} has {found} gates");
        }
    }
    let bounds = [
        (UnaryOp::FloatSqrt, [4_400, 19_000]),
        (UnaryOp::FloatRound(RoundTo::NearestEven), [600, 1_200]),
        (UnaryOp::FloatConvert(FloatFormat::Single), [90, 820]),
        (UnaryOp::FloatConvert(FloatFormat::Double), [460, 160]),
        (UnaryOp::FloatToSigned(32), [900, 1_600]),
        (UnaryOp::FloatToSigned(64), [1_350, 2_050]),
    ];
    for (op, bounds) in bounds {
        for (layout, bound) in FORMATS.map(Layout::from).into_iter().zip(bounds) {
            let found = gates(&[layout.width()], unary_circuit(op, layout));
            assert!(found <= bound, "{op:?} of {layout:?} has {found} gates");
        }
    }
    for (layout, bound) in FORMATS.map(Layout::from).into_iter().zip([11_500, 42_000]) {
        let fused = |bits: &mut _, words: &[Vec<_>]| {
            fused_multiply_add(bits, layout, &words[0], &words[1], &words[2])
        };
        let found = gates(&[layout.width(); 3], fused);
        assert!(found <= bound, "fma of {layout:?} has {found} gates");
    }
    for (layout, bounds) in FORMATS.map(Layout::from).into_iter().zip([[320, 800], [320, 720]]) {
        for (width, bound) in [16, 32].into_iter().zip(bounds) {
            let found = gates(&[width], |bits, words| from_signed(bits, layout, &words[0]));
            assert!(found <= bound, "conversion of {width} bits to {layout:?} has {found} gates");
        }
    }
}
