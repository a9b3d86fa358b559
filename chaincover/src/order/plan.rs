//! From the graph to an order: the shortest set of paths from Init to Final through all goals, under lower bounds.
//!
//! Distances are taken as their proven lower bounds, so the plan's proven length is a lower bound for every set of
//! so many chains: the first states of chosen occurrences, sorted by time, make a sequence whose consecutive
//! distances are at least the weights, and whose sub-sequences cost at least what was learned about them.
//! Each chain has a depot of its own; the tour through depots and goals is the set of chains (the depots are alike).

use crate::reach::graph::ReachGraph;
use solver::atsp::{self, Failure, Instance, PathCost, WarmStart};

/// A learned lower bound on the steps from the first to the last vertex of a sub-path; `None`: impossible.
/// Vertex 0 at the beginning is Init, at the end Final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) vertices: Vec<usize>,
    pub(crate) steps: Option<u32>,
}

/// A set of orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The goals of each chain in order; no chain is empty.
    pub(crate) orders: Vec<Vec<usize>>,
    /// Total length under the bounds.
    pub(crate) length: u64,
    /// No set of so many chains has a smaller total length.
    pub(crate) lower_bound: u64,
}

/// What came of looking for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Planned {
    /// There is one.
    Plan(Plan),
    /// The bounds exclude every set of so many chains.
    Impossible,
    /// None was found in time; no set of so many chains is shorter.
    Unknown {
        /// The bound.
        lower_bound: u64,
    },
}

/// The best way to cover `goals` with exactly `chains` chains, all non-empty, under the bounds of `graph` and `windows`.
///
/// # Panics
/// If there is no goal or no chain.
pub(crate) fn plan(
    graph: &ReachGraph,
    goals: &[usize],
    windows: &[Window],
    chains: usize,
    known: &WarmStart,
    options: &atsp::Options,
) -> Planned {
    assert!(!goals.is_empty() && chains > 0, "a plan should have goals and chains");
    let layout = Layout { goals, chains };
    let instance = Instance::new(chains + goals.len(), |from, to| layout.cost(graph, from, to));
    let costs = layout.path_costs(windows);
    match atsp::solve_with_path_costs_from(&instance, &costs, known, options) {
        Ok(solution) => Planned::Plan(Plan {
            orders: layout.orders(&solution.tour),
            length: solution.length,
            lower_bound: solution.lower_bound,
        }),
        Err(Failure::Infeasible) => Planned::Impossible,
        Err(Failure::Stopped { lower_bound }) => Planned::Unknown { lower_bound },
    }
}

/// Vertices of the tour: the depots first, then the goals.
struct Layout<'a> {
    goals: &'a [usize],
    chains: usize,
}

