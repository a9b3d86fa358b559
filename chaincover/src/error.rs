//! Why a call has no result.

use config::ConfigError;
use engine::error::EngineError;
use evidence::write::ProofError;
use frontend::limit::Reason;
use frontend::{Failure, diagnostics};
use report::output::place::PlaceError;
use report::output::write::WriteError;
use std::fmt::{self, Display};

/// Why a call has no result: its kind for programs, a message for people.
#[derive(Debug)]
pub struct Error {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// One or more lines, without `error:` in front; empty where `diagnostics` say it all.
    pub message: String,
    /// Messages about the sources, with the sources; only from reading a model.
    pub diagnostics: Option<Box<Failure>>,
}

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for makes no sense, or files cannot be read or written.
    Request,
    /// The source is wrong or not supported.
    Source,
    /// A limit ended the call before it had a result.
    Stopped(Reason),
    /// The compiled code or a second computation disagrees with the result: a defect of this
    /// library.
    SelfCheck,
    /// A stored chain is no execution of the model, or another one than was recorded.
    Deviates,
    /// A defect of this library.
    Internal,
}

impl Error {
    /// An error with a message.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), diagnostics: None }
    }

    /// Whatever is displayed, as something that the caller asked for and that makes no sense.
    pub(crate) fn request(error: &dyn Display) -> Self {
        Self::new(ErrorKind::Request, error.to_string())
    }

    /// One line: the message, or the first of the diagnostics.
    pub fn brief(&self) -> String {
        let first = self.diagnostics.as_ref().and_then(|failure| failure.diagnostics.errors().next());
        first.map_or_else(|| self.message.clone(), |entry| entry.message.clone())
    }

    /// The message; diagnostics with lines of the source, coloured for terminals on demand.
    pub fn text(&self, is_coloured: bool) -> String {
        match &self.diagnostics {
            Some(failure) => diagnostics::render(&failure.diagnostics, &failure.sources, is_coloured),
            None => self.message.clone(),
        }
    }
}

impl Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text(false))
    }
}

impl std::error::Error for Error {}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::request(&error)
    }
}

impl From<PlaceError> for Error {
    fn from(error: PlaceError) -> Self {
        Self::request(&error)
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Self::request(&error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let kind = match failure.diagnostics.stopped() {
            Some(reason) => ErrorKind::Stopped(reason),
            None if failure.diagnostics.is_about_request(&failure.sources) => ErrorKind::Request,
            None => ErrorKind::Source,
        };
        Self { kind, message: String::new(), diagnostics: Some(Box::new(failure)) }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        let kind = match error {
            EngineError::SelfCheck(_) => ErrorKind::SelfCheck,
            EngineError::NoExecution(_)
            | EngineError::NoGoals
            | EngineError::RefutedInvariant { .. }
            | EngineError::SimulationAnswersNothing
            | EngineError::Unsuited(_) => ErrorKind::Request,
            EngineError::Encode(_) => ErrorKind::Source,
            EngineError::Stopped => ErrorKind::Stopped(Reason::Deadline),
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ProofError> for Error {
    fn from(error: ProofError) -> Self {
        let kind = match &error {
            ProofError::Engine(_) => ErrorKind::SelfCheck,
            ProofError::Write(_) | ProofError::Remove { .. } => ErrorKind::Request,
        };
        Self::new(kind, error.to_string())
    }
}
