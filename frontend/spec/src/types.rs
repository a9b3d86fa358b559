//! Types of variables and expressions, and the exact arithmetic of their ranges.
//!
//! Integers and scaled numbers are one kind of type, a [`Range`]: all multiples of a step between
//! two bounds, which integers have with step 1. Every exact expression has the range of its results
//! as its type, computed by interval arithmetic; so no exact operation can overflow, and the width
//! of its word in the model follows from its type.

use crate::value::{Fraction, Value, big};
use frontend::SignalKind;
use model::sort::FloatFormat;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{CheckedMul, ToPrimitive};
use std::fmt;
use std::sync::Arc;

/// The type of a variable or expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truths.
    Bool,
    /// Exact numbers between bounds: integers and scaled ones.
    Number(Range),
    /// Some exact numbers; variables only, expressions have the [`Range`] around them.
    Set(Arc<NumberSet>),
    /// Names.
    Enum(Arc<Enumeration>),
    /// Integers of a machine, which wrap around.
    Machine {
        /// Bits: 8, 16, 32 or 64.
        bits: u32,
        /// Whether in two's complement.
        signed: bool,
    },
    /// IEEE 754 floats.
    Float(FloatFormat),
    /// All rational numbers; the model has no words for them.
    Rational,
}

/// The numbers `k * step` for `lo <= k <= hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    lo: i128,
    hi: i128,
    step: Fraction,
}

/// Some numbers with a common step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NumberSet {
    /// The range from the least to the greatest.
    range: Range,
    /// The numbers in steps of the range: ascending, each once.
    units: Vec<i128>,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enumeration {
    /// The name of the type; empty where the type has none.
    pub name: String,
    /// The enumerators in order.
    pub names: Vec<String>,
}

impl Range {
    /// The multiples of `step` from `lo` to `hi` steps; none where there are none, or the step is
    /// not above 0.
    pub fn new(lo: i128, hi: i128, step: Fraction) -> Option<Self> {
        (lo <= hi && step > Fraction::from_integer(0)).then_some(Self { lo, hi, step })
    }
    /// The integers from `lo` to `hi`; one of them where they are in the wrong order.
    pub fn integers(lo: i128, hi: i128) -> Self {
        Self { lo: lo.min(hi), hi: lo.max(hi), step: Fraction::from_integer(1) }
    }
    /// One number.
    pub fn single(number: Fraction) -> Self {
        let (units, denominator) = (*number.numer(), *number.denom());
        Self { lo: units, hi: units, step: Fraction::new_raw(1, denominator) }
    }
    /// The least number, in steps.
    pub fn lo(&self) -> i128 {
        self.lo
    }
    /// The greatest number, in steps.
    pub fn hi(&self) -> i128 {
        self.hi
    }
    /// The distance of numbers.
    pub fn step(&self) -> Fraction {
        self.step
    }
    /// Whether all numbers are integers with step 1.
    pub fn is_integral(&self) -> bool {
        self.step == Fraction::from_integer(1)
    }
    /// Whether `k` steps are one of the numbers.
    pub fn contains(&self, units: i128) -> bool {
        (self.lo..=self.hi).contains(&units)
    }
    /// The number of that many steps.
    pub fn value(&self, units: i128) -> Value {
        if self.is_integral() {
            return Value::Integer(units);
        }
        let fraction = Fraction::from_integer(units).checked_mul(&self.step);
        fraction.map_or_else(|| Value::number(big(self.step) * BigInt::from(units)), Value::fraction)
    }
    /// How many steps a number is, where it is a multiple of the step.
    pub fn units(&self, value: &Value) -> Option<i128> {
        if let Value::Integer(integer) = value
            && self.is_integral()
        {
            return Some(*integer);
        }
        let units = value.as_number()? / big(self.step);
        if units.is_integer() { units.to_integer().to_i128() } else { None }
    }

    /// How many steps of `finer` one step of this is, where it is a whole number.
    pub fn factor(&self, finer: Fraction) -> Option<i128> {
        let factor = self.step.checked_mul(&finer.recip())?;
        factor.is_integer().then(|| *factor.numer())
    }
    /// The same numbers in steps that a step of this is a multiple of.
    pub fn rescaled(&self, finer: Fraction) -> Option<Self> {
        let factor = self.factor(finer)?;
        Some(Self { lo: self.lo.checked_mul(factor)?, hi: self.hi.checked_mul(factor)?, step: finer })
    }
    /// Both in their greatest common step; none where that takes more than 128 bits.
    pub fn aligned(&self, other: &Self) -> Option<(Self, Self)> {
        if self.step == other.step {
            return Some((*self, *other));
        }
        let (left, right) = (self.step, other.step);
        let denominator = left.denom().checked_mul(&(right.denom() / left.denom().gcd(right.denom())))?;
        let in_units = |step: Fraction| step.numer().checked_mul(&(denominator / step.denom()));
        let step = Fraction::new(in_units(left)?.gcd(&in_units(right)?), denominator);
        Some((self.rescaled(step)?, other.rescaled(step)?))
    }
    /// The least range around two of one step.
    pub fn hull(&self, other: &Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), step: self.step }
    }
}

impl NumberSet {
    /// Some numbers; none where there are none, or where they have no common step of 128 bits.
    pub fn new(numbers: &[Fraction]) -> Option<Self> {
        let (first, rest) = numbers.split_first()?;
        let mut range = Range::single(*first);
        for number in rest {
            let (left, right) = range.aligned(&Range::single(*number))?;
            range = left.hull(&right);
        }
        let units = numbers.iter().map(|number| range.units(&Value::fraction(*number)));
        let mut units: Vec<i128> = units.collect::<Option<_>>()?;
        units.sort_unstable();
        units.dedup();
        Some(Self { range, units })
    }
    /// The range from the least to the greatest.
    pub fn range(&self) -> Range {
        self.range
    }
    /// The numbers in steps of the range: ascending, each once.
    pub fn units(&self) -> &[i128] {
        &self.units
    }
}

