//! Which mutants are taken of many: a part, and pairs.

/// Mutants with two changes that are made at most where nobody says how many.
pub const MOST_PAIRS: usize = 1000;

/// At most so many things, spread evenly over their order.
pub(crate) fn sampled<T>(things: Vec<T>, sample: Option<usize>) -> Vec<T> {
    let count = things.len();
    match sample.filter(|&sample| sample < count) {
        None => things,
        Some(sample) => {
            let is_kept = |number: usize| (number + 1) * sample / count > number * sample / count;
            things
                .into_iter()
                .enumerate()
                .filter(|(number, _)| is_kept(*number))
                .map(|(_, thing)| thing)
                .collect()
        }
    }
}

/// At most so many pairs of different things of `count`, spread evenly over all pairs, in
/// lexicographic order; only those that fit together. A pair that does not fit gives its place to
/// the next one that does.
pub(crate) fn pairs(count: usize, sample: usize, fit: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let total = count * count.saturating_sub(1) / 2;
    let mut found: Vec<(usize, usize)> = Vec::new();
    // The pairs of `one` begin with that of this rank.
    let (mut one, mut begin) = (0, 0);
    let mut rank = 0;
    for turn in 0..sample.min(total) {
        rank = rank.max((turn as u128 * total as u128 / sample.min(total) as u128) as usize);
        while rank < total {
            while rank - begin >= count - 1 - one {
                begin += count - 1 - one;
                one += 1;
            }
            let other = one + 1 + rank - begin;
            rank += 1;
            if fit(one, other) {
                found.push((one, other));
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_evenly() {
        assert_eq!(sampled((0..6).collect(), Some(3)), [1, 3, 5]);
        assert_eq!(sampled(vec![1, 2], Some(5)), [1, 2]);
        assert_eq!(sampled(vec![1, 2], None), [1, 2]);
    }

    #[test]
    fn pairs_are_different_ordered_and_fit() {
        let all = |_: usize, _: usize| true;
        assert_eq!(pairs(3, 10, all), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(5, 5, all), [(0, 1), (0, 3), (1, 2), (1, 4), (2, 4)]);
        assert_eq!(pairs(4, 3, |one, other| one + other > 3), [(1, 3), (2, 3)]);
        assert_eq!((pairs(0, 3, all), pairs(1, 3, all)), (Vec::new(), Vec::new()));
        for count in 2..8 {
            let whole = pairs(count, usize::MAX, all);
            assert_eq!(whole.len(), count * (count - 1) / 2);
            assert!(
                whole.windows(2).all(|two| two[0] < two[1]) && whole.iter().all(|(one, other)| one < other)
            );
        }
    }
}
