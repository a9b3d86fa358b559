//! Rules for floats. They hold for all operands, NaN and signed zeros included.
//!
//! A term is *canonical* when it cannot be a NaN other than the canonical one: results of
//! arithmetic are, symbols and moves in general are not. Only canonical terms may replace an
//! arithmetic result.

use super::view::both_ways;
use crate::sort::{FloatFormat, Sort};
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use crate::value::Value;

use UnaryOp::{
    FloatAbs, FloatConvert, FloatFromBits, FloatFromSigned, FloatFromUnsigned, FloatNeg, FloatRound,
};
use UnaryOp::{FloatIsInfinite, FloatIsNan, FloatToBits, FloatToSigned, FloatToUnsigned};

/// Width at which integral constants are compared with integers.
const CONSTANT_WIDTH: u32 = 66;

fn unary(term: Term) -> Option<(UnaryOp, TermId)> {
    match term {
        Term::Unary { op, arg } => Some((op, arg)),
        _ => None,
    }
}

fn binary(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    match term {
        Term::Binary { op, lhs, rhs } => Some((op, lhs, rhs)),
        _ => None,
    }
}

fn is_canonical(pool: &TermPool, term: TermId) -> bool {
    let value_is_canonical = |value: Value| match value.sort() {
        Sort::Float(format) => !value.is_nan() || value.bits() == format.canonical_nan(),
        Sort::Word(_) => false,
    };
    match pool.node(term) {
        Term::Const(constant) => value_is_canonical(pool.constant_value(constant)),
        Term::Unary { op, .. } => !matches!(op, FloatNeg | FloatAbs | FloatFromBits(_)),
        Term::Binary { .. } | Term::FloatFma { .. } => true,
        _ => false,
    }
}

/// The word that is converted, with its signedness, and the format it is converted to.
fn as_from_integer(pool: &TermPool, term: TermId) -> Option<(TermId, bool, FloatFormat)> {
    match pool.node(term) {
        Term::Unary { op: FloatFromSigned(format), arg } => Some((arg, true, format)),
        Term::Unary { op: FloatFromUnsigned(format), arg } => Some((arg, false, format)),
        _ => None,
    }
}

/// Whether the format holds every value of the word exactly.
fn is_exact(pool: &TermPool, word: TermId, signed: bool, format: FloatFormat) -> bool {
    let precision = format.fraction_bits() + 1;
    if signed { pool.signed_bits(word) <= precision + 1 } else { pool.unsigned_bits(word) <= precision }
}

fn from_integer(pool: &mut TermPool, word: TermId, signed: bool, format: FloatFormat) -> TermId {
    pool.unary(if signed { FloatFromSigned(format) } else { FloatFromUnsigned(format) }, word)
}

/// to-bits(from-bits(a)), from-bits(to-bits(a)) / a
pub(super) fn bits_round_trip(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    let (inner, operand) = unary(pool.node(arg))?;
    let inverse = matches!((op, inner), (FloatToBits, FloatFromBits(_)) | (FloatFromBits(_), FloatToBits));
    inverse.then_some(operand)
}

/// -(-a) / a
pub(super) fn double_float_negation(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    pool.as_unary(FloatNeg, arg).filter(|_| op == FloatNeg)
}

/// |-a|, ||a|| / |a|
pub(super) fn absolute_of_sign_change(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    let (inner, operand) = unary(pool.node(arg))?;
    (op == FloatAbs && matches!(inner, FloatNeg | FloatAbs)).then(|| pool.unary(FloatAbs, operand))
}

/// convert(a) / a: a is canonical and of that format; f32(f64(a)) / f32(a): a is single;
/// convert(from-integer(a)) / from-integer(a): the inner conversion is exact
pub(super) fn exact_conversion(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    let FloatConvert(format) = op else { return None };
    if pool.sort(arg) == Sort::Float(format) && is_canonical(pool, arg) {
        return Some(arg);
    }
    if let Some((word, signed, inner)) = as_from_integer(pool, arg) {
        return is_exact(pool, word, signed, inner).then(|| from_integer(pool, word, signed, format));
    }
    let wide = pool.as_unary(FloatConvert(FloatFormat::Double), arg)?;
    let returns = format == FloatFormat::Single && pool.sort(wide) == Sort::Float(FloatFormat::Single);
    returns.then(|| pool.unary(FloatConvert(FloatFormat::Single), wide))
}

/// to-integer(from-integer(a)) / a, resized: the inner conversion is exact
pub(super) fn integer_round_trip(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    let (FloatToSigned(width) | FloatToUnsigned(width)) = op else { return None };
    let (word, signed, format) = as_from_integer(pool, arg)?;
    is_exact(pool, word, signed, format).then(|| pool.resize(word, width.into(), signed))
}

/// round(round(a)) / round(a) with the inner direction; round(from-integer(a)) / from-integer(a)
pub(super) fn round_integral(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    let is_integral = matches!(
        pool.node(arg),
        Term::Unary { op: FloatRound(_) | FloatFromSigned(_) | FloatFromUnsigned(_), .. }
    );
    (matches!(op, FloatRound(_)) && is_integral).then_some(arg)
}

