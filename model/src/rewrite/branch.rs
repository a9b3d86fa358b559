//! Rules for `ite`. Guarded merging in a front end makes long chains of them.

use super::view::both_ways;
use crate::sort::Sort;
use crate::term::{BinaryOp, Term, TermId, TermPool};

fn parts(term: Term) -> Option<(TermId, TermId, TermId)> {
    match term {
        Term::Ite { condition, then, otherwise } => Some((condition, then, otherwise)),
        _ => None,
    }
}

/// ite(1, a, b) / a; ite(0, a, b) / b
pub(super) fn constant_condition(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    Some(if pool.word_bits(condition)? == 1 { then } else { otherwise })
}

/// ite(c, a, a) / a
pub(super) fn same_branches(_: &mut TermPool, term: Term) -> Option<TermId> {
    let (_, then, otherwise) = parts(term)?;
    (then == otherwise).then_some(then)
}

/// ite(!c, a, b) / ite(c, b, a)
pub(super) fn negated_condition(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    let plain = pool.as_not(condition)?;
    Some(pool.ite(plain, otherwise, then))
}

/// One-bit branches that are constant, the condition, or complements: ite(c, 1, b), ite(c, c, b) /
/// c | b; ite(c, 0, b), ite(c, !c, b) / !c & b; ite(c, a, 0), ite(c, a, c) / c & a; ite(c, a, 1),
/// ite(c, a, !c) / !c | a; ite(c, a, !a) / !(c ^ a)
pub(super) fn truth_branches(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    if !pool.is_truth(then) {
        return None;
    }
    // What a branch is worth given its side of the condition.
    let known = |pool: &TermPool, branch: TermId, side: bool| match pool.word_bits(branch) {
        Some(bits) => Some(bits == 1),
        None if branch == condition => Some(side),
        None => pool.are_complements(branch, condition).then_some(!side),
    };
    match (known(pool, then, true), known(pool, otherwise, false)) {
        (Some(true), _) => Some(pool.or(condition, otherwise)),
        (Some(false), _) => {
            let negated = pool.not(condition);
            Some(pool.and(negated, otherwise))
        }
        (_, Some(false)) => Some(pool.and(condition, then)),
        (_, Some(true)) => Some(pool.implies(condition, then)),
        (None, None) if pool.are_complements(then, otherwise) => {
            let different = pool.binary(BinaryOp::Xor, condition, then);
            Some(pool.not(different))
        }
        (None, None) => None,
    }
}

/// ite(c, 1, 0) / zext(c); ite(c, 0, 1) / zext(!c); ite(c, ones, 0) / sext(c); ite(c, 0, ones) /
/// sext(!c)
pub(super) fn extended_condition(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    let (Sort::Word(width), mask) = (pool.sort(then), pool.mask(then)) else { return None };
    let (bits, negated) = match (pool.word_bits(then)?, pool.word_bits(otherwise)?) {
        (bits, 0) => (bits, false),
        (0, bits) => (bits, true),
        _ => return None,
    };
    if bits != 1 && bits != mask {
        return None;
    }
    let truth = if negated { pool.not(condition) } else { condition };
    Some(pool.resize(truth, width.into(), bits != 1))
}

/// ite(c, ite(c, a, _), b), ite(c, a, ite(c, _, b)) / ite(c, a, b)
pub(super) fn decided_branch(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    let same = |branch| pool.as_ite(branch).filter(|inner| inner.0 == condition);
    let (new_then, new_otherwise) = match (same(then), same(otherwise)) {
        (None, None) => return None,
        (left, right) => (left.map_or(then, |inner| inner.1), right.map_or(otherwise, |inner| inner.2)),
    };
    Some(pool.ite(condition, new_then, new_otherwise))
}

/// ite(c, a, ite(d, a, b)) / ite(c | d, a, b); ite(c, a, ite(d, b, a)) / ite(c | !d, a, b);
/// ite(c, ite(d, a, b), b) / ite(c & d, a, b); ite(c, ite(d, b, a), b) / ite(c & !d, a, b)
pub(super) fn join_conditions(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    for (op, kept, nested) in [(BinaryOp::Or, then, otherwise), (BinaryOp::And, otherwise, then)] {
        let Some((inner, left, right)) = pool.as_ite(nested) else { continue };
        let (same, other) = if left == kept { (left, right) } else { (right, left) };
        if same != kept {
            continue;
        }
        let positive = (left == kept) == (op == BinaryOp::Or);
        let inner = if positive { inner } else { pool.not(inner) };
        let joined = pool.binary(op, condition, inner);
        let (then, otherwise) = if op == BinaryOp::Or { (kept, other) } else { (other, kept) };
        return Some(pool.ite(joined, then, otherwise));
    }
    None
}

/// ite(a == b, a, b) / b; ite(a == b, b, a) / a
pub(super) fn equality_selects(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    let (lhs, rhs) = pool.as_binary(BinaryOp::Eq, condition)?;
    both_ways(lhs, rhs).contains(&(then, otherwise)).then_some(otherwise)
}

/// ite(c, extend(a), extend(b)) / extend(ite(c, a, b)) at the width that both need; one branch may
/// be a constant
pub(super) fn extended_branches(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let (condition, then, otherwise) = parts(term)?;
    let extended = |pool: &TermPool, branch| pool.as_extend(branch).is_some();
    let constant = |pool: &TermPool, branch| pool.word_bits(branch).is_some();
    let fits = |pool: &TermPool, branch| extended(pool, branch) || constant(pool, branch);
    if !fits(pool, then) || !fits(pool, otherwise) || (constant(pool, then) && constant(pool, otherwise)) {
        return None;
    }
    let full = pool.width(then);
    let unsigned = pool.unsigned_bits(then).max(pool.unsigned_bits(otherwise));
    let signed = pool.signed_bits(then).max(pool.signed_bits(otherwise));
    let narrow = if unsigned < full { unsigned } else { signed };
    if narrow >= full {
        return None;
    }
    let (then, otherwise) = (pool.cut(then, narrow), pool.cut(otherwise, narrow));
    let chosen = pool.ite(condition, then, otherwise);
    Some(pool.resize(chosen, full, unsigned >= full))
}
