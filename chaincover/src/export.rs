//! A result in the formats of rigs and people.

use crate::error::{Error, ErrorKind};
use crate::export_options::ExportOptions;
use crate::model::Model;
use crate::stored::{execute, trace};
use crate::test_comp::test_cases;
use crate::vectors::Vectors;
use crate::witness::witnesses;
use ::replay::native::coverage::{self, Compiler, LineCoverage, Measured, Setting};
use frontend::Benches;
use frontend::limit::Limit;
use report::build::source_file;
use report::export::read::{ReadOptions, recording};
use report::export::recording::{DontCare, Recording};
use report::export::{self, ExportFile, Format, Material};
use report::html::Occasion;
use report::output::chain_file::ChainFile;
use report::output::owned::Origin;
use report::output::place::Place;
use std::path::Path;

/// Why the model is not the one that the chains were found for, as far as its sources show; paths
/// are relative to `root`.
pub fn changed(file: &ChainFile, root: &Path) -> Option<String> {
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

/// The files of a result, and what stands in the way of some of them.
#[derive(Debug, Default)]
pub struct Exported {
    /// The files of the formats that can express the result.
    pub files: Vec<ExportFile>,
    /// What stands in the way of the others, a sentence each.
    pub refused: Vec<String>,
}

impl Exported {
    /// Writes the files into the folder but for those that would replace files of the user; returns
    /// the names of these.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&mut self, place: &mut Place, origin: &Origin) -> Result<Vec<String>, Error> {
        let mut unwritten = Vec::new();
        for file in &self.files {
            let refused = place.write(origin, [(file.name.as_str(), file.content.as_slice())])?;
            unwritten.extend(refused.iter().map(|_| file.name.clone()));
            self.refused.extend(refused);
        }
        Ok(unwritten)
    }

    /// Nothing was refused.
    ///
    /// # Errors
    /// Where a format cannot express the result, or a file belongs to the user.
    pub fn complete(&self) -> Result<(), Error> {
        match &self.refused[..] {
            [] => Ok(()),
            refused => Err(Error::new(ErrorKind::Request, refused.join("; "))),
        }
    }
}