/// is-nan(from-integer(a)), is-infinite(from-integer(a)) / 0; is-nan(-a), is-nan(|a|) / is-nan(a),
/// the same for is-infinite
pub(super) fn classify_integer(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, arg) = unary(term)?;
    if !matches!(op, FloatIsNan | FloatIsInfinite) {
        return None;
    }
    if let Some((word, ..)) = as_from_integer(pool, arg) {
        // The largest 128-bit words round to infinity in the single format.
        return (op == FloatIsNan || pool.width(word) < 128).then(|| pool.truth(false));
    }
    let (inner, operand) = unary(pool.node(arg))?;
    matches!(inner, FloatNeg | FloatAbs).then(|| pool.unary(op, operand))
}

/// a + -b / a - b; a - -b / a + b
pub(super) fn add_negated_float(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = binary(term)?;
    match op {
        BinaryOp::FloatAdd => {
            let (plain, inner) = both_ways(lhs, rhs)
                .into_iter()
                .find_map(|(plain, negated)| Some((plain, pool.as_unary(FloatNeg, negated)?)))?;
            Some(pool.binary(BinaryOp::FloatSub, plain, inner))
        }
        BinaryOp::FloatSub => {
            let inner = pool.as_unary(FloatNeg, rhs)?;
            Some(pool.binary(BinaryOp::FloatAdd, lhs, inner))
        }
        _ => None,
    }
}

/// a + -0.0, a - 0.0, a * 1.0, a / 1.0 / a: a is canonical
pub(super) fn neutral_float_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = binary(term)?;
    let constant = pool.as_const(rhs)?;
    let format = constant.sort().float_format()?;
    let neutral = match (op, format) {
        (BinaryOp::FloatAdd, FloatFormat::Single) => Value::single(-0.0),
        (BinaryOp::FloatAdd, FloatFormat::Double) => Value::double(-0.0),
        (BinaryOp::FloatSub, _) => Value::zero(constant.sort()),
        (BinaryOp::FloatMul | BinaryOp::FloatDiv, FloatFormat::Single) => Value::single(1.0),
        (BinaryOp::FloatMul | BinaryOp::FloatDiv, FloatFormat::Double) => Value::double(1.0),
        _ => return None,
    };
    (constant == neutral && is_canonical(pool, lhs)).then_some(lhs)
}

/// a == nan, a < nan, nan < a, a <= nan, nan <= a / 0
pub(super) fn compare_with_nan(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (_, lhs, rhs) = binary(term)?;
    let is_nan = |term| pool.as_const(term).is_some_and(Value::is_nan);
    (is_nan(lhs) || is_nan(rhs)).then(|| pool.truth(false))
}

/// a == a, a <= a / !is-nan(a); a < a / 0
pub(super) fn compare_same_float(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = binary(term)?;
    if lhs != rhs {
        return None;
    }
    if op == BinaryOp::FloatLt {
        return Some(pool.truth(false));
    }
    let nan = pool.unary(FloatIsNan, lhs);
    Some(pool.not(nan))
}

/// The integer that a float is, as a signed word: an exactly converted word or an integral
/// constant.
fn as_exact_integer(pool: &mut TermPool, term: TermId) -> Option<TermId> {
    if let Some((word, signed, format)) = as_from_integer(pool, term) {
        let width = pool.width(word);
        return match is_exact(pool, word, signed, format) {
            false => None,
            true if signed => Some(word),
            true => (width < 128).then(|| pool.zero_extend(word, width + 1)),
        };
    }
    let value = pool.as_const(term)?;
    let number = match value.sort() {
        Sort::Float(FloatFormat::Single) => f64::from(f32::from_bits(value.bits() as u32)),
        Sort::Float(FloatFormat::Double) => f64::from_bits(value.bits() as u64),
        Sort::Word(_) => return None,
    };
    let integral = number.trunc() == number && number.abs() < (1u64 << 63) as f64;
    integral.then(|| pool.word(CONSTANT_WIDTH, i128::from(number as i64) as u128))
}

/// from-integer(a) < from-integer(b) / sext(a) < sext(b): the conversions are exact; one side may
/// be an integral constant; the same for `==` and `<=`
pub(super) fn compare_integers(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = binary(term)?;
    let op = match op {
        BinaryOp::FloatEq => BinaryOp::Eq,
        BinaryOp::FloatLt => BinaryOp::SLt,
        BinaryOp::FloatLe => BinaryOp::SLe,
        _ => return None,
    };
    as_from_integer(pool, lhs).or(as_from_integer(pool, rhs))?;
    let (left, right) = (as_exact_integer(pool, lhs)?, as_exact_integer(pool, rhs)?);
    let width = pool.width(left).max(pool.width(right));
    let (left, right) = (pool.sign_extend(left, width), pool.sign_extend(right, width));
    Some(pool.binary(op, left, right))
}
