//! Dynamic programming under windows: partial paths by visited set and automaton state.
//!
//! A partial path begins at a vertex that is strictly inside no window, so that no window reaches
//! over the beginning. What may follow it depends on its set of vertices and its automaton state;
//! what that will cost depends on its lengths, one per slot of the state. Of two paths with equal
//! set and state, one whose lengths are all at most the other's makes the other superfluous. Paths
//! are also dropped whose length plus a bound on the rest reaches the best tour. Layers of equal
//! size are filled one after the other, each limited to a width: a wide enough program is exact, a
//! narrow one is a beam search, and in both cases the least bound of a path that the width has cut
//! off is a bound on what was missed.

use super::assignment::Assignment;
use super::automaton::{Automaton, Step};
use super::bound::ExactBound;
use super::exclusions::Exclusions;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::windows::Windows;
use rustc_hash::FxHashMap;

/// Up to this many vertices the bound on the rest is the exact length without windows.
pub(crate) const MAX_TABLE_VERTICES: usize = 17;
/// Paths between looks at the limits.
const SLICE: usize = 256;

/// Everything that stays the same during the program.
pub(crate) struct WindowProgram<'a> {
    instance: &'a Instance,
    automaton: Automaton,
    start: usize,
    rest: RestBound<'a>,
    /// A bound of a relaxation, which rises with the arcs of a path.
    guide: Option<ExactBound>,
    /// What vertices exclude for the rest of a chain. What the chain excludes so far is a word
    /// behind those of the visited set, for the future depends on it as on that.
    exclusions: Option<&'a Exclusions>,
    words: usize,
}

/// Paths of equal size. Fields of a path stand at equal index, or in equal blocks of `words` and
/// `slots`.
struct Layer {
    words: usize,
    slots: usize,
    /// The visited set, and behind it what is excluded where vertices exclude others.
    visited: Vec<u64>,
    states: Vec<usize>,
    lengths: Vec<i64>,
    marks: Vec<Mark>,
    /// By hash of set and state: the latest such path; `earlier` leads to the others.
    latest: FxHashMap<u64, usize>,
    earlier: Vec<Option<usize>>,
}

/// How a path was reached: from which path of the layer before, by which vertex.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    parent: usize,
    vertex: usize,
}

/// What is noted of a path besides what decides its future.
#[derive(Clone, Copy, Debug)]
struct Mark {
    step: PathStep,
    /// Bound on what remains to be gone.
    rest: i64,
    /// By how much the arcs raise the guide.
    rise: i64,
    /// No tour that begins with the path is shorter.
    bound: i64,
}

impl<'a> WindowProgram<'a> {
    /// `None` where every vertex is inside some window, so that there is no place to begin.
    pub(crate) fn new(instance: &'a Instance, windows: &Windows, assignment: &'a Assignment) -> Option<Self> {
        let n = instance.len();
        let (start, 0) = windows.least_inner_vertex(n) else { return None };
        let rest = if n <= MAX_TABLE_VERTICES {
            RestBound::Table(RestTable::new(instance, start))
        } else {
            RestBound::Duals(assignment)
        };
        let automaton = Automaton::new(n, windows);
        let (exclusions, words) = (None, n.div_ceil(64));
        Some(Self { instance, automaton, start, rest, guide: None, exclusions, words })
    }

    /// The program for chains between depots, which begins at the first depot. `None` where that
    /// is strictly inside a window.
    pub(crate) fn from_depot(
        instance: &'a Instance,
        windows: &Windows,
        assignment: &'a Assignment,
        exclusions: &'a Exclusions,
    ) -> Option<Self> {
        let program = Self::new(instance, windows, assignment)?;
        let words = program.words + 1;
        (program.start == 0).then_some(Self { exclusions: Some(exclusions), words, ..program })
    }

    /// The same program with a guide. Tours that are not shorter than the cutoff of the guide may
    /// be missed.
    pub(crate) fn with_guide(self, guide: ExactBound) -> Self {
        Self { guide: Some(guide), ..self }
    }

