//! Rules for `neg`, `add`, `sub`, `mul`, and for `not` of `neg`.

use super::view::{both_ways, exponent, operands};
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

use BinaryOp::{Add, Mul, Sub};

fn arg(term: Term) -> Option<TermId> {
    match term {
        Term::Unary { arg, .. } => Some(arg),
        _ => None,
    }
}

fn as_neg(pool: &TermPool, term: TermId) -> Option<TermId> {
    pool.as_unary(UnaryOp::Neg, term)
}

/// !(-a) / a - 1
pub(super) fn not_of_negative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let inner = as_neg(pool, arg(term)?)?;
    let minus_one = pool.word_like(inner, u128::MAX);
    Some(pool.binary(Add, inner, minus_one))
}

/// -(-a) / a
pub(super) fn double_negative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    as_neg(pool, arg(term)?)
}

/// -a / a: one bit
pub(super) fn negative_truth(pool: &mut TermPool, term: Term) -> Option<TermId> {
    arg(term).filter(|&arg| pool.is_truth(arg))
}

/// -(a - b) / b - a
pub(super) fn negative_difference(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = pool.as_binary(Sub, arg(term)?)?;
    Some(pool.binary(Sub, rhs, lhs))
}

/// -(!a) / a + 1
pub(super) fn negative_complement(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let inner = pool.as_not(arg(term)?)?;
    let one = pool.word_like(inner, 1);
    Some(pool.binary(Add, inner, one))
}

/// -(a * k) / a * -k
pub(super) fn negative_scaled(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (inner, factor) = pool.as_constant_operand(Mul, arg(term)?)?;
    let factor = pool.word_like(inner, factor.wrapping_neg());
    Some(pool.binary(Mul, inner, factor))
}

/// -(a + k) / -k - a
pub(super) fn negative_offset(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (inner, offset) = pool.as_constant_operand(Add, arg(term)?)?;
    let offset = pool.word_like(inner, offset.wrapping_neg());
    Some(pool.binary(Sub, offset, inner))
}

/// a + b / a ^ b: one bit
pub(super) fn truth_sum(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    pool.is_truth(lhs).then(|| pool.binary(BinaryOp::Xor, lhs, rhs))
}

/// a + 0 / a
pub(super) fn add_zero(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    pool.is_zero(rhs).then_some(lhs)
}

/// (a + k1) + k2 / a + (k1 + k2); (k1 - a) + k2 / (k1 + k2) - a
pub(super) fn add_constants(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    let added = pool.word_bits(rhs)?;
    if let Some((inner, offset)) = pool.as_constant_operand(Add, lhs) {
        let offset = pool.word_like(inner, offset.wrapping_add(added));
        return Some(pool.binary(Add, inner, offset));
    }
    let (constant, inner) = pool.as_binary(Sub, lhs)?;
    let offset = pool.word_bits(constant)?;
    let offset = pool.word_like(inner, offset.wrapping_add(added));
    Some(pool.binary(Sub, offset, inner))
}

/// a + -b / a - b
pub(super) fn add_negative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    let (plain, inner) = both_ways(lhs, rhs)
        .into_iter()
        .find_map(|(plain, negative)| Some((plain, as_neg(pool, negative)?)))?;
    Some(pool.binary(Sub, plain, inner))
}

/// a + a / a * 2
pub(super) fn add_same(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    if lhs != rhs {
        return None;
    }
    let two = pool.word_like(lhs, 2);
    Some(pool.binary(Mul, lhs, two))
}

/// a + !a / ones; !a + k / (k - 1) - a
pub(super) fn add_complement(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    if pool.are_complements(lhs, rhs) {
        return Some(pool.word_like(lhs, u128::MAX));
    }
    let (inner, added) = (pool.as_not(lhs)?, pool.word_bits(rhs)?);
    let offset = pool.word_like(inner, added.wrapping_sub(1));
    Some(pool.binary(Sub, offset, inner))
}

/// (a - b) + b / a
pub(super) fn add_difference(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    both_ways(lhs, rhs).into_iter().find_map(|(difference, added)| {
        let (left, right) = pool.as_binary(Sub, difference)?;
        (right == added).then_some(left)
    })
}

/// Applies the operator at a smaller width that holds the exact result, where one operand is
/// sign-extended. (Zero-extended operands are left alone: the zeros vanish in the encoding, while
/// extended signs do not.)
fn narrow_signed(pool: &mut TermPool, op: BinaryOp, lhs: TermId, rhs: TermId, width: u32) -> Option<TermId> {
    let is_sign_extended = |term| pool.as_extend(term).is_some_and(|(_, signed)| signed);
    let full = pool.width(lhs);
    if width >= full || !(is_sign_extended(lhs) || is_sign_extended(rhs)) {
        return None;
    }
    let (left, right) = (pool.cut(lhs, width), pool.cut(rhs, width));
    let narrow = pool.binary(op, left, right);
    Some(pool.sign_extend(narrow, full))
}

