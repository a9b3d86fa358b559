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
    pub(super) fn length(&self, vertex: usize) -> usize {
        1 + Self::end(vertex, &self.next).1 + Self::end(vertex, &self.previous).1
    }

    /// First and last vertex of the path with the arc, and how many it has. `None`: the arc closes a path, or the vertices have other arcs
    /// (then its cost is gone).
    pub(super) fn join(&mut self, from: usize, to: usize) -> Option<(usize, usize, usize)> {
        if Self::end(to, &self.next).0 == from || self.next[from].is_some() || self.previous[to].is_some() {
            return None;
        }
        self.next[from] = Some(to);
        self.previous[to] = Some(from);
        let (first, last) = (Self::end(from, &self.previous).0, Self::end(to, &self.next).0);
        Some((first, last, self.length(from)))
    }
}
