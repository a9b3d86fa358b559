//! Costs of sub-paths ("windows") and the length of a tour under them.
//!
//! A window says that whenever its vertices stand consecutively in a tour, the arcs between them
//! together cost at least so much, whatever the matrix says. Two windows that share arcs must not
//! both be charged in full, for their costs may be paid by the same arc. The length of a tour under
//! windows is therefore the best valid lower bound: the *maximum over all ways to cut the tour into
//! arcs and windows* of the sum of their costs, found by a longest-path dynamic program along the
//! tour. A forbidden window makes every tour that holds it infeasible.

use super::instance::{FORBIDDEN, Instance};
use rustc_hash::FxHashMap;

/// What is known of a sub-path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCost {
    /// The vertices, consecutive in the tour; two or more (usually three or more). The first may
    /// equal the last where the window is the whole tour. A window that no tour can hold (repeated
    /// or unknown vertices) has no effect.
    pub vertices: Vec<usize>,
    /// Least total cost of the arcs between the vertices; `None`: no tour may hold this sub-path.
    pub cost: Option<u64>,
}

/// A window with internal cost, [`FORBIDDEN`] where no tour may hold it.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) vertices: Vec<usize>,
    pub(crate) cost: i64,
}

impl Window {
    /// Number of arcs.
    pub(crate) fn arcs(&self) -> usize {
        self.vertices.len() - 1
    }

    pub(crate) fn arc_pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.vertices.iter().copied().zip(self.vertices[1..].iter().copied())
    }
}

/// Windows of one instance, found by their first arc.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    windows: Vec<Window>,
    by_first_arc: FxHashMap<(usize, usize), Vec<usize>>,
}

/// An occurrence of a window: it begins at this position of the sequence searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub(crate) window: usize,
    pub(crate) start: usize,
}

/// Length of a sequence under windows, and the windows charged in a cut that attains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) length: i64,
    pub(crate) charged: Vec<usize>,
}

/// The verdict about a sequence of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measured {
    /// All arcs exist and no forbidden window occurs.
    Possible(Charge),
    /// An arc is missing.
    MissingArc,
    /// This forbidden window occurs.
    Forbidden(usize),
}

impl Windows {
    /// Keeps the windows that some tour can hold and that say more than the arcs alone; of windows
    /// over the same vertices the dearest.
    pub(crate) fn new(instance: &Instance, path_costs: &[PathCost]) -> Self {
        let mut windows = Self { windows: Vec::new(), by_first_arc: FxHashMap::default() };
        let mut known: FxHashMap<&[usize], usize> = FxHashMap::default();
        for path_cost in path_costs.iter().filter(|path_cost| is_informative(instance, path_cost)) {
            let cost = path_cost.cost.map_or(FORBIDDEN, |cost| cost as i64);
            if let Some(&index) = known.get(path_cost.vertices.as_slice()) {
                windows.windows[index].cost = windows.windows[index].cost.max(cost);
            } else {
                known.insert(&path_cost.vertices, windows.windows.len());
                windows.push(Window { vertices: path_cost.vertices.clone(), cost });
            }
        }
        windows
    }

