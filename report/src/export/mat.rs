//! MAT level 5, uncompressed (MathWorks, "MAT-File Format").
//!
//! - `chain.mat`: `inputs` and `expected`, each a *structure with time* as Simulink's From
//!   Workspace, root inports, TPT and ecu.test read it; besides `StepSize` and `model`. Values have
//!   their own classes (`logical`, `int8` ... `double`); those of enumerations are numbers, with the
//!   name of the enumeration beside them.
//! - `chain_regular.mat`: `StepSize` and one column vector for each signal.
//! - `load_chain.m`: makes a Dataset of `chain.mat` for the Signal Editor, held between samples. A
//!   Dataset is an object of a MATLAB class, whose form in files is not documented; so none is
//!   written.

use super::names::identifiers;
use super::recording::{Chain, Datum, Kind, Recording, Row, Signal, Storage};
use super::{ExportError, ExportFile, chain_file_name};
use frontend::diagnostics::visible;

/// Two files for each chain, and the loader.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        let name = |suffix| chain_file_name(recording, number, suffix);
        files.push(ExportFile { name: name(".mat"), content: with_time(recording, chain)? });
        files.push(ExportFile { name: name("_regular.mat"), content: regular(recording, chain)? });
    }
    files.push(ExportFile::text("load_chain.m", LOADER.to_owned()));
    Ok(files)
}

/// Words of MATLAB that name no variable.
const KEYWORDS: [&str; 20] = [
    "break",
    "case",
    "catch",
    "classdef",
    "continue",
    "else",
    "elseif",
    "end",
    "for",
    "function",
    "global",
    "if",
    "otherwise",
    "parfor",
    "persistent",
    "return",
    "spmd",
    "switch",
    "try",
    "while",
];

const LOADER: &str = "\
function [inputs, expected] = load_chain(file)
%LOAD_CHAIN  Test case chain as Simulink.SimulationData.Dataset.
%   inputs = load_chain('chain.mat') is for the Signal Editor or root inports; expected holds the outputs after
%   each step. Signals are held between samples (zero-order hold). Values of an enumeration become members of the
%   class of its name, where there is one on the path.
data = load(file);
inputs = dataset(data.inputs);
expected = dataset(data.expected);
end

function set = dataset(recorded)
set = Simulink.SimulationData.Dataset;
for k = 1:numel(recorded.signals)
    signal = recorded.signals(k);
    values = signal.values;
    if ~isempty(signal.enumeration) && exist(signal.enumeration, 'class') == 8
        values = feval(signal.enumeration, values);
    end
    series = timeseries(values, recorded.time, 'Name', signal.label);
    series = setinterpmethod(series, 'zoh');
    series.DataInfo.Units = signal.unit;
    set = addElement(set, series, signal.label);
end
end
";

fn with_time(recording: &Recording, chain: &Chain) -> Result<Vec<u8>, ExportError> {
    let rows = recording.rows(chain, true);
    let held: Vec<(usize, &[Datum])> = rows.iter().map(|row| (row.number, row.inputs)).collect();
    let answered: Vec<(usize, &[Datum])> =
        rows.iter().filter_map(|row| Some((row.number, row.outputs?))).collect();
    let mut file = header(recording);
    file.extend(scalar("StepSize", recording.seconds(1)));
    file.extend(text("model", &recording.model));
    file.extend(structure_with_time(recording, "inputs", &recording.inputs, &held)?);
    file.extend(structure_with_time(recording, "expected", &recording.outputs, &answered)?);
    Ok(file)
}

fn structure_with_time(
    recording: &Recording,
    name: &str,
    signals: &[Signal],
    rows: &[(usize, &[Datum])],
) -> Result<Vec<u8>, ExportError> {
    let times: Vec<f64> = rows.iter().map(|(number, _)| recording.seconds(*number)).collect();
    let mut fields = Vec::new();
    for (index, signal) in signals.iter().enumerate() {
        let values: Vec<Datum> = rows.iter().map(|(_, values)| values[index]).collect();
        fields.push(column("", signal, &values)?);
        fields.push(scalar("", 1.0));
        fields.push(text("", &signal.name));
        fields.push(text("", signal.unit.as_deref().unwrap_or_default()));
        fields.push(text("", signal.enumeration().unwrap_or_default()));
    }
    let signals =
        structure("", &["values", "dimensions", "label", "unit", "enumeration"], signals.len(), &fields);
    Ok(structure(name, &["time", "signals"], 1, &[doubles("", &times), signals]))
}

fn regular(recording: &Recording, chain: &Chain) -> Result<Vec<u8>, ExportError> {
    let in_step = Recording { latency: 0, ..recording.clone() };
    let rows = in_step.rows(chain, false);
    let signals = || recording.inputs.iter().chain(&recording.outputs);
    let taken = KEYWORDS.iter().copied().chain(["StepSize"]);
    let names = identifiers(taken.chain(signals().map(|signal| signal.name.as_str())), 63);
    let mut file = header(recording);
    file.extend(scalar("StepSize", recording.seconds(1)));
    for (index, (signal, name)) in signals().zip(&names[KEYWORDS.len() + 1..]).enumerate() {
        let value = |row: &Row<'_>| match index.checked_sub(recording.inputs.len()) {
            None => row.inputs[index],
            Some(output) => row.outputs.unwrap_or_default()[output],
        };
        let values: Vec<Datum> = rows.iter().map(value).collect();
        file.extend(column(name, signal, &values)?);
    }
    Ok(file)
}

