//! Intermediate artefacts in their text forms.

use crate::error::{Error, ErrorKind};
use crate::model::Model;

/// A stage on the way from the source to the search, as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The typed intermediate representation of the front end.
    Ir,
    /// The transition system in its readable form.
    System,
    /// The transition system as BTOR2.
    Btor2,
    /// One step as an and-inverter graph (AIGER).
    Aig,
    /// The first steps as clauses (DIMACS).
    Cnf,
}

/// Depth of the unrolling of [`Stage::Cnf`].
const CNF_DEPTH: u32 = 10;

impl Model {
    /// The text of a stage.
    ///
    /// # Errors
    /// [`ErrorKind::Source`]: the form cannot express the system.
    pub fn stage(&self, stage: Stage) -> Result<String, Error> {
        let refuse = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Source, error.to_string());
        match stage {
            Stage::Ir => Ok(self.translated.source.ir_text()),
            Stage::System => Ok(model::text::print(&self.system)),
            Stage::Btor2 => {
                model::btor2::export(&self.system).map(|export| export.text).map_err(|error| refuse(&error))
            }
            Stage::Aig => encoder::emit::aiger(&self.system).map_err(|error| refuse(&error)),
            Stage::Cnf => encoder::emit::dimacs(&self.system, CNF_DEPTH).map_err(|error| refuse(&error)),
        }
    }
}
