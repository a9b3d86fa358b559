//! A system as a circuit with latches in ASCII AIGER 1.9 (A. Biere, K. Heljanko, S. Wieringa,
//! *AIGER 1.9 and Beyond*, 2011), which hardware model checkers read.
//!
//! * Inputs are the bits of the inputs and of the initial inputs (read in the first step only).
//! * Latches are the bits of the state words. Where an initial value depends on initial inputs, the
//!   latch `first`, true in the first step alone, selects it.
//! * Constraints are the assumptions; the initial ones are in force in the first step.
//! * Each goal is a bad state property: it is reached in the last step of a window whose antecedent
//!   holds. What a window of several steps remembers of its earlier steps is kept in latches named
//!   `symbol~n`: as it was n steps before. The latches `running~n` say that there were so many
//!   steps.
//! * Outputs are the bits of the system's outputs, then `end`, where the system says where an
//!   execution may end.
//!
//! Expectations, invariants and hazards are not part of the circuit. A circuit that needs nothing of
//! version 1.9 prints as AIGER 1, which all tools read.

mod game;

pub use game::CONTROLLABLE;

use crate::EncodeError;
use crate::aig::{Aig, Literal, Node};
use crate::bits::BitBuilder;
use crate::blast::Words;
use crate::one_step::{FreeWords, OneStep};
use crate::symbols::{Role, resolve};
use model::eval::Evaluator;
use model::system::Goal;
use model::validate::Validated;
use rustc_hash::FxHashMap;
use std::fmt;

/// A bit with its name.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    literal: Literal,
}

/// A latch: its bit, its value in the first step and its value in the next one.
#[derive(Clone, Debug)]
struct Latch {
    bit: Named,
    reset: bool,
    next: Literal,
}

/// A circuit with latches; it prints as ASCII AIGER 1.9 with symbols.
///
/// Inputs are the bits of the inputs and of the initial inputs (read in the first step only),
/// latches the bits of the state words and what windows of several steps remember. Constraints are
/// the assumptions. Each goal is a bad state property, reached in the last step of a window whose
/// antecedent holds. Outputs are those of the system, then `end`.
#[derive(Clone)]
pub struct Aiger {
    aig: Aig,
    inputs: Vec<Named>,
    latches: Vec<Latch>,
    outputs: Vec<Named>,
    bad: Vec<Named>,
    constraints: Vec<Literal>,
    /// Lines for people, behind all else.
    comments: Vec<String>,
}

impl Aiger {
    /// Translates a system.
    ///
    /// # Errors
    /// Where a symbol has no value, which validation rules out.
    pub fn new(system: &Validated) -> Result<Self, EncodeError> {
        let mut latched = Vec::new();
        let mut first = None;
        let step = OneStep::over(system, |aig, latches, init| {
            latched.clone_from(&latches);
            if init.iter().flatten().any(|literal| literal.constant().is_none()) {
                first = Some(aig.input());
            }
            match first {
                None => latches,
                Some(first) => selected(aig, first, init, &latches),
            }
        })?;
        let running = vec![Literal::TRUE];
        let mut translation =
            Translation { step, latches: Vec::new(), history: FxHashMap::default(), running };
        translation.latch_states(&latched, first);
        let outputs = translation.outputs()?;
        let bad = translation.goals()?;
        Ok(translation.finish(first, outputs, bad))
    }
}

/// The state of a step: `init` in the first one, where it is no constant that the latch starts
/// with.
fn selected(
    aig: &mut Aig,
    first: Literal,
    init: &[Vec<Literal>],
    latches: &[Vec<Literal>],
) -> Vec<Vec<Literal>> {
    let bit = |aig: &mut Aig, init: Literal, latch| match init.constant() {
        Some(_) => latch,
        None => aig.mux(first, init, latch),
    };
    let word = |(init, latches): (&Vec<Literal>, &Vec<Literal>)| {
        init.iter().zip(latches).map(|(&init, &latch)| bit(aig, init, latch)).collect()
    };
    init.iter().zip(latches).map(word).collect()
}

