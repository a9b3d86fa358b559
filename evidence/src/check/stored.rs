//! Files of the evidence: reading them, and comparing stored queries with those that are needed.

use super::super::dimacs_text;
use super::super::invariant::Invariant;
use super::super::manifest::{Query, Tour};
use super::super::queries;
use super::super::subject::Subject;
use super::read;
use checker::lrat;
use encoder::EncodeError;
use solver::sat::Formula;
use std::path::{Path, PathBuf};

/// The text of a file of the manifest.
pub(crate) fn text(place: &Path, file: &str) -> Result<String, String> {
    read(&inside(place, file)?).map_err(|error| error.to_string())
}

/// A file of the manifest lies in its folder, under a plain name, and is neither a link nor
/// something that is read without end.
pub(crate) fn inside(place: &Path, file: &str) -> Result<PathBuf, String> {
    if Path::new(file).file_name().is_none_or(|name| name != file) {
        return Err(format!("`{file}` is no name of a file beside the manifest"));
    }
    let path = place.join(file);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if !found.is_file() => Err(format!("`{file}` is a link, or no file at all")),
        _ => Ok(path),
    }
}

/// The invariant of a file about a system.
pub(super) fn read_invariant(place: &Path, file: &str, subject: &Subject) -> Result<Invariant, String> {
    Invariant::parse(&text(place, file)?, &subject.system).map_err(|why| format!("{file}: {why}"))
}

/// The bounds and certificates of tours.
pub(super) fn read_tours(place: &Path, tours: &[Tour]) -> Result<Vec<(u64, String)>, String> {
    let one = |tour: &Tour| Ok((tour.steps, text(place, &tour.file)?));
    tours.iter().map(one).collect()
}

/// Compares all stored queries with those needed, by name, and checks their proofs.
pub(super) fn check_all<N>(place: &Path, needed: &[(N, Formula)], listed: &[Query]) -> Result<(), String> {
    if needed.len() != listed.len() {
        return Err(format!(
            "the evidence needs {} queries, the manifest lists {}",
            needed.len(),
            listed.len()
        ));
    }
    needed.iter().zip(listed).try_for_each(|((_, formula), query)| check_query(place, formula, query))
}

/// Makes every query again, compares, and checks its proof.
pub(super) fn check_queries(
    place: &Path,
    needed: impl Iterator<Item = (String, Result<queries::Query, EncodeError>)>,
    listed: &[Query],
) -> Result<(), String> {
    let mut listed_ones = listed.iter();
    let mut count = 0;
    for (_, made) in needed {
        count += 1;
        let Some(query) = listed_ones.next() else { continue };
        check_query(place, &made.map_err(|error| error.to_string())?.formula, query)?;
    }
    if count != listed.len() {
        return Err(format!("the graph needs {count} queries, the manifest lists {}", listed.len()));
    }
    Ok(())
}

/// Compares a stored query with the one that is needed, and checks its proof.
pub(crate) fn check_query(place: &Path, needed: &Formula, query: &Query) -> Result<(), String> {
    let needed = dimacs_text(needed);
    let stored = text(place, &query.formula)?;
    if let Some(line) = first_difference(&needed, &stored) {
        return Err(format!("{}: not the query that the evidence needs, from line {line} on", query.formula));
    }
    let proof = text(place, &query.proof)?;
    lrat::check(&stored, &proof).map_err(|why| format!("{}: {why}", query.proof))?;
    Ok(())
}

/// Number of the first line that differs.
fn first_difference(needed: &str, stored: &str) -> Option<usize> {
    if needed == stored {
        return None;
    }
    let lines = needed.lines().zip(stored.lines());
    Some(lines.take_while(|(needed, stored)| needed == stored).count() + 1)
}
