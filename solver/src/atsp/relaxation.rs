//! The linear relaxation: degree equations, subtour inequalities and charge cuts over the arcs that
//! are left.
//!
//! Costs are the reduced costs of the assignment problem, so that all are non-negative, plus a
//! little noise that breaks the many ties (small integer weights make the program very degenerate).
//! The noise of a whole tour stays below [`NOISE`], so the optimum is known well enough, and what
//! is reported is computed again in integers anyway.
//!
//! The program holds few arcs: those that seem good at first, and then those whose reduced cost in
//! the program turns out to be negative (column generation). Exact bounds are computed over all
//! arcs, whatever the program holds.

use super::assignment::Assignment;
use super::bound::{Cut, ExactBound, exact_bound};
use super::instance::FORBIDDEN;
use super::limits::Limits;
use super::random::mixed;
use super::restriction::Arc;
use super::simplex::{Simplex, Status};
use rustc_hash::FxHashMap;

/// Upper bound of the noise over a tour.
pub(crate) const NOISE: f64 = 0.04;
/// Values up to this are zero.
pub(crate) const ZERO: f64 = 1e-6;
/// Iterations between looks at the limits.
const SLICE: usize = 100;
/// Iterations that try an arc out.
const PROBE: usize = 30;
/// Arcs per vertex and direction that the program begins with.
const FIRST_ARCS: usize = 8;
/// Arcs per vertex that are added at a time at most.
const MOST_ADDED: usize = 2;
/// Slices after which a program counts as too hard.
const MOST_SLICES: usize = 500;

/// The program with the way between its columns and rows and the arcs and cuts they stand for.
pub(crate) struct Relaxation {
    vertices: usize,
    program: Simplex,
    /// Columns of arcs; those of charges are not in here.
    arcs: Vec<(usize, Arc)>,
    column_of: Vec<Option<usize>>,
    charges: Charges,
    /// Row `2 n + k` of the program is cut k.
    cuts: Vec<Cut>,
    /// The assignment that gives the costs of the program, and a tour's length minus its cost in
    /// there.
    assignment: Assignment,
    offset: i64,
    seed: u64,
}

/// Columns of charges, made as they are needed.
#[derive(Default)]
struct Charges {
    column_of: FxHashMap<Arc, usize>,
    arcs: Vec<Arc>,
}

impl Charges {
    fn column(&mut self, arc: Arc, program: &mut Simplex) -> usize {
        *self.column_of.entry(arc).or_insert_with(|| {
            self.arcs.push(arc);
            program.add_column(1.0, f64::INFINITY)
        })
    }
}

/// A solved relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Relaxed {
    pub(crate) status: Status,
    /// Objective in terms of tour lengths, noise included.
    pub(crate) objective: f64,
}

impl Relaxation {
    /// Degree equations over the best arcs of the matrix.
    pub(crate) fn new(matrix: &[i64], assignment: &Assignment, seed: u64) -> Self {
        let n = assignment.len();
        let mut relaxation = Self {
            vertices: n,
            program: Simplex::new(),
            arcs: Vec::new(),
            column_of: vec![None; n * n],
            charges: Charges::default(),
            cuts: Vec::new(),
            assignment: assignment.clone(),
            offset: assignment.cost(),
            seed,
        };
        for _ in 0..2 * n {
            relaxation.program.add_row(&[], 1.0, true);
        }
        for arc in relaxation.first_arcs(matrix) {
            relaxation.add_arc(arc, matrix);
        }
        relaxation
    }

    /// The cheapest arcs out of and into each vertex, ascending.
    fn first_arcs(&self, matrix: &[i64]) -> Vec<usize> {
        let n = self.vertices;
        let mut chosen = vec![false; n * n];
        let mut choose = |arcs: &mut Vec<usize>| {
            arcs.retain(|&arc| matrix[arc] != FORBIDDEN);
            arcs.sort_by(|&left, &right| {
                self.arc_cost(left, matrix).total_cmp(&self.arc_cost(right, matrix)).then(left.cmp(&right))
            });
            arcs.iter().take(FIRST_ARCS).for_each(|&arc| chosen[arc] = true);
        };
        for vertex in 0..n {
            choose(&mut (0..n).map(|to| vertex * n + to).collect());
            choose(&mut (0..n).map(|from| from * n + vertex).collect());
            let next = vertex * n + self.assignment.successor(vertex);
            choose(&mut vec![next]);
        }
        (0..n * n).filter(|&arc| chosen[arc]).collect()
    }

    /// Cost of an arc in the program.
    fn arc_cost(&self, arc: usize, matrix: &[i64]) -> f64 {
        let n = self.vertices;
        let reduced = self.assignment.reduced(arc / n, arc % n, matrix[arc]) as f64;
        let share = (mixed(self.seed ^ (arc as u64) << 20) >> 44) as f64 / f64::from(1 << 21);
        reduced + NOISE / n as f64 * (0.5 + share)
    }

