//! OptimalSearch distances between goals over the reachable states.

use super::states::States;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::search::breadth_first::distances;
use crate::step::bits::Step;

/// A set of states.
pub(crate) type StateSet = Vec<bool>;

/// The graph of states with the labels of one task.
#[derive(Clone, Copy)]
pub(crate) struct Space<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) step: &'a Step,
    pub(crate) states: &'a States,
}

impl Space<'_> {
    /// The states in which an occurrence of the goal can begin.
    pub(crate) fn begins(&self, vertex: Vertex) -> StateSet {
        let mut set = vec![true; self.states.len()];
        for offset in (0..self.task.steps(vertex)).rev() {
            let label = self.step.label(vertex, offset);
            let fits = |state: u32| {
                let mut transitions = self.states.from(state).iter();
                transitions
                    .any(|&transition| set[transition.to as usize] && self.states.has(transition, label))
            };
            set = self.numbers().map(fits).collect();
        }
        set
    }

    /// By set of labels: the goals of which an occurrence may begin along its transitions, one bit
    /// for each position in `goals`, which are at most 64.
    pub(crate) fn beginnings(&self, goals: &[Vertex]) -> Vec<u64> {
        self.states.by_label_set(|has| {
            let begins = |(position, &goal)| u64::from(has(self.step.label(goal, 0))) << position;
            goals.iter().enumerate().map(begins).fold(0, |all, goal| all | goal)
        })
    }

    /// The states in which a chain may end.
    pub(crate) fn ends(&self) -> StateSet {
        self.numbers().map(|state| self.states.ends(state)).collect()
    }

    /// The initial states.
    pub(crate) fn initial(&self) -> StateSet {
        self.numbers().map(|state| (state as usize) < self.states.initial()).collect()
    }

    /// The states after an occurrence of `first` with an occurrence of `second` (the depot: none)
    /// beginning `shift` steps later, as soon as both are over; empty where they cannot overlap so.
    pub(crate) fn after(&self, first: Vertex, second: Vertex, shift: u32) -> StateSet {
        let (first_steps, second_steps) = (self.task.steps(first), self.task.steps(second));
        let length = if second.is_depot() { first_steps } else { first_steps.max(shift + second_steps) };
        let mut set = vec![true; self.states.len()];
        for time in 0..length {
            let mut labels = Vec::new();
            if time < first_steps {
                labels.push(self.step.label(first, time));
            }
            if !second.is_depot() && (shift..shift + second_steps).contains(&time) {
                labels.push(self.step.label(second, time - shift));
            }
            let mut next = vec![false; self.states.len()];
            for state in self.numbers().filter(|&state| set[state as usize]) {
                for &transition in self.states.from(state) {
                    if labels.iter().all(|&label| self.states.has(transition, label)) {
                        next[transition.to as usize] = true;
                    }
                }
            }
            set = next;
        }
        set
    }

    /// Fewest steps from any state of the set to each state.
    pub(crate) fn distances(&self, from: &StateSet) -> Vec<u32> {
        distances(self.states.len(), members(from), |state| {
            self.states.from(state).iter().map(|transition| transition.to)
        })
    }

    /// Fewest steps from each state to any state of the set.
    pub(crate) fn distances_to(&self, to: &StateSet) -> Vec<u32> {
        distances(self.states.len(), members(to), |state| self.states.sources(state).iter().copied())
    }

    fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.states.len() as u32
    }
}

/// The numbers of the states in a set.
fn members(set: &StateSet) -> impl Iterator<Item = u32> {
    (0..).zip(set).filter(|&(_, &is_in)| is_in).map(|(state, _)| state)
}
