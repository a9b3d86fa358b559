//! A Python program that plays the chains on the FMU itself by FMPy, and compares outputs.
//!
//! The FMU's own compiled library runs then, without the driver that chains were found with: inputs
//! are set, one communication step is made, outputs are got, in the same order.

use super::pytest::{list, one_line, string, values};
use super::recording::Recording;
use super::{ExportError, ExportFile};
use crate::output::chain_file::ChainFile;
use config::file::Scalar;
use std::fmt::Write;

/// Playing and comparing: the same for all chains.
const BODY: &str = include_str!("play_fmu.py");

/// The program.
///
/// # Errors
/// The model is no FMU, or a chain rests on what FMPy cannot be told.
pub(super) fn files(file: &ChainFile, recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let refuse = |reason: String| ExportError::Writer { format: "fmpy", reason };
    let [source] = file.model.sources.as_slice() else { return Err(refuse(NO_FMU.to_owned())) };
    if !source.path.to_ascii_lowercase().ends_with(".fmu") {
        return Err(refuse(NO_FMU.to_owned()));
    }
    if recording.period.is_none() {
        let why = "a step of the FMU is no whole number of nanoseconds; give one (--period)";
        return Err(refuse(why.to_owned()));
    }
    let mut text = format!(
        "\"\"\"Plays test case chains of {} on the FMU by FMPy, written by {}.\n\n    python play_fmu.py [FMU]\n\nNeeds the package fmpy, and an FMU with a library for this machine. Exit code 1: outputs differ;\n2: the FMU cannot be loaded.\n\"\"\"\n",
        one_line(&recording.model),
        one_line(&recording.tool)
    );
    text.push_str("from math import inf, nan\n\n");
    let _ = writeln!(text, "FMU = {}", string(&source.path));
    let _ = writeln!(text, "PERIOD = {}  # seconds: one communication step", recording.seconds_text(1));
    let mut parameters = Vec::new();
    for (lvalue, value) in &file.model.configuration.constants {
        let value = number(value).ok_or_else(|| {
            refuse(format!("the value of `{lvalue}` under [const] is an expression in C; write a number"))
        })?;
        parameters.push(format!("({}, {value})", string(lvalue.trim_start_matches("fmu."))));
    }
    let _ = writeln!(text, "# names in C, and values\nPARAMETERS = {}", list(parameters.into_iter()));
    let names =
        |signals: &[super::recording::Signal]| list(signals.iter().map(|signal| string(&signal.name)));
    let _ = writeln!(text, "INPUTS = {}", names(&recording.inputs));
    let _ = writeln!(text, "OUTPUTS = {}", names(&recording.outputs));
    text.push_str(
        "# one list for each chain; one (inputs, outputs) for each step, None where it fails\nCHAINS = [\n",
    );
    for chain in &recording.chains {
        text.push_str("    [\n");
        for (step, inputs) in chain.inputs.iter().enumerate() {
            let outputs = chain.outputs.get(step).map_or_else(|| "None".to_owned(), |row| values(row));
            let _ = writeln!(text, "        ({}, {outputs}),", values(inputs));
        }
        text.push_str("    ],\n");
    }
    text.push_str("]\n");
    text.push_str(BODY);
    Ok(vec![ExportFile::text("play_fmu.py", text)])
}

/// What is said of other models.
const NO_FMU: &str = "the model is no FMU (*.fmu)";

/// A number of the configuration; `None`: it is an expression.
fn number(value: &Scalar) -> Option<String> {
    match value {
        Scalar::Truth(holds) => Some(if *holds { "True" } else { "False" }.to_owned()),
        Scalar::Integer(number) => Some(number.to_string()),
        Scalar::Float(number) => Some(format!("{number:?}")),
        Scalar::Text(text) => {
            let bare = text.trim().trim_start_matches('(').trim_end_matches(')');
            bare.parse::<f64>().ok().map(|number| format!("{number:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_handed_on() {
        let table = [
            (Scalar::Truth(true), Some("True")),
            (Scalar::Integer(-3), Some("-3")),
            (Scalar::Text("(-0.5)".to_owned()), Some("-0.5")),
            (Scalar::Text("1 + x".to_owned()), None),
        ];
        for (value, expected) in table {
            assert_eq!(number(&value).as_deref(), expected, "{value:?}");
        }
    }
}
