//! Arcs that a node of a search fixes in or out.

use super::instance::FORBIDDEN;

/// Tail and head.
pub(crate) type Arc = (usize, usize);

/// Arcs that every tour of a node uses, and arcs that none uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Restriction {
    pub(crate) included: Vec<Arc>,
    pub(crate) excluded: Vec<Arc>,
}

impl Restriction {
    pub(crate) fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    /// The same with one more arc in.
    pub(crate) fn with(&self, arc: Arc) -> Self {
        let mut restriction = self.clone();
        restriction.included.push(arc);
        restriction
    }

    /// The same with one more arc out.
    pub(crate) fn without(&self, arc: Arc) -> Self {
        let mut restriction = self.clone();
        restriction.excluded.push(arc);
        restriction
    }

    /// Writes the matrix without the excluded arcs, without rivals of the included ones, and
    /// without the arcs that would close included paths too early. `false`: the included arcs
    /// already close one, so no tour is left.
    pub(crate) fn apply(&self, full: &[i64], n: usize, restricted: &mut Vec<i64>) -> bool {
        restricted.clear();
        restricted.extend_from_slice(full);
        for &(from, to) in &self.excluded {
            restricted[from * n + to] = FORBIDDEN;
        }
        for &(from, to) in &self.included {
            let kept = restricted[from * n + to];
            restricted[from * n..][..n].fill(FORBIDDEN);
            (0..n).for_each(|row| restricted[row * n + to] = FORBIDDEN);
            restricted[from * n + to] = kept;
        }
        let paths = self.included_paths(n);
        for path in paths.iter().filter(|path| path.len() < n) {
            restricted[path[path.len() - 1] * n + path[0]] = FORBIDDEN;
        }
        paths.iter().map(|path| path.len() - 1).sum::<usize>() == self.included.len()
            || self.included.len() == n
    }

    /// The maximal paths that the included arcs form, each with two or more vertices. A full cycle
    /// is no path and left out.
    pub(crate) fn included_paths(&self, n: usize) -> Vec<Vec<usize>> {
        let mut successor = vec![None; n];
        let mut has_predecessor = vec![false; n];
        for &(from, to) in &self.included {
            successor[from] = Some(to);
            has_predecessor[to] = true;
        }
        let starts = (0..n).filter(|&vertex| successor[vertex].is_some() && !has_predecessor[vertex]);
        starts
            .map(|start| std::iter::successors(Some(start), |&vertex| successor[vertex]).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_and_closing_arcs_go() {
        let full = vec![1; 16];
        let restriction = Restriction { included: vec![(0, 1), (1, 2)], excluded: vec![(3, 3), (2, 3)] };
        let mut restricted = Vec::new();
        assert!(restriction.apply(&full, 4, &mut restricted));
        let left: Vec<usize> = (0..16).filter(|&arc| restricted[arc] != FORBIDDEN).collect();
        assert_eq!(left, [1, 6, 12]);
        let closed = Restriction { included: vec![(0, 1), (1, 0)], excluded: vec![] };
        assert!(!closed.apply(&full, 4, &mut restricted));
    }
}
