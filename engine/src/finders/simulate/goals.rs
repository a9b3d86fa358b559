//! Sets of goals that an execution has covered.

use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;

/// Words of a set.
const WORDS: usize = 8;
/// Most goals that the search keeps apart; further ones are covered by the way or not at all.
pub(crate) const MOST_GOALS: usize = 64 * WORDS;

/// A set of goals by their positions in the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Goals([u64; WORDS]);

impl Goals {
    /// The goals of these vertices; those beyond [`MOST_GOALS`] are left out.
    pub(crate) fn of(vertices: &[Vertex]) -> Self {
        let mut goals = Self::default();
        vertices
            .iter()
            .filter(|vertex| vertex.position() < MOST_GOALS)
            .for_each(|&vertex| goals.insert(vertex));
        goals
    }
    /// All goals of a task but these.
    pub(crate) fn all_but(task: &Task<'_>, open: &[Vertex]) -> Self {
        let others: Vec<Vertex> = task.vertices().filter(|goal| !open.contains(goal)).collect();
        Self::of(&others)
    }
    /// Adds the goal of a vertex.
    pub(crate) fn insert(&mut self, vertex: Vertex) {
        let position = vertex.position();
        self.0[position / 64] |= 1 << (position % 64);
    }
    /// Whether the goal of a vertex is in it.
    pub(crate) fn contains(&self, vertex: Vertex) -> bool {
        let position = vertex.position();
        position < MOST_GOALS && self.0[position / 64] >> (position % 64) & 1 == 1
    }
    /// Adds the goals of another set.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }
    /// Number of goals.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
    /// Whether all goals of another set are in it.
    pub(crate) fn holds_all(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| other & !own == 0)
    }
    /// The goals that another set has and this one has not, in words of 32 bits.
    pub(crate) fn missing(&self, other: &Self, half: usize) -> u32 {
        let word = other.0.get(half / 2).copied().unwrap_or(0) & !self.0.get(half / 2).copied().unwrap_or(0);
        (word >> (32 * (half % 2))) as u32
    }
}
