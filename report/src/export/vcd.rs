//! VCD (IEEE 1364 value change dump) for GTKWave, Surfer and the like.
//!
//! Time counts nanoseconds; integers are vectors in two's complement, floats are `real`. Scopes
//! `inputs`, `outputs`, `names` (texts for the values of enumerations) and `goals`: a goal's wire is 1 during the step that completes its first
//! occurrence. A `step` vector counts rows. Names become identifiers, since brackets would mean
//! bits; the comment at the top lists the original ones.

use super::names::identifiers;
use super::recording::{Chain, Datum, Kind, Recording, Row, Signal};
use super::{ExportError, ExportFile, chain_file_name, writer_error};
use frontend::diagnostics::visible;
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

/// One file for each chain.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        let content = dump(recording, chain).map_err(|error| writer_error("VCD")(&error))?;
        files.push(ExportFile { name: chain_file_name(recording, number, ".vcd"), content });
    }
    Ok(files)
}

/// A variable with the text of its last value.
struct Variable {
    id: IdCode,
    kind: Kind,
    bits: u32,
    written: Option<Datum>,
}

impl Variable {
    fn write(&mut self, writer: &mut Writer<Vec<u8>>, value: Datum) -> std::io::Result<()> {
        if self.written.is_some_and(|written| written.same(value)) {
            return Ok(());
        }
        self.written = Some(value);
        match value {
            Datum::Integer(number) if self.bits == 1 => writer.change_scalar(self.id, number & 1 == 1),
            Datum::Integer(number) => {
                let bit = |position: u32| Value::from(number >> position & 1 == 1);
                writer.change_vector(self.id, (0..self.bits).rev().map(bit))
            }
            float => writer.change_real(self.id, float.decimal_double()),
        }
    }
}

fn dump(recording: &Recording, chain: &Chain) -> std::io::Result<Vec<u8>> {
    let mut writer = Writer::new(Vec::new());
    writer.comment(&original_names(recording))?;
    writer.version(&one_comment(&recording.tool))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    let model = identifiers([recording.model.as_str()], usize::MAX).remove(0);
    writer.add_module(&model)?;
    let mut step = variable(&mut writer, "step", Kind::Unsigned, 32)?;
    let mut inputs = scope(&mut writer, "inputs", &recording.inputs)?;
    let mut outputs = scope(&mut writer, "outputs", &recording.outputs)?;
    let mut names = enumerator_names(&mut writer, recording)?;
    let mut goals = goal_wires(&mut writer, recording)?;
    writer.upscope()?;
    writer.enddefinitions()?;
    for row in recording.rows(chain, true) {
        writer.timestamp(u64::try_from(recording.nanoseconds(row.number)).map_err(std::io::Error::other)?)?;
        step.write(&mut writer, Datum::Integer(row.number as i128))?;
        write_all(&mut writer, &mut inputs, row.inputs)?;
        write_all(&mut writer, &mut outputs, row.outputs.unwrap_or_default())?;
        for name in &mut names {
            let values = if name.is_output { row.outputs.unwrap_or_default() } else { row.inputs };
            name.write(&mut writer, recording, values)?;
        }
        write_all(&mut writer, &mut goals, &pulses(recording, &row))?;
    }
    writer.flush()?;
    Ok(std::mem::take(writer.writer()))
}

fn original_names(recording: &Recording) -> String {
    let signals = || recording.inputs.iter().chain(&recording.outputs);
    let mut lines = vec![format!("test case chain of {}", recording.model)];
    for (identifier, signal) in
        identifiers(signals().map(|signal| signal.name.as_str()), usize::MAX).into_iter().zip(signals())
    {
        let values: Vec<String> =
            signal.enumerators.iter().map(|(name, value)| format!("{value}={name}")).collect();
        let unit = signal.unit.as_deref().unwrap_or_default();
        lines
            .push(format!("{identifier}: {} {unit} {}", signal.name, values.join(" ")).trim_end().to_owned());
    }
    lines.iter().map(|line| one_comment(line)).collect::<Vec<_>>().join("\n")
}

/// A line of a comment, which would end at the first `$end`.
fn one_comment(text: &str) -> String {
    visible(text).replace('$', "S")
}

fn variable(writer: &mut Writer<Vec<u8>>, name: &str, kind: Kind, bits: u32) -> std::io::Result<Variable> {
    let real = matches!(kind, Kind::Single | Kind::Double);
    let id = match real {
        true => writer.add_var(VarType::Real, 64, name, None)?,
        false => writer.add_var(VarType::Wire, bits, name, None)?,
    };
    Ok(Variable { id, kind, bits, written: None })
}

