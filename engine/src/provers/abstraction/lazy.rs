//! States and transitions that are computed when they are first asked for.
//!
//! The explicit engine keeps all reachable states; where these are too many, a search that knows where it goes still meets few of
//! them. Transitions are kept once for each (successor, set of labels), as there.

use crate::provers::explicit::Transition;
use crate::provers::explicit::numbering::Numbering;
use crate::step::bits::Step;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What is known of one state.
#[derive(Clone, Copy, Debug)]
struct Expansion {
    first: u32,
    last: u32,
    ends: bool,
}

/// See the module text.
pub(super) struct LazyStates {
    step: Step,
    numbers: Numbering,
    expansions: Vec<Option<Expansion>>,
    transitions: Vec<Transition>,
    label_sets: Numbering,
    registers: Vec<u64>,
    /// Successor and labels of each lane, one after another.
    rows: Vec<u64>,
}

impl LazyStates {
    /// No state is known yet.
    pub(super) fn new(step: Step) -> Self {
        let (width, label_width) = step.row_widths();
        Self {
            numbers: Numbering::new(width),
            expansions: Vec::new(),
            transitions: Vec::new(),
            label_sets: Numbering::new(label_width),
            registers: Vec::new(),
            rows: vec![0; 64 * (width + label_width)],
            step,
        }
    }

    /// The program of one step.
    pub(super) fn step(&self) -> &Step {
        &self.step
    }
    /// Number of states and transitions that are kept.
    pub(super) fn size(&self) -> usize {
        self.numbers.len() + self.transitions.len()
    }
    /// Forgets all states.
    pub(super) fn clear(&mut self) {
        let (width, label_width) = self.step.row_widths();
        (self.numbers, self.label_sets) = (Numbering::new(width), Numbering::new(label_width));
        self.expansions.clear();
        self.transitions.clear();
    }
    /// The number of a state.
    pub(super) fn intern(&mut self, packed: &[u64]) -> u32 {
        self.numbers.intern(packed)
    }
    /// The packed bits of a state.
    pub(super) fn packed(&self, state: u32) -> &[u64] {
        self.numbers.row(state)
    }
    /// Whether the transition has the label.
    pub(super) fn has(&self, transition: Transition, label: usize) -> bool {
        self.label_sets.row(transition.labels)[label / 64] >> (label % 64) & 1 == 1
    }
    /// Whether a chain may end in the state.
    pub(super) fn ends(&mut self, state: u32) -> bool {
        self.expanded(state).ends
    }
    /// The positions of the transitions out of a state.
    pub(super) fn from(&mut self, state: u32) -> Range<u32> {
        let Expansion { first, last, .. } = self.expanded(state);
        first..last
    }
    /// The transition at a position.
    pub(super) fn transition(&self, position: u32) -> Transition {
        self.transitions[position as usize]
    }

    fn expanded(&mut self, state: u32) -> Expansion {
        let known = self.expansions.get(state as usize).copied().flatten();
        known.unwrap_or_else(|| self.expand(state))
    }

    fn expand(&mut self, state: u32) -> Expansion {
        let first = self.transitions.len() as u32;
        let mut ends = false;
        let mut seen = FxHashSet::default();
        for class in (0..self.step.classes().max(1)).step_by(64) {
            self.load(state, class);
            self.step.run(&mut self.registers);
            ends = self.step.ends(&self.registers) & 1 == 1;
            self.step.rows(&self.registers, &mut self.rows);
            self.collect(class, &mut seen);
        }
        let expansion = Expansion { first, last: self.transitions.len() as u32, ends };
        if self.expansions.len() <= state as usize {
            self.expansions.resize(state as usize + 1, None);
        }
        self.expansions[state as usize] = Some(expansion);
        expansion
    }

    /// Loads the registers: the same state in all lanes, with the classes of inputs from `class` on.
    fn load(&mut self, state: u32, class: usize) {
        let Self { step, numbers, registers, .. } = self;
        registers.clear();
        registers.push(0);
        let packed = numbers.row(state);
        let bit = |position: usize| 0u64.wrapping_sub(packed[position / 64] >> (position % 64) & 1);
        registers.extend((0..step.state_width()).map(bit));
        let present = step.classes() > 0;
        let column = |bit: usize| if present { step.class_bits(class, bit) } else { 0 };
        registers.extend((0..step.input_width()).map(column));
    }

    /// Reads the transitions for the classes from `class` on off the rows.
    fn collect(&mut self, class: usize, seen: &mut FxHashSet<(u32, u32)>) {
        let allowed = self.step.allowed(&self.registers);
        let (width, label_width) = self.step.row_widths();
        let stride = width + label_width;
        let lanes = self.step.classes().saturating_sub(class).min(64);
        for lane in (0..lanes).filter(|lane| allowed >> lane & 1 == 1) {
            let (next, labels) = self.rows[lane * stride..][..stride].split_at(width);
            let (to, labels) = (self.numbers.intern(next), self.label_sets.intern(labels));
            if seen.insert((to, labels)) {
                self.transitions.push(Transition { to, labels, input: (class + lane) as u32 });
            }
        }
    }
}
