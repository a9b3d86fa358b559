//! The inequalities that a point violates, cheapest kinds first.

use super::super::bound::Cut;
use super::super::charge_cuts::Point;
use super::super::rounded_cuts::violated_roundings;
use super::super::separation::{tight_sets, violated_sets};
use super::{BranchAndCut, INTEGRAL, Visit};

/// Sets that are left by so much at most may take part in rounded cuts.
const NEARLY_TIGHT: f64 = 1.3;

impl BranchAndCut<'_> {
    /// Cuts that the point violates; an integral point that violates none is offered as a tour.
    pub(super) fn violated_cuts(&mut self, support: &[(usize, usize, f64)], visit: &mut Visit) -> Vec<Cut> {
        let n = self.instance.len();
        let mut cuts: Vec<Cut> = violated_sets(n, support).into_iter().map(Cut::Subtour).collect();
        if cuts.is_empty() && !self.windows.is_empty() {
            let charged = self.relaxation.charged();
            let point = Point { support, charge: &|arc| self.relaxation.charge(arc), charged: &charged };
            cuts = self.extras.violated(&point, &self.matrix, self.cutoff() - self.assignment_cost + 1);
        }
        let successor = integral_successors(n, support);
        if let Some(successor) = successor {
            if cuts.is_empty() {
                self.offer_successors(&successor);
            }
        } else if cuts.is_empty() || !visit.is_root || visit.roundings > 0 {
            cuts.extend(self.rounded_cuts(support, visit));
        }
        cuts
    }

    /// Whether rounded halves of sums are used. Not where windows decide more than sets do.
    pub(super) fn uses_rounded_cuts(&self) -> bool {
        self.windows.is_empty()
    }

    fn rounded_cuts(&self, support: &[(usize, usize, f64)], visit: &mut Visit) -> Vec<Cut> {
        if !self.uses_rounded_cuts() {
            return Vec::new();
        }
        visit.roundings += 1;
        let n = self.instance.len();
        let mut sets = tight_sets(n, support, NEARLY_TIGHT);
        sets.extend(self.relaxation.cuts().iter().filter_map(|cut| match cut {
            Cut::Subtour(set) => Some(set.clone()),
            Cut::Rounded(_) | Cut::Charge(_) | Cut::Limit { .. } => None,
        }));
        sets.sort();
        sets.dedup();
        violated_roundings(n, support, &sets, self.tours.seed).into_iter().map(Cut::Rounded).collect()
    }
}

/// The successors in an integral point; none where it is fractional.
fn integral_successors(n: usize, support: &[(usize, usize, f64)]) -> Option<Vec<Option<usize>>> {
    let mut successor = vec![None; n];
    for &(from, to, value) in support.iter().filter(|(_, _, value)| *value > INTEGRAL) {
        if value < 1.0 - INTEGRAL || successor[from].replace(to).is_some() {
            return None;
        }
    }
    Some(successor)
}
