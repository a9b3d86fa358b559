//! A bounded dual simplex method for linear programs that grow while they are solved.
//!
//! Minimise `c·x` under rows `a·x ≥ b` or `a·x = b` and `0 ≤ x ≤ u`, where all costs are
//! non-negative. Then the basis of logical variables is dual feasible from the start, and it stays
//! so (or is made so again by moving variables between their bounds) whatever rows are added and
//! whatever upper bounds change: exactly what cutting planes and branching do. The inverse of the
//! basis is kept densely; with a few hundred rows this costs less than anything cleverer, and it
//! gives the exact norms that dual steepest-edge pricing wants. Values are floating point: nothing
//! here is a proof, and the callers compute their bounds from the duals again in integers.

mod basis;
mod dense;
mod pivot;

use dense::{add_multiple, norm, retain_by};

/// Violations of rows and bounds up to this are none.
const PRIMAL_TOLERANCE: f64 = 1e-7;
/// Smaller pivots are refused.
const PIVOT_TOLERANCE: f64 = 1e-7;
/// Pivots after which the inverse is computed anew.
const REFACTOR_INTERVAL: usize = 1000;

/// A variable: a column given by the caller, or the logical variable of a row (how much the row
/// exceeds its right-hand side).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Column(usize),
    Logical(usize),
}

/// How a call of [`Simplex::solve`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// An optimal basis.
    Optimal,
    /// The objective is at least the cutoff, or no point satisfies all rows; the duals prove
    /// (numerically) that the cutoff is reached.
    CutOff,
    /// The iteration limit was reached, or numbers were too bad. The duals are feasible
    /// (numerically).
    Stopped,
}

#[derive(Clone, Debug)]
struct Column {
    cost: f64,
    upper: f64,
    entries: Vec<(usize, f64)>,
    at_upper: bool,
    /// Place in the basis.
    place: Option<usize>,
    reduced: f64,
}

#[derive(Clone, Debug)]
struct Row {
    entries: Vec<(usize, f64)>,
    right: f64,
    /// Upper bound of the logical variable: zero for equations.
    upper: f64,
    place: Option<usize>,
    /// Dual value of the row, which is the reduced cost of its logical variable.
    dual: f64,
}

/// The linear program and its current basis.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Row>,
    basis: Vec<Variable>,
    /// Row `place` of the inverse of the basis, over the rows of the program.
    inverse: Vec<Vec<f64>>,
    values: Vec<f64>,
    norms: Vec<f64>,
    pivots: usize,
    /// Entries of the pivot row, per column; zero for columns that are not in `priced`.
    alpha: Vec<f64>,
    /// Columns whose entry of the pivot row may be nonzero, each once.
    priced: Vec<usize>,
    is_priced: Vec<bool>,
    /// A combination of rows that proves infeasibility together with the duals, per row.
    ray: Option<Vec<f64>>,
    ray_gain: f64,
}

