//! Instances of the asymmetric travelling salesman problem and tours through them.
//!
//! An instance is a complete directed distance matrix in which some arcs may be missing. Costs are
//! non-negative integers. A missing arc is not an expensive arc: no tour that uses one is ever
//! reported, and an instance in which every tour needs one is *infeasible*. Inside this module tree
//! costs are `i64`, so that reduced costs may be negative in between; [`FORBIDDEN`] marks a missing
//! arc.

/// Greatest cost of an arc. Leaves room for sums over n² arcs of scaled costs in 64 bits for every
/// n in practice.
pub const MAX_COST: u64 = 1 << 36;

/// Internal cost of a missing arc. Never added to anything.
pub(crate) const FORBIDDEN: i64 = i64::MAX;

/// A complete directed distance matrix over the vertices `0..n`, with missing arcs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    vertices: usize,
    costs: Vec<i64>,
}

impl Instance {
    /// Builds the matrix from `cost(from, to)`, which is asked for every ordered pair of different
    /// vertices; `None` says that there is no such arc.
    ///
    /// # Panics
    /// If a cost exceeds [`MAX_COST`].
    pub fn new(n: usize, mut cost: impl FnMut(usize, usize) -> Option<u64>) -> Self {
        let mut costs = vec![FORBIDDEN; n * n];
        for from in 0..n {
            for to in (0..n).filter(|&to| to != from) {
                if let Some(cost) = cost(from, to) {
                    assert!(cost <= MAX_COST, "arc costs should be at most MAX_COST");
                    costs[from * n + to] = cost as i64;
                }
            }
        }
        Self { vertices: n, costs }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.vertices
    }

    /// Whether there are no vertices at all.
    pub fn is_empty(&self) -> bool {
        self.vertices == 0
    }

    /// Cost of the arc; `None` where it is missing (always for `from == to`).
    pub fn cost(&self, from: usize, to: usize) -> Option<u64> {
        let cost = self.arc(from, to);
        (cost != FORBIDDEN).then_some(cost as u64)
    }

    /// Length of the cyclic tour; `None` where it uses a missing arc. Tours of fewer than two
    /// vertices have length 0.
    pub fn tour_length(&self, tour: &[usize]) -> Option<u64> {
        if tour.len() < 2 {
            return Some(0);
        }
        tour_arcs(tour).map(|(from, to)| self.cost(from, to)).sum()
    }

    /// Internal cost of the arc, [`FORBIDDEN`] where it is missing.
    pub(crate) fn arc(&self, from: usize, to: usize) -> i64 {
        self.costs[from * self.vertices + to]
    }

    /// The matrix, row by row, [`FORBIDDEN`] for missing arcs and on the diagonal.
    pub(crate) fn matrix(&self) -> &[i64] {
        &self.costs
    }
}

/// The arcs of a cyclic tour in order, the closing arc last.
pub(crate) fn tour_arcs(tour: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    tour.iter().copied().zip(tour.iter().copied().cycle().skip(1))
}

/// The same cyclic tour, beginning at vertex 0.
pub(crate) fn from_vertex_zero(mut tour: Vec<usize>) -> Vec<usize> {
    if let Some(position) = tour.iter().position(|&vertex| vertex == 0) {
        tour.rotate_left(position);
    }
    tour
}

/// Whether the order names each of `0..n` exactly once.
pub(crate) fn is_permutation(order: &[usize], n: usize) -> bool {
    let mut seen = vec![false; n];
    order.len() == n && order.iter().all(|&vertex| vertex < n && !std::mem::replace(&mut seen[vertex], true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_close_the_tour_and_refuse_missing_arcs() {
        let instance = Instance::new(3, |from, to| (from != 2 || to != 1).then_some((10 * from + to) as u64));
        assert_eq!(instance.tour_length(&[0, 1, 2]), Some(1 + 12 + 20));
        assert_eq!(instance.tour_length(&[0, 2, 1]), None);
        assert_eq!(instance.cost(2, 1), None);
        assert_eq!(instance.cost(1, 1), None);
    }

    #[test]
    fn tours_of_fewer_than_two_vertices_have_length_zero() {
        assert_eq!(Instance::new(0, |_, _| None).tour_length(&[]), Some(0));
        assert_eq!(Instance::new(1, |_, _| None).tour_length(&[0]), Some(0));
        assert_eq!(Instance::new(2, |_, _| Some(3)).tour_length(&[0, 1]), Some(6));
    }

    #[test]
    fn permutations_are_recognised() {
        assert!(is_permutation(&[2, 0, 1], 3));
        assert!(!is_permutation(&[2, 0, 2], 3));
        assert!(!is_permutation(&[0, 1], 3));
        assert!(!is_permutation(&[0, 3, 1], 3));
    }
}
