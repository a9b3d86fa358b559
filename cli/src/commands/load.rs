//! Reading a model through the front end, with diagnostics printed.

use super::args::{ModelArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::log::Log;
use super::setup;
use chaincover::front_ends;
use chaincover::judge::LimitedJudge;
use config::ConfigError;
use config::resolve::Model;
use engine::step::size::Size;
use frontend::Translated;
use frontend::diagnostics::{Diagnostic, Diagnostics, Severity, visible};
use frontend::limit::{Limit, Reason};
use frontend::source::{SourceMap, Span};
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use report::export::sarif::{Finding, Place};
use std::io::IsTerminal;

/// A model that was read and found well-formed.
pub(crate) struct Loaded {
    /// The configuration.
    pub(crate) model: Model,
    /// What the front end made of it; its `system` was moved into `system` below.
    pub(crate) translated: Translated,
    /// The transition system.
    pub(crate) system: Validated,
}

/// Reads the model that the arguments name, within a limit; warnings go to standard error.
///
/// # Errors
/// Usage errors, C that does not parse or is not supported, and the limit.
pub(crate) fn load(
    arguments: &ModelArguments,
    limit: Limit,
    verbosity: Verbosity,
) -> Result<Loaded, Failure> {
    let mut model = setup::model(arguments)?;
    model.request.limit = limit;
    translate(model, verbosity)
}

/// Reads a configured model.
///
/// # Errors
/// C that does not parse or is not supported.
pub(crate) fn translate(model: Model, verbosity: Verbosity) -> Result<Loaded, Failure> {
    if !verbosity.quiet {
        for folder in model.request.include.iter().filter(|folder| !folder.is_dir()) {
            eprintln!(
                "warning: the include folder {} does not exist",
                visible(&folder.display().to_string())
            );
        }
    }
    let judge = LimitedJudge(model.request.limit.clone());
    let mut translated = front_ends::translate(&model.request, &judge).map_err(|failure| Failure {
        exit: exit(&failure.diagnostics, &failure.sources),
        message: render(&failure.diagnostics, &failure.sources),
        rendered: true,
    })?;
    check_outputs(&model, &translated)?;
    if !verbosity.quiet {
        eprint!("{}", render(&shown(&translated.diagnostics, verbosity), &translated.sources));
    }
    let system: TransitionSystem = std::mem::take(&mut translated.system);
    let system = validate(system).map_err(|malformed| {
        let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
        Failure::new(Exit::Internal, format!("the front end made a malformed system: {}", list.join("; ")))
    })?;
    if verbosity.verbose > 0 {
        eprintln!("model: {}", Size::shown(&system));
        eprintln!("sliced: {}", Size::of_slice(&system));
    }
    Ok(Loaded { model, translated, system })
}

/// Sections `[output]` must speak of outputs.
fn check_outputs(model: &Model, translated: &Translated) -> Result<(), Failure> {
    let outputs = || translated.signals.outputs.iter().map(|(signal, _)| signal);
    let is_known = |name: &String| outputs().any(|signal| signal.lvalue == *name || signal.name == *name);
    let Some(unknown) = model.outputs.keys().find(|name| !is_known(name)) else { return Ok(()) };
    let mut known: Vec<String> = outputs().map(|signal| format!("`{}`", signal.lvalue)).collect();
    if known.len() > SHOWN_OUTPUTS {
        known.truncate(SHOWN_OUTPUTS);
        known.push("...".to_owned());
    }
    let known = if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
    let path = model.config_path.clone().unwrap_or_default();
    let why = format!("this is no output of the model; outputs: {known}");
    Err(ConfigError::value(&path, format!("output.\"{unknown}\""), why).into())
}

/// Writes to a log what [`load`] prints: warnings, and with `-v` notes and sizes.
pub(crate) fn tell(loaded: &Loaded, verbosity: Verbosity, log: &Log) {
    let Loaded { translated, system, .. } = loaded;
    if !verbosity.quiet {
        for entry in shown(&translated.diagnostics, verbosity).entries {
            let place = entry.span.map_or_else(String::new, |span| translated.sources.describe(span) + ": ");
            log.message(level(entry.severity), &format!("{place}{}", entry.message));
        }
    }
    if verbosity.verbose > 0 {
        log.message("note", &format!("model: {}", Size::shown(system)));
        log.message("note", &format!("sliced: {}", Size::of_slice(system)));
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Outputs that a message names.
const SHOWN_OUTPUTS: usize = 8;

/// C that is not understood, unless a limit ended the reading, or every error lies in what was asked for.
fn exit(diagnostics: &Diagnostics, sources: &SourceMap) -> Exit {
    match diagnostics.stopped() {
        Some(Reason::Deadline | Reason::Memory) => Exit::TimeOut,
        Some(Reason::Interrupted) => Exit::Interrupted,
        None if diagnostics.is_about_request(sources) => Exit::Usage,
        None => Exit::Source,
    }
}

/// Notes are for `-v`.
fn shown(diagnostics: &Diagnostics, verbosity: Verbosity) -> Diagnostics {
    let least = if verbosity.verbose > 0 { Severity::Note } else { Severity::Warning };
    Diagnostics {
        entries: diagnostics.entries.iter().filter(|entry| entry.severity >= least).cloned().collect(),
    }
}

/// Diagnostics with source snippets, coloured on a terminal unless `NO_COLOR` is set.
fn render(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let coloured =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    frontend::diagnostics::render(diagnostics, sources, coloured)
}

/// The diagnostics of a model as findings for SARIF.
///
/// # Errors
/// Usage errors.
pub(crate) fn findings(arguments: &ModelArguments, limit: Limit) -> Result<Vec<Finding>, Failure> {
    let mut model = setup::model(arguments)?;
    let judge = LimitedJudge(limit.clone());
    model.request.limit = limit;
    let (diagnostics, sources) = match front_ends::translate(&model.request, &judge) {
        Ok(translated) => (translated.diagnostics, translated.sources),
        Err(failure) => (failure.diagnostics, failure.sources),
    };
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
    Ok(diagnostics.entries.iter().map(finding).collect())
}
