//! `chaincover export`: a stored chain in other formats.

use super::args::{ExportArguments, FormatArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::vectors::{Vectors, own_vectors, vectors};
use super::{print, replay};
use ::replay::native::coverage::{self, LineCoverage, Setting};
use engine::options::Limits;
use frontend::diagnostics::{visible, visible_lines};
use frontend::limit::Limit;
use report::build::source_file;
use report::export::read::{ReadOptions, recording};
use report::export::recording::{DontCare, Recording, Tolerance};
use report::export::{ExportFile, Format, Material, export};
use report::html::Occasion;
use report::output::chain_file::ChainFile;
use report::output::digest::sha256;
use report::output::owned::Origin;
use report::output::place::Place;
use report::output::root::root;
use std::path::Path;

/// Writes the files and lists them.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let file = replay::read(&arguments.chain)?;
    let folder = arguments.output.clone().unwrap_or_default();
    let mut place = Place::open(&folder, arguments.force)?;
    let occasion = Occasion {
        folder: root(&file, &arguments.chain),
        output: Some(folder.clone()),
        ..Occasion::default()
    };
    let (vectors, told_root) = replayed(&file, arguments)?;
    let mut made = files(&file, &vectors.file, &arguments.formats, &occasion, &Limit::default())?;
    let origin = origin(&file, &arguments.chain)?;
    let unwritten = made.write(&mut place, &origin)?;
    // Files of the current folder that nobody named are listed, and left to the user.
    let is_named = arguments.output.is_some();
    let cleared =
        place.close(|other| is_named && other.model == origin.model && other.result != origin.result)?;
    if !arguments.quiet {
        let notes = told_root.iter().chain(&vectors.notes).map(|note| ("note", note.clone()));
        let messages = notes.chain(cleared.messages(&folder));
        messages.for_each(|(level, text)| eprintln!("{level}: {}", visible_lines(&text)));
        let written = made.files.iter().filter(|file| !unwritten.contains(&file.name));
        let listed = written.map(|file| visible(&folder.join(&file.name).display().to_string()) + "\n");
        print(&listed.collect::<String>())?;
    }
    made.complete().map(|()| Exit::Success)
}

/// What files are made from.
fn origin(file: &ChainFile, path: &Path) -> Result<Origin, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: cannot be read: {error}", path.display())))?;
    Ok(Origin { model: file.model.name.clone(), result: sha256(bytes) })
}

/// Replays the vectors where the model is as it was; says where its sources are taken from, if they
/// are elsewhere.
fn replayed<'f>(
    file: &'f ChainFile,
    arguments: &ExportArguments,
) -> Result<(Vectors<'f>, Option<String>), Failure> {
    let quiet = Verbosity { quiet: true, verbose: 0 };
    let formats = &arguments.formats;
    let loaded = match changed(file, &root(file, &arguments.chain)) {
        Some(why) => Err(why),
        None => replay::load(file, &arguments.chain, quiet)
            .map_err(|failure| format!("the model cannot be read: {}", first_line(&failure.message))),
    };
    match loaded {
        Ok(loaded) => {
            let vectors = vectors(file, &loaded, formats, &Limits::default())?;
            Ok((vectors, replay::told_root(file, &arguments.chain)))
        }
        Err(why) => Ok((own_vectors(file, formats, &why), None)),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Why the model is not the one that the chains were found for, as far as its sources show.
fn changed(file: &ChainFile, root: &Path) -> Option<String> {
    file.model.sources.iter().find_map(|source| {
        let path = root.join(&source.path);
        match path.is_file() {
            false => Some(format!("the source {} is not here", source.path)),
            true if source_file(&path).sha256 != source.sha256 => {
                Some(format!("the source {} has changed since the chain was made", source.path))
            }
            true => None,
        }
    })
}

/// Files that the formats asked for consist of, however many chains there are.
pub(crate) fn certain_names(arguments: &FormatArguments) -> impl Iterator<Item = &'static str> {
    let formats = if arguments.format.is_empty() { vec![Format::Csv] } else { arguments.format.clone() };
    formats.into_iter().flat_map(|format| format.certain_names().iter().copied())
}

/// What came of the formats asked for.
#[derive(Default)]
pub(crate) struct Made {
    /// The files of those that can express the result.
    pub(crate) files: Vec<ExportFile>,
    /// What stands in the way of the others.
    pub(crate) refused: Vec<String>,
}

impl Made {
    /// Writes the files into the folder but for those that would replace files of the user; returns the names of these.
    pub(crate) fn write(&mut self, place: &mut Place, origin: &Origin) -> Result<Vec<String>, Failure> {
        let mut unwritten = Vec::new();
        for file in &self.files {
            let refused = place.write(origin, [(file.name.as_str(), file.content.as_slice())])?;
            unwritten.extend(refused.iter().map(|_| file.name.clone()));
            self.refused.extend(refused);
        }
        Ok(unwritten)
    }

    /// Fails where a format cannot express the result, or a file is not ours.
    pub(crate) fn complete(&self) -> Result<(), Failure> {
        match &self.refused[..] {
            [] => Ok(()),
            refused => Err(Failure::new(Exit::Usage, refused.join("; "))),
        }
    }
}

/// The files of a result in the formats asked for, without any as CSV; `written` is the result with its vectors as they are written.
///
/// # Errors
/// Where the arguments do not fit the result.
pub(crate) fn files(
    file: &ChainFile,
    written: &ChainFile,
    arguments: &FormatArguments,
    occasion: &Occasion,
    limit: &Limit,
) -> Result<Made, Failure> {
    let usage = |error: &dyn std::fmt::Display| Failure::new(Exit::Usage, error.to_string());
    let dont_care = arguments.dont_care;
    let options = ReadOptions {
        latency: arguments.output_latency,
        tolerances: arguments.tolerance.iter().cloned().collect(),
    };
    let recording = recording(written, &options).map_err(|error| usage(&error))?;
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
