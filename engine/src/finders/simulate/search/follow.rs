//! Walks whose inputs follow what the step expects of them.
//!
//! A message has to count on by one, a measured voltage has to stay near that of its model: what
//! the step compares an input with moves with the state, so inputs that are held fail soon. The
//! code tells what that is: comparisons and differences of an input with a value that does not
//! depend on it. A walk gives some inputs that value in each step.

use super::{Reached, Search};
use crate::domain::{bits_of, float};
use crate::finders::simulate::archive::{Hold, join};
use crate::step::code::{Code, Program, Slot};
use crate::step::floats::FloatCode;
use model::sort::Sort;
use rustc_hash::FxHashSet;

/// Most steps of a walk, and without anything new.
const STEPS: u64 = 512;
const QUIET: u64 = 192;
/// Most values that are followed.
const MOST_EXPECTED: usize = 256;
/// How far beside the expected value floats are, as a share of it.
const BESIDE: f64 = 1.0 / 64.0;
/// The other inputs change in 1 step out of so many, which a walk draws; never where that is all of
/// its steps.
const CHANGES: [u64; 4] = [STEPS, STEPS, 64, 16];

/// A value that the step compares an input with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expected {
    input: usize,
    slot: Slot,
}

/// An input that follows a value: is equal to it, or a little less or more.
struct Following {
    expected: Expected,
    beside: i8,
}

/// What the step compares inputs with, in the order of its code.
pub(super) fn expected(program: &Program) -> Vec<Expected> {
    let (states, first) = (program.states, program.first_result());
    let words = program.inputs.div_ceil(64).max(1);
    // By slot: the input that it is, if any; the inputs that it depends on; whether it is constant.
    let mut is_input: Vec<Option<usize>> = vec![None; program.slots()];
    let mut depends = vec![0u64; program.slots() * words];
    let mut moves = vec![false; program.slots()];
    moves[..states + program.inputs].fill(true);
    for input in 0..program.inputs {
        is_input[states + input] = Some(input);
        depends[(states + input) * words + input / 64] |= 1 << (input % 64);
    }
    let (mut found, mut known) = (Vec::new(), FxHashSet::default());
    for (number, instruction) in program.instructions.iter().enumerate() {
        let result = first + number;
        let operands = [instruction.a, instruction.b, instruction.c].map(|slot| slot as usize);
        for operand in operands {
            moves[result] |= moves[operand];
            for word in 0..words {
                depends[result * words + word] |= depends[operand * words + word];
            }
        }
        is_input[result] = match instruction.code {
            Code::Extract { low: 0 } | Code::SignExtend { .. } => is_input[operands[0]],
            _ => None,
        };
        if !compares(instruction.code) {
            continue;
        }
        for [one, other] in [[operands[0], operands[1]], [operands[1], operands[0]]] {
            let Some(input) = is_input[one] else { continue };
            let is_apart = depends[other * words + input / 64] >> (input % 64) & 1 == 0;
            let expected = Expected { input, slot: other as Slot };
            if moves[other] && is_apart && found.len() < MOST_EXPECTED && known.insert(expected) {
                found.push(expected);
            }
        }
    }
    found
}

/// Whether an operation tells how two values differ.
const fn compares(code: Code) -> bool {
    matches!(
        code,
        Code::Eq
            | Code::ULt
            | Code::ULe
            | Code::SLt
            | Code::SLe
            | Code::Sub
            | Code::Float {
                code: FloatCode::Sub | FloatCode::Equal | FloatCode::Less | FloatCode::LessEqual,
                ..
            }
    )
}

impl Search<'_> {
    /// See the module text.
    pub(super) fn follow_from(&mut self, mut from: u32) {
        let (mut position, mut inputs) = (self.position(from), self.last_inputs(from));
        for _ in 0..self.random.below(4) {
            self.vary(&mut inputs, &position.state);
        }
        let following = self.chosen();
        let changes = CHANGES[self.random.below(CHANGES.len())];
        let (begun, mut new, mut holds) = (position.steps, position.steps, Vec::new());
        while position.steps - begun < STEPS && position.steps - new < QUIET && position.steps < self.limit()
        {
            if changes < STEPS && self.random.below(changes as usize) == 0 {
                self.vary(&mut inputs, &position.state);
            }
            self.align(&following, &position.state, &mut inputs);
            let Some(next) = self.stepped(&position, &inputs) else { break };
            position = next;
            join(&mut holds, Hold { inputs: self.vectors.number(&inputs), steps: 1 });
            let (atoms, end) = self.player.look(&position.state);
            let reached = Reached { covered: position.covered, length: position.steps, holds: &holds };
            if let Some(entry) = self.enter(from, &position.state, &atoms, end, &reached) {
                (from, holds, new) = (entry, Vec::new(), position.steps);
            }
        }
    }

    /// Some of the inputs that the step expects something of, with one value each.
    fn chosen(&mut self) -> Vec<Following> {
        let mut following: Vec<Following> = Vec::new();
        let share = 1 + self.random.below(4);
        let begin = self.random.below(self.expected.len());
        for number in 0..self.expected.len() {
            let expected = self.expected[(begin + number) % self.expected.len()];
            let is_free = following.iter().all(|other| other.expected.input != expected.input);
            if is_free && self.random.below(4) < share {
                let beside = self.random.below(4) as i8;
                following.push(Following { expected, beside: if beside > 1 { 0 } else { 2 * beside - 1 } });
            }
        }
        following
    }

    /// Gives inputs the values that they follow, as the step computes them of the other inputs.
    fn align(&mut self, following: &[Following], state: &[u64], inputs: &mut [u64]) {
        let slots = following.iter().map(|following| following.expected.slot);
        let values = self.player.computed(state, inputs, slots);
        for (Following { expected, beside }, value) in following.iter().zip(values) {
            let sort = self.program.input_sorts[expected.input];
            let value = match sort {
                _ if *beside == 0 => value,
                Sort::Word(_) => value.wrapping_add(*beside as u64),
                Sort::Float(format) => {
                    bits_of(format, float(format, value) * (1.0 + f64::from(*beside) * BESIDE))
                }
            };
            inputs[expected.input] = value & sort.mask() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::{Task, all_goals};
    use model::text::parse;
    use model::validate::validate;

    #[test]
    fn comparisons_say_what_inputs_have_to_be() {
        let text = "input count w4 input volts f32 input link f32 input go w1
            state last w4 next count
            state filter f32 next (float-add filter (float-mul 0.5f (float-sub volts filter)))
            state good w8 next (ite (eq count (add last 1)) (add good 1) 0)
            state off w1 next (float-lt 3.0f (float-sub link filter))
            goal g when (and go (eq good 9))";
        let text = text.replace("0.5f", "0.5").replace("3.0f", "3.0");
        let system = validate(parse(&text).expect("a text")).expect("a system");
        let program = Program::compile(&Task::new(&system, &all_goals(&system), Vec::new()));
        let found = expected(&program);
        let inputs: Vec<usize> = found.iter().map(|expected| expected.input).collect();
        assert!([0, 1, 2].iter().all(|input| inputs.contains(input)), "{found:?}");
        assert!(!inputs.contains(&3), "nothing is compared with `go`");
    }
}
