//! The folder that the paths of a stored result are relative to.
//!
//! Paths stand in `chain.json` as they were given to the search. A result is usable from other folders, too, where its file lies in the folder of
//! the search or somewhere below it. That the sources found are the ones meant is told by their hashes.

use super::chain_file::ChainFile;
use std::path::{Path, PathBuf};

/// The first folder in which all sources of a result are: the current one (as an empty path), that of its file, or one above it. Where there
/// is none, that of the file.
pub(crate) fn root(file: &ChainFile, chain: &Path) -> PathBuf {
    let has_all = |folder: &Path| {
        let mut sources = file.model.configuration.model.sources.iter();
        sources.all(|source| folder.join(source).is_file())
    };
    let beside = chain.parent().unwrap_or(Path::new(""));
    if has_all(Path::new("")) {
        return PathBuf::new();
    }
    let whole = std::fs::canonicalize(chain).unwrap_or_default();
    let above = whole.ancestors().skip(2);
    let mut folders = std::iter::once(beside).chain(above);
    folders.find(|folder| has_all(folder)).unwrap_or(beside).to_owned()
}
