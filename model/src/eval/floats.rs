//! Float operators on bit patterns, computed with the host's IEEE arithmetic.
//!
//! Rust's `f32` and `f64` operations round to nearest, ties to even, in their own format; only the
//! NaN they yield is unspecified, so every arithmetic result passes through `canonical`. IEEE
//! `remainder` and the conversion to words modulo a power of two have no counterpart in the
//! standard library and are computed on integer significands.

use crate::sort::FloatFormat;
use crate::term::{BinaryOp, RoundTo, UnaryOp};

macro_rules! float_operators {
    ($module:ident, $float:ty, $bits:ty, $format:expr) => {
        mod $module {
            use super::*;

            fn number(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }
            fn canonical(result: $float) -> u64 {
                if result.is_nan() { $format.canonical_nan() as u64 } else { u64::from(result.to_bits()) }
            }

            pub(super) fn unary(op: UnaryOp, arg: u64) -> u64 {
                let sign = 1u64 << ($format.width() - 1);
                match op {
                    UnaryOp::FloatNeg => arg ^ sign,
                    UnaryOp::FloatAbs => arg & !sign,
                    UnaryOp::FloatSqrt => canonical(number(arg).sqrt()),
                    UnaryOp::FloatRound(to) => canonical(round(number(arg), to)),
                    UnaryOp::FloatIsNan => u64::from(number(arg).is_nan()),
                    UnaryOp::FloatIsInfinite => u64::from(number(arg).is_infinite()),
                    UnaryOp::FloatConvert(FloatFormat::Single) => convert_to_single(number(arg)),
                    UnaryOp::FloatConvert(FloatFormat::Double) => convert_to_double(number(arg)),
                    _ => unreachable!("{op:?} should not be applied to a float"),
                }
            }

            pub(super) fn binary(op: BinaryOp, lhs: u64, rhs: u64) -> u64 {
                let (left, right) = (number(lhs), number(rhs));
                match op {
                    BinaryOp::FloatAdd => canonical(left + right),
                    BinaryOp::FloatSub => canonical(left - right),
                    BinaryOp::FloatMul => canonical(left * right),
                    BinaryOp::FloatDiv => canonical(left / right),
                    BinaryOp::FloatFmod => canonical(left % right),
                    BinaryOp::FloatRemainder => super::remainder($format, lhs, rhs),
                    BinaryOp::FloatEq => u64::from(left == right),
                    BinaryOp::FloatLt => u64::from(left < right),
                    BinaryOp::FloatLe => u64::from(left <= right),
                    _ => unreachable!("{op:?} should not be applied to floats"),
                }
            }

            pub(super) fn fma(a: u64, b: u64, c: u64) -> u64 {
                canonical(number(a).mul_add(number(b), number(c)))
            }
            pub(super) fn from_unsigned(word: u128) -> u64 {
                u64::from((word as $float).to_bits())
            }
            pub(super) fn from_signed(word: i128) -> u64 {
                u64::from((word as $float).to_bits())
            }

            fn round(number: $float, to: RoundTo) -> $float {
                match to {
                    RoundTo::NearestEven => number.round_ties_even(),
                    RoundTo::NearestAway => number.round(),
                    RoundTo::Zero => number.trunc(),
                    RoundTo::Up => number.ceil(),
                    RoundTo::Down => number.floor(),
                }
            }
            fn convert_to_single(number: $float) -> u64 {
                if number.is_nan() {
                    return FloatFormat::Single.canonical_nan() as u64;
                }
                u64::from((number as f32).to_bits())
            }
            fn convert_to_double(number: $float) -> u64 {
                if number.is_nan() {
                    return FloatFormat::Double.canonical_nan() as u64;
                }
                (number as f64).to_bits()
            }
        }
    };
}

float_operators!(single, f32, u32, FloatFormat::Single);
float_operators!(double, f64, u64, FloatFormat::Double);

/// An operator with one float operand, other than the conversions to words; the result is a float
/// or a truth.
pub(super) fn unary(op: UnaryOp, format: FloatFormat, arg: u64) -> u64 {
    match format {
        FloatFormat::Single => single::unary(op, arg),
        FloatFormat::Double => double::unary(op, arg),
    }
}

/// An operator with two float operands; the result is a float or a truth.
pub(super) fn binary(op: BinaryOp, format: FloatFormat, lhs: u64, rhs: u64) -> u64 {
    match format {
        FloatFormat::Single => single::binary(op, lhs, rhs),
        FloatFormat::Double => double::binary(op, lhs, rhs),
    }
}

/// a*b + c rounded once.
pub(super) fn fma(format: FloatFormat, a: u64, b: u64, c: u64) -> u64 {
    match format {
        FloatFormat::Single => single::fma(a, b, c),
        FloatFormat::Double => double::fma(a, b, c),
    }
}

