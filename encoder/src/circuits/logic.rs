//! Bitwise circuits and selection.

use crate::bits::BitBuilder;

/// Bitwise complement.
pub fn not<B: BitBuilder>(bits: &mut B, word: &[B::Bit]) -> Vec<B::Bit> {
    word.iter().map(|&bit| bits.not(bit)).collect()
}

/// `operation` applied to the bits of equal position.
pub fn bitwise<B: BitBuilder>(
    bits: &mut B,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
    mut operation: impl FnMut(&mut B, B::Bit, B::Bit) -> B::Bit,
) -> Vec<B::Bit> {
    assert_eq!(lhs.len(), rhs.len(), "operands should have equal widths");
    lhs.iter().zip(rhs).map(|(&lhs, &rhs)| operation(bits, lhs, rhs)).collect()
}

/// Every bit joined with `mask`: the word where `mask` is set, else 0.
pub fn masked<B: BitBuilder>(bits: &mut B, word: &[B::Bit], mask: B::Bit) -> Vec<B::Bit> {
    word.iter().map(|&bit| bits.and(bit, mask)).collect()
}

/// `condition ? then : otherwise`.
pub fn select<B: BitBuilder>(
    bits: &mut B,
    condition: B::Bit,
    then: &[B::Bit],
    otherwise: &[B::Bit],
) -> Vec<B::Bit> {
    match bits.known(condition) {
        Some(true) => then.to_vec(),
        Some(false) => otherwise.to_vec(),
        None => bitwise(bits, then, otherwise, |bits, then, otherwise| bits.mux(condition, then, otherwise)),
    }
}

/// The word widened to `width` bits by copies of its top bit (`signed`) or zeros; cut from above
/// where it is wider.
pub fn resize<B: BitBuilder>(bits: &mut B, word: &[B::Bit], width: usize, signed: bool) -> Vec<B::Bit> {
    let fill = match word.last() {
        Some(&top) if signed => top,
        _ => bits.constant(false),
    };
    let mut resized = word[..width.min(word.len())].to_vec();
    resized.resize(width, fill);
    resized
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Plain;
    use crate::circuits::testing::{check_binary, signed};

    #[test]
    fn bitwise_operators() {
        check_binary!(|bits, a, _| not(bits, a), |_, a, _| !a);
        check_binary!(|bits, a, b| bitwise(bits, a, b, |bits, a, b| bits.and(a, b)), |_, a, b| a & b);
        check_binary!(|bits, a, b| bitwise(bits, a, b, |bits, a, b| bits.or(a, b)), |_, a, b| a | b);
        check_binary!(|bits, a, b| bitwise(bits, a, b, |bits, a, b| bits.xor(a, b)), |_, a, b| a ^ b);
        check_binary!(|bits, a, b| masked(bits, a, b[0]), |_, a, b| if b & 1 == 1 { a } else { 0 });
    }

    #[test]
    fn selection() {
        check_binary!(
            |bits, a, b| {
                let condition = a[0];
                select(bits, condition, a, b)
            },
            |_, a, b| if a & 1 == 1 { a } else { b },
        );
    }

    #[test]
    fn resizing() {
        for (width, value) in [(1, 0), (1, 1), (4, 0b0110), (4, 0b1001), (64, 1 << 63), (64, 77)] {
            let word = Plain::word(width, value);
            for new in [1, 3, 4, 5, 64, 100, 128] {
                let mask = u128::MAX >> (128 - new);
                let unsigned = resize(&mut Plain, &word, new, false);
                assert_eq!(Plain::number(&unsigned), value & mask);
                let extended = resize(&mut Plain, &word, new, true);
                assert_eq!(Plain::number(&extended), signed(width, value) as u128 & mask);
            }
        }
    }
}
