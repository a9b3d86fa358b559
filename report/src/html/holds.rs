//! The chain as a table of how long inputs are held, in steps and in time.

use super::text::escaped;
use crate::output::chain_file::{Chain, ChainFile};
use crate::output::holds::{period, seconds, time_text};
use serde_json::Value as Json;

/// Most rows for a chain.
const ROWS: usize = 1_000;

/// A table for each chain, folded.
pub(super) fn section(file: &ChainFile) -> String {
    file.chains.iter().enumerate().map(|(number, chain)| table(file, number, chain)).collect()
}

fn table(file: &ChainFile, number: usize, chain: &Chain) -> String {
    if chain.holds.is_empty() {
        return String::new();
    }
    let period = period(file);
    let time = |steps: usize| {
        period.map_or_else(String::new, |period| format!("<td>{}</td>", time_text(seconds(steps, period))))
    };
    let head = if period.is_some() { "<th>At</th><th>For</th>" } else { "" };
    let inputs: String =
        file.inputs.iter().map(|input| format!("<th>{}</th>", escaped(&input.name))).collect();
    let mut rows = String::new();
    for hold in chain.holds.iter().take(ROWS) {
        let values = file.inputs.iter().map(|input| {
            let text = hold.inputs.get(&input.name).map(|now| value(&now)).unwrap_or_default();
            format!("<td>{}</td>", escaped(&text))
        });
        rows += &format!(
            "<tr><td>{}</td><td>{}</td>{}{}{}<td>{}</td></tr>\n",
            hold.at,
            hold.steps,
            time(hold.at),
            time(hold.steps),
            values.collect::<String>(),
            escaped(&hold.covers.join(" "))
        );
    }
    let hidden = chain.holds.len().saturating_sub(ROWS);
    let rest = if hidden > 0 { format!("<p>{hidden} more in the JSON</p>\n") } else { String::new() };
    let whole = chain.seconds.map_or_else(String::new, |time| format!(", {}", time_text(time)));
    format!(
        "<details><summary>Chain {}: {} steps{whole}, inputs held {} times</summary>\n<table class=\"numbers\"><thead><tr><th>Step</th>\
         <th>Steps held</th>{head}{inputs}<th>Covers</th></tr></thead>\n<tbody>{rows}</tbody></table>\n{rest}</details>\n",
        number + 1,
        chain.length,
        chain.holds.len()
    )
}

fn value(value: &Json) -> String {
    match value {
        Json::Object(float) => float.get("value").map(value_text).unwrap_or_default(),
        other => value_text(other),
    }
}

fn value_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
