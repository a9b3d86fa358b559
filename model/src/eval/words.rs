//! Word operators on machine integers.
//!
//! The same code is instantiated for `u64` and `u128`: the evaluator runs words of up to 64 bits in
//! the former, and everything else goes through the latter. Operands are zero above their width,
//! and so are results.

use crate::term::{BinaryOp, UnaryOp};

macro_rules! word_operators {
    ($module:ident, $unsigned:ty, $signed:ty) => {
        pub(super) mod $module {
            use super::{BinaryOp, UnaryOp};

            const BITS: u32 = <$unsigned>::BITS;

            /// The low `width` bits set; `width` is 1 to the number of bits of the machine integer.
            #[inline]
            pub(in crate::eval) fn mask(width: u32) -> $unsigned {
                <$unsigned>::MAX >> (BITS - width)
            }

            /// The word of `width` bits read in two's complement.
            #[inline]
            pub(in crate::eval) fn signed(word: $unsigned, width: u32) -> $signed {
                let unused = BITS - width;
                ((word << unused) as $signed) >> unused
            }

            /// An operator from words of `width` bits to a word of the same width.
            #[inline]
            pub(in crate::eval) fn unary(op: UnaryOp, arg: $unsigned, width: u32) -> $unsigned {
                match op {
                    UnaryOp::Not => !arg & mask(width),
                    UnaryOp::Neg => arg.wrapping_neg() & mask(width),
                    _ => unreachable!("{op:?} should not be applied as a word operator"),
                }
            }

            /// An operator on two words of `width` bits; for `Concat`, `width` is that of the right
            /// operand.
            #[inline]
            pub(in crate::eval) fn binary(
                op: BinaryOp,
                lhs: $unsigned,
                rhs: $unsigned,
                width: u32,
            ) -> $unsigned {
                match op {
                    BinaryOp::And => lhs & rhs,
                    BinaryOp::Or => lhs | rhs,
                    BinaryOp::Xor => lhs ^ rhs,
                    BinaryOp::Add => lhs.wrapping_add(rhs) & mask(width),
                    BinaryOp::Sub => lhs.wrapping_sub(rhs) & mask(width),
                    BinaryOp::Mul => lhs.wrapping_mul(rhs) & mask(width),
                    BinaryOp::UDiv => lhs.checked_div(rhs).unwrap_or(mask(width)),
                    BinaryOp::URem => lhs.checked_rem(rhs).unwrap_or(lhs),
                    BinaryOp::SDiv => signed_quotient(lhs, rhs, width),
                    BinaryOp::SRem => signed_remainder(lhs, rhs, width),
                    BinaryOp::Shl if rhs < <$unsigned>::from(width as u8) => (lhs << rhs) & mask(width),
                    BinaryOp::LShr if rhs < <$unsigned>::from(width as u8) => lhs >> rhs,
                    BinaryOp::Shl | BinaryOp::LShr => 0,
                    BinaryOp::AShr => {
                        let amount = rhs.min(<$unsigned>::from(width as u8 - 1));
                        (signed(lhs, width) >> amount) as $unsigned & mask(width)
                    }
                    BinaryOp::Eq => <$unsigned>::from(lhs == rhs),
                    BinaryOp::ULt => <$unsigned>::from(lhs < rhs),
                    BinaryOp::ULe => <$unsigned>::from(lhs <= rhs),
                    BinaryOp::SLt => <$unsigned>::from(signed(lhs, width) < signed(rhs, width)),
                    BinaryOp::SLe => <$unsigned>::from(signed(lhs, width) <= signed(rhs, width)),
                    BinaryOp::Concat => (lhs << width) | rhs,
                    _ => unreachable!("{op:?} should not be applied to words"),
                }
            }

            fn signed_quotient(lhs: $unsigned, rhs: $unsigned, width: u32) -> $unsigned {
                let (left, right) = (signed(lhs, width), signed(rhs, width));
                match (left < 0, right == 0) {
                    (true, true) => 1,
                    (false, true) => mask(width),
                    (_, false) => left.wrapping_div(right) as $unsigned & mask(width),
                }
            }

            fn signed_remainder(lhs: $unsigned, rhs: $unsigned, width: u32) -> $unsigned {
                match signed(rhs, width) {
                    0 => lhs,
                    right => signed(lhs, width).wrapping_rem(right) as $unsigned & mask(width),
                }
            }
        }
    };
}

word_operators!(narrow, u64, i64);
word_operators!(wide, u128, i128);
