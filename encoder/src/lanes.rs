//! Running a system on many states at once.
//!
//! The graph of one step is compiled into straight-line code over machine words: bit k of every
//! word belongs to lane k, so one pass computes 64 executions (64 * W with blocks of W words, which
//! the compiler turns into vector instructions). For random simulation, search over explicit states
//! and checking candidates for invariants, where throughput matters and each execution is only
//! asked for a few truths.
//!
//! States and inputs are *bit-sliced*: a slice of [`Block`]s, one for each bit, the words in order
//! of the ids of their tables, least significant bit first. [`LaneSimulator::state_bits`] tells
//! where the bits of a state word lie.

use crate::EncodeError;
use crate::aig::{Aig, Literal};
use crate::blast::Words;
use crate::gates::{self, Special};
use crate::one_step::OneStep;
use crate::symbols::Role;
use model::id::{Id, IdVec};
use model::sort::Sort;
use model::system::{InitialInputId, Input, InputId, StateId};
use model::term::{SymbolId, TermId};
use model::validate::Validated;
use model::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// One bit of 64 * W lanes.
pub type Block<const W: usize> = [u64; W];

/// The value that a bit-sliced word has in one lane.
pub fn lane_value<const W: usize>(word: &[Block<W>], lane: usize, sort: Sort) -> Value {
    let bit = |block: &Block<W>| u128::from(block[lane / 64] >> (lane % 64) & 1);
    Value::new(sort, word.iter().rev().fold(0, |bits, block| bits << 1 | bit(block)))
}

/// Sets the value that a bit-sliced word has in one lane.
pub fn set_lane<const W: usize>(word: &mut [Block<W>], lane: usize, value: Value) {
    for (index, block) in word.iter_mut().enumerate() {
        let bit = (value.bits() >> index & 1) as u64;
        let part = &mut block[lane / 64];
        *part = *part & !(1 << (lane % 64)) | bit << (lane % 64);
    }
}

/// What a gate computes; its operands are literals of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    And,
    Xor,
    Mux,
    Majority,
}

const KINDS: [Kind; 4] = [Kind::And, Kind::Xor, Kind::Mux, Kind::Majority];

/// A combinational circuit as straight-line code.
///
/// Slots hold, in this order: the constant false, the inputs, the result of each gate. Gates of one
/// kind are grouped into runs as far as their dependencies allow: the choice of the operation is
/// made for each run, not for each gate.
struct Program {
    inputs: usize,
    runs: Vec<(Kind, usize)>,
    /// Operands of the gates as literals of slots: slot times two, plus one where complemented.
    /// Unused ones are 0.
    gates: Vec<[u32; 3]>,
    outputs: Vec<u32>,
}

impl Program {
    /// Compiles the cones of the outputs, which depend on these inputs alone.
    fn new(aig: &Aig, inputs: &[Literal], outputs: &[Literal]) -> Self {
        let gates = needed_gates(aig, outputs);
        let mut slots = vec![0; aig.len()];
        for (position, input) in inputs.iter().enumerate() {
            slots[input.node()] = 1 + position as u32;
        }
        let mut program =
            Self { inputs: inputs.len(), runs: Vec::new(), gates: Vec::new(), outputs: Vec::new() };
        for (kind, group) in schedule(aig, &gates) {
            program.runs.push((kind, group.len()));
            for gate in group {
                let Gate { node, operands, .. } = &gates[gate];
                let located = operands.map(|operand| literal_of_slot(&slots, operand));
                slots[*node] = (1 + program.inputs + program.gates.len()) as u32;
                program.gates.push(located);
            }
        }
        program.outputs = outputs.iter().map(|&output| literal_of_slot(&slots, output)).collect();
        program
    }

    fn slots(&self) -> usize {
        1 + self.inputs + self.gates.len()
    }

