//! Barrel shifters: one stage of multiplexers per bit of the amount.

use crate::bits::BitBuilder;
use crate::circuits::logic;

/// Left shift; 0 where the amount (unsigned) is the width or more.
pub fn left<B: BitBuilder>(bits: &mut B, word: &[B::Bit], amount: &[B::Bit]) -> Vec<B::Bit> {
    let mut reversed: Vec<B::Bit> = word.iter().rev().copied().collect();
    let fill = bits.constant(false);
    reversed = right_with_fill(bits, &reversed, amount, fill);
    reversed.reverse();
    reversed
}

/// Right shift that moves zeros in; 0 where the amount (unsigned) is the width or more.
pub fn right_logical<B: BitBuilder>(bits: &mut B, word: &[B::Bit], amount: &[B::Bit]) -> Vec<B::Bit> {
    let fill = bits.constant(false);
    right_with_fill(bits, word, amount, fill)
}

/// Right shift that moves copies of the top bit in; all sign bits where the amount (unsigned) is
/// the width or more.
pub fn right_arithmetic<B: BitBuilder>(bits: &mut B, word: &[B::Bit], amount: &[B::Bit]) -> Vec<B::Bit> {
    let fill = *word.last().expect("a word should have a bit");
    right_with_fill(bits, word, amount, fill)
}

/// Right shift by any amount (of any width) that moves copies of `fill` in.
pub fn right_with_fill<B: BitBuilder>(
    bits: &mut B,
    word: &[B::Bit],
    amount: &[B::Bit],
    fill: B::Bit,
) -> Vec<B::Bit> {
    let width = word.len();
    let stages = (0..amount.len()).take_while(|&stage| stage < 32 && 1 << stage < width).count();
    let mut shifted = word.to_vec();
    for (stage, &bit) in amount[..stages].iter().enumerate() {
        let distance = 1 << stage;
        let moved: Vec<B::Bit> =
            (0..width).map(|index| *shifted.get(index + distance).unwrap_or(&fill)).collect();
        shifted = logic::select(bits, bit, &moved, &shifted);
    }
    let beyond = bits.any(&amount[stages..]);
    logic::select(bits, beyond, &vec![fill; width], &shifted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::testing::{check_binary, signed};

    #[test]
    fn shifts() {
        check_binary!(left, |width, a, b| if b < width as u128 { a << b } else { 0 });
        check_binary!(right_logical, |width, a, b| if b < width as u128 { a >> b } else { 0 });
        check_binary!(right_arithmetic, |width, a, b| (signed(width, a) >> b.min(127)) as u128);
    }
}