struct Translation<'s> {
    step: OneStep<'s>,
    latches: Vec<Latch>,
    /// Words as they were some steps before, at least 1.
    history: FxHashMap<(Role, u32), Vec<Literal>>,
    /// Entry n: whether there were n steps before this one.
    running: Vec<Literal>,
}

impl Translation<'_> {
    fn name(&self, role: Role) -> &str {
        let system = self.step.system;
        let symbol = match role {
            Role::State(state) => system.states[state].symbol,
            Role::Input(input) => system.inputs[input].symbol,
            Role::Initial(input) => system.initial_inputs[input].symbol,
        };
        &system.terms.symbol(symbol).name
    }

    fn latch_states(&mut self, latched: &[Vec<Literal>], first: Option<Literal>) {
        for (index, state) in self.step.system.states.ids().enumerate() {
            let bits = named_bits(self.name(Role::State(state)), &latched[index]);
            for (position, bit) in bits.into_iter().enumerate() {
                let reset = self.step.init[index][position].constant() == Some(true);
                self.latches.push(Latch { bit, reset, next: self.step.next[index][position] });
            }
        }
        if let Some(literal) = first {
            let bit = Named { name: "first".to_owned(), literal };
            self.latches.push(Latch { bit, reset: true, next: Literal::FALSE });
        }
    }

    fn outputs(&mut self) -> Result<Vec<Named>, EncodeError> {
        let system = self.step.system;
        let free = self.step.free.clone();
        let mut words = Words::default();
        let mut symbol = |role, offset| (offset == 0).then(|| free.word(role));
        let mut outputs = Vec::new();
        for output in &system.outputs {
            let word = self.step.word(output.value, &mut words, &mut symbol)?;
            outputs.extend(named_bits(&output.name, &word));
        }
        if let Some(end) = system.end {
            let literal = self.step.window(end, &mut words, &mut symbol)?;
            outputs.push(Named { name: "end".to_owned(), literal });
        }
        Ok(outputs)
    }

    fn goals(&mut self) -> Result<Vec<Named>, EncodeError> {
        let system = self.step.system;
        let named = |goal: &Goal| Ok(Named { name: goal.name.clone(), literal: self.goal(goal)? });
        system.goals.values().map(named).collect()
    }

    /// Whether the window of a goal ends with this step and its antecedent holds.
    fn goal(&mut self, goal: &Goal) -> Result<Literal, EncodeError> {
        let last = goal.steps - 1;
        let evaluator = Evaluator::new(&self.step.system.terms, [goal.antecedent]);
        for &(symbol, _) in evaluator.symbols() {
            match resolve(self.step.system, symbol) {
                Some((role, offset)) if offset < last => self.remember(role, last - offset),
                _ => (),
            }
        }
        let after = FreeWords { states: self.step.next.clone(), ..FreeWords::default() };
        let (free, history) = (self.step.free.clone(), &self.history);
        let mut symbol = |role, offset: u32| match (role, last.checked_sub(offset)) {
            (Role::State(_), None) if offset == goal.steps => Some(after.word(role)),
            (Role::State(_) | Role::Input(_), Some(0)) => Some(free.word(role)),
            (Role::State(_) | Role::Input(_), Some(delay)) => history.get(&(role, delay)).cloned(),
            _ => None,
        };
        let antecedent = self.step.window(goal.antecedent, &mut Words::default(), &mut symbol)?;
        let running = self.running(last);
        Ok(self.step.aig.and(antecedent, running))
    }

    /// Makes a word available as it was `delay` steps before.
    fn remember(&mut self, role: Role, delay: u32) {
        let mut word = self.step.free.word(role);
        for delay in 1..=delay {
            if let Some(known) = self.history.get(&(role, delay)) {
                word.clone_from(known);
                continue;
            }
            let remembered: Vec<Literal> = word.iter().map(|_| self.step.aig.input()).collect();
            let bits = named_bits(&format!("{}~{delay}", self.name(role)), &remembered);
            let latches = bits.into_iter().zip(word).map(|(bit, next)| Latch { bit, reset: false, next });
            self.latches.extend(latches);
            self.history.insert((role, delay), remembered.clone());
            word = remembered;
        }
    }

    /// Whether there were `steps` steps before this one.
    fn running(&mut self, steps: u32) -> Literal {
        while self.running.len() <= steps as usize {
            let literal = self.step.aig.input();
            let bit = Named { name: format!("running~{}", self.running.len()), literal };
            let next = self.running[self.running.len() - 1];
            self.latches.push(Latch { bit, reset: false, next });
            self.running.push(literal);
        }
        self.running[steps as usize]
    }

    fn finish(mut self, first: Option<Literal>, outputs: Vec<Named>, bad: Vec<Named>) -> Aiger {
        let system = self.step.system;
        let roles =
            system.inputs.ids().map(Role::Input).chain(system.initial_inputs.ids().map(Role::Initial));
        let inputs = roles.flat_map(|role| named_bits(self.name(role), &self.step.free.word(role))).collect();
        let initially = match first {
            Some(first) => self.step.aig.implies(first, self.step.initial_assumption),
            // over no initial inputs: a constant
            None => self.step.initial_assumption,
        };
        let constraints = vec![initially, self.step.assumption];
        let constraints = constraints.into_iter().filter(|&literal| literal != Literal::TRUE).collect();
        Aiger {
            aig: self.step.aig,
            inputs,
            latches: self.latches,
            outputs,
            bad,
            constraints,
            comments: Vec::new(),
        }
    }
}

