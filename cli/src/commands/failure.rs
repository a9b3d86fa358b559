//! Why a command ends early: a message and an exit code.

use super::exit::Exit;
use super::log;
use chaincover::write::WriteError;
use chaincover::{Error, ErrorKind, PlaceError, Reason};

/// A command that cannot go on.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What to tell the user; without `error:` in front. Diagnostics with source snippets come
    /// ready for printing.
    pub(crate) message: String,
    /// Whether the message is a rendered list of diagnostics.
    pub(crate) rendered: bool,
}

impl Failure {
    /// A one-line failure.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), rendered: false }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let is_inconsistent = error.diagnostics.as_ref().is_some_and(|failure| {
            failure
                .diagnostics
                .errors()
                .any(|entry| entry.code.text == chaincover::requirements::INCONSISTENT)
        });
        let exit = match error.kind {
            ErrorKind::Source if is_inconsistent => Exit::Inconsistent,
            ErrorKind::Request => Exit::Usage,
            ErrorKind::Source => Exit::Source,
            ErrorKind::Stopped(Reason::Deadline | Reason::Memory) => Exit::TimeOut,
            ErrorKind::Stopped(Reason::Interrupted) => Exit::Interrupted,
            ErrorKind::SelfCheck => Exit::SelfCheck,
            ErrorKind::Deviates => Exit::Violated,
            ErrorKind::Internal => Exit::Internal,
        };
        Self { exit, message: error.text(log::is_coloured()), rendered: error.diagnostics.is_some() }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Error::from(error).into()
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Error::from(error).into()
    }
}

impl From<campaign::Error> for Failure {
    fn from(error: campaign::Error) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}
