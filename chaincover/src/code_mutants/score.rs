//! Stored chains and vectors as executions of a model.

use super::CodeMutateOptions;
use super::judging::{Run, execution};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::replay::{read_stored, trace};
use engine::step::external;
use frontend::{InputSignal, SignalKind};
use model::id::Id;
use model::trace::{Start, Trace};
use model::value::Value;
use report::mutation::{self, MutationFile};
use report::output::number;
use serde_json::Value as Json;
use std::path::Path;

/// The chains of all files that are to be judged; `None` where there are none.
///
/// # Errors
/// [`ErrorKind::Request`]: files that are no chains of this model. [`ErrorKind::Deviates`]: chains
/// that are no executions of it.
pub(super) fn stored(original: &Model, options: &CodeMutateOptions) -> Result<Option<Vec<Run>>, Error> {
    if options.score.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for path in &options.score {
        let refuse = |error: Error| Error::new(error.kind, format!("{}: {}", path.display(), error.brief()));
        for trace in traces(original, path).map_err(refuse)? {
            found.push(execution(original, trace).map_err(refuse)?);
        }
    }
    Ok(Some(found))
}

fn traces(original: &Model, path: &Path) -> Result<Vec<Trace>, Error> {
    let is_table = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let text = std::fs::read_to_string(path).map_err(|error| Error::request(&error))?;
    if is_table {
        return Ok(vec![table(original, &text)?]);
    }
    let json: Json = serde_json::from_str(&text).map_err(|error| Error::request(&error))?;
    if json["schema"] == mutation::SCHEMA {
        let file: MutationFile = serde_json::from_value(json).map_err(|error| Error::request(&error))?;
        return file.chains.iter().map(|chain| of_mutants(original, chain)).collect();
    }
    let file = read_stored(path)?;
    file.chains.iter().enumerate().map(|(index, chain)| trace(original, chain, index)).collect()
}

/// A chain of an earlier result of `mutate`.
fn of_mutants(original: &Model, chain: &mutation::Chain) -> Result<Trace, Error> {
    let rows = chain.steps.iter().enumerate().map(|(step, listed)| {
        row(original, |signal| {
            let json = listed.inputs.get(&signal.signal.name);
            let sort = sort(original, signal);
            json.and_then(|json| number::from_json(json, sort))
                .ok_or_else(|| format!("step {step} has no value for {}", signal.signal.name))
        })
    });
    of_rows(original, rows.collect::<Result<_, _>>()?)
}

/// A table of values: a column for each input, named as in results or as in C, and a row for each
/// step.
fn table(original: &Model, text: &str) -> Result<Trace, Error> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| Error::request(&error))?.clone();
    let column = |signal: &InputSignal| {
        let is_it = |name: &str| name == signal.signal.name || name == signal.signal.lvalue;
        names.iter().position(is_it)
    };
    if let Some(missing) = original.translated.signals.inputs.iter().find(|signal| column(signal).is_none()) {
        let message = format!("there is no column for the input {}", missing.signal.name);
        return Err(Error::new(ErrorKind::Request, message));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Error::request(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let row = row(original, |signal| {
            let cell = column(signal).and_then(|column| record.get(column)).unwrap_or("");
            cell_value(original, signal, cell).ok_or_else(|| {
                format!(
                    "line {line}: `{cell}` is no value of type {} for {}",
                    signal.signal.type_name, signal.signal.name
                )
            })
        });
        rows.push(row?);
    }
    of_rows(original, rows)
}

fn cell_value(original: &Model, signal: &InputSignal, cell: &str) -> Option<Value> {
    let sort = sort(original, signal);
    if let SignalKind::Enum { enumerators, .. } = &signal.signal.kind
        && let Some((_, value)) = enumerators.iter().find(|(name, _)| name == cell)
    {
        return number::from_json(&Json::String(value.to_string()), sort);
    }
    let truth = match cell {
        "true" | "TRUE" => Some("1"),
        "false" | "FALSE" => Some("0"),
        _ => None,
    };
    let cell = truth.filter(|_| signal.signal.kind == SignalKind::Bool).unwrap_or(cell);
    match cell.parse::<i64>() {
        Ok(number) => number::from_json(&Json::from(number), sort),
        Err(_) => number::from_json(&Json::String(cell.to_owned()), sort).or_else(|| {
            let number = serde_json::Number::from_f64(cell.parse().ok()?)?;
            number::from_json(&Json::Number(number), sort)
        }),
    }
}

fn sort(original: &Model, signal: &InputSignal) -> model::sort::Sort {
    original.system.terms.symbol(original.system.inputs[signal.input].symbol).sort
}

/// The inputs of a step; those that nobody chooses are 0.
fn row(original: &Model, value: impl Fn(&InputSignal) -> Result<Value, String>) -> Result<Vec<Value>, Error> {
    let system = &original.system;
    let zero = |symbol| Value::zero(system.terms.symbol(symbol).sort);
    let mut row: Vec<Value> = system.inputs.values().map(|input| zero(input.symbol)).collect();
    for signal in &original.translated.signals.inputs {
        row[signal.input.index()] = value(signal).map_err(|why| Error::new(ErrorKind::Request, why))?;
    }
    Ok(row)
}

fn of_rows(original: &Model, inputs: Vec<Vec<Value>>) -> Result<Trace, Error> {
    let system = &original.system;
    if !system.initial_inputs.is_empty() {
        let message =
            "the initial state of this model has inputs, which these files do not tell: give a chain.json";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let trace = Trace { start: Start::Initial(Vec::new()), inputs };
    Ok(external::complete(system, &trace))
}
