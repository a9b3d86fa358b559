//! The linear relaxation: degree equations, subtour inequalities and charge cuts over the arcs that are left.
//!
//! Costs are the reduced costs of the assignment problem, so that all are non-negative, plus a little noise that
//! breaks the many ties (small integer weights make the program very degenerate). The noise of a whole tour stays below
//! [`NOISE`], so the optimum is known well enough, and what is reported is computed again in integers anyway.

use super::assignment::Assignment;
use super::bound::{Cut, ExactBound, exact_bound};
use super::instance::FORBIDDEN;
use super::limits::Limits;
use super::random::Random;
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
/// Slices after which a program counts as too hard.
const MOST_SLICES: usize = 500;

/// The program with the way between its columns and rows and the arcs and cuts they stand for.
pub(crate) struct Relaxation {
    vertices: usize,
    program: Simplex,
    /// Arcs by column; charge columns come later and are not in here.
    arcs: Vec<Arc>,
    column_of: Vec<Option<usize>>,
    charges: Charges,
    /// Row `2 n + k` of the program is cut k.
    cuts: Vec<Cut>,
    /// Length of a tour minus its cost in the program.
    offset: i64,
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
    /// Degree equations over the arcs of the matrix.
    pub(crate) fn new(matrix: &[i64], assignment: &Assignment, seed: u64) -> Self {
        let n = assignment.len();
        let mut relaxation = Self {
            vertices: n,
            program: Simplex::new(),
            arcs: Vec::new(),
            column_of: vec![None; n * n],
            charges: Charges::default(),
            cuts: Vec::new(),
            offset: assignment.cost(),
        };
        let mut random = Random::new(seed);
        for arc in (0..n * n).filter(|&arc| matrix[arc] != FORBIDDEN) {
            let reduced = assignment.reduced(arc / n, arc % n, matrix[arc]) as f64;
            let noise = NOISE / n as f64 * (0.5 + random.below(1 << 20) as f64 / f64::from(1 << 21));
            relaxation.column_of[arc] = Some(relaxation.program.add_column(reduced + noise, 1.0));
            relaxation.arcs.push((arc / n, arc % n));
        }
        for vertex in 0..n {
            relaxation.add_degree_equation((0..n).map(|to| vertex * n + to));
        }
        for vertex in 0..n {
            relaxation.add_degree_equation((0..n).map(|from| from * n + vertex));
        }
        relaxation
    }

    fn add_degree_equation(&mut self, arcs: impl Iterator<Item = usize>) {
        let entries: Vec<(usize, f64)> = arcs.filter_map(|arc| Some((self.column_of[arc]?, 1.0))).collect();
        self.program.add_row(&entries, 1.0, true);
    }

    /// Lets exactly the arcs of the matrix be used.
    pub(crate) fn restrict_to(&mut self, matrix: &[i64]) {
        for (column, &(from, to)) in self.arcs.iter().enumerate() {
            let upper = if matrix[from * self.vertices + to] == FORBIDDEN { 0.0 } else { 1.0 };
            self.program.set_upper(column, upper);
        }
    }

    /// Forgets the arcs that are not in the matrix for good.
    pub(crate) fn retire_outside(&mut self, matrix: &[i64]) {
        let is_outside = |&column: &usize| {
            let (from, to) = self.arcs[column];
            matrix[from * self.vertices + to] == FORBIDDEN
        };
        let outside: Vec<usize> = (0..self.arcs.len()).filter(is_outside).collect();
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
        match &cut {
            Cut::Subtour(set) => {
                for &from in set {
                    entries.extend(set.iter().filter_map(|&to| Some((column_of(from, to)?, -1.0))));
                }
            }
            Cut::Charge(cut) => {
                let factor = |&((from, to), factor): &(Arc, i64)| Some((column_of(from, to)?, factor as f64));
                entries.extend(cut.arcs.iter().filter_map(factor));
                entries.extend(
                    cut.charges.iter().map(|&arc| (self.charges.column(arc, &mut self.program), 1.0)),
                );
            }
            Cut::Limit { arc, most } => {
                entries.extend(column_of(arc.0, arc.1).map(|column| (column, *most as f64)));
                entries.push((self.charges.column(*arc, &mut self.program), -1.0));
            }
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

    /// The exact bound that the current duals give over the tours of the matrix; `None` where it has no cycle cover. After
    /// an infeasible program the duals are moved along the ray until the bound should reach `wanted`.
    pub(crate) fn exact_bound(&self, matrix: &[i64], wanted: i64) -> Option<ExactBound> {
        let first = 2 * self.vertices;
        let step = self.program.ray().map_or(0.0, |_| self.step_along_ray(wanted));
        let multiplier = |cut: usize| {
            let along = self.program.ray().map_or(0.0, |ray| ray[first + cut]);
            self.program.dual(first + cut) + step * along
        };
        let multipliers: Vec<f64> = (0..self.cuts.len()).map(multiplier).collect();
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
        let value = |(column, &(from, to)): (usize, &Arc)| (from, to, self.program.value(column));
        self.arcs.iter().enumerate().map(value).filter(|&(_, _, value)| value > ZERO).collect()
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
