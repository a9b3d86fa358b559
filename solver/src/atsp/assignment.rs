//! The assignment problem: the cheapest cover of all vertices by disjoint directed cycles.
//!
//! Every tour is such a cover, so its cost bounds the shortest tour from below, and its integer
//! duals give each arc a *reduced cost*: what a cover must at least cost more if it uses that arc.
//! Solved by shortest augmenting paths (R. Jonker, A. Volgenant, Computing 38, 1987) in O(n³), and
//! in O(n²) per row that has lost its column, which is what branching needs. Missing arcs are
//! skipped, not priced, so infeasibility is exact.

use super::instance::{FORBIDDEN, Instance};

const UNASSIGNED: usize = usize::MAX;

/// A cheapest cycle cover with dual values: `matrix[i][j] - row_dual[i] - column_dual[j]` is never
/// negative and zero on chosen arcs, so the sum of the duals is the cost of the cover.
#[derive(Clone, Debug)]
pub struct Assignment {
    successor: Vec<usize>,
    predecessor: Vec<usize>,
    row_dual: Vec<i64>,
    column_dual: Vec<i64>,
}

/// Solves the assignment problem of the instance; `None` where no cycle cover without missing arcs
/// exists (and so no tour).
pub fn assign(instance: &Instance) -> Option<Assignment> {
    solve_matrix(instance.matrix(), instance.len())
}

/// Solves the assignment problem of an n × n matrix given row by row.
pub(crate) fn solve_matrix(matrix: &[i64], n: usize) -> Option<Assignment> {
    let mut assignment = Assignment::start(matrix, n)?;
    let mut search = Search::new(n);
    (0..n)
        .all(|row| assignment.successor[row] != UNASSIGNED || assignment.augment(row, matrix, &mut search))
        .then_some(assignment)
}

impl Assignment {
    /// Sum of the duals: cost of the cover, and a lower bound on every tour.
    pub fn cost(&self) -> i64 {
        self.row_dual.iter().sum::<i64>() + self.column_dual.iter().sum::<i64>()
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.successor.len()
    }

    /// The vertex after `vertex` in its cycle.
    pub fn successor(&self, vertex: usize) -> usize {
        self.successor[vertex]
    }

    /// Reduced cost of an arc of cost `cost`.
    pub fn reduced(&self, from: usize, to: usize, cost: i64) -> i64 {
        cost - self.row_dual[from] - self.column_dual[to]
    }

    /// Dual value of a vertex being left.
    pub(crate) fn row_dual(&self, vertex: usize) -> i64 {
        self.row_dual[vertex]
    }

    /// Dual value of a vertex being entered.
    pub(crate) fn column_dual(&self, vertex: usize) -> i64 {
        self.column_dual[vertex]
    }

