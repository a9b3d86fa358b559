//! Better tours while bounds are proven: what the root's relaxation teaches guides local search and
//! the breeding of tours, and dynamic programming under windows.

use super::super::descent::MOST_FOR_KICKS_ALONE;
use super::super::window_program::WindowProgram;
use super::{BranchAndCut, Visit};

/// Rounds of rounded cuts at the root between looks for better tours, where vertices are many; one
/// look there is for all.
const IMPROVEMENT_INTERVAL: usize = 10;
/// Steps of the dynamic program under windows after the root, and after the patience with branching
/// has ended.
const SHORT_PROGRAM: usize = 5_000_000;
const LONG_PROGRAM: usize = 50_000_000;
/// Nodes that are expanded before the long program.
const PATIENCE: usize = 100;

impl BranchAndCut<'_> {
    /// Looks for a better tour with what the root has taught, and removes arcs if there is one.
    pub(super) fn improve_after_root(&mut self, target: i64) {
        let Some(exact) = self.root_bound.take() else { return };
        self.arc_costs = self.tours.costs(Some(&exact));
        let support = self.relaxation.support();
        if !self.is_large() {
            let near = self.tours.near(&self.arc_costs, &support, self.tours.idle_kicks(), target);
            self.offer(near);
        }
        self.breed(&support, target);
        if !self.windows.is_empty() {
            if self.cutoff() > target {
                let found = self.tours.many(&self.arc_costs, self.best.as_ref(), target);
                self.offer(found);
            }
            let program = WindowProgram::new(self.instance, self.windows, self.tours.assignment);
            self.program = program.map(|program| program.with_guide(exact.clone()));
            self.run_program(SHORT_PROGRAM);
        }
        let cutoff = self.cutoff();
        exact.remove_arcs(&mut self.matrix, cutoff);
        self.relaxation.retire_outside(&self.matrix);
    }

    /// Whether it is time to look for better tours though the root's bound still rises. Not where a
    /// certificate says that there are none.
    pub(super) fn wants_tours(&self, visit: &Visit) -> bool {
        let due = visit.improvements * IMPROVEMENT_INTERVAL < visit.roundings;
        let is_first = visit.improvements == 0 && self.windows.is_empty();
        visit.is_root && due && self.recorder.is_none() && (is_first || self.is_large())
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
        self.breed(support, visit.bound);
        visit.bound < self.cutoff()
    }

    /// Breeds tours, the best one and one near a point of the relaxation among them. Under windows
    /// nothing is done: lengths of paths depend on what surrounds them.
    fn breed(&mut self, support: &[(usize, usize, f64)], target: i64) {
        if self.cutoff() <= target || self.limits.reached() || !self.windows.is_empty() {
            return;
        }
        self.bred += 1;
        let near = self.arc_costs.tour_near(support);
        let best = self.best.as_ref();
        let known: Vec<&[usize]> =
            best.map(|best| best.tour.as_slice()).into_iter().chain([near.as_slice()]).collect();
        let found = self.tours.bred(&self.arc_costs, best, &known, self.bred, target);
        self.offer(found);
    }

    /// Looks for better tours after so many nodes other than the root.
    pub(super) fn improve_after_node(&mut self, expanded: usize) {
        if expanded > 2 && expanded.is_power_of_two() && self.is_large() {
            let support = self.relaxation.support();
            self.breed(&support, self.lower_bound(None));
        }
        if expanded == PATIENCE {
            self.run_program(LONG_PROGRAM);
        }
    }

    /// Whether nodes take longer than looking for tours meanwhile.
    fn is_large(&self) -> bool {
        self.instance.len() > MOST_FOR_KICKS_ALONE && self.windows.is_empty()
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

    /// Length of the tour that is known once the root is done, and of the one that it began with.
    fn after_root(instance: &Instance) -> (i64, i64) {
        let windows = Windows::new(instance, &[]);
        let assignment = assign(instance).expect("strongly connected");
        let limits = Limits::default();
        let tours =
            TourSearch { instance, windows: &windows, assignment: &assignment, seed: 0, limits: &limits };
        let first = tours.near(&tours.costs(None), &[], 0, 0).expect("a tour");
        let length = first.length;
        let mut state = BranchAndCut::new(&tours, Searched::new(Some(first), 0));
        if let Outcome::Split { bound, .. } = state.process(&Node::root(0)) {
            state.improve_after_root(bound);
        }
        (state.cutoff(), length)
    }

    /// Quality at an effort that does not depend on the machine. Expected are optima that complete
    /// searches proved.
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
        assert!(improved >= 2, "instances that a descent solves show nothing");
    }
}
