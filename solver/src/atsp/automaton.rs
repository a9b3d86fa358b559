//! The automaton that follows windows along a path.
//!
//! A. Aho, M. Corasick, Communications of the ACM 18 (1975): a state is the longest end of the path
//! walked so far that is a proper beginning of some window (or the last vertex alone). It decides
//! which windows may still be completed. What they will cost depends, besides, on the length of the
//! path up to their beginnings; a *slot* is one such beginning, and slot 0 is the end of the path
//! itself.

use super::instance::FORBIDDEN;
use super::windows::Windows;
use rustc_hash::FxHashMap;

/// A window completed by a step: its cost counts from the path length in this slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completed {
    pub(crate) slot: usize,
    pub(crate) cost: i64,
}

/// What happens when a path in some state goes on to some vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) state: usize,
    /// Slot of the old state for each slot of the new one but slot 0.
    pub(crate) slots: Vec<usize>,
    pub(crate) completed: Vec<Completed>,
    /// Whether a forbidden window is completed.
    pub(crate) is_forbidden: bool,
}

/// All states and steps. State v is a path that consists of vertex v alone.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    vertices: usize,
    steps: Vec<Step>,
    most_slots: usize,
}

/// A beginning of some windows: a node of their prefix tree.
#[derive(Clone, Debug)]
struct Prefix {
    last: usize,
    length: usize,
    next: FxHashMap<usize, usize>,
    /// The prefix whose extension by `last` this is.
    parent: usize,
    /// The longest proper end of this prefix that is a prefix, too; itself for single vertices.
    shorter: usize,
    cost: Option<i64>,
}

impl Automaton {
    /// All windows, for paths over `0..n`.
    pub(crate) fn new(n: usize, windows: &Windows) -> Self {
        let prefixes = prefix_tree(n, windows);
        let states: Vec<usize> =
            (0..prefixes.len()).filter(|&node| node < n || !prefixes[node].next.is_empty()).collect();
        let mut state_of = vec![usize::MAX; prefixes.len()];
        states.iter().enumerate().for_each(|(state, &node)| state_of[node] = state);
        let mut steps = Vec::with_capacity(states.len() * n);
        for &node in &states {
            steps.extend((0..n).map(|vertex| make_step(&prefixes, &state_of, node, vertex)));
        }
        let most_slots = states.iter().map(|&node| chain(&prefixes, node).count() + 1).max().unwrap_or(1);
        Self { vertices: n, steps, most_slots }
    }

    /// What happens when a path in this state goes on to the vertex.
    pub(crate) fn step(&self, state: usize, vertex: usize) -> &Step {
        &self.steps[state * self.vertices + vertex]
    }

    /// Greatest number of slots of a state, slot 0 included.
    pub(crate) fn most_slots(&self) -> usize {
        self.most_slots
    }
}

/// Nodes `0..n` are the single vertices.
fn prefix_tree(n: usize, windows: &Windows) -> Vec<Prefix> {
    let single = |vertex| Prefix {
        last: vertex,
        length: 1,
        next: FxHashMap::default(),
        parent: vertex,
        shorter: vertex,
        cost: None,
    };
    let mut prefixes: Vec<Prefix> = (0..n).map(single).collect();
    for window in (0..windows.len()).map(|window| windows.get(window)) {
        let mut node = window.vertices[0];
        for &vertex in &window.vertices[1..] {
            node = match prefixes[node].next.get(&vertex) {
                Some(&next) => next,
                None => {
                    let length = prefixes[node].length + 1;
                    let next = prefixes.len();
                    prefixes.push(Prefix {
                        last: vertex,
                        length,
                        next: FxHashMap::default(),
                        parent: node,
                        shorter: vertex,
                        cost: None,
                    });
                    prefixes[node].next.insert(vertex, next);
                    next
                }
            };
        }
        prefixes[node].cost = Some(window.cost);
    }
    let mut by_length: Vec<usize> = (n..prefixes.len()).collect();
    by_length.sort_by_key(|&node| prefixes[node].length);
    for node in by_length {
        let Prefix { parent, last, .. } = prefixes[node];
        prefixes[node].shorter = longest_extension(&prefixes, proper_ends(&prefixes, parent), last);
    }
    prefixes
}

