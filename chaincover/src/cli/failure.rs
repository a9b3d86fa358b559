//! Why a command ends early: a message and an exit code.

use super::exit::Exit;
use crate::config::ConfigError;
use crate::output::place::PlaceError;
use crate::output::write::WriteError;

/// A command that cannot go on.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What to tell the user; without `error:` in front. Diagnostics with source snippets come ready for printing.
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

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}
