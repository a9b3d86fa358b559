//! Mutants of C code, what becomes of each, and the fewest and shortest chains that reveal them.
//!
//! ```text
//! places in the text -> each mutant read like a model -> joined with the original (model::product)
//!   -> one query for each: killed, or no difference, proven
//!   -> chains through all that are killed -> run by the evaluator and by compiled mutants
//! ```
//! The engine is the only author of claims; equal terms are the one claim that needs no query.

mod difference;
mod judging;
mod score;
mod versions;

pub(crate) use judging::each;
pub(crate) use versions::{Version, goes_on};

pub use difference::{CodeDifference, Ends, Shows, VersionRun, code_difference};

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::settings::{Settings, configure};
use ::actions::analysis::Kill;
use config::resolve::Model as Configuration;
use engine::options::Options;
use frontend::SignalKind;
use frontend::limit::Limit;
use frontend_c::mutate::{Mutation, Operators, mutations};
use report::mutation::{self, MutationFile};
use std::path::{Path, PathBuf};

/// How mutants of C code are made and judged.
#[derive(Clone, Debug, Default)]
pub struct CodeMutateOptions {
    /// Which changes are made.
    pub operators: Operators,
    /// Only mutants in these functions; empty: in all.
    pub functions: Vec<String>,
    /// Only mutants in these lines of a file, by its path; none: all.
    pub lines: Option<Vec<(PathBuf, u32)>>,
    /// So many mutants at most, spread evenly over the text.
    pub sample: Option<usize>,
    /// Names of the outputs that are seen; empty: all.
    pub observe: Vec<String>,
    /// When a mutant is killed: an output differs ([`Kill::Output`]), or a single step from the
    /// memory of the original leaves other memory or outputs ([`Kill::Step`]).
    pub kill: Kill,
    /// Stored chains (`chain.json`, `mutate.json`) and vectors (CSV) that are judged in place of a
    /// search.
    pub score: Vec<PathBuf>,
    /// Whether nothing is compiled and run.
    pub no_replay: bool,
    /// How chains are searched for, and until when.
    pub search: Options,
}

/// The mutants of C code: verdicts, and chains that reveal all that can be revealed by outputs.
/// Each mutant that is killed has been compiled and run, unless that is not wanted or not possible.
///
/// ```
/// use chaincover::{CodeMutateOptions, Settings, mutate_code};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// std::fs::write(&path, "int lamp; void step(int press) { if (press) lamp = !lamp; }")?;
/// let options = CodeMutateOptions { operators: "negation".parse()?, ..Default::default() };
/// let mutated = mutate_code(&[path], &Settings::default(), &options)?;
/// assert_eq!((mutated.mutants.len(), mutated.count("killed")), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`read`](crate::read). [`ErrorKind::SelfCheck`]: a compiled mutant does not do what was
/// computed of it.
pub fn mutate_code(
    paths: &[PathBuf],
    settings: &Settings,
    options: &CodeMutateOptions,
) -> Result<MutationFile, Error> {
    let (original, mutations) = made(paths, settings, options)?;
    let file = listed(&original, &mutations, options);
    judging::judge(&original, &mutations, file, options)
}

/// The mutants of C code without any verdict.
///
/// # Errors
/// As for [`mutate_code`].
pub fn list_code_mutants(
    paths: &[PathBuf],
    settings: &Settings,
    options: &CodeMutateOptions,
) -> Result<MutationFile, Error> {
    let (original, mutations) = made(paths, settings, options)?;
    Ok(listed(&original, &mutations, options))
}

/// Whether paths name a model in C.
pub fn is_code(paths: &[PathBuf], settings: &Settings) -> bool {
    configure(paths, settings).is_ok_and(|configuration| crate::front_ends::is_code(&configuration.request))
}