    /// Fills all layers. Finds the best tour shorter than the one known, if its paths are not cut
    /// off by the width.
    pub(crate) fn run(&self, known: Option<&Found>, width: usize, limits: &Limits) -> Searched {
        let cutoff = known.map_or(FORBIDDEN, |known| known.length);
        let mut missed = FORBIDDEN;
        let mut layer = self.first_layer();
        let mut history = Vec::new();
        for _ in 1..self.instance.len() {
            let Some(next) = self.next_layer(&layer, cutoff, width, &mut missed, limits) else {
                let open = layer.marks.iter().map(|mark| mark.bound).min().unwrap_or(FORBIDDEN);
                return Searched { best: known.cloned(), lower_bound: missed.min(open).min(cutoff) };
            };
            history.push(std::mem::replace(&mut layer, next).steps());
        }
        let closed = self.close(&layer, cutoff);
        history.push(layer.steps());
        let best = closed.map(|(last, length)| Found { tour: read_back(&history, last), length });
        let best = best.or_else(|| known.cloned());
        let reached = best.as_ref().map_or(FORBIDDEN, |best| best.length);
        Searched { best, lower_bound: missed.min(reached) }
    }

    fn first_layer(&self) -> Layer {
        let mut layer = Layer::new(self.words, self.automaton.most_slots());
        let mut visited = vec![0; self.words];
        visited[self.start / 64] |= 1 << (self.start % 64);
        if let Some(exclusions) = self.exclusions {
            visited[self.words - 1] = exclusions.at_start();
        }
        let lengths = vec![0; layer.slots];
        let rest = self.rest.of_start();
        let step = PathStep { parent: 0, vertex: self.start };
        layer.push(
            &visited,
            self.start,
            &lengths,
            Mark { step, rest, rise: 0, bound: self.bound(0, rest, 0) },
        );
        layer
    }

    /// No tour that begins with a path of this length, rest and rise is shorter.
    fn bound(&self, length: i64, rest: i64, rise: i64) -> i64 {
        let guided = self.guide.as_ref().map_or(0, |guide| guide.length_after(rise));
        length.saturating_add(rest).max(guided)
    }

    /// All extensions by one vertex; `None` where a limit is reached.
    fn next_layer(
        &self,
        layer: &Layer,
        cutoff: i64,
        width: usize,
        missed: &mut i64,
        limits: &Limits,
    ) -> Option<Layer> {
        let n = self.instance.len();
        let mut next = Layer::new(self.words, layer.slots);
        let mut visited = vec![0; self.words];
        let mut lengths = vec![0; layer.slots];
        for path in 0..layer.len() {
            if path % SLICE == 0 && limits.reached() {
                return None;
            }
            for vertex in (0..n).filter(|&vertex| !layer.has_visited(path, vertex)) {
                let Some(step) = self.extend(layer, path, vertex, &mut lengths) else { continue };
                visited.copy_from_slice(layer.visited(path));
                visited[vertex / 64] |= 1 << (vertex % 64);
                if let Some(exclusions) = self.exclusions {
                    let last = self.words - 1;
                    let Some(excluded) = exclusions.after(visited[last], vertex) else { continue };
                    visited[last] = excluded & !visited[0];
                }
                let mark =
                    self.mark(&layer.marks[path], PathStep { parent: path, vertex }, &visited, lengths[0]);
                if mark.bound < cutoff {
                    next.insert(&visited, step.state, &lengths, mark);
                }
            }
            if next.len() > 2 * width {
                *missed = (*missed).min(next.truncate(width));
            }
        }
        *missed = (*missed).min(next.truncate(width));
        Some(next)
    }

    fn mark(&self, before: &Mark, step: PathStep, visited: &[u64], length: i64) -> Mark {
        let last = before.step.vertex;
        let rest = self.rest.after(before.rest, visited, last, step.vertex);
        let rise = self.guide.as_ref().map_or(0, |guide| guide.rise(last, step.vertex));
        let rise = before.rise.saturating_add(rise);
        Mark { step, rest, rise, bound: self.bound(length, rest, rise) }
    }

    /// Lengths of the path after going on to the vertex; `None` where that is not allowed.
    fn extend(&self, layer: &Layer, path: usize, vertex: usize, lengths: &mut [i64]) -> Option<&Step> {
        let arc = self.instance.arc(layer.marks[path].step.vertex, vertex);
        let step = self.automaton.step(layer.states[path], vertex);
        if arc == FORBIDDEN || step.is_forbidden {
            return None;
        }
        let before = layer.lengths(path);
        let windows = step.completed.iter().map(|completed| before[completed.slot] + completed.cost);
        lengths.fill(0);
        lengths[0] = windows.fold(before[0] + arc, i64::max);
        for (length, &slot) in lengths[1..].iter_mut().zip(&step.slots) {
            *length = before[slot];
        }
        Some(step)
    }

