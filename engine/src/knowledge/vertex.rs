//! The vertices of the graph of a task, as the engine numbers them.
//!
//! The goals of a task are the vertices 1, 2, ... in the order of their ids. The *depot*, vertex 0,
//! stands for Init where it is a source and for Final where it is a target. So the matrix of
//! distances is at once the one of a closed tour through a depot. A vertex belongs to one task: the
//! goals of a part of a system have vertices of their own there.

use model::id::{Id, IdVec};
use std::fmt;
use std::num::NonZeroU32;

model::define_id! {
    /// A goal of a task, or the depot; see the module text.
    Vertex, "v"
}

/// A table with an entry for the depot and one for each goal of a task.
pub type ByVertex<T> = IdVec<Vertex, T>;

impl Vertex {
    /// Init as a source, Final as a target. It is the least vertex and has the number 0.
    pub const DEPOT: Self = Self(NonZeroU32::MIN);

    /// The vertex of the goal at this position among the goals of its task.
    pub fn of_position(position: usize) -> Self {
        Self::new(position + 1)
    }
    /// The vertices of so many goals, ascending.
    pub fn goals(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count).map(Self::of_position)
    }
    /// The depot and the vertices of so many goals, ascending.
    pub fn all(goals: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..goals + 1).map(Self::new)
    }
    /// Whether it is the depot.
    pub fn is_depot(self) -> bool {
        self == Self::DEPOT
    }
    /// The position of its goal among the goals of its task. The depot has none.
    pub fn position(self) -> usize {
        debug_assert!(!self.is_depot(), "the depot should not be taken for a goal");
        self.index().wrapping_sub(1)
    }
}

impl fmt::Display for Vertex {
    /// Its number: 0 for the depot, 1 for the first goal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.index().fmt(formatter)
    }
}

/// The table of a task of so many goals with these entries.
pub fn by_vertex<T>(goals: usize, entry: impl FnMut(Vertex) -> T) -> ByVertex<T> {
    Vertex::all(goals).map(entry).collect()
}

/// The vertices of these numbers.
#[cfg(test)]
pub(crate) fn numbered<const N: usize>(numbers: [usize; N]) -> [Vertex; N] {
    numbers.map(Vertex::new)
}