fn header(recording: &Recording) -> Vec<u8> {
    let text = format!("MATLAB 5.0 MAT-file, written by {}", recording.tool);
    let mut bytes: Vec<u8> = visible(&text).bytes().filter(u8::is_ascii).take(116).collect();
    bytes.resize(116, b' ');
    bytes.extend([0; 8]);
    bytes.extend(0x0100u16.to_le_bytes());
    bytes.extend(b"IM");
    bytes
}

/// `mi` types of data elements.
mod element {
    pub(super) const INT8: u32 = 1;
    pub(super) const UINT8: u32 = 2;
    pub(super) const INT16: u32 = 3;
    pub(super) const UINT16: u32 = 4;
    pub(super) const INT32: u32 = 5;
    pub(super) const UINT32: u32 = 6;
    pub(super) const SINGLE: u32 = 7;
    pub(super) const DOUBLE: u32 = 9;
    pub(super) const INT64: u32 = 12;
    pub(super) const UINT64: u32 = 13;
    pub(super) const MATRIX: u32 = 14;
}

/// `mx` classes of arrays.
mod class {
    pub(super) const STRUCT: u32 = 2;
    pub(super) const CHAR: u32 = 4;
    pub(super) const DOUBLE: u32 = 6;
    pub(super) const LOGICAL: u32 = 1 << 9;
}

/// Array class and element type of a storage.
const fn types(storage: Storage) -> (u32, u32) {
    match storage {
        Storage::F64 => (class::DOUBLE, element::DOUBLE),
        Storage::F32 => (7, element::SINGLE),
        Storage::I8 => (8, element::INT8),
        Storage::U8 => (9, element::UINT8),
        Storage::I16 => (10, element::INT16),
        Storage::U16 => (11, element::UINT16),
        Storage::I32 => (12, element::INT32),
        Storage::U32 => (13, element::UINT32),
        Storage::I64 => (14, element::INT64),
        Storage::U64 => (15, element::UINT64),
    }
}

/// A data element: tag and data, padded to 8 bytes; up to 4 bytes stand inside the tag, as MATLAB
/// writes them.
fn data(kind: u32, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u32;
    let mut bytes = Vec::with_capacity(content.len() + 16);
    if (1..=4).contains(&size) && kind != element::MATRIX {
        bytes.extend((size << 16 | kind).to_le_bytes());
    } else {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(size.to_le_bytes());
    }
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// The start of an array: flags, size, name.
fn array(flags: u32, rows: usize, columns: usize, name: &str) -> Vec<u8> {
    let mut bytes = data(element::UINT32, &[flags.to_le_bytes(), [0; 4]].concat());
    let size = [(rows as u32).to_le_bytes(), (columns as u32).to_le_bytes()];
    bytes.extend(data(element::INT32, &size.concat()));
    bytes.extend(data(element::INT8, name.as_bytes()));
    bytes
}

fn column(name: &str, signal: &Signal, values: &[Datum]) -> Result<Vec<u8>, ExportError> {
    let refused = || ExportError::Width { format: "mat", signal: signal.name.clone(), bits: signal.bits };
    let storage = signal.storage().ok_or_else(refused)?;
    let (mut flags, kind) = types(storage);
    if signal.kind == Kind::Bool {
        flags |= class::LOGICAL;
    }
    let mut content = array(flags, values.len(), 1, name);
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes(storage)).collect();
    content.extend(data(kind, &bytes));
    Ok(data(element::MATRIX, &content))
}

fn doubles(name: &str, values: &[f64]) -> Vec<u8> {
    let mut content = array(class::DOUBLE, values.len(), 1, name);
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    content.extend(data(element::DOUBLE, &bytes));
    data(element::MATRIX, &content)
}

fn scalar(name: &str, value: f64) -> Vec<u8> {
    doubles(name, &[value])
}

fn text(name: &str, text: &str) -> Vec<u8> {
    let units: Vec<u16> = visible(text).encode_utf16().collect();
    let mut content = array(class::CHAR, usize::from(!units.is_empty()), units.len(), name);
    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    content.extend(data(element::UINT16, &bytes));
    data(element::MATRIX, &content)
}

/// A row of `count` structures; `fields` holds the values of the first one, then those of the
/// second, and so on.
fn structure(name: &str, field_names: &[&str], count: usize, fields: &[Vec<u8>]) -> Vec<u8> {
    const FIELD_NAME: usize = 32;
    let mut content = array(class::STRUCT, 1, count, name);
    content.extend(data(element::INT32, &(FIELD_NAME as u32).to_le_bytes()));
    let mut names = Vec::new();
    for field in field_names {
        names.extend(field.as_bytes());
        names.resize(names.len().next_multiple_of(FIELD_NAME), 0);
    }
    content.extend(data(element::INT8, &names));
    content.extend(fields.concat());
    data(element::MATRIX, &content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn small_elements_stand_in_their_tag() {
        assert_eq!(data(element::INT32, &7u32.to_le_bytes()), [5, 0, 4, 0, 7, 0, 0, 0]);
        assert_eq!(data(element::UINT8, &[]), [2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(data(element::UINT8, &[1; 5]).len(), 16);
    }

    #[test]
    fn elements_fill_the_file() {
        for file in files(&recording()).unwrap().iter().filter(|file| file.name.ends_with(".mat")) {
            let mut at = 128;
            while at < file.content.len() {
                let size = u32::from_le_bytes(file.content[at + 4..at + 8].try_into().unwrap());
                assert_eq!(file.content[at], 14);
                at += 8 + size as usize;
            }
            assert_eq!(at, file.content.len());
        }
    }
}
