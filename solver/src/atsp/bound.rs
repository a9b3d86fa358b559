//! Lower bounds in exact integers from approximate dual values.
//!
//! Take any non-negative multipliers for the inequalities that all (better) tours satisfy, move the
//! inequalities into the objective, and solve the assignment problem that is left: its optimum plus
//! the multiplied right-hand sides is a lower bound, whatever the multipliers (Lagrangian
//! relaxation). With the duals of a linear program it is as good as the program's optimum; scaled
//! and rounded to integers it is still a bound, and free of rounding errors. The reduced costs of
//! that assignment say by how much the bound rises if an arc is used.

use super::assignment::{Assignment, solve_matrix};
use super::certificate::Dual;
use super::instance::FORBIDDEN;
use super::rounded_cuts::RoundedCut;

/// Most binary digits after the point that multipliers keep.
const MOST_FRACTION_BITS: u32 = 20;
/// Scaled sums stay below this power of two.
const SUM_BITS: i32 = 56;

/// An inequality over arcs and charges that every tour satisfies together with its charges. The
/// *charge* of an arc is what windows add to its cost; charges are non-negative and cost 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The tour enters and leaves this set of vertices: at most `len - 1` arcs lie inside.
    Subtour(Vec<usize>),
    /// Half a sum of such inequalities and degree equations, rounded down.
    Rounded(RoundedCut),
    /// `Σ factor · x(arc) + Σ charge(arc) ≥ right`.
    Charge(ChargeCut),
    /// `most · x(arc) ≥ charge(arc)`: only arcs that are used are charged, and no more than some
    /// window wants.
    Limit {
        /// The arc.
        arc: (usize, usize),
        /// The most that a window adds to its arcs.
        most: i64,
    },
}

/// See [`Cut::Charge`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChargeCut {
    pub(crate) arcs: Vec<((usize, usize), i64)>,
    pub(crate) charges: Vec<(usize, usize)>,
    pub(crate) right: i64,
}

/// A bound with the reduced costs behind it.
#[derive(Clone, Debug)]
pub(crate) struct ExactBound {
    assignment: Assignment,
    matrix: Vec<i64>,
    /// Scaled, as they were used.
    multipliers: Vec<i64>,
    /// Scaled bound.
    total: i64,
    scale: i64,
}

impl Cut {
    /// Right-hand side of the inequality as `≥`.
    pub(crate) fn right(&self) -> i64 {
        match self {
            Self::Subtour(set) => 1 - set.len() as i64,
            Self::Rounded(cut) => -cut.right(),
            Self::Charge(cut) => cut.right,
            Self::Limit { .. } => 0,
        }
    }

    /// Greatest size of a factor or of the right-hand side.
    fn magnitude(&self) -> i64 {
        let factors = match self {
            Self::Subtour(_) => 1,
            Self::Rounded(cut) => cut.magnitude(),
            Self::Charge(cut) => cut.arcs.iter().map(|(_, factor)| factor.abs()).max().unwrap_or(0),
            Self::Limit { most, .. } => *most,
        };
        factors.max(self.right().abs()).max(1)
    }

    /// Calls with every arc in the inequality and its factor.
    pub(crate) fn for_each_arc(&self, mut visit: impl FnMut((usize, usize), i64)) {
        match self {
            Self::Subtour(set) => {
                for &from in set {
                    set.iter().filter(|&&to| to != from).for_each(|&to| visit((from, to), -1));
                }
            }
            Self::Rounded(cut) => cut.for_each_arc(|arc, factor| visit(arc, -factor)),
            Self::Charge(cut) => cut.arcs.iter().for_each(|&(arc, factor)| visit(arc, factor)),
            Self::Limit { arc, most } => visit(*arc, *most),
        }
    }

    /// Factor of an arc.
    pub(crate) fn factor(&self, arc: (usize, usize)) -> i64 {
        match self {
            Self::Subtour(set) => {
                let is_inside = |vertex| set.binary_search(&vertex).is_ok();
                if is_inside(arc.0) && is_inside(arc.1) { -1 } else { 0 }
            }
            Self::Rounded(cut) => -cut.factor(arc),
            Self::Charge(cut) => {
                cut.arcs.iter().filter(|(other, _)| *other == arc).map(|(_, factor)| factor).sum()
            }
            Self::Limit { arc: limited, most } => {
                if *limited == arc {
                    *most
                } else {
                    0
                }
            }
        }
    }

    /// Charges in the inequality and their factors.
    pub(crate) fn charges(&self) -> Vec<((usize, usize), f64)> {
        match self {
            Self::Subtour(_) | Self::Rounded(_) => Vec::new(),
            Self::Charge(cut) => cut.charges.iter().map(|&arc| (arc, 1.0)).collect(),
            Self::Limit { arc, .. } => vec![(*arc, -1.0)],
        }
    }

