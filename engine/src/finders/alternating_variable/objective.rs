//! How far a truth is from holding, as a number: what a local search makes smaller.
//!
//! The distances are those of search-based testing (N. Tracey, J. Clark, K. Mander, J. McDermid, ASE 1998): a comparison that does not hold is
//! as far as its operands are apart, a conjunction as far as its parts together, a disjunction as far as its nearest part. Operands
//! are apart by the number of values between them, of which the logarithm is taken: so floats of any magnitude have a slope,
//! and no comparison outweighs the others.

use crate::step::value_order::order;
use model::simulate::WindowEvaluator;
use model::sort::Sort;
use model::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use model::value::Value;

/// What a comparison asks of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Different,
    Less,
    LessOrEqual,
}

/// How words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Unsigned,
    Signed,
    Float,
}

/// A truth, taken apart. Numbers are positions among the roots of an evaluator.
#[derive(Clone, Debug)]
enum Part {
    /// All of them, each with its weight.
    All(Vec<(f64, Part)>),
    Any(Vec<Part>),
    Compare {
        relation: Relation,
        reading: Reading,
        lhs: usize,
        rhs: usize,
    },
    /// Something that holds or does not.
    Truth {
        root: usize,
        wanted: bool,
    },
}

/// A truth over a window of an execution, and the terms whose values tell how far it is from holding.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    part: Part,
    /// The terms, the truth itself first.
    roots: Vec<TermId>,
}

/// Nesting beyond which a truth is not taken apart: shared parts would be met again and again.
const DEEPEST: u32 = 12;

impl Objective {
    /// Of a truth. Its conjuncts for which `comes_first` says so weigh more than all others together.
    pub(super) fn new(terms: &TermPool, truth: TermId, comes_first: impl Fn(TermId) -> bool) -> Self {
        const FIRST: f64 = 128.0;
        let mut roots = vec![truth];
        let conjuncts = terms.conjuncts(truth);
        let parts = conjuncts.into_iter().map(|conjunct| {
            let weight = if comes_first(conjunct) { FIRST } else { 1.0 };
            (weight, part(terms, conjunct, true, 0, &mut roots))
        });
        let part = Part::All(parts.collect());
        Self { part, roots }
    }

    /// What to evaluate; the truth itself is the first.
    pub(super) fn roots(&self) -> &[TermId] {
        &self.roots
    }

    /// How far the truth is from holding, where the roots have these values: 0, or more the farther.
    pub(super) fn distance(&self, values: &WindowEvaluator) -> f64 {
        distance(&self.part, values)
    }
}

fn part(terms: &TermPool, truth: TermId, wanted: bool, depth: u32, roots: &mut Vec<TermId>) -> Part {
    let mut root = |term: TermId| {
        roots.push(term);
        roots.len() - 1
    };
    if depth == DEEPEST {
        return Part::Truth { root: root(truth), wanted };
    }
    match terms.node(truth) {
        Term::Unary { op: UnaryOp::Not, arg } => part(terms, arg, !wanted, depth + 1, roots),
        Term::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs } => {
            let parts = [lhs, rhs].map(|side| part(terms, side, wanted, depth + 1, roots));
            match (op == BinaryOp::And) == wanted {
                true => Part::All(parts.into_iter().map(|part| (1.0, part)).collect()),
                false => Part::Any(parts.into()),
            }
        }
        Term::Ite { condition, then, otherwise } => {
            let mut both = |holds: bool, branch: TermId| {
                let guard = part(terms, condition, holds, depth + 1, roots);
                let branch = part(terms, branch, wanted, depth + 1, roots);
                Part::All(vec![(1.0, guard), (1.0, branch)])
            };
            Part::Any(vec![both(true, then), both(false, otherwise)])
        }
        Term::Binary { op, lhs, rhs } => match comparison(op, wanted) {
            Some((relation, reading, is_turned)) => {
                let (lhs, rhs) = if is_turned { (rhs, lhs) } else { (lhs, rhs) };
                Part::Compare { relation, reading, lhs: root(lhs), rhs: root(rhs) }
            }
            None => Part::Truth { root: root(truth), wanted },
        },
        _ => Part::Truth { root: root(truth), wanted },
    }
}

