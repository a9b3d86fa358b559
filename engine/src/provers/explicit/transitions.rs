//! States, labels and transitions by number; a step is computed for all classes of inputs, 64
//! executions at a time.
//!
//! Transitions are kept once for each (successor, set of labels), with one input that makes them.

use super::numbering::Numbering;
use crate::step::bits::Step;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Number of successors of a state that are compared one by one before the tables are asked.
const COMPARED: usize = 12;

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// Number of the successor.
    pub(crate) to: u32,
    /// Number of its set of labels.
    pub(crate) labels: u32,
    /// The class of inputs that makes it.
    pub(crate) input: u32,
}

/// What the step makes of one state.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    /// Positions of the transitions out of it.
    pub(crate) transitions: Range<u32>,
    /// Whether a chain may end in it.
    pub(crate) ends: bool,
}

/// See the module text.
pub(crate) struct Transitions {
    states: Numbering,
    label_sets: Numbering,
    transitions: Vec<Transition>,
    registers: Vec<u64>,
    /// Successor and labels of each lane, one after another.
    rows: Vec<u64>,
    /// Different rows of the state at hand, by lane.
    compared: Vec<usize>,
    /// What the state at hand leads to.
    seen: FxHashSet<(u32, u32)>,
}

impl Transitions {
    /// No state is known yet.
    pub(crate) fn new(step: &Step) -> Self {
        let (width, label_width) = step.row_widths();
        Self {
            states: Numbering::new(width),
            label_sets: Numbering::new(label_width),
            transitions: Vec::new(),
            registers: Vec::new(),
            rows: vec![0; 64 * (width + label_width)],
            compared: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Number of transitions.
    pub(crate) fn len(&self) -> usize {
        self.transitions.len()
    }
    /// The states by number.
    pub(crate) fn states(&self) -> &Numbering {
        &self.states
    }
    /// The number of a state, a new one if it has none.
    pub(crate) fn intern(&mut self, packed: &[u64]) -> u32 {
        self.states.intern(packed)
    }
    /// The transition at a position.
    pub(crate) fn at(&self, position: u32) -> Transition {
        self.transitions[position as usize]
    }
    /// The transitions at these positions.
    pub(crate) fn within(&self, positions: Range<u32>) -> &[Transition] {
        &self.transitions[positions.start as usize..positions.end as usize]
    }
    /// For each set of labels what `describe` makes of it, asked whether a label is in it.
    pub(crate) fn by_label_set<T>(&self, describe: impl Fn(&dyn Fn(usize) -> bool) -> T) -> Vec<T> {
        let sets = (0..self.label_sets.len() as u32).map(|number| self.label_sets.row(number));
        sets.map(|set| describe(&|label| is_set(set, label))).collect()
    }
    /// Whether the transition has the label.
    pub(crate) fn has(&self, transition: Transition, label: usize) -> bool {
        is_set(self.label_sets.row(transition.labels), label)
    }
    /// The labels of transitions that have this one: a set in bits.
    pub(crate) fn labels_beside(&self, label: usize) -> Vec<u64> {
        let sets = (0..self.label_sets.len() as u32).map(|number| self.label_sets.row(number));
        sets.filter(|set| is_set(set, label)).fold(Vec::new(), |mut united, set| {
            united.resize(set.len(), 0);
            united.iter_mut().zip(set).for_each(|(united, word)| *united |= word);
            united
        })
    }

    /// Computes the transitions out of some states from number `first` on: as many as fit 64
    /// executions with all classes of inputs, at least one and at most `most`.
    pub(crate) fn expand(&mut self, step: &Step, first: u32, most: usize) -> Vec<Expansion> {
        let lanes = step.classes().clamp(1, 64);
        let batch = (64 / lanes).min(most);
        let mut expansions = Vec::with_capacity(batch);
        for class in (0..step.classes().max(1)).step_by(64) {
            let present = lanes.min(step.classes() - class);
            self.load(step, first, batch, lanes, class);
            step.run(&mut self.registers);
            step.rows(&self.registers, &mut self.rows);
            for slot in 0..batch {
                if class == 0 {
                    self.seen.clear();
                    let ends = step.ends(&self.registers) >> (slot * lanes) & 1 == 1;
                    let position = self.transitions.len() as u32;
                    expansions.push(Expansion { transitions: position..position, ends });
                }
                self.collect(step, slot * lanes, present, class);
                expansions[slot].transitions.end = self.transitions.len() as u32;
            }
        }
        expansions
    }

    /// Loads the registers: slot by slot the same state, with the classes from `class` on.
    fn load(&mut self, step: &Step, first: u32, batch: usize, lanes: usize, class: usize) {
        let Self { states, registers, .. } = self;
        registers.clear();
        registers.push(0);
        let all = u64::MAX >> (64 - lanes);
        for bit in 0..step.state_width() {
            let slots = (0..batch).filter(|&slot| is_set(states.row(first + slot as u32), bit));
            registers.push(slots.fold(0, |column, slot| column | all << (slot * lanes)));
        }
        for bit in 0..step.input_width() {
            let slot = if step.classes() == 0 { 0 } else { step.class_bits(class, bit) & all };
            registers.push((0..batch).fold(0, |column, copy| column | slot << (copy * lanes)));
        }
    }

    /// Reads the transitions of one state off the rows.
    fn collect(&mut self, step: &Step, first_lane: usize, lanes: usize, first_class: usize) {
        let allowed = step.allowed(&self.registers);
        let (width, label_width) = step.row_widths();
        let stride = width + label_width;
        self.compared.clear();
        for lane in (first_lane..first_lane + lanes).filter(|lane| allowed >> lane & 1 == 1) {
            let row = &self.rows[lane * stride..][..stride];
            if self.compared.iter().any(|&other| self.rows[other * stride..][..stride] == *row) {
                continue;
            }
            if self.compared.len() < COMPARED {
                self.compared.push(lane);
            }
            let (next, labels) = row.split_at(width);
            let (to, labels) = (self.states.intern(next), self.label_sets.intern(labels));
            if self.seen.insert((to, labels)) {
                let input = (first_class + lane - first_lane) as u32;
                self.transitions.push(Transition { to, labels, input });
            }
        }
    }
}

pub(super) fn is_set(set: &[u64], position: usize) -> bool {
    set[position / 64] >> (position % 64) & 1 == 1
}
