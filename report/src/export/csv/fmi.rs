//! Inputs for FMPy (`fmpy simulate --input-file`) and the Reference FMUs' `fmusim --input-file`.
//!
//! `time` in seconds. These readers interpolate continuous inputs; so at every edge the old row is
//! written once more at the new time before the new one, which makes the hold strict.

use super::table;
use crate::export::recording::Recording;
use crate::export::{ExportError, ExportFile, chain_file_name};

/// One file for each chain.
pub(in crate::export) fn fmi(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let in_step = Recording { latency: 0, ..recording.clone() };
    let mut files = Vec::new();
    for (number, chain) in in_step.chains.iter().enumerate() {
        let mut header = vec!["time".to_owned()];
        header.extend(recording.inputs.iter().map(|signal| signal.name.clone()));
        let mut rows = vec![header];
        let mut before: Option<Vec<String>> = None;
        for row in in_step.rows(chain, true) {
            let values: Vec<String> = row.inputs.iter().map(|value| value.text()).collect();
            let time = recording.seconds_text(row.number);
            let at =
                |values: &[String]| std::iter::once(time.clone()).chain(values.iter().cloned()).collect();
            if let Some(before) = before.filter(|before| *before != values) {
                rows.push(at(&before));
            }
            rows.push(at(&values));
            before = Some(values);
        }
        let name = chain_file_name(recording, number, "_fmi.csv");
        files.push(ExportFile::text(name, table(rows)?));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn edges_have_two_rows() {
        let text = String::from_utf8(fmi(&recording()).unwrap().remove(0).content).unwrap();
        let expected = "time,on,count\n\
            0,0,-9\n\
            0.005,0,-9\n\
            0.005,1,-9223372036854775808\n\
            0.01,1,-9223372036854775808\n\
            0.01,1,3\n\
            0.015,1,3\n";
        assert_eq!(text, expected);
    }
}
