//! `chaincover.toml`: reading, writing, and its way into a front-end request.
//!
//! [`mod@file`] is the text's shape and nothing more; [`resolve`] makes a [`Request`] of it, with
//! paths taken relative to the folder of the file. The way back ([`resolve::to_file`]) serves
//! `check --write-config` and the copy of the configuration that every `chain.json` carries.
//! [`a2l`] adds what an A2L file says of inputs and outputs.
//!
//! [`Request`]: frontend::Request

pub mod a2l;
pub mod coverage;
pub mod duration;
pub mod file;
pub mod places;
pub mod resolve;

use frontend::Location;
use frontend::limit::Reason;
use std::path::{Path, PathBuf};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A folder was named that holds no `chaincover.toml`.
    #[error("the folder {} holds no chaincover.toml; name C files, or write one with `chaincover check FILE.c --write-config`", .0.display())]
    NoConfigInFolder(PathBuf),
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and excerpt.
        message: String,
    },
    /// A value that makes no sense.
    #[error("{}: {key}: {message}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What is wrong with it.
        message: String,
    },
    /// A place of an A2L file, or of a file that it includes, that cannot be read.
    #[error("{}:{}: {message}", place.file.display(), place.line)]
    Description {
        /// Where.
        place: Location,
        /// What is wrong.
        message: String,
    },
    /// Several models where one is wanted.
    #[error("{0}")]
    Usage(String),
    /// A limit was reached while a file was read.
    #[error("a limit was reached while {} was read", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
        /// Which limit.
        reason: Reason,
    },
}

impl ConfigError {
    /// A value of the file that makes no sense, at its key.
    pub fn value(path: &Path, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Value { path: path.to_owned(), key: key.into(), message: message.into() }
    }
}
