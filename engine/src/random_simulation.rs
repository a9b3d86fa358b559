//! Random executions, and the reachable states that they see.
//!
//! Inputs are drawn from all values, small values and the constants the program compares with: code
//! looks at its inputs through such comparisons. Where assumptions say of one input alone which
//! values it has, only such values are drawn. Inputs that the assumptions refuse are drawn anew.
//! What draws inputs one by one for compiled steps, and learns which of them are accepted, is
//! [`stimuli`](crate::finders::simulate::stimuli).

use crate::domain::{Domain, bits_of, float};
use crate::session::Session;
use model::id::Id;
use model::simulate::Simulator;
use model::sort::{FloatFormat, Sort};
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
    /// Puts items into random order (R. Durstenfeld, Algorithm 235, 1964).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for position in 1..items.len() {
            items.swap(position, self.below(position + 1));
        }
    }
}

/// Most values of a restricted input that are drawn again and again.
const MOST_VALUES_OF_ONE: usize = 256;

/// Draws values for inputs. Assumptions about several inputs, or about the state, do not count.
#[derive(Clone, Debug)]
struct Values {
    sorts: Vec<Sort>,
    /// By input: its values, where the assumptions about it alone restrict them.
    restricted: Vec<Option<Restricted>>,
    /// By sort: constants of the system and their neighbours.
    constants: Vec<(Sort, Vec<u128>)>,
}

/// Values that the assumptions about an input allow.
#[derive(Clone, Debug)]
struct Restricted {
    values: Vec<u64>,
    range: Option<(u64, u64)>,
}

impl Values {
    /// For the inputs of steps.
    fn of_steps(system: &Validated) -> Self {
        let plain = Self::new(system, system.inputs.values());
        let domains = Domain::all(system);
        let restricted =
            domains.iter().zip(&plain.sorts).map(|(domain, &sort)| plain.restricted(domain, sort));
        let restricted = restricted.collect();
        Self { restricted, ..plain }
    }

    /// For these inputs, whatever the assumptions say of them.
    fn new<'a>(system: &TransitionSystem, inputs: impl Iterator<Item = &'a Input>) -> Self {
        let sorts: Vec<Sort> = inputs.map(|input| system.terms.symbol(input.symbol).sort).collect();
        Self { restricted: vec![None; sorts.len()], sorts, constants: constants(system) }
    }

    /// What the assumptions about an input allow of the values that are drawn otherwise. `None`:
    /// they do not restrict it, or nothing is known that they allow.
    fn restricted(&self, domain: &Domain<'_>, sort: Sort) -> Option<Restricted> {
        if !domain.is_restricted() || sort.width() > u64::BITS {
            return None;
        }
        let small = (0..8_u32).map(|value| match sort {
            Sort::Word(_) => u128::from(value) & sort.mask(),
            Sort::Float(format) => bits_of(format, value.into()).into(),
        });
        let constants = self.constants_of(sort).unwrap_or_default().iter().copied();
        let mut values: Vec<u64> = small.chain(constants).map(|bits| bits as u64).collect();
        values.sort_unstable();
        values.dedup();
        values.retain(|&value| domain.holds(value));
        let range = domain.range(&values);
        values.truncate(MOST_VALUES_OF_ONE);
        (!values.is_empty()).then_some(Restricted { values, range })
    }

    fn constants_of(&self, sort: Sort) -> Option<&[u128]> {
        let own = self.constants.iter().find(|(known, _)| *known == sort);
        own.map(|(_, constants)| constants.as_slice())
    }

    /// A value for each input.
    fn draw(&self, random: &mut Random) -> Vec<Value> {
        (0..self.sorts.len()).map(|position| self.draw_one(position, random)).collect()
    }

    /// Replaces the value of one input.
    fn change_one(&self, values: &mut [Value], random: &mut Random) {
        if !values.is_empty() {
            let position = random.below(values.len());
            values[position] = self.draw_one(position, random);
        }
    }

    fn draw_one(&self, position: usize, random: &mut Random) -> Value {
        let sort = self.sorts[position];
        if let Some(Restricted { values, range }) = &self.restricted[position] {
            let bits = match (random.below(4), range) {
                (3, &Some(range)) => within(sort, range, random),
                _ => values[random.below(values.len())],
            };
            return Value::new(sort, u128::from(bits) & sort.mask());
        }
        let bits = match (random.below(4), self.constants_of(sort)) {
            (0 | 1, Some(constants)) => constants[random.below(constants.len())],
            (2, _) => random.below(8) as u128,
            _ => u128::from(random.next_word()) << 64 | u128::from(random.next_word()),
        };
        Value::new(sort, bits)
    }
}

/// A value between the bounds of a range.
pub(crate) fn within(sort: Sort, (low, high): (u64, u64), random: &mut Random) -> u64 {
    match sort {
        Sort::Word(_) => {
            let span = high.wrapping_sub(low) & sort.mask() as u64;
            low.wrapping_add(random.next_word() % span.saturating_add(1).max(1))
        }
        Sort::Float(format) => between(format, float(format, low), float(format, high), random),
    }
}

