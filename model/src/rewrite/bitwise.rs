//! Rules for `not`, `and`, `or`, `xor`. `and` and `or` are dual, so most rules serve both.

use super::view::{both_ways, operands};
use crate::term::{BinaryOp, Term, TermId, TermPool};

use BinaryOp::{And, Or, Xor};

/// Operator and operands of a bitwise node.
fn bitwise(term: Term) -> Option<(BinaryOp, TermId, TermId)> {
    match term {
        Term::Binary { op: op @ (And | Or | Xor), lhs, rhs } => Some((op, lhs, rhs)),
        _ => None,
    }
}

fn dual(op: BinaryOp) -> BinaryOp {
    if op == And { Or } else { And }
}

/// The constant x with a op x = x for all a: 0 of `and`, ones of `or`.
fn absorber(pool: &mut TermPool, op: BinaryOp, like: TermId) -> TermId {
    let bits = if op == And { 0 } else { u128::MAX };
    pool.word_like(like, bits)
}

/// !!a / a
pub(super) fn double_negation(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let Term::Unary { arg, .. } = term else { return None };
    pool.as_not(arg)
}

/// !(a ^ k) / a ^ !k
pub(super) fn negated_xor_constant(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let Term::Unary { arg, .. } = term else { return None };
    let (inner, bits) = pool.as_constant_operand(Xor, arg)?;
    let complement = pool.word_like(inner, !bits);
    Some(pool.binary(Xor, inner, complement))
}

/// a & ones, a | 0, a ^ 0 / a
pub(super) fn neutral_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let neutral = if op == And { pool.is_ones(rhs) } else { pool.is_zero(rhs) };
    neutral.then_some(lhs)
}

/// a & 0 / 0; a | ones / ones
pub(super) fn absorbing_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, _, rhs) = bitwise(term)?;
    let absorbing = if op == And { pool.is_zero(rhs) } else { pool.is_ones(rhs) };
    absorbing.then_some(rhs)
}

/// a & a, a | a / a; a ^ a / 0
pub(super) fn same_operands(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    match op {
        _ if lhs != rhs => None,
        Xor => Some(pool.word_like(lhs, 0)),
        _ => Some(lhs),
    }
}

/// a & !a / 0; a | !a, a ^ !a / ones
pub(super) fn complement_operands(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let bits = if op == And { 0 } else { u128::MAX };
    pool.are_complements(lhs, rhs).then(|| pool.word_like(lhs, bits))
}

/// (a op k1) op k2 / a op (k1 op k2)
pub(super) fn merge_constants(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let (inner, _) = pool.as_constant_operand(op, lhs)?;
    pool.word_bits(rhs)?;
    let (_, constant) = pool.as_binary(op, lhs)?;
    let merged = pool.binary(op, constant, rhs);
    Some(pool.binary(op, inner, merged))
}

/// extend(a) op extend(b) / extend(a op b): extensions of the same kind from the same width; also
/// zext(a) op k for `or` and `xor` where k fits
pub(super) fn both_extended(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let (arg, signed) = pool.as_extend(lhs)?;
    let width = pool.width(lhs);
    let other = match pool.as_extend(rhs) {
        Some((other, kind)) if kind == signed && pool.width(other) == pool.width(arg) => other,
        Some(_) => return None,
        None => {
            pool.word_bits(rhs)?;
            let bits = if signed { pool.signed_bits(rhs) } else { pool.unsigned_bits(rhs) };
            if bits > pool.width(arg) {
                return None;
            }
            pool.cut(rhs, pool.width(arg))
        }
    };
    let narrow = pool.binary(op, arg, other);
    Some(pool.resize(narrow, width, signed))
}

/// The operands of a term with that operator, else the term itself.
fn parts(pool: &TermPool, op: BinaryOp, term: TermId) -> [Option<TermId>; 2] {
    match pool.as_binary(op, term) {
        Some((lhs, rhs)) => [Some(lhs), Some(rhs)],
        None => [Some(term), None],
    }
}

/// Whether two truths are equalities of one term with different constants, both plain or both
/// negated.
fn are_different_equalities(pool: &TermPool, negated: bool, lhs: TermId, rhs: TermId) -> bool {
    let equality = |term| if negated { pool.as_equality(pool.as_not(term)?) } else { pool.as_equality(term) };
    match (equality(lhs), equality(rhs)) {
        (Some(left), Some(right)) => left.0 == right.0 && left.1 != right.1,
        _ => false,
    }
}

/// (a & b) & (!a & c), a == k1 & a == k2 / 0; (a | b) | (!a | c), a != k1 | a != k2 / ones
pub(super) fn contradiction(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let (left, right) = (parts(pool, op, lhs), parts(pool, op, rhs));
    let clash = |(left, right)| {
        pool.are_complements(left, right) || are_different_equalities(pool, op == Or, left, right)
    };
    let pairs = left
        .into_iter()
        .flatten()
        .flat_map(|left| right.into_iter().flatten().map(move |right| (left, right)));
    if !pairs.into_iter().any(clash) {
        return None;
    }
    Some(absorber(pool, op, lhs))
}

