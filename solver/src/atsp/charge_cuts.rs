//! Violated inequalities that make the relaxation pay for windows.
//!
//! Each arc of a tour has a *charge*, the amount by which windows raise its cost. A tour's length
//! under windows is the least sum of costs and charges such that the arcs of every window that
//! occurs are charged enough: along a line this is the dual of the longest-path program that
//! defines the length, and both have the same value because intervals of a line form a totally
//! unimodular system. (Around a circle they need not, so windows that reach over one chosen vertex
//! are left out.)
//!
//! Windows of two arcs are treated vertex by vertex. Let `e(a, c)` be what a window adds to `a → b
//! → c`. The tour enters b by one arc and leaves it by one, so for all numbers with `α(a) + γ(c) ≤
//! e(a, c)` `Σ α(a) x(a, b) + Σ γ(c) x(b, c) ≤ Σ charge(a, b) + Σ charge(b, c)`. The strongest
//! choice for a fractional point is the dual solution of a transportation problem from the arcs
//! into b to the arcs out of it. Longer windows: `e · (Σ x − (arcs − 1)) ≤ Σ charges`.

use super::bound::{ChargeCut, Cut};
use super::instance::{FORBIDDEN, Instance};
use super::restriction::Arc;
use super::windows::Windows;
use rustc_hash::FxHashMap;

/// Amounts up to this are none.
const LEAST_AMOUNT: f64 = 1e-7;
/// Inequalities must be violated by this much.
const LEAST_VIOLATION: f64 = 1e-3;

/// Windows in the form that separation wants.
#[derive(Clone, Debug)]
pub(crate) struct WindowExtras {
    vertices: usize,
    /// Per middle vertex: what predecessor and successor add, [`FORBIDDEN`] where they must not
    /// stand so.
    triples: Vec<FxHashMap<(usize, usize), i64>>,
    longer: Vec<Longer>,
    /// The most that a window adds to its arcs, per arc; none: never charged.
    most: FxHashMap<Arc, i64>,
}

/// A window of three or more arcs.
#[derive(Clone, Debug)]
struct Longer {
    arcs: Vec<Arc>,
    extra: i64,
}

/// A fractional point.
pub(crate) struct Point<'a> {
    /// Arcs with positive values.
    pub(crate) support: &'a [(usize, usize, f64)],
    pub(crate) charge: &'a dyn Fn(Arc) -> f64,
    /// Arcs with positive charges.
    pub(crate) charged: &'a [Arc],
}

impl WindowExtras {
    /// Takes all windows but those with `cut_at` strictly inside, over which windows of a circle
    /// would overlap.
    pub(crate) fn new(instance: &Instance, windows: &Windows) -> Self {
        let n = instance.len();
        let (cut_at, _) = windows.least_inner_vertex(n);
        let mut extras = Self {
            vertices: n,
            triples: vec![FxHashMap::default(); n],
            longer: Vec::new(),
            most: FxHashMap::default(),
        };
        for window in (0..windows.len()).map(|window| windows.get(window)) {
            let inner = &window.vertices[1..window.arcs()];
            if inner.contains(&cut_at) && window.cost != FORBIDDEN {
                continue;
            }
            let arcs: i64 = window.arc_pairs().map(|(from, to)| instance.arc(from, to)).sum();
            let extra = if window.cost == FORBIDDEN { FORBIDDEN } else { window.cost - arcs };
            if extra != FORBIDDEN {
                for arc in window.arc_pairs() {
                    let most = extras.most.entry(arc).or_default();
                    *most = extra.max(*most);
                }
            }
            match *window.vertices.as_slice() {
                [before, middle, after] => {
                    extras.triples[middle].insert((before, after), extra);
                }
                _ => extras.longer.push(Longer { arcs: window.arc_pairs().collect(), extra }),
            }
        }
        extras
    }

    /// Inequalities that the point violates. `matrix` tells the arcs in use; a forbidden window
    /// costs `penalty`, which must be enough to make a tour too long.
    pub(crate) fn violated(&self, point: &Point, matrix: &[i64], penalty: i64) -> Vec<Cut> {
        let n = self.vertices;
        let mut entering = vec![Vec::new(); n];
        let mut leaving = vec![Vec::new(); n];
        for &(from, to, value) in point.support {
            leaving[from].push((to, value));
            entering[to].push((from, value));
        }
        let mut cuts = self.violated_limits(point);
        if !cuts.is_empty() {
            return cuts;
        }
        for middle in (0..n).filter(|&middle| !self.triples[middle].is_empty()) {
            let at = Middle { extras: self, middle, matrix, penalty };
            cuts.extend(at.violated(&entering[middle], &leaving[middle], point.charge));
        }
        cuts.extend(self.violated_longer(point, penalty));
        cuts
    }

