//! The reachable states and all transitions between them.
//!
//! States are numbered in breadth-first order, so a state's number grows with its distance from Init. Transitions are kept
//! once for each (successor, set of labels), with one input that makes them.

use super::step::Step;
use crate::stats::{Context, Halt};
use model::value::Value;
use rustc_hash::FxHashMap;

/// What an enumeration may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Greatest number of states.
    pub(crate) states: usize,
    /// Greatest number of classes of inputs.
    pub(crate) classes: usize,
    /// Greatest number of gate evaluations (64 executions at a time).
    pub(crate) work: u64,
}

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

/// See the module text.
pub(crate) struct States {
    /// Packed bits of the states, one after another.
    bits: Vec<u64>,
    words: usize,
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// Number of initial states: they come first.
    initial: usize,
    ends: Vec<bool>,
    /// For each state the position of its first transition; one more entry at the end.
    first: Vec<usize>,
    transitions: Vec<Transition>,
    /// Sets of labels as bit sets, one after another.
    label_sets: Vec<u64>,
    label_words: usize,
}

impl States {
    /// Enumerates from these initial states. `None`: beyond the limits.
    pub(crate) fn enumerate(
        step: &Step,
        initial: &[Vec<Value>],
        limits: Limits,
        context: &Context<'_>,
    ) -> Result<Option<Self>, Halt> {
        let mut enumeration = Enumeration::new(step);
        for state in initial {
            enumeration.intern(step.pack(state));
        }
        enumeration.states.initial = enumeration.states.len();
        let mut done = 0;
        let mut work = 0;
        while done < enumeration.states.len() {
            context.check_limits()?;
            if enumeration.states.len() > limits.states || work > limits.work {
                return Ok(None);
            }
            (done, work) = enumeration.expand(done, work);
        }
        Ok(Some(enumeration.states))
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(self.numbers.len())
    }
    /// Number of initial states; they are the first ones.
    pub(crate) fn initial(&self) -> usize {
        self.initial
    }
    /// Number of transitions.
    pub(crate) fn transition_count(&self) -> usize {
        self.transitions.len()
    }
    /// The packed bits of a state.
    pub(crate) fn packed(&self, state: u32) -> &[u64] {
        &self.bits[state as usize * self.words..][..self.words]
    }
    /// The number of a state.
    pub(crate) fn number(&self, packed: &[u64]) -> Option<u32> {
        self.numbers.get(packed).copied()
    }
    /// Whether a chain may end in the state.
    pub(crate) fn ends(&self, state: u32) -> bool {
        self.ends[state as usize]
    }
    /// The transitions out of a state.
    pub(crate) fn from(&self, state: u32) -> &[Transition] {
        &self.transitions[self.first[state as usize]..self.first[state as usize + 1]]
    }
    /// The transitions out of a state with their positions among all.
    pub(crate) fn numbered_from(&self, state: u32) -> impl Iterator<Item = (u32, Transition)> + '_ {
        let first = self.first[state as usize];
        self.from(state)
            .iter()
            .enumerate()
            .map(move |(offset, &transition)| ((first + offset) as u32, transition))
    }
    /// The transition at a position among all.
    pub(crate) fn transition(&self, position: u32) -> Transition {
        self.transitions[position as usize]
    }
    /// Whether the transition has the label.
    pub(crate) fn has(&self, transition: Transition, label: usize) -> bool {
        self.label_sets[transition.labels as usize * self.label_words + label / 64] >> (label % 64) & 1 == 1
    }
}

struct Enumeration<'a> {
    step: &'a Step,
    states: States,
    label_numbers: FxHashMap<Box<[u64]>, u32>,
    registers: Vec<u64>,
    /// What the state at hand leads to.
    seen: FxHashMap<(u32, u32), ()>,
}

impl<'a> Enumeration<'a> {
    fn new(step: &'a Step) -> Self {
        let states = States {
            bits: Vec::new(),
            words: step.state_width().div_ceil(64),
            numbers: FxHashMap::default(),
            initial: 0,
            ends: Vec::new(),
            first: vec![0],
            transitions: Vec::new(),
            label_sets: Vec::new(),
            label_words: step.labels().div_ceil(64).max(1),
        };
        Self {
            step,
            states,
            label_numbers: FxHashMap::default(),
            registers: Vec::new(),
            seen: FxHashMap::default(),
        }
    }

