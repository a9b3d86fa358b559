//! Shift-and-add multiplication.
//!
//! Both factors are first brought to their significant bits: C multiplies words that were widened
//! before, and a widened word is a narrow two's complement number with copies of its top bit above.
//! The product of two numbers of n and m bits needs n + m bits and n * m full adders, however wide
//! the words are. A constant factor is recoded into the non-adjacent form (digits -1, 0, 1; G.
//! Reitwiesner, *Binary Arithmetic*, Advances in Computers 1, 1960), which has the fewest non-zero
//! digits, hence the fewest adders.

use crate::bits::BitBuilder;
use crate::circuits::{add, logic};

/// `lhs * rhs` modulo 2^width.
pub fn multiply<B: BitBuilder>(bits: &mut B, lhs: &[B::Bit], rhs: &[B::Bit]) -> Vec<B::Bit> {
    assert_eq!(lhs.len(), rhs.len(), "operands should have equal widths");
    let width = lhs.len();
    let (lhs, rhs) = (significant(lhs), significant(rhs));
    let (lhs_rows, rhs_rows) = (rows(bits, lhs), rows(bits, rhs));
    let (factor, rows) =
        if effort(bits, &rhs_rows) <= effort(bits, &lhs_rows) { (lhs, rhs_rows) } else { (rhs, lhs_rows) };
    let product = sum_of_rows(bits, factor, &rows, width);
    logic::resize(bits, &product, width, true)
}

/// The low bits of a word that hold its value in two's complement: all but the copies of the top
/// bit.
fn significant<Bit: Copy + Eq>(word: &[Bit]) -> &[Bit] {
    let top = *word.last().expect("a word should have a bit");
    let copies = word.iter().rev().take_while(|&&bit| bit == top).count();
    &word[..word.len() - copies + 1]
}

/// A digit of the multiplier: the multiplicand, shifted by its position, is added or subtracted
/// where `bit` is set.
struct Row<Bit> {
    bit: Bit,
    subtract: bool,
}

/// The digits of a two's complement number, one for each bit. All of a constant's digits are
/// constants.
fn rows<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> Vec<Row<B::Bit>> {
    let top = word.len() - 1;
    match (word.len() <= 128).then(|| bits.known_word(word)).flatten() {
        Some(value) => {
            let digits = non_adjacent_form(value, word.len());
            digits
                .into_iter()
                .map(|digit| Row { bit: bits.constant(digit != 0), subtract: digit < 0 })
                .collect()
        }
        None => {
            let row = |(index, &bit)| Row { bit, subtract: index == top };
            word.iter().enumerate().map(row).collect()
        }
    }
}

/// The digits, least significant first, of the two's complement number in the low `width` bits.
fn non_adjacent_form(value: u128, width: usize) -> Vec<i8> {
    let mut rest = (value << (128 - width)) as i128 >> (128 - width);
    let mut digits = Vec::with_capacity(width);
    for _ in 0..width {
        let digit = match rest & 3 {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        // in place of (rest - digit) / 2, whose difference may overflow
        rest = (rest >> 1) + i128::from(digit == -1);
        digits.push(digit);
    }
    digits
}

/// Number of adders the rows need.
fn effort<B: BitBuilder>(bits: &B, rows: &[Row<B::Bit>]) -> usize {
    rows.iter().filter(|row| bits.known(row.bit) != Some(false)).count()
}

/// The product in two's complement, at most `width` bits.
///
/// After row i the sum is a number of at most `factor.len() + i` bits (the absolute value of the
/// digits' sum so far is at most 2^i), so each row touches `factor.len() + 1` bits only.
fn sum_of_rows<B: BitBuilder>(
    bits: &mut B,
    factor: &[B::Bit],
    rows: &[Row<B::Bit>],
    width: usize,
) -> Vec<B::Bit> {
    let mut sum = vec![bits.constant(false)];
    for (position, row) in rows.iter().enumerate().take(width) {
        if bits.known(row.bit) == Some(false) {
            continue;
        }
        let end = (position + factor.len() + 1).min(width);
        sum = logic::resize(bits, &sum, end, true);
        let mut summand = logic::masked(bits, factor, row.bit);
        summand = logic::resize(bits, &summand, end - position, true);
        let upper = if row.subtract {
            add::subtract(bits, &sum[position..], &summand)
        } else {
            add::add(bits, &sum[position..], &summand)
        };
        sum.truncate(position);
        sum.extend(upper);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aig::Aig;
    use crate::circuits::testing::{check_binary, check_widened};

    #[test]
    fn products() {
        check_binary!(multiply, |_, a, b| a.wrapping_mul(b));
        check_widened(multiply, |_, a, b| a.wrapping_mul(b));
    }

    #[test]
    fn non_adjacent_forms_have_the_value_and_no_neighbours() {
        for width in 1..10usize {
            for value in 0..1u128 << width {
                let digits = non_adjacent_form(value, width);
                let sum: i128 =
                    digits.iter().enumerate().map(|(index, &digit)| i128::from(digit) << index).sum();
                assert_eq!(sum, (value << (128 - width)) as i128 >> (128 - width));
                assert!(digits.windows(2).all(|pair| pair[0] == 0 || pair[1] == 0));
            }
        }
    }

    #[test]
    fn factors_that_are_widened_or_constant_are_cheap() {
        let mut aig = Aig::new();
        let narrow: Vec<_> = (0..8).map(|_| aig.input()).collect();
        let other: Vec<_> = (0..8).map(|_| aig.input()).collect();
        let widened = [logic::resize(&mut aig, &narrow, 64, true), logic::resize(&mut aig, &other, 64, true)];
        multiply(&mut aig, &widened[0], &widened[1]);
        assert!(aig.ands() < 10 * 8 * 10, "{} conjunctions for an 8 * 8 bit product", aig.ands());

        let before = aig.ands();
        let eight = aig.constant_word(64, 8);
        let product = multiply(&mut aig, &widened[0], &eight);
        assert_eq!(aig.ands(), before, "a power of two should cost nothing");
        assert_eq!(product[3..11], narrow);
    }
}
