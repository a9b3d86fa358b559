//! Types of numbers that FRET leaves open.
//!
//! Variables of FRET are unbounded integers or reals. Where a variable is only compared, with
//! constants and with other variables of the same step, finitely many values stand for all: the
//! constants, and between, below and above them as many values as variables are compared with one
//! another. Each order of these variables and constants has such values, so nothing that the
//! formulas can tell apart is lost.

use super::formula::{Formula, Operator};
use spec::value::{Fraction, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What formulas do with numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// The class of each variable that is only compared: an index into `classes`.
    class: BTreeMap<String, usize>,
    classes: Vec<Class>,
    /// Variables that stand in sums, products and calls.
    computed: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
struct Class {
    variables: BTreeSet<String>,
    constants: BTreeSet<Fraction>,
}

impl Numbers {
    /// Takes account of a formula.
    pub(super) fn visit(&mut self, formula: &Formula, is_number: &dyn Fn(&str) -> bool) {
        if let Formula::Binary(operator, left, right) = formula
            && operator.is_comparison()
        {
            match (side(left), side(right)) {
                (Some(left), Some(right)) => self.compared(left, right, is_number),
                _ => self.compute(formula, is_number),
            }
            return;
        }
        if matches!(formula, Formula::Call(..)) {
            self.compute(formula, is_number);
        }
        for part in formula.operands() {
            self.visit(part, is_number);
        }
    }
    fn compute(&mut self, formula: &Formula, is_number: &dyn Fn(&str) -> bool) {
        let names = formula.names().into_iter().filter(|name| is_number(name));
        self.computed.extend(names.map(str::to_owned));
    }
    fn compared(&mut self, left: Side<'_>, right: Side<'_>, is_number: &dyn Fn(&str) -> bool) {
        let mut classes = Vec::new();
        for side in [&left, &right] {
            if let Side::Name(name) = side
                && is_number(name)
            {
                classes.push(self.class_of(name));
            }
        }
        let Some(&first) = classes.first() else { return };
        for &other in &classes[1..] {
            if other != first {
                let moved = std::mem::take(&mut self.classes[other]);
                for name in &moved.variables {
                    self.class.insert(name.clone(), first);
                }
                self.classes[first].variables.extend(moved.variables);
                self.classes[first].constants.extend(moved.constants);
            }
        }
        for side in [left, right] {
            if let Side::Constant(constant) = side {
                self.classes[first].constants.insert(constant);
            }
        }
    }
    fn class_of(&mut self, name: &str) -> usize {
        if let Some(&class) = self.class.get(name) {
            return class;
        }
        self.classes.push(Class { variables: BTreeSet::from([name.to_owned()]), ..Class::default() });
        self.class.insert(name.to_owned(), self.classes.len() - 1);
        self.classes.len() - 1
    }

    /// A type for a variable, as interfaces write it; none where values matter that comparisons do
    /// not name.
    pub(super) fn ty(&self, name: &str, is_integer: &dyn Fn(&str) -> bool) -> Option<String> {
        let Some(class) = self.class.get(name).map(|&class| &self.classes[class]) else {
            return (!self.computed.contains(name)).then(|| "0..0".to_owned());
        };
        let integers = class.variables.iter().filter(|name| is_integer(name)).count();
        let is_mixed = integers != 0 && integers != class.variables.len();
        let is_whole = class.constants.iter().all(Fraction::is_integer);
        if class.variables.iter().any(|name| self.computed.contains(name))
            || is_mixed
            || (integers > 0 && !is_whole)
        {
            return None;
        }
        let values = values(&class.constants, class.variables.len() as i128, integers > 0);
        let listed: Vec<String> = values.iter().map(|value| Value::fraction(*value).to_string()).collect();
        Some(format!("{{{}}}", listed.join(", ")))
    }
}

/// One side of a comparison that needs no arithmetic.
enum Side<'f> {
    Name(&'f str),
    Constant(Fraction),
}

fn side(formula: &Formula) -> Option<Side<'_>> {
    match formula {
        Formula::Name(name) => Some(Side::Name(name)),
        other => constant(other).map(Side::Constant),
    }
}

/// The value of an expression of numbers alone.
pub(super) fn constant(formula: &Formula) -> Option<Fraction> {
    use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};
    match formula {
        Formula::Number(number) => Some(*number),
        Formula::Negate(one) => constant(one).map(|number| -number),
        Formula::Binary(operator, left, right) if operator.is_numeric() => {
            let (left, right) = (constant(left)?, constant(right)?);
            match operator {
                Operator::Add => left.checked_add(&right),
                Operator::Sub => left.checked_sub(&right),
                Operator::Mul => left.checked_mul(&right),
                _ => left.checked_div(&right),
            }
        }
        _ => None,
    }
}

/// The constants, and so many values between, below and above them, as far as there are some.
fn values(constants: &BTreeSet<Fraction>, count: i128, integers: bool) -> BTreeSet<Fraction> {
    let mut found = constants.clone();
    let whole = |number: i128| Fraction::from_integer(number);
    let (Some(&least), Some(&greatest)) = (constants.first(), constants.last()) else {
        return (0..count).map(whole).collect();
    };
    for distance in 1..=count {
        found.insert(least - whole(distance));
        found.insert(greatest + whole(distance));
    }
    // A power of two, so that the values between decimals are decimals.
    let parts = (count as u128 + 1).next_power_of_two() as i128;
    for (&low, &high) in constants.iter().zip(constants.iter().skip(1)) {
        for number in 1..=count {
            let value = match integers {
                true => low + whole(number),
                false => low + (high - low) * Fraction::new(number, parts),
            };
            if value < high {
                found.insert(value);
            }
        }
    }
    found
}
