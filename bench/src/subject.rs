//! A case read into this process.

use chaincover::{FILE_NAME, Model, Settings};
use model::slice::{Keep, SliceMap, reduce};
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use std::path::Path;

/// A model and its system.
pub struct Subject {
    /// The model.
    pub model: Model,
    /// The part of it that goals, assumptions and Final depend on, without expectations.
    pub reduced: Validated,
    /// The way back from there.
    pub map: SliceMap,
}

/// Reads the model in a folder.
///
/// # Errors
/// A sentence, if its configuration or its code is not understood.
pub fn load(folder: &Path) -> Result<Subject, String> {
    let path = folder.join(FILE_NAME);
    let model = chaincover::read([&path], &Settings::default()).map_err(|error| error.brief())?;
    let mut silent: TransitionSystem = (*model.system).clone();
    silent.goals.values_mut().for_each(|goal| goal.expectation = None);
    let silent = validate(silent).map_err(|_| "the front end made a malformed system".to_owned())?;
    let (reduced, map) =
        reduce(&silent, Keep { outputs: false, hazards: false, invariants: false, external_calls: false });
    Ok(Subject { model, reduced, map })
}
