//! `--emit`: intermediate artefacts in their text forms.

use super::args::Emit;
use super::exit::Exit;
use super::failure::Failure;
use super::print_raw;
use chaincover::{Model, Stage};

/// Prints an artefact of the stages before the search.
pub(crate) fn front(loaded: &Model, stage: Emit) -> Result<Exit, Failure> {
    let stage = match stage {
        Emit::Ir => Stage::Ir,
        Emit::System => Stage::System,
        Emit::Btor2 => Stage::Btor2,
        Emit::Aig => Stage::Aig,
        Emit::Cnf => Stage::Cnf,
        Emit::Graph | Emit::Chain => {
            return Err(Failure::new(
                Exit::Usage,
                "--emit graph and --emit chain belong to `chaincover chain`",
            ));
        }
    };
    print_raw(&loaded.stage(stage)?)
}
