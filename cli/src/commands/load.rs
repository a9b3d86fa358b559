//! Reading a model, with diagnostics printed.

use super::args::{Decisions, ModelArguments, SourceArguments, Verbosity};
use super::failure::Failure;
use super::log::{self, Log};
use super::search;
use chaincover::diagnostics::{self, Diagnostic, Diagnostics, Severity, visible};
use chaincover::sarif::{Finding, Place};
use chaincover::{
    Configuration, Error, FILE_NAME, HazardPolicy, Limit, Model, Options, Settings, SourceMap, Span,
    configure,
};
use std::path::{Path, PathBuf};

/// How the arguments say that C files are read.
pub(crate) fn settings(source: &SourceArguments, limit: Limit) -> Settings {
    Settings {
        include: source.include.clone(),
        define: source.define.clone(),
        target: source.target.clone(),
        step: source.step.clone(),
        init: source.init.clone(),
        goals: source.goals.iter().filter(|path| !is_none(path)).cloned().collect(),
        coverage: source.coverage.clone(),
        branches_only: source.decisions == Some(Decisions::Branch),
        coverage_alone: source.goals.iter().any(|path| is_none(path)),
        observe: None,
        unwind: source.unwind,
        assume_unwound: source.assume_unwound,
        robustness: source.robustness,
        forbids_undefined: false,
        keep_wording: false,
        view: source.view.clone(),
        no_idle: source.no_idle,
        top: source.top.clone(),
        parameters: source.param.clone(),
        reset: source.reset.clone(),
        zero_init: source.zero_init,
        a2l: source.a2l.clone(),
        a2l_ranges: source.a2l_ranges,
        period: source.period.clone(),
        limit,
    }
}

/// How C files are read for a search with these options: `--ub` decides where executions end.
pub(crate) fn settings_for(source: &SourceArguments, options: &Options) -> Settings {
    let forbids_undefined = options.hazards == HazardPolicy::Forbid;
    Settings { forbids_undefined, ..settings(source, search::limit(options)) }
}

impl ModelArguments {
    /// How the arguments say that the model is read.
    pub(crate) fn settings(&self, limit: Limit) -> Settings {
        Settings { observe: self.observed.observe, ..settings(&self.source, limit) }
    }

    /// How the arguments say that the model is read for a search with these options.
    pub(crate) fn settings_for(&self, options: &Options) -> Settings {
        Settings { observe: self.observed.observe, ..settings_for(&self.source, options) }
    }
}

/// Whether `--goals` asks for no goals of requirements.
fn is_none(path: &Path) -> bool {
    path == Path::new("none")
}

/// Reads the model that the arguments name, within a limit; warnings go to standard error.
///
/// # Errors
/// Usage errors, C that does not parse or is not supported, and the limit.
pub(crate) fn load(arguments: &ModelArguments, limit: Limit, verbosity: Verbosity) -> Result<Model, Failure> {
    let configuration = configure(&arguments.model, &arguments.settings(limit))?;
    Ok(translate(configuration, verbosity)?)
}

/// Reads the model that the arguments name for a search; warnings go to standard error.
///
/// # Errors
/// As for [`load`].
pub(crate) fn load_for(
    arguments: &ModelArguments,
    options: &Options,
    verbosity: Verbosity,
) -> Result<Model, Failure> {
    load_with(arguments, &arguments.settings_for(options), verbosity)
}

/// Like [`load_for`], with settings of its own.
///
/// # Errors
/// As for [`load`].
pub(crate) fn load_with(
    arguments: &ModelArguments,
    settings: &Settings,
    verbosity: Verbosity,
) -> Result<Model, Failure> {
    let configuration = configure(&arguments.model, settings)?;
    let model = translate(configuration, verbosity)?;
    if model.goals().next().is_none() && !verbosity.quiet {
        hint_at_configuration(&arguments.model);
    }
    Ok(model)
}

