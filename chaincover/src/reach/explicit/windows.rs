//! Progress of several goals' windows along one path of states.

use super::distances::Space;
use super::states::Transition;

/// Windows that have begun and are not over: (vertex, number of transitions matched), in the order they began.
pub(crate) type Active = Vec<(u16, u16)>;

impl Space<'_> {
    /// The windows after one more transition; `None` where it fits one of them not.
    pub(crate) fn advance(&self, active: &Active, transition: Transition) -> Option<Active> {
        let mut next = Active::with_capacity(active.len());
        for &(vertex, matched) in active {
            let label = self.step.label(usize::from(vertex), u32::from(matched));
            if !self.states.has(transition, label) {
                return None;
            }
            if u32::from(matched) + 1 < self.problem.steps(usize::from(vertex)) {
                next.push((vertex, matched + 1));
            }
        }
        Some(next)
    }

    /// Whether an occurrence of the goal may begin with this transition.
    pub(crate) fn may_begin(&self, vertex: usize, transition: Transition) -> bool {
        self.states.has(transition, self.step.label(vertex, 0))
    }
}
