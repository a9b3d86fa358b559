//! Simulink's Data Inspector and root inports.
//!
//! Without metadata Simulink takes every column as double and interpolates; so type and `Interp:
//! zoh` are always written. Inputs and expected outputs stand in two blocks with a `time` column
//! each; the inputs are held one period longer. Infinities cannot be read and are refused; NaN
//! means a missing value there and is refused, too.

use super::table;
use crate::export::recording::Recording;
use crate::export::table::{Block, Reader, blocks, refuse_infinite};
use crate::export::{ExportError, ExportFile, chain_file_name};

/// One file for each chain.
pub(in crate::export) fn simulink(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    refuse_infinite(recording, "csv-simulink")?;
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        let blocks = blocks(recording, chain, Reader::DataInspector);
        let lines = blocks.iter().map(|block| lines(recording, block)).collect::<Vec<_>>();
        let name = chain_file_name(recording, number, "_simulink.csv");
        files.push(ExportFile::text(name, table(beside(&lines))?));
    }
    Ok(files)
}

/// Header, metadata and values of a block.
fn lines(recording: &Recording, block: &Block<'_>) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let with_first =
        |first: String, rest: Vec<String>| std::iter::once(first).chain(rest).collect::<Vec<_>>();
    let names = block.signals.iter().map(|signal| signal.name.clone()).collect();
    lines.push(with_first("time".to_owned(), names));
    lines.extend(block.metadata.iter().map(|row| with_first(String::new(), row.clone())));
    for (number, values) in &block.rows {
        let values = values.iter().map(|value| value.text()).collect();
        lines.push(with_first(recording.seconds_text(*number), values));
    }
    lines
}

/// Blocks beside one another; metadata rows that one block lacks are empty there, and so are rows
/// below the shorter one.
fn beside(blocks: &[Vec<Vec<String>>]) -> Vec<Vec<String>> {
    let metadata = |block: &[Vec<String>]| block.iter().skip(1).take_while(|row| row[0].is_empty()).count();
    let most = blocks.iter().map(|block| metadata(block)).max().unwrap_or(0);
    let mut padded = Vec::new();
    for block in blocks {
        let own = metadata(block);
        let blank = vec![String::new(); block[0].len()];
        let mut rows = block[..=own].to_vec();
        rows.extend(std::iter::repeat_n(blank.clone(), most - own));
        rows.extend_from_slice(&block[own + 1..]);
        padded.push((rows, blank));
    }
    let height = padded.iter().map(|(rows, _)| rows.len()).max().unwrap_or(0);
    let row = |index: usize| {
        padded.iter().flat_map(|(rows, blank)| rows.get(index).unwrap_or(blank).clone()).collect()
    };
    (0..height).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::recording::Datum;
    use crate::export::testing::recording;

    #[test]
    fn two_blocks_with_metadata() {
        let text = String::from_utf8(simulink(&recording()).unwrap().remove(0).content).unwrap();
        let expected = "time,on,count,time,mode,level\n\
            ,Type: boolean,Type: int64,,Enum: mode,Type: single\n\
            ,Interp: zoh,Interp: zoh,,,Unit: V\n\
            ,,,,Interp: zoh,Interp: zoh\n\
            0,0,-9,0,0,0.1\n\
            0.005,1,-9223372036854775808,0.005,1,-0\n\
            0.01,1,3,0.01,1,1e-45\n\
            0.015,1,3,,,\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn infinities_are_refused() {
        let mut recording = recording();
        recording.chains[0].outputs[2][1] = Datum::Single(f32::INFINITY);
        let message = simulink(&recording).unwrap_err().to_string();
        assert_eq!(
            message,
            "csv-simulink cannot express inf, the value of `level` in step 2 of chain 1; use mat or mf4"
        );
    }
}