    /// Subtracts the multiplied left-hand side from the costs.
    fn move_into(&self, multiplier: i64, matrix: &mut [i64], n: usize) {
        self.for_each_arc(|(from, to), factor| {
            let entry = &mut matrix[from * n + to];
            if *entry != FORBIDDEN {
                *entry -= multiplier * factor;
            }
        });
    }
}

/// The bound over all tours within the matrix (row by row, missing arcs [`FORBIDDEN`]) that these
/// multipliers give; `None` where there is not even a cycle cover. Negative multipliers count as
/// zero.
pub(crate) fn exact_bound(matrix: &[i64], n: usize, cuts: &[Cut], multipliers: &[f64]) -> Option<ExactBound> {
    let scale = choose_scale(matrix, n, cuts, multipliers);
    let multipliers = round_multipliers(n, cuts, multipliers, scale);
    let mut scaled: Vec<i64> =
        matrix.iter().map(|&cost| if cost == FORBIDDEN { FORBIDDEN } else { cost * scale }).collect();
    let mut constant = 0;
    for (cut, &multiplier) in cuts.iter().zip(&multipliers) {
        if multiplier > 0 {
            cut.move_into(multiplier, &mut scaled, n);
            constant += multiplier * cut.right();
        }
    }
    let assignment = solve_matrix(&scaled, n)?;
    let total = assignment.cost() + constant;
    Some(ExactBound { assignment, matrix: scaled, multipliers, total, scale })
}

/// The greatest scale with which no sum can overflow.
fn choose_scale(matrix: &[i64], n: usize, cuts: &[Cut], multipliers: &[f64]) -> i64 {
    let costs = matrix.iter().copied().filter(|&cost| cost != FORBIDDEN).max().unwrap_or(0);
    let terms =
        cuts.iter().zip(multipliers).map(|(cut, multiplier)| cut.magnitude() as f64 * multiplier.max(0.0));
    let greatest = (1.0 + costs as f64 + terms.sum::<f64>()) * n as f64;
    let spare = SUM_BITS - greatest.log2().ceil() as i32;
    1 << spare.clamp(0, MOST_FRACTION_BITS as i32)
}

/// Multipliers as multiples of `1 / scale`, rounded down, and lowered where a charge would get more
/// than its cost of 1. All zero where they are too great for any scale.
fn round_multipliers(n: usize, cuts: &[Cut], multipliers: &[f64], scale: i64) -> Vec<i64> {
    let mut rounded: Vec<i64> =
        multipliers.iter().map(|multiplier| (multiplier.max(0.0) * scale as f64) as i64).collect();
    let magnitude = |(cut, &multiplier): (&Cut, &i64)| cut.magnitude() as f64 * multiplier as f64;
    let greatest: f64 = cuts.iter().zip(&rounded).map(magnitude).sum();
    let fits = greatest * n as f64 <= 2f64.powi(SUM_BITS);
    if !fits {
        rounded.fill(0);
    }
    let mut room = vec![scale; n * n];
    for (cut, multiplier) in cuts.iter().zip(&rounded) {
        if let Cut::Limit { arc: (from, to), .. } = cut {
            room[from * n + to] += multiplier;
        }
    }
    for (cut, multiplier) in cuts.iter().zip(&mut rounded) {
        if let Cut::Charge(cut) = cut {
            let least = cut.charges.iter().map(|&(from, to)| room[from * n + to]).min().unwrap_or(i64::MAX);
            *multiplier = (*multiplier).min(least);
            cut.charges.iter().for_each(|&(from, to)| room[from * n + to] -= *multiplier);
        }
    }
    rounded
}

impl ExactBound {
    /// No tour is shorter.
    pub(crate) fn length(&self) -> i64 {
        self.length_after(0)
    }

    /// No tour is shorter whose arcs make the scaled bound rise by so much.
    pub(crate) fn length_after(&self, rise: i64) -> i64 {
        let total = self.total.saturating_add(rise);
        total.div_euclid(self.scale) + i64::from(total.rem_euclid(self.scale) > 0)
    }

    /// Whether every tour that uses this arc is at least so long.
    pub(crate) fn excludes(&self, from: usize, to: usize, length: i64) -> bool {
        let n = self.assignment.len();
        let cost = self.matrix[from * n + to];
        cost == FORBIDDEN || {
            let total = self.total + self.assignment.reduced(from, to, cost);
            total > (length - 1).saturating_mul(self.scale)
        }
    }

    /// The numbers behind the bound; these are the cuts that it was computed with.
    pub(crate) fn dual(&self, cuts: &[Cut]) -> Dual {
        let n = self.assignment.len();
        let (mut sets, mut rounded) = (Vec::new(), Vec::new());
        for (cut, &multiplier) in cuts.iter().zip(&self.multipliers).filter(|&(_, &used)| used > 0) {
            match cut {
                Cut::Subtour(set) => sets.push((multiplier, set.clone())),
                Cut::Rounded(cut) => rounded.push((multiplier, cut.clone())),
                Cut::Charge(_) | Cut::Limit { .. } => {}
            }
        }
        Dual {
            scale: self.scale,
            rows: (0..n).map(|vertex| self.assignment.row_dual(vertex)).collect(),
            columns: (0..n).map(|vertex| self.assignment.column_dual(vertex)).collect(),
            sets,
            rounded,
        }
    }

