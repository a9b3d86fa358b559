//! A pytest module that replays the chains on a rig, and an example of the driver that connects the
//! two.
//!
//! `test_chain.py` holds the data, the comparison with the record, and one case for each
//! requirement, which judges what was measured by the requirement's own conditions; the user writes
//! `chain_driver.py` with a class `Driver`. The example is written under another name, so that a driver that was filled in
//! is never overwritten.

use super::recording::{Datum, Expected, Kind, Recording, Signal};
use super::{ExportError, ExportFile};
use crate::output::chain_file::{self, Conditions, Node, StatedRequirement};
use frontend::diagnostics::is_hidden;
use std::collections::BTreeMap;
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
    text.push_str("]\n# what requirements expect of outputs, for each chain, by step and name: value, or None where the\n# record violates a requirement, and the requirement\nEXPECTED = [\n");
    for chain in &recording.chains {
        text.push_str("    {\n");
        for (step, expected) in chain.expected.iter().enumerate() {
            for Expected { output, value, requirement } in expected {
                let name = string(&recording.outputs[*output].name);
                let value = value.map_or_else(|| "None".to_owned(), |value| python(&value));
                let _ = writeln!(text, "        ({step}, {name}): ({value}, {}),", string(requirement));
            }
        }
        text.push_str("    },\n");
    }
    let (judged, unseen) = requirements(recording);
    states(&mut text, recording, &judged);
    judged_entries(&mut text, &judged);
    text.push_str("]\n# requirements that cannot be judged from outside, and why\nUNSEEN = [\n");
    for (name, why) in unseen {
        let _ = writeln!(text, "    ({}, {}),", string(name), string(&why));
    }
    text.push_str("]\n");
    text.push_str("\n\nimport struct\n");
    text.push_str(BODY);
    text.push_str(JUDGE);
    text.push_str(CASES);
    text
}

/// A requirement that a rig can judge.
struct Judged<'r> {
    requirement: &'r StatedRequirement,
    conditions: &'r Conditions,
    /// State words that its antecedent reads and a rig does not see.
    unseen: Vec<&'r str>,
}

/// The requirements that a rig can judge, and those that it cannot, with the reason.
fn requirements(recording: &Recording) -> (Vec<Judged<'_>>, Vec<(&str, String)>) {
    let (mut judged, mut unseen) = (Vec::new(), Vec::new());
    for requirement in &recording.requirements {
        match judgeable(requirement) {
            Ok(found) => judged.push(found),
            Err(why) => unseen.push((requirement.name.as_str(), why)),
        }
    }
    (judged, unseen)
}

/// A requirement whose consequent speaks of inputs and outputs alone.
///
/// # Errors
/// What a rig does not see.
fn judgeable(requirement: &StatedRequirement) -> Result<Judged<'_>, String> {
    let Some(conditions) = &requirement.conditions else {
        return Err(requirement.hidden.clone().unwrap_or_else(|| "its conditions are not known".to_owned()));
    };
    let unseen = conditions.internal();
    match conditions.is_internal(conditions.consequent) {
        false => Ok(Judged { requirement, conditions, unseen }),
        true => Err(format!("a rig does not see {}", unseen.join(", "))),
    }
}

