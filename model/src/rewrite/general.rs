//! Rules for all operators.

use super::view::both_ways;
use crate::eval::apply_term;
use crate::term::{Term, TermId, TermPool};
use crate::value::Value;

/// op(constants) / its value
pub(super) fn fold_constants(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let mut values = [Value::truth(false); 3];
    let mut count = 0;
    for operand in term.operands() {
        values[count] = pool.as_const(operand)?;
        count += 1;
    }
    let value = apply_term(&term, &values[..count])?;
    Some(pool.constant(value))
}

/// op(ite(c, k1, k2), k3) / ite(c, op(k1, k3), op(k2, k3)): constants, and branches over one
/// condition
pub(super) fn apply_to_constant_branches(pool: &mut TermPool, term: Term) -> Option<TermId> {
    if matches!(term, Term::Ite { .. }) {
        return None;
    }
    let mut shared = None;
    let mut values = [[Value::truth(false); 3]; 2];
    let mut count = 0;
    for operand in term.operands() {
        let (then, otherwise) = match (pool.as_const(operand), pool.as_ite(operand)) {
            (Some(value), _) => (value, value),
            (None, Some((condition, then, otherwise))) if shared.is_none_or(|known| known == condition) => {
                shared = Some(condition);
                (pool.as_const(then)?, pool.as_const(otherwise)?)
            }
            _ => return None,
        };
        values[0][count] = then;
        values[1][count] = otherwise;
        count += 1;
    }
    let condition = shared?;
    let then = apply_term(&term, &values[0][..count])?;
    let otherwise = apply_term(&term, &values[1][..count])?;
    let (then, otherwise) = (pool.constant(then), pool.constant(otherwise));
    Some(pool.ite(condition, then, otherwise))
}

/// op(k, a) / op(a, k); op(b, a) / op(a, b) where a has the smaller id: commutative operators
pub(super) fn order_operands(pool: &mut TermPool, term: Term) -> Option<TermId> {
    let Term::Binary { op, lhs, rhs } = term else { return None };
    let rank = |term: TermId| (pool.as_const(term).is_some(), term);
    let [ordered, swapped] = both_ways(lhs, rhs);
    (rank(ordered.0) > rank(ordered.1)).then(|| pool.binary(op, swapped.0, swapped.1))
}
