//! Machine integers that hold words of a system: as narrow as its widest term allows, so that many
//! fit a vector register.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// See the module text. Words are zero above their width.
pub(crate) trait Word:
    Copy
    + Default
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Number of bits.
    const BITS: u32;
    /// The number one.
    const ONE: Self;

    /// The low bits of a number.
    fn cut(bits: u128) -> Self;
    /// As a number.
    fn widen(self) -> u128;
    /// Sum modulo the machine word.
    fn plus(self, other: Self) -> Self;
    /// Difference modulo the machine word.
    fn minus(self, other: Self) -> Self;
    /// Product modulo the machine word.
    fn times(self, other: Self) -> Self;
    /// Quotient; `None` where the divisor is 0.
    fn quotient(self, other: Self) -> Option<Self>;
    /// Remainder; `None` where the divisor is 0.
    fn remainder(self, other: Self) -> Option<Self>;
    /// Arithmetic shift.
    fn shift_signed(self, amount: u32) -> Self;
    /// As a number in two's complement.
    fn signed(self) -> i128;
    /// 1 where the condition holds, else 0.
    fn truth(condition: bool) -> Self;
}

macro_rules! word {
    ($unsigned:ty, $signed:ty) => {
        impl Word for $unsigned {
            const BITS: u32 = <$unsigned>::BITS;
            const ONE: Self = 1;

            #[inline(always)]
            fn cut(bits: u128) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn widen(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn quotient(self, other: Self) -> Option<Self> {
                self.checked_div(other)
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Option<Self> {
                self.checked_rem(other)
            }
            #[inline(always)]
            fn shift_signed(self, amount: u32) -> Self {
                ((self as $signed) >> amount) as Self
            }
            #[inline(always)]
            fn signed(self) -> i128 {
                self as $signed as i128
            }
            #[inline(always)]
            fn truth(condition: bool) -> Self {
                condition as Self
            }
        }
    };
}

word!(u32, i32);
word!(u64, i64);
word!(u128, i128);
