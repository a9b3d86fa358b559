//! Mutants, read like models.

use super::{Change, CodeMutateOptions, Outputs};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::patch::Patched;
use crate::versions::{Refused, Version};
use ::actions::analysis::Kill;
use config::resolve::Model as Configuration;
use engine::options::Options;
use frontend::limit::{Limit, Reason};
use frontend::{Request, Signal};
use frontend_c::code::Code;
use model::system::HazardEffect;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

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
fn ends_loops_soon(original: &Model) -> bool {
    let mut configuration = original.configuration.clone();
    configuration.request = with_few_rounds(&configuration.request);
    let count = |model: &Model| (model.system.assumptions.len(), model.translated.early_end.len());
    !original.configuration.request.assumes_unwound
        && Model::unobserved(configuration).is_ok_and(|few| count(&few) == count(original))
}

/// How long reading a mutant may take at first, in times of what reading the original takes: loops
/// that a mutant never leaves are followed for thousands of rounds.
const PATIENCE: u32 = 10;

/// How long it may take at least.
const LEAST_PATIENCE: Duration = Duration::from_millis(200);

/// Why a mutant is undecided that took longer.
pub(super) const TOO_LONG: &str = "reading it takes more than ten times as long as reading the original";

/// When an attempt to read a mutant that begins now has to end; `None`: with the limit of all.
type Until<'a> = dyn Fn() -> Option<Instant> + 'a;

/// Reads the mutants of a model.
pub(super) struct Reading<'a> {
    original: &'a Model,
    outputs: &'a Outputs,
    options: &'a CodeMutateOptions,
    /// How long one of them may take.
    patience: Duration,
    /// See [`ends_loops_soon`].
    few: OnceLock<bool>,
}

impl<'a> Reading<'a> {
    /// Reads the original once more, to see how long that takes.
    pub(super) fn new((original, outputs): (&'a Model, &'a Outputs), options: &'a CodeMutateOptions) -> Self {
        let (patience, few) = (Duration::MAX, OnceLock::new());
        let mut reading = Self { original, outputs, options, patience, few };
        let begin = Instant::now();
        // Whatever comes of it took its time.
        let _ = Model::unobserved(reading.configuration());
        reading.patience = LEAST_PATIENCE.saturating_add(begin.elapsed().saturating_mul(PATIENCE));
        reading
    }

    /// The original's, with what is known of its words.
    fn configuration(&self) -> Configuration {
        let mut configuration = self.original.configuration.clone();
        configuration.request.word_values = self.original.translated.resolved.word_values.clone();
        let Options { deadline, stop, memory, .. } = &self.options.search;
        let (deadline, stop, memory) = (*deadline, Some(stop.clone()), Some(memory.clone()));
        configuration.request.limit = Limit { deadline, stop, memory };
        configuration
    }

    /// When reading that begins now has taken as long as it may at first.
    pub(super) fn patient_until(&self) -> Option<Instant> {
        Instant::now().checked_add(self.patience)
    }

    /// Whether a mutant took longer than one may, while there is time for others.
    fn is_out_of_patience(&self, error: &Error) -> bool {
        let is_over = || self.options.search.deadline.is_some_and(|end| Instant::now() >= end);
        error.kind == ErrorKind::Stopped(Reason::Deadline) && !is_over()
    }

    fn refused(&self, error: &Error) -> Refused {
        match self.is_out_of_patience(error) {
            true => Refused { verdict: "undecided", why: TOO_LONG.to_owned() },
            false if is_about(error, &NO_PROGRAM) => Refused { verdict: "unviable", why: error.brief() },
            false => Refused { verdict: "undecided", why: error.brief() },
        }
    }

    /// A mutant, whose loops may go on for too long. Its words are taken to have the values that
    /// they have in the original; where no bound of a loop is found, nothing is taken for granted,
    /// and where there is still none, the mutant is followed for a few rounds, if the original goes
    /// through its loops no more often.
    fn followed(&self, configuration: Configuration, until: &Until<'_>) -> Result<Model, Refused> {
        let marks = |request: Request| Request { marks_long_loops: true, ..request };
        let request = marks(with_few_rounds(&configuration.request));
        let again = Configuration { request, ..configuration.clone() };
        let configuration = Configuration { request: marks(configuration.request.clone()), ..configuration };
        let mut read = within(configuration.clone(), until());
        if read.as_ref().err().is_some_and(|error| is_about(error, &[Code::LoopBound])) {
            let mut afresh = configuration;
            afresh.request.word_values = Arc::default();
            read = within(afresh, until());
        }
        match read {
            Err(error)
                if (is_about(&error, &[Code::LoopBound]) || self.is_out_of_patience(&error))
                    && self.ends_loops_soon() =>
            {
                within(again, until()).map_err(|_| self.refused(&error))
            }
            read => read.map_err(|error| self.refused(&error)),
        }
    }

    /// Whether the original does.
    fn ends_loops_soon(&self) -> bool {
        *self.few.get_or_init(|| ends_loops_soon(self.original))
    }

    /// Reads a mutant in one attempt or several.
    pub(super) fn mutant(&self, change: &Change, until: &Until<'_>) -> Result<Version, Refused> {
        let Self { original, outputs, options, .. } = self;
        let mut configuration = self.configuration();
        match change {
            Change::Edits(edits) => configuration.request.edits.clone_from(edits),
            Change::Files(patched) => moved(&mut configuration.request, patched),
            Change::None(why) => return Err(Refused { verdict: "unviable", why: why.clone() }),
        }
        let model = self.followed(configuration, until)?;
        if let Some(start) =
            model.translated.open_start().filter(|_| original.translated.open_start().is_none())
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
}

/// Reads a model until then at most, and its own limit.
fn within(mut configuration: Configuration, until: Option<Instant>) -> Result<Model, Error> {
    let limit = &mut configuration.request.limit;
    limit.deadline = limit.deadline.into_iter().chain(until).min();
    Model::unobserved(configuration)
}

/// Whether the first message of the front end has one of some codes.
fn is_about(error: &Error, codes: &[Code]) -> bool {
    let first = error.diagnostics.as_ref().and_then(|failure| failure.diagnostics.errors().next());
    first.is_some_and(|entry| codes.iter().any(|&code| entry.code == code))
}
