//! Which goals go into one chain together (Algorithm 7).
//!
//! Two goals are in conflict where neither reaches the other. The paper colours the conflict graph;
//! since the relation is the incomparability of a preorder, the fewest colours are found exactly by
//! a matching (Dilworth): as few paths as possible through the strongly connected components, each
//! class being the goals of one of them.

use crate::knowledge::vertex::Vertex;
use crate::optimum::order::existence::Relation;

/// Classes of goals, each ascending, of which all pairs reach one another in one direction at
/// least. `reaches` holds for a pair of goals where the second one can come later; it must be
/// transitive.
pub(crate) fn partition(goals: &[Vertex], reaches: impl Fn(Vertex, Vertex) -> bool) -> Vec<Vec<Vertex>> {
    let joined = |a: Vertex, b: Vertex| a == b || (reaches(a, b) && reaches(b, a));
    let heads: Vec<usize> =
        (0..goals.len()).filter(|&goal| (0..goal).all(|other| !joined(goals[other], goals[goal]))).collect();
    let before = Relation::new(heads.len(), |a, b| {
        let (a, b) = (goals[heads[a]], goals[heads[b]]);
        reaches(a, b) && !reaches(b, a)
    });
    let followers = matching(heads.len(), &before);
    let mut classes = Vec::new();
    for first in (0..heads.len()).filter(|&head| !followers.contains(&Some(head))) {
        let chain = std::iter::successors(Some(first), |&head| followers[head]);
        let mut class = Vec::new();
        for head in chain {
            class.extend(goals.iter().copied().filter(|&goal| joined(goals[heads[head]], goal)));
        }
        class.sort_unstable();
        classes.push(class);
    }
    classes
}

/// A greatest set of pairs of the relation in which nothing occurs twice on the same side (Kuhn):
/// by left side.
fn matching(size: usize, pairs: &Relation) -> Vec<Option<usize>> {
    let mut partner_of_right = vec![None; size];
    for left in 0..size {
        augment(left, pairs, &mut vec![false; size], &mut partner_of_right);
    }
    let mut partner_of_left = vec![None; size];
    for (right, left) in partner_of_right.into_iter().enumerate() {
        if let Some(left) = left {
            partner_of_left[left] = Some(right);
        }
    }
    partner_of_left
}

fn augment(left: usize, pairs: &Relation, visited: &mut [bool], partner: &mut [Option<usize>]) -> bool {
    for right in 0..visited.len() {
        if !pairs.holds(left, right) || visited[right] {
            continue;
        }
        visited[right] = true;
        let free = partner[right].is_none_or(|other| augment(other, pairs, visited, partner));
        if free {
            partner[right] = Some(left);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::id::Id;

    fn classes(goals: usize, edges: &[(usize, usize)]) -> Vec<Vec<Vertex>> {
        let closure = Relation::new(goals + 1, |a, b| edges.contains(&(a, b))).closure();
        let goals: Vec<Vertex> = Vertex::goals(goals).collect();
        partition(&goals, |a, b| closure.holds(a.index(), b.index()))
    }

    #[test]
    fn as_few_classes_as_possible() {
        type Case<'a> = (&'a str, usize, &'a [(usize, usize)], &'a [&'a [usize]]);
        let cases: &[Case<'_>] = &[
            ("a cycle", 3, &[(1, 2), (2, 3), (3, 1)], &[&[1, 2, 3]]),
            ("a line", 3, &[(2, 1), (1, 3)], &[&[1, 2, 3]]),
            ("nothing", 3, &[], &[&[1], &[2], &[3]]),
            ("a fork behind a cycle", 4, &[(1, 2), (2, 1), (1, 3), (1, 4)], &[&[1, 2, 4], &[3]]),
            (
                "greedy colouring in order takes three",
                4,
                &[(1, 4), (3, 2), (1, 2), (4, 2)],
                &[&[1, 2, 4], &[3]],
            ),
        ];
        for &(name, goals, edges, expected) in cases {
            let found = classes(goals, edges);
            assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
            let mut all: Vec<Vertex> = found.concat();
            all.sort_unstable();
            assert_eq!(all, Vertex::goals(goals).collect::<Vec<_>>(), "{name}");
            let closure = Relation::new(goals + 1, |a, b| edges.contains(&(a, b))).closure();
            for class in found {
                let class: Vec<usize> = class.into_iter().map(Vertex::index).collect();
                for &a in &class {
                    assert!(
                        class.iter().all(|&b| a == b || closure.holds(a, b) || closure.holds(b, a)),
                        "{name}"
                    );
                }
            }
        }
    }
}
