//! The folder that the paths of a stored result are relative to.
//!
//! Paths stand in `chain.json` as they were given to the search. A result is usable from other
//! folders, too, where its file lies somewhere below the folder of the search. Files of the same
//! names may lie in folders above by chance, so there one of them at least must be what it was.

use super::chain_file::{ChainFile, SourceFile};
use crate::build::source_file;
use std::path::{Path, PathBuf};

/// The first folder in which all sources of a result are: the current one (as an empty path), that
/// of its file, or one above it. Where there is none, that of the file.
pub fn root(file: &ChainFile, chain: &Path) -> PathBuf {
    root_of(&file.model.configuration.model.sources, &file.model.sources, chain)
}

/// As [`root`], for sources by their paths, and what they were when the result was made.
pub fn root_of(sources: &[String], recorded: &[SourceFile], chain: &Path) -> PathBuf {
    let has_all = |folder: &Path| sources.iter().all(|source| folder.join(source).is_file());
    let beside = chain.parent().unwrap_or(Path::new(""));
    if has_all(Path::new("")) {
        return PathBuf::new();
    }
    let whole = std::fs::canonicalize(chain).unwrap_or_default();
    let same = |folder: &Path, source: &SourceFile| {
        let path = folder.join(&source.path);
        path.is_file() && source_file(&path).sha256 == source.sha256
    };
    let is_above = |folder: &&Path| has_all(folder) && recorded.iter().any(|source| same(folder, source));
    match has_all(beside) {
        true => beside.to_owned(),
        false => whole.ancestors().skip(2).find(is_above).unwrap_or(beside).to_owned(),
    }
}
