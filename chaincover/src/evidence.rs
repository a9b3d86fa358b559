//! Evidence for the claims of a result, in files beside it.

pub use evidence::FOLDER;
pub use evidence::write::{Written, is_evidence};

use crate::error::Error;
use crate::model::Model;
use engine::options::Options;
use engine::outcome::Outcome;
use report::output::chain_file::ChainFile;
use std::path::Path;

/// Writes evidence for the claims of a result into the folder [`FOLDER`] below `folder`, where its
/// `chain.json` stands or will stand. What the limits of the options cut short is not certified.
///
/// # Errors
/// Where files cannot be written, or the engine fails.
pub fn write_evidence(
    folder: &Path,
    model: &Model,
    result: (&Outcome, &ChainFile),
    options: &Options,
) -> Result<Written, Error> {
    Ok(evidence::write::write(folder, &model.system, result, options)?)
}