/// The bits of a word, with their names: `name[index]`, of a single bit `name`.
fn named_bits(name: &str, word: &[Literal]) -> Vec<Named> {
    let bit = |(index, &literal): (usize, &Literal)| {
        let name = if word.len() == 1 { name.to_owned() } else { format!("{name}[{index}]") };
        Named { name, literal }
    };
    word.iter().enumerate().map(bit).collect()
}

/// Literals as the file numbers them: inputs, latches, then conjunctions.
struct Numbering {
    variables: Vec<u32>,
    conjunctions: Vec<[Literal; 3]>,
}

impl Aiger {
    fn numbering(&self) -> Numbering {
        let roots = self.latches.iter().map(|latch| latch.next);
        let roots = roots.chain(self.outputs.iter().chain(&self.bad).map(|named| named.literal));
        let cone = self.aig.cone(roots.chain(self.constraints.iter().copied()));
        let mut variables = vec![0; self.aig.len()];
        let free = self.inputs.iter().chain(self.latches.iter().map(|latch| &latch.bit));
        let mut count = 0;
        for named in free {
            count += 1;
            variables[named.literal.node()] = count;
        }
        let mut conjunctions = Vec::new();
        for node in cone {
            if let Node::And(lhs, rhs) = self.aig.node(node) {
                count += 1;
                variables[node] = count;
                conjunctions.push([self.aig.literal(node), lhs, rhs]);
            }
        }
        Numbering { variables, conjunctions }
    }
}

impl Numbering {
    fn code(&self, literal: Literal) -> u32 {
        self.variables[literal.node()] << 1 | u32::from(literal.is_complemented())
    }
}

