//! Concrete values: bit patterns with their sort.

use crate::sort::{FloatFormat, Sort};
use std::fmt;

/// A concrete value of some [`Sort`]: its bits, zero above the width.
///
/// Equality is equality of bit patterns; [`Value::agrees_with`] additionally identifies all NaNs,
/// which is how two executions of floating-point code are compared (the payload of a NaN is not
/// fixed by C or IEEE 754).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value {
    bits: u128,
    sort: Sort,
}

impl Value {
    /// The value with the given bits; bits above the sort's width are cut off.
    pub const fn new(sort: Sort, bits: u128) -> Self {
        Self { bits: bits & sort.mask(), sort }
    }
    /// A word of `width` bits holding `bits` modulo 2^width.
    pub fn word(width: u32, bits: u128) -> Self {
        Self::new(Sort::word(width), bits)
    }
    /// A truth value.
    pub const fn truth(holds: bool) -> Self {
        Self { bits: holds as u128, sort: Sort::TRUTH }
    }
    /// A binary32 number.
    pub const fn single(number: f32) -> Self {
        Self { bits: number.to_bits() as u128, sort: Sort::Float(FloatFormat::Single) }
    }
    /// A binary64 number.
    pub const fn double(number: f64) -> Self {
        Self { bits: number.to_bits() as u128, sort: Sort::Float(FloatFormat::Double) }
    }
    /// All bits zero: also the number +0.0.
    pub const fn zero(sort: Sort) -> Self {
        Self { bits: 0, sort }
    }
    /// The sort.
    pub const fn sort(self) -> Sort {
        self.sort
    }
    /// The bit pattern, read as an unsigned number.
    pub const fn bits(self) -> u128 {
        self.bits
    }
    /// The bit pattern read as a two's complement number.
    pub const fn signed(self) -> i128 {
        let unused = 128 - self.sort.width();
        ((self.bits << unused) as i128) >> unused
    }
    /// Whether any bit is set: C's reading of a word as truth.
    pub const fn is_true(self) -> bool {
        self.bits != 0
    }
    /// Whether this is a NaN of a float sort.
    pub const fn is_nan(self) -> bool {
        match self.sort {
            Sort::Word(_) => false,
            Sort::Float(FloatFormat::Single) => f32::from_bits(self.bits as u32).is_nan(),
            Sort::Float(FloatFormat::Double) => f64::from_bits(self.bits as u64).is_nan(),
        }
    }
    /// Same sort and same bits, or both NaN.
    pub fn agrees_with(self, other: Self) -> bool {
        self == other || (self.sort == other.sort && self.is_nan() && other.is_nan())
    }
}

impl fmt::Display for Value {
    /// Words as unsigned decimal numbers, floats as the shortest decimal that reads back equal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Word(_) => write!(formatter, "{}", self.bits),
            Sort::Float(FloatFormat::Single) => write!(formatter, "{:?}", f32::from_bits(self.bits as u32)),
            Sort::Float(FloatFormat::Double) => write!(formatter, "{:?}", f64::from_bits(self.bits as u64)),
        }
    }
}
impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}:{}", self.sort)
    }
}
