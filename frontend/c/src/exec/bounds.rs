//! Comparisons with constants on one path: which of them exclude each other, and which follow from
//! others.
//!
//! A search in a table asks for the same value again and again: `u <= 538`, `u < 3277`, `u < 538`,
//! each a condition of its own to the folding of terms. Read as intervals they show which way the
//! search cannot go. A float that may be a NaN fails every comparison, so what fails bounds it only
//! if it is known to be a number.

use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use model::value::Value;

/// How the values of a word are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Unsigned,
    Signed,
    Float,
}

/// What a comparison says of a word: it lies between two places of its order, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    word: TermId,
    order: Order,
    low: i128,
    high: i128,
    /// Whether it says that the word is a number; otherwise that it lies there or is none.
    is_number: bool,
}

/// What follows for a comparison from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// It holds.
    Always,
    /// It does not hold.
    Never,
}

/// Reads a condition as bound; `None` where it is none.
pub(super) fn bound(terms: &TermPool, condition: TermId) -> Option<Bound> {
    let (inner, holds) = match terms.node(condition) {
        Term::Unary { op: UnaryOp::Not, arg } => (arg, false),
        _ => (condition, true),
    };
    let Term::Binary { lhs, rhs, .. } = terms.node(inner) else { return None };
    bound_with(terms, inner, (terms.as_const(lhs), terms.as_const(rhs)), holds)
}

/// Reads a comparison as bound where one of its operands is known to be a constant.
pub(super) fn bound_with(
    terms: &TermPool,
    comparison: TermId,
    known: (Option<Value>, Option<Value>),
    holds: bool,
) -> Option<Bound> {
    let Term::Binary { op, lhs, rhs } = terms.node(comparison) else { return None };
    let (order, is_strict) = match op {
        BinaryOp::ULt => (Order::Unsigned, true),
        BinaryOp::ULe => (Order::Unsigned, false),
        BinaryOp::SLt => (Order::Signed, true),
        BinaryOp::SLe => (Order::Signed, false),
        BinaryOp::FloatLt => (Order::Float, true),
        BinaryOp::FloatLe => (Order::Float, false),
        _ => return None,
    };
    let is_number = holds || order != Order::Float;
    let strict = i128::from(is_strict);
    let (word, low, high) = match known {
        (None, Some(constant)) => {
            let place = place(constant, order)?;
            if holds { (lhs, i128::MIN, place - strict) } else { (lhs, place + 1 - strict, i128::MAX) }
        }
        (Some(constant), None) => {
            let place = place(constant, order)?;
            if holds { (rhs, place + strict, i128::MAX) } else { (rhs, i128::MIN, place - 1 + strict) }
        }
        _ => return None,
    };
    let (word, order) = narrowed(terms, word, order);
    Some(Bound { word, order, low, high, is_number })
}

/// The word that an extended one has the value of.
fn narrowed(terms: &TermPool, word: TermId, order: Order) -> (TermId, Order) {
    match (terms.node(word), order) {
        (Term::Extend { arg, signed: false, .. }, Order::Unsigned | Order::Signed) => (arg, Order::Unsigned),
        (Term::Extend { arg, signed: true, .. }, Order::Signed) => (arg, Order::Signed),
        _ => (word, order),
    }
}

/// Where a constant stands in an order, as whole number; `None` for a NaN and for words too wide.
fn place(constant: Value, order: Order) -> Option<i128> {
    match (constant.sort(), order) {
        (sort, Order::Unsigned) if sort.width() <= 64 => Some(constant.bits() as i128),
        (sort, Order::Signed) if sort.width() <= 64 => Some(constant.signed()),
        (Sort::Float(format), Order::Float) => float_place(format, constant.bits()),
        _ => None,
    }
}

/// Numbers of a format in ascending order, both zeros at 0.
fn float_place(format: FloatFormat, bits: u128) -> Option<i128> {
    let sign = 1u128 << (format.width() - 1);
    let magnitude = (bits & (sign - 1)) as i128;
    let infinity = ((1i128 << format.exponent_bits()) - 1) << format.fraction_bits();
    (magnitude <= infinity).then_some(if bits & sign == 0 { magnitude } else { -magnitude })
}