impl fmt::Display for Aiger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbering = self.numbering();
        let code = |literal| numbering.code(literal);
        let (inputs, latches) = (self.inputs.len(), self.latches.len());
        let conjunctions = numbering.conjunctions.len();
        let (outputs, bad, constraints) = (self.outputs.len(), self.bad.len(), self.constraints.len());
        let variables = inputs + latches + conjunctions;
        write!(formatter, "aag {variables} {inputs} {latches} {outputs} {conjunctions}")?;
        let is_first_version = bad + constraints == 0 && self.latches.iter().all(|latch| !latch.reset);
        if !is_first_version {
            write!(formatter, " {bad} {constraints}")?;
        }
        writeln!(formatter)?;
        for input in &self.inputs {
            writeln!(formatter, "{}", code(input.literal))?;
        }
        for Latch { bit, reset, next } in &self.latches {
            write!(formatter, "{} {}", code(bit.literal), code(*next))?;
            if !is_first_version {
                write!(formatter, " {}", u8::from(*reset))?;
            }
            writeln!(formatter)?;
        }
        for named in self.outputs.iter().chain(&self.bad) {
            writeln!(formatter, "{}", code(named.literal))?;
        }
        for &constraint in &self.constraints {
            writeln!(formatter, "{}", code(constraint))?;
        }
        for conjunction in &numbering.conjunctions {
            let [output, lhs, rhs] = conjunction.map(code);
            writeln!(formatter, "{output} {} {}", lhs.max(rhs), lhs.min(rhs))?;
        }
        let latched = self.latches.iter().map(|latch| &latch.bit);
        write_symbols(formatter, 'i', self.inputs.iter())?;
        write_symbols(formatter, 'l', latched)?;
        write_symbols(formatter, 'o', self.outputs.iter())?;
        write_symbols(formatter, 'b', self.bad.iter())?;
        if !self.comments.is_empty() {
            writeln!(formatter, "c")?;
        }
        self.comments.iter().try_for_each(|line| writeln!(formatter, "{}", one_line(line)))
    }
}

fn write_symbols<'a>(
    formatter: &mut fmt::Formatter<'_>,
    kind: char,
    named: impl Iterator<Item = &'a Named>,
) -> fmt::Result {
    for (index, Named { name, .. }) in named.enumerate() {
        writeln!(formatter, "{kind}{index} {}", one_line(name))?;
    }
    Ok(())
}