impl Type {
    /// How the bits that stand for a value are to be read.
    pub fn signal_kind(&self) -> SignalKind {
        match self {
            Self::Bool => SignalKind::Bool,
            Self::Enum(enumeration) => SignalKind::Enum {
                signed: false,
                enumerators: enumeration.names.iter().cloned().zip(0..).collect(),
            },
            Self::Float(_) => SignalKind::Float,
            Self::Machine { signed: true, .. } => SignalKind::Signed,
            _ if let Some(range) = self.range().filter(|range| !range.is_integral()) => {
                let step = range.step();
                SignalKind::Counted { signed: range.lo() < 0, step: (*step.numer(), *step.denom()) }
            }
            _ if self.range().is_some_and(|range| range.lo() < 0) => SignalKind::Signed,
            _ => SignalKind::Unsigned,
        }
    }

    /// The integers from `lo` to `hi`.
    pub fn integers(lo: i128, hi: i128) -> Self {
        Self::Number(Range::integers(lo, hi))
    }
    /// The type that a word of the language names.
    pub fn of_word(word: &str) -> Option<Self> {
        let machine = |bits, signed| Some(Self::Machine { bits, signed });
        match word {
            "bool" => Some(Self::Bool),
            "rational" => Some(Self::Rational),
            "f32" => Some(Self::Float(FloatFormat::Single)),
            "f64" => Some(Self::Float(FloatFormat::Double)),
            "u8" => machine(8, false),
            "u16" => machine(16, false),
            "u32" => machine(32, false),
            "u64" => machine(64, false),
            "i8" => machine(8, true),
            "i16" => machine(16, true),
            "i32" => machine(32, true),
            "i64" => machine(64, true),
            _ => None,
        }
    }
    /// The range of exact numbers and machine integers.
    pub fn range(&self) -> Option<Range> {
        match self {
            Self::Number(range) => Some(*range),
            Self::Set(set) => Some(set.range),
            Self::Machine { bits, signed: false } => Some(Range::integers(0, (1 << bits) - 1)),
            Self::Machine { bits, signed: true } => {
                Some(Range::integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            _ => None,
        }
    }
    /// Whether its values are exact numbers between bounds.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Set(_))
    }
    /// Whether a value is one of this type.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bool, Value::Bool(_)) => true,
            (Self::Enum(enumeration), Value::Enumerator(index)) => {
                (*index as usize) < enumeration.names.len()
            }
            (Self::Float(format), Value::Float(found, _)) => format == found,
            (Self::Rational, Value::Integer(_) | Value::Rational(_)) => true,
            (Self::Set(set), _) => {
                set.range.units(value).is_some_and(|units| set.units.binary_search(&units).is_ok())
            }
            _ => match self.range() {
                Some(range) => range.units(value).is_some_and(|units| range.contains(units)),
                None => false,
            },
        }
    }
    /// How many values it has; none for rationals, floats, and 2^128 values.
    pub fn count(&self) -> Option<u128> {
        match self {
            Self::Bool => Some(2),
            Self::Enum(enumeration) => Some(enumeration.names.len() as u128),
            Self::Set(set) => Some(set.units.len() as u128),
            Self::Float(_) | Self::Rational => None,
            Self::Number(_) | Self::Machine { .. } => {
                let range = self.range()?;
                (range.hi.wrapping_sub(range.lo) as u128).checked_add(1)
            }
        }
    }
    /// The values in ascending order; none for rationals and floats.
    pub fn values(&self) -> Option<Box<dyn Iterator<Item = Value> + '_>> {
        Some(match self {
            Self::Bool => Box::new([false, true].into_iter().map(Value::Bool)),
            Self::Enum(enumeration) => Box::new((0..enumeration.names.len() as u32).map(Value::Enumerator)),
            Self::Set(set) => Box::new(set.units.iter().map(|&units| set.range.value(units))),
            Self::Float(_) | Self::Rational => return None,
            Self::Number(_) | Self::Machine { .. } => {
                let range = self.range()?;
                Box::new((range.lo..=range.hi).map(move |units| range.value(units)))
            }
        })
    }
    /// A value as users write it.
    pub fn show(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Enum(enumeration), Value::Enumerator(index)) => {
                enumeration.names.get(*index as usize).cloned().unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}..{}", self.value(self.lo), self.value(self.hi))?;
        if self.is_integral() { Ok(()) } else { write!(out, " step {}", Value::fraction(self.step)) }
    }
}

impl fmt::Display for Type {
    /// The type as messages name it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => out.write_str("bool"),
            Self::Number(range) => write!(out, "{range}"),
            Self::Set(set) => {
                let shown: Vec<String> =
                    set.units.iter().map(|&units| set.range.value(units).to_string()).collect();
                write!(out, "{{{}}}", shown.join(", "))
            }
            Self::Enum(enumeration) if enumeration.name.is_empty() => {
                write!(out, "{{{}}}", enumeration.names.join(", "))
            }
            Self::Enum(enumeration) => out.write_str(&enumeration.name),
            Self::Machine { bits, signed } => write!(out, "{}{bits}", if *signed { 'i' } else { 'u' }),
            Self::Float(format) => write!(out, "f{}", format.width()),
            Self::Rational => out.write_str("rational"),
        }
    }
}