    /// By how much the scaled bound rises if the arc is used; greatest for missing arcs.
    pub(crate) fn rise(&self, from: usize, to: usize) -> i64 {
        let cost = self.matrix[from * self.assignment.len() + to];
        if cost == FORBIDDEN { FORBIDDEN } else { self.assignment.reduced(from, to, cost) }
    }

    /// Removes the arcs with which every tour is at least so long; how many.
    pub(crate) fn remove_arcs(&self, matrix: &mut [i64], length: i64) -> usize {
        let n = self.assignment.len();
        let mut removed = 0;
        for (arc, cost) in matrix.iter_mut().enumerate() {
            if *cost != FORBIDDEN && self.excludes(arc / n, arc % n, length) {
                *cost = FORBIDDEN;
                removed += 1;
            }
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::test_support::{brute_force, permutations, random_instance};
    use super::*;

    /// Whatever the multipliers: neither the bound nor the exclusion of an arc contradicts any
    /// tour.
    #[test]
    fn no_multipliers_make_a_bound_wrong() {
        let mut random = Random::new(12);
        for seed in 0..150 {
            let n = 4 + seed as usize % 3;
            let instance = random_instance(n, 30, 10, seed);
            let cuts: Vec<Cut> = (0..6).map(|_| random_subtour(n, &mut random)).collect();
            let multipliers: Vec<f64> =
                cuts.iter().map(|_| random.below(4000) as f64 / 300.0 - 2.0).collect();
            let bound = exact_bound(instance.matrix(), n, &cuts, &multipliers);
            let Some(length) = brute_force(&instance).map(|length| length as i64) else { continue };
            let bound = bound.expect("a tour is a cycle cover");
            assert!(bound.length() <= length);
            for tour in permutations(n) {
                let Some(tour_length) = instance.tour_length(&tour) else { continue };
                for k in 0..n {
                    assert!(!bound.excludes(tour[k], tour[(k + 1) % n], tour_length as i64 + 1));
                }
            }
        }
    }

    fn random_subtour(n: usize, random: &mut Random) -> Cut {
        let mut vertices: Vec<usize> = (0..n).collect();
        random.shuffle(&mut vertices);
        vertices.truncate(2 + random.below(n - 3));
        Cut::Subtour(vertices)
    }

    #[test]
    fn good_multipliers_make_a_tight_bound() {
        let cost = |from: usize, to: usize| Some(if (from < 3) == (to < 3) { 0 } else { 10 });
        let instance = super::super::Instance::new(6, cost);
        let cuts = [Cut::Subtour(vec![0, 1, 2])];
        let bound =
            |multiplier| exact_bound(instance.matrix(), 6, &cuts, &[multiplier]).map(|bound| bound.length());
        assert_eq!(
            (bound(0.0), bound(20.0), bound(9.99), bound(f64::NAN)),
            (Some(0), Some(20), Some(10), Some(0))
        );
    }

    /// A limit lends its charge room for other cuts, and pays for it by the cost of its arc.
    #[test]
    fn limits_and_charges_together_stay_true() {
        let mut random = Random::new(4);
        let instance = super::super::Instance::new(4, |from, to| Some((from + 2 * to) as u64));
        let path_cost = super::super::PathCost { vertices: vec![0, 1, 2], cost: Some(13) };
        let windows = super::super::windows::Windows::new(&instance, &[path_cost]);
        let extra = 13 - 2 - 5;
        let charges = vec![(0, 1), (1, 2)];
        let arcs = charges.iter().map(|&arc| (arc, -extra)).collect();
        let cuts = [
            Cut::Charge(ChargeCut { arcs, charges, right: -extra }),
            Cut::Limit { arc: (0, 1), most: extra },
            Cut::Limit { arc: (1, 2), most: extra },
        ];
        let length = permutations(4).iter().filter_map(|tour| windows.tour_length(&instance, tour)).min();
        for _ in 0..200 {
            let multipliers: Vec<f64> = cuts.iter().map(|_| random.below(300) as f64 / 100.0).collect();
            let bound = exact_bound(instance.matrix(), 4, &cuts, &multipliers).expect("complete");
            assert!(Some(bound.length()) <= length);
        }
    }

    #[test]
    fn charges_never_get_more_than_their_cost() {
        let instance = super::super::Instance::new(3, |_, _| Some(1));
        let arc = (0, 1);
        let cut = Cut::Charge(ChargeCut { arcs: vec![(arc, -7)], charges: vec![arc, (1, 2)], right: 0 });
        for multipliers in [[0.5, 0.5], [1.0, 0.0], [3.0, 5.0]] {
            let bound = exact_bound(instance.matrix(), 3, &[cut.clone(), cut.clone()], &multipliers);
            assert_eq!(bound.map(|bound| bound.length()), Some(3));
        }
    }
}