/// What an operator, or its negation, asks of its operands, and whether of the right one first. That NaN makes a negation hold is left aside.
fn comparison(op: BinaryOp, wanted: bool) -> Option<(Relation, Reading, bool)> {
    use BinaryOp::*;
    let reading = match op {
        SLt | SLe => Reading::Signed,
        FloatEq | FloatLt | FloatLe => Reading::Float,
        Eq | ULt | ULe => Reading::Unsigned,
        _ => return None,
    };
    let relation = match (op, wanted) {
        (Eq | FloatEq, true) => Relation::Equal,
        (Eq | FloatEq, false) => Relation::Different,
        (ULt | SLt | FloatLt, true) | (ULe | SLe | FloatLe, false) => Relation::Less,
        _ => Relation::LessOrEqual,
    };
    let is_turned = !wanted && matches!(relation, Relation::Less | Relation::LessOrEqual);
    Some((relation, reading, is_turned))
}

fn distance(part: &Part, values: &WindowEvaluator) -> f64 {
    match part {
        Part::All(parts) => parts.iter().map(|(weight, part)| weight * distance(part, values)).sum(),
        Part::Any(parts) => parts.iter().map(|part| distance(part, values)).fold(f64::INFINITY, f64::min),
        Part::Truth { root, wanted } => f64::from(u8::from(values.holds(*root) != *wanted)),
        Part::Compare { relation, reading, lhs, rhs } => {
            apart(*relation, *reading, values.value(*lhs), values.value(*rhs))
        }
    }
}

/// How far two values are from being in a relation: 0, or up to 1.
fn apart(relation: Relation, reading: Reading, lhs: Value, rhs: Value) -> f64 {
    if lhs.is_nan() || rhs.is_nan() {
        return f64::from(u8::from(relation != Relation::Different));
    }
    let number = |value: Value| match reading {
        Reading::Unsigned => value.bits() as i128,
        Reading::Signed => value.signed(),
        Reading::Float => order(value),
    };
    let (lhs_number, rhs_number) = (number(lhs), number(rhs));
    let missing = match relation {
        Relation::Different => i128::from(lhs_number == rhs_number),
        Relation::Less => (lhs_number - rhs_number + 1).max(0),
        Relation::LessOrEqual => (lhs_number - rhs_number).max(0),
        // Words are read neither way: the shorter one around counts.
        Relation::Equal => {
            let straight = (lhs_number - rhs_number).abs();
            match lhs.sort() {
                Sort::Word(width) if width < 127 => straight.min((1 << width) - straight),
                _ => straight,
            }
        }
    };
    (1.0 + missing as f64).log2() / 128.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::value_order::from_order;

    /// Relation, operands, and whether nothing is missing.
    #[test]
    fn distances_are_zero_where_the_relation_holds() {
        let word = |bits: u128| Value::word(8, bits);
        let table = [
            (Relation::Equal, Reading::Unsigned, word(3), word(3), true),
            (Relation::Equal, Reading::Unsigned, word(3), word(4), false),
            (Relation::Different, Reading::Unsigned, word(3), word(3), false),
            (Relation::Less, Reading::Unsigned, word(3), word(255), true),
            (Relation::Less, Reading::Signed, word(3), word(255), false),
            (Relation::LessOrEqual, Reading::Signed, word(255), word(0), true),
            (Relation::Less, Reading::Float, Value::double(-1.0), Value::double(0.0), true),
            (Relation::Less, Reading::Float, Value::double(0.0), Value::double(-0.0), false),
            (Relation::Equal, Reading::Float, Value::double(0.0), Value::double(-0.0), true),
            (Relation::LessOrEqual, Reading::Float, Value::double(f64::NAN), Value::double(0.0), false),
        ];
        for (relation, reading, lhs, rhs, holds) in table {
            let found = apart(relation, reading, lhs, rhs);
            assert_eq!(found == 0.0, holds, "{relation:?} {lhs:?} {rhs:?}: {found}");
        }
    }

    #[test]
    fn nearer_values_are_less_far() {
        let far =
            |number: f64| apart(Relation::Equal, Reading::Float, Value::double(number), Value::double(0.5));
        let numbers = [-1e300, -3.0, 1e-200, 0.1, 0.49, 0.499_999];
        assert!(numbers.is_sorted_by(|&left, &right| far(left) > far(right)));
        let around =
            |bits| apart(Relation::Equal, Reading::Unsigned, Value::word(8, bits), Value::word(8, 1));
        assert_eq!(around(255), around(3));
    }

    #[test]
    fn numbers_of_values_lead_back() {
        for number in [0.0, 1.5, -1.5, f64::MAX, f64::INFINITY, f64::NEG_INFINITY] {
            let value = Value::double(number);
            assert_eq!(from_order(value.sort(), order(value)), value);
        }
    }
}