/// !a & !b / !(a | b); !a | !b / !(a & b)
pub(super) fn both_negated(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let (left, right) = (pool.as_not(lhs)?, pool.as_not(rhs)?);
    let joined = pool.binary(dual(op), left, right);
    Some(pool.not(joined))
}

/// a & (a | b) / a; a | (a & b) / a
pub(super) fn absorbed_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    both_ways(lhs, rhs).into_iter().find_map(|(plain, compound)| {
        let (left, right) = pool.as_binary(dual(op), compound)?;
        (plain == left || plain == right).then_some(plain)
    })
}

/// a & (a & b) / a & b; a | (a | b) / a | b
pub(super) fn repeated_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    both_ways(lhs, rhs).into_iter().find_map(|(plain, compound)| {
        let (left, right) = pool.as_binary(op, compound)?;
        (plain == left || plain == right).then_some(compound)
    })
}

/// a & (!a | b) / a & b; a | (!a & b) / a | b
pub(super) fn reduced_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    let (plain, kept) = both_ways(lhs, rhs).into_iter().find_map(|(plain, compound)| {
        let (left, right) = pool.as_binary(dual(op), compound)?;
        both_ways(left, right)
            .into_iter()
            .find_map(|(part, kept)| pool.are_complements(plain, part).then_some((plain, kept)))
    })?;
    Some(pool.binary(op, plain, kept))
}

/// a & !(a & b) / a & !b; a & !(a | b) / 0; a & !(!a | b) / a & !b; a & !(!a & b) / a; and the
/// duals
pub(super) fn reduced_negated_operand(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    for (plain, negated) in both_ways(lhs, rhs) {
        let Some(compound) = pool.as_not(negated) else { continue };
        for inner in [op, dual(op)] {
            let Some((left, right)) = pool.as_binary(inner, compound) else { continue };
            for (part, kept) in both_ways(left, right) {
                if part == plain && inner == op || pool.are_complements(part, plain) && inner == dual(op) {
                    let complement = pool.not(kept);
                    return Some(pool.binary(op, plain, complement));
                }
                if part == plain {
                    return Some(absorber(pool, op, lhs));
                }
                if pool.are_complements(part, plain) {
                    return Some(plain);
                }
            }
        }
    }
    None
}

/// a == k1 & a != k2 / a == k1; a == k1 | a != k2 / a != k2
pub(super) fn implied_equality(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (op, lhs, rhs) = bitwise(term)?;
    both_ways(lhs, rhs).into_iter().find_map(|(equality, inequality)| {
        let (left, right) = (pool.as_equality(equality)?, pool.as_equality(pool.as_not(inequality)?)?);
        let implied = left.0 == right.0 && left.1 != right.1;
        implied.then_some(if op == And { equality } else { inequality })
    })
}

/// a & k / zext(concat(extract(a, h, l), 0)): k has ones in bits l ..= h only
pub(super) fn contiguous_mask(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, And)?;
    let bits = pool.word_bits(rhs).filter(|&bits| bits != 0)?;
    let (low, above) = (bits.trailing_zeros(), 128 - bits.leading_zeros());
    if bits.count_ones() != above - low {
        return None;
    }
    let mut part = pool.extract(lhs, above - 1, low);
    if low > 0 {
        let zeros = pool.word(low, 0);
        part = pool.binary(BinaryOp::Concat, part, zeros);
    }
    Some(pool.zero_extend(part, pool.width(lhs)))
}

/// zext(a) & b / zext(a & extract(b, n-1, 0)) where b is a constant or an extension
pub(super) fn masked_extension(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, And)?;
    let (arg, other) = both_ways(lhs, rhs).into_iter().find_map(|(extended, other)| {
        let (arg, signed) = pool.as_extend(extended)?;
        let cheap = pool.word_bits(other).is_some() || pool.as_extend(other).is_some();
        (!signed && cheap).then_some((arg, other))
    })?;
    let low = pool.cut(other, pool.width(arg));
    let narrow = pool.binary(And, arg, low);
    Some(pool.zero_extend(narrow, pool.width(lhs)))
}

/// a ^ ones / !a
pub(super) fn xor_all_ones(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Xor)?;
    pool.is_ones(rhs).then(|| pool.not(lhs))
}

/// !a ^ b / !(a ^ b)
pub(super) fn xor_negated(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (lhs, rhs) = operands(term, Xor)?;
    let (inner, other) =
        both_ways(lhs, rhs).into_iter().find_map(|(negated, other)| Some((pool.as_not(negated)?, other)))?;
    let plain = pool.binary(Xor, inner, other);
    Some(pool.not(plain))
}
