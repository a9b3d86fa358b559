//! Better tours while bounds are proven: what the root's relaxation teaches, tours merged with each other, dynamic programming under windows.

use super::super::descent::MOST_FOR_KICKS_ALONE;
use super::super::merging::merge;
use super::super::window_program::WindowProgram;
use super::{BranchAndCut, Effort};

/// Tours that are made to be merged with the best one, at the root, and after every other node where vertices are many.
const MERGED_AT_ROOT: usize = 12;
const MERGED_PER_NODE: usize = 2;
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
        let kicks = self.tours.idle_kicks();
        let near = self.tours.near(&self.arc_costs, &support, self.best.as_ref(), kicks, target);
        self.offer(near);
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

    /// The same after so many other nodes.
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
            let merged = merge(self.tours, &self.matrix, best, &other.tour, target);
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
