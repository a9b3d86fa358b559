//! `chaincover export`: a stored chain in other formats.

use super::args::{ExportArguments, FormatArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::{print, replay};
use crate::export::read::{ReadOptions, recording};
use crate::export::recording::{DontCare, Recording, Tolerance};
use crate::export::{ExportFile, Format, Material, export};
use crate::html::Occasion;
use crate::native::coverage::{self, LineCoverage, Setting};
use crate::output::chain_file::ChainFile;
use crate::output::digest::sha256;
use crate::output::owned::{Origin, Owned};
use crate::output::root::root;
use crate::output::write;
use frontend::limit::Limit;
use std::path::Path;

/// Writes the files and lists them.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let file = replay::read(&arguments.chain)?;
    let folder = arguments.output.clone().unwrap_or_default();
    let root = root(&file, &arguments.chain);
    let occasion = Occasion { folder: root, output: Some(folder.clone()), ..Occasion::default() };
    let made = files(&file, &arguments.formats, &occasion, &Limit::default())?;
    write_files(&folder, &made.files)?;
    if let Some(folder) = &arguments.output {
        clear_folder(folder, &arguments.chain, &file, (&made, arguments.quiet))?;
    }
    let listed = made.files.iter().map(|file| folder.join(&file.name).display().to_string() + "\n");
    if !arguments.quiet {
        print(&listed.collect::<String>())?;
    }
    made.complete().map(|()| Exit::Success)
}

/// Removes what was made from earlier results of the same model and is no part of this one, and notes what is.
fn clear_folder(
    folder: &Path,
    chain: &Path,
    file: &ChainFile,
    (made, quiet): (&Made, bool),
) -> Result<(), Failure> {
    let bytes = std::fs::read(chain).map_err(|error| {
        Failure::new(Exit::Usage, format!("{}: cannot be read: {error}", chain.display()))
    })?;
    let origin = Origin { model: file.model.name.clone(), result: sha256(bytes) };
    let mut owned = Owned::read(folder);
    owned.add(&origin, made.digests());
    let cleared = owned.clear(|other| other.model == origin.model && other.result != origin.result);
    if !quiet {
        cleared.messages(folder).iter().for_each(|(level, text)| eprintln!("{level}: {text}"));
    }
    Ok(owned.write()?)
}

/// What came of the formats asked for.
#[derive(Default)]
pub(crate) struct Made {
    /// The files of those that can express the result.
    pub(crate) files: Vec<ExportFile>,
    /// What stands in the way of the others.
    refused: Vec<String>,
}

impl Made {
    /// Names and digests of the files.
    pub(crate) fn digests(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.files.iter().map(|file| (file.name.clone(), sha256(&file.content)))
    }

    /// Fails where a format cannot express the result.
    pub(crate) fn complete(&self) -> Result<(), Failure> {
        match &self.refused[..] {
            [] => Ok(()),
            refused => Err(Failure::new(Exit::Usage, refused.join("; "))),
        }
    }
}

/// The files of a result in the formats asked for; without any, as CSV.
///
/// # Errors
/// Where the arguments do not fit the result.
pub(crate) fn files(
    file: &ChainFile,
    arguments: &FormatArguments,
    occasion: &Occasion,
    limit: &Limit,
) -> Result<Made, Failure> {
    let usage = |error: &dyn std::fmt::Display| Failure::new(Exit::Usage, error.to_string());
    let dont_care = arguments.dont_care;
    let options = ReadOptions {
        latency: arguments.output_latency,
        dont_care,
        tolerances: arguments.tolerance.iter().cloned().collect(),
    };
    let recording = recording(file, &options).map_err(|error| usage(&error))?;
    let mut formats = arguments.format.clone();
    if formats.is_empty() {
        formats.push(Format::Csv);
    }
    formats.sort_unstable();
    formats.dedup();
    let mut occasion = occasion.clone();
    if formats.contains(&Format::Html) && !file.chains.is_empty() {
        occasion.coverage = Some(coverage(file, &recording, &occasion, limit));
    }
    let material = Material { recording: &recording, file, occasion: &occasion, dont_care };
    let mut made = Made::default();
    for format in formats {
        match export(material, format) {
            Ok(files) => made.files.extend(files),
            Err(error) => made.refused.push(error.to_string()),
        }
    }
    Ok(made)
}