/// sext(a) + sext(b) / sext(a + b) with one bit more than the wider operand
pub(super) fn add_sign_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Add)?;
    let width = pool.signed_bits(lhs).max(pool.signed_bits(rhs)) + 1;
    narrow_signed(pool, Add, lhs, rhs, width)
}

/// a - b / a ^ b: one bit
pub(super) fn truth_difference(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    pool.is_truth(lhs).then(|| pool.binary(BinaryOp::Xor, lhs, rhs))
}

/// a - a / 0
pub(super) fn subtract_same(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    (lhs == rhs).then(|| pool.word_like(lhs, 0))
}

/// a - k / a + -k
pub(super) fn subtract_constant(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    let bits = pool.word_bits(rhs)?;
    let negative = pool.word_like(rhs, bits.wrapping_neg());
    Some(pool.binary(Add, lhs, negative))
}

/// 0 - a / -a
pub(super) fn subtract_from_zero(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    pool.is_zero(lhs).then(|| pool.unary(UnaryOp::Neg, rhs))
}

/// a - -b / a + b
pub(super) fn subtract_negative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    let inner = as_neg(pool, rhs)?;
    Some(pool.binary(Add, lhs, inner))
}

/// (a + b) - a / b; (a - b) - a / -b
pub(super) fn subtract_from_sum(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    if let Some((left, right)) = pool.as_binary(Add, lhs) {
        return both_ways(left, right).into_iter().find_map(|(taken, rest)| (taken == rhs).then_some(rest));
    }
    let (left, right) = pool.as_binary(Sub, lhs)?;
    (left == rhs).then(|| pool.unary(UnaryOp::Neg, right))
}

/// a - (a + b) / -b; a - (a - b) / b; k1 - (a + k2) / (k1 - k2) - a
pub(super) fn subtract_sum(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    if let Some((left, right)) = pool.as_binary(Sub, rhs) {
        return (left == lhs).then_some(right);
    }
    let (left, right) = pool.as_binary(Add, rhs)?;
    if let Some((_, rest)) = both_ways(left, right).into_iter().find(|&(taken, _)| taken == lhs) {
        return Some(pool.unary(UnaryOp::Neg, rest));
    }
    let (constant, offset) = (pool.word_bits(lhs)?, pool.word_bits(right)?);
    let constant = pool.word_like(lhs, constant.wrapping_sub(offset));
    Some(pool.binary(Sub, constant, left))
}

/// sext(a) - sext(b) / sext(a - b) with one bit more than the wider operand
pub(super) fn subtract_sign_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Sub)?;
    let width = pool.signed_bits(lhs).max(pool.signed_bits(rhs)) + 1;
    narrow_signed(pool, Sub, lhs, rhs, width)
}

/// a * b / a & b: one bit
pub(super) fn truth_product(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    pool.is_truth(lhs).then(|| pool.and(lhs, rhs))
}

/// a * 0 / 0; a * 1 / a; a * -1 / -a
pub(super) fn multiply_by_special(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    match pool.word_signed(rhs)? {
        0 => Some(rhs),
        1 => Some(lhs),
        -1 => Some(pool.unary(UnaryOp::Neg, lhs)),
        _ => None,
    }
}

/// a * 2^n / concat(extract(a, w-1-n, 0), 0)
pub(super) fn multiply_by_power(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    let exponent = exponent(pool.word_bits(rhs)?)?;
    let amount = pool.word_like(lhs, exponent.into());
    Some(pool.binary(BinaryOp::Shl, lhs, amount))
}

/// (a * k1) * k2 / a * (k1 * k2); -a * k / a * -k
pub(super) fn multiply_constants(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    let factor = pool.word_bits(rhs)?;
    let (inner, factor) = match (pool.as_constant_operand(Mul, lhs), as_neg(pool, lhs)) {
        (Some((inner, other)), _) => (inner, factor.wrapping_mul(other)),
        (None, Some(inner)) => (inner, factor.wrapping_neg()),
        (None, None) => return None,
    };
    let factor = pool.word_like(inner, factor);
    Some(pool.binary(Mul, inner, factor))
}

/// zext(c) * a / ite(c, a, 0): c is one bit
pub(super) fn multiply_by_truth(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    let (condition, factor) = both_ways(lhs, rhs).into_iter().find_map(|(extended, factor)| {
        let (condition, signed) = pool.as_extend(extended)?;
        (!signed && pool.is_truth(condition)).then_some((condition, factor))
    })?;
    let zero = pool.word_like(factor, 0);
    Some(pool.ite(condition, factor, zero))
}

/// sext(a) * sext(b) / sext(a * b) with the sum of the widths
pub(super) fn multiply_sign_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Mul)?;
    let width = pool.signed_bits(lhs) + pool.signed_bits(rhs);
    narrow_signed(pool, Mul, lhs, rhs, width)
}
