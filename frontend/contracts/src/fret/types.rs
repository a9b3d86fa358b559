//! Types of numbers that FRET leaves open.
//!
//! Variables of FRET are unbounded integers or reals. Where a variable is only compared, with
//! constants and with other variables of the same step, finitely many values stand for all. The
//! inputs of a class of variables that are compared with one another get the constants, and
//! between, below and above them so many values that the inputs stand in each order that numbers
//! have. Outputs answer all of these: they get the same values, and once more so many between,
//! below and above them as there are outputs. So whatever the inputs are, each order of inputs,
//! outputs and constants that numbers allow has values, and none else.
//!
//! Of integers it matters, too, how many are between two of them, up to the number of outputs.

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
    /// Whether one of them is compared with a variable whose type is given: all values of that type
    /// matter.
    is_beside_given: bool,
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Whether the environment chooses it.
    pub(super) is_input: bool,
    pub(super) is_integer: bool,
    /// Whether it is never below 0.
    pub(super) is_unsigned: bool,
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
                self.classes[first].is_beside_given |= moved.is_beside_given;
            }
        }
        for side in [left, right] {
            match side {
                Side::Constant(constant) => drop(self.classes[first].constants.insert(constant)),
                Side::Name(name) => self.classes[first].is_beside_given |= !is_number(name),
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
    pub(super) fn ty(&self, name: &str, known: &dyn Fn(&str) -> Known) -> Option<String> {
        let Some(class) = self.class.get(name).map(|&class| &self.classes[class]) else {
            return (!self.computed.contains(name)).then(|| "0..0".to_owned());
        };
        let all: Vec<Known> = class.variables.iter().map(|name| known(name)).collect();
        let integers = all.iter().filter(|one| one.is_integer).count();
        let is_mixed = integers != 0 && integers != all.len();
        let is_whole = class.constants.iter().all(Fraction::is_integer);
        if class.is_beside_given
            || class.variables.iter().any(|name| self.computed.contains(name))
            || is_mixed
            || (integers > 0 && !is_whole)
        {
            return None;
        }
        let mut constants = class.constants.clone();
        let zero = Fraction::from_integer(0);
        if all.iter().any(|one| one.is_unsigned) {
            constants.insert(zero);
        }
        let inputs = all.iter().filter(|one| one.is_input).count() as i128;
        let outputs = all.len() as i128 - inputs;
        let own = known(name);
        let values = match integers > 0 {
            true => whole_values(&constants, inputs, outputs, own.is_input),
            false => real_values(&constants, inputs, outputs, own.is_input),
        };
        let values = values.iter().filter(|value| !own.is_unsigned || **value >= zero);
        let listed: Vec<String> = values.map(|value| Value::fraction(*value).to_string()).collect();
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

/// The values of the inputs of a class of reals, or those of its outputs.
fn real_values(
    constants: &BTreeSet<Fraction>,
    inputs: i128,
    outputs: i128,
    of_inputs: bool,
) -> BTreeSet<Fraction> {
    let given = refined(constants, inputs);
    if of_inputs { given } else { refined(&given, outputs) }
}

/// Some numbers, and so many between, below and above them.
fn refined(numbers: &BTreeSet<Fraction>, count: i128) -> BTreeSet<Fraction> {
    let mut found = numbers.clone();
    let whole = Fraction::from_integer;
    let (Some(&least), Some(&greatest)) = (numbers.first(), numbers.last()) else {
        return (0..count).map(whole).collect();
    };
    for distance in 1..=count {
        found.insert(least - whole(distance));
        found.insert(greatest + whole(distance));
    }
    // A power of two, so that the values between decimals are decimals.
    let parts = (count as u128 + 1).next_power_of_two() as i128;
    for (&low, &high) in numbers.iter().zip(numbers.iter().skip(1)) {
        found.extend((1..=count).map(|number| low + (high - low) * Fraction::new(number, parts)));
    }
    found
}

/// The values of the inputs of a class of integers, or those of its outputs. Distances between
/// neighbours count up to one more than there are outputs; so inputs that stand between two
/// constants are found within that distance for each of them from the one or from the other.
fn whole_values(
    constants: &BTreeSet<Fraction>,
    inputs: i128,
    outputs: i128,
    of_inputs: bool,
) -> BTreeSet<Fraction> {
    let zero = BTreeSet::from([Fraction::from_integer(0)]);
    let constants = if constants.is_empty() { &zero } else { constants };
    let given = around(constants, inputs * (outputs + 1));
    if of_inputs { given } else { around(&given, outputs) }
}

/// All whole numbers up to some distance from some numbers.
fn around(numbers: &BTreeSet<Fraction>, distance: i128) -> BTreeSet<Fraction> {
    let near = |number: &Fraction| {
        let number = *number;
        (-distance..=distance).map(move |by| number + Fraction::from_integer(by))
    };
    numbers.iter().flat_map(near).collect()
}
