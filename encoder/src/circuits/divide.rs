//! Restoring division.
//!
//! One row per quotient bit: the remainder so far takes in the next bit of the dividend; where it
//! is not below the divisor, the divisor is subtracted and the quotient bit is set. Leading zeros
//! known of either operand save rows and columns. A divisor of 0 is never above the remainder: all
//! quotient bits are set and the remainder stays the dividend, which is just what the operators
//! [`UDiv`](model::term::BinaryOp::UDiv) and [`URem`](model::term::BinaryOp::URem) ask for.

use crate::bits::BitBuilder;
use crate::circuits::{add, compare, logic};

/// Quotient and remainder of unsigned division; by 0: all ones and the dividend.
pub fn unsigned<B: BitBuilder>(
    bits: &mut B,
    dividend: &[B::Bit],
    divisor: &[B::Bit],
) -> (Vec<B::Bit>, Vec<B::Bit>) {
    assert_eq!(dividend.len(), divisor.len(), "operands should have equal widths");
    if let Some(exponent) = power_of_two(bits, divisor) {
        return split(bits, dividend, exponent);
    }
    let width = dividend.len();
    let (rows, columns) = (significant(bits, dividend), significant(bits, divisor));
    let by_zero = compare::is_zero(bits, divisor);
    let (mut quotient, mut remainder) = rows_of_division(bits, &dividend[..rows], &divisor[..columns]);
    quotient.resize(width, by_zero);
    for &bit in &dividend[remainder.len()..] {
        let kept = bits.and(bit, by_zero);
        remainder.push(kept);
    }
    (quotient, remainder)
}

/// Quotient of signed division, rounded towards zero; by 0: 1 for a negative dividend, else all
/// ones.
pub fn signed_quotient<B: BitBuilder>(bits: &mut B, dividend: &[B::Bit], divisor: &[B::Bit]) -> Vec<B::Bit> {
    let (quotient, _) = of_magnitudes(bits, dividend, divisor);
    let negative = bits.xor(sign(dividend), sign(divisor));
    add::negate_if(bits, negative, &quotient)
}

/// Remainder of signed division, with the dividend's sign; by 0: the dividend.
pub fn signed_remainder<B: BitBuilder>(bits: &mut B, dividend: &[B::Bit], divisor: &[B::Bit]) -> Vec<B::Bit> {
    let (_, remainder) = of_magnitudes(bits, dividend, divisor);
    add::negate_if(bits, sign(dividend), &remainder)
}

fn of_magnitudes<B: BitBuilder>(
    bits: &mut B,
    dividend: &[B::Bit],
    divisor: &[B::Bit],
) -> (Vec<B::Bit>, Vec<B::Bit>) {
    let (dividend, divisor) = (add::magnitude(bits, dividend), add::magnitude(bits, divisor));
    unsigned(bits, &dividend, &divisor)
}

fn sign<Bit: Copy>(word: &[Bit]) -> Bit {
    *word.last().expect("a word should have a bit")
}

/// Number of low bits that are not known to be zero above the others.
fn significant<B: BitBuilder>(bits: &B, word: &[B::Bit]) -> usize {
    word.iter().rposition(|&bit| bits.known(bit) != Some(false)).map_or(0, |top| top + 1)
}

/// The exponent where the word is known to be a power of two.
fn power_of_two<B: BitBuilder>(bits: &B, word: &[B::Bit]) -> Option<usize> {
    let mut exponent = None;
    for (index, &bit) in word.iter().enumerate() {
        if bits.known(bit)? && exponent.replace(index).is_some() {
            return None;
        }
    }
    exponent
}

/// Quotient and remainder of a division by 2^exponent.
fn split<B: BitBuilder>(bits: &mut B, dividend: &[B::Bit], exponent: usize) -> (Vec<B::Bit>, Vec<B::Bit>) {
    let width = dividend.len();
    let quotient = logic::resize(bits, &dividend[exponent..], width, false);
    let remainder = logic::resize(bits, &dividend[..exponent], width, false);
    (quotient, remainder)
}

/// The rows, from the top bit of the dividend down. The quotient has the dividend's width; the
/// remainder at most the divisor's: above a non-zero divisor's width it is zero, and for the
/// divisor 0 the caller restores it.
pub(crate) fn rows_of_division<B: BitBuilder>(
    bits: &mut B,
    dividend: &[B::Bit],
    divisor: &[B::Bit],
) -> (Vec<B::Bit>, Vec<B::Bit>) {
    let mut quotient = Vec::with_capacity(dividend.len());
    let mut remainder: Vec<B::Bit> = Vec::new();
    for &bit in dividend.iter().rev() {
        remainder.insert(0, bit);
        let width = remainder.len().max(divisor.len());
        let minuend = logic::resize(bits, &remainder, width, false);
        let subtrahend = logic::resize(bits, divisor, width, false);
        let (difference, fits) = add::subtract_with_order(bits, &minuend, &subtrahend);
        remainder.truncate(divisor.len());
        remainder = logic::select(bits, fits, &difference[..remainder.len()], &remainder);
        quotient.push(fits);
    }
    quotient.reverse();
    (quotient, remainder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aig::Aig;
    use crate::circuits::testing::{check_binary, check_widened, signed};

    fn quotient(_: usize, a: u128, b: u128) -> u128 {
        a.checked_div(b).unwrap_or(u128::MAX)
    }
    fn remainder(_: usize, a: u128, b: u128) -> u128 {
        a.checked_rem(b).unwrap_or(a)
    }
    fn signed_quotient_of(width: usize, a: u128, b: u128) -> u128 {
        match (signed(width, a), signed(width, b)) {
            (a, 0) if a < 0 => 1,
            (_, 0) => u128::MAX,
            (a, b) => a.wrapping_div(b) as u128,
        }
    }
    fn signed_remainder_of(width: usize, a: u128, b: u128) -> u128 {
        match (signed(width, a), signed(width, b)) {
            (a, 0) => a as u128,
            (a, b) => a.wrapping_rem(b) as u128,
        }
    }

    #[test]
    fn quotients_and_remainders() {
        check_binary!(|bits, a, b| unsigned(bits, a, b).0, quotient);
        check_binary!(|bits, a, b| unsigned(bits, a, b).1, remainder);
        check_binary!(signed_quotient, signed_quotient_of);
        check_binary!(signed_remainder, signed_remainder_of);
    }

    #[test]
    fn quotients_and_remainders_of_widened_operands() {
        check_widened(|bits, a, b| unsigned(bits, a, b).0, quotient);
        check_widened(|bits, a, b| unsigned(bits, a, b).1, remainder);
        check_widened(signed_quotient, signed_quotient_of);
        check_widened(signed_remainder, signed_remainder_of);
    }

    #[test]
    fn a_power_of_two_costs_nothing() {
        let mut aig = Aig::new();
        let dividend: Vec<_> = (0..16).map(|_| aig.input()).collect();
        let divisor = aig.constant_word(16, 32);
        let (quotient, remainder) = unsigned(&mut aig, &dividend, &divisor);
        assert_eq!(aig.ands(), 0);
        assert_eq!((&quotient[..11], &remainder[..5]), (&dividend[5..], &dividend[..5]));
    }
}