/// The lines that the chains execute, for the report; or why they cannot be told.
fn coverage(
    file: &ChainFile,
    recording: &Recording,
    occasion: &Occasion,
    limit: &Limit,
) -> Result<LineCoverage, String> {
    if file.chains.iter().any(|chain| chain.replayed != serde_json::Value::Bool(true)) {
        return Err("the chains were not replayed on the compiled code".to_owned());
    }
    let occasion = &Occasion { output: None, ..occasion.clone() };
    let material = Material { recording, file, occasion, dont_care: DontCare::Hold };
    let programs = export(material, Format::C).map_err(|error| error.to_string())?;
    let programs: Vec<String> =
        programs.into_iter().map(|program| String::from_utf8_lossy(&program.content).into_owned()).collect();
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let include = file.model.configuration.model.include.iter();
    let mut options: Vec<String> = include.map(|path| format!("-I{}", folder.join(path).display())).collect();
    options.push(format!("-I{}", folder.join(&occasion.folder).display()));
    let mut apart: Vec<String> = file.goals.iter().map(|goal| goal.name.clone()).collect();
    apart.extend(["chaincover_assume", "chaincover_final"].map(str::to_owned));
    let setting = Setting { folder, options, apart, limit: limit.clone() };
    let lines = |further: &[&str]| {
        let mut setting = setting.clone();
        setting.options.extend(further.iter().map(|&option| option.to_owned()));
        coverage::lines(&programs, &setting)
    };
    let found = match file.model.target.as_str() {
        // Where this works, types are those of the target.
        "ilp32" => lines(&["-m32"]).or_else(|_| lines(&[])),
        _ => lines(&[]),
    };
    found.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Writes files into a folder, which is made where it is missing.
pub(crate) fn write_files(folder: &Path, files: &[ExportFile]) -> Result<(), Failure> {
    if !folder.as_os_str().is_empty() {
        write::folder(folder)?;
    }
    for file in files {
        write::atomically(&folder.join(&file.name), &file.content)?;
    }
    Ok(())
}

/// Reads `NAME=abs:0.1,rel:1e-3,ulp:4`.
pub(crate) fn parse_tolerance(text: &str) -> Result<(String, Tolerance), String> {
    let (name, parts) =
        text.rsplit_once('=').ok_or("write NAME=abs:0.1,rel:1e-3,ulp:4 (at least one part)")?;
    let mut tolerance = Tolerance::default();
    for part in parts.split(',') {
        let (kind, number) = part
            .split_once(':')
            .ok_or_else(|| format!("`{part}` is not abs:, rel: or ulp: with a number"))?;
        let width = || {
            let value: Option<f64> = number.parse().ok();
            value
                .filter(|value| value.is_finite() && *value >= 0.0)
                .ok_or_else(|| format!("`{number}` is no width"))
        };
        match kind.trim() {
            "abs" => tolerance.absolute = Some(width()?),
            "rel" => tolerance.relative = Some(width()?),
            "ulp" => tolerance.ulps = Some(number.parse().map_err(|_| format!("`{number}` is no count"))?),
            other => return Err(format!("`{other}` is not abs, rel or ulp")),
        }
    }
    Ok((name.to_owned(), tolerance))
}

/// Steps by which outputs are seen later, at most: tables have a row for each of them.
const MOST_LATENCY: usize = 1_000_000;

/// Reads a number of steps that tables can be longer by.
pub(crate) fn parse_latency(text: &str) -> Result<usize, String> {
    let steps: usize = text.parse().map_err(|_| format!("`{text}` is no number of steps"))?;
    match steps {
        0..=MOST_LATENCY => Ok(steps),
        _ => {
            Err(format!("more than {MOST_LATENCY} steps: no rig is so late, and tables have a row for each"))
        }
    }
}

/// How the command line names [`DontCare`].
pub(crate) fn parse_dont_care(text: &str) -> Result<DontCare, String> {
    match text {
        "hold" => Ok(DontCare::Hold),
        "zero" => Ok(DontCare::Zero),
        "default" => Ok(DontCare::Default),
        "mark" => Ok(DontCare::Mark),
        _ => Err("expected hold, zero, default or mark".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_as_typed() {
        let read = parse_tolerance("a=b=abs:0.5,ulp:4").unwrap();
        let expected = Tolerance { absolute: Some(0.5), relative: None, ulps: Some(4) };
        assert_eq!(read, ("a=b".to_owned(), expected));
        for wrong in ["speed", "speed=", "speed=abs", "speed=abs:-1", "speed=abs:inf", "speed=exact:1"] {
            assert!(parse_tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