    /// The path of the last layer that closes to the shortest tour below the cutoff.
    fn close(&self, layer: &Layer, cutoff: i64) -> Option<(usize, i64)> {
        let mut lengths = vec![0; layer.slots];
        let mut best = None;
        let mut best_length = cutoff;
        for path in 0..layer.len() {
            if self.extend(layer, path, self.start, &mut lengths).is_some() && lengths[0] < best_length {
                best_length = lengths[0];
                best = Some((path, lengths[0]));
            }
        }
        best
    }
}

fn read_back(history: &[Vec<PathStep>], last: usize) -> Vec<usize> {
    let mut tour = Vec::with_capacity(history.len());
    let mut path = last;
    for layer in history.iter().rev() {
        tour.push(layer[path].vertex);
        path = layer[path].parent;
    }
    tour.reverse();
    tour
}

impl Layer {
    fn new(words: usize, slots: usize) -> Self {
        Self {
            words,
            slots,
            visited: Vec::new(),
            states: Vec::new(),
            lengths: Vec::new(),
            marks: Vec::new(),
            latest: FxHashMap::default(),
            earlier: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn visited(&self, path: usize) -> &[u64] {
        &self.visited[path * self.words..][..self.words]
    }

    fn lengths(&self, path: usize) -> &[i64] {
        &self.lengths[path * self.slots..][..self.slots]
    }

    fn steps(&self) -> Vec<PathStep> {
        self.marks.iter().map(|mark| mark.step).collect()
    }

    fn has_visited(&self, path: usize, vertex: usize) -> bool {
        self.visited(path)[vertex / 64] >> (vertex % 64) & 1 == 1
    }

    fn push(&mut self, visited: &[u64], state: usize, lengths: &[i64], mark: Mark) {
        self.earlier.push(self.latest.insert(hash(visited, state), self.len()));
        self.visited.extend_from_slice(visited);
        self.states.push(state);
        self.lengths.extend_from_slice(lengths);
        self.marks.push(mark);
    }

    /// Adds a path unless another one makes it superfluous; overwrites one that it makes
    /// superfluous.
    fn insert(&mut self, visited: &[u64], state: usize, lengths: &[i64], mark: Mark) {
        let key = hash(visited, state);
        let mut rival = self.latest.get(&key).copied();
        while let Some(other) = rival {
            rival = self.earlier[other];
            if self.states[other] != state || self.visited(other) != visited {
                continue;
            }
            let known = self.lengths(other);
            if known.iter().zip(lengths).all(|(known, new)| known <= new) {
                return;
            }
            if known.iter().zip(lengths).all(|(known, new)| known >= new) {
                self.lengths[other * self.slots..][..self.slots].copy_from_slice(lengths);
                self.marks[other] = mark;
                return;
            }
        }
        self.push(visited, state, lengths, mark);
    }

    /// Keeps the paths of least bounds; the least bound of the others.
    fn truncate(&mut self, width: usize) -> i64 {
        if self.len() <= width {
            return FORBIDDEN;
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&path| self.marks[path].bound);
        let missed = self.marks[order[width]].bound;
        order.truncate(width);
        order.sort_unstable();
        let mut kept = Self::new(self.words, self.slots);
        for path in order {
            kept.push(self.visited(path), self.states[path], self.lengths(path), self.marks[path]);
        }
        *self = kept;
        missed
    }
}

fn hash(visited: &[u64], state: usize) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    visited.iter().fold(mix(0, state as u64), |hash, &word| mix(hash, word))
}

/// Bounds on the way from the end of a path through all other vertices back to the beginning,
/// windows not counted.
enum RestBound<'a> {
    /// Exact lengths.
    Table(RestTable),
    /// Sums of the duals of the assignment problem.
    Duals(&'a Assignment),
}

impl RestBound<'_> {
    fn of_start(&self) -> i64 {
        match self {
            Self::Table(_) => 0,
            Self::Duals(assignment) => assignment.cost(),
        }
    }

