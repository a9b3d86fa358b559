//! Floating-point circuits, bit-exact with IEEE 754 binary formats.
//!
//! A float is the word of its bit pattern: fraction, exponent field, sign, from the least
//! significant bit up. All operators round to nearest, ties to even, treat subnormal numbers
//! exactly, and yield the canonical NaN (quiet, positive, payload zero) wherever the result is a
//! NaN: what [`model::term`] says of its float operators.
//!
//! Circuits take the [`Layout`] of the format as a parameter, so that formats of 6 or 8 bits can be
//! tested with all operands.
//!
//! # How a result is made
//! `unpack` splits an operand into sign, exponent, significand and classes. An operator computes
//! the sign, the exact significand (the bits beyond the needed ones joined into a last, *sticky*
//! bit) and the *room*: the exponent of the significand's top bit, counted from the exponent of the
//! smallest normal number. A number whose top bit is set has room for `room` further left shifts
//! before it would be subnormal; its exponent field is `room + 1`. With room 0 and the top bit
//! clear, the number is subnormal and its field is 0. So in both cases the field is `room` plus the
//! top bit, and `round` needs no case distinction. Special results are put over it at the end.
//!
//! # Sizes
//! In conjunctions over free operands, for binary32 and binary64: sum 2 000 and 4 300, product 7
//! 500 and 33 000, quotient 9 100 and 39 000, square root 4 400 and 19 000, fused multiply-add 11
//! 000 and 42 000, comparisons 280 and 540, rounding to integral values 560 and 1 200, conversions
//! 100 to 2 000. The exact remainders divide bit by bit over the whole exponent range: 82 000 for
//! binary32, 1.36 million for binary64. Constant operands make all smaller: a binary64 remainder by
//! a constant has a tenth of the gates.

mod add;
mod classify;
mod compare;
mod convert;
mod divide;
mod fused;
mod integral;
mod multiply;
mod normalise;
mod remainder;
mod round;
mod square_root;
mod unpack;

#[cfg(test)]
mod long;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tiny;

pub use add::{add, subtract};
pub use classify::{absolute, is_infinite, is_nan, negate};
pub use compare::{equal, less, less_equal};
pub use convert::{convert, from_signed, from_unsigned, to_word};
pub use divide::divide;
pub use fused::fused_multiply_add;
pub use integral::round_to_integral;
pub use multiply::multiply;
pub use remainder::{fmod, remainder};
pub use square_root::square_root;

use model::sort::FloatFormat;

/// The fields of a binary floating-point format: one sign bit above the exponent above the
/// fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Width of the exponent field, at least 3.
    pub exponent: usize,
    /// Width of the stored significand, at least 2 and below the exponent bias, so that no square
    /// root is subnormal.
    pub fraction: usize,
}

impl From<FloatFormat> for Layout {
    fn from(format: FloatFormat) -> Self {
        Self { exponent: format.exponent_bits() as usize, fraction: format.fraction_bits() as usize }
    }
}

impl Layout {
    /// Width of the bit pattern.
    pub const fn width(self) -> usize {
        1 + self.magnitude()
    }
    /// Width of the bit pattern without the sign.
    const fn magnitude(self) -> usize {
        self.exponent + self.fraction
    }
    /// Number of significant bits, the hidden one included.
    const fn precision(self) -> usize {
        self.fraction + 1
    }
    /// What the exponent field holds for the exponent 0.
    const fn bias(self) -> i128 {
        (1 << (self.exponent - 1)) - 1
    }
    /// Width of a signed word that holds every exponent sum, difference and room that occurs: they
    /// are above `-2^(exponent + 1)`, which stays free for a value below all of them, and below
    /// `2^(exponent + 1)`.
    const fn signed_exponent(self) -> usize {
        self.exponent + 3
    }
}