    /// The cycles, each beginning with its smallest vertex, in ascending order of that.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.successor.len()];
        let mut cycles = Vec::new();
        for start in 0..self.successor.len() {
            let mut cycle = Vec::new();
            let mut vertex = start;
            while !std::mem::replace(&mut seen[vertex], true) {
                cycle.push(vertex);
                vertex = self.successor[vertex];
            }
            if !cycle.is_empty() {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Row and column minima as duals, and as many tight arcs as a greedy pass finds.
    fn start(matrix: &[i64], n: usize) -> Option<Self> {
        let mut assignment = Self {
            successor: vec![UNASSIGNED; n],
            predecessor: vec![UNASSIGNED; n],
            row_dual: vec![0; n],
            column_dual: vec![0; n],
        };
        for row in 0..n {
            let least = *matrix[row * n..][..n].iter().min()?;
            if least == FORBIDDEN {
                return None;
            }
            assignment.row_dual[row] = least;
        }
        for column in 0..n {
            let arcs = (0..n).filter(|row| matrix[row * n + column] != FORBIDDEN);
            assignment.column_dual[column] =
                arcs.map(|row| matrix[row * n + column] - assignment.row_dual[row]).min()?;
        }
        assignment.take_tight_arcs(matrix, n);
        Some(assignment)
    }

    fn take_tight_arcs(&mut self, matrix: &[i64], n: usize) {
        for row in 0..n {
            let tight = (0..n).find(|&column| {
                let cost = matrix[row * n + column];
                self.predecessor[column] == UNASSIGNED
                    && cost != FORBIDDEN
                    && self.reduced(row, column, cost) == 0
            });
            if let Some(column) = tight {
                self.successor[row] = column;
                self.predecessor[column] = row;
            }
        }
    }

    /// Assigns `free_row` along a shortest augmenting path (dense Dijkstra over reduced costs).
    fn augment(&mut self, free_row: usize, matrix: &[i64], search: &mut Search) -> bool {
        search.reset();
        let n = self.successor.len();
        let mut row = free_row;
        let mut distance = 0;
        loop {
            search.relax(row, distance, &matrix[row * n..][..n], self);
            let Some(column) = search.nearest() else { return false };
            distance = search.distance[column];
            search.settle(column);
            if self.predecessor[column] == UNASSIGNED {
                self.update_duals(free_row, distance, search);
                self.flip(free_row, column, &search.parent);
                return true;
            }
            row = self.predecessor[column];
        }
    }

    fn update_duals(&mut self, free_row: usize, distance: i64, search: &Search) {
        self.row_dual[free_row] += distance;
        for &column in &search.settled {
            let slack = distance - search.distance[column];
            self.column_dual[column] -= slack;
            if self.predecessor[column] != UNASSIGNED {
                self.row_dual[self.predecessor[column]] += slack;
            }
        }
    }

    fn flip(&mut self, free_row: usize, last_column: usize, parent: &[usize]) {
        let mut column = last_column;
        loop {
            let row = parent[column];
            self.predecessor[column] = row;
            let next = std::mem::replace(&mut self.successor[row], column);
            if row == free_row {
                return;
            }
            column = next;
        }
    }
}

/// Working memory of one shortest-path search, kept between searches.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    distance: Vec<i64>,
    parent: Vec<usize>,
    open: Vec<usize>,
    settled: Vec<usize>,
}

impl Search {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            distance: vec![FORBIDDEN; n],
            parent: vec![UNASSIGNED; n],
            open: Vec::with_capacity(n),
            settled: Vec::with_capacity(n),
        }
    }

    fn reset(&mut self) {
        let n = self.distance.len();
        self.distance.fill(FORBIDDEN);
        self.settled.clear();
        self.open.clear();
        self.open.extend(0..n);
    }

    fn relax(&mut self, row: usize, distance: i64, costs: &[i64], assignment: &Assignment) {
        let base = distance - assignment.row_dual[row];
        for &column in &self.open {
            if costs[column] == FORBIDDEN {
                continue;
            }
            let reached = base + costs[column] - assignment.column_dual[column];
            if reached < self.distance[column] {
                self.distance[column] = reached;
                self.parent[column] = row;
            }
        }
    }

    fn nearest(&self) -> Option<usize> {
        let column = self.open.iter().copied().min_by_key(|&column| self.distance[column])?;
        (self.distance[column] != FORBIDDEN).then_some(column)
    }

    fn settle(&mut self, column: usize) {
        let position = self.open.iter().position(|&open| open == column);
        self.open.swap_remove(position.expect("a settled column should have been open"));
        self.settled.push(column);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{permutations, random_instance};
    use super::*;

    fn cheapest_cover(instance: &Instance) -> Option<i64> {
        let arcs = |cover: &[usize]| -> Option<i64> {
            cover.iter().enumerate().map(|(from, &to)| instance.cost(from, to).map(|cost| cost as i64)).sum()
        };
        permutations(instance.len()).iter().filter_map(|cover| arcs(cover)).min()
    }

    fn check_duals(instance: &Instance, assignment: &Assignment) {
        for from in 0..instance.len() {
            for to in 0..instance.len() {
                if let Some(cost) = instance.cost(from, to) {
                    let reduced = assignment.reduced(from, to, cost as i64);
                    assert!(reduced >= 0);
                    assert!(reduced == 0 || assignment.successor(from) != to);
                }
            }
        }
    }

    #[test]
    fn equals_brute_force_and_has_feasible_tight_duals() {
        for seed in 0..300 {
            let n = 2 + seed as usize % 6;
            let instance = random_instance(n, 1 + seed % 9, [0, 30, 60][seed as usize % 3], seed);
            let assignment = assign(&instance);
            assert_eq!(assignment.as_ref().map(Assignment::cost), cheapest_cover(&instance), "seed {seed}");
            if let Some(assignment) = assignment {
                check_duals(&instance, &assignment);
            }
        }
    }
}
