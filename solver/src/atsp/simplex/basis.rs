//! The inverse of the basis, and what is computed from it: values of basic variables and duals.

use super::dense::{add_multiple, add_sparse_multiple, dot, norm, unit_row};
use super::{PIVOT_TOLERANCE, Row, Simplex, Variable};

/// Entries of the inverse below this are noise.
const DROP_TOLERANCE: f64 = 1e-13;
/// A pivot row is treated as dense if at least one in so many entries is not zero.
const DENSE_SHARE: usize = 4;
/// Norms are kept above this, which rounding may have lost.
const LEAST_NORM: f64 = 1e-9;

impl Simplex {
    pub(super) fn compute_values(&mut self) {
        let mut right: Vec<f64> = self.rows.iter().map(|row| row.right).collect();
        for column in self.columns.iter().filter(|column| column.place.is_none() && column.at_upper) {
            for &(row, factor) in &column.entries {
                right[row] -= factor * column.upper;
            }
        }
        for (value, inverse_row) in self.values.iter_mut().zip(&self.inverse) {
            *value = dot(inverse_row, &right);
        }
    }

    /// Greatest violation of a row by the current values, which tells how good the inverse still
    /// is.
    pub(super) fn residual(&self) -> f64 {
        let violation = |(index, row): (usize, &Row)| {
            let activity: f64 = row.entries.iter().map(|&(column, factor)| factor * self.value(column)).sum();
            let logical = self.rows[index].place.map_or(0.0, |place| self.values[place]);
            (activity - logical - row.right).abs()
        };
        self.rows.iter().enumerate().map(violation).fold(0.0, f64::max)
    }

    /// The column of a variable in terms of the basis.
    pub(super) fn image(&self, variable: Variable) -> Vec<f64> {
        let entry = |inverse_row: &Vec<f64>| match variable {
            Variable::Column(column) => {
                self.columns[column].entries.iter().map(|&(row, factor)| inverse_row[row] * factor).sum()
            }
            Variable::Logical(row) => -inverse_row[row],
        };
        self.inverse.iter().map(entry).collect()
    }

    pub(super) fn update_inverse(&mut self, place: usize, image: &[f64]) {
        let mut pivot_row = std::mem::take(&mut self.inverse[place]);
        pivot_row.iter_mut().for_each(|entry| *entry /= image[place]);
        let filled: Vec<usize> =
            (0..pivot_row.len()).filter(|&row| pivot_row[row].abs() > DROP_TOLERANCE).collect();
        let is_dense = filled.len() * DENSE_SHARE > pivot_row.len();
        for (other, inverse_row) in self.inverse.iter_mut().enumerate() {
            let factor = image[other];
            if other == place || factor.abs() <= DROP_TOLERANCE {
                continue;
            }
            if is_dense {
                add_multiple(inverse_row, -factor, &pivot_row);
                self.norms[other] = norm(inverse_row);
            } else {
                self.norms[other] += add_sparse_multiple(inverse_row, -factor, &pivot_row, &filled);
                self.norms[other] = self.norms[other].max(LEAST_NORM);
            }
        }
        self.norms[place] = norm(&pivot_row);
        self.inverse[place] = pivot_row;
    }

    /// Computes the inverse, the duals and the values anew from the set of basic variables. Columns
    /// that turn out to depend on the others leave the basis.
    pub(super) fn refactor(&mut self) {
        let size = self.rows.len();
        let basic = std::mem::take(&mut self.basis);
        let mut replaceable = vec![true; size];
        for row in &mut self.rows {
            row.place = None;
        }
        for variable in &basic {
            match *variable {
                Variable::Logical(row) => replaceable[row] = false,
                Variable::Column(column) => self.columns[column].place = None,
            }
        }
        self.basis = (0..size).map(Variable::Logical).collect();
        self.inverse = (0..size).map(|row| unit_row(size, row)).collect();
        self.norms = vec![1.0; size];
        for variable in basic.into_iter().filter(|variable| matches!(variable, Variable::Column(_))) {
            let image = self.image(variable);
            let free = (0..size).filter(|&place| replaceable[place]);
            let best = free.max_by(|&left, &right| image[left].abs().total_cmp(&image[right].abs()));
            if let Some(place) = best.filter(|&place| image[place].abs() > PIVOT_TOLERANCE) {
                replaceable[place] = false;
                self.basis[place] = variable;
                self.update_inverse(place, &image);
            }
        }
        self.pivots = 0;
        self.renumber_places();
        self.compute_duals();
        self.rest_at_dual_feasible_bounds();
    }

    pub(super) fn compute_duals(&mut self) {
        let mut duals = vec![0.0; self.rows.len()];
        for (variable, inverse_row) in self.basis.iter().zip(&self.inverse) {
            let cost = self.cost(*variable);
            if cost != 0.0 {
                add_multiple(&mut duals, cost, inverse_row);
            }
        }
        for column in &mut self.columns {
            let priced: f64 = column.entries.iter().map(|&(row, factor)| factor * duals[row]).sum();
            column.reduced = if column.place.is_some() { 0.0 } else { column.cost - priced };
        }
        for (row, dual) in self.rows.iter_mut().zip(duals) {
            row.dual = if row.place.is_some() { 0.0 } else { dual };
        }
    }
}
