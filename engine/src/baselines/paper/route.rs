//! The shortest ways through the network (function GetShortestPath of the paper), under path
//! constraints.
//!
//! The tour is sought over the transitive closure, where each goal is passed once; its stations are
//! then expanded to the nodes that are passed. A failed path forbids its stations to follow one
//! another (Example 5). Where a leg of it passes other goals on its way, the same stations may be
//! joined in another way: then that leg must be direct from now on.

use super::network::{Closure, FINAL, INIT, Network};
use crate::knowledge::path_costs::Window;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::plan::{Planned, plan};
use crate::session::{Session, Stop};
use solver::atsp::{self, WarmStart};

/// A route from Init to Final.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The nodes of the goals it is for, Init and Final at its ends.
    pub(crate) stations: Vec<usize>,
    /// All nodes it passes.
    pub(crate) nodes: Vec<usize>,
}

/// What was learned from failed paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    /// Stations that must not follow one another.
    windows: Vec<Window>,
    /// Pairs of vertices between which no other goal may be passed.
    direct: Vec<(Vertex, Vertex)>,
}

impl Constraints {
    /// Excludes the nodes of the route from position `begin` to `end`.
    pub(crate) fn exclude(&mut self, route: &Route, network: &Network, begin: usize, end: usize) {
        let positions = route.positions();
        let first = positions.iter().rposition(|&position| position <= begin).unwrap_or(0);
        let last = positions.iter().position(|&position| position >= end).unwrap_or(positions.len() - 1);
        let vertex = |station: usize| network.vertex(route.stations[station]);
        let before = self.direct.len();
        for leg in first..last {
            if positions[leg + 1] > positions[leg] + 1 {
                self.direct.push((vertex(leg), vertex(leg + 1)));
            }
        }
        if self.direct.len() == before {
            self.windows.push(Window { vertices: (first..=last).map(vertex).collect(), steps: None });
        }
    }

    fn is_direct(&self, from: Vertex, to: Vertex) -> bool {
        self.direct.contains(&(from, to))
    }
}

impl Route {
    fn new(stations: Vec<usize>, network: &Network, closure: &Closure, constraints: &Constraints) -> Self {
        let mut nodes = vec![INIT];
        for leg in stations.windows(2) {
            match constraints.is_direct(network.vertex(leg[0]), network.vertex(leg[1])) {
                true => nodes.push(leg[1]),
                false => nodes.extend(&closure.expand(leg)[1..]),
            }
        }
        Self { stations, nodes }
    }

    /// Where the stations stand among the nodes.
    fn positions(&self) -> Vec<usize> {
        let mut positions = Vec::with_capacity(self.stations.len());
        for (position, node) in self.nodes.iter().enumerate() {
            if self.stations.get(positions.len()) == Some(node) {
                positions.push(position);
            }
        }
        positions
    }

    /// The goals it is for.
    pub(crate) fn goals(&self, network: &Network) -> Vec<Vertex> {
        self.stations.iter().map(|&node| network.vertex(node)).filter(|vertex| !vertex.is_depot()).collect()
    }
}

/// The shortest set of so many routes that together have these nodes as stations; `None` where
/// there is none.
pub(crate) fn shortest(
    network: &Network,
    nodes: &[usize],
    constraints: &Constraints,
    count: usize,
    session: &Session<'_>,
) -> Result<Option<Vec<Route>>, Stop> {
    if nodes.is_empty() {
        return Ok(None);
    }
    session.check_limits()?;
    let closure = network.closure();
    let goals: Vec<Vertex> = nodes.iter().map(|&node| network.vertex(node)).collect();
    let node_of = |goal: Vertex, depot: usize| {
        goals.iter().position(|&known| known == goal).map_or(depot, |at| nodes[at])
    };
    let distance = |from: Vertex, to: Vertex| {
        let (source, target) = (node_of(from, INIT), node_of(to, FINAL));
        match constraints.is_direct(from, to) {
            true => network.weight(source, target),
            false => closure.distance(source, target),
        }
    };
    let options = atsp::Options {
        seed: session.options.seed,
        deadline: session.options.deadline,
        stop: Some(session.options.stop.clone()),
    };
    let planned = session.stage("order", || {
        plan(distance, |_, _| false, &goals, &constraints.windows, count, &WarmStart::default(), &options)
    });
    let Planned::Plan(plan) = planned else {
        session.check_limits()?;
        return Ok(None);
    };
    let route = |order: &Vec<Vertex>| {
        let goals = order.iter().map(|&goal| node_of(goal, INIT));
        let stations = [INIT].into_iter().chain(goals).chain([FINAL]).collect();
        Route::new(stations, network, &closure, constraints)
    };
    Ok(Some(plan.orders.iter().map(route).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::vertex::numbered;

    /// A leg that passes another goal is made direct first; only then the stations are forbidden.
    #[test]
    fn legs_that_pass_other_goals_are_made_direct_first() {
        let network = Network::of(2, &[(0, 2, 1), (0, 3, 5), (2, 3, 1), (3, 1, 1), (2, 1, 9)]);
        let mut constraints = Constraints::default();
        let closure = network.closure();
        let route = Route::new(vec![INIT, 3, FINAL], &network, &closure, &constraints);
        assert_eq!(route.nodes, [INIT, 2, 3, FINAL]);
        constraints.exclude(&route, &network, 0, 3);
        let route = Route::new(vec![INIT, 3, FINAL], &network, &closure, &constraints);
        assert_eq!(route.nodes, [INIT, 3, FINAL]);
        assert_eq!(constraints.windows, []);
        constraints.exclude(&route, &network, 0, 2);
        assert_eq!(constraints.windows, [Window { vertices: numbered([0, 2, 0]).to_vec(), steps: None }]);
    }
}
