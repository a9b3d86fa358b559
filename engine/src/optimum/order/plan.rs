//! From the graph to an order: the shortest set of paths from Init to Final through all goals,
//! under lower bounds.
//!
//! Distances are taken as their proven lower bounds, so the plan's proven length is a lower bound
//! for every set of so many chains: the first states of chosen occurrences, sorted by time, make a
//! sequence whose consecutive distances are at least the weights, and whose sub-sequences cost at
//! least what was learned about them. Each chain has a depot of its own; the tour through depots
//! and goals is the set of chains (the depots are alike). A goal that cannot come after another is
//! kept out of the rest of that one's chain, where goals are few enough for it.

use crate::knowledge::path_costs::Window;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use model::id::Id;
use solver::atsp::{self, Exclusions, Failure, Instance, PathCost, WarmStart};

/// A set of orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The goals of each chain in order; no chain is empty.
    pub(crate) orders: Vec<Vec<Vertex>>,
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

/// The best way to cover `goals` with exactly `chains` chains, all non-empty, under the bounds of
/// `distance(source, target)` and `windows`. A distance of `None` keeps the target from following
/// the source at once; `excludes(a, b)` says more: in no run does b come after a, however much later.
///
/// # Panics
/// If there is no goal or no chain.
pub(crate) fn plan(
    distance: impl Fn(Vertex, Vertex) -> Option<u32>,
    excludes: impl Fn(Vertex, Vertex) -> bool,
    goals: &[Vertex],
    windows: &[Window],
    chains: usize,
    known: &WarmStart,
    options: &atsp::Options,
) -> Planned {
    assert!(!goals.is_empty() && chains > 0, "a plan should have goals and chains");
    let layout = Layout { goals, chains };
    let instance = Instance::new(chains + goals.len(), |from, to| layout.cost(&distance, from, to));
    let costs = layout.path_costs(windows);
    let never_later = |a, b| excludes(layout.vertex(a), layout.vertex(b));
    let solved = match Exclusions::new(instance.len(), chains, never_later) {
        Some(exclusions) => atsp::solve_chains(&instance, &costs, &exclusions, known, options),
        None => atsp::solve_with_path_costs_from(&instance, &costs, known, options),
    };
    match solved {
        Ok(solution) => Planned::Plan(Plan {
            orders: layout.orders(&solution.tour),
            length: solution.length,
            lower_bound: solution.lower_bound,
        }),
        Err(Failure::Infeasible) => Planned::Impossible,
        Err(Failure::Stopped { lower_bound }) => Planned::Unknown { lower_bound },
    }
}

/// Nodes of the tour: the depots first, then the goals.
struct Layout<'a> {
    goals: &'a [Vertex],
    chains: usize,
}