/// The files of a result in the formats asked for: `vectors` has its chains as they are written.
/// Without the model there is no format that speaks of its source. `limit` ends programs that are
/// run to find out which lines the chains execute.
///
/// ```
/// # use chaincover::{ExportOptions, Format, Limit, Limits, Occasion, Options, Settings, Silent, check_natively, export, find_chains, read, report, vectors};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// # let (settings, options) = (Settings::default(), Options::default());
/// # let model = read([&path], &settings)?;
/// # let outcome = find_chains(&model, &options, &Silent)?;
/// # let checks = check_natively(&model, &outcome, &Limit::default());
/// # let result = report(&model, (&outcome, &checks), (&settings, &options), Default::default());
/// let wish = ExportOptions { formats: vec![Format::Csv, Format::Vcd], ..ExportOptions::default() };
/// let vectors = vectors(&result, &model, &wish, &Limits::default())?;
/// let exported = export(&result, (&vectors, Some(&model)), &wish, &Occasion::default(), &Limit::default())?;
/// let names: Vec<&str> = exported.files.iter().map(|file| file.name.as_str()).collect();
/// assert_eq!(names, ["chain.csv", "chain.vcd"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the options do not fit the result.
pub fn export(
    file: &ChainFile,
    (vectors, model): (&Vectors<'_>, Option<&Model>),
    options: &ExportOptions,
    occasion: &Occasion,
    limit: &Limit,
) -> Result<Exported, Error> {
    let read = ReadOptions {
        latency: options.output_latency,
        tolerances: options.tolerances.iter().cloned().collect(),
    };
    let recording = recording(&vectors.file, &read).map_err(|error| Error::request(&error))?;
    let formats = options.all();
    let mut occasion = occasion.clone();
    if formats.contains(&Format::Html) && !file.chains.is_empty() {
        occasion.coverage = Some(match options.without_running {
            true => Err("compiled code was not to be run".to_owned()),
            false => coverage(file, &recording, &occasion, limit),
        });
    }
    if formats.contains(&Format::Btor2Witness) {
        occasion.witnesses = Some(witnesses(&vectors.file, model));
    }
    if formats.contains(&Format::TestComp) {
        occasion.test_cases = Some(test_cases(&vectors.file, model));
    }
    if formats.iter().any(|format| matches!(format, Format::Sv | Format::Cocotb)) {
        occasion.benches = Some(benches(&vectors.file, model));
    }
    let material =
        Material { recording: &recording, file, occasion: &occasion, dont_care: options.dont_care };
    let mut exported = Exported::default();
    for format in formats {
        match export::export(material, format) {
            Ok(files) => exported.files.extend(files),
            Err(error) => exported.refused.push(error.to_string()),
        }
    }
    Ok(exported)
}

/// A bench for each chain, or why there is none.
fn benches(written: &ChainFile, model: Option<&Model>) -> Result<Vec<Benches>, String> {
    let model = model.ok_or("the model is not at hand as it was")?;
    let bench = |(index, chain)| {
        let trace = trace(model, chain, index).map_err(|error| error.to_string())?;
        let run = execute(model, &trace, index).map_err(|error| error.to_string())?;
        let found = model.translated.source.bench(&trace, &run.outputs);
        found.unwrap_or_else(|| Err("the model is not written in Verilog".to_owned()))
    };
    written.chains.iter().enumerate().map(bench).collect()
}

/// The lines that the chains execute, for the report; or why they cannot be told.
fn coverage(
    file: &ChainFile,
    recording: &Recording,
    occasion: &Occasion,
    limit: &Limit,
) -> Result<LineCoverage, String> {
    Ok(measured(file, recording, occasion, (&Compiler::default(), limit))?.lines)
}

/// What a compiler measures of the chains' replay programs; or why it does not.
pub(crate) fn measured(
    file: &ChainFile,
    recording: &Recording,
    occasion: &Occasion,
    (compiler, limit): (&Compiler, &Limit),
) -> Result<Measured, String> {
    // Where nothing was compiled when the chains were found, the programs compare by themselves.
    if file.chains.iter().any(|chain| chain.replayed == serde_json::Value::Bool(false)) {
        return Err("the compiled code does not do what the chains say".to_owned());
    }
    let occasion = &Occasion { output: None, ..occasion.clone() };
    // The programs say whether the record is what the code does; a requirement that the record
    // violates is another matter.
    let mut recording = Recording { requirements: Vec::new(), ..recording.clone() };
    recording.chains.iter_mut().flat_map(|chain| &mut chain.expected).for_each(Vec::clear);
    let recording = &recording;
    let material = Material { recording, file, occasion, dont_care: DontCare::Hold };
    let programs = export::export(material, Format::C).map_err(|error| error.to_string())?;
    let programs: Vec<String> =
        programs.into_iter().map(|program| String::from_utf8_lossy(&program.content).into_owned()).collect();
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let include = file.model.configuration.model.include.iter();
    let mut options: Vec<String> = include.map(|path| format!("-I{}", folder.join(path).display())).collect();
    options.push(format!("-I{}", folder.join(&occasion.folder).display()));
    let mut apart: Vec<String> = file.goals.iter().map(|goal| goal.name.clone()).collect();
    apart.extend(["chaincover_assume", "chaincover_final"].map(str::to_owned));
    let setting = Setting { folder, options, apart, compiler: compiler.clone(), limit: limit.clone() };
    let lines = |further: &[&str]| {
        let mut setting = setting.clone();
        setting.options.extend(further.iter().map(|&option| option.to_owned()));
        coverage::measure(&programs, &setting)
    };
    let found = match file.model.target.as_str() {
        // Where this works, types are those of the target.
        "ilp32" => lines(&["-m32"]).or_else(|_| lines(&[])),
        _ => lines(&[]),
    };
    found.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}
