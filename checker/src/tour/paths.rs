//! Paths of arcs that all tours use.

/// The paths that arcs form of which every tour of a node uses all.
#[derive(Clone)]
pub(super) struct Paths {
    /// By vertex: the next one on its path.
    next: Vec<Option<usize>>,
    previous: Vec<Option<usize>>,
}

impl Paths {
    pub(super) fn new(vertices: usize) -> Self {
        Self { next: vec![None; vertices], previous: vec![None; vertices] }
    }

    fn end(vertex: usize, onward: &[Option<usize>]) -> (usize, usize) {
        let (mut last, mut steps) = (vertex, 0);
        while let Some(next) = onward[last].filter(|_| steps < onward.len()) {
            (last, steps) = (next, steps + 1);
        }
        (last, steps)
    }

    /// Number of vertices on the path of this one.
    fn length(&self, vertex: usize) -> usize {
        1 + Self::end(vertex, &self.next).1 + Self::end(vertex, &self.previous).1
    }

    /// Adds an arc that all tours use.
    pub(super) fn join(&mut self, from: usize, to: usize) -> Joined {
        let is_known = self.next[from] == Some(to);
        if !is_known {
            if self.next[from].is_some() || self.previous[to].is_some() {
                return Joined::Never;
            }
            if Self::end(to, &self.next).0 == from {
                return Joined::Circle { vertices: self.length(to) };
            }
            self.next[from] = Some(to);
            self.previous[to] = Some(from);
        }
        let (first, last) = (Self::end(from, &self.previous).0, Self::end(to, &self.next).0);
        Joined::Path { first, last, vertices: self.length(from) }
    }
}

/// What a further arc makes of the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// It lies on a path with this first and last vertex and so many in all.
    Path { first: usize, last: usize, vertices: usize },
    /// It leads from the last vertex of a path of so many to the first one.
    Circle { vertices: usize },
    /// The paths leave its first vertex, or enter its second one, by another arc.
    Never,
}
