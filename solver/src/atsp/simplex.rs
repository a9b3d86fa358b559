//! A bounded dual simplex method for linear programs that grow while they are solved.
//!
//! Minimise `c·x` under rows `a·x ≥ b` or `a·x = b` and `0 ≤ x ≤ u`, where all costs are non-negative. Then the
//! basis of logical variables is dual feasible from the start, and it stays so (or is made so again by moving variables between
//! their bounds) whatever rows are added and whatever upper bounds change: exactly what cutting planes and branching do. The
//! inverse of the basis is kept densely; with a few hundred rows this costs less than anything cleverer, and it
//! gives the exact norms that dual steepest-edge pricing wants. Values are floating point: nothing here is a proof,
//! and the callers compute their bounds from the duals again in integers.

/// Violations of rows and bounds up to this are none.
const PRIMAL_TOLERANCE: f64 = 1e-7;
/// Violations of dual signs up to this are none.
const DUAL_TOLERANCE: f64 = 1e-9;
/// Smaller pivots are refused.
const PIVOT_TOLERANCE: f64 = 1e-7;
/// Entries of the inverse below this are noise.
const DROP_TOLERANCE: f64 = 1e-13;
/// A pivot row is treated as dense if at least one in so many entries is not zero.
const DENSE_SHARE: usize = 4;
/// Norms are kept above this, which rounding may have lost.
const LEAST_NORM: f64 = 1e-9;
/// Pivots after which the inverse is computed anew.
const REFACTOR_INTERVAL: usize = 1000;

/// A variable: a column given by the caller, or the logical variable of a row (how much the row exceeds its right-hand side).
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
    /// The objective is at least the cutoff, or no point satisfies all rows; the duals prove (numerically) that the cutoff
    /// is reached.
    CutOff,
    /// The iteration limit was reached, or numbers were too bad. The duals are feasible (numerically).
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

/// The leaving variable: place in the basis, the bound it goes to, and how far it is beyond it (signed).
struct Leaving {
    place: usize,
    bound: f64,
    excess: f64,
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

    /// After [`Status::CutOff`] by infeasibility: adding any positive multiple of this to the duals raises the bound.
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

    /// Takes columns with upper bound zero out of the rows for good, so that pricing need not look at them. Basic ones stay.
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

    /// Moves resting columns to the bound where their reduced cost has the right sign, and recomputes the values.
    fn rest_at_dual_feasible_bounds(&mut self) {
        for column in &mut self.columns {
            if column.place.is_none() {
                column.at_upper = column.reduced < 0.0 && column.upper > 0.0 && column.upper.is_finite();
            }
        }
        self.compute_values();
    }

