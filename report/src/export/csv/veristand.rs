//! NI VeriStand: a CSV file that a real-time sequence calls.
//!
//! `timestamp` in milliseconds; inputs under their names; expected values under
//! `#EXP(+tolerance;-tolerance;delay)#name`, where the delay in milliseconds takes up the output
//! latency, so that expected values stand in the row of the step they answer.

use super::table;
use crate::export::recording::{Datum, DontCare, Recording, Signal};
use crate::export::{ExportError, ExportFile, chain_file_name};

/// One file for each chain.
pub(in crate::export) fn veristand(
    recording: &Recording,
    dont_care: DontCare,
) -> Result<Vec<ExportFile>, ExportError> {
    let in_step = Recording { latency: 0, ..recording.clone() };
    let mut files = Vec::new();
    for (number, chain) in in_step.chains.iter().enumerate() {
        let delay = recording.milliseconds_text(recording.latency);
        let mut header = vec!["timestamp".to_owned()];
        header.extend(recording.inputs.iter().map(|signal| signal.name.clone()));
        header.extend(recording.outputs.iter().enumerate().map(|(index, signal)| {
            let width = tolerance(signal, chain.outputs.iter().map(|row| row[index]));
            format!("#EXP(+{width};-{width};{delay})#{}", signal.name)
        }));
        let mut rows = vec![header];
        for row in in_step.rows(chain, true) {
            let mut cells = vec![recording.milliseconds_text(row.number)];
            let marked = |index: usize| dont_care == DontCare::Mark && row.free[index];
            let input = |(index, value): (usize, &Datum)| {
                if marked(index) { String::new() } else { value.text() }
            };
            cells.extend(row.inputs.iter().enumerate().map(input));
            match row.outputs {
                Some(outputs) => cells.extend(outputs.iter().map(|value| value.text())),
                None => cells.extend(recording.outputs.iter().map(|_| String::new())),
            }
            rows.push(cells);
        }
        let name = chain_file_name(recording, number, "_veristand.csv");
        files.push(ExportFile::text(name, table(rows)?));
    }
    Ok(files)
}

/// One tolerance for the whole column: the narrowest that any of its values has.
fn tolerance(signal: &Signal, values: impl Iterator<Item = Datum>) -> String {
    let narrowest = values.map(|value| signal.tolerance.width(value)).fold(f64::INFINITY, f64::min);
    if narrowest.is_finite() { Datum::Double(narrowest).text() } else { "0".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn the_delay_takes_up_the_latency() {
        let mut late = Recording { latency: 2, ..recording() };
        late.outputs[1].tolerance.absolute = Some(0.25);
        let text = String::from_utf8(veristand(&late, DontCare::Hold).unwrap().remove(0).content).unwrap();
        let expected = "timestamp,on,count,#EXP(+0;-0;10)#mode,#EXP(+0.25;-0.25;10)#level\n\
            0,0,-9,0,0.1\n\
            5,1,-9223372036854775808,1,-0\n\
            10,1,3,1,1e-45\n\
            15,1,3,,\n";
        assert_eq!(text, expected);
    }
}