/// The longest of the extensions by `vertex` of the given prefixes (longest first), or the vertex
/// alone.
fn longest_extension(prefixes: &[Prefix], ends: impl Iterator<Item = usize>, vertex: usize) -> usize {
    let mut extensions = ends.filter_map(|end| prefixes[end].next.get(&vertex).copied());
    extensions.next().unwrap_or(vertex)
}

/// The prefix and its ends that are prefixes, longest first, the last vertex alone at the end.
fn ends(prefixes: &[Prefix], node: usize) -> impl Iterator<Item = usize> + '_ {
    let shorter = move |&node: &usize| (prefixes[node].length > 1).then(|| prefixes[node].shorter);
    std::iter::successors(Some(node), shorter)
}

fn proper_ends(prefixes: &[Prefix], node: usize) -> impl Iterator<Item = usize> + '_ {
    ends(prefixes, node).skip(1)
}

/// The beginnings that a state waits to complete, longest first, but the last vertex alone: one
/// slot each, from slot 1.
fn chain(prefixes: &[Prefix], node: usize) -> impl Iterator<Item = usize> + '_ {
    ends(prefixes, node).filter(|&end| prefixes[end].length > 1 && !prefixes[end].next.is_empty())
}

fn make_step(prefixes: &[Prefix], state_of: &[usize], node: usize, vertex: usize) -> Step {
    let slot_of = |prefix: usize| match prefixes[prefix].length {
        1 => 0,
        _ => {
            1 + chain(prefixes, node)
                .position(|end| end == prefix)
                .expect("a path should hold the beginning of its end")
        }
    };
    let reached = longest_extension(prefixes, ends(prefixes, node), vertex);
    let is_state = |&end: &usize| state_of[end] != usize::MAX;
    let target = ends(prefixes, reached).find(is_state).unwrap_or(vertex);
    let mut completed = Vec::new();
    let mut is_forbidden = false;
    for end in ends(prefixes, reached) {
        match prefixes[end].cost {
            Some(FORBIDDEN) => is_forbidden = true,
            Some(cost) => completed.push(Completed { slot: slot_of(prefixes[end].parent), cost }),
            None => {}
        }
    }
    let slots = chain(prefixes, target).map(|end| slot_of(prefixes[end].parent)).collect();
    Step { state: state_of[target], slots, completed, is_forbidden }
}

#[cfg(test)]
mod tests {
    use super::super::instance::Instance;
    use super::super::random::Random;
    use super::super::windows::{Measured, PathCost, Windows};
    use super::*;

    /// Walks the path, keeping one length per slot; `None` where a forbidden window occurs.
    fn walk(automaton: &Automaton, instance: &Instance, path: &[usize]) -> Option<i64> {
        let mut state = path[0];
        let mut lengths = vec![0];
        for pair in path.windows(2) {
            let step = automaton.step(state, pair[1]);
            let arc = lengths[0] + instance.arc(pair[0], pair[1]);
            let windows = step.completed.iter().map(|completed| lengths[completed.slot] + completed.cost);
            let length = windows.fold(arc, i64::max);
            if step.is_forbidden {
                return None;
            }
            lengths = [length].into_iter().chain(step.slots.iter().map(|&slot| lengths[slot])).collect();
            assert!(lengths.len() <= automaton.most_slots());
            state = step.state;
        }
        Some(lengths[0])
    }

    #[test]
    fn walking_measures_paths() {
        let mut random = Random::new(77);
        for round in 0..300 {
            let n = 4 + round % 4;
            let instance = Instance::new(n, |_, _| Some(random.below(5) as u64));
            let mut path: Vec<usize> = (0..n).collect();
            let windows: Vec<PathCost> = (0..40)
                .map(|_| {
                    random.shuffle(&mut path);
                    let vertices = path[..2 + random.below(4).min(n - 2)].to_vec();
                    PathCost { vertices, cost: (random.below(12) > 0).then(|| random.below(25) as u64) }
                })
                .collect();
            let windows = Windows::new(&instance, &windows);
            let automaton = Automaton::new(n, &windows);
            for _ in 0..20 {
                random.shuffle(&mut path);
                let expected = match windows.measure_path(&instance, &path) {
                    Measured::Possible(charge) => Some(charge.length),
                    Measured::Forbidden(_) | Measured::MissingArc => None,
                };
                assert_eq!(walk(&automaton, &instance, &path), expected);
            }
        }
    }
}