    /// Computes all gates from the input slots.
    fn run<const W: usize>(&self, slots: &mut [Block<W>]) {
        let mut next = 1 + self.inputs;
        let mut gates = &self.gates[..];
        for &(kind, length) in &self.runs {
            let (group, rest) = gates.split_at(length);
            match kind {
                Kind::And => apply(group, slots, next, |[a, b, _]| a & b),
                Kind::Xor => apply(group, slots, next, |[a, b, _]| a ^ b),
                Kind::Mux => apply(group, slots, next, |[c, t, e]| e ^ c & (t ^ e)),
                Kind::Majority => apply(group, slots, next, |[a, b, c]| a & b | c & (a | b)),
            }
            next += length;
            gates = rest;
        }
    }
}

fn literal_of_slot(slots: &[u32], literal: Literal) -> u32 {
    slots[literal.node()] << 1 | u32::from(literal.is_complemented())
}

fn read<const W: usize>(slots: &[Block<W>], literal: u32) -> Block<W> {
    let flip = u64::from(literal & 1).wrapping_neg();
    slots[(literal >> 1) as usize].map(|part| part ^ flip)
}

#[inline]
fn apply<const W: usize>(
    group: &[[u32; 3]],
    slots: &mut [Block<W>],
    first: usize,
    operation: impl Fn([u64; 3]) -> u64,
) {
    for (index, operands) in group.iter().enumerate() {
        let [a, b, c] = operands.map(|operand| read(slots, operand));
        slots[first + index] = std::array::from_fn(|part| operation([a[part], b[part], c[part]]));
    }
}

/// A gate of the graph with what it is computed from.
struct Gate {
    node: usize,
    kind: Kind,
    operands: [Literal; 3],
}

/// The gates that the outputs need, in ascending order of nodes.
fn needed_gates(aig: &Aig, outputs: &[Literal]) -> Vec<Gate> {
    let mut needed = vec![false; aig.len()];
    for output in outputs {
        needed[output.node()] = true;
    }
    let mut gates = Vec::new();
    for node in (1..aig.len()).rev() {
        let Some([lhs, rhs]) = aig.fanins(node).filter(|_| needed[node]) else { continue };
        let (kind, operands) = match gates::special(aig, lhs, rhs) {
            Some(Special::Majority(operands)) => (Kind::Majority, operands),
            Some(Special::Mux { condition, then, otherwise }) if then == !otherwise => {
                (Kind::Xor, [condition, otherwise, Literal::FALSE])
            }
            Some(Special::Mux { condition, then, otherwise }) => (Kind::Mux, [condition, then, otherwise]),
            None => (Kind::And, [lhs, rhs, Literal::FALSE]),
        };
        for operand in operands {
            needed[operand.node()] = true;
        }
        gates.push(Gate { node, kind, operands });
    }
    gates.reverse();
    gates
}

/// An order of the gates that respects dependencies and changes the kind seldom: runs of gate
/// indices. Greedy: as long as any gate of the current kind is ready it comes next, then follows
/// the kind with the most ready gates.
fn schedule(aig: &Aig, gates: &[Gate]) -> Vec<(Kind, Vec<usize>)> {
    let mut gate_of = vec![None; aig.len()];
    for (index, gate) in gates.iter().enumerate() {
        gate_of[gate.node] = Some(index);
    }
    let mut users = vec![Vec::new(); gates.len()];
    let mut waiting = vec![0; gates.len()];
    for (index, gate) in gates.iter().enumerate() {
        for operand in gate.operands.iter().filter_map(|operand| gate_of[operand.node()]) {
            users[operand].push(index);
            waiting[index] += 1;
        }
    }
    let mut ready: [Vec<usize>; 4] = Default::default();
    for (index, gate) in gates.iter().enumerate().filter(|&(index, _)| waiting[index] == 0) {
        ready[gate.kind as usize].push(index);
    }
    let mut runs = Vec::new();
    while let Some(kind) = KINDS.into_iter().rev().max_by_key(|&kind| ready[kind as usize].len())
        && !ready[kind as usize].is_empty()
    {
        let mut run = std::mem::take(&mut ready[kind as usize]);
        let mut next = 0;
        while next < run.len() {
            for &user in &users[run[next]] {
                waiting[user] -= 1;
                if waiting[user] == 0 {
                    let queue = if gates[user].kind == kind {
                        &mut run
                    } else {
                        &mut ready[gates[user].kind as usize]
                    };
                    queue.push(user);
                }
            }
            next += 1;
        }
        runs.push((kind, run));
    }
    runs
}