/// What is taken from the record because nobody measures it: what outputs hold before the first
/// step, and the words that antecedents read and a rig does not see.
fn states(text: &mut String, recording: &Recording, judged: &[Judged<'_>]) {
    text.push_str(
        "]\n# what state words and outputs hold before the first step of each chain\nINITIAL = [\n",
    );
    for chain in &recording.chains {
        let of_state = chain.states.iter().filter_map(|(name, values)| {
            let value = values.first().copied().flatten()?;
            Some((name, value))
        });
        let of_outputs = recording.outputs.iter().filter_map(|output| Some((&output.name, output.initial?)));
        let first: BTreeMap<&String, Datum> = of_outputs.chain(of_state).collect();
        let entry = |(name, value): (&String, &Datum)| format!("{}: {}", string(name), python(value));
        let entries: Vec<String> = first.iter().map(|(name, value)| entry((name, value))).collect();
        let _ = writeln!(text, "    {{{}}},", entries.join(", "));
    }
    text.push_str("]\n# what words that a rig does not see hold before each step of each chain and behind the last,\n# as recorded; None where that is not known\nSTATES = [\n");
    let is_read = |name: &str| judged.iter().any(|found| found.unseen.contains(&name));
    for chain in &recording.chains {
        text.push_str("    {\n");
        for (name, values) in chain.states.iter().filter(|(name, _)| is_read(name)) {
            let value = |value: &Option<Datum>| value.as_ref().map_or_else(|| "None".to_owned(), python);
            let _ = writeln!(text, "        {}: {},", string(name), list(values.iter().map(value)));
        }
        text.push_str("    },\n");
    }
    text.push_str("]\n");
}

fn judged_entries(text: &mut String, judged: &[Judged<'_>]) {
    text.push_str("# requirements: name, steps of the window, nodes of the expressions (operator, type, arguments,\n# name, step, constant), antecedent, consequent, claims (text, place, failure, values read), words\n# that its antecedent reads and a rig does not see\nREQUIREMENTS = [\n");
    judged.iter().for_each(|found| requirement_entry(text, found));
}

fn requirement_entry(text: &mut String, Judged { requirement, conditions, unseen }: &Judged<'_>) {
    let StatedRequirement { name, steps, .. } = requirement;
    let _ = writeln!(text, "    (\n        {}, {steps},\n        [", string(name));
    for node in &conditions.nodes {
        let _ = writeln!(text, "            {},", node_entry(node));
    }
    let _ = writeln!(
        text,
        "        ],\n        {}, {},\n        [",
        conditions.antecedent, conditions.consequent
    );
    for claim in &conditions.claims {
        let place = claim.origin.as_ref().map_or_else(String::new, |at| format!("{}:{}", at.file, at.line));
        let read = claim.read.iter().map(|read| {
            let kind = match read.kind {
                chain_file::Kind::Float => "float",
                chain_file::Kind::Signed => "signed",
                _ => "unsigned",
            };
            format!("({}, {}, {}, \"{kind}\")", string(&read.expression), read.is_read, read.value)
        });
        let (formula, place, read) = (string(&claim.text), string(&place), list(read));
        let _ = writeln!(text, "            ({formula}, {place}, {}, {read}),", claim.fails);
    }
    let _ = writeln!(text, "        ],\n        {},\n    ),", list(unseen.iter().map(|name| string(name))));
}

pub(super) fn node_entry(node: &Node) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "None".to_owned());
    let args = list(node.args.iter().map(usize::to_string));
    let name = or_none(node.name.as_deref().map(string));
    let step = or_none(node.step.map(|step| step.to_string()));
    let constant = or_none(node.bits.clone().or_else(|| node.low.map(|low| low.to_string())));
    format!("({}, {}, {args}, {name}, {step}, {constant})", string(&node.op), string(&node.sort))
}

/// Playing and comparing: the same for all chains.
const BODY: &str = include_str!("play.py");
/// The meaning of expression trees.
pub(super) const JUDGE: &str = include_str!("judge.py");
/// The cases of requirements.
const CASES: &str = include_str!("cases.py");

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

pub(super) fn values(values: &[Datum]) -> String {
    list(values.iter().map(python))
}

fn python(value: &Datum) -> String {
    match value {
        Datum::Single(value) if value.is_nan() => "nan".to_owned(),
        Datum::Double(value) if value.is_nan() => "nan".to_owned(),
        Datum::Single(value) => format!("{value:?}"),
        Datum::Double(value) => format!("{value:?}"),
        Datum::Integer(number) => number.to_string(),
    }
}

pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A Python string literal. JSON's escapes are Python's, but for characters that take two of them.
pub(super) fn string(text: &str) -> String {
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
pub(super) fn one_line(text: &str) -> String {
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