/// A float between two others, often a whole number.
fn between(format: FloatFormat, low: f64, high: f64, random: &mut Random) -> u64 {
    let share = random.below(1 << 24) as f64 / f64::from(1 << 24);
    let value = low * (1.0 - share) + high * share;
    let whole = value.round();
    let is_whole = random.below(2) == 0 && (low..=high).contains(&whole);
    bits_of(format, if is_whole { whole } else { value })
}

/// Sets inputs of a step in a state that nobody chooses.
pub(crate) type Settle<'a> = dyn FnMut(&[Value], &mut [Value]) + 'a;

/// Executions under random inputs that satisfy the assumptions.
pub(crate) struct RandomExecution {
    simulator: Simulator,
    initial: Values,
    inputs: Values,
    random: Random,
    /// How often inputs are drawn before it is given up that any satisfy the assumptions.
    draws: usize,
}

impl RandomExecution {
    /// For a system; the seed determines the executions.
    pub(crate) fn new(system: &Validated, seed: u64, draws: usize) -> Self {
        Self {
            simulator: Simulator::new(system),
            initial: Values::new(system, system.initial_inputs.values()),
            inputs: Values::of_steps(system),
            random: Random::new(seed),
            draws,
        }
    }

    /// Initial inputs, and the initial state that they make. `None`: none that satisfy the
    /// assumptions were drawn.
    pub(crate) fn start(&mut self) -> Option<(Vec<Value>, Vec<Value>)> {
        (0..self.draws).find_map(|_| {
            let inputs = self.initial.draw(&mut self.random);
            let result = self.simulator.initial(&inputs);
            result.violated.is_none().then_some((inputs, result.state))
        })
    }

    /// Inputs, whatever the assumptions say.
    pub(crate) fn draw(&mut self) -> Vec<Value> {
        self.inputs.draw(&mut self.random)
    }

    /// Takes a step under these inputs, or others where the assumptions refuse them: `inputs` are
    /// then those of the step. `false`: none that satisfy the assumptions were drawn, and the state
    /// stays as it is.
    pub(crate) fn step(&mut self, state: &mut [Value], inputs: &mut Vec<Value>) -> bool {
        self.settled_step(state, inputs, &mut |_, _| ())
    }

    /// As [`RandomExecution::step`]; `settle` gives the inputs that nobody chooses their values in
    /// a state, beside the others.
    fn settled_step(
        &mut self,
        state: &mut [Value],
        inputs: &mut Vec<Value>,
        settle: &mut Settle<'_>,
    ) -> bool {
        (0..self.draws).any(|_| {
            settle(state, inputs);
            let moved = self.simulator.advance(state, inputs);
            if !moved {
                *inputs = self.draw();
            }
            moved
        })
    }

    /// Takes so many steps from a state, as long as `goes_on` says so of the inputs of a step and
    /// the state that it leads to. Inputs are held for random durations, as a tester would hold
    /// them.
    pub(crate) fn walk(
        &mut self,
        state: &mut [Value],
        steps: usize,
        settle: &mut Settle<'_>,
        mut goes_on: impl FnMut(&[Value], &[Value]) -> bool,
    ) {
        let mut inputs = self.draw();
        let mut held = 0;
        for _ in 0..steps {
            if held == 0 {
                match self.random.below(3) {
                    0 => inputs = self.draw(),
                    _ => self.inputs.change_one(&mut inputs, &mut self.random),
                }
                held = HELD[self.random.below(HELD.len())];
            }
            held -= 1;
            if !self.settled_step(state, &mut inputs, settle) || !goes_on(&inputs, state) {
                return;
            }
        }
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

/// How often inputs are drawn where the assumptions refuse them.
pub(crate) const DRAWS: usize = 16;
/// For how many steps inputs are held; one of these is drawn.
const HELD: [u32; 6] = [1, 1, 2, 4, 16, 64];

/// How much to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    pub(crate) executions: usize,
    pub(crate) steps: usize,
}

/// Most values that the kept states have together: a state of many words is as large as it is slow
/// to make.
const MOST_VALUES: usize = 4_000_000;

/// Different reachable states, in the order they were first seen: from the initial state and from
/// the given ones. As many as limits allow.
pub(crate) fn reachable_states(
    system: &Validated,
    starts: &[Vec<Value>],
    effort: Effort,
    session: &Session<'_>,
) -> Vec<Vec<Value>> {
    let mut execution = RandomExecution::new(system, session.options.seed, DRAWS);
    let most = (MOST_VALUES / system.states.len().max(1)).max(2);
    let mut seen = Seen { most, ..Seen::default() };
    starts.iter().for_each(|state| seen.add(state));
    for number in 0..effort.executions {
        if seen.is_full() || session.is_over() {
            break;
        }
        let start = match starts.get(number / 2) {
            Some(start) if number % 2 == 1 => Some(start.clone()),
            _ => execution.start().map(|(_, state)| state),
        };
        let Some(mut state) = start else { continue };
        seen.add(&state);
        execution.walk(&mut state, effort.steps, &mut |_, _| (), |_, state| {
            let is_wanted = !seen.is_full();
            if is_wanted {
                seen.add(state);
            }
            is_wanted
        });
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
