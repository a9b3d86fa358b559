//! Violated subtour inequalities of a fractional point.
//!
//! A tour leaves every proper subset of the vertices: `x(δ⁺(S)) ≥ 1` (G. Dantzig, R. Fulkerson, S.
//! Johnson, Operations Research 2, 1954). In a point that satisfies the degree equations as much
//! leaves a set as enters it, so the support may be seen as an undirected graph with edge weights
//! `x_ij + x_ji`, and sets whose edge cut weighs less than 2 are wanted. First a cheap look at the
//! components that heavy edges form; if that finds nothing, minimum cuts, which find a violated set
//! whenever there is one.

use std::collections::VecDeque;

/// A cut must miss its right-hand side by this much (as a weight of undirected edges) to be
/// reported.
const LEAST_VIOLATION: f64 = 2e-4;
/// Flow that is not worth another path.
const LEAST_FLOW: f64 = 1e-9;

/// An undirected edge of the support.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [usize; 2],
    weight: f64,
}

/// Sets of vertices that the point leaves by less than one, each at most half of all vertices, no
/// set twice. `support` lists the arcs with positive values. Empty: all subtour inequalities hold
/// (up to the tolerance).
pub(crate) fn violated_sets(n: usize, support: &[(usize, usize, f64)]) -> Vec<Vec<usize>> {
    let edges = undirected(n, support);
    let mut sets = heavy_components(n, &edges);
    if sets.is_empty() {
        sets = minimum_cuts(n, &edges);
    }
    for set in &mut sets {
        *set = smaller_side(n, set);
    }
    sets.sort();
    sets.dedup();
    sets
}

/// Sets that the point leaves by little more than one: by so much at most. They are components of
/// heavy edges, and their own subtour inequalities are (nearly) tight.
pub(crate) fn tight_sets(n: usize, support: &[(usize, usize, f64)], most: f64) -> Vec<Vec<usize>> {
    let mut sets = light_components(n, &undirected(n, support), 2.0 * most);
    for set in &mut sets {
        *set = smaller_side(n, set);
    }
    sets.retain(|set| set.len() > 1);
    sets.sort();
    sets.dedup();
    sets
}

fn undirected(n: usize, support: &[(usize, usize, f64)]) -> Vec<Edge> {
    let mut arcs: Vec<(usize, usize, f64)> =
        support.iter().map(|&(from, to, value)| (from.min(to), from.max(to), value)).collect();
    arcs.sort_by_key(|&(low, high, _)| low * n + high);
    let mut edges: Vec<Edge> = Vec::with_capacity(arcs.len());
    for (low, high, value) in arcs {
        match edges.last_mut() {
            Some(edge) if edge.ends == [low, high] => edge.weight += value,
            _ => edges.push(Edge { ends: [low, high], weight: value }),
        }
    }
    edges
}

/// The set or its complement, whichever is smaller, sorted.
fn smaller_side(n: usize, set: &[usize]) -> Vec<usize> {
    let mut inside = vec![false; n];
    set.iter().for_each(|&vertex| inside[vertex] = true);
    let keep = 2 * set.len() < n || (2 * set.len() == n && inside[0]);
    (0..n).filter(|&vertex| inside[vertex] == keep).collect()
}

fn cut_weight(edges: &[Edge], inside: impl Fn(usize) -> bool) -> f64 {
    edges.iter().filter(|edge| inside(edge.ends[0]) != inside(edge.ends[1])).map(|edge| edge.weight).sum()
}

/// Joins vertices over edges of descending weight and looks at every component on the way.
fn heavy_components(n: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    light_components(n, edges, 2.0 - LEAST_VIOLATION)
}

/// The same with the weight below which a component's cut must stay.
fn light_components(n: usize, edges: &[Edge], most: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<&Edge> = edges.iter().collect();
    order.sort_by(|left, right| right.weight.total_cmp(&left.weight));
    let mut label: Vec<usize> = (0..n).collect();
    let mut sets = Vec::new();
    let mut components = n;
    for edge in order {
        let [kept, joined] = edge.ends.map(|end| label[end]);
        if kept == joined {
            continue;
        }
        label.iter_mut().filter(|label| **label == joined).for_each(|label| *label = kept);
        components -= 1;
        if components == 1 {
            break;
        }
        if cut_weight(edges, |vertex| label[vertex] == kept) < most {
            sets.push((0..n).filter(|&vertex| label[vertex] == kept).collect());
        }
    }
    sets
}

/// A residual network over undirected edges; arc `k ^ 1` is arc k backwards.
struct Network {
    heads: Vec<usize>,
    capacities: Vec<f64>,
    residual: Vec<f64>,
    leaving: Vec<Vec<usize>>,
    parent: Vec<usize>,
    seen: Vec<bool>,
    queue: VecDeque<usize>,
}

const NO_ARC: usize = usize::MAX;