    /// The bound after a step, from the bound before it.
    fn after(&self, before: i64, visited: &[u64], last: usize, vertex: usize) -> i64 {
        match self {
            Self::Table(table) => table.get(visited[0] as usize, vertex),
            Self::Duals(assignment) => before - assignment.row_dual(last) - assignment.column_dual(vertex),
        }
    }
}

/// Length of the shortest way from the last vertex through all vertices not visited back to the
/// start.
struct RestTable {
    vertices: usize,
    start: usize,
    lengths: Vec<i64>,
}

impl RestTable {
    fn new(instance: &Instance, start: usize) -> Self {
        let n = instance.len();
        let mut table = Self { vertices: n, start, lengths: vec![FORBIDDEN; n << (n - 1)] };
        for packed in (0..1usize << (n - 1)).rev() {
            let visited = table.unpack(packed);
            for last in (0..n).filter(|last| visited >> last & 1 == 1) {
                let open = (0..n).filter(|vertex| visited >> vertex & 1 == 0);
                let ways = open.map(|vertex| {
                    instance.arc(last, vertex).saturating_add(table.get(visited | 1 << vertex, vertex))
                });
                let shortest = ways.min().unwrap_or_else(|| instance.arc(last, start));
                table.lengths[packed * n + last] = shortest;
            }
        }
        table
    }

    fn get(&self, visited: usize, last: usize) -> i64 {
        self.lengths[self.pack(visited) * self.vertices + last]
    }

    /// Takes the bit of the start, which is always set, out of the set.
    fn pack(&self, visited: usize) -> usize {
        let low = (1 << self.start) - 1;
        visited & low | visited >> 1 & !low
    }

    fn unpack(&self, packed: usize) -> usize {
        let low = (1 << self.start) - 1;
        packed & low | (packed & !low) << 1 | 1 << self.start
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::random::Random;
    use super::super::test_support::{brute_force_with, random_instance, random_windows};
    use super::*;

    fn instance_and_windows(seed: u64, random: &mut Random) -> (Instance, Windows) {
        let n = 3 + seed as usize % 5;
        let instance = random_instance(n, 15, [0, 20][seed as usize % 2], seed);
        let mut path_costs = random_windows(n, 40, random);
        let outer = seed as usize % n;
        path_costs.retain(|window| !window.vertices[1..window.vertices.len() - 1].contains(&outer));
        let windows = Windows::new(&instance, &path_costs);
        (instance, windows)
    }

    /// With every width the bound is true and the tour is measured right; wide programs are exact.
    #[test]
    fn equals_brute_force_when_wide_and_bounds_it_when_narrow() {
        let mut random = Random::new(21);
        for seed in 0..120 {
            let (instance, windows) = instance_and_windows(seed, &mut random);
            let Some(assignment) = assign(&instance) else { continue };
            let best = brute_force_with(&instance, |tour| {
                windows.tour_length(&instance, tour).map(|length| length as u64)
            });
            let best = best.map_or(FORBIDDEN, |length| length as i64);
            let mut program = WindowProgram::new(&instance, &windows, &assignment).expect("an outer vertex");
            for use_table in [true, false] {
                if !use_table {
                    program.rest = RestBound::Duals(&assignment);
                }
                for width in [1, 3, 100_000] {
                    let searched = program.run(None, width, &Limits::default());
                    let found = searched.best.as_ref().map_or(FORBIDDEN, |found| found.length);
                    let measured =
                        searched.best.and_then(|found| windows.tour_length(&instance, &found.tour));
                    assert_eq!(measured.unwrap_or(FORBIDDEN), found);
                    assert!(searched.lower_bound <= best && best <= found, "seed {seed} width {width}");
                    assert!(width < 100_000 || searched.lower_bound == best);
                }
            }
        }
    }

    #[test]
    fn more_vertices_than_bits_in_a_word() {
        let instance = Instance::new(70, |from, to| Some(if to == (from + 1) % 70 { 0 } else { 1 }));
        let assignment = assign(&instance).expect("complete");
        let path_cost = super::super::PathCost { vertices: vec![64, 65, 66], cost: Some(9) };
        let windows = Windows::new(&instance, &[path_cost]);
        let program = WindowProgram::new(&instance, &windows, &assignment).expect("an outer vertex");
        let best = program.run(None, 300, &Limits::default()).best.expect("a tour");
        assert_eq!(windows.tour_length(&instance, &best.tour), Some(best.length));
        assert_eq!(best.length, 3);
    }
}
