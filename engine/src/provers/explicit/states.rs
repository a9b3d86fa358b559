//! The reachable states and all transitions between them.
//!
//! States are numbered in breadth-first order, so a state's number grows with its distance from
//! Init. Predecessors are kept once for each pair of states.

use super::transitions::{Transition, Transitions};
use crate::session::{Session, Stop};
use crate::step::bits::Step;
use model::value::Value;

/// Most transitions that are kept.
const MOST_TRANSITIONS: usize = 40_000_000;

/// What an enumeration may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Greatest number of states.
    pub(crate) states: usize,
    /// Greatest number of classes of inputs.
    pub(crate) classes: usize,
    /// Whether inputs are told apart by what steps make of them where there are more classes.
    pub(crate) outcomes: bool,
    /// Greatest number of gate evaluations (64 executions at a time).
    pub(crate) work: u64,
}

impl Limits {
    /// For that many states, each of which may cost so many gate evaluations on average.
    pub(crate) fn of_states(states: u64, classes: usize, work_per_state: u64) -> Self {
        let work = states.saturating_mul(work_per_state);
        Self { states: usize::try_from(states).unwrap_or(usize::MAX), classes, outcomes: false, work }
    }
}

/// See the module text.
pub(crate) struct States {
    transitions: Transitions,
    /// Number of initial states: they come first.
    initial: usize,
    ends: Vec<bool>,
    /// For each state the position of its first transition; one more entry at the end.
    first: Vec<u32>,
    /// For each state the position of its first predecessor; one more entry at the end.
    first_source: Vec<u32>,
    sources: Vec<u32>,
}

impl States {
    /// Enumerates from these initial states. `None`: beyond the limits.
    pub(crate) fn enumerate(
        step: &Step,
        initial: &[Vec<Value>],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let mut transitions = Transitions::new(step);
        for state in initial {
            transitions.intern(&step.pack(state));
        }
        let initial = transitions.states().len();
        let (mut ends, mut first, mut work) = (Vec::new(), vec![0], 0);
        while ends.len() < transitions.states().len() {
            session.check_limits()?;
            let known = transitions.states().len();
            if known > limits.states || transitions.len() > MOST_TRANSITIONS || work > limits.work {
                return Ok(None);
            }
            for expansion in transitions.expand(step, ends.len() as u32, known - ends.len()) {
                ends.push(expansion.ends);
                first.push(expansion.transitions.end);
            }
            work += (step.classes().div_ceil(64).max(1) * (step.size() + 64)) as u64;
        }
        let (first_source, sources) = (Vec::new(), Vec::new());
        let mut states = Self { transitions, initial, ends, first, first_source, sources };
        states.find_sources();
        Ok(Some(states))
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.transitions.states().len()
    }
    /// Number of initial states; they are the first ones.
    pub(crate) fn initial(&self) -> usize {
        self.initial
    }
    /// The packed bits of a state.
    pub(crate) fn packed(&self, state: u32) -> &[u64] {
        self.transitions.states().row(state)
    }
    /// The number of a state.
    pub(crate) fn number(&self, packed: &[u64]) -> Option<u32> {
        self.transitions.states().number(packed)
    }
    /// Whether a chain may end in the state.
    pub(crate) fn ends(&self, state: u32) -> bool {
        self.ends[state as usize]
    }
    /// The transitions out of a state.
    pub(crate) fn from(&self, state: u32) -> &[Transition] {
        self.transitions.within(self.first[state as usize]..self.first[state as usize + 1])
    }
    /// The transitions out of a state with their positions among all.
    pub(crate) fn numbered_from(&self, state: u32) -> impl Iterator<Item = (u32, Transition)> + '_ {
        (self.first[state as usize]..).zip(self.from(state).iter().copied())
    }
    /// The transition at a position among all.
    pub(crate) fn transition(&self, position: u32) -> Transition {
        self.transitions.at(position)
    }
    /// The states from which a transition leads into a state, ascending.
    pub(crate) fn sources(&self, state: u32) -> &[u32] {
        &self.sources
            [self.first_source[state as usize] as usize..self.first_source[state as usize + 1] as usize]
    }
    /// Number of transitions.
    pub(crate) fn transition_count(&self) -> usize {
        self.transitions.len()
    }
    /// Number of pairs of states with a transition between them.
    pub(crate) fn source_count(&self) -> usize {
        self.sources.len()
    }
    /// For each set of labels what `describe` makes of it, asked whether a label is in it.
    pub(crate) fn by_label_set<T>(&self, describe: impl Fn(&dyn Fn(usize) -> bool) -> T) -> Vec<T> {
        self.transitions.by_label_set(describe)
    }
    /// Whether the transition has the label.
    pub(crate) fn has(&self, transition: Transition, label: usize) -> bool {
        self.transitions.has(transition, label)
    }
    /// The labels of transitions that have this one: a set in bits.
    pub(crate) fn labels_beside(&self, label: usize) -> Vec<u64> {
        self.transitions.labels_beside(label)
    }

    fn find_sources(&mut self) {
        let mut first = vec![0u32; self.len() + 1];
        let mut last = vec![u32::MAX; self.len()];
        let mut sources = Vec::new();
        for filling in [false, true] {
            last.fill(u32::MAX);
            for state in 0..self.len() as u32 {
                for transition in self.from(state) {
                    let to = transition.to as usize;
                    if last[to] == state {
                        continue;
                    }
                    last[to] = state;
                    if filling {
                        sources[first[to] as usize] = state;
                        first[to] += 1;
                    } else {
                        first[to + 1] += 1;
                    }
                }
            }
            if !filling {
                (1..first.len()).for_each(|state| first[state] += first[state - 1]);
                sources = vec![0; first[self.len()] as usize];
            }
        }
        first.rotate_right(1);
        first[0] = 0;
        (self.first_source, self.sources) = (first, sources);
    }
}
