//! One step of the method: the variable that leaves the basis, the one that enters, and what
//! becomes of the duals.

use super::{PIVOT_TOLERANCE, PRIMAL_TOLERANCE, Simplex, Variable};

/// Violations of dual signs up to this are none.
const DUAL_TOLERANCE: f64 = 1e-9;

/// The leaving variable: place in the basis, the bound it goes to, and how far it is beyond it
/// (signed).
pub(super) struct Leaving {
    pub(super) place: usize,
    bound: f64,
    excess: f64,
}

impl Simplex {
    /// The basic variable beyond a bound whose violation is greatest relative to its norm.
    pub(super) fn leaving(&self) -> Option<Leaving> {
        let mut best = None;
        let mut best_score = 0.0;
        for (place, &value) in self.values.iter().enumerate() {
            let excess = if value < -PRIMAL_TOLERANCE {
                value
            } else {
                let upper = self.upper(self.basis[place]);
                if value <= upper + PRIMAL_TOLERANCE {
                    continue;
                }
                value - upper
            };
            let score = excess * excess / self.norms[place];
            if score > best_score {
                best_score = score;
                best = Some(Leaving { place, bound: value - excess, excess });
            }
        }
        best
    }

    /// Entries of the pivot row for all columns.
    pub(super) fn price(&mut self, place: usize) {
        for column in self.priced.drain(..) {
            self.alpha[column] = 0.0;
            self.is_priced[column] = false;
        }
        self.alpha.resize(self.columns.len(), 0.0);
        self.is_priced.resize(self.columns.len(), false);
        for (row, &factor) in self.rows.iter().zip(&self.inverse[place]) {
            if factor != 0.0 {
                for &(column, entry) in &row.entries {
                    self.alpha[column] += factor * entry;
                    if !self.is_priced[column] {
                        self.is_priced[column] = true;
                        self.priced.push(column);
                    }
                }
            }
        }
    }

    /// The resting variable whose reduced cost vanishes first; among nearly equal ones the greatest
    /// pivot.
    pub(super) fn entering(&self, leaving: &Leaving) -> Option<Variable> {
        let mut limit = f64::INFINITY;
        self.for_each_candidate(leaving, |_, pivot, reduced| {
            limit = limit.min((reduced + DUAL_TOLERANCE) / pivot);
        });
        let mut best = None;
        let mut best_pivot = 0.0;
        self.for_each_candidate(leaving, |variable, pivot, reduced| {
            if reduced <= limit * pivot && pivot > best_pivot {
                best_pivot = pivot;
                best = Some(variable);
            }
        });
        best
    }

    /// Calls with every resting variable that can move the leaving one back to its bound: the
    /// variable, the size of its pivot, and the size of its reduced cost.
    fn for_each_candidate(&self, leaving: &Leaving, mut visit: impl FnMut(Variable, f64, f64)) {
        let sign = leaving.excess.signum();
        for &index in &self.priced {
            let column = &self.columns[index];
            let pivot = sign * self.alpha[index] * if column.at_upper { -1.0 } else { 1.0 };
            if pivot > PIVOT_TOLERANCE && column.place.is_none() && column.upper > 0.0 {
                visit(Variable::Column(index), pivot, column.dual_slack());
            }
        }
        let priced = &self.inverse[leaving.place];
        for (index, row) in self.rows.iter().enumerate() {
            let pivot = -sign * priced[index];
            if pivot > PIVOT_TOLERANCE && row.place.is_none() && row.upper > 0.0 {
                visit(Variable::Logical(index), pivot, row.dual.max(0.0));
            }
        }
    }

    /// The direction in which the duals may grow for ever.
    pub(super) fn keep_ray(&mut self, leaving: &Leaving) {
        let sign = leaving.excess.signum();
        self.ray_gain = leaving.excess.abs();
        self.ray = Some(self.inverse[leaving.place].iter().map(|entry| sign * entry).collect());
    }

    /// Exchanges the leaving for the entering variable; `false` where the pivot is too inexact to
    /// be trusted.
    pub(super) fn pivot(&mut self, leaving: &Leaving, entering: Variable) -> bool {
        let image = self.image(entering);
        let pivot = image[leaving.place];
        let priced = match entering {
            Variable::Column(column) => self.alpha[column],
            Variable::Logical(row) => -self.inverse[leaving.place][row],
        };
        if (pivot - priced).abs() > 1e-6 * (1.0 + pivot.abs()) {
            return false;
        }
        self.update_duals(leaving.place, entering, pivot);
        let step = leaving.excess / pivot;
        let start = match entering {
            Variable::Column(column) => self.columns[column].rest(),
            Variable::Logical(_) => 0.0,
        };
        for (value, entry) in self.values.iter_mut().zip(&image) {
            *value -= step * entry;
        }
        self.values[leaving.place] = start + step;
        self.exchange(leaving, entering);
        self.update_inverse(leaving.place, &image);
        self.pivots += 1;
        true
    }

    fn update_duals(&mut self, place: usize, entering: Variable, pivot: f64) {
        let reduced = match entering {
            Variable::Column(column) => self.columns[column].signed_slack(),
            Variable::Logical(row) => self.rows[row].dual.max(0.0),
        };
        let step = reduced / pivot;
        if step != 0.0 {
            for &index in &self.priced {
                let column = &mut self.columns[index];
                if column.place.is_none() {
                    column.reduced -= step * self.alpha[index];
                }
            }
            for (row, entry) in self.rows.iter_mut().zip(&self.inverse[place]) {
                if row.place.is_none() {
                    row.dual += step * entry;
                }
            }
        }
        match self.basis[place] {
            Variable::Column(column) => self.columns[column].reduced = -step,
            Variable::Logical(row) => self.rows[row].dual = -step,
        }
        match entering {
            Variable::Column(column) => self.columns[column].reduced = 0.0,
            Variable::Logical(row) => self.rows[row].dual = 0.0,
        }
    }

    fn exchange(&mut self, leaving: &Leaving, entering: Variable) {
        match std::mem::replace(&mut self.basis[leaving.place], entering) {
            Variable::Column(column) => {
                self.columns[column].place = None;
                self.columns[column].at_upper = leaving.bound > 0.0;
            }
            Variable::Logical(row) => self.rows[row].place = None,
        }
        match entering {
            Variable::Column(column) => self.columns[column].place = Some(leaving.place),
            Variable::Logical(row) => self.rows[row].place = Some(leaving.place),
        }
    }
}
