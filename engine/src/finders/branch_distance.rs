//! How far a comparison is from having the truth that is wanted, as a number.
//!
//! This is the measure of search-based testing (N. Tracey, J. Clark, K. Mander, J. McDermid, An
//! automated framework for structural test-data generation, ASE 1998): a comparison that does not
//! hold is as far from holding as its operands are apart. Who takes the distances adds those of the
//! parts of a conjunction, and takes the least of those of a disjunction: over the values of terms
//! ([`objective`](super::alternating_variable::objective)), or over all values that a step could
//! compute ([`nearness`](super::simulate::nearness)).

use crate::domain::float;
use crate::step::value_order::order;
use model::sort::{FloatFormat, Sort};
use model::term::BinaryOp;
use model::value::Value;

/// What equal floats are apart where they should differ.
const SLIGHTLY: f64 = 1e-6;

/// By what operands that do not fit are measured; both measures are from 0 to 1 and grow with what
/// is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// By the difference d of the numbers, as d / (d + 1): small differences count most, as those
    /// that a counter or a filter has still to go.
    Difference,
    /// By the logarithm of the number of values between them: numbers of any magnitude have a
    /// slope, floats too.
    Values,
}

impl Measure {
    fn of(self, missing: f64) -> f64 {
        match self {
            Self::Difference => missing / (missing + 1.0),
            Self::Values => (1.0 + missing).log2() / 128.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

/// How operands are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Words of that many bits, unsigned.
    Unsigned(u32),
    /// Words of that many bits, in two's complement.
    Signed(u32),
    Float(FloatFormat),
}

/// A comparison, and the truth that is wanted of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    relation: Relation,
    reading: Reading,
    wanted: bool,
}

impl Comparison {
    /// Of operands of this sort. `None`: the operator does not compare.
    pub(super) fn new(op: BinaryOp, sort: Sort, wanted: bool) -> Option<Self> {
        use BinaryOp::*;
        let relation = match op {
            Eq | FloatEq => Relation::Equal,
            ULt | SLt | FloatLt => Relation::Less,
            ULe | SLe | FloatLe => Relation::LessOrEqual,
            _ => return None,
        };
        let reading = match (op, sort) {
            (FloatEq | FloatLt | FloatLe, Sort::Float(format)) => Reading::Float(format),
            (SLt | SLe, _) => Reading::Signed(sort.width()),
            _ => Reading::Unsigned(sort.width()),
        };
        Some(Self { relation, reading, wanted })
    }

    /// How far values with these bits are from the wanted truth: 0 where it holds, else up to 1.
    pub(super) fn distance(&self, lhs: u128, rhs: u128, measure: Measure) -> f64 {
        match self.reading {
            Reading::Unsigned(width) => measure.of(self.missing(width, lhs, rhs)),
            Reading::Signed(width) => {
                // Signed order is unsigned order with the sign bit turned around.
                let sign = 1 << (width - 1);
                measure.of(self.missing(width, lhs ^ sign, rhs ^ sign))
            }
            Reading::Float(format) => self.float_distance(format, [lhs, rhs], measure),
        }
    }

    /// By how much one of two words has to change.
    fn missing(&self, width: u32, lhs: u128, rhs: u128) -> f64 {
        match (self.relation, self.wanted) {
            // Equal words are read neither way: the shorter way around counts.
            (Relation::Equal, true) => {
                let straight = lhs.abs_diff(rhs);
                straight.min(straight.wrapping_neg() & Sort::word(width).mask()) as f64
            }
            (Relation::Equal, false) => f64::from(u8::from(lhs == rhs)),
            (Relation::Less, true) => at_least(rhs, lhs),
            (Relation::Less, false) => rhs.saturating_sub(lhs) as f64,
            (Relation::LessOrEqual, true) => lhs.saturating_sub(rhs) as f64,
            (Relation::LessOrEqual, false) => at_least(lhs, rhs),
        }
    }

