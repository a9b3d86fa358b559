//! Lengths that no tour can have.
//!
//! Where numbers of the vertices and a modulus are such that each arc costs as much as the numbers
//! of its tail and its head together, up to multiples of the modulus, all tours have the same
//! remainder: a tour leaves and enters every vertex once. In programs it is often steps of some
//! kind that come in pairs, and then every tour is even. A bound may be raised to the next length
//! that is left; and where a tour is known, better ones are shorter by the modulus at least.

use super::instance::FORBIDDEN;

/// What the lengths of all tours have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Congruence {
    modulus: i64,
    remainder: i64,
    /// Numbers of the vertices as tails and as heads.
    pub(crate) rows: Vec<i64>,
    pub(crate) columns: Vec<i64>,
}

impl Congruence {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self { modulus: 1, remainder: 0, rows: Vec::new(), columns: Vec::new() }
    }

    /// The greatest modulus for the tours within the matrix (row by row, missing arcs
    /// [`FORBIDDEN`]).
    pub(crate) fn of(matrix: &[i64], n: usize) -> Self {
        let (rows, columns) = numbers(matrix, n);
        let mut modulus = 0;
        for (arc, &cost) in matrix.iter().enumerate().filter(|&(_, &cost)| cost != FORBIDDEN) {
            modulus = greatest_common_divisor(modulus, (cost - rows[arc / n] - columns[arc % n]).abs());
            if modulus == 1 {
                return Self::none();
            }
        }
        if modulus == 0 {
            // All tours are equally long, and every bound says so.
            return Self::none();
        }
        let remainder = (rows.iter().sum::<i64>() + columns.iter().sum::<i64>()).rem_euclid(modulus);
        Self { modulus, remainder, rows, columns }
    }

    /// All lengths differ by multiples of this.
    pub(crate) fn modulus(&self) -> i64 {
        self.modulus
    }

    /// The least length not below this one that a tour can have.
    pub(crate) fn at_least(&self, length: i64) -> i64 {
        length.saturating_add((self.remainder - length % self.modulus).rem_euclid(self.modulus))
    }

    /// The greatest length below this one that a tour can have, plus one.
    pub(crate) fn above_all_below(&self, length: i64) -> i64 {
        length - (length % self.modulus - 1 - self.remainder).rem_euclid(self.modulus)
    }
}

/// Numbers that fit all arcs of a spanning forest in the graph of tails and heads.
fn numbers(matrix: &[i64], n: usize) -> (Vec<i64>, Vec<i64>) {
    let (mut rows, mut columns) = (vec![None; n], vec![None; n]);
    for root in 0..n {
        if rows[root].is_some() {
            continue;
        }
        rows[root] = Some(0);
        let mut open = vec![root];
        while let Some(row) = open.pop() {
            let own = rows[row].unwrap_or_default();
            for column in (0..n).filter(|column| matrix[row * n + column] != FORBIDDEN) {
                if columns[column].is_some() {
                    continue;
                }
                let number = matrix[row * n + column] - own;
                columns[column] = Some(number);
                for other in (0..n).filter(|&other| matrix[other * n + column] != FORBIDDEN) {
                    if rows[other].is_none() {
                        rows[other] = Some(matrix[other * n + column] - number);
                        open.push(other);
                    }
                }
            }
        }
    }
    let known = |numbers: Vec<Option<i64>>| numbers.into_iter().map(Option::unwrap_or_default).collect();
    (known(rows), known(columns))
}

fn greatest_common_divisor(mut left: i64, mut right: i64) -> i64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::super::instance::Instance;
    use super::super::random::Random;
    use super::super::test_support::{congruent_instance, permutations};
    use super::*;

    #[test]
    fn all_tours_have_the_remainder() {
        let mut random = Random::new(6);
        let mut kinds = [0; 2];
        for round in 0..200 {
            let modulus = 1 + round % 4;
            let n = 5 + round % 2;
            let instance = congruent_instance(n, modulus, &mut random);
            let congruence = Congruence::of(instance.matrix(), n);
            assert_eq!(congruence.modulus % if congruence.modulus > 1 { modulus as i64 } else { 1 }, 0);
            kinds[usize::from(congruence.modulus > 1)] += 1;
            for tour in permutations(n) {
                let Some(length) = instance.tour_length(&tour) else { continue };
                let length = length as i64;
                assert_eq!(congruence.at_least(length), length);
                assert_eq!(congruence.above_all_below(length + 1), length + 1);
                assert_eq!(congruence.at_least(length + 1), length + congruence.modulus);
                assert_eq!(congruence.above_all_below(length), length + 1 - congruence.modulus);
            }
        }
        assert!(kinds.iter().all(|&kind| kind > 40), "{kinds:?}");
    }

    #[test]
    fn nothing_is_changed_where_nothing_is_known() {
        let none = Congruence::none();
        assert_eq!((none.at_least(7), none.above_all_below(7), none.at_least(i64::MAX)), (7, 7, i64::MAX));
        let equal = Instance::new(4, |from, to| Some((from + to) as u64));
        assert_eq!(Congruence::of(equal.matrix(), 4), none);
    }
}
