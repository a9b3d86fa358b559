//! Mutants of C code, what becomes of each, and the fewest and shortest chains that reveal them.
//!
//! ```text
//! places in the text -> each mutant read like a model -> joined with the original (model::product)
//!   -> one query for each: killed, or no difference, proven
//!   -> chains through all that are killed -> run by the evaluator and by compiled mutants
//! ```
//! The engine is the only author of claims; equal terms are the one claim that needs no query.

mod difference;
mod exploring;
mod judging;
mod proofs;
mod reading;
mod score;
mod stored;
mod verify;

pub use difference::{CodeDifference, Ends, Shows, VersionRun, code_difference};
pub use proofs::{MUTANT_PROOFS, write_evidence_of_mutants};
pub(crate) use verify::{MUTANTS, verify_mutants};

use crate::choice::{MOST_PAIRS, pairs, sampled};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::mutants::check_within;
use crate::patch::{Patched, patch_mutant};
use crate::settings::{Settings, configure};
use crate::versions::{bare, is_seen};
use ::actions::analysis::Kill;
use engine::options::Options;
use frontend::source::FileKind;
use frontend::{Signal, SignalKind, TextEdit};
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
    /// Whether each mutant has two changes; there are at most `sample` of them, or
    /// [`MOST_PAIRS`](crate::MOST_PAIRS).
    pub pairs: bool,
    /// Unified diffs of the files of the model: they are the mutants then, and no others are made.
    pub patches: Vec<PathBuf>,
    /// Names of the outputs that are seen; empty: all.
    pub observe: Vec<String>,
    /// When a mutant is killed: an output differs ([`Kill::Output`]), or a single step from the
    /// memory of the original leaves other memory or outputs ([`Kill::Step`]).
    pub kill: Kill,
    /// At the level of outputs: a chain kills a mutant only by an output that differs at most so many
    /// steps after the first step behind which memory or outputs differ; none: whenever it differs.
    pub within: Option<u32>,
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
    let (original, outputs, candidates) = made(paths, settings, options)?;
    let file = listed(&original, &candidates, options);
    let changes: Vec<Change> = candidates.into_iter().map(|candidate| candidate.change).collect();
    judging::judge((&original, &outputs), &changes, file, options)
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
    let (original, _, candidates) = made(paths, settings, options)?;
    Ok(listed(&original, &candidates, options))
}

/// Whether paths name a model in C.
pub fn is_code(paths: &[PathBuf], settings: &Settings) -> bool {
    configure(paths, settings).is_ok_and(|configuration| crate::front_ends::is_code(&configuration.request))
}

/// A mutant before it is read.
struct Candidate {
    described: mutation::Mutant,
    change: Change,
}

/// What makes a mutant of the model.
enum Change {
    /// Changes behind the preprocessor.
    Edits(Vec<TextEdit>),
    /// Other files.
    Files(Patched),
    /// Nothing, for this reason.
    None(String),
}

/// What is seen of a model, by the lvalues of its outputs.
struct Outputs {
    /// The outputs; memory that is looked at beside them is none.
    all: Vec<String>,
    /// Those by which mutants are told from it.
    observed: Vec<String>,
}

impl Outputs {
    /// The outputs that are chosen of some.
    ///
    /// # Errors
    /// There are none, or none of a name.
    fn chosen<'a>(signals: impl Iterator<Item = &'a Signal>, observe: &[String]) -> Result<Self, Error> {
        let signals: Vec<&Signal> = signals.collect();
        if signals.is_empty() {
            let message = "the model has no outputs and no memory by which mutants could be told from it; name outputs (outputs = [...] in chaincover.toml)";
            return Err(Error::new(ErrorKind::Request, message));
        }
        let names: Vec<&str> = signals.iter().map(|signal| signal.name.as_str()).collect();
        if let Some(unknown) = observe.iter().find(|name| !names.contains(&name.as_str())) {
            let message = format!("there is no output `{unknown}`; there are {}", names.join(", "));
            return Err(Error::new(ErrorKind::Request, message));
        }
        let lvalue = |signal: &&Signal| signal.lvalue.clone();
        let observed = signals.iter().filter(|signal| is_seen(&signal.kind, &signal.name, observe));
        Ok(Self { all: signals.iter().map(lvalue).collect(), observed: observed.map(lvalue).collect() })
    }
}

/// The model without its goals, what is seen of it, and those of its mutants that are wanted.
fn made(
    paths: &[PathBuf],
    settings: &Settings,
    options: &CodeMutateOptions,
) -> Result<(Model, Outputs, Vec<Candidate>), Error> {
    let (original, outputs) = original(paths, settings, options)?;
    let candidates = candidates(&original, options)?;
    Ok((original, outputs, candidates))
}

