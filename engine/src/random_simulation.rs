//! Reachable states seen in random executions.
//!
//! Inputs are held for random durations, as a tester would hold them, and are drawn from all values, small values and the
//! constants the program compares with: code looks at its inputs through such comparisons.

use crate::session::Session;
use model::id::Id;
use model::simulate::Simulator;
use model::sort::Sort;
use model::system::{Input, TransitionSystem};
use model::term::TermId;
use model::validate::Validated;
use model::value::Value;
use rustc_hash::FxHashSet;

/// A small deterministic generator: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// The next number, of all 64-bit words.
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }
    /// A number below `limit` (slightly uneven, which does not matter here).
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_word() % limit.max(1) as u64) as usize
    }
}

/// Draws values for inputs.
#[derive(Clone, Debug)]
pub(crate) struct Stimuli {
    sorts: Vec<Sort>,
    /// By sort: constants of the system and their neighbours.
    constants: Vec<(Sort, Vec<u128>)>,
}

impl Stimuli {
    /// For these inputs.
    pub(crate) fn new<'a>(system: &TransitionSystem, inputs: impl Iterator<Item = &'a Input>) -> Self {
        let sorts = inputs.map(|input| system.terms.symbol(input.symbol).sort).collect();
        Self { sorts, constants: constants(system) }
    }

    /// A value for each input.
    pub(crate) fn draw(&self, random: &mut Random) -> Vec<Value> {
        self.sorts.iter().map(|&sort| self.draw_one(sort, random)).collect()
    }

    /// Replaces the value of one input.
    pub(crate) fn change_one(&self, values: &mut [Value], random: &mut Random) {
        if !values.is_empty() {
            let position = random.below(values.len());
            values[position] = self.draw_one(self.sorts[position], random);
        }
    }

    fn draw_one(&self, sort: Sort, random: &mut Random) -> Value {
        let constants =
            self.constants.iter().find(|(known, _)| *known == sort).map(|(_, constants)| constants);
        let bits = match (random.below(4), constants) {
            (0 | 1, Some(constants)) => constants[random.below(constants.len())],
            (2, _) => random.below(8) as u128,
            _ => u128::from(random.next_word()) << 64 | u128::from(random.next_word()),
        };
        Value::new(sort, bits)
    }
}

/// The constants of the pool by sort, with their neighbours for words; ascending.
pub(crate) fn constants(system: &TransitionSystem) -> Vec<(Sort, Vec<u128>)> {
    let mut by_sort: Vec<(Sort, Vec<u128>)> = Vec::new();
    let terms = (0..system.terms.len()).map(TermId::new);
    for value in terms.filter_map(|term| system.terms.as_const(term)) {
        let sort = value.sort();
        let near = match sort {
            Sort::Word(_) => vec![value.bits(), value.bits().wrapping_sub(1), value.bits().wrapping_add(1)],
            Sort::Float(_) => vec![value.bits()],
        };
        let near = near.into_iter().map(|bits| bits & sort.mask());
        match by_sort.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, values)) => values.extend(near),
            None => by_sort.push((sort, near.collect())),
        }
    }
    for (_, values) in &mut by_sort {
        values.sort_unstable();
        values.dedup();
    }
    by_sort
}

/// How much to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) executions: usize,
    pub(crate) steps: usize,
}

/// Values that states seen may have together: those of many words are as large as they are slow to
/// make.
const MOST_VALUES: usize = 4_000_000;

/// Different reachable states, in the order they were first seen: from the initial state and from
/// the given ones. As many as limits allow.
pub(crate) fn reachable_states(
    system: &Validated,
    starts: &[Vec<Value>],
    effort: Effort,
    session: &Session<'_>,
) -> Vec<Vec<Value>> {
    let mut simulator = Simulator::new(system);
    let mut random = Random::new(session.options.seed);
    let initial = Stimuli::new(system, system.initial_inputs.values());
    let stimuli = Stimuli::new(system, system.inputs.values());
    let most = (MOST_VALUES / system.states.len().max(1)).max(2);
    let mut seen = Seen { most, ..Seen::default() };
    starts.iter().for_each(|state| seen.add(state));
    for execution in 0..effort.executions {
        if seen.is_full() || session.is_over() {
            break;
        }
        let start = match starts.get(execution / 2) {
            Some(start) if execution % 2 == 1 => Some(start.clone()),
            _ => initial_state(&mut simulator, &initial, &mut random),
        };
        let Some(mut state) = start else { continue };
        seen.add(&state);
        walk(&mut simulator, &stimuli, &mut random, &mut state, effort.steps, &mut seen);
    }
    seen.states
}

#[derive(Default)]
struct Seen {
    most: usize,
    states: Vec<Vec<Value>>,
    known: FxHashSet<Vec<Value>>,
}

impl Seen {
    fn add(&mut self, state: &[Value]) {
        if !self.is_full() && !self.known.contains(state) {
            self.known.insert(state.to_vec());
            self.states.push(state.to_vec());
        }
    }

    fn is_full(&self) -> bool {
        self.states.len() >= self.most
    }
}

fn initial_state(simulator: &mut Simulator, stimuli: &Stimuli, random: &mut Random) -> Option<Vec<Value>> {
    let attempts = (0..16).map(|_| simulator.initial(&stimuli.draw(random)));
    attempts.into_iter().find(|result| result.violated.is_none()).map(|result| result.state)
}

fn walk(
    simulator: &mut Simulator,
    stimuli: &Stimuli,
    random: &mut Random,
    state: &mut [Value],
    steps: usize,
    seen: &mut Seen,
) {
    let mut inputs = stimuli.draw(random);
    let mut held = 0;
    for _ in 0..steps {
        if held == 0 {
            match random.below(3) {
                0 => inputs = stimuli.draw(random),
                _ => stimuli.change_one(&mut inputs, random),
            }
            held = [1, 1, 2, 4, 16, 64][random.below(6)];
        }
        held -= 1;
        let moved = (0..16).any(|_| {
            let moved = simulator.advance(state, &inputs);
            if !moved {
                inputs = stimuli.draw(random);
            }
            moved
        });
        if !moved || seen.is_full() {
            return;
        }
        seen.add(state);
    }
}
