//! What keeps a campaign from being run.

use std::path::{Path, PathBuf};

/// A campaign, a list of jobs or a store that cannot be used: what and why, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl Error {
    pub(crate) fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }

    /// A failed operation of the system, such as `cannot be written`.
    pub(crate) fn system(path: &Path, what: &str, error: &std::io::Error) -> Self {
        Self::new(path, format!("{what}: {error}"))
    }
}

impl From<chaincover::write::WriteError> for Error {
    fn from(error: chaincover::write::WriteError) -> Self {
        Self::system(&error.path, "cannot be written", &error.source)
    }
}
