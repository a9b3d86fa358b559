//! The reachable states and all transitions between them.
//!
//! States are numbered in breadth-first order, so a state's number grows with its distance from Init. Transitions are kept
//! once for each (successor, set of labels), with one input that makes them; predecessors once for each pair of states.

use super::numbering::Numbering;
use crate::session::{Session, Stop};
use crate::step::bits::Step;
use model::value::Value;
use rustc_hash::FxHashSet;

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
    numbers: Numbering,
    /// Number of initial states: they come first.
    initial: usize,
    ends: Vec<bool>,
    /// For each state the position of its first transition; one more entry at the end.
    first: Vec<u32>,
    transitions: Vec<Transition>,
    label_sets: Numbering,
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
        let mut enumeration = Enumeration::new(step);
        for state in initial {
            enumeration.states.numbers.intern(&step.pack(state));
        }
        enumeration.states.initial = enumeration.states.len();
        let (mut done, mut work) = (0, 0);
        while done < enumeration.states.len() {
            session.check_limits()?;
            let states = &enumeration.states;
            let full = states.len() > limits.states || states.transitions.len() > MOST_TRANSITIONS;
            if full || work > limits.work {
                return Ok(None);
            }
            (done, work) = enumeration.expand(done, work);
        }
        let mut states = enumeration.states;
        states.find_sources();
        Ok(Some(states))
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
    /// Number of initial states; they are the first ones.
    pub(crate) fn initial(&self) -> usize {
        self.initial
    }
    /// The packed bits of a state.
    pub(crate) fn packed(&self, state: u32) -> &[u64] {
        self.numbers.row(state)
    }
    /// The number of a state.
    pub(crate) fn number(&self, packed: &[u64]) -> Option<u32> {
        self.numbers.number(packed)
    }
    /// Whether a chain may end in the state.
    pub(crate) fn ends(&self, state: u32) -> bool {
        self.ends[state as usize]
    }
    /// The transitions out of a state.
    pub(crate) fn from(&self, state: u32) -> &[Transition] {
        &self.transitions[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }
    /// The transitions out of a state with their positions among all.
    pub(crate) fn numbered_from(&self, state: u32) -> impl Iterator<Item = (u32, Transition)> + '_ {
        (self.first[state as usize]..).zip(self.from(state).iter().copied())
    }
    /// The transition at a position among all.
    pub(crate) fn transition(&self, position: u32) -> Transition {
        self.transitions[position as usize]
    }
    /// The states from which a transition leads into a state, ascending.
    pub(crate) fn sources(&self, state: u32) -> &[u32] {
        &self.sources
            [self.first_source[state as usize] as usize..self.first_source[state as usize + 1] as usize]
    }
    /// Number of pairs of states with a transition between them.
    pub(crate) fn source_count(&self) -> usize {
        self.sources.len()
    }
    /// Whether the transition has the label.
    pub(crate) fn has(&self, transition: Transition, label: usize) -> bool {
        is_set(self.label_sets.row(transition.labels), label)
    }
    /// Whether any transition has both labels.
    pub(crate) fn meet(&self, first: usize, second: usize) -> bool {
        let mut sets = (0..self.label_sets.len() as u32).map(|number| self.label_sets.row(number));
        sets.any(|set| is_set(set, first) && is_set(set, second))
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

fn is_set(set: &[u64], position: usize) -> bool {
    set[position / 64] >> (position % 64) & 1 == 1
}

/// Number of successors of a state that are compared one by one before the tables are asked.
const COMPARED: usize = 12;

struct Enumeration<'a> {
    step: &'a Step,
    states: States,
    registers: Vec<u64>,
    /// Successor and labels of each lane, one after another.
    rows: Vec<u64>,
    width: usize,
    label_width: usize,
    /// Different rows of the state at hand, by lane.
    compared: Vec<usize>,
    /// What the state at hand leads to.
    seen: FxHashSet<(u32, u32)>,
}

impl<'a> Enumeration<'a> {
    fn new(step: &'a Step) -> Self {
        let (width, label_width) = step.row_widths();
        let states = States {
            numbers: Numbering::new(width),
            initial: 0,
            ends: Vec::new(),
            first: vec![0],
            transitions: Vec::new(),
            label_sets: Numbering::new(label_width),
            first_source: Vec::new(),
            sources: Vec::new(),
        };
        Self {
            step,
            states,
            registers: Vec::new(),
            rows: vec![0; 64 * (width + label_width)],
            width,
            label_width,
            compared: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Expands the states from number `done` on, as many as fit 64 executions with all classes of inputs (one at least).
    fn expand(&mut self, done: usize, work: u64) -> (usize, u64) {
        let classes = self.step.classes();
        let lanes = classes.clamp(1, 64);
        let rounds = classes.div_ceil(64).max(1);
        let batch = (64 / lanes).min(self.states.len() - done);
        for round in 0..rounds {
            self.load(done, batch, lanes, 64 * round);
            self.step.run(&mut self.registers);
            self.step.rows(&self.registers, &mut self.rows);
            if round == 0 {
                let ends = self.step.ends(&self.registers);
                self.states.ends.extend((0..batch).map(|slot| ends >> (slot * lanes) & 1 == 1));
            }
            for slot in 0..batch {
                if round == 0 {
                    self.seen.clear();
                }
                self.collect(slot * lanes, lanes.min(classes - 64 * round), 64 * round);
                if round + 1 == rounds {
                    self.states.first.push(self.states.transitions.len() as u32);
                }
            }
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
                let set = is_set(states.packed((done + slot) as u32), bit);
                column |= if set { all << (slot * lanes) } else { 0 };
            }
            registers.push(column);
        }
        for bit in 0..step.input_width() {
            let present = lanes.min(step.classes() - class);
            let slot = step.class_bits(class, bit) & u64::MAX >> (64 - present);
            registers.push((0..batch).map(|copy| slot << (copy * lanes)).sum());
        }
    }

    /// Reads the transitions of one state off the rows.
    fn collect(&mut self, first_lane: usize, lanes: usize, first_class: usize) {
        let allowed = self.step.allowed(&self.registers);
        let stride = self.width + self.label_width;
        self.compared.clear();
        for lane in (first_lane..first_lane + lanes).filter(|lane| allowed >> lane & 1 == 1) {
            let row = &self.rows[lane * stride..][..stride];
            if self.compared.iter().any(|&other| self.rows[other * stride..][..stride] == *row) {
                continue;
            }
            if self.compared.len() < COMPARED {
                self.compared.push(lane);
            }
            let (next, labels) = row.split_at(self.width);
            let (to, labels) = (self.states.numbers.intern(next), self.states.label_sets.intern(labels));
            if self.seen.insert((to, labels)) {
                let input = (first_class + lane - first_lane) as u32;
                self.states.transitions.push(Transition { to, labels, input });
            }
        }
    }
}
