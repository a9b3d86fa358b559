//! Arithmetic of floats in all lanes, by the processor's.
//!
//! Sums, products, comparisons and conversions are loops over lanes that become vector
//! instructions. Every NaN that arithmetic yields is the canonical one, as the term language has
//! it; sign changes and tests for NaN are operators on words (see [`code`](super::code)).

use super::lanes::{Row, one, two};
use super::word::Word;
use model::eval::apply_unary;
use model::sort::{FloatFormat, Sort};
use model::term::UnaryOp;
use model::value::Value;

/// What is computed; the instruction's width is that of words among operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatCode {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Square root.
    Sqrt,
    /// Truth of IEEE equality.
    Equal,
    /// Truth of the IEEE order.
    Less,
    /// Truth of the IEEE order or equality.
    LessEqual,
    /// From an unsigned word.
    FromUnsigned,
    /// From a signed word.
    FromSigned,
    /// Truncation to a word.
    ToWord,
    /// To the other format.
    Convert,
}

impl FloatCode {
    /// Number of bits of the result, where the instruction's width is `width`.
    pub(super) fn result_width(self, format: FloatFormat, width: u8) -> u32 {
        match (self, format) {
            (Self::Equal | Self::Less | Self::LessEqual, _) => 1,
            (Self::ToWord, _) => width.into(),
            (Self::Convert, FloatFormat::Single) => FloatFormat::Double.width(),
            (Self::Convert, FloatFormat::Double) => FloatFormat::Single.width(),
            _ => format.width(),
        }
    }
}

macro_rules! lanes_of {
    ($name:ident, $float:ty, $bits:ty, $other:ty, $format:expr, $other_format:expr) => {
        fn $name<W: Word, const N: usize>(
            code: FloatCode,
            width: u8,
            a: &Row<W, N>,
            b: &Row<W, N>,
            result: &mut Row<W, N>,
        ) {
            #[inline(always)]
            fn number<W: Word>(word: W) -> $float {
                <$float>::from_bits(word.widen() as $bits)
            }
            #[inline(always)]
            fn canonical<W: Word>(number: $float) -> W {
                let bits = if number.is_nan() { $format.canonical_nan() as $bits } else { number.to_bits() };
                W::cut(bits.into())
            }
            #[inline(always)]
            fn convert<W: Word>(number: $float) -> W {
                let nan = number.is_nan();
                let converted = (number as $other).to_bits().into();
                W::cut(if nan { $other_format.canonical_nan() } else { converted })
            }
            match code {
                FloatCode::Add => two(a, b, result, |a, b| canonical(number(a) + number(b))),
                FloatCode::Sub => two(a, b, result, |a, b| canonical(number(a) - number(b))),
                FloatCode::Mul => two(a, b, result, |a, b| canonical(number(a) * number(b))),
                FloatCode::Div => two(a, b, result, |a, b| canonical(number(a) / number(b))),
                FloatCode::Sqrt => one(a, result, |a| canonical(number(a).sqrt())),
                FloatCode::Equal => two(a, b, result, |a, b| W::truth(number(a) == number(b))),
                FloatCode::Less => two(a, b, result, |a, b| W::truth(number(a) < number(b))),
                FloatCode::LessEqual => two(a, b, result, |a, b| W::truth(number(a) <= number(b))),
                FloatCode::FromUnsigned => one(a, result, |a| canonical(a.widen() as $float)),
                FloatCode::FromSigned => {
                    let unused = W::BITS - u32::from(width);
                    one(a, result, |a| canonical((a << unused).shift_signed(unused).signed() as $float));
                }
                FloatCode::ToWord => one(a, result, |a| truncated(number(a).into(), a, $format, width)),
                FloatCode::Convert => one(a, result, |a| convert(number(a))),
            }
        }
    };
}

lanes_of!(single, f32, u32, f64, FloatFormat::Single, FloatFormat::Double);
lanes_of!(double, f64, u64, f32, FloatFormat::Double, FloatFormat::Single);

/// The truncated number modulo 2^width, 0 where it is not finite.
#[inline(always)]
fn truncated<W: Word>(number: f64, word: W, format: FloatFormat, width: u8) -> W {
    const EXACT: f64 = 9.0e18;
    if number.abs() < EXACT {
        W::cut((number as i64 as u128) & (u128::MAX >> (128 - u32::from(width))))
    } else {
        let value = Value::new(Sort::Float(format), word.widen());
        W::cut(apply_unary(UnaryOp::FloatToUnsigned(width), value).bits())
    }
}

/// One instruction in all lanes.
pub(super) fn execute<W: Word, const N: usize>(
    code: FloatCode,
    format: FloatFormat,
    width: u8,
    a: &Row<W, N>,
    b: &Row<W, N>,
    result: &mut Row<W, N>,
) {
    match format {
        FloatFormat::Single => single(code, width, a, b, result),
        FloatFormat::Double => double(code, width, a, b, result),
    }
}
