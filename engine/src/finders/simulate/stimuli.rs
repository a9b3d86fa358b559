//! Which inputs to try.
//!
//! Code looks at its inputs through comparisons. So each input is drawn mostly from the constants
//! (and their neighbours) that terms over it are compared with, from values of state words of its
//! width, and now and then from all values. Ranges and assumptions are respected: what the step
//! refuses is drawn anew, and what it has accepted is preferred later.

use super::guards::Guards;
use crate::domain::{Domain, bits_of, float};
use crate::random_simulation::{Random, within};
use crate::step::code::Program;
use model::id::Id;
use model::sort::Sort;
use model::term::{BinaryOp, SymbolId, Term, TermId};
use model::validate::{Meaning, Validated};
use model::visit::support;
use rustc_hash::FxHashMap;

/// Most values of an input that are preferred.
const MOST_VALUES: usize = 256;
/// Most input vectors that are remembered as accepted.
const MOST_ACCEPTED: usize = 4_096;

/// Greatest magnitudes of floats that are drawn without regard to constants: what functions as sine
/// and logarithm tell apart is mostly small.
const MAGNITUDES: [f64; 4] = [1.0, 4.0, 16.0, 128.0];

/// See the module text.
pub(crate) struct Stimuli {
    sorts: Vec<Sort>,
    /// By input: preferred values, ascending; only such as the assumptions about it alone allow, if
    /// there are any.
    preferred: Vec<Vec<u64>>,
    /// By input: the range of its values, where the assumptions say one.
    ranges: Vec<Option<(u64, u64)>>,
    accepted: Vec<Vec<u64>>,
    known: FxHashMap<Vec<u64>, ()>,
}

