//! Whether a graph has a covering path at all (Lemma 1, Algorithm 3 of the paper).

use crate::knowledge::vertex::Vertex;

/// A relation over `0..size`, one bit set per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    /// The pairs for which `holds` says so.
    pub(crate) fn new(size: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let words = size.div_ceil(64);
        let mut relation = Self { size, words, bits: vec![0; size * words] };
        for from in 0..size {
            for to in (0..size).filter(|&to| holds(from, to)) {
                relation.bits[from * words + to / 64] |= 1 << (to % 64);
            }
        }
        relation
    }

    /// Whether the pair is in the relation.
    pub(crate) fn holds(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// The transitive closure (Warshall, 64 targets at once).
    pub(crate) fn closure(mut self) -> Self {
        for via in 0..self.size {
            let row = self.bits[via * self.words..][..self.words].to_vec();
            for from in 0..self.size {
                if self.holds(from, via) {
                    let target = &mut self.bits[from * self.words..][..self.words];
                    target.iter_mut().zip(&row).for_each(|(target, source)| *target |= source);
                }
            }
        }
        self
    }
}

/// Lemma 1 over `edge(source, target)`: every one of these goals is reachable from Init, Final is
/// reachable from every goal, and of each two goals one reaches the other.
pub(crate) fn has_covering_path(goals: &[Vertex], edge: impl Fn(Vertex, Vertex) -> bool) -> bool {
    // Node 0 is Init, the goals follow in their order, the last node is Final.
    let last = goals.len() + 1;
    let vertex = |node: usize| if node == 0 || node == last { Vertex::DEPOT } else { goals[node - 1] };
    let edge = |from: usize, to: usize| edge(vertex(from), vertex(to));
    let closure = Relation::new(last + 1, |from, to| match (from, to) {
        (from, 0) if from != 0 => false,
        (from, _) if from == last => false,
        (from, to) if to == last => from != 0 && edge(from, last),
        (from, to) => from != to && edge(from, to),
    })
    .closure();
    let joined = |a: usize, b: usize| a == b || closure.holds(a, b) || closure.holds(b, a);
    (1..last).all(|goal| {
        closure.holds(0, goal) && closure.holds(goal, last) && (1..goal).all(|other| joined(goal, other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::id::Id;

    fn exists(goals: usize, edges: &[(usize, usize)]) -> bool {
        let goals: Vec<Vertex> = Vertex::goals(goals).collect();
        has_covering_path(&goals, |from, to| edges.contains(&(from.index(), to.index())))
    }

    #[test]
    fn each_condition_of_the_lemma_counts() {
        type Case<'a> = (&'a str, usize, &'a [(usize, usize)], bool);
        let cases: &[Case<'_>] = &[
            ("a line", 2, &[(0, 1), (1, 2), (2, 0)], true),
            ("a goal that Init does not reach", 2, &[(0, 1), (2, 1), (1, 0), (2, 0)], false),
            ("Final not reached from one goal", 2, &[(0, 1), (0, 2), (1, 2), (1, 0)], false),
            ("Final reached through another goal", 2, &[(0, 2), (2, 1), (1, 0)], true),
            ("two goals that exclude each other", 2, &[(0, 1), (0, 2), (1, 0), (2, 0)], false),
            ("Init is not passed again", 2, &[(0, 1), (0, 2), (1, 2), (2, 0)], true),
            ("a revisit through a hub", 3, &[(0, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 0)], true),
            ("no goals", 0, &[], true),
        ];
        for &(name, goals, edges, expected) in cases {
            assert_eq!(exists(goals, edges), expected, "{name}");
        }
    }

    #[test]
    fn closure_crosses_word_boundaries() {
        let chain = Relation::new(130, |from, to| to == from + 1).closure();
        assert!(chain.holds(0, 129));
        assert!(!chain.holds(129, 0));
        assert!(!chain.holds(5, 5));
    }
}