/// What a [`LaneSimulator`] runs.
struct Programs {
    init: Program,
    step: Program,
    state_bits: IdVec<StateId, Range<usize>>,
    input_bits: IdVec<InputId, Range<usize>>,
    initial_bits: IdVec<InitialInputId, Range<usize>>,
}

/// Executes a system in 64 * W lanes; see the module text. Clones share the compiled code.
#[derive(Clone)]
pub struct LaneSimulator<const W: usize = 1> {
    programs: Arc<Programs>,
    init_slots: Vec<Block<W>>,
    step_slots: Vec<Block<W>>,
}

impl<const W: usize> LaneSimulator<W> {
    /// Number of lanes.
    pub const LANES: usize = 64 * W;

    /// Compiles the initial state, the step, the assumptions and these predicates over (state,
    /// input, next state): terms as of a goal whose window has one step.
    ///
    /// # Errors
    /// Where a predicate is no truth or reads beyond its window.
    pub fn new(system: &Validated, predicates: &[TermId]) -> Result<Self, EncodeError> {
        let programs = Programs::new(system, predicates)?;
        let zero = [0; W];
        let (init_slots, step_slots) = (vec![zero; programs.init.slots()], vec![zero; programs.step.slots()]);
        Ok(Self { programs: Arc::new(programs), init_slots, step_slots })
    }
    /// Number of gates computed in each step.
    pub fn gates(&self) -> usize {
        self.programs.step.gates.len()
    }
    /// Number of bits of a state.
    pub fn state_width(&self) -> usize {
        self.programs.state_bits.values().last().map_or(0, |bits| bits.end)
    }
    /// Number of bits of the inputs of a step.
    pub fn input_width(&self) -> usize {
        self.programs.input_bits.values().last().map_or(0, |bits| bits.end)
    }
    /// Number of bits of the initial inputs.
    pub fn initial_input_width(&self) -> usize {
        self.programs.initial_bits.values().last().map_or(0, |bits| bits.end)
    }
    /// Where the bits of a state word lie in a state.
    pub fn state_bits(&self, state: StateId) -> Range<usize> {
        self.programs.state_bits[state].clone()
    }
    /// Where the bits of an input lie in the inputs of a step.
    pub fn input_bits(&self, input: InputId) -> Range<usize> {
        self.programs.input_bits[input].clone()
    }
    /// Where the bits of an initial input lie in the initial inputs.
    pub fn initial_input_bits(&self, input: InitialInputId) -> Range<usize> {
        self.programs.initial_bits[input].clone()
    }

    /// Computes the initial states under these initial inputs; the lanes whose inputs satisfy the
    /// initial assumptions.
    ///
    /// # Panics
    /// If a slice does not have the width of a state or of the initial inputs; so does
    /// [`LaneSimulator::step`].
    pub fn initial(&mut self, inputs: &[Block<W>], state: &mut [Block<W>]) -> Block<W> {
        let Self { programs, init_slots, .. } = self;
        init_slots[1..=programs.init.inputs].copy_from_slice(inputs);
        programs.init.run(init_slots);
        write_outputs(&programs.init, init_slots, state)
    }
    /// Computes the next states; the lanes whose step satisfies the assumptions. In the other lanes
    /// the step does not exist and its next state means nothing.
    pub fn step(&mut self, state: &[Block<W>], inputs: &[Block<W>], next: &mut [Block<W>]) -> Block<W> {
        let Self { programs, step_slots, .. } = self;
        let (states, rest) = step_slots[1..=programs.step.inputs].split_at_mut(state.len());
        states.copy_from_slice(state);
        rest.copy_from_slice(inputs);
        programs.step.run(step_slots);
        write_outputs(&programs.step, step_slots, next)
    }
    /// The lanes in which a predicate held in the last step, by its position in the list given to
    /// [`LaneSimulator::new`].
    pub fn predicate(&self, index: usize) -> Block<W> {
        let outputs = &self.programs.step.outputs[self.state_width() + 1..];
        read(&self.step_slots, outputs[index])
    }
}