impl Stimuli {
    pub(crate) fn new(system: &Validated, program: &Program) -> Self {
        let mut preferred = vec![Vec::new(); program.inputs];
        let terms = (0..system.terms.len()).map(TermId::new);
        for term in terms {
            if let Term::Binary { op, lhs, rhs } = system.terms.node(term) {
                compared(system, op, lhs, rhs, &mut preferred);
            }
        }
        for (values, sort) in preferred.iter_mut().zip(&program.input_sorts) {
            values.extend([0, 1].map(|value: u64| value & sort.mask() as u64));
            values.sort_unstable();
            values.dedup();
            values.truncate(MOST_VALUES);
        }
        let mut ranges = Vec::new();
        for (values, domain) in preferred.iter_mut().zip(Domain::all(system)) {
            let allowed: Vec<u64> = values.iter().copied().filter(|&value| domain.holds(value)).collect();
            ranges.push(domain.range(&allowed));
            if !allowed.is_empty() {
                *values = allowed;
            }
        }
        Self {
            sorts: program.input_sorts.clone(),
            preferred,
            ranges,
            accepted: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Remembers inputs that the step has accepted.
    pub(crate) fn accept(&mut self, inputs: &[u64]) {
        if self.accepted.len() < MOST_ACCEPTED && !self.known.contains_key(inputs) {
            self.known.insert(inputs.to_vec(), ());
            self.accepted.push(inputs.to_vec());
        }
    }

    /// Other inputs than these: mostly one is changed, else all are drawn or taken from what was
    /// accepted.
    pub(crate) fn change(&self, inputs: &mut Vec<u64>, state: &[u64], random: &mut Random) {
        match random.below(8) {
            0..4 => self.change_one(inputs, state, random),
            4 => {
                self.change_one(inputs, state, random);
                self.change_one(inputs, state, random);
            }
            5 if !self.accepted.is_empty() => {
                inputs.clone_from(&self.accepted[random.below(self.accepted.len())])
            }
            _ => (0..inputs.len()).for_each(|input| inputs[input] = self.draw(input, state, random)),
        }
    }

    /// Another value for one input, mostly; where there are no inputs, nothing.
    pub(crate) fn change_one(&self, inputs: &mut [u64], state: &[u64], random: &mut Random) {
        if inputs.is_empty() {
            return;
        }
        let input = random.below(inputs.len());
        let before = inputs[input];
        for _ in 0..4 {
            inputs[input] = self.draw(input, state, random);
            if inputs[input] != before {
                return;
            }
        }
    }

    fn draw(&self, input: usize, state: &[u64], random: &mut Random) -> u64 {
        let (sort, preferred) = (self.sorts[input], &self.preferred[input]);
        let bits = match (random.below(16), self.ranges[input]) {
            (5..10, None) if matches!(sort, Sort::Float(_)) => return self.anywhere(sort, preferred, random),
            (0..10, _) => preferred[random.below(preferred.len())],
            (11.., Some(range)) => within(sort, range, random),
            (10, _) if !state.is_empty() => {
                state[random.below(state.len())].wrapping_add(random.below(3) as u64).wrapping_sub(1)
            }
            (11 | 12, _) => match sort {
                Sort::Word(_) => random.below(16) as u64,
                Sort::Float(format) => bits_of(format, random.below(16) as f64),
            },
            _ => return self.anywhere(sort, preferred, random),
        };
        bits & sort.mask() as u64
    }

    /// A value of the whole sort; of floats a moderate one, mostly.
    fn anywhere(&self, sort: Sort, preferred: &[u64], random: &mut Random) -> u64 {
        let bits = match sort {
            Sort::Float(format) if random.below(8) != 0 => {
                let value = match random.below(4) {
                    0 => {
                        let constant = float(format, preferred[random.below(preferred.len())]);
                        constant * (random.below(2_001) as f64 / 1_000.0)
                    }
                    1 => random.below(2_001) as f64 / 10.0 - 100.0,
                    _ => {
                        let magnitude = MAGNITUDES[random.below(MAGNITUDES.len())];
                        let share = random.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0;
                        magnitude * share
                    }
                };
                bits_of(format, value)
            }
            _ => random.next_word(),
        };
        bits & sort.mask() as u64
    }
}

/// Enters the constant of a comparison as a value of the inputs that the other side depends on.
fn compared(system: &Validated, op: BinaryOp, lhs: TermId, rhs: TermId, preferred: &mut [Vec<u64>]) {
    let orders = [
        BinaryOp::Eq,
        BinaryOp::ULt,
        BinaryOp::ULe,
        BinaryOp::SLt,
        BinaryOp::SLe,
        BinaryOp::FloatEq,
        BinaryOp::FloatLt,
        BinaryOp::FloatLe,
    ];
    if !orders.contains(&op) {
        return;
    }
    for (constant, other) in [(lhs, rhs), (rhs, lhs)] {
        let Some(constant) = system.terms.as_const(constant) else { continue };
        for input in support(&system.terms, &[other]).into_iter().filter_map(|symbol| input(system, symbol)) {
            let symbol = system.inputs.values().nth(input).expect("an input should be there").symbol;
            let sort = system.terms.symbol(symbol).sort;
            let (bits, mask) = (constant.bits() as u64, sort.mask() as u64);
            let near = [bits, bits.wrapping_sub(1), bits.wrapping_add(1)];
            if sort == constant.sort() || matches!(sort, Sort::Word(_)) {
                preferred[input].extend(near.map(|value| value & mask));
            }
        }
    }
}

/// The input of a symbol, framed or not.
fn input(system: &Validated, symbol: SymbolId) -> Option<usize> {
    match system.meaning(symbol) {
        Meaning::Input(input) => Some(input.index()),
        Meaning::Framed { base, .. } => input(system, base),
        _ => None,
    }
}

/// Most changes of inputs at a time, each half as probable as one less.
const MOST_CHANGES: u32 = 4;

/// Changes few inputs or none: mostly so that one guard is turned, else at random. `cost` grows by
/// what queries cost, in evaluated instructions.
pub(crate) fn change_few(
    inputs: &mut Vec<u64>,
    state: &[u64],
    (stimuli, guards): (&Stimuli, &mut Guards),
    random: &mut Random,
    cost: &mut u64,
) {
    let changes = (random.next_word() | 1 << MOST_CHANGES).trailing_zeros();
    for _ in 0..changes {
        match random.below(4) {
            0 => stimuli.change(inputs, state, random),
            _ => {
                guards.turn(inputs, random, cost);
            }
        }
    }
}