    fn violated_limits(&self, point: &Point) -> Vec<Cut> {
        let values: FxHashMap<Arc, f64> =
            point.support.iter().map(|&(from, to, value)| ((from, to), value)).collect();
        let limit = |&arc: &Arc| {
            let most = self.most.get(&arc).copied().unwrap_or(0);
            let allowed = most as f64 * values.get(&arc).copied().unwrap_or(0.0);
            ((point.charge)(arc) > allowed + LEAST_VIOLATION).then_some(Cut::Limit { arc, most })
        };
        point.charged.iter().filter_map(limit).collect()
    }

    fn can_be_charged(&self, arc: &Arc) -> bool {
        self.most.contains_key(arc)
    }

    fn violated_longer(&self, point: &Point, penalty: i64) -> Vec<Cut> {
        if self.longer.is_empty() {
            return Vec::new();
        }
        let values: FxHashMap<Arc, f64> =
            point.support.iter().map(|&(from, to, value)| ((from, to), value)).collect();
        let mut cuts = Vec::new();
        for window in &self.longer {
            let least = window.arcs.len() as f64 - 1.0;
            let used: f64 = window.arcs.iter().map_while(|arc| values.get(arc)).sum();
            let extra = window.extra.min(penalty);
            let wanted = extra as f64 * (used - least);
            if wanted <= LEAST_VIOLATION {
                continue;
            }
            let charged: f64 = window.arcs.iter().map(|&arc| (point.charge)(arc)).sum();
            if wanted > charged + LEAST_VIOLATION {
                let arcs = window.arcs.iter().map(|&arc| (arc, -extra)).collect();
                let right = -extra * (window.arcs.len() as i64 - 1);
                let charges = window.arcs.iter().copied().filter(|arc| self.can_be_charged(arc)).collect();
                cuts.push(Cut::Charge(ChargeCut { arcs, charges, right }));
            }
        }
        cuts
    }
}

/// Windows of two arcs around one vertex.
struct Middle<'a> {
    extras: &'a WindowExtras,
    middle: usize,
    matrix: &'a [i64],
    penalty: i64,
}

impl Middle<'_> {
    /// What standing between these two adds.
    fn extra(&self, before: usize, after: usize) -> i64 {
        if before == after {
            return self.penalty;
        }
        let extra = self.extras.triples[self.middle].get(&(before, after)).copied().unwrap_or(0);
        extra.min(self.penalty)
    }

    fn violated(
        &self,
        entering: &[(usize, f64)],
        leaving: &[(usize, f64)],
        charge: &dyn Fn(Arc) -> f64,
    ) -> Option<Cut> {
        let costs: Vec<Vec<i64>> = entering
            .iter()
            .map(|&(before, _)| leaving.iter().map(|&(after, _)| self.extra(before, after)).collect())
            .collect();
        if costs.iter().flatten().all(|&cost| cost == 0) {
            return None;
        }
        let amounts = |arcs: &[(usize, f64)]| arcs.iter().map(|&(_, value)| value).collect::<Vec<_>>();
        let plan = transport(&amounts(entering), &amounts(leaving), &costs);
        let charged: f64 = entering.iter().map(|&(before, _)| charge((before, self.middle))).sum::<f64>()
            + leaving.iter().map(|&(after, _)| charge((self.middle, after))).sum::<f64>();
        if plan.cost <= charged + LEAST_VIOLATION {
            return None;
        }
        Some(self.lift(entering, leaving, &plan))
    }

    /// Extends the dual numbers to all arcs in use.
    fn lift(&self, entering: &[(usize, f64)], leaving: &[(usize, f64)], plan: &Plan) -> Cut {
        let n = self.extras.vertices;
        let in_use = |from: usize, to: usize| self.matrix[from * n + to] != FORBIDDEN;
        let mut before: Vec<(usize, i64)> =
            entering.iter().zip(&plan.supply_duals).map(|(&(vertex, _), &dual)| (vertex, dual)).collect();
        let mut after: Vec<(usize, i64)> =
            leaving.iter().zip(&plan.demand_duals).map(|(&(vertex, _), &dual)| (vertex, dual)).collect();
        for vertex in (0..n).filter(|&vertex| in_use(self.middle, vertex)) {
            if !after.iter().any(|&(known, _)| known == vertex) {
                let room = before[..entering.len()]
                    .iter()
                    .map(|&(other, dual)| self.extra(other, vertex) - dual)
                    .min();
                after.push((vertex, room.unwrap_or(0)));
            }
        }
        for vertex in (0..n).filter(|&vertex| in_use(vertex, self.middle)) {
            if !before[..entering.len()].iter().any(|&(known, _)| known == vertex) {
                let room = after.iter().map(|&(other, dual)| self.extra(vertex, other) - dual).min();
                before.push((vertex, room.unwrap_or(0)));
            }
        }
        self.cut(&before, &after)
    }

    fn cut(&self, before: &[(usize, i64)], after: &[(usize, i64)]) -> Cut {
        let highest = |duals: &[(usize, i64)]| duals.iter().map(|&(_, dual)| dual).max().unwrap_or(0);
        let (most_before, most_after) = (highest(before), highest(after));
        let (shift_before, shift_after) = (median(before), median(after));
        let into = |vertex: usize| (vertex, self.middle);
        let out_of = |vertex: usize| (self.middle, vertex);
        let entering = before.iter().map(|&(vertex, dual)| (into(vertex), shift_before - dual));
        let leaving = after.iter().map(|&(vertex, dual)| (out_of(vertex), shift_after - dual));
        let arcs = entering.chain(leaving).filter(|&(_, factor)| factor != 0).collect();
        let paying =
            before.iter().filter(|&&(_, dual)| dual + most_after > 0).map(|&(vertex, _)| into(vertex));
        let also =
            after.iter().filter(|&&(_, dual)| dual + most_before > 0).map(|&(vertex, _)| out_of(vertex));
        let charges = paying.chain(also).filter(|arc| self.extras.can_be_charged(arc)).collect();
        Cut::Charge(ChargeCut { arcs, charges, right: shift_before + shift_after })
    }
}

