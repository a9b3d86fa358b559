//! Reads of volatile inputs: two of one step may differ.

use crate::translate::support::{checked, replays, translate_text};
use model::eval::Evaluator;
use model::simulate::Simulator;
use model::value::Value;

/// Which of the values 0 and 1 the outputs named `out` can have after one step from the initial state,
/// all inputs 0 or 1.
fn results(text: &str) -> Vec<u128> {
    let translated = translate_text(text);
    let system = checked(&translated);
    let mut found = std::collections::BTreeSet::new();
    let count = system.inputs.len();
    assert!(count < 12, "{text}: {count} inputs");
    for bits in 0..1u32 << count {
        let mut simulator = Simulator::new(&system);
        let initial: Vec<Value> = system
            .initial_inputs
            .values()
            .map(|input| Value::new(system.terms.symbol(input.symbol).sort, u128::from(bits & 1)))
            .collect();
        let state = simulator.initial(&initial).state;
        let inputs: Vec<Value> = system
            .inputs
            .values()
            .enumerate()
            .map(|(index, input)| {
                Value::new(system.terms.symbol(input.symbol).sort, u128::from(bits >> index & 1))
            })
            .collect();
        let output =
            system.outputs.iter().find(|output| output.name == "out").expect("there should be `out`");
        let mut evaluator = Evaluator::new(&system.terms, [output.value]);
        evaluator.run(|symbol| {
            let input = system.inputs.values().position(|input| input.symbol == symbol);
            let word = system.states.values().position(|word| word.symbol == symbol);
            input.map(|index| inputs[index]).or(word.map(|index| state[index])).expect("known symbol")
        });
        found.insert(evaluator.value(0).bits());
    }
    found.into_iter().collect()
}

/// Names of the inputs.
fn inputs(text: &str) -> Vec<String> {
    let signals = translate_text(text).signals;
    signals.inputs.iter().map(|input| input.signal.lvalue.clone()).collect()
}

/// Text; its inputs; the values that `out` can have.
const CASES: &[(&str, &[&str], &[u128])] = &[
    (
        "volatile int x; int out; void step(void) { int a = x; int b = x; out = a != b; }",
        &["x", "x#2"],
        &[0, 1],
    ),
    // One read is one value, however often it is used.
    ("volatile int x; int out; void step(void) { int a = x; out = a != a; }", &["x"], &[0]),
    // Within one expression, from one macro, in conditions.
    ("volatile int x; int out; void step(void) { out = (x - x) != 0; }", &["x", "x#2"], &[0, 1]),
    (
        "#define DIFFER(a) ((a) != (a))\nvolatile int x; int out; void step(void) { out = DIFFER(x); }",
        &["x", "x#2"],
        &[0, 1],
    ),
    ("volatile int x; int out; void step(void) { out = 0; if (x) if (!x) out = 1; }", &["x", "x#2"], &[0, 1]),
    ("volatile int x; int out; void step(void) { out = x && !x; }", &["x", "x#2"], &[0, 1]),
    ("volatile int x; int out; void step(void) { int y = x ?: 0; out = y > 1; }", &["x"], &[0]),
    // Paths that exclude each other share inputs.
    (
        "volatile int x; int out; void step(int c) { int a; if (c) a = x; else a = -x; out = a == -1; }",
        &["step.c", "x"],
        &[0, 1],
    ),
    // In each round of a loop, in each call.
    (
        "volatile int x; int out; void step(void) { int i, n = 0; for (i = 0; i < 3; i++) n += x; out = n == 2; }",
        &["x", "x#2", "x#3"],
        &[0, 1],
    ),
    (
        "volatile int x; int out; static int read(void) { return x; } void step(void) { out = read() != read(); }",
        &["x", "x#2"],
        &[0, 1],
    ),
    // Through pointers, in arrays, records and bit-fields.
    (
        "volatile int x; int out; void step(void) { volatile int *p = &x; int a = *p; out = a != *p; }",
        &["x", "x#2"],
        &[0, 1],
    ),
    (
        "volatile int x[2]; int out; void step(void) { int a = x[1]; out = a != x[1]; }",
        &["x[1]", "x[1]#2"],
        &[0, 1],
    ),
    (
        "volatile struct { unsigned a : 3, b : 1; } x; int out; void step(void) { int a = x.b; out = a != x.b; }",
        &["x.b", "x.b#2"],
        &[0, 1],
    ),
    (
        "struct { int a; volatile int b; } x; int out; void step(void) { int a = x.b; out = a != x.b || x.a; }",
        &["x.b", "x.b#2"],
        &[0, 1],
    ),
    ("extern volatile int x; int out; void step(void) { out = x != x; }", &["x", "x#2"], &[0, 1]),
    ("int out; void step(volatile int *p) { out = *p != *p; }", &["*step.p", "*step.p#2"], &[0, 1]),
    (
        "typedef struct { volatile int dr; int n; } port; int out; void step(const port *p) { out = p->dr != p->dr || p->n != p->n; }",
        &["step.p->dr", "step.p->dr#2", "step.p->n"],
        &[0, 1],
    ),
    ("volatile int *p; int out; void step(void) { out = *p != *p; }", &["*p", "*p#2"], &[0, 1]),
    ("int out; void step(int *p) { out = *p != *p; }", &["*step.p"], &[0]),
    // What the step writes is no input.
    ("volatile int x; int out; void step(int c) { int a = x; out = a != x; x = c; }", &["step.c"], &[0]),
    // A driver's loop.
    (
        "volatile int x; int out; int main(void) { while (1) { int a = x; out = a != x; } }",
        &["x", "x#2"],
        &[0, 1],
    ),
];

