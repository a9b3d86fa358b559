//! Mutants of systems with more states than are enumerated: proofs that their steps are the
//! original's wherever that comes.

use super::{Judging, PARTS, TAKEN};
use crate::error::Error;
use actions::lower::difference;
use actions::system::System;
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::session::Silent;
use model::validate::validate;
use report::mutation::MutationFile;
use std::time::Instant;

/// Part of the time that is left which one proof may take.
const SHARE: u32 = 3;

/// Decides mutants without a verdict of which it is proven that they are the original. Where
/// nothing else was known of the system, `why` says so of the others.
pub(super) fn prove(
    original: &System,
    mutants: &[Option<&System>],
    file: &mut MutationFile,
    (options, why): (&Options, &str),
) -> Result<(), Error> {
    for (mutant, found) in mutants.iter().zip(&mut file.mutants) {
        let Some(mutant) = mutant.filter(|_| found.verdict.is_empty()) else { continue };
        let (verdict, by) = match proof(original, mutant, options)? {
            Some(proof) => {
                let by = format!(
                    "its start is the original's, and no execution comes to where steps differ ({proof})"
                );
                ("equivalent", by)
            }
            None => ("undecided", why.to_owned()),
        };
        (found.verdict, found.by) = (verdict.to_owned(), by);
    }
    Ok(())
}

/// The proof that a mutant has the original's start and steps; `None`: none was found.
fn proof(original: &System, mutant: &System, options: &Options) -> Result<Option<String>, Error> {
    if options.deadline.is_some_and(|end| Instant::now() >= end) {
        return Ok(None);
    }
    let Some(system) = difference(original, mutant) else { return Ok(None) };
    let Ok(system) = validate(system) else { return Ok(None) };
    // A mutant that has other steps is not decided here, however short the way to them is.
    let options = options.within_part(1, SHARE).any_length();
    let outcome = engine::find_chains(&system, &options, &Silent)?;
    let status = outcome.goals.values().next().map(|result| &result.status);
    Ok(match status {
        Some(GoalStatus::Unreachable { proof }) => Some(proof.to_string()),
        _ => None,
    })
}

impl Judging<'_> {
    /// Decides mutants whose states are too many by proofs, as far as these are found in time.
    pub(super) fn undecided(&mut self) -> Result<(), Error> {
        let open = (0..self.systems.len()).map(|number| match self.finding(number) {
            Some(_) => None,
            None => self.systems[number],
        });
        let open: Vec<Option<&System>> = open.collect();
        let options = self.options.search.within_part(TAKEN, PARTS);
        let why = "more than is enumerated, or the time was up";
        prove(&self.source.system, &open, &mut self.file, (&options, why))
    }
}
