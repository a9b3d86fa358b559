//! The third semantics: a chain on the compiled code, compared value by value with the evaluator's run.

use crate::native::{self, Disagreement};
use frontend::c::request::{Translated, leaves_value_open};
use model::id::Id;
use model::trace::{Execution, HazardMet, Trace};
use model::validate::Validated;
use model::value::Value;
use std::fmt;

/// The result for one chain.
#[derive(Clone, Debug)]
pub enum NativeCheck {
    /// Every recorded state and output agrees.
    Agrees {
        /// How the compiled code was made to fit the target.
        how: String,
    },
    /// The compiled code does something else: a defect of this program, or undefined behaviour that the chain runs into.
    Disagrees {
        /// What differs first.
        differences: Vec<String>,
    },
    /// It could not be compiled or started.
    Unavailable {
        /// Why.
        reason: String,
    },
    /// It was not asked for.
    Skipped {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for NativeCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees { how } => write!(formatter, "the compiled code agrees ({how})"),
            Self::Disagrees { differences } => {
                write!(formatter, "the compiled code disagrees with the computed chain:")?;
                differences.iter().try_for_each(|difference| write!(formatter, "\n  {difference}"))
            }
            Self::Unavailable { reason } => {
                write!(formatter, "the chain was checked by the evaluator alone: {reason}")
            }
            Self::Skipped { reason } => {
                write!(formatter, "the chain was not run on the compiled code ({reason})")
            }
        }
    }
}

/// Differences shown at most.
const SHOWN: usize = 10;

/// Compiles the model, runs the chain on it, and compares.
pub fn check(translated: &Translated, system: &Validated, trace: &Trace, run: &Execution) -> NativeCheck {
    let plan = match translated.source.replay_plan(trace) {
        Ok(plan) => plan,
        Err(diagnostics) => {
            let reasons: Vec<_> = diagnostics.entries.iter().map(|entry| entry.message.as_str()).collect();
            return NativeCheck::Unavailable { reason: reasons.join("; ") };
        }
    };
    let native = match native::run(&plan) {
        Ok(native) => native,
        Err(error) => return NativeCheck::Unavailable { reason: error.to_string() },
    };
    let found = compare(translated, system, run, &native.observation);
    if native.crash.is_none()
        && let Some(reason) = open_value(system, run, &found)
    {
        return NativeCheck::Unavailable { reason };
    }
    let mut differences: Vec<String> = found.iter().map(ToString::to_string).collect();
    if let Some(crash) = &native.crash {
        let step = native.observation.entered_steps().saturating_sub(1);
        differences
            .insert(0, format!("it ended with {crash} in step {step}{}", hazards_text(system, run, step)));
    }
    differences.truncate(SHOWN);
    if differences.is_empty() {
        NativeCheck::Agrees { how: plan.how }
    } else {
        NativeCheck::Disagrees { differences }
    }
}

/// Why differences tell nothing: all come behind an operation whose value C leaves open.
fn open_value(system: &Validated, run: &Execution, differences: &[Disagreement]) -> Option<String> {
    let description = |met: &HazardMet| system.hazards[met.hazard].description.as_str();
    let open = run.hazards.iter().filter(|met| leaves_value_open(description(met)));
    let first_open = open.min_by_key(|met| met.step)?;
    let step = first_open.step;
    let first = differences.first()?;
    let comes_later = |difference: &Disagreement| match difference.kind {
        "state" => difference.step > step,
        _ => difference.step >= step,
    };
    differences.iter().all(comes_later).then(|| {
        format!(
            "step {step} of the chain runs into {}; C leaves open which value that yields, and the compiled code goes on with another: {first}",
            description(first_open)
        )
    })
}

fn hazards_text(system: &Validated, run: &Execution, step: usize) -> String {
    let met = run.hazards.iter().filter(|met| met.step == step);
    let texts: Vec<_> = met.map(|met| system.hazards[met.hazard].description.as_str()).collect();
    if texts.is_empty() { String::new() } else { format!(", where the chain runs into {}", texts.join(", ")) }
}

fn compare(
    translated: &Translated,
    system: &Validated,
    run: &Execution,
    observation: &native::Observation,
) -> Vec<Disagreement> {
    let states = &translated.signals.states;
    let outputs = &translated.signals.outputs;
    let mut all = Vec::new();
    for (step, state) in run.states.iter().enumerate() {
        let computed: Vec<Value> = states.iter().map(|(_, id)| state[id.index()]).collect();
        let signals = states.iter().map(|(signal, _)| signal);
        all.extend(native::compare("state", step, signals, &computed, |index| {
            observation.state(step, index)
        }));
        if let Some(row) = run.outputs.get(step) {
            let computed: Vec<Value> = outputs.iter().map(|(_, index)| row[*index]).collect();
            let signals = outputs.iter().map(|(signal, _)| signal);
            all.extend(native::compare("output", step, signals, &computed, |index| {
                observation.output(step, index)
            }));
        }
    }
    debug_assert!(run.states.iter().all(|state| state.len() == system.states.len()));
    all
}