#[test]
fn reads_of_one_step_may_differ() {
    for &(text, expected, values) in CASES {
        let mut names = inputs(text);
        names.sort();
        assert_eq!(names, expected, "{text}");
        assert_eq!(results(text), values, "{text}");
    }
}

/// What initialisation reads of a volatile input is as open as what the step reads.
#[test]
fn initialisation_reads_volatile_inputs() {
    for (text, inputs) in [
        ("volatile int x; int s, out; void init(void) { s = x; } void step(void) { out = s + x; }", 1),
        ("volatile int x; int s, out; void init(void) { s = x + x; } void step(void) { out = s + x; }", 2),
        ("volatile int x; int out; int main(void) { int s = x; while (1) out = s + x; }", 1),
        ("volatile int x; int s, out; void init(void) { s = x; } void step(void) { out = s + x; x = 1; }", 0),
        (
            "volatile int x; int s, out; void init(void) { x = 3; s = x; } void step(int c) { out = s + x + c; }",
            0,
        ),
    ] {
        let translated = translate_text(text);
        assert_eq!(translated.system.initial_inputs.len(), inputs, "{text}");
        if inputs > 0 {
            let why = replays(&translated, 1, 5).expect_err("memory is zero at the start");
            assert!(why.contains("initialisation reads `x`"), "{why}");
        }
    }
}

/// Compiled code has one value in memory: chains whose reads agree are replayed, others are refused with the reason.
#[test]
fn replays_need_reads_that_agree() {
    let one = "volatile int x; int out; void step(int c) { if (c & 1) out = x; else out = -x; }";
    assert_eq!(replays(&translate_text(one), 1, 10), Ok(10));
    let two = "volatile int x; int out; void step(void) { int a = x; out = a - x; }";
    let why = replays(&translate_text(two), 1, 10).expect_err("reads that differ cannot be replayed");
    assert!(why.contains("reads `x` more than once with different values"), "{why}");
}

/// The limits of a volatile input hold for each of its reads.
#[test]
fn limits_hold_for_each_read() {
    let text =
        "typedef unsigned char boolean_T; volatile boolean_T x; int out; void step(void) { out = x + x; }";
    let translated = translate_text(text);
    let limited = translated.signals.inputs.iter().filter(|input| input.by_type == Some("0 or 1"));
    assert_eq!(limited.count(), 2);
    assert_eq!(translated.system.assumptions.len(), 2);
}