/// The middle value: subtracting it from all makes as many as possible small, and equal ones zero.
fn median(duals: &[(usize, i64)]) -> i64 {
    let mut sorted: Vec<i64> = duals.iter().map(|&(_, dual)| dual).collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// A cheapest transport with integer dual numbers: `supply + demand dual ≤ cost`, equal where
/// something is moved.
struct Plan {
    cost: f64,
    supply_duals: Vec<i64>,
    demand_duals: Vec<i64>,
}

/// Successive shortest augmenting paths; a handful of supplies and demands of about equal sums.
fn transport(supplies: &[f64], demands: &[f64], costs: &[Vec<i64>]) -> Plan {
    let mut left = supplies.to_vec();
    let mut wanted = demands.to_vec();
    let mut flow = vec![vec![0.0; demands.len()]; supplies.len()];
    loop {
        let starts: Vec<i64> =
            left.iter().map(|&amount| if amount > LEAST_AMOUNT { 0 } else { FORBIDDEN }).collect();
        let paths = shortest_paths(&starts, costs, &flow);
        let open = (0..demands.len())
            .filter(|&demand| wanted[demand] > LEAST_AMOUNT && paths.demand[demand] != FORBIDDEN);
        let Some(demand) = open.min_by_key(|&demand| paths.demand[demand]) else { break };
        augment(&paths, demand, &mut left, &mut wanted, &mut flow);
    }
    let duals = shortest_paths(&vec![0; supplies.len()], costs, &flow);
    let moved = |(row, flows): (usize, &Vec<f64>)| {
        flows.iter().zip(&costs[row]).map(|(amount, &cost)| amount * cost as f64).sum::<f64>()
    };
    Plan {
        cost: flow.iter().enumerate().map(moved).sum(),
        supply_duals: duals.supply.iter().map(|distance| -distance).collect(),
        demand_duals: duals.demand,
    }
}

struct Paths {
    supply: Vec<i64>,
    demand: Vec<i64>,
    /// Demand from which a supply was reached backwards.
    supply_parent: Vec<Option<usize>>,
    demand_parent: Vec<usize>,
}

/// Bellman-Ford from the supplies with the given distances, over all forward arcs and the backward
/// arcs with flow.
fn shortest_paths(starts: &[i64], costs: &[Vec<i64>], flow: &[Vec<f64>]) -> Paths {
    let demands = costs.first().map_or(0, Vec::len);
    let mut paths = Paths {
        supply: starts.to_vec(),
        demand: vec![FORBIDDEN; demands],
        supply_parent: vec![None; starts.len()],
        demand_parent: vec![0; demands],
    };
    for _ in 0..=starts.len() + demands {
        let mut changed = false;
        for (row, row_costs) in costs.iter().enumerate() {
            for (column, &cost) in row_costs.iter().enumerate() {
                if paths.supply[row] != FORBIDDEN && paths.supply[row] + cost < paths.demand[column] {
                    paths.demand[column] = paths.supply[row] + cost;
                    paths.demand_parent[column] = row;
                    changed = true;
                }
                let backward = flow[row][column] > LEAST_AMOUNT && paths.demand[column] != FORBIDDEN;
                if backward && paths.demand[column] - cost < paths.supply[row] {
                    paths.supply[row] = paths.demand[column] - cost;
                    paths.supply_parent[row] = Some(column);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    paths
}

fn augment(paths: &Paths, demand: usize, left: &mut [f64], wanted: &mut [f64], flow: &mut [Vec<f64>]) {
    let mut amount = wanted[demand];
    let mut steps = Vec::new();
    let mut column = demand;
    let start = loop {
        let row = paths.demand_parent[column];
        steps.push((row, column));
        match paths.supply_parent[row] {
            Some(before) => {
                amount = amount.min(flow[row][before]);
                column = before;
            }
            None => break row,
        }
    };
    amount = amount.min(left[start]);
    for (row, column) in steps {
        flow[row][column] += amount;
        if let Some(before) = paths.supply_parent[row] {
            flow[row][before] -= amount;
        }
    }
    left[start] -= amount;
    wanted[demand] -= amount;
}
