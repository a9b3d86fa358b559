//! The graph the paper's algorithms work on: known edges between Init, goals and Final, where a
//! goal may have been split into several nodes.
//!
//! The nodes of one goal are its *property refinement group*: a covering path needs one of them
//! only (section 4.2). Splitting rules out a path that has no run: its inner nodes get copies that
//! are entered along the path alone and do not go on to its last node (Figure 6, for paths of any
//! length).

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::existence::Relation;
use rustc_hash::FxHashSet;

/// The node of Init.
pub(crate) const INIT: usize = 0;
/// The node of Final.
pub(crate) const FINAL: usize = 1;

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// By node: the vertex it stands for; Init and Final stand for the depot.
    vertices: Vec<Vertex>,
    /// `weights[from][to]`, in steps.
    weights: Vec<Vec<Option<u32>>>,
}

/// Shortest ways between all nodes.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    distances: Vec<Vec<Option<u32>>>,
    /// The node after `from` on the way to `to`.
    next: Vec<Vec<usize>>,
}

impl Network {
    /// The edges of known weight between these goals.
    pub(crate) fn new(graph: &ReachGraph, goals: &[Vertex]) -> Self {
        let vertices: Vec<Vertex> = [Vertex::DEPOT; 2].into_iter().chain(goals.iter().copied()).collect();
        let weight = |from: usize, to: usize| {
            let makes_sense = from != FINAL && to != INIT && from != to && (from, to) != (INIT, FINAL);
            let (source, target) = (vertices[from], vertices[to]);
            let known = makes_sense && graph.is_exact(source, target);
            if known { graph.lower(source, target) } else { None }
        };
        let nodes = 0..vertices.len();
        let weights = nodes.clone().map(|from| nodes.clone().map(|to| weight(from, to)).collect()).collect();
        Self { vertices, weights }
    }

    /// A network of so many goals with these edges; nodes 2, 3, ... stand for goals 1, 2, ...
    #[cfg(test)]
    pub(crate) fn of(goals: usize, edges: &[(usize, usize, u32)]) -> Self {
        let mut weights = vec![vec![None; goals + 2]; goals + 2];
        edges.iter().for_each(|&(from, to, weight)| weights[from][to] = Some(weight));
        Self { vertices: [Vertex::DEPOT; 2].into_iter().chain(Vertex::goals(goals)).collect(), weights }
    }

    /// The vertex a node stands for.
    pub(crate) fn vertex(&self, node: usize) -> Vertex {
        self.vertices[node]
    }

    /// The weight of an edge.
    pub(crate) fn weight(&self, from: usize, to: usize) -> Option<u32> {
        self.weights[from][to]
    }

    /// The nodes of a goal.
    pub(crate) fn group(&self, goal: Vertex) -> impl Iterator<Item = usize> {
        (FINAL + 1..self.vertices.len()).filter(move |&node| self.vertices[node] == goal)
    }

    /// The first node of each of these goals.
    pub(crate) fn first_nodes(&self, goals: &[Vertex]) -> Vec<usize> {
        goals.iter().filter_map(|&goal| self.group(goal).next()).collect()
    }

    /// Which nodes can be reached from which.
    pub(crate) fn reachability(&self) -> Relation {
        Relation::new(self.vertices.len(), |from, to| self.weights[from][to].is_some()).closure()
    }

    /// Shortest ways (Floyd and Warshall, as section 3.2 has it).
    pub(crate) fn closure(&self) -> Closure {
        let size = self.vertices.len();
        let mut distances = self.weights.clone();
        let mut next: Vec<Vec<usize>> = vec![(0..size).collect(); size];
        for via in 0..size {
            for from in (0..size).filter(|&from| from != via) {
                let Some(there) = distances[from][via] else { continue };
                for to in (0..size).filter(|&to| to != from && to != via) {
                    let Some(on) = distances[via][to] else { continue };
                    if distances[from][to].is_none_or(|known| there + on < known) {
                        distances[from][to] = Some(there + on);
                        next[from][to] = next[from][via];
                    }
                }
            }
        }
        Closure { distances, next }
    }

    /// Rules out that the nodes of `path` (at least three) are passed one right after the other.
    pub(crate) fn split(&mut self, path: &[usize]) {
        let inner = &path[1..path.len() - 1];
        let first_copy = self.vertices.len();
        let copies: Vec<usize> = (first_copy..first_copy + inner.len()).collect();
        self.weights.iter_mut().for_each(|row| row.resize(first_copy + inner.len(), None));
        self.weights[path[0]][copies[0]] = self.weights[path[0]][inner[0]].take();
        for (position, &node) in inner.iter().enumerate() {
            self.vertices.push(self.vertices[node]);
            let mut row = self.weights[node].clone();
            let onwards = row[path[position + 2]].take();
            if let Some(&copy) = copies.get(position + 1) {
                row[copy] = onwards;
            }
            self.weights.push(row);
        }
    }

    /// One node for each of the goals, so that some path passes all of them: an adaptation of
    /// Algorithm 3 to groups. Where there is none, the nodes of a path that passes the most of
    /// these goals. OptimalSearch: tries all ways through the strongly connected components, of
    /// which there are few.
    pub(crate) fn cover(&self, goals: &[Vertex]) -> Vec<usize> {
        let reach = self.reachability();
        let joined = |a: usize, b: usize| a == b || (reach.holds(a, b) && reach.holds(b, a));
        let mut search =
            Search { network: self, reach: &reach, goals, seen: FxHashSet::default(), best: Vec::new() };
        let component = |node: usize| (0..=node).find(|&first| joined(first, node)).unwrap_or(node);
        let components: Vec<usize> = (0..self.vertices.len()).map(component).collect();
        search.extend(INIT, &mut Vec::new(), &components);
        search.best
    }
}

