//! Exported systems are run by a small BTOR2 interpreter that shares no code with the evaluator,
//! and compared with replay.

use super::*;
use crate::id::Id;
use crate::testing::{random_trace, random_validated};
use crate::text::parse;
use crate::trace::{Start, TraceError, replay};
use crate::validate::validate;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::collections::BTreeMap;

/// One line of a BTOR2 text: its number, keyword and arguments.
struct Line {
    node: usize,
    keyword: String,
    arguments: Vec<String>,
}

impl Line {
    fn number(&self, position: usize) -> usize {
        self.arguments[position].parse().expect("an argument should be a number")
    }
}

/// Executes BTOR2 with words of up to 64 bits.
struct Interpreter {
    lines: Vec<Line>,
    widths: BTreeMap<usize, u32>,
    states: BTreeMap<usize, u64>,
    names: BTreeMap<String, usize>,
}

/// What one time frame shows: constraints and bad lines in order, and the values of all nodes.
struct Frame {
    constraints: bool,
    bad: Vec<bool>,
    outputs: Vec<u64>,
    values: BTreeMap<usize, u64>,
}

impl Interpreter {
    fn new(text: &str) -> Self {
        let mut interpreter =
            Self { lines: vec![], widths: BTreeMap::new(), states: BTreeMap::new(), names: BTreeMap::new() };
        let mut sorts = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with(';')) {
            let mut words = line.split(' ').map(str::to_owned);
            let node = words.next().and_then(|word| word.parse().ok()).expect("a line should have a number");
            let keyword = words.next().expect("a line should have a keyword");
            let line = Line { node, keyword, arguments: words.collect() };
            match line.keyword.as_str() {
                "sort" => _ = sorts.insert(node, line.arguments[1].parse().expect("a width")),
                "constraint" | "bad" | "output" => {}
                _ => _ = interpreter.widths.insert(node, sorts[&line.number(0)]),
            }
            if matches!(line.keyword.as_str(), "input" | "state") {
                interpreter.names.insert(line.arguments[1].clone(), node);
            }
            interpreter.lines.push(line);
        }
        interpreter.initialise();
        interpreter
    }

    fn initialise(&mut self) {
        let mut constants = BTreeMap::new();
        for line in &self.lines {
            match line.keyword.as_str() {
                "constd" => _ = constants.insert(line.node, line.arguments[1].parse().expect("a number")),
                "state" => _ = self.states.insert(line.node, 0),
                "init" => {
                    assert!(line.number(2) < line.number(1), "an initial value should precede its state");
                    self.states.insert(line.number(1), constants[&line.number(2)]);
                }
                _ => {}
            }
        }
    }

    fn mask(&self, node: usize) -> u64 {
        u64::MAX >> (64 - self.widths[&node])
    }

    fn signed(&self, node: usize, value: u64) -> i64 {
        let unused = 64 - self.widths[&node];
        ((value << unused) as i64) >> unused
    }

    fn frame(&self, inputs: &BTreeMap<usize, u64>) -> Frame {
        let mut frame = Frame { constraints: true, bad: vec![], outputs: vec![], values: BTreeMap::new() };
        for line in &self.lines {
            let value = |position: usize| frame.values[&line.number(position)];
            match line.keyword.as_str() {
                "sort" | "init" | "next" => {}
                "constraint" => frame.constraints &= value(0) == 1,
                "bad" => frame.bad.push(value(0) == 1),
                "output" => frame.outputs.push(value(0)),
                "input" => _ = frame.values.insert(line.node, inputs[&line.node]),
                "state" => _ = frame.values.insert(line.node, self.states[&line.node]),
                "constd" => _ = frame.values.insert(line.node, line.arguments[1].parse().expect("a number")),
                _ => {
                    let result = self.operation(line, &frame.values);
                    frame.values.insert(line.node, result & self.mask(line.node));
                }
            }
        }
        frame
    }

    fn operation(&self, line: &Line, values: &BTreeMap<usize, u64>) -> u64 {
        let value = |position: usize| values[&line.number(position)];
        let signed = |position: usize| self.signed(line.number(position), value(position));
        let width = |position: usize| u64::from(self.widths[&line.number(position)]);
        match line.keyword.as_str() {
            "not" => !value(1),
            "neg" => value(1).wrapping_neg(),
            "uext" => value(1),
            "sext" => signed(1) as u64,
            "slice" => value(1) >> line.number(3),
            "ite" => value(if value(1) == 1 { 2 } else { 3 }),
            "and" => value(1) & value(2),
            "or" => value(1) | value(2),
            "xor" => value(1) ^ value(2),
            "add" => value(1).wrapping_add(value(2)),
            "sub" => value(1).wrapping_sub(value(2)),
            "mul" => value(1).wrapping_mul(value(2)),
            "udiv" => value(1).checked_div(value(2)).unwrap_or(u64::MAX),
            "urem" => value(1).checked_rem(value(2)).unwrap_or(value(1)),
            "sdiv" if value(2) == 0 => {
                if signed(1) < 0 {
                    1
                } else {
                    u64::MAX
                }
            }
            "sdiv" => signed(1).wrapping_div(signed(2)) as u64,
            "srem" => signed(1).checked_rem(signed(2)).unwrap_or(signed(1)) as u64,
            "sll" => {
                if value(2) < width(1) {
                    value(1) << value(2)
                } else {
                    0
                }
            }
            "srl" => {
                if value(2) < width(1) {
                    value(1) >> value(2)
                } else {
                    0
                }
            }
            "sra" => (signed(1) >> value(2).min(width(1) - 1)) as u64,
            "eq" => u64::from(value(1) == value(2)),
            "ult" => u64::from(value(1) < value(2)),
            "ulte" => u64::from(value(1) <= value(2)),
            "slt" => u64::from(signed(1) < signed(2)),
            "slte" => u64::from(signed(1) <= signed(2)),
            "concat" => value(1) << width(2) | value(2),
            other => panic!("the export should not write {other}"),
        }
    }

    fn advance(&mut self, frame: &Frame) {
        for line in self.lines.iter().filter(|line| line.keyword == "next") {
            self.states.insert(line.number(1), frame.values[&line.number(2)]);
        }
    }
}

