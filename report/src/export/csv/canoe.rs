//! Vector CANoe: stimuli for a generator made with `StmCreate_CSV`.
//!
//! `Time` in seconds, always with a decimal point (without one, the number would mean units of 10
//! microseconds). An empty cell leaves the signal as it is, so only changes are written. The last
//! row stands one period after the last step: the generator repeats the file after that time.
//! Inputs only: expected values are for the test module.

use super::table;
use crate::export::recording::{DontCare, Recording};
use crate::export::{ExportError, ExportFile, chain_file_name};

/// One file for each chain.
pub(in crate::export) fn canoe(
    recording: &Recording,
    dont_care: DontCare,
) -> Result<Vec<ExportFile>, ExportError> {
    let in_step = Recording { latency: 0, ..recording.clone() };
    let mut files = Vec::new();
    for (number, chain) in in_step.chains.iter().enumerate() {
        let mut header = vec!["Time".to_owned()];
        header.extend(recording.inputs.iter().map(|signal| signal.name.clone()));
        let mut rows = vec![header];
        let mut written = vec![String::new(); recording.inputs.len()];
        for row in in_step.rows(chain, true) {
            let mut cells = vec![with_point(recording.seconds_text(row.number))];
            for (index, value) in row.inputs.iter().enumerate() {
                let text = value.text();
                let skipped = written[index] == text || (dont_care == DontCare::Mark && row.free[index]);
                cells.push(if skipped { String::new() } else { text.clone() });
                if !skipped {
                    written[index] = text;
                }
            }
            rows.push(cells);
        }
        let name = chain_file_name(recording, number, "_canoe.csv");
        files.push(ExportFile::text(name, table(rows)?));
    }
    Ok(files)
}

fn with_point(time: String) -> String {
    if time.contains('.') { time } else { time + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn only_changes_are_written() {
        let text = String::from_utf8(canoe(&recording(), DontCare::Hold).unwrap().remove(0).content).unwrap();
        let expected = "Time,on,count\n\
            0.0,0,-9\n\
            0.005,1,-9223372036854775808\n\
            0.01,,3\n\
            0.015,,\n";
        assert_eq!(text, expected);
    }
}
