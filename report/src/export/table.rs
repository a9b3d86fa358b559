//! The two column blocks, inputs and expected outputs, of tables that Simulink reads: names,
//! metadata, values.
//!
//! Source: MathWorks, "Simulation Data Inspector Import and Export File Format", and "Format Test
//! Case Data in Excel": a column named `time` begins a block with its own time base; rows between
//! names and values hold labelled metadata.

use super::recording::{Datum, Kind, Recording, Signal, Tolerance};
use super::{ExportError, recording};

/// Numbers of rows with their values.
type Rows<'a> = Vec<(usize, &'a [Datum])>;

/// A block: a time column and signals.
pub(super) struct Block<'a> {
    pub(super) signals: &'a [Signal],
    /// For each metadata row, one cell for each signal.
    pub(super) metadata: Vec<Vec<String>>,
    /// Row numbers of the timeline with their values.
    pub(super) rows: Rows<'a>,
}

/// Whether tolerances and sources are written, which Simulink Test alone reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    DataInspector,
    SimulinkTest,
}

/// The blocks of a chain: inputs, and outputs where there are any.
pub(super) fn blocks<'a>(
    recording: &'a Recording,
    chain: &'a recording::Chain,
    reader: Reader,
) -> Vec<Block<'a>> {
    let rows = recording.rows(chain, true);
    let held = rows.iter().map(|row| (row.number, row.inputs)).collect();
    let answered = rows.iter().filter_map(|row| Some((row.number, row.outputs?))).collect();
    let blocks = [("Input", &recording.inputs, held), ("Output", &recording.outputs, answered)];
    let block = |(source, signals, rows): (&str, &'a Vec<Signal>, Rows<'a>)| Block {
        signals: signals.as_slice(),
        metadata: metadata(signals, source, reader),
        rows,
    };
    blocks.into_iter().filter(|(_, signals, _)| !signals.is_empty()).map(block).collect()
}

fn metadata(signals: &[Signal], source: &str, reader: Reader) -> Vec<Vec<String>> {
    let row = |cell: &dyn Fn(&Signal) -> String| signals.iter().map(cell).collect::<Vec<_>>();
    let mut rows = vec![
        row(&|signal| match signal.enumeration() {
            Some(name) => format!("Enum: {name}"),
            None => format!("Type: {}", signal.matlab_type()),
        }),
        row(&|signal| signal.unit.as_ref().map_or_else(String::new, |unit| format!("Unit: {unit}"))),
        row(&|_| "Interp: zoh".to_owned()),
    ];
    if reader == Reader::SimulinkTest {
        rows.push(row(&|_| format!("Source: {source}")));
        let part = |value: Option<f64>, label: &str| {
            value.map_or_else(String::new, |value| format!("{label}: {value:?}"))
        };
        rows.push(row(&|signal| part(absolute(signal), "AbsTol")));
        rows.push(row(&|signal| part(signal.tolerance.relative, "RelTol")));
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    rows
}

/// Units in the last place have no place in these files: the relative rounding error they amount to
/// is at most an absolute one near 1.
fn absolute(signal: &Signal) -> Option<f64> {
    let Tolerance { absolute, ulps, .. } = signal.tolerance;
    let epsilon = match signal.kind {
        Kind::Single => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    absolute.or_else(|| ulps.map(|count| f64::from(count) * epsilon))
}

/// Fails for a value that the format cannot express.
pub(super) fn refuse_infinite(recording: &Recording, format: &'static str) -> Result<(), ExportError> {
    for (number, chain) in recording.chains.iter().enumerate() {
        let inputs = chain.inputs.iter().map(|row| (row, &recording.inputs));
        let outputs = chain.outputs.iter().map(|row| (row, &recording.outputs));
        for (step, (row, signals)) in inputs.enumerate().chain(outputs.enumerate()) {
            if let Some(index) = row.iter().position(|value| !value.is_finite()) {
                return Err(ExportError::Value {
                    format,
                    value: row[index].text(),
                    signal: signals[index].name.clone(),
                    step,
                    chain: number + 1,
                    advice: "use mat or mf4",
                });
            }
        }
    }
    Ok(())
}
