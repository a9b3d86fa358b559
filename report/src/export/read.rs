//! From `chain.json` to a [`Recording`]. Its inputs are taken as they are: what options make of
//! them was replayed before.

use super::recording::{Chain, Datum, Expected, Goal, Kind, Recording, Signal, Status, Tolerance, Verdict};
use crate::output::chain_file::{self, ChainFile, Values};
use config::duration;
use config::file::OutputSection;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Why a file cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A value that is missing or is none of its signal.
    #[error("chain {chain}, step {step}: `{signal}` has no value of its type")]
    Value {
        /// Number of the chain, from 1.
        chain: usize,
        /// The step.
        step: usize,
        /// The signal.
        signal: String,
    },
    /// A period that is no duration.
    #[error("the period `{0}` is not a duration")]
    Period(String),
    /// A tolerance for nothing.
    #[error("a tolerance is given for `{0}`, which is no output")]
    Tolerance(String),
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Rows by which outputs are compared later.
    pub latency: usize,
    /// Tolerances of outputs by name, on top of those of the configuration.
    pub tolerances: BTreeMap<String, Tolerance>,
}

/// Reads a file.
///
/// # Errors
/// Where values, period or tolerances make no sense.
pub fn recording(file: &ChainFile, options: &ReadOptions) -> Result<Recording, ReadError> {
    let period = file.model.period.as_ref().map(|text| {
        duration::parse(text)
            .ok()
            .filter(|period| !period.is_zero())
            .ok_or_else(|| ReadError::Period(text.clone()))
    });
    let inputs: Vec<Signal> = file.inputs.iter().map(|signal| read_signal(signal, file)).collect();
    let mut outputs: Vec<Signal> = file.outputs.iter().map(|signal| read_signal(signal, file)).collect();
    set_tolerances(&mut outputs, file, options)?;
    let chains = file
        .chains
        .iter()
        .enumerate()
        .map(|(number, chain)| read_chain(file, number, chain, &inputs, &outputs));
    Ok(Recording {
        tool: format!("{} {}", file.tool.name, file.tool.version),
        model: file.model.name.clone(),
        step: file.model.step.clone(),
        sources: file
            .model
            .sources
            .iter()
            .map(|source| (source.path.clone(), source.sha256.clone()))
            .collect(),
        period: period.transpose()?,
        goals: file.goals.iter().map(read_goal).collect(),
        requirements: file.requirements.clone(),
        verdicts: file.verdicts.clone(),
        chains: chains.collect::<Result<_, _>>()?,
        inputs,
        outputs,
        latency: options.latency,
    })
}

/// A signal as exporters see it.
pub(super) fn read_signal(signal: &chain_file::Signal, file: &ChainFile) -> Signal {
    let numbers = signal.enumerators.iter().filter_map(|(name, value)| Some((name.clone(), integer(value)?)));
    let step = signal.step.as_deref().and_then(|text| {
        let (numerator, denominator) = text.split_once('/')?;
        Some((numerator.parse().ok()?, denominator.parse().ok()?))
    });
    let read = Signal {
        name: signal.name.clone(),
        lvalue: signal.lvalue.clone(),
        type_name: signal.type_name.clone(),
        kind: if step.is_some() { Kind::Double } else { kind(signal, file) },
        bits: if step.is_some() { 64 } else { signal.bits },
        step,
        unit: signal.unit.clone(),
        text: signal.text.clone(),
        enumerators: numbers.collect(),
        tolerance: Tolerance::default(),
        initial: None,
    };
    let initial = signal.initial.as_ref().and_then(|initial| datum(initial, &read));
    Signal { initial, ..read }
}

/// What the file says; in files of early versions, what its values and types show.
fn kind(signal: &chain_file::Signal, file: &ChainFile) -> Kind {
    let float = if signal.bits == 32 { Kind::Single } else { Kind::Double };
    match signal.kind {
        Some(chain_file::Kind::Bool) if signal.bits == 1 || holds_truths(signal, file) => Kind::Bool,
        Some(chain_file::Kind::Bool) => Kind::Unsigned,
        Some(chain_file::Kind::Unsigned | chain_file::Kind::Pointer) => Kind::Unsigned,
        Some(chain_file::Kind::Signed) => Kind::Signed,
        Some(chain_file::Kind::Float) => float,
        None => {
            let steps = file.chains.iter().flat_map(|chain| &chain.steps);
            let mut values = steps
                .filter_map(|step| step.inputs.get(&signal.name).or_else(|| step.outputs.get(&signal.name)));
            let is_float =
                values.any(|value| value.is_object()) || ["float", "double"].contains(&&*signal.type_name);
            match () {
                () if is_float => float,
                () if signal.bits == 1 => Kind::Bool,
                () if signal.type_name.contains("unsigned") => Kind::Unsigned,
                () => Kind::Signed,
            }
        }
    }
}

/// Whether a signal whose type stands for truths has no other values: in C it could.
fn holds_truths(signal: &chain_file::Signal, file: &ChainFile) -> bool {
    let steps = file.chains.iter().flat_map(|chain| &chain.steps);
    let rows = steps.flat_map(|step| [&step.inputs, &step.outputs, &step.state]);
    let mut values = rows.filter_map(|row| row.get(&signal.name));
    values.all(|value| integer(&value).is_some_and(|number| number == 0 || number == 1))
}

fn set_tolerances(outputs: &mut [Signal], file: &ChainFile, options: &ReadOptions) -> Result<(), ReadError> {
    let configured = file.model.configuration.output.iter();
    let read = |section: &OutputSection| Tolerance {
        absolute: section.abs,
        relative: section.rel,
        ulps: section.ulp,
    };
    let configured = configured.map(|(name, section)| (name, read(section)));
    let given = options.tolerances.iter().map(|(name, tolerance)| (name, *tolerance));
    for (name, tolerance) in configured.chain(given) {
        let mut named =
            outputs.iter_mut().filter(|signal| signal.name == *name || signal.lvalue == *name).peekable();
        if named.peek().is_none() {
            return Err(ReadError::Tolerance(name.clone()));
        }
        named.for_each(|signal| signal.tolerance = tolerance);
    }
    Ok(())
}

