//! Rules for quotients and remainders. Division circuits are by far the largest, so narrowing them
//! pays most: C divides bytes at the width of `int`.

use super::view::exponent;
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

use BinaryOp::{SDiv, SRem, UDiv, URem};

fn division(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    match term {
        Term::Binary { op: op @ (UDiv | URem | SDiv | SRem), lhs, rhs } => Some((op, lhs, rhs)),
        _ => None,
    }
}

/// a / b / a | !b; a % b / a & !b: one bit, signed or not
pub(super) fn truth_division(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    if !pool.is_truth(lhs) {
        return None;
    }
    let complement = pool.not(rhs);
    let joined = if matches!(op, UDiv | SDiv) { BinaryOp::Or } else { BinaryOp::And };
    Some(pool.binary(joined, lhs, complement))
}

/// a % a / 0; 0 % a / 0
pub(super) fn remainder_of_same(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let applies = matches!(op, URem | SRem) && (lhs == rhs || pool.is_zero(lhs));
    applies.then(|| pool.word_like(lhs, 0))
}

/// a / 1 / a; a % 1 / 0; a % 0 / a; unsigned a / 0 / ones; signed a / 0 / ite(a < 0, 1, ones);
/// signed a / -k / -(a / k); signed a % -k / a % k
pub(super) fn divide_by_special(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    match (op, pool.word_signed(rhs)?) {
        (UDiv | SDiv, 1) => Some(lhs),
        (URem | SRem, 1) => Some(pool.word_like(lhs, 0)),
        (URem | SRem, 0) => Some(lhs),
        (UDiv, 0) => Some(pool.word_like(lhs, u128::MAX)),
        (SDiv, 0) => {
            let sign = pool.sign(lhs);
            let (one, ones) = (pool.word_like(lhs, 1), pool.word_like(lhs, u128::MAX));
            Some(pool.ite(sign, one, ones))
        }
        (SDiv | SRem, divisor)
            if divisor < 0 && pool.mask(rhs) / 2 + 1 != divisor as u128 & pool.mask(rhs) =>
        {
            let positive = pool.word_like(lhs, divisor.unsigned_abs());
            let result = pool.binary(op, lhs, positive);
            Some(if op == SDiv { pool.unary(UnaryOp::Neg, result) } else { result })
        }
        _ => None,
    }
}

/// a / 2^n / zext(extract(a, w-1, n)); a % 2^n / zext(extract(a, n-1, 0)): unsigned, n > 0
pub(super) fn unsigned_by_power(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let exponent = exponent(pool.word_bits(rhs)?)?;
    let width = pool.width(lhs);
    let part = match op {
        UDiv => pool.extract(lhs, width - 1, exponent),
        URem => pool.cut(lhs, exponent),
        _ => return None,
    };
    Some(pool.zero_extend(part, width))
}

/// signed a / b / unsigned a / b: both are known to have top bit 0; the same for remainders
pub(super) fn signed_of_nonnegative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let width = pool.width(lhs);
    let unsigned = match op {
        SDiv => UDiv,
        SRem => URem,
        _ => return None,
    };
    let fits = pool.unsigned_bits(lhs) < width && pool.unsigned_bits(rhs) < width;
    fits.then(|| pool.binary(unsigned, lhs, rhs))
}

/// signed a / 2^n / sext(extract(t, w-1, n)); a % 2^n / a - concat(extract(t, w-1, n), 0); where t
/// = a + (a < 0 ? 2^n - 1 : 0)
pub(super) fn signed_by_power(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let exponent = exponent(pool.word_bits(rhs)?)?;
    let width = pool.width(lhs);
    if exponent + 1 >= width || !matches!(op, SDiv | SRem) {
        return None;
    }
    let sign = pool.sign(lhs);
    let low_signs = pool.sign_extend(sign, exponent);
    let bias = pool.zero_extend(low_signs, width);
    let biased = pool.binary(BinaryOp::Add, lhs, bias);
    let quotient = pool.extract(biased, width - 1, exponent);
    if op == SDiv {
        return Some(pool.sign_extend(quotient, width));
    }
    let zeros = pool.word(exponent, 0);
    let multiple = pool.binary(BinaryOp::Concat, quotient, zeros);
    Some(pool.binary(BinaryOp::Sub, lhs, multiple))
}

/// zext(a) % zext(b) / zext(a % b); zext(a) / k / zext(a / k); zext(a) / zext(b) / ite(b == 0,
/// ones, zext(a / b)): unsigned
pub(super) fn divide_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let width = pool.width(lhs);
    let narrow = pool.unsigned_bits(lhs).max(pool.unsigned_bits(rhs));
    if narrow >= width || !matches!(op, UDiv | URem) {
        return None;
    }
    let (left, right) = (pool.cut(lhs, narrow), pool.cut(rhs, narrow));
    let result = pool.binary(op, left, right);
    let result = pool.zero_extend(result, width);
    if op == URem || pool.word_bits(right).is_some_and(|bits| bits != 0) {
        return Some(result);
    }
    let zero = pool.word(narrow, 0);
    let by_zero = pool.equal(right, zero);
    let ones = pool.word_like(lhs, u128::MAX);
    Some(pool.ite(by_zero, ones, result))
}

/// sext(a) / sext(b) / sext(a / b) with one bit more unless b is a constant; sext(a) % sext(b) /
/// sext(a % b): signed
pub(super) fn divide_sign_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = division(term)?;
    let width = pool.width(lhs);
    let held = pool.signed_bits(lhs).max(pool.signed_bits(rhs));
    let overflows = op == SDiv && pool.word_signed(rhs).is_none_or(|divisor| divisor == -1);
    let narrow = held + u32::from(overflows);
    if narrow >= width || !matches!(op, SDiv | SRem) {
        return None;
    }
    let (left, right) = (pool.cut(lhs, narrow), pool.cut(rhs, narrow));
    let result = pool.binary(op, left, right);
    Some(pool.sign_extend(result, width))
}
