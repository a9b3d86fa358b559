//! A pytest module that replays the chains on a rig, and an example of the driver that connects the
//! two.
//!
//! `test_chain.py` holds the data and the comparison; the user writes `chain_driver.py` with a
//! class `Driver`. The example is written under another name, so that a driver that was filled in
//! is never overwritten.

use super::recording::{Datum, Kind, Recording, Signal};
use super::{ExportError, ExportFile};
use frontend::diagnostics::is_hidden;
use std::fmt::Write;

/// The test module and the example driver.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    Ok(vec![
        ExportFile::text("test_chain.py", module(recording)),
        ExportFile::text("chain_driver_example.py", driver(recording)),
    ])
}

fn module(recording: &Recording) -> String {
    let mut text = format!(
        "\"\"\"Test case chains of {}, written by {}. Needs chain_driver.py, see chain_driver_example.py.\"\"\"\n",
        one_line(&recording.model),
        one_line(&recording.tool)
    );
    text.push_str("from math import inf, nan\n\n");
    let period = if recording.period.is_some() { recording.seconds_text(1) } else { "None".to_owned() };
    let _ = writeln!(text, "PERIOD = {period}  # seconds between two steps");
    let _ = writeln!(text, "OUTPUT_LATENCY = {}  # steps by which outputs are seen later", recording.latency);
    let _ = writeln!(text, "INPUTS = {}", list(recording.inputs.iter().map(|signal| string(&signal.name))));
    text.push_str("# name, type, absolute, relative tolerance, units in the last place\nOUTPUTS = [\n");
    for signal in &recording.outputs {
        let _ = writeln!(text, "    {},", output(signal));
    }
    text.push_str("]\n# goal, requirement, chain, first step, verdict\nGOALS = [\n");
    for goal in &recording.goals {
        let (chain, step) = goal.at.map_or(("None".to_owned(), "None".to_owned()), |(chain, step)| {
            (chain.to_string(), step.to_string())
        });
        let requirement = goal.requirement.as_deref().map_or_else(|| "None".to_owned(), string);
        let verdict = string(goal.expectation.name());
        let _ = writeln!(text, "    ({}, {requirement}, {chain}, {step}, {verdict}),", string(&goal.name));
    }
    text.push_str("]\n# one list for each chain; one (inputs, expected outputs) for each step\nCHAINS = [\n");
    for chain in &recording.chains {
        text.push_str("    [\n");
        for (step, inputs) in chain.inputs.iter().enumerate() {
            // A last step that does not return has no outputs: nothing is compared behind it.
            let outputs = chain.outputs.get(step).map_or(&[][..], Vec::as_slice);
            let (inputs, outputs) = (values(inputs), values(outputs));
            let _ = writeln!(text, "        ({inputs}, {outputs}),");
        }
        text.push_str("    ],\n");
    }
    text.push_str("]\n");
    text.push_str(BODY);
    text
}

/// The part that is the same for all chains.
const BODY: &str = r#"

import struct

import pytest


def _same(seen, expected, kind, absolute, relative, ulps):
    """Whether a measured value agrees with the expected one."""
    if kind not in ("single", "double"):
        return int(seen) == expected
    if kind == "single":
        seen = struct.unpack("<f", struct.pack("<f", seen))[0]
        expected = struct.unpack("<f", struct.pack("<f", expected))[0]
    if expected != expected or expected in (inf, -inf):
        return seen == expected or (seen != seen and expected != expected)
    pattern, word = ("<f", "<I") if kind == "single" else ("<d", "<Q")
    bits = struct.unpack(word, struct.pack(pattern, abs(expected)))[0]
    above = struct.unpack(pattern, struct.pack(word, bits + 1))[0]
    ulp = above - abs(expected) if above != inf else abs(expected) * 2.0 ** (-24 if kind == "single" else -53)
    return abs(seen - expected) <= max(absolute, relative * abs(expected), ulps * ulp)


@pytest.fixture
def driver():
    try:
        from chain_driver import Driver
    except ModuleNotFoundError as error:
        if error.name != "chain_driver":
            raise
        pytest.skip("write chain_driver.py; chain_driver_example.py shows how")
    driver = Driver()
    yield driver
    driver.close()


