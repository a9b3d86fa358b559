//! Shifts by amounts that the word itself or an exponent decides.
//!
//! All are logarithmic: one row of multiplexers per bit of the amount.

use crate::bits::BitBuilder;
use crate::circuits::{compare, logic};

/// Shifts a word left until its top bit is set. Also gives the number of places, which is
/// meaningless for the zero word.
pub(super) fn normalise<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> (Vec<B::Bit>, Vec<B::Bit>) {
    let stages = stages(word.len());
    let mut shifted = word.to_vec();
    let mut amount = vec![bits.constant(false); stages];
    for stage in (0..stages).rev() {
        let distance = 1 << stage;
        let clear = compare::is_zero(bits, &shifted[word.len() - distance..]);
        let moved = up(bits, &shifted, distance);
        shifted = logic::select(bits, clear, &moved, &shifted);
        amount[stage] = clear;
    }
    (shifted, amount)
}

/// Shifts a word left until its top bit is set, but at most `room` (unsigned) places. Also gives
/// the room that is left: 0 where the top bit of the result is clear and the word was not zero.
pub(super) fn normalise_within<B: BitBuilder>(
    bits: &mut B,
    word: &[B::Bit],
    room: &[B::Bit],
) -> (Vec<B::Bit>, Vec<B::Bit>) {
    let mut shifted = word.to_vec();
    let mut room = room.to_vec();
    // After the stage of distance d, the lesser of leading zeros and room is below d.
    for stage in (0..stages(word.len()).min(room.len())).rev() {
        let distance = 1 << stage;
        let clear = compare::is_zero(bits, &shifted[word.len() - distance..]);
        let enough = bits.any(&room[stage..]);
        let shift = bits.and(clear, enough);
        let moved = up(bits, &shifted, distance);
        shifted = logic::select(bits, shift, &moved, &shifted);
        decrement_if(bits, shift, &mut room[stage..]);
    }
    (shifted, room)
}

/// Shifts a word right by an unsigned amount of any width and joins all bits that fall out into the
/// last one.
pub(super) fn shift_right_sticky<B: BitBuilder>(
    bits: &mut B,
    word: &[B::Bit],
    amount: &[B::Bit],
) -> Vec<B::Bit> {
    let stages = stages(word.len()).min(amount.len());
    let fill = bits.constant(false);
    let mut shifted = word.to_vec();
    for (stage, &bit) in amount[..stages].iter().enumerate() {
        let distance = 1 << stage;
        let mut moved = shifted[distance..].to_vec();
        moved[0] = bits.any(&shifted[..=distance]);
        moved.resize(word.len(), fill);
        shifted = logic::select(bits, bit, &moved, &shifted);
    }
    let beyond = bits.any(&amount[stages..]);
    let mut rest = vec![fill; word.len()];
    rest[0] = bits.any(&shifted);
    logic::select(bits, beyond, &rest, &shifted)
}

/// The top `width` bits of a word, the last of them joined with all below.
pub(super) fn squash<B: BitBuilder>(bits: &mut B, word: &[B::Bit], width: usize) -> Vec<B::Bit> {
    let cut = word.len().saturating_sub(width);
    let mut kept = word[cut..].to_vec();
    kept[0] = bits.any(&word[..=cut]);
    kept
}

/// A word moved up by a fixed number of places, zeros below, its top bits lost.
pub(super) fn up<B: BitBuilder>(bits: &mut B, word: &[B::Bit], places: usize) -> Vec<B::Bit> {
    let mut moved = vec![bits.constant(false); places];
    moved.extend_from_slice(&word[..word.len() - places]);
    moved
}

/// A word with zeros put below it, so that it has at least `width` bits.
pub(super) fn pad_below<B: BitBuilder>(bits: &mut B, word: &[B::Bit], width: usize) -> Vec<B::Bit> {
    let mut padded = vec![bits.constant(false); width.saturating_sub(word.len())];
    padded.extend_from_slice(word);
    padded
}

/// `condition ? word + 1 : word`, and the carry.
pub(super) fn increment_if<B: BitBuilder>(
    bits: &mut B,
    condition: B::Bit,
    word: &[B::Bit],
) -> (Vec<B::Bit>, B::Bit) {
    let mut carry = condition;
    let sum = word.iter().map(|&bit| {
        let (sum, next) = bits.half_adder(bit, carry);
        carry = next;
        sum
    });
    (sum.collect(), carry)
}

/// `word -= condition`; the word is at least the condition.
fn decrement_if<B: BitBuilder>(bits: &mut B, condition: B::Bit, word: &mut [B::Bit]) {
    let mut borrow = condition;
    for bit in word {
        let clear = bits.not(*bit);
        *bit = bits.xor(*bit, borrow);
        borrow = bits.and(borrow, clear);
    }
}

/// Number of stages whose distances 1, 2, 4, ... are below the width: together they shift by up to
/// the width less 1, or more.
fn stages(width: usize) -> usize {
    width.next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Plain;

    fn words(width: usize) -> impl Iterator<Item = (u128, Vec<bool>)> {
        (0..1u128 << width).map(move |value| (value, Plain::word(width, value)))
    }

    #[test]
    fn words_are_normalised() {
        for width in 1..9 {
            for (value, word) in words(width).skip(1) {
                let (shifted, amount) = normalise(&mut Plain, &word);
                let zeros = u128::from(value.leading_zeros()) - (128 - width as u128);
                assert_eq!((Plain::number(&shifted), Plain::number(&amount)), (value << zeros, zeros));
                for (room, room_word) in words(4) {
                    let (shifted, left) = normalise_within(&mut Plain, &word, &room_word);
                    let places = zeros.min(room);
                    assert_eq!(
                        (Plain::number(&shifted), Plain::number(&left)),
                        (value << places, room - places)
                    );
                }
            }
        }
    }

    #[test]
    fn lost_bits_stick() {
        for width in 1..8 {
            for (value, word) in words(width) {
                for (amount, amount_word) in words(4) {
                    let shifted = shift_right_sticky(&mut Plain, &word, &amount_word);
                    let lost = value & ((1 << amount) - 1) != 0;
                    assert_eq!(Plain::number(&shifted), value >> amount | u128::from(lost));
                }
                for kept in 1..=width + 1 {
                    let cut = width.saturating_sub(kept);
                    let lost = value & ((1 << cut) - 1) != 0;
                    let squashed = squash(&mut Plain, &word, kept);
                    assert_eq!(Plain::number(&squashed), value >> cut | u128::from(lost));
                }
            }
        }
    }

    #[test]
    fn increments_carry() {
        for (value, word) in words(4) {
            for condition in [false, true] {
                let (sum, carry) = increment_if(&mut Plain, condition, &word);
                let expected = value + u128::from(condition);
                assert_eq!(Plain::number(&sum) + (u128::from(carry) << 4), expected);
            }
        }
    }
}
