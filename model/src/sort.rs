//! Sorts of terms: words of 1 to 128 bits, and IEEE 754 floats.
//!
//! Truth is a word of width 1; there is no separate Boolean sort, so one operator table serves all.

use std::fmt;

/// Widest word the term language knows: the product of two 64-bit words.
pub const MAX_WIDTH: u32 = 128;

/// An IEEE 754 binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatFormat {
    /// binary32, C's `float`.
    Single,
    /// binary64, C's `double`.
    Double,
}

impl FloatFormat {
    /// Width of the bit pattern.
    pub const fn width(self) -> u32 {
        match self {
            Self::Single => 32,
            Self::Double => 64,
        }
    }
    /// Number of explicitly stored significand bits (23 or 52).
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Self::Single => 23,
            Self::Double => 52,
        }
    }
    /// Number of exponent bits (8 or 11).
    pub const fn exponent_bits(self) -> u32 {
        self.width() - 1 - self.fraction_bits()
    }
    /// Bit pattern of the NaN that every arithmetic operator yields: quiet, positive, payload zero.
    pub const fn canonical_nan(self) -> u128 {
        let exponent = ((1u128 << self.exponent_bits()) - 1) << self.fraction_bits();
        exponent | 1 << (self.fraction_bits() - 1)
    }
}

/// What values a term takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// A bit vector of the given width, 1 to [`MAX_WIDTH`]. Signedness belongs to operators, not to
    /// words.
    Word(u16),
    /// An IEEE 754 number, represented by its bit pattern.
    Float(FloatFormat),
}

impl Sort {
    /// The sort of truth values: a word of width 1.
    pub const TRUTH: Self = Self::Word(1);

    /// A word sort.
    ///
    /// # Panics
    /// If `width` is 0 or above [`MAX_WIDTH`].
    pub fn word(width: u32) -> Self {
        assert!((1..=MAX_WIDTH).contains(&width), "a word should have 1 to {MAX_WIDTH} bits, not {width}");
        Self::Word(width as u16)
    }
    /// Number of bits of a value of this sort.
    pub const fn width(self) -> u32 {
        match self {
            Self::Word(width) => width as u32,
            Self::Float(format) => format.width(),
        }
    }
    /// All ones in the width of this sort.
    pub const fn mask(self) -> u128 {
        u128::MAX >> (MAX_WIDTH - self.width())
    }
    /// The format of a float sort.
    pub const fn float_format(self) -> Option<FloatFormat> {
        match self {
            Self::Word(_) => None,
            Self::Float(format) => Some(format),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(width) => write!(formatter, "w{width}"),
            Self::Float(format) => write!(formatter, "f{}", format.width()),
        }
    }
}
impl fmt::Debug for Sort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