impl Bound {
    /// Whether both are bounds of one word in one order.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        self.word == other.word && self.order == other.order
    }
}

/// What follows for a bound from others.
pub(super) fn follows(wanted: Bound, others: impl Iterator<Item = Bound>) -> Option<Follows> {
    let mut known =
        Bound { low: i128::MIN, high: i128::MAX, is_number: wanted.order != Order::Float, ..wanted };
    for other in others.filter(|other| wanted.is_of_same(other)) {
        known.low = known.low.max(other.low);
        known.high = known.high.min(other.high);
        known.is_number |= other.is_number;
    }
    let is_apart = known.low.max(wanted.low) > known.high.min(wanted.high);
    let is_inside = wanted.low <= known.low && known.high <= wanted.high;
    if is_apart && (known.is_number || wanted.is_number) {
        Some(Follows::Never)
    } else if is_inside && (known.is_number || !wanted.is_number) {
        Some(Follows::Always)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::eval::Evaluator;

    const COMPARISONS: [BinaryOp; 6] =
        [BinaryOp::ULt, BinaryOp::ULe, BinaryOp::SLt, BinaryOp::SLe, BinaryOp::FloatLt, BinaryOp::FloatLe];

    /// All comparisons of a word with some constants, from both sides, and their negations.
    fn conditions(terms: &mut TermPool, word: TermId, constants: &[TermId], is_float: bool) -> Vec<TermId> {
        let mut found = Vec::new();
        for op in COMPARISONS
            .into_iter()
            .filter(|op| matches!(op, BinaryOp::FloatLt | BinaryOp::FloatLe) == is_float)
        {
            for &constant in constants {
                for (lhs, rhs) in [(word, constant), (constant, word)] {
                    let truth = terms.binary(op, lhs, rhs);
                    found.extend([truth, terms.not(truth)]);
                }
            }
        }
        found
    }

    /// Whatever is said to follow from two conditions, on the word and on its extensions to eight
    /// bits, does so for every value of the word.
    fn judge_all(sort: Sort, constants: &[u128], values: impl Iterator<Item = u128> + Clone) {
        let mut terms = TermPool::new();
        let symbol = terms.fresh_symbol("x", sort);
        let word = terms.symbol_term(symbol);
        let is_float = !matches!(sort, Sort::Word(_));
        let words = match is_float {
            true => vec![word],
            false => vec![word, terms.resize(word, 8, false), terms.resize(word, 8, true)],
        };
        let mut all = Vec::new();
        for word in words {
            let sort = terms.sort(word);
            let constants: Vec<TermId> =
                constants.iter().map(|&bits| terms.constant(Value::new(sort, bits))).collect();
            all.extend(conditions(&mut terms, word, &constants, is_float));
        }
        let mut said = 0;
        for &first in &all {
            for &second in &all {
                let Some(wanted) = bound(&terms, second) else { continue };
                let Some(verdict) = follows(wanted, bound(&terms, first).into_iter()) else { continue };
                said += 1;
                let mut evaluator = Evaluator::new(&terms, [first, second]);
                for bits in values.clone() {
                    evaluator.run(|_| Value::new(sort, bits));
                    let expected = verdict == Follows::Always;
                    assert!(!evaluator.holds(0) || evaluator.holds(1) == expected, "{bits:#x}");
                }
            }
        }
        assert!(said > 50, "{said} pairs");
    }

    #[test]
    fn what_follows_holds_for_all_words() {
        judge_all(Sort::word(6), &[0, 1, 31, 32, 33, 62], 0..64);
    }

    #[test]
    fn what_follows_holds_for_numbers_and_what_is_none() {
        let format = FloatFormat::Single;
        let numbers = [0.0f32, -0.0, 1.0, -1.0, 2.5, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY];
        let constants: Vec<u128> = numbers.iter().map(|number| u128::from(number.to_bits())).collect();
        let between = [0.5f32, -0.5, 2.0, 3.0, -2.0, f32::NAN, f32::MAX];
        let values: Vec<u128> =
            numbers.iter().chain(&between).map(|number| u128::from(number.to_bits())).collect();
        judge_all(Sort::Float(format), &constants, values.into_iter());
    }
}
