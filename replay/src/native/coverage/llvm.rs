//! What clang's instrumentation measures: lines, and for each decision of several conditions which of
//! them have a pair of evaluations that shows their independence (`-fcoverage-mcdc`).
//!
//! Evaluations of several programs count together, so their profiles are joined before they are
//! read. Of a record of MC/DC llvm-cov prints where it stands and a truth for each condition.

use super::{CoverageError, Measured, SOURCE, Setting, Workshop, plain_path};
use crate::native::NativeError;
use serde::Deserialize;
use std::path::Path;

/// What clang is told to measure.
const MEASURING: &str = "-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc";

/// Name of the raw profile that a program writes where nothing else is said.
pub(super) const RAW: &str = "default.profraw";

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    #[serde(default)]
    mcdc_records: Vec<Record>,
}

/// Numbers, of which the first is the line, and last a list of truths.
#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Number(u64),
    Truths(Vec<bool>),
}

type Record = Vec<Part>;

/// What the programs reach together.
pub(super) fn measure(
    programs: &[String],
    merge: &str,
    setting: &Setting,
) -> Result<Measured, CoverageError> {
    let workshop = Workshop::new(setting)?;
    let mut raw = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        workshop.write(program)?;
        workshop.compile(MEASURING)?;
        workshop.replay()?;
        let name = format!("{number}.profraw");
        let folder = workshop.folder.path();
        std::fs::rename(folder.join(RAW), folder.join(&name)).map_err(NativeError::Files)?;
        raw.push(name);
    }
    let mut measured = Measured::default();
    if raw.is_empty() {
        return Ok(measured);
    }
    workshop.succeed(&format!("{merge} merge -o joined.profdata"), &raw)?;
    let read = format!("{} export -instr-profile=joined.profdata replay", setting.compiler.read);
    let lines = workshop.succeed(&format!("{read} -format=lcov"), &[])?.stdout;
    note_lines(&lines, setting, &mut measured);
    let export: Export = serde_json::from_str(&workshop.succeed(&read, &[])?.stdout)?;
    for file in export.data.into_iter().flat_map(|data| data.files) {
        let Some(name) = name(&file.filename, setting) else { continue };
        let lines = measured.pairs.entry(name).or_default();
        for record in file.mcdc_records {
            if let (Some(&Part::Number(line)), Some(Part::Truths(truths))) = (record.first(), record.last()) {
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                lines.entry(line).or_default().push(truths.clone());
            }
        }
    }
    Ok(measured)
}

/// A file as the programs include it; `None`: the program itself.
fn name(path: &str, setting: &Setting) -> Option<String> {
    let path = Path::new(path);
    let name = path.strip_prefix(&setting.folder).unwrap_or(path);
    (path.file_name().is_some_and(|name| name != SOURCE)).then(|| plain_path(name))
}

/// Reads the lines of a tracefile.
fn note_lines(text: &str, setting: &Setting, measured: &mut Measured) {
    let mut current = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            current = name(path, setting);
        } else if let (Some(name), Some(data)) = (&current, line.strip_prefix("DA:")) {
            let mut numbers = data.split(',');
            let number = numbers.next().and_then(|number| number.parse::<u32>().ok());
            let count = numbers.next().and_then(|count| count.parse::<u64>().ok());
            if let (Some(number), Some(count)) = (number, count) {
                let lines = measured.lines.entry(name.clone()).or_default();
                *lines.entry(number).or_default() |= count > 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_a_line_and_truths_at_the_end() {
        let text = r#"{ "data": [ { "files": [ { "filename": "a/m.c", "mcdc_records":
            [ [ 4, 7, 4, 20, 0, 5, [ true, false ] ] ] }, { "filename": "b.c" } ] } ], "version": "2.0.1" }"#;
        let export: Export = serde_json::from_str(text).unwrap();
        let [Part::Number(4), .., Part::Truths(truths)] = &export.data[0].files[0].mcdc_records[0][..] else {
            panic!("a line and truths");
        };
        assert_eq!(truths, &[true, false]);
    }

    #[test]
    fn lines_of_a_tracefile_are_those_of_the_file_before_them() {
        let mut measured = Measured::default();
        let text = "SF:/m/sub/a.c\nDA:3,2\nDA:4,0\nend_of_record\nSF:/t/chain.c\nDA:3,0\nend_of_record\n";
        note_lines(text, &Setting { folder: "/m".into(), ..Setting::default() }, &mut measured);
        let lines: Vec<_> = measured.lines["sub/a.c"].iter().map(|(&line, &ran)| (line, ran)).collect();
        assert_eq!((measured.lines.len(), &lines[..]), (1, &[(3, true), (4, false)][..]));
    }
}