/// Runs the export under the inputs of a trace; initial inputs and states that start free get the
/// values of the replay.
fn run(
    system: &Validated,
    export: &Btor2,
    initial: &[Value],
    state: &[Value],
    inputs: &[Vec<Value>],
) -> Vec<Frame> {
    let mut interpreter = Interpreter::new(&export.text);
    let node = |interpreter: &Interpreter, symbol| interpreter.names[&system.terms.symbol(symbol).name];
    for (input, value) in system.initial_inputs.values().zip(initial) {
        interpreter.states.insert(node(&interpreter, input.symbol), value.bits() as u64);
    }
    for (word, value) in system.states.values().zip(state) {
        let node = node(&interpreter, word.symbol);
        match system.terms.as_const(word.init) {
            Some(_) => assert_eq!(interpreter.states[&node], value.bits() as u64),
            None => _ = interpreter.states.insert(node, value.bits() as u64),
        }
    }
    let mut frames = Vec::new();
    for values in inputs {
        let inputs = system.inputs.values().zip(values);
        let inputs = inputs.map(|(input, value)| (node(&interpreter, input.symbol), value.bits() as u64));
        let frame = interpreter.frame(&inputs.collect());
        interpreter.advance(&frame);
        frames.push(frame);
    }
    frames
}

/// The same occurrences at the same times, the same outputs; `bad` of violated expectations and
/// invariants.
fn compare(system: &Validated, trace: &crate::trace::Trace) -> bool {
    let export = export(system).expect("there are no floats");
    let Start::Initial(initial) = &trace.start else { panic!("the trace should start initially") };
    let execution = match replay(system, trace) {
        Ok(execution) => execution,
        Err(TraceError::Assumption { step, .. }) => {
            let prefix = crate::trace::Trace { inputs: trace.inputs[..step].to_vec(), ..trace.clone() };
            let states = replay(system, &prefix).expect("the prefix should run").states;
            let frames = run(system, &export, initial, &states[0], &trace.inputs);
            assert_eq!(frames.iter().position(|frame| !frame.constraints), Some(step));
            return false;
        }
        Err(_) => {
            // The initial assumptions fail in every frame, whatever the states are.
            let states: Vec<Value> = system
                .states
                .values()
                .map(|state| {
                    crate::eval::evaluate(&system.terms, state.init, |symbol| match system.meaning(symbol) {
                        Meaning::Initial(input) => initial[input.index()],
                        _ => unreachable!("an initial value should depend on initial inputs"),
                    })
                })
                .collect();
            let frames = run(system, &export, initial, &states, &trace.inputs);
            assert!(frames.iter().all(|frame| !frame.constraints));
            return false;
        }
    };
    let frames = run(system, &export, initial, &execution.states[0], &trace.inputs);
    for (step, frame) in frames.iter().enumerate() {
        assert!(frame.constraints);
        let outputs: Vec<u64> = execution.outputs[step].iter().map(|value| value.bits() as u64).collect();
        assert_eq!(frame.outputs, outputs);
        for (property, &bad) in export.properties.iter().zip(&frame.bad) {
            let expected = match *property {
                Property::Occurs(goal) | Property::Violated(goal) => {
                    let window = system.goals[goal].steps as usize;
                    let ending =
                        |occurrence: &&crate::trace::Occurrence| occurrence.step + window == step + 1;
                    let occurrence = execution.occurrences[goal].iter().find(ending);
                    match property {
                        Property::Occurs(_) => occurrence.is_some(),
                        _ => occurrence.is_some_and(|occurrence| occurrence.expectation == Some(false)),
                    }
                }
                Property::Broken(number) => {
                    let condition = system.invariants[number].condition;
                    let value = crate::eval::evaluate(&system.terms, condition, |symbol| {
                        match system.meaning(symbol) {
                            Meaning::State(state) => execution.states[step][state.index()],
                            _ => unreachable!("an invariant should depend on states"),
                        }
                    });
                    !value.is_true()
                }
            };
            assert_eq!(bad, expected, "{property:?} in step {step} of\n{}", export.text);
        }
    }
    true
}