impl Closure {
    /// Length of the shortest way.
    pub(crate) fn distance(&self, from: usize, to: usize) -> Option<u32> {
        self.distances[from][to]
    }

    /// The nodes of the shortest ways from each node to the following one.
    pub(crate) fn expand(&self, route: &[usize]) -> Vec<usize> {
        let mut path = vec![route[0]];
        for pair in route.windows(2) {
            let mut node = pair[0];
            while node != pair[1] {
                node = self.next[node][pair[1]];
                path.push(node);
            }
        }
        path
    }
}

/// The search of [`Network::cover`].
struct Search<'a> {
    network: &'a Network,
    reach: &'a Relation,
    goals: &'a [Vertex],
    /// Component and goals covered.
    seen: FxHashSet<(usize, Vec<Vertex>)>,
    best: Vec<usize>,
}

impl Search<'_> {
    /// Goes on from the first node of a component with these nodes chosen so far; true when all
    /// goals are covered.
    fn extend(&mut self, component: usize, chosen: &mut Vec<usize>, components: &[usize]) -> bool {
        let before = chosen.len();
        for &goal in self.goals {
            let covered = chosen.iter().any(|&node| self.network.vertices[node] == goal);
            let here = self.network.group(goal).find(|&node| components[node] == component);
            if let (false, Some(node)) = (covered, here) {
                chosen.push(node);
            }
        }
        let mut covered: Vec<Vertex> = chosen.iter().map(|&node| self.network.vertices[node]).collect();
        covered.sort_unstable();
        let fresh = self.seen.insert((component, covered));
        if fresh && chosen.len() > self.best.len() && self.reach.holds(component, FINAL) {
            self.best.clone_from(chosen);
        }
        let mut complete = self.best.len() == self.goals.len();
        for next in (FINAL + 1)..components.len() {
            let onwards = components[next] == next && next != component && self.reach.holds(component, next);
            if fresh && onwards && !complete {
                complete = self.extend(next, chosen, components);
            }
        }
        chosen.truncate(before);
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::vertex::numbered;
    use model::id::Id;

    #[test]
    fn composite_edges_are_expanded() {
        let network = Network::of(3, &[(0, 2, 1), (2, 3, 1), (3, 4, 1), (2, 4, 5), (4, 2, 0), (4, 1, 2)]);
        let closure = network.closure();
        assert_eq!(closure.distance(2, 4), Some(2));
        assert_eq!(closure.distance(1, 2), None);
        assert_eq!(closure.expand(&[0, 4, 3, 1]), [0, 2, 3, 4, 2, 3, 4, 1]);
    }

    /// Example 4: the goal phi1 entered from Init does not go on to phi2.
    #[test]
    fn the_split_of_example_4() {
        let mut network = Network::of(2, &[(0, 2, 0), (0, 3, 3), (2, 3, 1), (3, 2, 2), (2, 1, 1), (3, 1, 2)]);
        network.split(&[0, 2, 3]);
        assert_eq!(network.group(Vertex::of_position(0)).collect::<Vec<_>>(), [2, 4]);
        assert_eq!((network.weight(0, 2), network.weight(0, 4)), (None, Some(0)));
        assert_eq!((network.weight(4, 3), network.weight(4, 1)), (None, Some(1)));
        assert_eq!(network.cover(&numbered([1, 2])), [2, 3], "the node entered from phi2 is kept");
        let closure = network.closure();
        assert_eq!(closure.distance(0, 2), Some(5), "the edge from Init is gone");
    }

    #[test]
    fn splitting_rules_out_exactly_one_path() {
        let complete: Vec<(usize, usize, u32)> = (2..5)
            .flat_map(|from| (2..5).filter(move |&to| to != from).map(move |to| (from, to, 1)))
            .chain((2..5).flat_map(|goal| [(0, goal, 1), (goal, 1, 1)]))
            .collect();
        let mut network = Network::of(3, &complete);
        network.split(&[2, 3, 4, 1]);
        let walks = |network: &Network, numbers: &[usize]| {
            let mut nodes = vec![INIT];
            for vertex in numbers.iter().map(|&number| Vertex::new(number)) {
                let step = |&from: &usize| {
                    let to = (0..network.vertices.len())
                        .filter(|&to| network.vertices[to] == vertex && to != INIT);
                    to.filter(|&to| network.weight(from, to).is_some()).collect::<Vec<_>>()
                };
                nodes = nodes.iter().flat_map(step).collect();
            }
            nodes.len()
        };
        assert_eq!(walks(&network, &[1, 2, 3, 0]), 0);
        for allowed in [vec![1, 2, 3, 1, 0], vec![2, 3, 1, 0], vec![1, 3, 2, 0], vec![2, 1, 2, 1, 3, 0]] {
            assert_eq!(walks(&network, &allowed), 1, "{allowed:?}");
        }
    }

    #[test]
    fn the_most_goals_are_covered_where_not_all_can_be() {
        let network = Network::of(3, &[(0, 2, 1), (0, 3, 1), (3, 4, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1)]);
        assert_eq!(network.cover(&numbered([1, 2, 3])), [3, 4]);
        assert_eq!(network.cover(&numbered([1])), [2]);
    }
}