/// The model without its goals, and what is seen of it.
fn original(
    paths: &[PathBuf],
    settings: &Settings,
    options: &CodeMutateOptions,
) -> Result<(Model, Outputs), Error> {
    check_within(options.within, options.kill)?;
    let configuration = configure(paths, settings)?;
    if !crate::front_ends::is_code(&configuration.request) {
        let message = "mutants are made of code in C, which this model is not; of an FMU they are made where a \
            chaincover.toml names its C sources and a step function that calls them";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let Model { configuration, translated: whole, .. } = Model::unobserved(configuration)?;
    let before = options.within.map(|_| Outputs::chosen(outputs(&whole).into_iter(), &options.observe));
    let before = before.transpose()?;
    let resolved = match options.kill {
        // The first difference may be one of memory.
        Kill::Output if options.within.is_some() => seen_memory(whole),
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
    let original = Model::unobserved(bare(configuration, resolved))?;
    let outputs = match before {
        Some(outputs) => outputs,
        None => {
            let own = original.translated.signals.outputs.iter().map(|(signal, _)| signal);
            Outputs::chosen(own, &options.observe)?
        }
    };
    Ok((original, outputs))
}

/// The mutants that are wanted.
fn candidates(original: &Model, options: &CodeMutateOptions) -> Result<Vec<Candidate>, Error> {
    if !options.patches.is_empty() {
        let files = code_files(original);
        let patches = sampled(options.patches.clone(), options.sample);
        return patches.iter().map(|path| patched(&files, path)).collect();
    }
    let found = wanted(original, options)?;
    Ok(match options.pairs {
        false => {
            sampled(found, options.sample).iter().map(|(number, one)| candidate(&[(*number, one)])).collect()
        }
        true => {
            let most = options.sample.unwrap_or(MOST_PAIRS);
            let fit = |one: usize, other: usize| are_apart(&found[one].1.edit, &found[other].1.edit);
            let chosen = pairs(found.len(), most, fit);
            let of = |at: usize| (found[at].0, &found[at].1);
            chosen.iter().map(|&(one, other)| candidate(&[of(one), of(other)])).collect()
        }
    })
}

/// The changes by operators in the functions and lines that are wanted, each with its number among
/// all by these operators.
fn wanted(original: &Model, options: &CodeMutateOptions) -> Result<Vec<(usize, Mutation)>, Error> {
    let all = mutations(&original.configuration.request, &options.operators)?;
    let mut found: Vec<(usize, Mutation)> = (1..).zip(all).collect();
    if let Some(unknown) =
        options.functions.iter().find(|name| found.iter().all(|(_, mutation)| mutation.function != **name))
    {
        let message = format!("there is no mutant in a function `{unknown}` that the step runs");
        return Err(Error::new(ErrorKind::Request, message));
    }
    if !options.functions.is_empty() {
        found.retain(|(_, mutation)| options.functions.contains(&mutation.function));
    }
    if let Some(lines) = &options.lines {
        let is_same = |path: &Path, named: &Path| path.ends_with(named) || named.ends_with(path);
        found.retain(|(_, mutation)| {
            lines.iter().any(|(file, line)| *line == mutation.line && is_same(&mutation.path, file))
        });
    }
    Ok(found)
}

/// Whether two changes of text leave each other alone.
fn are_apart(one: &TextEdit, other: &TextEdit) -> bool {
    let is_before = |one: &TextEdit, other: &TextEdit| one.range.end <= other.range.start;
    one.file != other.file || is_before(one, other) || is_before(other, one)
}

/// The mutant with some changes, each with its number.
fn candidate(changes: &[(usize, &Mutation)]) -> Candidate {
    let change = |mutation: &Mutation| mutation::Change {
        operator: mutation.operator.name().to_owned(),
        file: mutation.path.display().to_string(),
        line: mutation.line,
        column: mutation.column,
        old: mutation.old.clone(),
        new: mutation.new.clone(),
    };
    let described = mutation::Mutant::of_changes(changes.iter().map(|(_, mutation)| change(mutation)));
    let function = changes.first().map(|(_, mutation)| mutation.function.clone());
    let edits = changes.iter().map(|(_, mutation)| mutation.edit.clone()).collect();
    let ids: Vec<String> = changes.iter().map(|(number, _)| format!("m{number}")).collect();
    let described = mutation::Mutant { id: ids.join("+"), function, ..described };
    Candidate { described, change: Change::Edits(edits) }
}

/// The files that hold the code of a model.
fn code_files(model: &Model) -> Vec<PathBuf> {
    let request = &model.configuration.request;
    let is_read = |path: &PathBuf| {
        let known = model.translated.sources.files.values();
        let mut own = known.filter(|file| file.kind == FileKind::Disk).map(|file| &file.path);
        own.any(|own| own == path) || request.sources.contains(path)
    };
    model.files().into_iter().filter(is_read).collect()
}

/// The mutant that a patch makes.
///
/// # Errors
/// If the patch cannot be read.
fn patched(files: &[PathBuf], path: &Path) -> Result<Candidate, Error> {
    let (described, made) = patch_mutant(files, path)?;
    let change = made.map_or_else(Change::None, Change::Files);
    Ok(Candidate { described, change })
}

/// What was found of a model, with its memory as outputs where it has none.
fn seen_outputs(whole: frontend::Translated) -> frontend::Request {
    let seen = whole.signals.outputs.is_empty();
    let seen = seen.then(|| outputs(&whole).into_iter().map(|signal| signal.lvalue.clone()).collect());
    let mut resolved = whole.resolved;
    resolved.outputs = seen.or(resolved.outputs);
    resolved
}

/// The outputs of a model; where it has none, its memory.
fn outputs(whole: &frontend::Translated) -> Vec<&Signal> {
    let outputs: Vec<&Signal> = whole.signals.outputs.iter().map(|(signal, _)| signal).collect();
    if !outputs.is_empty() {
        return outputs;
    }
    let states = whole.signals.states.iter().map(|(signal, _)| signal);
    states.filter(|signal| signal.kind != SignalKind::Pointer).collect()
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

fn listed(original: &Model, candidates: &[Candidate], options: &CodeMutateOptions) -> MutationFile {
    MutationFile {
        schema: mutation::SCHEMA.to_owned(),
        system: original.system.name.clone(),
        kill: options.kill.to_string(),
        within: options.within,
        observe: options.observe.clone(),
        operators: match options.patches.is_empty() {
            true => options.operators.0.iter().map(ToString::to_string).collect(),
            false => vec![mutation::PATCH.to_owned()],
        },
        order: if options.pairs { 2 } else { 1 },
        mutants: candidates.iter().map(|candidate| candidate.described.clone()).collect(),
        ..MutationFile::default()
    }
}