@pytest.mark.parametrize("number", range(len(CHAINS)))
def test_chain(driver, number):
    chain = CHAINS[number]
    driver.reset()
    wrong = []
    for row in range(len(chain) + OUTPUT_LATENCY):
        inputs = chain[min(row, len(chain) - 1)][0]
        for name, value in zip(INPUTS, inputs):
            driver.set_input(name, value)
        driver.step()
        step = row - OUTPUT_LATENCY
        if step < 0:
            continue
        for (name, kind, absolute, relative, ulps), expected in zip(OUTPUTS, chain[step][1]):
            seen = driver.get_output(name)
            if not _same(seen, expected, kind, absolute, relative, ulps):
                goals = [goal[0] for goal in GOALS if goal[2] == number and goal[3] == step]
                wrong.append(f"step {step}: {name} is {seen}, expected {expected} {goals or ''}".rstrip())
    assert not wrong, "\n".join(wrong)
"#;

fn driver(recording: &Recording) -> String {
    let names = |signals: &[Signal]| {
        let lines = signals.iter().map(|signal| {
            let unit =
                signal.unit.as_ref().map_or_else(String::new, |unit| format!(" in {}", one_line(unit)));
            format!("    {}: {}{unit}\n", one_line(&signal.name), one_line(&signal.type_name))
        });
        lines.collect::<String>()
    };
    format!(
        r#""""Connects test_chain.py with a rig: save as chain_driver.py and fill in.

Inputs:
{}
Outputs:
{}"""


class Driver:
    def reset(self):
        """Bring the system into its initial state."""
        raise NotImplementedError

    def set_input(self, name, value):
        """Apply an input; it stays until it is set again."""
        raise NotImplementedError

    def step(self):
        """Let one period pass."""
        raise NotImplementedError

    def get_output(self, name):
        """The output after the step."""
        raise NotImplementedError

    def close(self):
        """Release the rig."""
"#,
        names(&recording.inputs),
        names(&recording.outputs)
    )
}

fn output(signal: &Signal) -> String {
    let kind = match signal.kind {
        Kind::Bool => "boolean",
        _ => signal.storage().map_or("integer", |storage| storage.name()),
    };
    let tolerance = signal.tolerance;
    let number = |value: Option<f64>| Datum::Double(value.unwrap_or(0.0)).text();
    let (absolute, relative) = (number(tolerance.absolute), number(tolerance.relative));
    format!("({}, \"{kind}\", {absolute}, {relative}, {})", string(&signal.name), tolerance.ulps.unwrap_or(0))
}

fn values(values: &[Datum]) -> String {
    let python = |value: &Datum| match value {
        Datum::Single(value) if value.is_nan() => "nan".to_owned(),
        Datum::Double(value) if value.is_nan() => "nan".to_owned(),
        Datum::Single(value) => format!("{value:?}"),
        Datum::Double(value) => format!("{value:?}"),
        Datum::Integer(number) => number.to_string(),
    };
    list(values.iter().map(python))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A Python string literal. JSON's escapes are Python's, but for characters that take two of them.
fn string(text: &str) -> String {
    let mut literal = String::new();
    for character in serde_json::Value::from(text).to_string().chars() {
        match is_hidden(character) {
            true => {
                let _ = write!(literal, "\\U{:08x}", u32::from(character));
            }
            false => literal.push(character),
        }
    }
    literal
}

/// Text that may stand in a docstring.
fn one_line(text: &str) -> String {
    let plain =
        |character: char| if is_hidden(character) || "\"\\".contains(character) { '_' } else { character };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn values_are_python() {
        let row = [
            Datum::Integer(-3),
            Datum::Single(0.1),
            Datum::Double(f64::NAN),
            Datum::Double(f64::NEG_INFINITY),
        ];
        assert_eq!(values(&row), "[-3, 0.1, nan, -inf]");
    }

    #[test]
    fn text_cannot_break_out() {
        let mut recording = recording();
        recording.model = "\"\"\"\nimport os".to_owned();
        recording.inputs[0].name = "a\"b\\".to_owned();
        let text = module(&recording);
        assert!(text.starts_with("\"\"\"Test case chains of ____import os,"), "{text}");
        assert!(text.contains(r#"INPUTS = ["a\"b\\", "count"]"#), "{text}");
    }
}
