//! One C file that runs many programs on their traces and prints the bits of their states: the compiler is called once for all.

use super::case::{Case, Prepared};
use crate::differential::support;
use frontend::ReplayPlan;
use model::id::Id;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What was printed of a program after a step: the bits of its states in the order of the program.
pub(crate) type Rows = BTreeMap<(u64, usize), Vec<u128>>;

/// Compiles and runs the programs; what they printed.
pub(crate) fn run(cases: &[(&Case, &Prepared)]) -> Result<Rows, String> {
    let options = "cc -std=gnu11 -O0 -w -fwrapv -fno-strict-aliasing -ffp-contract=off -frounding-math -fno-builtin -o run run.c -lm";
    let printed = support::run_plan(&ReplayPlan {
        files: vec![("run.c".to_owned(), text(cases))],
        commands: vec![options.split(' ').map(str::to_owned).collect(), vec!["./run".to_owned()]],
        how: String::new(),
        goals: Vec::new(),
        secrets: Vec::new(),
    })?;
    Ok(parse(&printed))
}

/// A file with a function for each program that shows its states, one that sets its inputs from a row of a table, and a loop over its steps.
fn text(cases: &[(&Case, &Prepared)]) -> String {
    let mut text = String::from(PROLOGUE);
    for (case, _) in cases {
        text.push_str(&case.program.text());
    }
    for (case, prepared) in cases {
        print_program(&mut text, case, prepared);
    }
    text.push_str("int main(void) {\n");
    for (case, _) in cases {
        let _ = writeln!(text, "    run_{}();", case.seed);
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn print_program(text: &mut String, case: &Case, prepared: &Prepared) {
    let (seed, program) = (case.seed, &case.program);
    let signals = prepared.translated.signals.inputs.iter();
    let inputs: BTreeMap<&str, _> =
        signals.map(|input| (input.signal.lvalue.as_str(), input.input)).collect();
    let known: Vec<(&String, usize)> = program
        .inputs
        .iter()
        .filter_map(|lvalue| Some((lvalue, inputs.get(lvalue.as_str())?.index())))
        .collect();
    let _ = writeln!(text, "static const unsigned long long rows_{seed}[][{}] = {{", known.len().max(1));
    for row in &prepared.trace.inputs {
        let bits: Vec<String> =
            known.iter().map(|&(_, input)| format!("0x{:x}ull", row[input].bits())).collect();
        let _ =
            writeln!(text, "    {{ {} }},", if bits.is_empty() { "0".to_owned() } else { bits.join(", ") });
    }
    let _ = writeln!(text, "    {{ 0 }}\n}};\nstatic void run_{seed}(void) {{\n    int step;");
    let steps = prepared.trace.inputs.len();
    let _ = writeln!(text, "    for (step = 0; step < {steps}; step++) {{");
    for (index, (lvalue, _)) in known.iter().enumerate() {
        let _ = writeln!(text, "        memcpy(&{lvalue}, &rows_{seed}[step][{index}], sizeof {lvalue});");
    }
    let _ = writeln!(text, "        {}();\n        printf(\"P {seed} %d\", step);", program.step);
    for (lvalue, float) in &program.states {
        let value = match float {
            Some(32) => format!("f32({lvalue})"),
            Some(_) => format!("f64({lvalue})"),
            None => lvalue.clone(),
        };
        let _ = writeln!(text, "        put({value});");
    }
    text.push_str("        printf(\"\\n\");\n    }\n}\n");
}

fn parse(printed: &str) -> Rows {
    let mut rows = BTreeMap::new();
    for line in printed.lines() {
        let mut words = line.split_ascii_whitespace().skip(1);
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let (Some(seed), Some(step)) = (number(), number()) else { continue };
        let values = words.filter_map(|word| u128::from_str_radix(word, 16).ok()).collect();
        rows.insert((seed, step as usize), values);
    }
    rows
}

const PROLOGUE: &str = r#"
#include <math.h>
#include <stdio.h>
#include <string.h>
static void __CPROVER_assume(_Bool condition) { (void)condition; }
static unsigned long long f32(float value) { unsigned bits; memcpy(&bits, &value, 4); return bits; }
static unsigned long long f64(double value) { unsigned long long bits; memcpy(&bits, &value, 8); return bits; }
static void put(unsigned long long bits) { printf(" %llx", bits); }
"#;