/// Writes the state that a program computed; the lanes in which its assumptions hold.
fn write_outputs<const W: usize>(program: &Program, slots: &[Block<W>], state: &mut [Block<W>]) -> Block<W> {
    for (bit, &output) in state.iter_mut().zip(&program.outputs) {
        *bit = read(slots, output);
    }
    read(slots, program.outputs[state.len()])
}

impl Programs {
    fn new(system: &Validated, predicates: &[TermId]) -> Result<Self, EncodeError> {
        let width = |symbol: SymbolId| system.terms.symbol(symbol).sort.width() as usize;
        let of_input = |input: &Input| width(input.symbol);
        let mut step = OneStep::new(system)?;
        Ok(Self {
            init: init_program(&step),
            step: step_program(&mut step, predicates)?,
            state_bits: consecutive(system.states.values().map(|state| width(state.symbol))),
            input_bits: consecutive(system.inputs.values().map(of_input)),
            initial_bits: consecutive(system.initial_inputs.values().map(of_input)),
        })
    }
}

/// Ranges of these lengths, one after the other.
fn consecutive<I: Id>(lengths: impl Iterator<Item = usize>) -> IdVec<I, Range<usize>> {
    let mut end = 0;
    let range = |length| {
        let start = end;
        end += length;
        start..end
    };
    lengths.map(range).collect()
}

/// Outputs: the bits of all states, the initial assumptions.
fn init_program(step: &OneStep) -> Program {
    let mut outputs = step.init.concat();
    outputs.push(step.initial_assumption);
    Program::new(&step.aig, &step.free.initial_inputs.concat(), &outputs)
}