fn read_goal(goal: &chain_file::Goal) -> Goal {
    Goal {
        name: goal.name.clone(),
        requirement: goal.requirement.clone(),
        text: goal.text.clone(),
        origin: goal.origin.as_ref().map(|origin| (origin.file.clone(), origin.line)),
        steps: goal.steps as usize,
        status: match goal.status {
            chain_file::Status::Covered => Status::Covered,
            chain_file::Status::Unreachable => Status::Unreachable,
            chain_file::Status::Undecided => Status::Undecided,
        },
        at: goal.chain.zip(goal.at),
        expectation: match goal.expectation {
            chain_file::Expectation::Held => Verdict::Held,
            chain_file::Expectation::Violated => Verdict::Violated,
            chain_file::Expectation::None => Verdict::None,
        },
        violation: goal.violation.map(|violation| (violation.chain, violation.at)),
        reason: goal.reason.clone(),
    }
}

fn read_chain(
    file: &ChainFile,
    number: usize,
    chain: &chain_file::Chain,
    inputs: &[Signal],
    outputs: &[Signal],
) -> Result<Chain, ReadError> {
    let row = |signals: &[Signal], values: &Values, step: usize| -> Result<Vec<Datum>, ReadError> {
        let wrong =
            |signal: &Signal| ReadError::Value { chain: number + 1, step, signal: signal.name.clone() };
        let value = |signal: &Signal| values.get(&signal.name).and_then(|json| datum(&json, signal));
        signals.iter().map(|signal| value(signal).ok_or_else(|| wrong(signal))).collect()
    };
    let steps = || chain.steps.iter().enumerate();
    let covers = |step: &chain_file::Step| {
        let position = |name: &String| file.goals.iter().position(|goal| goal.name == *name);
        step.covers.iter().filter_map(position).collect()
    };
    let free = |step: &chain_file::Step| -> Vec<bool> {
        inputs.iter().map(|signal| step.dont_care.contains(&signal.name)).collect()
    };
    Ok(Chain {
        inputs: steps().map(|(at, step)| row(inputs, &step.inputs, at)).collect::<Result<_, _>>()?,
        free: chain.steps.iter().map(free).collect(),
        outputs: steps()
            .filter(|(_, step)| step.ends.is_none())
            .map(|(at, step)| row(outputs, &step.outputs, at))
            .collect::<Result<_, _>>()?,
        expected: chain.steps.iter().map(|step| read_expected(step, outputs)).collect(),
        states: states(file, chain),
        ends: chain.steps.last().and_then(|step| step.ends.clone()),
        covers: chain.steps.iter().map(covers).collect(),
        order: chain.order.clone(),
        initial_inputs: chain
            .initial_inputs
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), Datum::Integer(integer(value)?))))
            .collect(),
        replayed: chain.replayed == Json::Bool(true),
    })
}

/// What requirements expect of outputs in a step; values of other types are left out.
fn read_expected(step: &chain_file::Step, outputs: &[Signal]) -> Vec<Expected> {
    let read = |(name, expected): (&String, &chain_file::Expected)| {
        let output = outputs.iter().position(|signal| signal.name == *name)?;
        let value = match &expected.value {
            Some(json) => Some(datum(json, &outputs[output])?),
            None => None,
        };
        Some(Expected { output, value, requirement: expected.requirement.clone() })
    };
    step.expected.iter().filter_map(read).collect()
}

/// What is known of the state before each step and behind the last one.
fn states(file: &ChainFile, chain: &chain_file::Chain) -> Vec<(String, Vec<Option<Datum>>)> {
    let rows = || chain.steps.iter().map(|step| &step.state).chain([&chain.end_state]);
    let read = |state: &chain_file::Signal| {
        let signal = read_signal(state, file);
        let values: Vec<Option<Datum>> = rows().map(|row| datum(&row.get(&state.name)?, &signal)).collect();
        (state.name.clone(), values)
    };
    file.state.iter().map(read).collect()
}

fn integer(json: &Json) -> Option<i128> {
    match json {
        Json::Bool(holds) => Some(i128::from(*holds)),
        Json::Number(number) => number.as_i64().map(i128::from).or(number.as_u64().map(i128::from)),
        Json::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A value of `chain.json` as value of its signal.
fn datum(json: &Json, signal: &Signal) -> Option<Datum> {
    let bits = || {
        let text = json.get("bits")?.as_str()?.strip_prefix("0x")?;
        u64::from_str_radix(text, 16).ok()
    };
    if let Some((numerator, denominator)) = signal.step {
        let number = integer(json)?.checked_mul(numerator)?;
        return Some(Datum::Double(number as f64 / denominator as f64));
    }
    Some(match signal.kind {
        Kind::Single => Datum::Single(f32::from_bits(u32::try_from(bits()?).ok()?)),
        Kind::Double => Datum::Double(f64::from_bits(bits()?)),
        Kind::Bool | Kind::Unsigned | Kind::Signed => {
            let number = integer(json)?;
            let fits = match signal.kind {
                Kind::Signed => {
                    signal.bits >= 127 || {
                        let half = 1i128 << (signal.bits.max(1) - 1);
                        (-half..half).contains(&number)
                    }
                }
                _ => number >= 0 && (signal.bits >= 127 || number >> signal.bits == 0),
            };
            return fits.then_some(Datum::Integer(number));
        }
    })
}