impl Network {
    fn new(n: usize, edges: &[Edge]) -> Self {
        let mut network = Self {
            heads: Vec::with_capacity(2 * edges.len()),
            capacities: Vec::with_capacity(2 * edges.len()),
            residual: Vec::new(),
            leaving: vec![Vec::new(); n],
            parent: vec![NO_ARC; n],
            seen: vec![false; n],
            queue: VecDeque::new(),
        };
        for edge in edges {
            for (tail, head) in [(edge.ends[0], edge.ends[1]), (edge.ends[1], edge.ends[0])] {
                network.leaving[tail].push(network.heads.len());
                network.heads.push(head);
                network.capacities.push(edge.weight);
            }
        }
        network
    }

    /// The vertices on the side of `source` of a cut lighter than `enough` that separates it from
    /// all `sinks`; none where there is no such cut.
    fn light_cut(&mut self, source: usize, sinks: &[bool], enough: f64) -> Option<Vec<usize>> {
        self.residual.clone_from(&self.capacities);
        let mut flow = 0.0;
        while flow < enough {
            let Some(sink) = self.path(source, sinks) else {
                return Some((0..self.seen.len()).filter(|&vertex| self.seen[vertex]).collect());
            };
            flow += self.augment(source, sink);
        }
        None
    }

    /// Breadth-first search in the residual network; afterwards `seen` marks what was reached.
    fn path(&mut self, source: usize, sinks: &[bool]) -> Option<usize> {
        self.seen.fill(false);
        self.queue.clear();
        self.seen[source] = true;
        self.queue.push_back(source);
        while let Some(vertex) = self.queue.pop_front() {
            for &arc in &self.leaving[vertex] {
                let head = self.heads[arc];
                if self.seen[head] || self.residual[arc] <= LEAST_FLOW {
                    continue;
                }
                self.seen[head] = true;
                self.parent[head] = arc;
                if sinks[head] {
                    return Some(head);
                }
                self.queue.push_back(head);
            }
        }
        None
    }

    fn augment(&mut self, source: usize, sink: usize) -> f64 {
        let mut amount = f64::INFINITY;
        let mut vertex = sink;
        while vertex != source {
            amount = amount.min(self.residual[self.parent[vertex]]);
            vertex = self.heads[self.parent[vertex] ^ 1];
        }
        vertex = sink;
        while vertex != source {
            let arc = self.parent[vertex];
            self.residual[arc] -= amount;
            self.residual[arc ^ 1] += amount;
            vertex = self.heads[arc ^ 1];
        }
        amount
    }
}

/// Grows a set of vertices no two of which a light cut separates (other than those reported),
/// beginning with vertex 0: what a violated set separates at all, it separates at some step.
fn minimum_cuts(n: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut network = Network::new(n, edges);
    let mut grown = vec![false; n];
    let mut sets = Vec::new();
    let mut waiting = VecDeque::from([0]);
    grown[0] = true;
    while let Some(vertex) = waiting.pop_front() {
        for position in 0..network.leaving[vertex].len() {
            let next = network.heads[network.leaving[vertex][position]];
            if grown[next] {
                continue;
            }
            sets.extend(network.light_cut(next, &grown, 2.0 - LEAST_VIOLATION));
            grown[next] = true;
            waiting.push_back(next);
        }
    }
    if grown.contains(&false) {
        sets.push((0..n).filter(|&vertex| grown[vertex]).collect());
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    fn is_violated_somewhere(n: usize, edges: &[Edge]) -> bool {
        (1..1usize << (n - 1))
            .any(|set| cut_weight(edges, |vertex| set >> vertex & 1 == 1) < 2.0 - LEAST_VIOLATION)
    }

    /// A convex combination of random permutations without fixed points, which satisfies the degree
    /// equations.
    fn random_point(n: usize, random: &mut Random) -> Vec<(usize, usize, f64)> {
        let mut arcs = Vec::new();
        let weights = [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.6, 0.3, 0.1]][random.below(3)];
        for weight in weights.into_iter().filter(|&weight| weight > 0.0) {
            let mut image: Vec<usize> = (0..n).collect();
            random.shuffle(&mut image);
            let from = (0..n).map(|k| image[k]);
            let cycles = if random.below(2) == 0 { n } else { n / 2 };
            let to = (0..n).map(|k| {
                image[if k < cycles { (k + 1) % cycles } else { cycles + (k + 1 - cycles) % (n - cycles) }]
            });
            arcs.extend(from.zip(to).filter(|(from, to)| from != to).map(|(from, to)| (from, to, weight)));
        }
        arcs
    }

    #[test]
    fn finds_a_violated_set_exactly_where_there_is_one() {
        let mut random = Random::new(3);
        let mut violated = 0;
        for _ in 0..600 {
            let n = 4 + random.below(6);
            let point = random_point(n, &mut random);
            let edges = undirected(n, &point);
            let expected = is_violated_somewhere(n, &edges);
            for sets in [violated_sets(n, &point), minimum_cuts(n, &edges)] {
                for set in &sets {
                    assert!(!set.is_empty() && set.len() < n);
                    assert!(cut_weight(&edges, |vertex| set.contains(&vertex)) < 2.0 - LEAST_VIOLATION);
                }
                assert_eq!(!sets.is_empty(), expected, "{point:?}");
            }
            violated += usize::from(expected);
        }
        assert!((100..500).contains(&violated), "{violated}");
    }
}