impl Simplex {
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            basis: Vec::new(),
            inverse: Vec::new(),
            values: Vec::new(),
            norms: Vec::new(),
            pivots: 0,
            alpha: Vec::new(),
            priced: Vec::new(),
            is_priced: Vec::new(),
            ray: None,
            ray_gain: 0.0,
        }
    }

    /// A variable in no row yet. The cost must not be negative.
    pub(crate) fn add_column(&mut self, cost: f64, upper: f64) -> usize {
        let reduced = cost;
        self.columns.push(Column { cost, upper, entries: Vec::new(), at_upper: false, place: None, reduced });
        self.columns.len() - 1
    }

    /// A variable in rows that are there already; the next call of [`Self::solve`] moves it to the
    /// bound where its reduced cost has the right sign.
    pub(crate) fn add_column_in(&mut self, entries: &[(usize, f64)], cost: f64, upper: f64) -> usize {
        let column = self.add_column(cost, upper);
        let mut reduced = cost;
        for &(row, factor) in entries {
            reduced -= factor * self.rows[row].dual;
            self.rows[row].entries.push((column, factor));
        }
        self.columns[column].entries = entries.to_vec();
        self.columns[column].reduced = reduced;
        column
    }

    /// The row `entries · x ≥ right`, or `= right` if `equation`.
    pub(crate) fn add_row(&mut self, entries: &[(usize, f64)], right: f64, equation: bool) -> usize {
        let row = self.rows.len();
        let mut inverse_row = vec![0.0; row + 1];
        let mut activity = 0.0;
        for &(column, factor) in entries {
            self.columns[column].entries.push((row, factor));
            match self.columns[column].place {
                Some(place) => {
                    add_multiple(&mut inverse_row, factor, &self.inverse[place]);
                    activity += factor * self.values[place];
                }
                None => activity += factor * self.columns[column].rest(),
            }
        }
        self.inverse.iter_mut().for_each(|inverse_row| inverse_row.push(0.0));
        inverse_row[row] = -1.0;
        let upper = if equation { 0.0 } else { f64::INFINITY };
        self.rows.push(Row { entries: entries.to_vec(), right, upper, place: Some(row), dual: 0.0 });
        self.basis.push(Variable::Logical(row));
        self.values.push(activity - right);
        self.norms.push(norm(&inverse_row));
        self.inverse.push(inverse_row);
        row
    }

    /// Changes an upper bound; the next call of [`Self::solve`] takes it into account.
    pub(crate) fn set_upper(&mut self, column: usize, upper: f64) {
        self.columns[column].upper = upper;
    }

    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Value of a column in the last basis.
    pub(crate) fn value(&self, column: usize) -> f64 {
        let entry = &self.columns[column];
        entry.place.map_or_else(|| entry.rest(), |place| self.values[place])
    }

    /// Dual value of a row: never negative for inequalities in an optimal basis.
    pub(crate) fn dual(&self, row: usize) -> f64 {
        self.rows[row].dual
    }

    /// After [`Status::CutOff`] by infeasibility: adding any positive multiple of this to the duals
    /// raises the bound.
    pub(crate) fn ray(&self) -> Option<&[f64]> {
        self.ray.as_deref()
    }

    /// By how much the bound rises per unit of the ray.
    pub(crate) fn ray_gain(&self) -> f64 {
        self.ray_gain
    }

    /// Objective of the current basis: a lower bound, as the basis is dual feasible.
    pub(crate) fn objective(&self) -> f64 {
        let basic = self.basis.iter().zip(&self.values).map(|(&variable, value)| self.cost(variable) * value);
        let resting = self.columns.iter().filter(|column| column.place.is_none() && column.at_upper);
        basic.sum::<f64>() + resting.map(|column| column.cost * column.upper).sum::<f64>()
    }

    /// Whether the row is not tight in the current basis, so that it may be dropped.
    pub(crate) fn is_slack(&self, row: usize) -> bool {
        self.rows[row].place.is_some()
    }

    /// Dual simplex until an optimal basis, the cutoff, or the iteration limit.
    pub(crate) fn solve(&mut self, cutoff: f64, iterations: usize) -> Status {
        self.ray = None;
        self.rest_at_dual_feasible_bounds();
        let mut distrusted = 0;
        for iteration in 0..iterations {
            if self.pivots >= REFACTOR_INTERVAL {
                self.refactor();
            }
            let Some(leaving) = self.leaving() else {
                if self.pivots == 0 || self.residual() < PRIMAL_TOLERANCE * 10.0 {
                    return Status::Optimal;
                }
                self.refactor();
                continue;
            };
            if iteration % 8 == 7 && self.objective() >= cutoff {
                return Status::CutOff;
            }
            self.price(leaving.place);
            let Some(entering) = self.entering(&leaving) else {
                self.keep_ray(&leaving);
                return Status::CutOff;
            };
            if !self.pivot(&leaving, entering) {
                distrusted += 1;
                if distrusted > 5 {
                    return Status::Stopped;
                }
                self.refactor();
            }
        }
        Status::Stopped
    }

    /// Drops inequality rows that are not tight, given as a sorted list. Later rows move up.
    pub(crate) fn drop_rows(&mut self, dropped: &[usize]) {
        if dropped.is_empty() {
            return;
        }
        let mut renamed = vec![None; self.rows.len()];
        let mut kept = 0;
        for (row, name) in renamed.iter_mut().enumerate() {
            if dropped.binary_search(&row).is_err() {
                *name = Some(kept);
                kept += 1;
            }
        }
        let gone: Vec<bool> = self
            .basis
            .iter()
            .map(|variable| matches!(variable, Variable::Logical(row) if renamed[*row].is_none()))
            .collect();
        debug_assert_eq!(
            gone.iter().filter(|&&gone| gone).count(),
            dropped.len(),
            "dropped rows should be slack"
        );
        retain_by(&mut self.basis, |place| !gone[place]);
        retain_by(&mut self.inverse, |place| !gone[place]);
        retain_by(&mut self.values, |place| !gone[place]);
        retain_by(&mut self.rows, |row| renamed[row].is_some());
        for inverse_row in &mut self.inverse {
            retain_by(inverse_row, |row| renamed[row].is_some());
        }
        for column in &mut self.columns {
            column.entries =
                column.entries.iter().filter_map(|&(row, factor)| Some((renamed[row]?, factor))).collect();
        }
        for variable in &mut self.basis {
            if let Variable::Logical(row) = variable {
                *row = renamed[*row].expect("a kept basic variable should have a kept row");
            }
        }
        self.norms = self.inverse.iter().map(|inverse_row| norm(inverse_row)).collect();
        self.renumber_places();
    }

    /// Takes columns with upper bound zero out of the rows for good, so that pricing need not look
    /// at them. Basic ones stay.
    pub(crate) fn retire(&mut self, retired: &[usize]) {
        let mut gone = vec![false; self.columns.len()];
        for &column in retired {
            let entry = &mut self.columns[column];
            if entry.place.is_none() {
                gone[column] = true;
                entry.entries = Vec::new();
                entry.upper = 0.0;
                entry.at_upper = false;
            }
        }
        for row in &mut self.rows {
            row.entries.retain(|&(column, _)| !gone[column]);
        }
    }

    fn renumber_places(&mut self) {
        for (place, &variable) in self.basis.iter().enumerate() {
            match variable {
                Variable::Column(column) => self.columns[column].place = Some(place),
                Variable::Logical(row) => self.rows[row].place = Some(place),
            }
        }
    }

    fn cost(&self, variable: Variable) -> f64 {
        match variable {
            Variable::Column(column) => self.columns[column].cost,
            Variable::Logical(_) => 0.0,
        }
    }

    fn upper(&self, variable: Variable) -> f64 {
        match variable {
            Variable::Column(column) => self.columns[column].upper,
            Variable::Logical(row) => self.rows[row].upper,
        }
    }

    /// Moves resting columns to the bound where their reduced cost has the right sign, and
    /// recomputes the values.
    fn rest_at_dual_feasible_bounds(&mut self) {
        for column in &mut self.columns {
            if column.place.is_none() {
                column.at_upper = column.reduced < 0.0 && column.upper > 0.0 && column.upper.is_finite();
            }
        }
        self.compute_values();
    }
}

impl Column {
    /// Value while not basic.
    fn rest(&self) -> f64 {
        if self.at_upper { self.upper } else { 0.0 }
    }

    /// Reduced cost, or zero where its sign is (slightly) wrong for the bound where the column
    /// rests.
    fn signed_slack(&self) -> f64 {
        if self.at_upper { self.reduced.min(0.0) } else { self.reduced.max(0.0) }
    }

    fn dual_slack(&self) -> f64 {
        self.signed_slack().abs()
    }
}

#[cfg(test)]
mod tests;
