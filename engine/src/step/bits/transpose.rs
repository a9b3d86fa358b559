//! Transposition of a square of bits: from one word for each bit of 64 executions to one word for
//! each execution.

/// Transposes in place: bit k of word i becomes bit i of word k (H. S. Warren, Hacker's Delight,
/// 7-3).
pub(crate) fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_FFFF_FFFFu64);
    while width != 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (square[row] >> width ^ square[row + width]) & mask;
            square[row] ^= swapped << width;
            square[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_change_places() {
        let mut random = crate::random_simulation::Random::new(7);
        let square: [u64; 64] = std::array::from_fn(|_| random.next_word());
        let mut turned = square;
        transpose(&mut turned);
        for (row, word) in turned.iter().enumerate() {
            for (column, source) in square.iter().enumerate() {
                assert_eq!(word >> column & 1, source >> row & 1, "row {row}, column {column}");
            }
        }
    }
}
