//! Random C step functions: what the model computes must be what the compiled code computes, bit for bit.
//!
//! `CHAINCOVER_RANDOM_PROGRAMS` sets the number of programs, `CHAINCOVER_RANDOM_SEED` the first seed. A failing program is shrunk and shown with
//! its seed.

use chaincover_frontend as frontend;

mod generate;
mod program;
#[path = "../translate/support.rs"]
mod support;

use frontend::c::ir::target::{DataModel, Target};
use frontend::c::lower::{ConditionKind, ConditionRequest, Loader};
use frontend::c::request::{Request, StepFunction, Translated};
use generate::{Options, generate};
use model::id::Id;
use model::trace::{Trace, replay};
use model::validate::Validated;
use model::value::Value;
use program::{Program, shrink};
use std::collections::BTreeMap;
use std::fmt::Write;
use support::{Random, checked, messages, random_trace};

/// Programs compiled in one go.
const BATCH: usize = 50;

/// Steps of each execution.
const STEPS: usize = 12;

struct Case {
    seed: u64,
    program: Program,
}

struct Prepared {
    translated: Translated,
    system: Validated,
    trace: Trace,
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn case(seed: u64, options: Options) -> Case {
    let program = generate(&mut Random(seed), &format!("q{seed}"), options);
    Case { seed, program }
}

/// The program with a property, as the front end gets it.
fn model_text(program: &Program) -> String {
    let step = &program.step;
    format!("{}void {step}_p(void) {{\n    __CPROVER_assume(1);\n    {step}();\n}}\n", program.text())
}

fn prepare(case: &Case, target: Target, steps: usize) -> Result<Prepared, String> {
    let text = model_text(&case.program);
    let loaded = Loader::load_texts(&[("model.c", &text)], target);
    let mut loader = loaded.map_err(|failure| format!("loading: {:?}", failure.diagnostics.entries))?;
    let inputs = case.program.inputs.iter().map(|lvalue| ConditionRequest {
        text: lvalue.clone(),
        origin: "inputs".to_owned(),
        kind: ConditionKind::Lvalue,
    });
    let function = loader.program().function_named(&case.program.step);
    let (conditions, diagnostics) = loader.lower_conditions(function, &inputs.collect::<Vec<_>>());
    assert!(diagnostics.entries.is_empty(), "{diagnostics:?}");
    let mut program = loader.into_program();
    program.conditions = conditions;
    let step = StepFunction { function: case.program.step.clone(), every: 1, phase: 0 };
    let inputs = Some(case.program.inputs.clone());
    let request = Request { step: vec![step], target, inputs, ..Request::default() };
    let translated = frontend::c::translate_program(&request, program)
        .map_err(|failure| format!("translating: {}", messages(&failure)))?;
    let system = checked(&translated);
    let trace = random_trace(&system, &mut Random(case.seed ^ 0x5eed), steps, true);
    Ok(Prepared { translated, system, trace })
}

/// A C file that runs all programs on their traces and prints the bits of all their states after each step.
fn harness(cases: &[(&Case, &Prepared)]) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <string.h>\n\
         static void __CPROVER_assume(_Bool condition) { (void)condition; }\n\
         static unsigned long long f32(float value) { unsigned bits; memcpy(&bits, &value, 4); return bits; }\n\
         static unsigned long long f64(double value) { unsigned long long bits; memcpy(&bits, &value, 8); return bits; }\n",
    );
    for (case, _) in cases {
        text.push_str(&case.program.text());
    }
    text.push_str("int main(void) {\n    unsigned step;\n");
    for (case, prepared) in cases {
        let inputs: BTreeMap<&str, _> = prepared
            .translated
            .signals
            .inputs
            .iter()
            .map(|input| (input.signal.lvalue.as_str(), input.input))
            .collect();
        let _ = writeln!(text, "    {{");
        for (index, row) in prepared.trace.inputs.iter().enumerate() {
            for lvalue in &case.program.inputs {
                if let Some(input) = inputs.get(lvalue.as_str()) {
                    let bits = row[input.index()].bits();
                    let size = format!("sizeof {lvalue}");
                    let _ = writeln!(
                        text,
                        "        {{ unsigned long long bits = 0x{bits:x}ull; memcpy(&{lvalue}, &bits, {size}); }}"
                    );
                }
            }
            let _ = writeln!(text, "        {}();", case.program.step);
            let _ = writeln!(text, "        printf(\"P {} {index}\");", case.seed);
            for (lvalue, float) in &case.program.states {
                let value = match float {
                    Some(32) => format!("f32({lvalue})"),
                    Some(_) => format!("f64({lvalue})"),
                    None => format!("(unsigned long long){lvalue}"),
                };
                let _ = writeln!(text, "        printf(\" %llx\", {value});");
            }
            let _ = writeln!(text, "        printf(\"\\n\");");
        }
        let _ = writeln!(text, "    }}");
    }
    text.push_str("    (void)step;\n    return 0;\n}\n");
    text
}

fn compile_and_run(text: &str) -> Result<String, String> {
    let options = [
        "cc",
        "-std=gnu11",
        "-O1",
        "-w",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        "-o",
        "run",
        "run.c",
    ];
    support::run_plan(&frontend::c::request::ReplayPlan {
        files: vec![("run.c".to_owned(), text.to_owned())],
        commands: vec![options.iter().map(ToString::to_string).collect(), vec!["./run".to_owned()]],
        how: String::new(),
    })
}

