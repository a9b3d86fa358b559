//! Gates that an and-inverter graph spells out in several conjunctions.

use crate::aig::{Aig, Literal};

/// A gate that is more than a conjunction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `condition ? then : otherwise`; an exclusive or where `otherwise` is the complement of
    /// `then`.
    Mux { condition: Literal, then: Literal, otherwise: Literal },
    /// At least two of three.
    Majority([Literal; 3]),
}

impl Special {
    /// What it is a function of.
    pub(crate) fn operands(self) -> [Literal; 3] {
        match self {
            Self::Mux { condition, then, otherwise } => [condition, then, otherwise],
            Self::Majority(operands) => operands,
        }
    }
}

/// The gate that `lhs & rhs` spells out, where both are complemented conjunctions.
pub(crate) fn special(aig: &Aig, lhs: Literal, rhs: Literal) -> Option<Special> {
    if !lhs.is_complemented() || !rhs.is_complemented() {
        return None;
    }
    let (p, q) = (aig.fanins(lhs.node())?, aig.fanins(rhs.node())?);
    mux(p, q).or_else(|| majority(aig, p, q)).or_else(|| majority(aig, q, p))
}

/// `!(c & t) & !(!c & e) = c ? !t : !e`.
fn mux([p0, p1]: [Literal; 2], [q0, q1]: [Literal; 2]) -> Option<Special> {
    let gate = |condition, then: Literal, otherwise: Literal| {
        Some(Special::Mux { condition, then: !then, otherwise: !otherwise })
    };
    match () {
        _ if p0 == !q0 => gate(p0, p1, q1),
        _ if p0 == !q1 => gate(p0, p1, q0),
        _ if p1 == !q0 => gate(p1, p0, q1),
        _ if p1 == !q1 => gate(p1, p0, q0),
        _ => None,
    }
}

/// `!(a & b) & !(c & !(!a & !b))` is the complement of the majority of a, b, c.
fn majority(aig: &Aig, [a, b]: [Literal; 2], q: [Literal; 2]) -> Option<Special> {
    let is_either = |literal: Literal| {
        let operands = literal.is_complemented().then(|| aig.fanins(literal.node())).flatten();
        operands.is_some_and(|operands| operands == [!a, !b] || operands == [!b, !a])
    };
    let third = if is_either(q[0]) { q[1] } else { is_either(q[1]).then_some(q[0])? };
    Some(Special::Majority([!a, !b, !third]))
}