    /// The distance of floats. NaN is as far as can be.
    fn float_distance(&self, format: FloatFormat, operands: [u128; 2], measure: Measure) -> f64 {
        let [lhs, rhs] = operands.map(|bits| float(format, bits as u64));
        let holds = match self.relation {
            Relation::Equal => lhs == rhs,
            Relation::Less => lhs < rhs,
            Relation::LessOrEqual => lhs <= rhs,
        };
        if holds == self.wanted {
            return 0.0;
        }
        let missing = match measure {
            _ if lhs.is_nan() || rhs.is_nan() => return 1.0,
            Measure::Difference => (lhs - rhs).abs() + SLIGHTLY,
            Measure::Values => {
                let [lhs, rhs] = operands.map(|bits| order(Value::new(Sort::Float(format), bits)));
                // Operands that must not be equal, or must differ in order, are one value too near.
                let is_strict = (self.relation == Relation::LessOrEqual) != self.wanted;
                let is_unequal = self.relation == Relation::Equal && !self.wanted;
                let spare = if self.relation == Relation::Equal { is_unequal } else { is_strict };
                lhs.abs_diff(rhs) as f64 + f64::from(u8::from(spare))
            }
        };
        if missing.is_finite() { measure.of(missing) } else { 1.0 }
    }
}

/// How far a word is from being greater than another.
fn at_least(greater: u128, less: u128) -> f64 {
    if less < greater { 0.0 } else { (less - greater) as f64 + 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::term::BinaryOp::*;

    const MEASURES: [Measure; 2] = [Measure::Difference, Measure::Values];

    /// Operator, operands, and whether the comparison holds.
    #[test]
    fn distances_are_zero_where_the_wanted_truth_holds() {
        let (word, double) = (|bits: u128| Value::word(8, bits), Value::double);
        let table = [
            (Eq, word(3), word(3), true),
            (Eq, word(3), word(4), false),
            (ULt, word(3), word(255), true),
            (ULt, word(3), word(3), false),
            (ULe, word(3), word(3), true),
            (ULe, word(4), word(3), false),
            (SLt, word(3), word(255), false),
            (SLe, word(255), word(0), true),
            (FloatLt, double(-1.0), double(0.0), true),
            (FloatLt, double(0.0), double(-0.0), false),
            (FloatEq, double(0.0), double(-0.0), true),
            (FloatLe, double(f64::NAN), double(0.0), false),
            (FloatLe, double(f64::INFINITY), double(0.0), false),
        ];
        for (op, lhs, rhs, holds) in table {
            for (wanted, measure) in
                [true, false].into_iter().flat_map(|wanted| MEASURES.map(|m| (wanted, m)))
            {
                let comparison = Comparison::new(op, lhs.sort(), wanted).expect("a comparison");
                let found = comparison.distance(lhs.bits(), rhs.bits(), measure);
                assert_eq!(found == 0.0, holds == wanted, "{comparison:?} {lhs:?} {rhs:?}: {found}");
                assert!((0.0..=1.0).contains(&found), "{comparison:?} {lhs:?} {rhs:?}: {found}");
            }
        }
        assert!(Comparison::new(Add, Sort::word(8), true).is_none());
    }

    #[test]
    fn nearer_values_are_less_far() {
        let far = |number: f64, measure| {
            let comparison = Comparison::new(FloatEq, Value::double(0.5).sort(), true).expect("a comparison");
            comparison.distance(number.to_bits().into(), 0.5f64.to_bits().into(), measure)
        };
        let numbers = [-1e300, -3.0, 1e-200, 0.1, 0.49, 0.499_999];
        assert!(
            numbers.is_sorted_by(|&left, &right| far(left, Measure::Values) > far(right, Measure::Values))
        );
        let numbers = [-3.0, 0.1, 0.49, 0.499_999];
        let difference = |number| far(number, Measure::Difference);
        assert!(numbers.is_sorted_by(|&left, &right| difference(left) > difference(right)));
        let comparison = Comparison::new(Eq, Sort::word(8), true).expect("a comparison");
        for measure in MEASURES {
            let around = |bits| comparison.distance(bits, 1, measure);
            assert_eq!(around(255), around(3));
        }
    }

    /// Distances of all words of three bits are those of the numbers.
    #[test]
    fn distances_of_words_count_what_is_missing() {
        let signed = |bits: u128| bits as i32 - if bits > 3 { 8 } else { 0 };
        for (lhs, rhs) in (0..8).flat_map(|lhs| (0..8).map(move |rhs| (lhs, rhs))) {
            let (a, b) = (lhs as i32, rhs as i32);
            let (c, d) = (signed(lhs), signed(rhs));
            let table = [
                (ULt, true, a - b + 1),
                (ULt, false, b - a),
                (ULe, true, a - b),
                (ULe, false, b - a + 1),
                (SLt, true, c - d + 1),
                (SLe, false, d - c + 1),
                (Eq, true, (a - b).abs().min((c - d).abs())),
                (Eq, false, i32::from(a == b)),
            ];
            for (op, wanted, missing) in table {
                let comparison = Comparison::new(op, Sort::word(3), wanted).expect("a comparison");
                let missing = f64::from(missing.max(0));
                let found = comparison.distance(lhs, rhs, Measure::Difference);
                assert_eq!(found, missing / (missing + 1.0), "{op:?} {wanted} {lhs} {rhs}");
            }
        }
    }
}
