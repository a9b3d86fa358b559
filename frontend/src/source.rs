//! Source files and places in them.
//!
//! A [`Span`] always speaks of the file as the user wrote it; what the preprocessor did in between is undone by its
//! line map before a span is made.

use model::define_id;
use model::id::IdVec;
use std::path::PathBuf;

define_id!(
    /// A file of a [`SourceMap`].
    FileId, "f"
);

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user gave it, or as the preprocessor reported it.
    pub path: PathBuf,
    /// Its text, read lossily (Latin-1 bytes become characters of the same number); `None` where it cannot be read any more.
    pub text: Option<String>,
}

/// All files that took part.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The files.
    pub files: IdVec<FileId, SourceFile>,
}

/// A place: file, line and column, both counted from 1. Column 0: the whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1; 0 where only the line is known.
    pub column: u32,
}
