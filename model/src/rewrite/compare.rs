//! Rules for `eq` and the orders.

use super::view::{both_ways, operands};
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

use BinaryOp::{Add, Concat, Eq, Or, SLe, SLt, Sub, ULe, ULt, Xor};

/// a == a / 1
pub(super) fn equal_same(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    (lhs == rhs).then(|| pool.truth(true))
}

/// a == 1 / a; a == 0 / !a; a == b / !(a ^ b): one bit
pub(super) fn equal_truths(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    if !pool.is_truth(lhs) {
        return None;
    }
    let different = pool.binary(Xor, lhs, rhs);
    Some(pool.not(different))
}

/// extend(a) == k / 0: where no a extends to k
pub(super) fn equal_out_of_range(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    let (arg, signed) = pool.as_extend(lhs)?;
    pool.word_bits(rhs)?;
    let needed = if signed { pool.signed_bits(rhs) } else { pool.unsigned_bits(rhs) };
    (needed > pool.width(arg)).then(|| pool.truth(false))
}

/// extend(a) == extend(b) / a == b at the width that both need
pub(super) fn equal_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    let unsigned = pool.unsigned_bits(lhs).max(pool.unsigned_bits(rhs));
    let signed = pool.signed_bits(lhs).max(pool.signed_bits(rhs));
    let narrow = unsigned.min(signed);
    if narrow >= pool.width(lhs) {
        return None;
    }
    let (lhs, rhs) = (pool.cut(lhs, narrow), pool.cut(rhs, narrow));
    Some(pool.equal(lhs, rhs))
}

/// a + k1 == k2 / a == k2 - k1; a ^ k1 == k2 / a == k1 ^ k2; k1 - a == k2 / a == k1 - k2; !a == k /
/// a == !k; -a == k / a == -k
pub(super) fn equal_constant_moved(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    let bits = pool.word_bits(rhs)?;
    let (inner, moved) = match pool.node(lhs) {
        Term::Unary { op: UnaryOp::Not, arg } => (arg, !bits),
        Term::Unary { op: UnaryOp::Neg, arg } => (arg, bits.wrapping_neg()),
        Term::Binary { op: Add, lhs: inner, rhs } => (inner, bits.wrapping_sub(pool.word_bits(rhs)?)),
        Term::Binary { op: Xor, lhs: inner, rhs } => (inner, bits ^ pool.word_bits(rhs)?),
        Term::Binary { op: Sub, lhs, rhs: inner } => (inner, pool.word_bits(lhs)?.wrapping_sub(bits)),
        _ => return None,
    };
    let moved = pool.word_like(inner, moved);
    Some(pool.equal(inner, moved))
}

/// a - b == 0, a ^ b == 0 / a == b; a | b == 0 / a == 0 & b == 0
pub(super) fn equal_to_zero(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    if !pool.is_zero(rhs) {
        return None;
    }
    match pool.node(lhs) {
        Term::Binary { op: Sub | Xor, lhs, rhs } => Some(pool.equal(lhs, rhs)),
        Term::Binary { op: Or, lhs: left, rhs: right } => {
            let (left, right) = (pool.equal(left, rhs), pool.equal(right, rhs));
            Some(pool.and(left, right))
        }
        _ => None,
    }
}

/// !a == !b, -a == -b / a == b
pub(super) fn equal_negations(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    let (left, right) = [UnaryOp::Not, UnaryOp::Neg]
        .into_iter()
        .find_map(|op| Some((pool.as_unary(op, lhs)?, pool.as_unary(op, rhs)?)))?;
    Some(pool.equal(left, right))
}

/// a == !a / 0; a + b == a / b == 0; a + b == a + c / b == c
pub(super) fn equal_never(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    if pool.are_complements(lhs, rhs) {
        return Some(pool.truth(false));
    }
    let sum = |term| pool.as_binary(Add, term).map(|(left, right)| both_ways(left, right));
    for (term, other) in both_ways(lhs, rhs) {
        for (shared, rest) in sum(term).into_iter().flatten() {
            if shared == other {
                let zero = pool.word_like(rest, 0);
                return Some(pool.equal(rest, zero));
            }
            if let Some((_, other_rest)) = sum(other).into_iter().flatten().find(|pair| pair.0 == shared) {
                return Some(pool.equal(rest, other_rest));
            }
        }
    }
    None
}

/// concat(a, b) == k / a == upper(k) & b == lower(k); concat(a, b) == concat(c, d) / a == c & b ==
/// d: b and d of one width
pub(super) fn equal_concatenation(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    let (upper, lower) = pool.as_binary(Concat, lhs)?;
    let border = pool.width(lower);
    let (other_upper, other_lower) = match pool.as_binary(Concat, rhs) {
        Some((_, other)) if pool.width(other) != border => return None,
        Some(parts) => parts,
        None => {
            pool.word_bits(rhs)?;
            (pool.extract(rhs, pool.width(lhs) - 1, border), pool.cut(rhs, border))
        }
    };
    let (upper, lower) = (pool.equal(upper, other_upper), pool.equal(lower, other_lower));
    Some(pool.and(upper, lower))
}