    fn add_arc(&mut self, arc: usize, matrix: &[i64]) {
        let n = self.vertices;
        let (from, to) = (arc / n, arc % n);
        let mut entries = vec![(from, 1.0), (n + to, 1.0)];
        for (index, cut) in self.cuts.iter().enumerate() {
            let factor = cut.factor((from, to));
            if factor != 0 {
                entries.push((2 * n + index, factor as f64));
            }
        }
        let column = self.program.add_column_in(&entries, self.arc_cost(arc, matrix), 1.0);
        self.column_of[arc] = Some(column);
        self.arcs.push((column, (from, to)));
    }

    /// Adds arcs of the matrix that the current duals say would better the program; how many. None:
    /// its optimum is that over all arcs of the matrix. After an infeasible program the duals are
    /// those that should reach `wanted`.
    pub(crate) fn add_arcs(&mut self, matrix: &[i64], wanted: i64) -> usize {
        let n = self.vertices;
        let step = self.program.ray().map_or(0.0, |_| self.step_along_ray(wanted));
        let reduced = self.reduced_costs(matrix, step);
        let mut added = 0;
        for from in 0..n {
            let mut arcs: Vec<usize> = (from * n..(from + 1) * n)
                .filter(|&arc| {
                    reduced[arc] < -ZERO && matrix[arc] != FORBIDDEN && self.column_of[arc].is_none()
                })
                .collect();
            arcs.sort_by(|&left, &right| reduced[left].total_cmp(&reduced[right]).then(left.cmp(&right)));
            arcs.truncate(MOST_ADDED);
            added += arcs.len();
            arcs.into_iter().for_each(|arc| self.add_arc(arc, matrix));
        }
        added
    }

    /// Costs of the arcs minus what the duals, moved so far along the ray, pay for them.
    fn reduced_costs(&self, matrix: &[i64], step: f64) -> Vec<f64> {
        let n = self.vertices;
        let dual = |row: usize| self.dual(row, step);
        let columns: Vec<f64> = (0..n).map(|to| dual(n + to)).collect();
        let mut reduced = vec![0.0; n * n];
        for from in 0..n {
            let paid = dual(from);
            for to in (0..n).filter(|to| matrix[from * n + to] != FORBIDDEN) {
                reduced[from * n + to] = self.arc_cost(from * n + to, matrix) - paid - columns[to];
            }
        }
        for (index, cut) in self.cuts.iter().enumerate() {
            let multiplier = dual(2 * n + index);
            if multiplier != 0.0 {
                cut.for_each_arc(|(from, to), factor| reduced[from * n + to] -= multiplier * factor as f64);
            }
        }
        reduced
    }

    /// Dual value of a row, moved so far along the ray.
    fn dual(&self, row: usize, step: f64) -> f64 {
        self.program.dual(row) + step * self.program.ray().map_or(0.0, |ray| ray[row])
    }

    /// Lets exactly the arcs of the matrix be used.
    pub(crate) fn restrict_to(&mut self, matrix: &[i64]) {
        for &(column, (from, to)) in &self.arcs {
            let upper = if matrix[from * self.vertices + to] == FORBIDDEN { 0.0 } else { 1.0 };
            self.program.set_upper(column, upper);
        }
    }

    /// Forgets the arcs that are not in the matrix for good.
    pub(crate) fn retire_outside(&mut self, matrix: &[i64]) {
        let is_outside = |(from, to): Arc| matrix[from * self.vertices + to] == FORBIDDEN;
        let outside = self.arcs.iter().filter(|&&(_, arc)| is_outside(arc));
        let outside: Vec<usize> = outside.map(|&(column, _)| column).collect();
        for &column in &outside {
            self.program.set_upper(column, 0.0);
        }
        self.program.retire(&outside);
    }

    /// Adds a cut; `matrix` tells the arcs still in use.
    pub(crate) fn add_cut(&mut self, cut: Cut, matrix: &[i64]) {
        let n = self.vertices;
        let mut entries = Vec::new();
        let column_of = |from: usize, to: usize| {
            self.column_of[from * n + to].filter(|_| matrix[from * n + to] != FORBIDDEN)
        };
        cut.for_each_arc(|(from, to), factor| {
            entries.extend(column_of(from, to).map(|column| (column, factor as f64)));
        });
        for &(arc, factor) in &cut.charges() {
            entries.push((self.charges.column(arc, &mut self.program), factor));
        }
        self.program.add_row(&entries, cut.right() as f64, false);
        self.cuts.push(cut);
    }

    /// Drops the cuts that are not tight.
    pub(crate) fn drop_slack_cuts(&mut self) {
        let first = 2 * self.vertices;
        let slack: Vec<usize> =
            (first..self.program.row_count()).filter(|&row| self.program.is_slack(row)).collect();
        self.program.drop_rows(&slack);
        let mut row = first;
        self.cuts.retain(|_| {
            row += 1;
            slack.binary_search(&(row - 1)).is_err()
        });
    }