/// The model without its goals, and those of its mutants that are wanted.
fn made(
    paths: &[PathBuf],
    settings: &Settings,
    options: &CodeMutateOptions,
) -> Result<(Model, Vec<Mutation>), Error> {
    let configuration = configure(paths, settings)?;
    if !crate::front_ends::is_code(&configuration.request) {
        let message = "this is no model in C";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let whole = Model::new(configuration.clone())?.translated;
    let resolved = match options.kill {
        Kill::Output => seen_outputs(whole),
        Kill::Step if options.observe.is_empty() => seen_memory(whole),
        Kill::Step => {
            let message =
                "where memory is compared after each step, all of it counts: outputs cannot be chosen";
            return Err(Error::new(ErrorKind::Request, message));
        }
        Kill::State => {
            let message = "mutants of C are killed by an output or by a step, not by a state";
            return Err(Error::new(ErrorKind::Request, message));
        }
    };
    let original = Model::new(bare(configuration, resolved))?;
    check_observed(&original, options)?;
    let mut found = mutations(&original.configuration.request, &options.operators)?;
    if let Some(unknown) =
        options.functions.iter().find(|name| found.iter().all(|mutation| mutation.function != **name))
    {
        let message = format!("there is no mutant in a function `{unknown}` that the step runs");
        return Err(Error::new(ErrorKind::Request, message));
    }
    if !options.functions.is_empty() {
        found.retain(|mutation| options.functions.contains(&mutation.function));
    }
    if let Some(lines) = &options.lines {
        let is_same = |path: &Path, named: &Path| path.ends_with(named) || named.ends_with(path);
        found.retain(|mutation| {
            lines.iter().any(|(file, line)| *line == mutation.line && is_same(&mutation.path, file))
        });
    }
    if let Some(sample) = options.sample.filter(|&sample| sample < found.len()) {
        let count = found.len();
        let mut number = 0;
        found.retain(|_| {
            number += 1;
            number * sample / count > (number - 1) * sample / count
        });
    }
    Ok((original, found))
}

/// What was found of a model, with its memory as outputs where it has none.
fn seen_outputs(whole: frontend::Translated) -> frontend::Request {
    let mut resolved = whole.resolved;
    if whole.signals.outputs.is_empty() {
        let states = whole.signals.states.iter().map(|(signal, _)| signal);
        let seen = states.filter(|signal| signal.kind != SignalKind::Pointer);
        resolved.outputs = Some(seen.map(|signal| signal.lvalue.clone()).collect());
    }
    resolved
}

/// What was found of a model, with all of its memory among the outputs.
fn seen_memory(whole: frontend::Translated) -> frontend::Request {
    let mut resolved = whole.resolved;
    let outputs = whole.signals.outputs.iter().map(|(signal, _)| signal);
    let states = whole.signals.states.iter().map(|(signal, _)| signal);
    let mut seen: Vec<String> = Vec::new();
    for signal in outputs.chain(states).filter(|signal| signal.kind != SignalKind::Pointer) {
        if !seen.contains(&signal.lvalue) {
            seen.push(signal.lvalue.clone());
        }
    }
    resolved.outputs = Some(seen);
    resolved
}

/// The configuration with everything that was found filled in, so that mutants have the inputs and
/// outputs of the original, and without goals, which mutants are not asked for.
pub(crate) fn bare(configuration: Configuration, resolved: frontend::Request) -> Configuration {
    let mut request = resolved;
    request.goals.clear();
    request.end = None;
    request.coverage = Default::default();
    (request.robustness, request.keep_wording, request.edit) = (false, false, None);
    request.limit = Limit::default();
    Configuration { request, ..configuration }
}

/// Names of outputs must be those of outputs.
fn check_observed(original: &Model, options: &CodeMutateOptions) -> Result<(), Error> {
    let outputs = &original.translated.signals.outputs;
    let names: Vec<&str> = outputs.iter().map(|(signal, _)| signal.name.as_str()).collect();
    if names.is_empty() {
        let message = "the model has no outputs and no memory by which mutants could be told from it; name outputs (outputs = [...] in chaincover.toml)";
        return Err(Error::new(ErrorKind::Request, message));
    }
    match options.observe.iter().find(|name| !names.contains(&name.as_str())) {
        Some(unknown) => {
            let message = format!("there is no output `{unknown}`; there are {}", names.join(", "));
            Err(Error::new(ErrorKind::Request, message))
        }
        None => Ok(()),
    }
}

fn listed(original: &Model, mutations: &[Mutation], options: &CodeMutateOptions) -> MutationFile {
    let described = |(number, mutation): (usize, &Mutation)| mutation::Mutant {
        id: format!("m{}", number + 1),
        operator: mutation.operator.name().to_owned(),
        function: Some(mutation.function.clone()),
        file: mutation.path.display().to_string(),
        line: mutation.line,
        column: mutation.column,
        old: mutation.old.clone(),
        new: mutation.new.clone(),
        ..mutation::Mutant::default()
    };
    MutationFile {
        schema: mutation::SCHEMA.to_owned(),
        system: original.system.name.clone(),
        kill: options.kill.to_string(),
        operators: options.operators.0.iter().map(ToString::to_string).collect(),
        mutants: mutations.iter().enumerate().map(described).collect(),
        ..MutationFile::default()
    }
}