/// A text without line ends.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Shape, parsed, random_system, random_values};
    use model::simulate::{Simulator, WindowEvaluator};
    use model::term::SymbolId;
    use model::value::Value;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    /// A circuit read back from its text.
    struct Circuit {
        inputs: Vec<u32>,
        latches: Vec<[u32; 3]>,
        outputs: Vec<u32>,
        bad: Vec<u32>,
        constraints: Vec<u32>,
        conjunctions: Vec<[u32; 3]>,
        values: Vec<bool>,
    }

    impl Circuit {
        fn read(text: &str) -> Self {
            let mut lines = text
                .lines()
                .map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<u32>>());
            let header = lines.next().expect("a header");
            let [variables, inputs, latches, outputs, ands, bad, constraints] = header[..] else {
                panic!("a header of seven numbers, not {header:?}")
            };
            assert_eq!(variables, inputs + latches + ands);
            let mut take = |count: u32| lines.by_ref().take(count as usize).collect::<Vec<_>>();
            let single = |lines: Vec<Vec<u32>>| lines.into_iter().map(|line| line[0]).collect::<Vec<u32>>();
            let triple = |lines: Vec<Vec<u32>>| {
                lines.into_iter().map(|line| <[u32; 3]>::try_from(line).expect("three numbers")).collect()
            };
            let circuit = Self {
                inputs: single(take(inputs)),
                latches: triple(take(latches)),
                outputs: single(take(outputs)),
                bad: single(take(bad)),
                constraints: single(take(constraints)),
                conjunctions: triple(take(ands)),
                values: vec![false; variables as usize + 1],
            };
            let mut circuit = circuit;
            for [latch, _, reset] in circuit.latches.clone() {
                circuit.values[latch as usize / 2] = reset == 1;
            }
            circuit
        }
        fn value(&self, literal: u32) -> bool {
            self.values[literal as usize / 2] != (literal % 2 == 1)
        }
        fn read_inputs(&mut self, values: &[bool]) {
            assert_eq!(values.len(), self.inputs.len());
            for (&input, &value) in self.inputs.iter().zip(values) {
                self.values[input as usize / 2] = value;
            }
            for [output, lhs, rhs] in self.conjunctions.clone() {
                assert!(output > lhs && lhs >= rhs, "conjunctions should be ordered");
                self.values[output as usize / 2] = self.value(lhs) && self.value(rhs);
            }
        }
        fn tick(&mut self) {
            let next: Vec<bool> = self.latches.iter().map(|latch| self.value(latch[1])).collect();
            for ([latch, ..], value) in self.latches.clone().into_iter().zip(next) {
                self.values[latch as usize / 2] = value;
            }
        }
    }

    fn bits(values: &[Value]) -> Vec<bool> {
        let bits = |value: &Value| {
            let value = *value;
            (0..value.sort().width()).map(move |index| value.bits() >> index & 1 == 1)
        };
        values.iter().flat_map(bits).collect()
    }

    /// Runs the printed circuit beside the simulator.
    fn check(system: &Validated, rng: &mut SmallRng) {
        let text = Aiger::new(system).expect("all operators have circuits").to_string();
        let mut circuit = Circuit::read(&text);
        let sort = |symbol: SymbolId| system.terms.symbol(symbol).sort;
        let initial = random_values(rng, system.initial_inputs.values().map(|input| sort(input.symbol)));
        let mut simulator = Simulator::new(system);
        let start = simulator.initial(&initial);
        let (mut states, mut inputs) = (vec![start.state], Vec::new());
        let goals: Vec<&Goal> = system.goals.values().collect();
        let mut evaluators: Vec<_> =
            goals.iter().map(|goal| WindowEvaluator::new(system, [goal.antecedent])).collect();
        for step in 0..5 {
            inputs.push(random_values(rng, system.inputs.values().map(|input| sort(input.symbol))));
            let result = simulator.step(&states[step], &inputs[step]);
            let later = random_values(rng, system.initial_inputs.values().map(|input| sort(input.symbol)));
            let initial = if step == 0 { &initial } else { &later };
            circuit.read_inputs(&[bits(&inputs[step]), bits(initial)].concat());
            let outputs: Vec<bool> = circuit.outputs.iter().map(|&output| circuit.value(output)).collect();
            let mut expected = bits(&result.outputs);
            expected.extend(system.end.map(|_| simulator.may_end(&states[step])));
            assert_eq!(outputs, expected);
            let held = circuit.constraints.iter().all(|&constraint| circuit.value(constraint));
            assert_eq!(held, result.violated.is_none() && (step > 0 || start.violated.is_none()));
            states.push(result.next);
            for (index, goal) in goals.iter().enumerate() {
                let first = (step + 1).checked_sub(goal.steps as usize);
                let occurs = first.is_some_and(|first| {
                    evaluators[index].run(&states[first..], &inputs[first..]);
                    evaluators[index].holds(0)
                });
                assert_eq!(circuit.value(circuit.bad[index]), occurs, "goal {index} after step {step}");
            }
            circuit.tick();
        }
    }

    #[test]
    fn printed_circuits_behave_as_the_system() {
        let mut rng = SmallRng::seed_from_u64(31);
        for round in 0..40 {
            let widths = &[1, 2, 3, 5, 8];
            let initial_inputs = round % 3;
            let shape = Shape {
                widths,
                states: 3,
                inputs: 2,
                initial_inputs,
                operators: 24,
                window: 4,
                floats: false,
            };
            let system = random_system(&mut rng, &shape);
            (0..4).for_each(|_| check(&system, &mut rng));
        }
    }

    #[test]
    fn the_text_of_a_small_system() {
        let system = parsed(
            "system toggle
             input |a b| w1
             state on w1 init true next (xor on |a b|)
             output lamp (not on)
             assume (or on |a b|)
             goal twice steps 2 when (and on |a b| |a b|@1)
             end on",
        );
        let text = Aiger::new(&system).expect("all operators have circuits").to_string();
        let expected = [
            "aag 11 1 4 2 6 1 1",
            "2",
            "4 16 1",
            "6 2 0",
            "8 4 0",
            "10 1 0",
            "5",
            "4",
            "22",
            "15",
            "12 4 2",
            "14 5 3",
            "16 15 13",
            "18 8 6",
            "20 18 2",
            "22 20 10",
            "i0 a b",
            "l0 on",
            "l1 a b~1",
            "l2 on~1",
            "l3 running~1",
            "o0 lamp",
            "o1 end",
            "b0 twice",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