/// Outputs: the bits of all next states, the assumptions, the predicates.
fn step_program(step: &mut OneStep, predicates: &[TermId]) -> Result<Program, EncodeError> {
    let mut outputs = step.next.concat();
    outputs.push(step.assumption);
    let (free, next) = (step.free.clone(), step.next.clone());
    let mut words = Words::default();
    for &predicate in predicates {
        outputs.push(step.window(predicate, &mut words, &mut |role, offset| match (role, offset) {
            (Role::State(_) | Role::Input(_), 0) => Some(free.word(role)),
            (Role::State(state), 1) => Some(next[state.index()].clone()),
            _ => None,
        })?);
    }
    let inputs = [free.states.concat(), free.inputs.concat()].concat();
    Ok(Program::new(&step.aig, &inputs, &outputs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Shape, parsed, random_system, random_values};
    use model::simulate::{Simulator, WindowEvaluator};
    use model::system::TransitionSystem;
    use model::validate::validate;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    const SHAPE: Shape = Shape {
        widths: &[1, 2, 3, 5, 8, 16, 33, 64],
        states: 4,
        inputs: 3,
        initial_inputs: 2,
        operators: 40,
        window: 1,
        floats: false,
    };

    fn pack<const W: usize>(
        rows: &[Vec<Value>],
        width: usize,
        range: impl Fn(usize) -> Range<usize>,
    ) -> Vec<Block<W>> {
        let mut blocks = vec![[0; W]; width];
        for (lane, values) in rows.iter().enumerate() {
            for (index, &value) in values.iter().enumerate() {
                set_lane(&mut blocks[range(index)], lane, value);
            }
        }
        blocks
    }

    fn holds<const W: usize>(block: Block<W>, lane: usize) -> bool {
        lane_value(&[block], lane, Sort::TRUTH).is_true()
    }

    /// Runs two steps from initial states in all lanes, beside the simulator.
    fn check<const W: usize>(system: &Validated, rng: &mut SmallRng) {
        let sort = |symbol| system.terms.symbol(symbol).sort;
        let goals: Vec<TermId> = system.goals.values().map(|goal| goal.antecedent).collect();
        let mut lanes = LaneSimulator::<W>::new(system, &goals).expect("all operators have circuits");
        let mut simulator = Simulator::new(system);
        let mut evaluator = WindowEvaluator::new(system, goals.iter().copied());
        let mut rows = |symbols: &[SymbolId]| -> Vec<Vec<Value>> {
            let row = |_| random_values(rng, symbols.iter().map(|&symbol| sort(symbol)));
            (0..LaneSimulator::<W>::LANES).map(row).collect()
        };
        let symbols: Vec<_> = system.initial_inputs.values().map(|input| input.symbol).collect();
        let initial = rows(&symbols);
        let packed =
            pack(&initial, lanes.initial_input_width(), |index| lanes.initial_input_bits(Id::new(index)));
        let mut state = vec![[0; W]; lanes.state_width()];
        let assumed = lanes.initial(&packed, &mut state);
        let mut states: Vec<Vec<Value>> = Vec::new();
        for (lane, inputs) in initial.iter().enumerate() {
            let expected = simulator.initial(inputs);
            assert_eq!(holds(assumed, lane), expected.violated.is_none());
            states.push(expected.state);
        }
        let symbols: Vec<_> = system.inputs.values().map(|input| input.symbol).collect();
        for _ in 0..2 {
            let inputs = rows(&symbols);
            let packed = pack(&inputs, lanes.input_width(), |index| lanes.input_bits(Id::new(index)));
            let mut next = vec![[0; W]; lanes.state_width()];
            let assumed = lanes.step(&state, &packed, &mut next);
            for lane in 0..LaneSimulator::<W>::LANES {
                let expected = simulator.step(&states[lane], &inputs[lane]);
                assert_eq!(holds(assumed, lane), expected.violated.is_none());
                evaluator.run(&[&states[lane], &expected.next], &inputs[lane..=lane]);
                for goal in 0..goals.len() {
                    assert_eq!(holds(lanes.predicate(goal), lane), evaluator.holds(goal));
                }
                for (id, value) in system.states.ids().zip(&expected.next) {
                    assert_eq!(lane_value(&next[lanes.state_bits(id)], lane, value.sort()), *value);
                }
                states[lane] = expected.next;
            }
            state = next;
        }
    }

    #[test]
    fn lanes_agree_with_the_simulator() {
        let mut rng = SmallRng::seed_from_u64(23);
        for _ in 0..30 {
            let system = random_system(&mut rng, &SHAPE);
            check::<1>(&system, &mut rng);
            check::<4>(&system, &mut rng);
        }
    }

    #[test]
    fn a_system_without_anything_runs() {
        let system =
            validate(TransitionSystem::default()).unwrap_or_else(|_| panic!("nothing is well-formed"));
        let mut lanes = LaneSimulator::<1>::new(&system, &[]).expect("there is no operator");
        assert_eq!(lanes.initial(&[], &mut []), [u64::MAX]);
        assert_eq!(lanes.step(&[], &[], &mut []), [u64::MAX]);
    }

    #[test]
    fn predicates_beyond_one_step_are_refused() {
        let system = parsed("system s state a w1 goal late steps 2 when a@2");
        let late = system.goals.values().next().expect("a goal").antecedent;
        let error = LaneSimulator::<1>::new(&system, &[late]).err().expect("a window of two steps");
        assert_eq!(error.to_string(), "`a@2` has no value in the window");
    }
}