    fn compute_values(&mut self) {
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

    /// Greatest violation of a row by the current values, which tells how good the inverse still is.
    fn residual(&self) -> f64 {
        let violation = |(index, row): (usize, &Row)| {
            let activity: f64 = row.entries.iter().map(|&(column, factor)| factor * self.value(column)).sum();
            let logical = self.rows[index].place.map_or(0.0, |place| self.values[place]);
            (activity - logical - row.right).abs()
        };
        self.rows.iter().enumerate().map(violation).fold(0.0, f64::max)
    }

    /// The basic variable beyond a bound whose violation is greatest relative to its norm.
    fn leaving(&self) -> Option<Leaving> {
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
    fn price(&mut self, place: usize) {
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

    /// The resting variable whose reduced cost vanishes first; among nearly equal ones the greatest pivot.
    fn entering(&self, leaving: &Leaving) -> Option<Variable> {
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

    /// Calls with every resting variable that can move the leaving one back to its bound: the variable, the size of its
    /// pivot, and the size of its reduced cost.
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
    fn keep_ray(&mut self, leaving: &Leaving) {
        let sign = leaving.excess.signum();
        self.ray_gain = leaving.excess.abs();
        self.ray = Some(self.inverse[leaving.place].iter().map(|entry| sign * entry).collect());
    }

    /// Exchanges the leaving for the entering variable; `false` where the pivot is too inexact to be trusted.
    fn pivot(&mut self, leaving: &Leaving, entering: Variable) -> bool {
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

    /// The column of a variable in terms of the basis.
    fn image(&self, variable: Variable) -> Vec<f64> {
        let entry = |inverse_row: &Vec<f64>| match variable {
            Variable::Column(column) => {
                self.columns[column].entries.iter().map(|&(row, factor)| inverse_row[row] * factor).sum()
            }
            Variable::Logical(row) => -inverse_row[row],
        };
        self.inverse.iter().map(entry).collect()
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

    fn update_inverse(&mut self, place: usize, image: &[f64]) {
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

    /// Computes the inverse, the duals and the values anew from the set of basic variables. Columns that turn out to depend
    /// on the others leave the basis.
    fn refactor(&mut self) {
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

    fn compute_duals(&mut self) {
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

impl Column {
    /// Value while not basic.
    fn rest(&self) -> f64 {
        if self.at_upper { self.upper } else { 0.0 }
    }

    /// Reduced cost, or zero where its sign is (slightly) wrong for the bound where the column rests.
    fn signed_slack(&self) -> f64 {
        if self.at_upper { self.reduced.min(0.0) } else { self.reduced.max(0.0) }
    }

    fn dual_slack(&self) -> f64 {
        self.signed_slack().abs()
    }
}

fn unit_row(size: usize, row: usize) -> Vec<f64> {
    let mut unit = vec![0.0; size];
    unit[row] = -1.0;
    unit
}

fn add_multiple(target: &mut [f64], factor: f64, source: &[f64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target += factor * source;
    }
}

/// The same for the entries at the given places; by how much the squared norm of the target changes.
fn add_sparse_multiple(target: &mut [f64], factor: f64, source: &[f64], places: &[usize]) -> f64 {
    let mut change = 0.0;
    for &place in places {
        let old = target[place];
        let new = old + factor * source[place];
        target[place] = new;
        change += new * new - old * old;
    }
    change
}

/// Sums in lanes, so that the compiler can use vector instructions.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (left, right) = (&left[..left.len().min(right.len())], &right[..left.len().min(right.len())]);
    let mut lanes = [0.0; LANES];
    let (left_chunks, right_chunks) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let tail = left_chunks.remainder().iter().zip(right_chunks.remainder());
    let rest: f64 = tail.map(|(left, right)| left * right).sum();
    for (left, right) in left_chunks.zip(right_chunks) {
        for lane in 0..LANES {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

fn norm(row: &[f64]) -> f64 {
    dot(row, row)
}

fn retain_by<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        keep(index - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// The smallest objective over all basic solutions: every choice of tight rows and bounds that fixes all variables.
    fn best_vertex(costs: &[f64], upper: &[f64], rows: &[(Vec<f64>, f64)]) -> Option<f64> {
        let n = costs.len();
        let mut planes: Vec<(Vec<f64>, f64)> = rows.to_vec();
        for (index, &bound) in upper.iter().enumerate() {
            let mut plane = vec![0.0; n];
            plane[index] = 1.0;
            planes.push((plane.clone(), 0.0));
            planes.push((plane, bound));
        }
        let mut best: Option<f64> = None;
        for choice in 0..1u32 << planes.len() {
            if choice.count_ones() as usize != n {
                continue;
            }
            let chosen: Vec<_> = (0..planes.len()).filter(|plane| choice >> plane & 1 == 1).collect();
            let Some(point) =
                intersection(&chosen.iter().map(|&plane| planes[plane].clone()).collect::<Vec<_>>())
            else {
                continue;
            };
            let inside =
                point.iter().zip(upper).all(|(value, bound)| *value >= -1e-7 && *value <= bound + 1e-7);
            if inside && rows.iter().all(|(row, right)| dot(row, &point) >= right - 1e-7) {
                let objective = dot(costs, &point);
                best = Some(best.map_or(objective, |known: f64| known.min(objective)));
            }
        }
        best
    }

    fn intersection(planes: &[(Vec<f64>, f64)]) -> Option<Vec<f64>> {
        let n = planes.len();
        let mut table: Vec<Vec<f64>> =
            planes.iter().map(|(plane, right)| [plane.clone(), vec![*right]].concat()).collect();
        for column in 0..n {
            let best =
                (column..n).max_by(|&a, &b| table[a][column].abs().total_cmp(&table[b][column].abs()))?;
            if table[best][column].abs() < 1e-9 {
                return None;
            }
            table.swap(column, best);
            let pivot = table[column].clone();
            for (index, row) in table.iter_mut().enumerate() {
                let factor = if index == column { 0.0 } else { row[column] / pivot[column] };
                for (entry, subtracted) in row.iter_mut().zip(&pivot) {
                    *entry -= factor * subtracted;
                }
            }
        }
        Some((0..n).map(|row| table[row][n] / table[row][row]).collect())
    }

    struct Sample {
        costs: Vec<f64>,
        upper: Vec<f64>,
        rows: Vec<(Vec<f64>, f64)>,
    }

    fn sample(random: &mut Random) -> Sample {
        let n = 2 + random.below(3);
        let small = |random: &mut Random| random.below(7) as f64 - 3.0;
        let rows = (0..2 + random.below(4)).map(|_| ((0..n).map(|_| small(random)).collect(), small(random)));
        let rows = rows.collect();
        Sample {
            costs: (0..n).map(|_| random.below(6) as f64).collect(),
            upper: (0..n).map(|_| random.below(4) as f64).collect(),
            rows,
        }
    }

    fn check(simplex: &mut Simplex, sample: &Sample, rows: usize, upper: &[f64]) {
        let expected = best_vertex(&sample.costs, upper, &sample.rows[..rows]);
        let status = simplex.solve(f64::INFINITY, 500);
        match expected {
            Some(expected) => {
                assert_eq!(status, Status::Optimal);
                assert!((simplex.objective() - expected).abs() < 1e-6, "{} {expected}", simplex.objective());
                let point: Vec<f64> = (0..upper.len()).map(|column| simplex.value(column)).collect();
                assert!(sample.rows[..rows].iter().all(|(row, right)| dot(row, &point) >= right - 1e-6));
            }
            None => assert_eq!(status, Status::CutOff),
        }
    }

    fn add_row(simplex: &mut Simplex, row: &(Vec<f64>, f64)) {
        let entries: Vec<(usize, f64)> =
            row.0.iter().copied().enumerate().filter(|entry| entry.1 != 0.0).collect();
        simplex.add_row(&entries, row.1, false);
    }

    /// Rows are added one by one, bounds are lowered to zero and raised again, and slack rows are dropped.
    #[test]
    fn equals_the_best_vertex_while_the_program_changes() {
        let mut random = Random::new(42);
        for _ in 0..400 {
            let sample = sample(&mut random);
            let mut simplex = Simplex::new();
            for (&cost, &upper) in sample.costs.iter().zip(&sample.upper) {
                simplex.add_column(cost, upper);
            }
            for (index, row) in sample.rows.iter().enumerate() {
                add_row(&mut simplex, row);
                check(&mut simplex, &sample, index + 1, &sample.upper);
            }
            let fixed = random.below(sample.costs.len());
            let mut upper = sample.upper.clone();
            upper[fixed] = 0.0;
            simplex.set_upper(fixed, 0.0);
            check(&mut simplex, &sample, sample.rows.len(), &upper);
            simplex.set_upper(fixed, sample.upper[fixed]);
            check(&mut simplex, &sample, sample.rows.len(), &sample.upper);
            simplex.refactor();
            check(&mut simplex, &sample, sample.rows.len(), &sample.upper);
        }
    }

    #[test]
    fn equations_hold_and_slack_rows_can_go() {
        let mut simplex = Simplex::new();
        let columns: Vec<usize> = [3.0, 1.0, 2.0].map(|cost| simplex.add_column(cost, 1.0)).to_vec();
        let all: Vec<(usize, f64)> = columns.iter().map(|&column| (column, 1.0)).collect();
        simplex.add_row(&all[..1], -5.0, false);
        simplex.add_row(&all, 2.0, true);
        assert_eq!(simplex.solve(f64::INFINITY, 100), Status::Optimal);
        assert!((simplex.objective() - 3.0).abs() < 1e-9);
        assert!(simplex.is_slack(0) && !simplex.is_slack(1));
        simplex.drop_rows(&[0]);
        simplex.add_row(&all[..1], 1.0, false);
        assert_eq!(simplex.solve(f64::INFINITY, 100), Status::Optimal);
        assert!((simplex.objective() - 4.0).abs() < 1e-9);
        assert_eq!(simplex.row_count(), 2);
    }

    #[test]
    fn infeasibility_comes_with_a_ray() {
        let mut simplex = Simplex::new();
        let column = simplex.add_column(1.0, 1.0);
        simplex.add_row(&[(column, 1.0)], 2.0, false);
        assert_eq!(simplex.solve(f64::INFINITY, 100), Status::CutOff);
        assert!(simplex.ray().expect("an infeasible program should give a ray")[0] > 0.0);
    }
}
