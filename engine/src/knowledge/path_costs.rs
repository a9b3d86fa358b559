//! What was learned about sub-paths.
//!
//! A *window* is a sequence of vertices; its cost is the least number of steps of a run that begins
//! with the first vertex, passes the others in order and begins the last one. The sum of the
//! distances along it is a lower bound; where no run has that length the difference is learned, and
//! stays true for the rest of the search.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::vertex::Vertex;
use rustc_hash::FxHashMap;

/// A learned lower bound on the steps from the first to the last vertex of a sub-path; `None`:
/// impossible. The depot at the beginning is Init, at the end Final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) steps: Option<u32>,
}

/// The windows asked for so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathCosts {
    learned: Vec<Window>,
    entries: FxHashMap<Vec<Vertex>, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Position among the learned ones, if the distances alone say less.
    learned: Option<usize>,
    /// The least length at which a run was found.
    seen: Option<u32>,
    /// Whether the search for its cost was abandoned.
    abandoned: bool,
}

impl PathCosts {
    /// The windows that cost more than their distances, in the order they were learned.
    pub(crate) fn learned(&self) -> &[Window] {
        &self.learned
    }

    /// The same, with the windows whose search was abandoned taken as impossible: a guess, not a
    /// bound.
    pub(crate) fn assumed(&self) -> Vec<Window> {
        let assume = |window: &Window| match self.entries[&window.vertices].abandoned {
            true => Window { vertices: window.vertices.clone(), steps: None },
            false => window.clone(),
        };
        self.learned.iter().map(assume).collect()
    }

    /// Records that the cost of a window is not going to be sought any further.
    pub(crate) fn abandon(&mut self, vertices: &[Vertex]) {
        self.entry(vertices).abandoned = true;
    }

    /// Whether the sequence holds an abandoned window.
    pub(crate) fn holds_abandoned(&self, sequence: &[Vertex]) -> bool {
        let abandoned = |window: &&Window| self.entries[&window.vertices].abandoned;
        let holds =
            |window: &Window| sequence.windows(window.vertices.len()).any(|part| part == window.vertices);
        self.learned.iter().filter(abandoned).any(holds)
    }

    /// Whether a run of at most `steps` steps is known.
    pub(crate) fn is_seen(&self, vertices: &[Vertex], steps: u32) -> bool {
        self.entries.get(vertices).and_then(|entry| entry.seen).is_some_and(|seen| seen <= steps)
    }

    /// Records a run of that length.
    pub(crate) fn saw(&mut self, vertices: &[Vertex], steps: u32) {
        let entry = self.entry(vertices);
        entry.seen = Some(entry.seen.map_or(steps, |seen| seen.min(steps)));
    }

    /// Records that the window costs at least so many steps (`None`: is impossible).
    pub(crate) fn raise(&mut self, vertices: &[Vertex], steps: Option<u32>) {
        let next = self.learned.len();
        let entry = self.entry(vertices);
        let position = *entry.learned.get_or_insert(next);
        if position == next {
            self.learned.push(Window { vertices: vertices.to_vec(), steps });
        } else {
            let known = self.learned[position].steps;
            self.learned[position].steps = known.zip(steps).map(|(known, steps)| known.max(steps));
        }
    }

    /// The best lower bound for a sequence: the longest way through it by distances and learned
    /// windows. `None`: impossible.
    pub(crate) fn lower(&self, sequence: &[Vertex], graph: &ReachGraph) -> Option<u32> {
        let mut reached = vec![0; sequence.len()];
        for end in 1..sequence.len() {
            reached[end] = reached[end - 1] + graph.lower(sequence[end - 1], sequence[end])?;
            for begin in 0..end.saturating_sub(1) {
                if let Some(steps) = self.learned_steps(&sequence[begin..=end]) {
                    reached[end] = reached[end].max(reached[begin] + steps?);
                }
            }
        }
        reached.last().copied()
    }

    fn learned_steps(&self, vertices: &[Vertex]) -> Option<Option<u32>> {
        let position = self.entries.get(vertices)?.learned?;
        Some(self.learned[position].steps)
    }

    fn entry(&mut self, vertices: &[Vertex]) -> &mut Entry {
        if !self.entries.contains_key(vertices) {
            self.entries.insert(vertices.to_vec(), Entry { learned: None, seen: None, abandoned: false });
        }
        self.entries.get_mut(vertices).expect("an inserted entry should be there")
    }
}