impl Layout<'_> {
    fn vertex(&self, node: usize) -> usize {
        if node < self.chains { 0 } else { self.goals[node - self.chains] }
    }

    fn cost(&self, graph: &ReachGraph, from: usize, to: usize) -> Option<u64> {
        if from < self.chains && to < self.chains {
            return None;
        }
        graph.lower(self.vertex(from), self.vertex(to)).map(u64::from)
    }

    fn path_costs(&self, windows: &[Window]) -> Vec<PathCost> {
        let mut node_of = vec![usize::MAX; self.goals.iter().max().map_or(0, |&last| last + 1)];
        for (position, &goal) in self.goals.iter().enumerate() {
            node_of[goal] = self.chains + position;
        }
        let mut costs = Vec::new();
        for window in windows {
            let inner = window.vertices.iter().filter(|&&vertex| vertex != 0);
            let nodes: Vec<usize> =
                inner.map(|&goal| node_of.get(goal).copied().unwrap_or(usize::MAX)).collect();
            if nodes.contains(&usize::MAX) {
                continue;
            }
            let starts = window.vertices.first() == Some(&0);
            let ends = window.vertices.last() == Some(&0);
            for (first, last) in self.depots(starts, ends) {
                let vertices = first.into_iter().chain(nodes.iter().copied()).chain(last).collect();
                costs.push(PathCost { vertices, cost: window.steps.map(u64::from) });
            }
        }
        costs
    }

    /// All ways to put depots at the ends of a window.
    fn depots(&self, starts: bool, ends: bool) -> Vec<(Option<usize>, Option<usize>)> {
        let choices = |wanted: bool| match wanted {
            true => (0..self.chains).map(Some).collect(),
            false => vec![None],
        };
        let pairs = choices(starts).into_iter().flat_map(|first| choices(ends).into_iter().map(move |last| (first, last)));
        pairs.filter(|&(first, last)| self.chains == 1 || first.is_none() || first != last).collect()
    }

    fn orders(&self, tour: &[usize]) -> Vec<Vec<usize>> {
        let chains = tour.split(|&node| node < self.chains).filter(|chain| !chain.is_empty());
        chains.map(|chain| chain.iter().map(|&node| self.vertex(node)).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::graph::Engine;
    use model::id::Id;
    use model::system::GoalId;

    const NEVER: u32 = u32::MAX;

    fn graph(weights: &[&[u32]]) -> ReachGraph {
        let goals = weights.len() - 1;
        let names = (1..=goals).map(|goal| format!("p{goal}")).collect();
        let mut graph = ReachGraph::new((0..goals).map(GoalId::new).collect(), names, &vec![1; goals], true);
        for (source, row) in weights.iter().enumerate() {
            for (target, &weight) in row.iter().enumerate().filter(|&(target, _)| target != source) {
                match weight {
                    NEVER => graph.never(source, target, crate::reach::graph::Proof::Invariant, Engine::Sat),
                    _ => {
                        graph.raise(source, target, weight, Engine::Sat);
                        graph.found(source, target, weight, None, Engine::Sat);
                    }
                }
            }
        }
        graph
    }

    fn planned(graph: &ReachGraph, windows: &[Window], chains: usize) -> Planned {
        let goals: Vec<usize> = (1..graph.size()).collect();
        plan(graph, &goals, windows, chains, &WarmStart::default(), &atsp::Options::default())
    }

    #[test]
    fn cruise_controller_of_the_paper() {
        let far = 9;
        let graph = graph(&[
            &[0, 2, far, 2, 2],
            &[far, 0, 2, 1, far],
            &[far, 1, 0, 1, far],
            &[2, 2, far, 0, far],
            &[far, 2, far, 2, 0],
        ]);
        let Planned::Plan(plan) = planned(&graph, &[], 1) else { panic!("a plan should exist") };
        assert_eq!((plan.length, plan.lower_bound), (9, 9));
        assert_eq!(plan.orders, [[4, 1, 2, 3]]);
    }

    #[test]
    fn path_constraints_of_example_5() {
        let graph = graph(&[&[0, 0, 3], &[9, 0, 1], &[2, 1, 0]]);
        let best = |windows: &[Window]| match planned(&graph, windows, 1) {
            Planned::Plan(plan) => (plan.orders, plan.length),
            other => panic!("a plan should exist, not {other:?}"),
        };
        assert_eq!(best(&[]), (vec![vec![1, 2]], 3));
        let forbidden = Window { vertices: vec![0, 1, 2], steps: None };
        assert_eq!(best(std::slice::from_ref(&forbidden)), (vec![vec![2, 1]], 13));
        let costly = Window { vertices: vec![0, 1, 2], steps: Some(2) };
        assert_eq!(best(&[costly]), (vec![vec![1, 2]], 4));
        let whole = Window { vertices: vec![0, 1, 2, 0], steps: Some(7) };
        assert_eq!(best(&[whole]), (vec![vec![1, 2]], 7));
    }

    #[test]
    fn goals_that_exclude_each_other_take_two_chains() {
        let graph = graph(&[&[0, 1, 2, 3], &[1, 0, NEVER, 1], &[1, NEVER, 0, 1], &[1, 1, NEVER, 0]]);
        assert_eq!(planned(&graph, &[], 1), Planned::Plan(Plan { orders: vec![vec![2, 3, 1]], length: 5, lower_bound: 5 }));
        let late = Window { vertices: vec![2, 3], steps: None };
        assert_eq!(planned(&graph, std::slice::from_ref(&late), 1), Planned::Impossible);
        let Planned::Plan(plan) = planned(&graph, &[late], 2) else { panic!("two chains should do") };
        assert_eq!((plan.length, plan.orders.len()), (6, 2));
    }
}
