//! Dynamic programming over vertex sets: exact, without any bound, for a handful of vertices.
//!
//! M. Held, R. M. Karp, "A dynamic programming approach to sequencing problems", SIAM J. 10 (1962):
//! the shortest path from vertex 0 through a set to its last vertex, for all sets in ascending
//! order. O(2ⁿ n²) time, O(2ⁿ n) memory.

use super::instance::{FORBIDDEN, Instance};

/// Up to this size the table is small enough (2¹² × 12 entries) to be preferred over any search.
pub(crate) const MAX_VERTICES: usize = 13;

/// The shortest tour, beginning at vertex 0; `None` where every tour uses a missing arc.
pub(crate) fn shortest_tour(instance: &Instance) -> Option<Vec<usize>> {
    let n = instance.len();
    if n < 2 {
        return Some((0..n).collect());
    }
    let table = fill_table(instance);
    let full = (1 << (n - 1)) - 1;
    let closing = |last: usize| sum(table[full * (n - 1) + last], instance.arc(last + 1, 0));
    let last = (0..n - 1).min_by_key(|&last| closing(last))?;
    (closing(last) != FORBIDDEN).then(|| read_back(instance, &table, full, last))
}

/// Entry `[set][last]`: length of the shortest path from 0 through all of `set` that ends in
/// `last`, where bit and index k stand for vertex k + 1.
fn fill_table(instance: &Instance) -> Vec<i64> {
    let others = instance.len() - 1;
    let mut table = vec![FORBIDDEN; others << others];
    for set in 1usize..1 << others {
        for last in (0..others).filter(|last| set >> last & 1 == 1) {
            let rest = set & !(1 << last);
            table[set * others + last] = if rest == 0 {
                instance.arc(0, last + 1)
            } else {
                let before = |last_before: usize| table[rest * others + last_before];
                let arcs = (0..others).map(|from| sum(before(from), instance.arc(from + 1, last + 1)));
                arcs.min().unwrap_or(FORBIDDEN)
            };
        }
    }
    table
}

fn read_back(instance: &Instance, table: &[i64], full: usize, last: usize) -> Vec<usize> {
    let others = instance.len() - 1;
    let (mut set, mut vertex) = (full, last);
    let mut tour = vec![vertex + 1];
    while set != 1 << vertex {
        let rest = set & !(1 << vertex);
        let from = (0..others)
            .min_by_key(|&from| sum(table[rest * others + from], instance.arc(from + 1, vertex + 1)))
            .expect("a path of two vertices should have a first one");
        tour.push(from + 1);
        (set, vertex) = (rest, from);
    }
    tour.push(0);
    tour.reverse();
    tour
}

fn sum(left: i64, right: i64) -> i64 {
    left.saturating_add(right)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{brute_force, random_instance};
    use super::*;

    #[test]
    fn equals_brute_force() {
        for seed in 0..300 {
            let n = seed as usize % 8;
            let instance = random_instance(n, 1 + seed % 12, [0, 25, 50, 70][seed as usize % 4], seed);
            let tour = shortest_tour(&instance);
            let length = tour.as_ref().map(|tour| instance.tour_length(tour).expect("no missing arc"));
            assert_eq!(length, brute_force(&instance), "seed {seed}");
        }
    }
}