    fn push(&mut self, window: Window) {
        let first = (window.vertices[0], window.vertices[1]);
        self.by_first_arc.entry(first).or_default().push(self.windows.len());
        self.windows.push(window);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    pub(crate) fn get(&self, window: usize) -> &Window {
        &self.windows[window]
    }

    pub(crate) fn len(&self) -> usize {
        self.windows.len()
    }

    /// The vertex that is strictly inside the fewest windows, the smallest of those, and how many
    /// these are.
    pub(crate) fn least_inner_vertex(&self, n: usize) -> (usize, usize) {
        let mut inside = vec![0; n];
        for window in &self.windows {
            window.vertices[1..window.arcs()].iter().for_each(|&vertex| inside[vertex] += 1);
        }
        let vertex = (0..n).min_by_key(|&vertex| inside[vertex]).unwrap_or(0);
        (vertex, inside.get(vertex).copied().unwrap_or(0))
    }

    /// Length of a path (not closed) under the windows it holds.
    #[cfg(test)]
    pub(crate) fn measure_path(&self, instance: &Instance, path: &[usize]) -> Measured {
        let mut occurrences = Vec::new();
        for start in 0..path.len().saturating_sub(1) {
            self.occurrences_at(path, start, path.len() - 1 - start, &mut occurrences);
        }
        self.measure(instance, path, path.len().saturating_sub(1), &occurrences)
    }

    /// Length of a cyclic tour under the windows it holds. Where windows reach over the end of the
    /// sequence, each place where the best cut may begin is tried.
    pub(crate) fn measure_tour(&self, instance: &Instance, tour: &[usize]) -> Measured {
        if tour.len() < 2 {
            return Measured::Possible(Charge { length: 0, charged: Vec::new() });
        }
        let mut occurrences = Vec::new();
        for start in 0..tour.len() {
            self.occurrences_at(tour, start, tour.len(), &mut occurrences);
        }
        let wraps =
            |occurrence: &&Occurrence| occurrence.start + self.windows[occurrence.window].arcs() > tour.len();
        let beginnings = occurrences.iter().filter(wraps).map(|occurrence| occurrence.start);
        let mut best = self.measure_from(instance, tour, 0, &occurrences);
        for beginning in beginnings {
            let other = self.measure_from(instance, tour, beginning, &occurrences);
            if let (Measured::Possible(known), Measured::Possible(found)) = (&best, &other)
                && found.length > known.length
            {
                best = other;
            }
        }
        best
    }

    /// Length of the tour under windows; `None` where it is infeasible.
    pub(crate) fn tour_length(&self, instance: &Instance, tour: &[usize]) -> Option<i64> {
        match self.measure_tour(instance, tour) {
            Measured::Possible(charge) => Some(charge.length),
            Measured::MissingArc | Measured::Forbidden(_) => None,
        }
    }

    fn measure_from(
        &self,
        instance: &Instance,
        tour: &[usize],
        beginning: usize,
        occurrences: &[Occurrence],
    ) -> Measured {
        let n = tour.len();
        let mut rotated = tour.to_vec();
        rotated.rotate_left(beginning);
        let moved = |occurrence: &Occurrence| Occurrence {
            start: (occurrence.start + n - beginning) % n,
            window: occurrence.window,
        };
        let mut moved: Vec<Occurrence> = occurrences.iter().map(moved).collect();
        moved.sort_by_key(|occurrence| occurrence.start);
        self.measure(instance, &rotated, n, &moved)
    }

    /// Appends the windows whose vertices stand at `start` (cyclically) within the next `arcs`
    /// arcs.
    fn occurrences_at(&self, sequence: &[usize], start: usize, arcs: usize, found: &mut Vec<Occurrence>) {
        let n = sequence.len();
        let at = |offset: usize| sequence[(start + offset) % n];
        let Some(candidates) = self.by_first_arc.get(&(at(0), at(1))) else { return };
        for &window in candidates {
            let vertices = &self.windows[window].vertices;
            if vertices.len() <= arcs + 1 && vertices.iter().enumerate().all(|(k, &vertex)| at(k) == vertex) {
                found.push(Occurrence { window, start });
            }
        }
    }

    /// Longest path over the positions `0..=arcs`, where step k is the arc from position k to k + 1
    /// (cyclically) and each occurrence (ascending by start) is a jump. Occurrences that reach
    /// beyond the end are not charged.
    fn measure(
        &self,
        instance: &Instance,
        sequence: &[usize],
        arcs: usize,
        occurrences: &[Occurrence],
    ) -> Measured {
        if let Some(forbidden) = occurrences.iter().find(|found| self.windows[found.window].cost == FORBIDDEN)
        {
            return Measured::Forbidden(forbidden.window);
        }
        let mut reached: Vec<(i64, Option<usize>)> = vec![(-1, None); arcs + 1];
        reached[0].0 = 0;
        let mut next = occurrences.iter().peekable();
        for position in 0..arcs {
            let length = reached[position].0;
            let arc = instance.arc(sequence[position], sequence[(position + 1) % sequence.len()]);
            if arc == FORBIDDEN {
                return Measured::MissingArc;
            }
            if length + arc > reached[position + 1].0 {
                reached[position + 1] = (length + arc, None);
            }
            while let Some(found) = next.next_if(|found| found.start == position) {
                let window = &self.windows[found.window];
                if let Some(end) = reached.get_mut(position + window.arcs())
                    && length + window.cost > end.0
                {
                    *end = (length + window.cost, Some(found.window));
                }
            }
        }
        Measured::Possible(self.charge(&reached))
    }

    fn charge(&self, reached: &[(i64, Option<usize>)]) -> Charge {
        let mut position = reached.len() - 1;
        let length = reached[position].0;
        let mut charged = Vec::new();
        while position > 0 {
            match reached[position].1 {
                Some(window) => {
                    charged.push(window);
                    position -= self.windows[window].arcs();
                }
                None => position -= 1,
            }
        }
        charged.reverse();
        Charge { length, charged }
    }
}

/// Whether a tour can hold the window and its arcs alone do not already cost as much.
fn is_informative(instance: &Instance, path_cost: &PathCost) -> bool {
    let vertices = &path_cost.vertices;
    let n = instance.len();
    if vertices.len() < 2 || n < 2 || vertices.iter().any(|&vertex| vertex >= n) {
        return false;
    }
    let is_closed = vertices.len() == n + 1 && vertices[0] == vertices[n];
    let inner = if is_closed { &vertices[..n] } else { &vertices[..] };
    let mut sorted = inner.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let arcs = vertices.windows(2).map(|pair| instance.cost(pair[0], pair[1])).sum::<Option<u64>>();
    sorted.len() == inner.len() && arcs.is_some_and(|arcs| path_cost.cost.is_none_or(|cost| cost > arcs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(n: usize) -> Instance {
        Instance::new(n, |_, _| Some(1))
    }

    fn window(vertices: &[usize], cost: impl Into<Option<u64>>) -> PathCost {
        PathCost { vertices: vertices.to_vec(), cost: cost.into() }
    }

    #[test]
    fn overlapping_windows_are_not_both_charged() {
        let cases: &[(&[PathCost], Option<i64>)] = &[
            (&[], Some(6)),
            (&[window(&[0, 1, 2], 5)], Some(9)),
            (&[window(&[0, 1, 2], 5), window(&[1, 2, 3], 7)], Some(11)),
            (&[window(&[0, 1, 2], 5), window(&[2, 3, 4], 7)], Some(14)),
            (&[window(&[0, 1, 2], 5), window(&[1, 2, 3], 7), window(&[3, 4, 5], 4)], Some(13)),
            (&[window(&[5, 0, 1], 6), window(&[0, 1, 2], 5), window(&[4, 5, 0], 5)], Some(12)),
            (&[window(&[0, 1, 2], 5), window(&[0, 1, 2], 8)], Some(12)),
            (&[window(&[0, 2, 1], 50), window(&[0, 1, 2], 1)], Some(6)),
            (&[window(&[4, 5, 0, 1], None)], None),
            (&[window(&[0, 1, 2, 3, 4, 5, 0], 10)], Some(10)),
            (&[window(&[2, 3, 4, 5, 0, 1, 2], 10)], Some(10)),
            (&[window(&[0, 1, 0], 9), window(&[3], 4), window(&[0, 9], 4), window(&[0, 0], 4)], Some(6)),
            (&[window(&[2, 3], 4)], Some(9)),
        ];
        for (path_costs, expected) in cases {
            let instance = unit(6);
            let windows = Windows::new(&instance, path_costs);
            assert_eq!(windows.tour_length(&instance, &[0, 1, 2, 3, 4, 5]), *expected, "{path_costs:?}");
        }
    }

    #[test]
    fn paths_do_not_close() {
        let instance = unit(4);
        let windows = Windows::new(&instance, &[window(&[2, 3, 0], 9), window(&[0, 1, 2], 4)]);
        let measured = windows.measure_path(&instance, &[0, 1, 2, 3]);
        assert_eq!(measured, Measured::Possible(Charge { length: 5, charged: vec![1] }));
        assert_eq!(windows.tour_length(&instance, &[0, 1, 2, 3]), Some(13));
    }
}
