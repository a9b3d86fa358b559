//! Tests that stand in files: their values as inputs of a model, and where they do not fit.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use engine::step::external;
use frontend::{InputSignal, SignalKind};
use model::id::Id;
use model::sort::Sort;
use model::system::{Input, InputId, InputRole};
use model::trace::{Start, Trace};
use model::value::Value;
use report::output::number;
use serde_json::Value as Json;

/// Steps of one test at most: a wrong time in a table shall not fill the memory.
pub(crate) const MOST_STEPS: usize = 1_000_000;

/// A test as it is written.
pub(crate) struct Written {
    pub(crate) trace: Trace,
    /// The line of the file that each step was read from, where the file has such lines.
    pub(crate) lines: Vec<u64>,
}

/// Why a file is no test of the model: the line, where it is known, and the reason.
pub(crate) struct Misfit {
    pub(crate) line: Option<u64>,
    pub(crate) error: Error,
}

impl Misfit {
    pub(crate) fn at(line: u64, why: impl Into<String>) -> Self {
        Self { line: Some(line), error: Error::new(ErrorKind::Request, why) }
    }

    /// What the parser of tables says.
    pub(crate) fn of_table(error: &csv::Error) -> Self {
        match error.position() {
            Some(at) => Self::at(at.line(), error.to_string()),
            None => Error::request(error).into(),
        }
    }
}

impl From<Error> for Misfit {
    fn from(error: Error) -> Self {
        Self { line: None, error }
    }
}

/// What tables and lists of inputs do not tell of a model's executions; `None`: they tell all.
pub(crate) fn untold(model: &Model) -> Option<String> {
    let system = &model.system;
    if !system.initial_inputs.is_empty() {
        let message =
            "the initial state of this model has inputs, which these files do not tell: give a chain.json";
        return Some(message.to_owned());
    }
    choice(model)
}

/// Why lists of inputs do not tell an execution: the system chooses, too.
pub(crate) fn choice(model: &Model) -> Option<String> {
    let system = &model.system;
    let is_result = |input| system.external_calls.iter().any(|call| call.input == input);
    let is_choice = |&(id, input): &(InputId, &Input)| input.role == InputRole::Choice && !is_result(id);
    let (choice, _) = system.inputs.iter().find(is_choice)?;
    let name = system.input_name(choice);
    Some(format!("the system chooses {name}, which these files do not tell: give a chain.json"))
}

pub(crate) fn cell_value(model: &Model, signal: &InputSignal, cell: &str) -> Option<Value> {
    let sort = sort(model, signal);
    if let SignalKind::Enum { enumerators, .. } = &signal.signal.kind
        && let Some((_, value)) = enumerators.iter().find(|(name, _)| name == cell)
    {
        return number::from_json(&Json::String(value.to_string()), sort);
    }
    if let SignalKind::Counted { step, .. } = &signal.signal.kind {
        let count = steps_of(cell, *step)?;
        let found = number::from_json(&Json::String(count.to_string()), sort)?;
        return (number::integer(found, &signal.signal.kind) == count).then_some(found);
    }
    let truth = match cell {
        "true" | "TRUE" => Some("1"),
        "false" | "FALSE" => Some("0"),
        _ => None,
    };
    let cell = truth.filter(|_| signal.signal.kind == SignalKind::Bool).unwrap_or(cell);
    match (cell.parse::<i128>(), sort) {
        (Ok(value), Sort::Word(_)) => {
            let found = number::from_json(&Json::String(cell.to_owned()), sort)?;
            // 200 is no signed char and -1 is no unsigned one, though both have eight bits.
            (number::integer(found, &signal.signal.kind) == value).then_some(found)
        }
        (_, Sort::Float(format)) => match (format, cell) {
            (model::sort::FloatFormat::Single, _) => cell.parse().ok().map(Value::single),
            (model::sort::FloatFormat::Double, _) => cell.parse().ok().map(Value::double),
        },
        _ => None,
    }
}

/// How many steps a decimal number is; none where it is between two of them.
fn steps_of(cell: &str, (numerator, denominator): (i128, i128)) -> Option<i128> {
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    let digits: i128 = format!("{whole}{part}").parse().ok()?;
    let units = digits.checked_mul(denominator)?;
    let unit = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?.checked_mul(numerator)?;
    (units % unit == 0).then_some(units / unit)
}

pub(crate) fn sort(model: &Model, signal: &InputSignal) -> Sort {
    model.system.terms.symbol(model.system.inputs[signal.input].symbol).sort
}

/// The inputs of a step; those that nobody chooses are 0.
pub(crate) fn row<E>(
    model: &Model,
    value: impl Fn(&InputSignal) -> Result<Value, E>,
) -> Result<Vec<Value>, E> {
    let system = &model.system;
    let zero = |symbol| Value::zero(system.terms.symbol(symbol).sort);
    let mut row: Vec<Value> = system.inputs.values().map(|input| zero(input.symbol)).collect();
    for signal in &model.translated.signals.inputs {
        row[signal.input.index()] = value(signal)?;
    }
    Ok(row)
}

pub(crate) fn of_rows(model: &Model, inputs: Vec<Vec<Value>>) -> Result<Trace, Error> {
    let system = &model.system;
    if let Some(why) = untold(model) {
        return Err(Error::new(ErrorKind::Request, why));
    }
    let trace = Trace { start: Start::Initial(Vec::new()), inputs };
    Ok(external::complete(system, trace))
}