    fn intern(&mut self, packed: Vec<u64>) -> u32 {
        if let Some(&known) = self.states.numbers.get(packed.as_slice()) {
            return known;
        }
        let number = self.states.numbers.len() as u32;
        self.states.bits.extend_from_slice(&packed);
        self.states.numbers.insert(packed.into_boxed_slice(), number);
        number
    }

    fn intern_labels(&mut self, labels: Vec<u64>) -> u32 {
        if let Some(&known) = self.label_numbers.get(labels.as_slice()) {
            return known;
        }
        let number = self.label_numbers.len() as u32;
        self.states.label_sets.extend_from_slice(&labels);
        self.label_numbers.insert(labels.into_boxed_slice(), number);
        number
    }

    /// Expands the states from number `done` on, as many as fit 64 executions with all classes of inputs (one at least).
    fn expand(&mut self, done: usize, work: u64) -> (usize, u64) {
        let classes = self.step.classes();
        let lanes = classes.clamp(1, 64);
        let rounds = classes.div_ceil(64).max(1);
        let batch = (64 / lanes).min(self.states.numbers.len() - done);
        self.seen.clear();
        for round in 0..rounds {
            self.load(done, batch, lanes, 64 * round);
            self.step.run(&mut self.registers);
            if round == 0 {
                let ends = self.step.ends(&self.registers);
                self.states.ends.extend((0..batch).map(|slot| ends >> (slot * lanes) & 1 == 1));
            }
            for slot in 0..batch {
                if rounds == 1 {
                    self.seen.clear();
                }
                self.collect(slot * lanes, lanes.min(classes - 64 * round), 64 * round);
                if rounds == 1 {
                    self.states.first.push(self.states.transitions.len());
                }
            }
        }
        if rounds > 1 {
            self.states.first.push(self.states.transitions.len());
        }
        (done + batch, work + (rounds * (self.step.size() + 64)) as u64)
    }

    /// Loads the registers: slot by slot the same state, with the classes from `class` on.
    fn load(&mut self, done: usize, batch: usize, lanes: usize, class: usize) {
        let Self { step, states, registers, .. } = self;
        registers.clear();
        registers.push(0);
        let all = u64::MAX >> (64 - lanes);
        for bit in 0..step.state_width() {
            let mut column = 0;
            for slot in 0..batch {
                let set = states.bits[(done + slot) * states.words + bit / 64] >> (bit % 64) & 1 == 1;
                column |= if set { all << (slot * lanes) } else { 0 };
            }
            registers.push(column);
        }
        for bit in 0..step.input_width() {
            let present = lanes.min(step.classes() - class);
            let slot =
                (0..present).map(|lane| u64::from(step.class_bit(class + lane, bit)) << lane).sum::<u64>();
            registers.push((0..batch).map(|copy| slot << (copy * lanes)).sum());
        }
    }

    /// Reads the transitions of one state off the registers.
    fn collect(&mut self, first_lane: usize, lanes: usize, first_class: usize) {
        let allowed = self.step.allowed(&self.registers);
        for lane in (first_lane..first_lane + lanes).filter(|lane| allowed >> lane & 1 == 1) {
            let mut next = vec![0u64; self.states.words];
            for bit in 0..self.step.state_width() {
                next[bit / 64] |= (self.step.next(&self.registers, bit) >> lane & 1) << (bit % 64);
            }
            let mut labels = vec![0u64; self.states.label_words];
            for label in 0..self.step.labels() {
                labels[label / 64] |=
                    (self.step.has_label(&self.registers, label) >> lane & 1) << (label % 64);
            }
            let (to, labels) = (self.intern(next), self.intern_labels(labels));
            if self.seen.insert((to, labels), ()).is_none() {
                let input = (first_class + lane - first_lane) as u32;
                self.states.transitions.push(Transition { to, labels, input });
            }
        }
    }
}