impl Layout<'_> {
    fn vertex(&self, node: usize) -> Vertex {
        if node < self.chains { Vertex::DEPOT } else { self.goals[node - self.chains] }
    }

    fn cost(&self, distance: impl Fn(Vertex, Vertex) -> Option<u32>, from: usize, to: usize) -> Option<u64> {
        if from < self.chains && to < self.chains {
            return None;
        }
        distance(self.vertex(from), self.vertex(to)).map(u64::from)
    }

    fn path_costs(&self, windows: &[Window]) -> Vec<PathCost> {
        let last = self.goals.iter().max().map_or(0, |last| last.index());
        let mut node_of: ByVertex<Option<usize>> = by_vertex(last, |_| None);
        for (position, &goal) in self.goals.iter().enumerate() {
            node_of[goal] = Some(self.chains + position);
        }
        let mut costs = Vec::new();
        for window in windows {
            let inner = window.vertices.iter().filter(|vertex| !vertex.is_depot());
            let nodes = inner.map(|&goal| node_of.get(goal).copied().flatten());
            let Some(nodes) = nodes.collect::<Option<Vec<usize>>>() else { continue };
            let starts = window.vertices.first() == Some(&Vertex::DEPOT);
            let ends = window.vertices.last() == Some(&Vertex::DEPOT);
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
        let pairs = choices(starts)
            .into_iter()
            .flat_map(|first| choices(ends).into_iter().map(move |last| (first, last)));
        pairs.filter(|&(first, last)| self.chains == 1 || first.is_none() || first != last).collect()
    }

    fn orders(&self, tour: &[usize]) -> Vec<Vec<Vertex>> {
        let chains = tour.split(|&node| node < self.chains).filter(|chain| !chain.is_empty());
        chains.map(|chain| chain.iter().map(|&node| self.vertex(node)).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::vertex::numbered;

    const NEVER: u32 = u32::MAX;

    type Weights<'a> = &'a [&'a [u32]];

    fn planned(weights: Weights<'_>, windows: &[Window], chains: usize) -> Planned {
        let goals: Vec<Vertex> = Vertex::goals(weights.len() - 1).collect();
        let distance = |source: Vertex, target: Vertex| match weights[source.index()][target.index()] {
            NEVER => None,
            weight => Some(weight),
        };
        let (known, options) = (WarmStart::default(), atsp::Options::default());
        plan(distance, |_, _| false, &goals, windows, chains, &known, &options)
    }

    #[test]
    fn what_excludes_another_goal_excludes_it_for_the_rest_of_the_chain() {
        let weights: Weights<'_> = &[&[0, 1, 2, 3], &[1, 0, NEVER, 1], &[1, NEVER, 0, 1], &[1, 1, 1, 0]];
        let planned = |chains: usize| {
            let distance =
                |a: Vertex, b: Vertex| Some(weights[a.index()][b.index()]).filter(|&weight| weight != NEVER);
            let excludes = |a: Vertex, b: Vertex| weights[a.index()][b.index()] == NEVER;
            let (known, options) = (WarmStart::default(), atsp::Options::default());
            plan(distance, excludes, &numbered([1, 2, 3]), &[], chains, &known, &options)
        };
        assert_eq!(planned(1), Planned::Impossible);
        let Planned::Plan(plan) = planned(2) else { panic!("two chains should do") };
        assert_eq!((plan.length, plan.orders.len()), (6, 2));
    }

    #[test]
    fn cruise_controller_of_the_paper() {
        let far = 9;
        let weights: Weights<'_> = &[
            &[0, 2, far, 2, 2],
            &[far, 0, 2, 1, far],
            &[far, 1, 0, 1, far],
            &[2, 2, far, 0, far],
            &[far, 2, far, 2, 0],
        ];
        let Planned::Plan(plan) = planned(weights, &[], 1) else { panic!("a plan should exist") };
        assert_eq!((plan.length, plan.lower_bound), (9, 9));
        assert_eq!(plan.orders, [numbered([4, 1, 2, 3])]);
    }

    #[test]
    fn path_constraints_of_example_5() {
        let weights: Weights<'_> = &[&[0, 0, 3], &[9, 0, 1], &[2, 1, 0]];
        let best = |windows: &[Window]| match planned(weights, windows, 1) {
            Planned::Plan(plan) => (plan.orders, plan.length),
            other => panic!("a plan should exist, not {other:?}"),
        };
        assert_eq!(best(&[]), (vec![numbered([1, 2]).to_vec()], 3));
        let forbidden = Window { vertices: numbered([0, 1, 2]).to_vec(), steps: None };
        assert_eq!(best(std::slice::from_ref(&forbidden)), (vec![numbered([2, 1]).to_vec()], 13));
        let costly = Window { vertices: numbered([0, 1, 2]).to_vec(), steps: Some(2) };
        assert_eq!(best(&[costly]), (vec![numbered([1, 2]).to_vec()], 4));
        let whole = Window { vertices: numbered([0, 1, 2, 0]).to_vec(), steps: Some(7) };
        assert_eq!(best(&[whole]), (vec![numbered([1, 2]).to_vec()], 7));
    }

    #[test]
    fn goals_that_exclude_each_other_take_two_chains() {
        let weights: Weights<'_> = &[&[0, 1, 2, 3], &[1, 0, NEVER, 1], &[1, NEVER, 0, 1], &[1, 1, NEVER, 0]];
        assert_eq!(
            planned(weights, &[], 1),
            Planned::Plan(Plan { orders: vec![numbered([2, 3, 1]).to_vec()], length: 5, lower_bound: 5 })
        );
        let late = Window { vertices: numbered([2, 3]).to_vec(), steps: None };
        assert_eq!(planned(weights, std::slice::from_ref(&late), 1), Planned::Impossible);
        let Planned::Plan(plan) = planned(weights, &[late], 2) else { panic!("two chains should do") };
        assert_eq!((plan.length, plan.orders.len()), (6, 2));
    }
}
