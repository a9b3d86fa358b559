//! Ripple-carry addition, subtraction and negation.
//!
//! Ripple carry and not a carry-lookahead form: the fewest gates, and a SAT solver does not mind
//! depth.

use crate::bits::BitBuilder;
use crate::circuits::logic;

/// `lhs + rhs + carry` modulo 2^width, and the carry out of the top bit.
pub fn add_with_carry<B: BitBuilder>(
    bits: &mut B,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
    carry: B::Bit,
) -> (Vec<B::Bit>, B::Bit) {
    let mut carry = carry;
    let sum = logic::bitwise(bits, lhs, rhs, |bits, lhs, rhs| {
        let (sum, next) = bits.full_adder(lhs, rhs, carry);
        carry = next;
        sum
    });
    (sum, carry)
}

/// `lhs + rhs` modulo 2^width.
pub fn add<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    let carry = bits.constant(false);
    add_with_carry(bits, lhs, rhs, carry).0
}

/// `lhs - rhs` modulo 2^width, and whether `lhs >= rhs` as unsigned numbers (no borrow).
pub fn subtract_with_order<B: BitBuilder>(
    bits: &mut B,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
) -> (Vec<B::Bit>, B::Bit) {
    let complement = logic::not(bits, rhs);
    let carry = bits.constant(true);
    add_with_carry(bits, lhs, &complement, carry)
}

/// `lhs - rhs` modulo 2^width.
pub fn subtract<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    subtract_with_order(bits, lhs, rhs).0
}

/// `-word` modulo 2^width.
pub fn negate<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> Vec<B::Bit> {
    let condition = bits.constant(true);
    negate_if(bits, condition, word)
}

/// `condition ? -word : word` modulo 2^width: complement and increment, both under the condition.
pub fn negate_if<B: BitBuilder>(bits: &mut B, condition: B::Bit, word: &[B::Bit]) -> Vec<B::Bit> {
    let mut carry = condition;
    let negated = word.iter().map(|&bit| {
        let flipped = bits.xor(bit, condition);
        let (sum, next) = bits.half_adder(flipped, carry);
        carry = next;
        sum
    });
    negated.collect()
}

/// The magnitude of a two's complement word, as an unsigned word of the same width.
pub fn magnitude<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> Vec<B::Bit> {
    match word.last() {
        Some(&sign) => negate_if(bits, sign, word),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::testing::{check_binary, signed};

    #[test]
    fn sums_and_differences() {
        check_binary!(add, |_, a, b| a.wrapping_add(b));
        check_binary!(subtract, |_, a, b| a.wrapping_sub(b));
        check_binary!(|bits, a, _| negate(bits, a), |_, a, _| a.wrapping_neg());
        check_binary!(|bits, a, _| magnitude(bits, a), |width, a, _| signed(width, a).unsigned_abs());
        check_binary!(|bits, a, b| negate_if(bits, a[0], b), |_, a, b| if a & 1 == 1 {
            b.wrapping_neg()
        } else {
            b
        },);
    }

    #[test]
    fn carries() {
        check_binary!(
            |bits, a, b| {
                let carry = a[0];
                vec![add_with_carry(bits, a, b, carry).1]
            },
            |width, a, b| match a.checked_add(b).and_then(|sum| sum.checked_add(a & 1)) {
                Some(sum) if width < 128 => sum >> width,
                Some(_) => 0,
                None => 1,
            },
        );
        check_binary!(|bits, a, b| vec![subtract_with_order(bits, a, b).1], |_, a, b| u128::from(a >= b));
    }
}