/// Compares what the compiled programs printed with what the evaluator computes.
fn compare(
    case: &Case,
    prepared: &Prepared,
    printed: &BTreeMap<(u64, usize), Vec<u128>>,
) -> Result<usize, String> {
    let run = replay(&prepared.system, &prepared.trace).map_err(|error| error.to_string())?;
    let signals = &prepared.translated.signals;
    let states: BTreeMap<&str, usize> =
        signals.states.iter().map(|(signal, state)| (signal.lvalue.as_str(), state.index())).collect();
    let outputs: BTreeMap<&str, usize> =
        signals.outputs.iter().map(|(signal, output)| (signal.lvalue.as_str(), *output)).collect();
    let mut compared = 0;
    for step in 0..prepared.trace.inputs.len() {
        let row = printed.get(&(case.seed, step)).ok_or_else(|| format!("step {step}: nothing printed"))?;
        for ((lvalue, _), &bits) in case.program.states.iter().zip(row) {
            let computed = match (states.get(lvalue.as_str()), outputs.get(lvalue.as_str())) {
                (Some(&state), _) => run.states[step + 1][state],
                (None, Some(&output)) => run.outputs[step][output],
                (None, None) => continue,
            };
            compared += 1;
            let native = Value::new(computed.sort(), bits);
            if !computed.agrees_with(native) {
                return Err(format!("step {step}, {lvalue}: computed {computed:?}, compiled {native:?}"));
            }
        }
    }
    Ok(compared)
}

fn parse(printed: &str) -> BTreeMap<(u64, usize), Vec<u128>> {
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

/// The failures among some cases, and the number of values that were compared.
fn failures(cases: &[Case], target: Target) -> (Vec<(u64, String)>, usize, usize) {
    let mut failed = Vec::new();
    let mut prepared = Vec::new();
    for case in cases {
        match prepare(case, target, STEPS) {
            Ok(ready) => prepared.push((case, ready)),
            Err(why) => failed.push((case.seed, why)),
        }
    }
    let pairs: Vec<(&Case, &Prepared)> = prepared.iter().map(|(case, ready)| (*case, ready)).collect();
    let printed = match compile_and_run(&harness(&pairs)) {
        Ok(printed) => printed,
        Err(why) if pairs.len() > 1 => {
            // Find the one that crashes.
            for (case, _) in &pairs {
                let single = Case { seed: case.seed, program: case.program.clone() };
                failed.extend(failures(std::slice::from_ref(&single), target).0);
            }
            assert!(!failed.is_empty(), "programs that fail together should fail alone: {why}");
            return (failed, 0, 0);
        }
        Err(why) => {
            failed.push((pairs[0].0.seed, why));
            return (failed, 0, 0);
        }
    };
    let rows = parse(&printed);
    let (mut values, mut steps) = (0, 0);
    for (case, ready) in &pairs {
        steps += ready.trace.inputs.len();
        match compare(case, ready, &rows) {
            Ok(compared) => values += compared,
            Err(why) => failed.push((case.seed, why)),
        }
    }
    (failed, values, steps)
}

fn run(options: Options, first: u64, count: u64) {
    let target = Target { model: DataModel::Lp64 };
    let (mut values, mut steps) = (0, 0);
    let mut start = first;
    while start < first + count {
        let end = (start + BATCH as u64).min(first + count);
        let cases: Vec<Case> = (start..end).map(|seed| case(seed, options)).collect();
        let (failed, compared, executed) = failures(&cases, target);
        if let Some((seed, why)) = failed.first() {
            report(&cases, *seed, why, target);
        }
        values += compared;
        steps += executed;
        start = end;
    }
    println!("{count} programs, {steps} steps, {values} values compared");
    assert!(values as u64 > count * 20, "only {values} values were compared");
}

fn report(cases: &[Case], seed: u64, why: &str, target: Target) -> ! {
    let case = cases.iter().find(|case| case.seed == seed).expect("the failing case should be one of them");
    let kind = why.split(':').next().unwrap_or("").to_owned();
    let is_step = kind.starts_with("step");
    assert!(is_step || kind.starts_with("cc "), "seed {seed}: {why}\n{}", case.program.text());
    let budget = number("CHAINCOVER_RANDOM_SHRINK", 400) as usize;
    let smaller = shrink(&case.program, budget, &mut |program| {
        let smaller = Case { seed, program: program.clone() };
        let (failed, ..) = failures(std::slice::from_ref(&smaller), target);
        failed
            .first()
            .is_some_and(|(_, other)| if is_step { other.starts_with("step") } else { other == why })
    });
    let small = Case { seed, program: smaller };
    let (again, ..) = failures(std::slice::from_ref(&small), target);
    panic!("seed {seed}: {why}\nshrunk: {again:?}\n{}", small.program.text());
}

#[test]
fn integer_programs_agree_with_the_compiler() {
    let count = number("CHAINCOVER_RANDOM_PROGRAMS", 100);
    run(Options { floats: false, bit_fields: false }, number("CHAINCOVER_RANDOM_SEED", 1), count);
}

#[test]
fn programs_with_floats_and_bit_fields_agree_with_the_compiler() {
    let count = number("CHAINCOVER_RANDOM_PROGRAMS", 100);
    run(Options { floats: true, bit_fields: true }, 1_000_000 + number("CHAINCOVER_RANDOM_SEED", 1), count);
}
