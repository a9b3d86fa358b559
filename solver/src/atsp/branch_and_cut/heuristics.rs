//! Better tours while bounds are proven: what the root's relaxation teaches, tours merged with each other, dynamic programming under windows.

use super::super::descent::MOST_FOR_KICKS_ALONE;
use super::super::found::Found;
use super::super::instance::tour_arcs;
use super::super::merging::merge;
use super::super::restriction::Arc;
use super::super::window_program::WindowProgram;
use super::{BranchAndCut, Effort, INTEGRAL, Visit};

/// Tours that are made to be merged with the best one, after the root, each time before that, and after every other node where vertices are many.
const MERGED_AT_ROOT: usize = 12;
const MERGED_MEANWHILE: usize = 3;
const MERGED_PER_NODE: usize = 2;
/// Rounds of rounded cuts at the root between looks for better tours, where vertices are many.
const IMPROVEMENT_INTERVAL: usize = 10;
/// Steps of the dynamic program under windows after the root, and after the patience with branching has ended.
const SHORT_PROGRAM: usize = 5_000_000;
const LONG_PROGRAM: usize = 50_000_000;
/// Nodes that are expanded before the long program.
const PATIENCE: usize = 100;

impl BranchAndCut<'_> {
    /// Looks for a better tour with what the root has taught, and removes arcs if there is one.
    pub(super) fn improve_after_root(&mut self, target: i64, effort: Effort) {
        let Some(exact) = self.root_bound.take() else { return };
        self.arc_costs = self.tours.costs(Some(&exact));
        let support = self.relaxation.support();
        self.improve_near(&support, target);
        if effort == Effort::Full {
            self.merge_tours(MERGED_AT_ROOT, target);
        }
        if self.cutoff() > target && effort == Effort::Full && !self.is_large() {
            let found = self.tours.many(&self.arc_costs, self.best.as_ref(), target);
            self.offer(found);
        }
        if !self.windows.is_empty() {
            let program = WindowProgram::new(self.instance, self.windows, self.tours.assignment);
            self.program = program.map(|program| program.with_guide(exact.clone()));
            self.run_program(SHORT_PROGRAM);
        }
        let cutoff = self.cutoff();
        exact.remove_arcs(&mut self.matrix, cutoff);
        self.relaxation.retire_outside(&self.matrix);
    }

    /// Whether it is time to look for better tours though the root's bound still rises.
    pub(super) fn wants_tours(&self, visit: &Visit) -> bool {
        let due = visit.improvements * IMPROVEMENT_INTERVAL < visit.roundings;
        visit.is_root && due && self.is_large()
    }

    /// Looks for better tours at the root; `false` where the best one turns out to be shortest.
    pub(super) fn improve_at_root(&mut self, support: &[(usize, usize, f64)], visit: &mut Visit) -> bool {
        visit.improvements += 1;
        if !self.tighten(visit) {
            return false;
        }
        if let Some(exact) = &self.root_bound {
            self.arc_costs = self.tours.costs(Some(exact));
        }
        self.improve_near(support, visit.bound);
        self.merge_tours(MERGED_MEANWHILE, visit.bound);
        visit.bound < self.cutoff()
    }

    /// Looks for a tour near a point of the relaxation. Where vertices are many, that and the best one are improved where they differ from the point, and
    /// merged with each other.
    fn improve_near(&mut self, support: &[(usize, usize, f64)], target: i64) {
        let near = self.tours.near(&self.arc_costs, support, self.tours.idle_kicks(), target);
        if !self.is_large() {
            self.offer(near);
            return;
        }
        let near = near.map(|near| self.settled(&near, support, target).unwrap_or(near));
        let best = self.best.as_ref().and_then(|best| self.settled(best, support, target));
        self.offer(best);
        if let (Some(near), Some(best)) = (&near, &self.best) {
            let (better, other) = if near.length < best.length { (near, best) } else { (best, near) };
            let merged = self.merged(better, tour_arcs(&other.tour), target);
            self.offer(merged);
        }
        self.offer(near);
    }

    /// A better tour with all arcs that the tour and the point have in common.
    fn settled(&self, tour: &Found, support: &[(usize, usize, f64)], target: i64) -> Option<Found> {
        let whole = support.iter().filter(|&&(_, _, value)| value > 1.0 - INTEGRAL);
        self.merged(tour, whole.map(|&(from, to, _)| (from, to)), target)
    }

    fn merged(&self, best: &Found, others: impl Iterator<Item = Arc>, target: i64) -> Option<Found> {
        let is_worth_it = best.length > target && !self.limits.reached();
        is_worth_it.then(|| merge(self.tours, &self.matrix, best, others, target)).flatten()
    }

    /// Looks for better tours after so many nodes other than the root.
    pub(super) fn improve_after_node(&mut self, expanded: usize) {
        if self.is_large() {
            self.merge_tours(MERGED_PER_NODE, self.lower_bound(None));
        }
        if expanded == PATIENCE {
            self.run_program(LONG_PROGRAM);
        }
    }

    /// Whether nodes take longer than looking for tours meanwhile.
    fn is_large(&self) -> bool {
        self.instance.len() > MOST_FOR_KICKS_ALONE && self.windows.is_empty()
    }

    /// Merges the best tour with other ones, so many times at most. Under windows nothing is done: lengths of paths depend on what surrounds them.
    fn merge_tours(&mut self, rounds: usize, target: i64) {
        for _ in 0..rounds {
            if self.cutoff() <= target || self.limits.reached() || !self.windows.is_empty() {
                return;
            }
            let Some(best) = &self.best else { return };
            let Some(other) = self.tours.another(&self.arc_costs, best, self.merged) else { return };
            self.merged += 1;
            let merged = merge(self.tours, &self.matrix, best, tour_arcs(&other.tour), target);
            self.offer(Some(other));
            self.offer(merged);
        }
    }

    /// Dynamic programming guided by the root's bound; so many steps at most.
    fn run_program(&mut self, steps: usize) {
        if let Some(program) = &self.program {
            let width = steps / (self.instance.len() * self.instance.len());
            let searched = program.run(self.best.as_ref(), width.max(1), self.limits);
            self.proven = self.proven.max(searched.lower_bound);
            self.offer(searched.best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::assignment::assign;
    use super::super::super::found::Searched;
    use super::super::super::instance::Instance;
    use super::super::super::limits::Limits;
    use super::super::super::test_support::{closure_instance, strip_instance};
    use super::super::super::tours::TourSearch;
    use super::super::super::windows::Windows;
    use super::super::{Node, Outcome};
    use super::*;

    /// Length of the tour that is known once the root is done, and of that from local search alone.
    fn after_root(instance: &Instance) -> (i64, i64) {
        let windows = Windows::new(instance, &[]);
        let assignment = assign(instance).expect("strongly connected");
        let limits = Limits::default();
        let tours =
            TourSearch { instance, windows: &windows, assignment: &assignment, seed: 0, limits: &limits };
        let first = tours.few(&tours.costs(None), None, 0).expect("a tour");
        let length = first.length;
        let mut state = BranchAndCut::new(&tours, Searched::new(Some(first), 0));
        if let Outcome::Split { bound, .. } = state.process(&Node::root(0)) {
            state.improve_after_root(bound, Effort::Full);
        }
        (state.cutoff(), length)
    }

    /// Quality at an effort that does not depend on the machine. Expected are optima that complete searches proved.
    #[test]
    fn tours_after_the_root_are_the_shortest_ones() {
        let instances = [
            (strip_instance(300, 1), 800),
            (strip_instance(300, 2), 844),
            (strip_instance(150, 5), 406),
            (closure_instance(300, true, 2), 1563),
        ];
        let mut improved = 0;
        for (instance, optimum) in instances {
            let (length, first) = after_root(&instance);
            assert_eq!(length, optimum);
            improved += usize::from(length < first);
        }
        assert!(improved >= 2, "instances that local search alone solves show nothing");
    }
}