#[test]
fn random_systems_run_alike() {
    let mut random = SmallRng::seed_from_u64(12);
    let mut ran = 0;
    for _ in 0..600 {
        let system = random_validated(&mut random);
        for steps in [1, 3, 6] {
            ran += usize::from(compare(&system, &random_trace(&system, steps, &mut random)));
        }
    }
    assert!(ran > 500, "{ran}");
}

#[test]
fn export_of_a_small_system() {
    let text = "system two words input u w1 initial-input k w4 state |a b| w4 init 3 next (add |a b| 1)
                state c w4 init k goal g steps 2 when (and u (eq |a b|@2 5)) expect (eq c@1 0)";
    let system =
        validate(parse(&text.replacen("two words", "|two words|", 1)).expect("the text should parse"));
    let export = export(&system.expect("the system is well-formed")).expect("there are no floats");
    let expected = "; two_words
1 sort bitvec 1
2 input 1 u
3 sort bitvec 4
4 state 3 k
5 next 3 4 4
6 constd 3 3
7 state 3 a_b
8 init 3 7 6
9 state 3 c
10 constd 3 1
11 add 3 7 10
12 next 3 7 11
13 next 3 9 9
14 constd 1 0
15 state 1 age:1
16 init 1 15 14
17 constd 1 1
18 next 1 15 17
19 eq 1 9 4
20 or 1 15 19
21 constraint 20
22 state 1 u:1
23 init 1 22 14
24 next 1 22 2
25 constd 3 5
26 eq 1 11 25
27 and 1 22 26
28 and 1 15 27
29 bad 28 g
30 constd 3 0
31 eq 1 9 30
32 not 1 31
33 and 1 28 32
34 bad 33 g:violated
";
    assert_eq!(export.text, expected);
    let goal = GoalId::new(0);
    assert_eq!(export.properties, [Property::Occurs(goal), Property::Violated(goal)]);
}

#[test]
fn floats_are_refused() {
    let table = [
        ("input x f32", "input `x`"),
        ("state x f64", "state `x`"),
        ("state n w32 next (float-to-bits (float-from-bits f32 n))", "state `n`"),
        ("input n w8 goal g when (float-is-nan (float-from-signed f32 n))", "goal `g`"),
        ("input n w8 assume (float-is-nan (float-from-signed f32 n))", "assumption 0"),
    ];
    for (text, place) in table {
        let system =
            validate(parse(text).expect("the text should parse")).expect("the system is well-formed");
        assert_eq!(export(&system), Err(Btor2Error::Float { place: place.to_owned() }));
    }
}
