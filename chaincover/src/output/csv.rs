//! Canonical CSV: `time` (or `step`), inputs, expected outputs, `covers`.
//!
//! Row k holds the inputs applied at t = k * period and held until the next row, and the outputs after step k. RFC 4180,
//! `.` as decimal point, `\n` line ends; integers exact; floats shortest that read back equal. Several chains follow
//! one another with a `chain` column in front.

use super::chain_file::ChainFile;
use serde_json::{Map, Value as Json};
use std::time::Duration;

/// The table of all chains.
///
/// # Errors
/// Never in practice: the writer works in memory.
pub fn canonical(file: &ChainFile, period: Option<Duration>) -> Result<String, csv::Error> {
    let several = file.chains.len() > 1;
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let time = if period.is_some() { "time" } else { "step" };
    let header = several.then_some("chain").into_iter().chain([time]);
    let names = file.inputs.iter().chain(&file.outputs).map(|signal| signal.name.as_str());
    writer.write_record(header.chain(names).chain(["covers"]))?;
    for (index, chain) in file.chains.iter().enumerate() {
        for (number, step) in chain.steps.iter().enumerate() {
            let mut row = Vec::new();
            if several {
                row.push(index.to_string());
            }
            row.push(period.map_or_else(|| number.to_string(), |period| seconds(period, number)));
            row.extend(file.inputs.iter().map(|signal| cell(&step.inputs, &signal.name)));
            row.extend(file.outputs.iter().map(|signal| cell(&step.outputs, &signal.name)));
            row.push(step.covers.join(" "));
            writer.write_record(&row)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `number` periods in seconds, exact to the nanosecond, without superfluous zeros.
fn seconds(period: Duration, number: usize) -> String {
    let nanoseconds = period.as_nanos() * number as u128;
    let (whole, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:09}").trim_end_matches('0').to_owned()
}

fn cell(values: &Map<String, Json>, name: &str) -> String {
    match values.get(name) {
        Some(Json::Object(float)) => float.get("value").map(plain).unwrap_or_default(),
        Some(other) => plain(other),
        None => String::new(),
    }
}

fn plain(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        Json::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_exact() {
        let table = [
            (5_000_000, 3, "0.015"),
            (1_000_000_000, 7, "7"),
            (1, 1, "0.000000001"),
            (100_000_000, 25, "2.5"),
        ];
        for (nanoseconds, number, expected) in table {
            assert_eq!(seconds(Duration::from_nanos(nanoseconds), number), expected);
        }
    }
}
