//! Rules for `concat`, `extract`, extensions and shifts: operators that move bits.

use super::view::operands;
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

use BinaryOp::{AShr, Concat, LShr, Shl};

/// How deep terms are looked into to see whether an extraction can be pushed to the leaves.
const PUSH_DEPTH: u32 = 3;

fn shift(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    match term {
        Term::Binary { op: op @ (Shl | LShr | AShr), lhs, rhs } => Some((op, lhs, rhs)),
        _ => None,
    }
}

/// a << b, a >> b / a & !b; arithmetic a >> b / a: one bit
pub(super) fn truth_shift(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = shift(term)?;
    if !pool.is_truth(lhs) {
        return None;
    }
    if op == AShr {
        return Some(lhs);
    }
    let complement = pool.not(rhs);
    Some(pool.and(lhs, complement))
}

/// a << k / concat(extract(a, w-1-k, 0), 0); a >> k / extend(extract(a, w-1, k)); all zeros or
/// signs where k >= w
pub(super) fn shift_by_constant(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = shift(term)?;
    let width = pool.width(lhs);
    let amount = pool.word_bits(rhs)?.min(width.into()) as u32;
    match op {
        _ if amount == 0 => Some(lhs),
        AShr => {
            let kept = pool.extract(lhs, width - 1, amount.min(width - 1));
            Some(pool.sign_extend(kept, width))
        }
        _ if amount == width => Some(pool.word_like(lhs, 0)),
        LShr => {
            let kept = pool.extract(lhs, width - 1, amount);
            Some(pool.zero_extend(kept, width))
        }
        _ => {
            let (kept, zeros) = (pool.cut(lhs, width - amount), pool.word(amount, 0));
            Some(pool.binary(Concat, kept, zeros))
        }
    }
}

/// 0 << a, 0 >> a / 0; arithmetic ones >> a / ones
pub(super) fn shift_of_special(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, _) = shift(term)?;
    (pool.is_zero(lhs) || (op == AShr && pool.is_ones(lhs))).then_some(lhs)
}

/// arithmetic zext(a) >> b / logical zext(a) >> b
pub(super) fn shift_of_nonnegative(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = shift(term)?;
    let applies = op == AShr && pool.unsigned_bits(lhs) < pool.width(lhs);
    applies.then(|| pool.binary(LShr, lhs, rhs))
}

/// logical zext(a) >> b / zext(a >> extract(b, n-1, 0)); arithmetic sext(a) >> b / sext(a >>
/// extract(b, n-1, 0)): where b is below 2^n, n being the width of a
pub(super) fn shift_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = shift(term)?;
    let (arg, signed) = pool.as_extend(lhs)?;
    let narrow = pool.width(arg);
    if op == Shl || signed != (op == AShr) || pool.unsigned_bits(rhs) > narrow {
        return None;
    }
    let amount = pool.cut(rhs, narrow);
    let shifted = pool.binary(op, arg, amount);
    Some(pool.resize(shifted, pool.width(lhs), signed))
}

/// concat(0, a) / zext(a)
pub(super) fn zeros_above(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Concat)?;
    let width = pool.width(lhs) + pool.width(rhs);
    pool.is_zero(lhs).then(|| pool.zero_extend(rhs, width))
}

/// The two extractions as one, where they take neighbouring bits of one word.
fn joined(pool: &mut TermPool, upper: TermId, lower: TermId) -> Option<TermId> {
    let (upper_arg, high, upper_low) = pool.as_extract(upper)?;
    let (lower_arg, lower_high, low) = pool.as_extract(lower)?;
    (upper_arg == lower_arg && upper_low == lower_high + 1).then(|| pool.extract(upper_arg, high, low))
}

/// concat(extract(a, h, m+1), extract(a, m, l)) / extract(a, h, l); also with the upper part at the
/// bottom of another concatenation, or the lower part at the top
pub(super) fn adjacent_extracts(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Concat)?;
    if let Some(joined) = joined(pool, lhs, rhs) {
        return Some(joined);
    }
    if let Some((upper, lower)) = pool.as_binary(Concat, rhs)
        && let Some(joined) = joined(pool, lhs, upper)
    {
        return Some(pool.binary(Concat, joined, lower));
    }
    let (upper, lower) = pool.as_binary(Concat, lhs)?;
    let joined = joined(pool, lower, rhs)?;
    Some(pool.binary(Concat, upper, joined))
}

/// concat(k1, concat(k2, a)) / concat(k, a); concat(concat(a, k1), k2) / concat(a, k)
pub(super) fn adjacent_constants(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Concat)?;
    if pool.word_bits(lhs).is_some()
        && let Some((upper, lower)) = pool.as_binary(Concat, rhs)
        && pool.word_bits(upper).is_some()
    {
        let constant = pool.binary(Concat, lhs, upper);
        return Some(pool.binary(Concat, constant, lower));
    }
    let (upper, lower) = pool.as_binary(Concat, lhs)?;
    pool.word_bits(lower).and(pool.word_bits(rhs))?;
    let constant = pool.binary(Concat, lower, rhs);
    Some(pool.binary(Concat, upper, constant))
}

