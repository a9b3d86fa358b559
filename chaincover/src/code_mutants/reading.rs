//! Mutants, read like models.

use super::{Change, CodeMutateOptions, Outputs};
use crate::error::Error;
use crate::model::Model;
use crate::patch::Patched;
use crate::versions::{Refused, Version};
use ::actions::analysis::Kill;
use config::resolve::Model as Configuration;
use frontend::{Request, Signal};
use frontend_c::code::Code;
use model::system::HazardEffect;
use std::sync::Arc;

/// Messages of the front end that say that the text is no C.
const NO_PROGRAM: [Code; 14] = [
    Code::Syntax,
    Code::TypeMismatch,
    Code::DuplicateCase,
    Code::UnknownName,
    Code::UnknownMember,
    Code::UndeclaredFunction,
    Code::NotConstant,
    Code::BadLiteral,
    Code::BadLength,
    Code::ExcessInitialiser,
    Code::ArgumentCount,
    Code::UnknownLabel,
    Code::StaticAssert,
    Code::IncompleteType,
];

/// Makes a request read the patched files. Folders of headers keep their order.
fn moved(request: &mut Request, patched: &Patched) {
    let files = request.sources.iter_mut().chain(&mut request.goal_files);
    files.for_each(|path| *path = patched.place(path));
    let folders = std::mem::take(&mut request.include);
    request.include = folders.into_iter().flat_map(|folder| [patched.place(&folder), folder]).collect();
}

/// Rounds of a loop that are followed where a mutant has a loop for which no bound is found.
const ROUNDS: u32 = 100;

/// The request of a model in which executions are left out that go through a loop more often.
fn with_few_rounds(request: &Request) -> Request {
    Request { unwind: Some(ROUNDS), assumes_unwound: true, ..request.clone() }
}

/// Whether all executions of the original end their loops within the rounds that are followed: a
/// mutant that goes on for longer does something else then.
pub(super) fn ends_loops_soon(original: &Model) -> bool {
    let mut configuration = original.configuration.clone();
    configuration.request = with_few_rounds(&configuration.request);
    let count = |model: &Model| (model.system.assumptions.len(), model.translated.early_end.len());
    !original.configuration.request.assumes_unwound
        && Model::unobserved(configuration).is_ok_and(|few| count(&few) == count(original))
}

/// A mutant, whose loops may go on for too long. Its words are taken to have the values that they
/// have in the original; where no bound of a loop is found, nothing is taken for granted, and where
/// there is still none, the mutant is followed for a few rounds, if the original goes through its
/// loops no more often (`few`).
fn read(configuration: Configuration, few: &dyn Fn() -> bool) -> Result<Model, Refused> {
    let marks = |request: Request| Request { marks_long_loops: true, ..request };
    let request = marks(with_few_rounds(&configuration.request));
    let again = Configuration { request, ..configuration.clone() };
    let configuration = Configuration { request: marks(configuration.request.clone()), ..configuration };
    let is_unbound = |error: &Error| is_about(error, &[Code::LoopBound]);
    let mut read = Model::unobserved(configuration.clone());
    if read.as_ref().err().is_some_and(is_unbound) {
        let mut afresh = configuration;
        afresh.request.word_values = Arc::default();
        read = Model::unobserved(afresh);
    }
    match read {
        Err(error) if is_unbound(&error) && few() => Model::unobserved(again).map_err(|_| refused(&error)),
        read => read.map_err(|error| refused(&error)),
    }
}

/// Reads a mutant of a model with these outputs. `few`: see [`ends_loops_soon`].
pub(super) fn read_mutant(
    (original, outputs, few): (&Model, &Outputs, &dyn Fn() -> bool),
    change: &Change,
    options: &CodeMutateOptions,
) -> Result<Version, Refused> {
    let mut configuration = original.configuration.clone();
    match change {
        Change::Edits(edits) => configuration.request.edits.clone_from(edits),
        Change::Files(patched) => moved(&mut configuration.request, patched),
        Change::None(why) => return Err(Refused { verdict: "unviable", why: why.clone() }),
    }
    configuration.request.word_values = original.translated.resolved.word_values.clone();
    configuration.request.limit = frontend::limit::Limit {
        deadline: options.search.deadline,
        stop: Some(options.search.stop.clone()),
        memory: Some(options.search.memory.clone()),
    };
    let model = read(configuration, few)?;
    if let Some(start) = model.translated.open_start().filter(|_| original.translated.open_start().is_none())
    {
        let mut open =
            model.translated.start_hazards.iter().filter(|hazard| hazard.effect == HazardEffect::Open);
        let verdict = if open.all(|hazard| hazard.is_endless) { "hang" } else { "crash" };
        return Err(Refused { verdict, why: format!("initialisation runs into {start}") });
    }
    if let Some(most) = options.within {
        let is_output = |signal: &Signal| outputs.observed.contains(&signal.lvalue);
        return Ok(Version::new(original, model, &[])?.seen_soon(original, most, is_output));
    }
    let version = Version::new(original, model, &options.observe)?;
    if options.kill == Kill::Step { version.on_memory_of(original) } else { Ok(version) }
}

fn refused(error: &Error) -> Refused {
    let verdict = if is_about(error, &NO_PROGRAM) { "unviable" } else { "undecided" };
    Refused { verdict, why: error.brief() }
}

/// Whether the first message of the front end has one of some codes.
fn is_about(error: &Error, codes: &[Code]) -> bool {
    let first = error.diagnostics.as_ref().and_then(|failure| failure.diagnostics.errors().next());
    first.is_some_and(|entry| codes.iter().any(|&code| entry.code == code))
}