/// Tells where goals may stand that were not read: C files that are named themselves are read
/// without the configuration beside them.
fn hint_at_configuration(paths: &[PathBuf]) {
    let beside = |path: &PathBuf| Some(path.parent()?.join(FILE_NAME));
    let is_c = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "c");
    if let Some(file) = paths.iter().filter(is_c).filter_map(beside).find(|file| file.is_file()) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or_else(|| ".".to_owned(), |folder| folder.display().to_string());
        let (file, folder) = (visible(&file.display().to_string()), visible(&folder));
        eprintln!(
            "note: {file} was not read, since C files were named; name the folder instead: chaincover chain {folder}"
        );
    }
}

/// Reads a configured model; warnings go to standard error.
///
/// # Errors
/// C that does not parse or is not supported.
pub(crate) fn translate(configuration: Configuration, verbosity: Verbosity) -> Result<Model, Error> {
    if !verbosity.quiet {
        for folder in configuration.request.include.iter().filter(|folder| !folder.is_dir()) {
            let folder = visible(&folder.display().to_string());
            eprintln!("warning: the include folder {folder} does not exist");
        }
    }
    let loaded = Model::new(configuration)?;
    let translated = &loaded.translated;
    if !verbosity.quiet {
        let shown = shown(&translated.diagnostics, verbosity);
        eprint!("{}", diagnostics::render(&shown, &translated.sources, log::is_coloured()));
    }
    if verbosity.verbose > 0 {
        let [whole, sliced] = loaded.sizes();
        eprintln!("model: {whole}");
        eprintln!("sliced: {sliced}");
    }
    Ok(loaded)
}

/// Prints a warning about a model that was read.
pub(crate) fn warn(warning: Diagnostic, loaded: &Model) {
    let diagnostics = Diagnostics { entries: vec![warning] };
    eprint!("{}", diagnostics::render(&diagnostics, &loaded.translated.sources, log::is_coloured()));
}

/// Writes to a log what [`load`] prints: warnings, and with `-v` notes and sizes.
pub(crate) fn tell(loaded: &Model, verbosity: Verbosity, log: &Log) {
    let translated = &loaded.translated;
    if !verbosity.quiet {
        for entry in shown(&translated.diagnostics, verbosity).entries {
            let place = entry.span.map_or_else(String::new, |span| translated.sources.describe(span) + ": ");
            log.message(level(entry.severity), &format!("{place}{}", entry.message));
        }
    }
    if verbosity.verbose > 0 {
        let [whole, sliced] = loaded.sizes();
        log.message("note", &format!("model: {whole}"));
        log.message("note", &format!("sliced: {sliced}"));
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Notes are for `-v`.
fn shown(diagnostics: &Diagnostics, verbosity: Verbosity) -> Diagnostics {
    let least = if verbosity.verbose > 0 { Severity::Note } else { Severity::Warning };
    Diagnostics {
        entries: diagnostics.entries.iter().filter(|entry| entry.severity >= least).cloned().collect(),
    }
}

/// The diagnostics of a model as findings for SARIF.
///
/// # Errors
/// Usage errors.
pub(crate) fn findings(arguments: &ModelArguments, limit: Limit) -> Result<Vec<Finding>, Failure> {
    let configuration = configure(&arguments.model, &arguments.settings(limit))?;
    match Model::new(configuration) {
        Ok(Model { translated, .. }) => Ok(found(&translated.diagnostics, &translated.sources)),
        Err(Error { diagnostics: Some(failure), .. }) => Ok(found(&failure.diagnostics, &failure.sources)),
        Err(error) => Err(error.into()),
    }
}

fn found(diagnostics: &Diagnostics, sources: &SourceMap) -> Vec<Finding> {
    let place = |span: Span| {
        let (file, line) = sources.written(span);
        // A column of an expression is none of the line of the configuration.
        let column = (span.column > 0 && !sources.is_expression(span)).then_some(span.column);
        Place { file: file.display().to_string(), line, column }
    };
    let message = |entry: &Diagnostic| {
        let advice = entry.notes.iter().filter(|(_, span)| span.is_none()).map(|(note, _)| note);
        std::iter::once(&entry.message).chain(advice).map(String::as_str).collect::<Vec<_>>().join("; ")
    };
    let finding = |entry: &Diagnostic| Finding {
        rule: entry.code.text.to_owned(),
        level: level(entry.severity),
        message: message(entry),
        place: entry.span.map(place),
    };
    diagnostics.entries.iter().map(finding).collect()
}