/// A scope with one variable for each signal. Names are unique over inputs and outputs together.
fn scope(writer: &mut Writer<Vec<u8>>, name: &str, signals: &[Signal]) -> std::io::Result<Vec<Variable>> {
    writer.add_module(name)?;
    let names = identifiers(signals.iter().map(|signal| signal.name.as_str()), usize::MAX);
    let variables = names
        .iter()
        .zip(signals)
        .map(|(name, signal)| variable(writer, name, signal.kind, signal.bits.max(1)));
    let variables = variables.collect::<Result<_, _>>()?;
    writer.upscope()?;
    Ok(variables)
}

/// The names of an enumeration's values, beside the numbers: a variable that holds texts.
struct Name {
    id: IdCode,
    is_output: bool,
    signal: usize,
    written: Option<String>,
}

impl Name {
    fn write(
        &mut self,
        writer: &mut Writer<Vec<u8>>,
        recording: &Recording,
        values: &[Datum],
    ) -> std::io::Result<()> {
        let signals = if self.is_output { &recording.outputs } else { &recording.inputs };
        let Some(&value) = values.get(self.signal) else { return Ok(()) };
        // A blank would end the text.
        let name = signals[self.signal].enumerator(value);
        let text = name.map_or_else(|| value.text(), |name| name.replace(char::is_whitespace, "_"));
        if self.written.as_ref() == Some(&text) {
            return Ok(());
        }
        writer.change_string(self.id, &text)?;
        self.written = Some(text);
        Ok(())
    }
}

/// The scope `names`: a text for each input and output of an enumeration. GTKWave and Surfer read
/// such variables, which the standard does not know; without enumerations there is no scope.
fn enumerator_names(writer: &mut Writer<Vec<u8>>, recording: &Recording) -> std::io::Result<Vec<Name>> {
    let inputs = recording.inputs.iter().enumerate().map(|(index, signal)| (false, index, signal));
    let outputs = recording.outputs.iter().enumerate().map(|(index, signal)| (true, index, signal));
    let named: Vec<(bool, usize, &Signal)> =
        inputs.chain(outputs).filter(|(.., signal)| !signal.enumerators.is_empty()).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    writer.add_module("names")?;
    let identifiers = identifiers(named.iter().map(|(.., signal)| signal.name.as_str()), usize::MAX);
    let mut names = Vec::new();
    for ((is_output, signal, _), identifier) in named.into_iter().zip(identifiers) {
        let id = writer.add_var(VarType::String, 1, &identifier, None)?;
        names.push(Name { id, is_output, signal, written: None });
    }
    writer.upscope()?;
    Ok(names)
}

fn goal_wires(writer: &mut Writer<Vec<u8>>, recording: &Recording) -> std::io::Result<Vec<Variable>> {
    writer.add_module("goals")?;
    let names = identifiers(recording.goals.iter().map(|goal| goal.name.as_str()), usize::MAX);
    let wires = names.iter().map(|name| variable(writer, name, Kind::Bool, 1)).collect::<Result<_, _>>()?;
    writer.upscope()?;
    Ok(wires)
}

fn pulses(recording: &Recording, row: &Row<'_>) -> Vec<Datum> {
    (0..recording.goals.len()).map(|goal| Datum::Integer(row.covers.contains(&goal).into())).collect()
}

fn write_all(
    writer: &mut Writer<Vec<u8>>,
    variables: &mut [Variable],
    values: &[Datum],
) -> std::io::Result<()> {
    for (variable, &value) in variables.iter_mut().zip(values) {
        debug_assert_eq!(
            matches!(variable.kind, Kind::Single | Kind::Double),
            !matches!(value, Datum::Integer(_))
        );
        variable.write(writer, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn changes_stand_at_their_times() {
        let text = String::from_utf8(files(&recording()).unwrap().remove(0).content).unwrap();
        let body = text.split("$enddefinitions $end\n").nth(1).unwrap();
        let body = format!("\n{body}");
        let blocks: Vec<&str> = body.split("\n#").skip(1).collect();
        assert_eq!(blocks.len(), 4);
        assert!(blocks[0].starts_with("0\n") && blocks[1].starts_with("5000000\n"), "{body}");
        assert!(blocks[0].contains("r0.1 "), "{body}");
        assert!(text.contains("$scope module names $end\n$var string 1 "), "{text}");
        assert!(
            blocks[0].contains("\nsOFF ") && blocks[1].contains("\nsON ") && !blocks[2].contains("\nsO"),
            "{body}"
        );
        assert!(blocks[1].contains(&format!("b1{} ", "0".repeat(63))), "{body}");
        assert!(!blocks[3].contains("r0"), "nothing changes at the end: {body}");
    }
}
