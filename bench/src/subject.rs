//! A case read into this process.

use chaincover::front_ends;
use chaincover::judge::SatJudge;
use config::resolve::{self, FILE_NAME};
use frontend::Translated;
use model::slice::{Keep, SliceMap, reduce};
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use std::path::Path;

/// A model and its system.
pub struct Subject {
    /// What the front end made of it; its `system` was moved into `system`.
    pub translated: Translated,
    /// The transition system.
    pub system: Validated,
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
    let model = resolve::read(&folder.join(FILE_NAME)).map_err(|error| error.to_string())?;
    let mut translated = front_ends::translate(&model.request, &SatJudge).map_err(|failure| {
        let first = failure.diagnostics.entries.first().map(|entry| entry.message.clone());
        first.unwrap_or_else(|| "the model is not understood".to_owned())
    })?;
    let system: TransitionSystem = std::mem::take(&mut translated.system);
    let valid = |system| validate(system).map_err(|_| "the front end made a malformed system".to_owned());
    let system = valid(system)?;
    let mut silent: TransitionSystem = (*system).clone();
    silent.goals.values_mut().for_each(|goal| goal.expectation = None);
    let (reduced, map) = reduce(
        &valid(silent)?,
        Keep { outputs: false, hazards: false, invariants: false, external_calls: false },
    );
    Ok(Subject { translated, system, reduced, map })
}
