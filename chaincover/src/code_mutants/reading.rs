//! Mutants, read like models.

use super::{Change, CodeMutateOptions, Outputs};
use crate::error::Error;
use crate::model::Model;
use crate::patch::Patched;
use crate::versions::{Refused, Version};
use ::actions::analysis::Kill;
use frontend::{Request, Signal};
use frontend_c::code::Code;

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

/// Reads a mutant of a model with these outputs.
pub(super) fn read_mutant(
    (original, outputs): (&Model, &Outputs),
    change: &Change,
    options: &CodeMutateOptions,
) -> Result<Version, Refused> {
    let mut configuration = original.configuration.clone();
    match change {
        Change::Edits(edits) => configuration.request.edits.clone_from(edits),
        Change::Files(patched) => moved(&mut configuration.request, patched),
        Change::None(why) => return Err(Refused { verdict: "unviable", why: why.clone() }),
    }
    configuration.request.limit = frontend::limit::Limit {
        deadline: options.search.deadline,
        stop: Some(options.search.stop.clone()),
        memory: Some(options.search.memory.clone()),
    };
    let model = Model::unobserved(configuration).map_err(|error| refused(&error))?;
    if let Some(start) = model.translated.open_start().filter(|_| original.translated.open_start().is_none())
    {
        return Err(Refused { verdict: "crash", why: format!("initialisation runs into {start}") });
    }
    if let Some(most) = options.within {
        let is_output = |signal: &Signal| outputs.observed.contains(&signal.lvalue);
        return Ok(Version::new(original, model, &[])?.seen_soon(original, most, is_output));
    }
    let version = Version::new(original, model, &options.observe)?;
    if options.kill == Kill::Step { version.on_memory_of(original) } else { Ok(version) }
}

fn refused(error: &Error) -> Refused {
    let first = error.diagnostics.as_ref().and_then(|failure| {
        let entry = failure.diagnostics.errors().next()?;
        NO_PROGRAM.iter().find(|&&code| entry.code == code)
    });
    let is_no_program = first.is_some();
    let verdict = if is_no_program { "unviable" } else { "undecided" };
    Refused { verdict, why: error.brief() }
}