/// concat(extend(a), b) / extend(concat(a, b))
pub(super) fn extended_above(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Concat)?;
    let (arg, signed) = pool.as_extend(lhs)?;
    let width = pool.width(lhs) + pool.width(rhs);
    let narrow = pool.binary(Concat, arg, rhs);
    Some(pool.resize(narrow, width, signed))
}

fn extraction(term: Term) -> Option<(TermId, u32, u32)> {
    match term {
        Term::Extract { arg, high, low } => Some((arg, high.into(), low.into())),
        _ => None,
    }
}

/// extract(a, w-1, 0) / a
pub(super) fn extract_all(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    (low == 0 && high + 1 == pool.width(arg)).then_some(arg)
}

/// extract(extract(a, _, m), h, l) / extract(a, h+m, l+m)
pub(super) fn extract_of_extract(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    let (inner, _, offset) = pool.as_extract(arg)?;
    Some(pool.extract(inner, high + offset, low + offset))
}

/// extract(concat(a, b), h, l) / the same bits of a, of b, or of both
pub(super) fn extract_of_concat(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    let (upper, lower) = pool.as_binary(Concat, arg)?;
    let border = pool.width(lower);
    if high < border {
        return Some(pool.extract(lower, high, low));
    }
    if low >= border {
        return Some(pool.extract(upper, high - border, low - border));
    }
    let (upper, lower) = (pool.cut(upper, high - border + 1), pool.extract(lower, border - 1, low));
    Some(pool.binary(Concat, upper, lower))
}

/// extract(extend(a), h, l) / the same bits of a, extended
pub(super) fn extract_of_extend(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    let (inner, signed) = pool.as_extend(arg)?;
    let (inner_width, width) = (pool.width(inner), high - low + 1);
    if high < inner_width {
        return Some(pool.extract(inner, high, low));
    }
    if low < inner_width {
        let kept = pool.extract(inner, inner_width - 1, low);
        return Some(pool.resize(kept, width, signed));
    }
    if signed {
        let sign = pool.sign(inner);
        return Some(pool.sign_extend(sign, width));
    }
    Some(pool.word(width, 0))
}

/// Whether an extraction from the term vanishes in its leaves.
fn vanishes(pool: &TermPool, term: TermId, depth: u32) -> bool {
    match pool.node(term) {
        Term::Const(_) | Term::Extend { .. } => true,
        Term::Ite { then, otherwise, .. } if depth > 0 => {
            vanishes(pool, then, depth - 1) && vanishes(pool, otherwise, depth - 1)
        }
        Term::Binary { op, lhs, rhs } if depth > 0 && cuts_from_above(op) => {
            vanishes(pool, lhs, depth - 1) && vanishes(pool, rhs, depth - 1)
        }
        Term::Unary { op: UnaryOp::Not | UnaryOp::Neg, arg } if depth > 0 => vanishes(pool, arg, depth - 1),
        _ => false,
    }
}

/// Whether low bits of the result depend on the same low bits of the operands only.
fn cuts_from_above(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
    matches!(op, Add | Sub | Mul | And | Or | Xor)
}

/// extract(ite(c, a, b), h, l) / ite(c, extract(a, h, l), extract(b, h, l)): where the extractions
/// vanish
pub(super) fn extract_of_branches(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    let (condition, then, otherwise) = pool.as_ite(arg)?;
    if !(vanishes(pool, then, PUSH_DEPTH) && vanishes(pool, otherwise, PUSH_DEPTH)) {
        return None;
    }
    let (then, otherwise) = (pool.extract(then, high, low), pool.extract(otherwise, high, low));
    Some(pool.ite(condition, then, otherwise))
}

/// extract(a op b, h, 0) / extract(a, h, 0) op extract(b, h, 0): sums, products and bitwise
/// operators, where the extractions vanish (C's promotions to `int` and back)
pub(super) fn extract_of_arithmetic(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (arg, high, low) = extraction(term)?;
    if low != 0 || !vanishes(pool, arg, PUSH_DEPTH) {
        return None;
    }
    match pool.node(arg) {
        Term::Binary { op, lhs, rhs } => {
            let (lhs, rhs) = (pool.cut(lhs, high + 1), pool.cut(rhs, high + 1));
            Some(pool.binary(op, lhs, rhs))
        }
        Term::Unary { op, arg } => {
            let arg = pool.cut(arg, high + 1);
            Some(pool.unary(op, arg))
        }
        _ => None,
    }
}

/// zext(zext(a)), sext(zext(a)) / zext(a); sext(sext(a)) / sext(a)
pub(super) fn extend_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let Term::Extend { arg, width, signed } = term else { return None };
    let (inner, inner_signed) = pool.as_extend(arg)?;
    (signed || !inner_signed).then(|| pool.resize(inner, width.into(), inner_signed))
}