    /// Optimises until the optimum, the cutoff (a tour length), or a limit.
    pub(crate) fn solve(&mut self, cutoff: f64, limits: &Limits) -> Relaxed {
        let cutoff = cutoff - self.offset as f64;
        let mut status = Status::Stopped;
        for _ in 0..MOST_SLICES {
            status = self.program.solve(cutoff, SLICE);
            if status != Status::Stopped || limits.reached() {
                break;
            }
        }
        Relaxed { status, objective: self.objective() }
    }

    /// The objective after a few iterations.
    pub(crate) fn solve_slice(&mut self, cutoff: f64) -> f64 {
        match self.program.solve(cutoff - self.offset as f64, PROBE) {
            Status::CutOff => cutoff,
            Status::Optimal | Status::Stopped => self.objective(),
        }
    }

    /// Objective of the current basis in terms of tour lengths.
    pub(crate) fn objective(&self) -> f64 {
        self.program.objective() + self.offset as f64
    }

    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    /// The exact bound that the current duals give over the tours of the matrix; `None` where it
    /// has no cycle cover. After an infeasible program the duals are moved along the ray until the
    /// bound should reach `wanted`.
    pub(crate) fn exact_bound(&self, matrix: &[i64], wanted: i64) -> Option<ExactBound> {
        let step = self.program.ray().map_or(0.0, |_| self.step_along_ray(wanted));
        let rows = 2 * self.vertices..2 * self.vertices + self.cuts.len();
        let multipliers: Vec<f64> = rows.map(|row| self.dual(row, step)).collect();
        exact_bound(matrix, self.vertices, &self.cuts, &multipliers)
    }

    /// The inequalities beside the degree equations, in the order of the multipliers of bounds.
    pub(crate) fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// How far along the ray the objective of the duals reaches the wanted bound.
    fn step_along_ray(&self, wanted: i64) -> f64 {
        let missing = wanted as f64 + 1.0 - self.offset as f64 - self.program.objective();
        missing.max(1.0) / self.program.ray_gain().max(ZERO)
    }

    /// Arcs with positive values.
    pub(crate) fn support(&self) -> Vec<(usize, usize, f64)> {
        let value = |&(column, (from, to)): &(usize, Arc)| (from, to, self.program.value(column));
        self.arcs.iter().map(value).filter(|&(_, _, value)| value > ZERO).collect()
    }

    /// Arcs with positive charges.
    pub(crate) fn charged(&self) -> Vec<Arc> {
        self.charges.arcs.iter().copied().filter(|&arc| self.charge(arc) > ZERO).collect()
    }

    /// Charge of an arc.
    pub(crate) fn charge(&self, arc: Arc) -> f64 {
        self.charges.column_of.get(&arc).map_or(0.0, |&column| self.program.value(column))
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::separation::violated_sets;
    use super::super::test_support::{closure_instance, random_instance};
    use super::*;

    /// The bound with all violated sets cut off, arcs being added as they are needed.
    fn bound(relaxation: &mut Relaxation, matrix: &[i64]) -> f64 {
        loop {
            let relaxed = relaxation.solve(f64::INFINITY, &Limits::default());
            assert_eq!(relaxed.status, Status::Optimal);
            let sets = violated_sets(relaxation.vertices, &relaxation.support());
            if sets.is_empty() && relaxation.add_arcs(matrix, FORBIDDEN) == 0 {
                return relaxed.objective;
            }
            sets.into_iter().for_each(|set| relaxation.add_cut(Cut::Subtour(set), matrix));
        }
    }

    #[test]
    fn few_arcs_give_the_bound_of_all() {
        for seed in 0..12 {
            let n = 40;
            let instance = if seed % 2 == 0 {
                closure_instance(n, true, seed)
            } else {
                random_instance(n, 60, 10, seed)
            };
            let assignment = assign(&instance).expect("strongly connected");
            let matrix = instance.matrix();
            let mut few = Relaxation::new(matrix, &assignment, seed);
            let mut all = Relaxation::new(matrix, &assignment, seed);
            for arc in (0..n * n).filter(|&arc| matrix[arc] != FORBIDDEN) {
                if all.column_of[arc].is_none() {
                    all.add_arc(arc, matrix);
                }
            }
            let (bounds, counts) =
                ([bound(&mut few, matrix), bound(&mut all, matrix)], [few.arcs.len(), all.arcs.len()]);
            assert!((bounds[0] - bounds[1]).abs() < 1e-4, "seed {seed}: {bounds:?}");
            assert!(2 * counts[0] < counts[1], "seed {seed}: {counts:?}");
            let exact =
                [&few, &all].map(|program| program.exact_bound(matrix, 0).map(|exact| exact.length()));
            assert_eq!(exact[0], exact[1], "seed {seed}");
        }
    }
}
