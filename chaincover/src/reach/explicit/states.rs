//! The reachable states and all transitions between them.
//!
//! States are numbered in breadth-first order, so a state's number grows with its distance from Init. Transitions are kept
//! once for each (successor, set of labels), with one input that makes them.

use super::step::Step;
use crate::stats::{Context, Halt};
use model::value::Value;
use rustc_hash::FxHashMap;

/// Widest input that is enumerated.
const INPUT_WIDTH: usize = 16;

/// What an enumeration may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Greatest number of states.
    pub(crate) states: usize,
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
    /// The input bits that matter.
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
        if step.input_width() > INPUT_WIDTH {
            return Ok(None);
        }
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

    /// Expands the states from number `done` on, as many as fit 64 executions with all their inputs (one at least).
    fn expand(&mut self, done: usize, work: u64) -> (usize, u64) {
        let width = self.step.input_width();
        let (lanes_per_state, rounds) =
            if width >= 6 { (64, 1usize << (width - 6)) } else { (1usize << width, 1) };
        let batch = (64 / lanes_per_state).min(self.states.numbers.len() - done);
        self.seen.clear();
        for round in 0..rounds {
            self.load(done, batch, lanes_per_state, round);
            self.step.run(&mut self.registers);
            if round == 0 {
                let ends = self.step.ends(&self.registers);
                self.states.ends.extend((0..batch).map(|slot| ends >> (slot * lanes_per_state) & 1 == 1));
            }
            for slot in 0..batch {
                if rounds == 1 {
                    self.seen.clear();
                }
                self.collect(slot * lanes_per_state, lanes_per_state, round);
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

    /// Loads the registers: slot by slot the same state with all inputs of this round.
    fn load(&mut self, done: usize, batch: usize, lanes_per_state: usize, round: usize) {
        let Self { step, states, registers, .. } = self;
        registers.clear();
        registers.push(0);
        let lanes = if lanes_per_state == 64 { u64::MAX } else { (1u64 << lanes_per_state) - 1 };
        for bit in 0..step.state_width() {
            let mut column = 0;
            for slot in 0..batch {
                let set = states.bits[(done + slot) * states.words + bit / 64] >> (bit % 64) & 1 == 1;
                column |= if set { lanes << (slot * lanes_per_state) } else { 0 };
            }
            registers.push(column);
        }
        const PATTERNS: [u64; 6] = [
            0xAAAA_AAAA_AAAA_AAAA,
            0xCCCC_CCCC_CCCC_CCCC,
            0xF0F0_F0F0_F0F0_F0F0,
            0xFF00_FF00_FF00_FF00,
            0xFFFF_0000_FFFF_0000,
            0xFFFF_FFFF_0000_0000,
        ];
        for bit in 0..step.input_width() {
            let column = match PATTERNS.get(bit) {
                Some(&pattern) => pattern,
                None => 0u64.wrapping_sub((round >> (bit - 6) & 1) as u64),
            };
            registers.push(column);
        }
    }

    /// Reads the transitions of one state off the registers.
    fn collect(&mut self, first_lane: usize, lanes: usize, round: usize) {
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
                let input = (round * 64 + lane - first_lane) as u32;
                self.states.transitions.push(Transition { to, labels, input });
            }
        }
    }
}
