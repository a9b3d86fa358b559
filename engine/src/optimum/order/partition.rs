//! How few chains can cover the goals, by what is known to be impossible between pairs of them.
//!
//! Goals that lead to each other, directly or through others, make one component; a chain passes
//! components in an order of the condensation. So no fewer chains do than there are paths in a
//! least path cover of its transitive closure, which is the number of components less a maximum
//! matching (R. P. Dilworth, Annals of Mathematics 51 (1950); D. R. Fulkerson, 1956).

use super::existence::Relation;
use crate::knowledge::vertex::Vertex;

/// A lower bound of the number of chains that cover these goals, where `possible(a, b)` says
/// whether b may come after a.
pub(crate) fn fewest_chains(goals: &[Vertex], possible: impl Fn(Vertex, Vertex) -> bool) -> usize {
    let size = goals.len();
    let reaches = Relation::new(size, |a, b| a != b && possible(goals[a], goals[b])).closure();
    let is_first = |&position: &usize| {
        !(0..position).any(|other| reaches.holds(position, other) && reaches.holds(other, position))
    };
    let components: Vec<usize> = (0..size).filter(is_first).collect();
    let count = components.len();
    let mut before: Vec<Option<usize>> = vec![None; count];
    let follows = |a: usize, b: usize| a != b && reaches.holds(components[a], components[b]);
    let matched = (0..count).filter(|&a| augment(a, &mut before, &mut vec![false; count], &follows)).count();
    count - matched
}

/// Finds a successor for a component, moving others where needed (H. W. Kuhn's augmenting paths);
/// no deeper than there are components.
fn augment(
    component: usize,
    before: &mut [Option<usize>],
    tried: &mut [bool],
    follows: &impl Fn(usize, usize) -> bool,
) -> bool {
    for next in 0..before.len() {
        if tried[next] || !follows(component, next) {
            continue;
        }
        tried[next] = true;
        if before[next].is_none_or(|other| augment(other, before, tried, follows)) {
            before[next] = Some(component);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::id::Id;

    fn fewest(size: usize, edges: &[(usize, usize)]) -> usize {
        let goals: Vec<Vertex> = Vertex::goals(size).collect();
        fewest_chains(&goals, |a, b| edges.contains(&(a.index(), b.index())))
    }

    #[test]
    fn small_orders() {
        assert_eq!(fewest(0, &[]), 0);
        assert_eq!(fewest(3, &[]), 3, "all exclude each other");
        assert_eq!(fewest(3, &[(1, 2), (2, 3)]), 1, "a line");
        assert_eq!(fewest(3, &[(1, 2), (2, 1), (1, 3)]), 1, "a component and one after it");
        assert_eq!(fewest(4, &[(1, 2), (1, 3), (2, 4), (3, 4)]), 2, "a diamond");
        assert_eq!(fewest(5, &[(1, 3), (2, 3), (3, 4), (3, 5)]), 2, "a middle that two chains pass");
        assert_eq!(fewest(4, &[(1, 2), (3, 2), (1, 4)]), 2, "a first choice that must be moved");
    }

    /// All relations over four goals: no way to split them into fewer sequences is possible in the
    /// closure.
    #[test]
    fn agrees_with_trying_all_sequences() {
        let pairs: Vec<(usize, usize)> =
            (1..=4).flat_map(|a| (1..=4).filter(move |&b| b != a).map(move |b| (a, b))).collect();
        for set in 0..1u32 << pairs.len() {
            let edges: Vec<(usize, usize)> = pairs
                .iter()
                .enumerate()
                .filter(|(bit, _)| set >> bit & 1 == 1)
                .map(|(_, &pair)| pair)
                .collect();
            let closure = Relation::new(5, |a, b| edges.contains(&(a, b))).closure();
            assert_eq!(fewest(4, &edges), brute_force(&closure), "{edges:?}");
        }
    }

    /// Fewest sequences over permutations of the goals cut where one does not reach the next.
    fn brute_force(closure: &Relation) -> usize {
        fn search(order: &mut Vec<usize>, closure: &Relation) -> usize {
            if order.len() == 4 {
                return 1 + order.windows(2).filter(|pair| !closure.holds(pair[0], pair[1])).count();
            }
            let mut best = usize::MAX;
            for goal in 1..=4 {
                if !order.contains(&goal) {
                    order.push(goal);
                    best = best.min(search(order, closure));
                    order.pop();
                }
            }
            best
        }
        search(&mut Vec::new(), closure)
    }
}
