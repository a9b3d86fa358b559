//! A random program with its system and an execution of it.

use crate::differential::generate::{Options, generate};
use crate::differential::program::Program;
use crate::differential::support::{Random, checked, messages, random_trace};
use frontend::{Request, StepFunction, Translated};
use frontend_c::ir::target::Target;
use frontend_c::lower::{ConditionKind, ConditionRequest, Loader};
use model::trace::Trace;
use model::validate::Validated;

/// Steps of each execution.
const STEPS: usize = 12;

/// A program that was generated from a seed.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) program: Program,
}

/// What is made of a program.
pub(crate) struct Prepared {
    pub(crate) translated: Translated,
    pub(crate) system: Validated,
    pub(crate) trace: Trace,
}

/// The program of a seed.
pub(crate) fn case(seed: u64, options: Options) -> Case {
    let program = generate(&mut Random(seed), &format!("q{seed}"), options);
    Case { seed, program }
}

/// Translates a program for a data model, and finds an execution that C defines.
pub(crate) fn prepare(case: &Case, target: Target) -> Result<Prepared, String> {
    let loaded = Loader::load_texts(&[("model.c", &model_text(&case.program))], target);
    let mut loader = loaded.map_err(|failure| format!("loading: {:?}", failure.diagnostics.entries))?;
    let inputs = case.program.inputs.iter().map(|lvalue| ConditionRequest {
        text: lvalue.clone(),
        origin: "inputs".to_owned(),
        written: None,
        kind: ConditionKind::Lvalue,
    });
    let function = loader.program().function_named(&case.program.step);
    let (conditions, diagnostics) = loader.lower_conditions(function, &inputs.collect::<Vec<_>>());
    let mut told = diagnostics.entries.iter().map(|entry| entry.code);
    assert!(told.all(|code| code.text == "wide-bit-field"), "{diagnostics:?}");
    let mut program = loader.into_program();
    program.conditions = conditions;
    let step = StepFunction { function: case.program.step.clone(), every: 1, phase: 0 };
    let inputs = Some(case.program.inputs.clone());
    let request = Request { step: vec![step], target, inputs, ..Request::default() };
    let translated = frontend_c::translate_program(&request, program)
        .map_err(|failure| format!("translating: {}", messages(&failure)))?;
    let system = checked(&translated);
    let trace = random_trace(&system, &mut Random(case.seed ^ 0x5eed), STEPS, true);
    Ok(Prepared { translated, system, trace })
}

/// The program with a property, as the front end gets it.
fn model_text(program: &Program) -> String {
    let step = &program.step;
    format!(
        "{}{}void {step}_p(void) {{\n    __CPROVER_assume(1);\n    {step}();\n}}\n",
        prototypes(),
        program.text()
    )
}

/// What the header math.h would declare.
fn prototypes() -> String {
    let mut text = String::from("int isnan(double), isinf(double), isfinite(double), signbit(double);\n");
    let lists = [
        (crate::differential::generate::ONE, 1),
        (crate::differential::generate::TWO, 2),
        (crate::differential::generate::REMAINDERS, 2),
        (&["fma"], 3),
    ];
    for (names, count) in lists {
        for name in names {
            for (ty, suffix) in [("double", ""), ("float", "f")] {
                text.push_str(&format!("{ty} {name}{suffix}({});\n", vec![ty; count].join(", ")));
            }
        }
    }
    text
}