/// The nearest float of an unsigned number.
pub(super) fn from_unsigned(format: FloatFormat, word: u128) -> u64 {
    match format {
        FloatFormat::Single => single::from_unsigned(word),
        FloatFormat::Double => double::from_unsigned(word),
    }
}

/// The nearest float of a signed number.
pub(super) fn from_signed(format: FloatFormat, word: i128) -> u64 {
    match format {
        FloatFormat::Single => single::from_signed(word),
        FloatFormat::Double => double::from_signed(word),
    }
}

/// A finite float as `± significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Finite {
    negative: bool,
    significand: u64,
    exponent: i32,
}

impl Finite {
    /// The parts of a float, or `None` of infinities and NaN.
    fn new(format: FloatFormat, bits: u64) -> Option<Self> {
        let fraction_bits = format.fraction_bits();
        let fraction = bits & ((1 << fraction_bits) - 1);
        let biased = (bits >> fraction_bits) as i32 & ((1 << format.exponent_bits()) - 1);
        if biased == (1 << format.exponent_bits()) - 1 {
            return None;
        }
        let hidden = if biased == 0 { 0 } else { 1 << fraction_bits };
        Some(Self {
            negative: bits >> (format.width() - 1) == 1,
            significand: hidden | fraction,
            exponent: biased.max(1) + least_exponent(format) - 1,
        })
    }

    /// The bit pattern of a number that the format holds exactly.
    fn to_bits(self, format: FloatFormat) -> u64 {
        let Self { negative, mut significand, mut exponent } = self;
        let (fraction_bits, least) = (format.fraction_bits(), least_exponent(format));
        let sign = u64::from(negative) << (format.width() - 1);
        if significand == 0 {
            return sign;
        }
        while significand >> fraction_bits == 0 && exponent > least {
            significand <<= 1;
            exponent -= 1;
        }
        assert!(
            significand >> (fraction_bits + 1) == 0
                && (exponent == least || significand >> fraction_bits == 1),
            "a remainder should be representable"
        );
        let normal = significand >> fraction_bits == 1;
        let biased = if normal { (exponent - least + 1) as u64 } else { 0 };
        let fraction = significand & ((1 << fraction_bits) - 1);
        sign | biased << fraction_bits | fraction
    }
}

/// Weight of the last bit of subnormal numbers, as a power of two (-149 or -1074).
fn least_exponent(format: FloatFormat) -> i32 {
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    1 - bias - format.fraction_bits() as i32
}

/// The value truncated to an integer, modulo 2^64; 0 of infinities and NaN. Its low bits are the
/// value modulo any smaller power of two.
pub(super) fn truncate_to_word(format: FloatFormat, bits: u64) -> u64 {
    let Some(Finite { negative, significand, exponent }) = Finite::new(format, bits) else { return 0 };
    let amount = exponent.unsigned_abs();
    let magnitude = if exponent < 0 {
        significand.checked_shr(amount).unwrap_or(0)
    } else {
        significand.checked_shl(amount).unwrap_or(0)
    };
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// IEEE 754 remainder: `lhs - n*rhs` for the integer n nearest to `lhs/rhs`, ties to even; exact.
fn remainder(format: FloatFormat, lhs: u64, rhs: u64) -> u64 {
    let nan = format.canonical_nan() as u64;
    let infinity = nan & !(1 << (format.fraction_bits() - 1));
    let magnitude = rhs & !(1 << (format.width() - 1));
    let Some(left) = Finite::new(format, lhs) else { return nan };
    match Finite::new(format, rhs) {
        None if magnitude == infinity => lhs,
        None => nan,
        Some(right) if right.significand == 0 => nan,
        Some(right) => finite_remainder(left, right).to_bits(format),
    }
}

fn finite_remainder(left: Finite, right: Finite) -> Finite {
    let gap = left.exponent - right.exponent;
    if gap < -54 {
        return left; // `right` is normal then, and more than twice as large: the nearest multiple is 0
    }
    let exponent = left.exponent.min(right.exponent);
    let divisor = u128::from(right.significand) << (-gap).max(0);
    let mut odd = u128::from(left.significand) / divisor % 2 == 1;
    let mut rest = u128::from(left.significand) % divisor;
    let mut remaining = gap.max(0);
    while remaining > 0 {
        let chunk = remaining.min(64); // rest < 2^53 here, since the divisor is not shifted
        let dividend = rest << chunk;
        odd = dividend / divisor % 2 == 1;
        rest = dividend % divisor;
        remaining -= chunk;
    }
    let past_half = 2 * rest > divisor || (2 * rest == divisor && odd);
    let significand = if past_half { divisor - rest } else { rest };
    Finite {
        negative: left.negative ^ past_half,
        significand: u64::try_from(significand).expect("a remainder should fit its format"),
        exponent,
    }
}