/// Compares both branches of an `ite` with a constant, where one branch is constant.
fn compare_branches(pool: &mut TermPool, op: BinaryOp, lhs: TermId, rhs: TermId) -> Option<TermId> {
    pool.word_bits(rhs)?;
    let (condition, then, otherwise) = pool.as_ite(lhs)?;
    pool.word_bits(then).or(pool.word_bits(otherwise))?;
    let (then, otherwise) = (pool.binary(op, then, rhs), pool.binary(op, otherwise, rhs));
    Some(pool.ite(condition, then, otherwise))
}

/// ite(c, k1, a) == k2 / ite(c, k1 == k2, a == k2); ite(c, a, b) == a / c | b == a
pub(super) fn compare_constant_branch(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Eq)?;
    if let Some(compared) = compare_branches(pool, Eq, lhs, rhs) {
        return Some(compared);
    }
    for (choice, other) in both_ways(lhs, rhs) {
        let Some((condition, then, otherwise)) = pool.as_ite(choice) else { continue };
        let yes = pool.truth(true);
        if then == other {
            let rest = pool.equal(otherwise, other);
            return Some(pool.ite(condition, yes, rest));
        }
        if otherwise == other {
            let rest = pool.equal(then, other);
            return Some(pool.ite(condition, rest, yes));
        }
    }
    None
}

fn order(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    match term {
        Term::Binary { op: op @ (ULt | ULe | SLt | SLe), lhs, rhs } => Some((op, lhs, rhs)),
        _ => None,
    }
}

/// A strict order, or nothing for the others.
fn strict(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    order(term).filter(|(op, ..)| matches!(op, ULt | SLt))
}

/// a < a / 0
pub(super) fn less_same(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (_, lhs, rhs) = strict(term)?;
    (lhs == rhs).then(|| pool.truth(false))
}

/// unsigned a < b / !a & b; signed a < b / a & !b: one bit
pub(super) fn less_truths(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = strict(term)?;
    if !pool.is_truth(lhs) {
        return None;
    }
    let (low, high) = if op == ULt { (lhs, rhs) } else { (rhs, lhs) };
    let not_low = pool.not(low);
    Some(pool.and(not_low, high))
}

/// a <= b / !(b < a)
pub(super) fn less_or_equal(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = order(term)?;
    let strict = match op {
        ULe => ULt,
        SLe => SLt,
        _ => return None,
    };
    let greater = pool.binary(strict, rhs, lhs);
    Some(pool.not(greater))
}

/// The largest word of the order.
fn maximum(pool: &TermPool, op: BinaryOp, like: TermId) -> u128 {
    if op == ULt { pool.mask(like) } else { pool.mask(like) >> 1 }
}

/// k < a / !(a < k+1); 0 where k is the maximum
pub(super) fn constant_less(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = strict(term)?;
    let bits = pool.word_bits(lhs)?;
    if bits == maximum(pool, op, lhs) {
        return Some(pool.truth(false));
    }
    let bound = pool.word_like(lhs, bits.wrapping_add(1));
    let below = pool.binary(op, rhs, bound);
    Some(pool.not(below))
}

/// a < min / 0; a < min+1 / a == min; a < max / !(a == max); signed a < 0 / extract(a, w-1, w-1)
pub(super) fn less_extreme(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = strict(term)?;
    let (bits, maximum) = (pool.word_bits(rhs)?, maximum(pool, op, lhs));
    let minimum = if op == SLt { maximum + 1 } else { 0 };
    if bits == minimum {
        return Some(pool.truth(false));
    }
    if bits == minimum + 1 {
        let least = pool.word_like(lhs, minimum);
        return Some(pool.equal(lhs, least));
    }
    if bits == maximum {
        let equal = pool.equal(lhs, rhs);
        return Some(pool.not(equal));
    }
    (op == SLt && bits == 0).then(|| pool.sign(lhs))
}

/// Smallest and largest number that the extended word takes in the order.
fn extended_range(pool: &TermPool, op: BinaryOp, term: TermId) -> Option<(i128, i128)> {
    let (arg, signed) = pool.as_extend(term)?;
    let bits = pool.width(arg);
    match (signed, op) {
        (false, _) => Some((0, ((1u128 << bits) - 1) as i128)),
        (true, SLt) => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
        (true, _) => None,
    }
}

/// extend(a) < k / 0 or 1: where k is outside the range; extend(a) < extend(b) / a < b at the width
/// that both need
pub(super) fn less_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = strict(term)?;
    if let (Some(bits), Some((least, most))) = (pool.word_bits(rhs), extended_range(pool, op, lhs)) {
        let signed = pool.word_signed(rhs)?;
        let above = if op == ULt { bits > most as u128 } else { signed > most };
        if above || (op == SLt && signed <= least) {
            return Some(pool.truth(above));
        }
    }
    let full = pool.width(lhs);
    let unsigned = pool.unsigned_bits(lhs).max(pool.unsigned_bits(rhs));
    let signed = pool.signed_bits(lhs).max(pool.signed_bits(rhs));
    let (op, narrow) = if unsigned < full { (ULt, unsigned) } else { (op, signed) };
    if narrow >= full {
        return None;
    }
    let (lhs, rhs) = (pool.cut(lhs, narrow), pool.cut(rhs, narrow));
    Some(pool.binary(op, lhs, rhs))
}

/// ite(c, k1, a) < k2 / ite(c, k1 < k2, a < k2)
pub(super) fn less_constant_branch(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = strict(term)?;
    compare_branches(pool, op, lhs, rhs)
}
