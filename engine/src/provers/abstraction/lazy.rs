//! States and transitions that are computed when they are first asked for.
//!
//! The explicit engine keeps all reachable states; where these are too many, a search that knows
//! where it goes still meets few of them.

use crate::provers::explicit::{Expansion, Transition, Transitions};
use crate::step::bits::Step;
use std::ops::Range;

/// See the module text.
pub(super) struct LazyStates {
    step: Step,
    transitions: Transitions,
    /// By state, where it is known.
    expansions: Vec<Option<Expansion>>,
}

impl LazyStates {
    /// No state is known yet.
    pub(super) fn new(step: Step) -> Self {
        Self { transitions: Transitions::new(&step), expansions: Vec::new(), step }
    }

    /// The program of one step.
    pub(super) fn step(&self) -> &Step {
        &self.step
    }
    /// Number of states and transitions that are kept.
    pub(super) fn size(&self) -> usize {
        self.transitions.states().len() + self.transitions.len()
    }
    /// Forgets all states.
    pub(super) fn clear(&mut self) {
        self.transitions = Transitions::new(&self.step);
        self.expansions.clear();
    }
    /// The number of a state.
    pub(super) fn intern(&mut self, packed: &[u64]) -> u32 {
        self.transitions.intern(packed)
    }
    /// The packed bits of a state.
    pub(super) fn packed(&self, state: u32) -> &[u64] {
        self.transitions.states().row(state)
    }
    /// Whether the transition has the label.
    pub(super) fn has(&self, transition: Transition, label: usize) -> bool {
        self.transitions.has(transition, label)
    }
    /// Whether a chain may end in the state.
    pub(super) fn ends(&mut self, state: u32) -> bool {
        self.expanded(state).ends
    }
    /// The positions of the transitions out of a state.
    pub(super) fn from(&mut self, state: u32) -> Range<u32> {
        self.expanded(state).transitions.clone()
    }
    /// The transition at a position.
    pub(super) fn transition(&self, position: u32) -> Transition {
        self.transitions.at(position)
    }

    fn expanded(&mut self, state: u32) -> &Expansion {
        let Self { step, transitions, expansions } = self;
        if expansions.len() <= state as usize {
            expansions.resize(state as usize + 1, None);
        }
        let expand = || {
            let mut expansions = transitions.expand(step, state, 1);
            expansions.pop().expect("one state should be expanded")
        };
        expansions[state as usize].get_or_insert_with(expand)
    }
}
