//! Evidence for the claims of a result, in files beside it.

pub use evidence::Part;
pub use evidence::write::{Written, is_evidence};

use crate::error::Error;
use crate::model::Model;
use crate::verdicts::{Verdicts, judged_system};
use engine::options::Options;
use engine::outcome::Outcome;
use evidence::write::{Found, write};
use evidence::{Claim, Stored};
use report::output::chain_file::ChainFile;
use std::path::Path;

/// Name of the result of `chain` in its folder.
pub const CHAINS: &str = "chain.json";
/// Name of the result of `prove` in its folder.
pub const VERDICTS: &str = "verdicts.json";

/// The parts of a result that claim something: only these get evidence.
pub fn parts(file: &ChainFile) -> impl Iterator<Item = Part> {
    let is_needed = |part: &Part| match part {
        Part::Chains => !file.goals.is_empty() || !file.chains.is_empty(),
        Part::Verdicts => !part.claims(file).is_empty(),
    };
    Part::ALL.into_iter().filter(is_needed)
}

/// Writes evidence for the claims of a result into folders below `folder`, where its `chain.json`
/// stands or will stand: for chains and goals, and for verdicts. What the limits of the options cut
/// short is not certified; the parts share the time.
///
/// # Errors
/// Where files cannot be written, or the engine fails.
pub fn write_evidence(
    folder: &Path,
    model: &Model,
    (outcome, verdicts, file): (&Outcome, &Verdicts, &ChainFile),
    options: &Options,
) -> Result<Written, Error> {
    let stored = Stored { folder, name: CHAINS, file };
    let mut all = Written::default();
    let mut left = parts(file).count();
    for part in parts(file) {
        let options = options.within_part(1, u32::try_from(left).unwrap_or(u32::MAX));
        left -= 1;
        let written = match part {
            Part::Chains => {
                let Outcome { chains, graph, lemmas, .. } = outcome;
                let found = Found { chains, graph: graph.as_ref(), lemmas };
                write(part, stored, (&model.system, found), &options)?
            }
            Part::Verdicts => of_verdicts(stored, model, verdicts, &options)?,
        };
        add(&mut all, written);
    }
    Ok(all)
}

/// Writes evidence for verdicts alone, whose result stands or will stand in `folder` as
/// `verdicts.json`.
///
/// # Errors
/// As for [`write_evidence`].
pub fn write_evidence_of_verdicts(
    folder: &Path,
    model: &Model,
    (verdicts, file): (&Verdicts, &ChainFile),
    options: &Options,
) -> Result<Written, Error> {
    of_verdicts(Stored { folder, name: VERDICTS, file }, model, verdicts, options)
}

fn of_verdicts(
    stored: Stored<'_>,
    model: &Model,
    verdicts: &Verdicts,
    options: &Options,
) -> Result<Written, Error> {
    let system = judged_system(model, &claimed(&Part::Verdicts.claims(stored.file)));
    let found = Found { lemmas: &verdicts.lemmas, ..Found::default() };
    Ok(write(Part::Verdicts, stored, (&system, found), options)?)
}

/// The goals that claims of unreachability speak of.
pub(crate) fn claimed(claims: &[Claim]) -> Vec<String> {
    let goal = |claim: &Claim| match claim {
        Claim::Unreachable { goal } | Claim::NoWayToFinal { goal } => Some(goal.clone()),
        Claim::FewestChains { .. } | Claim::Length { .. } | Claim::Cost { .. } => None,
    };
    claims.iter().filter_map(goal).collect()
}

pub(crate) fn add(all: &mut Written, more: Written) {
    all.claims += more.claims;
    all.certified += more.certified;
    all.bytes += more.bytes;
    all.files.extend(more.files);
}
