//! `--emit`: intermediate artefacts in their text forms.

use super::args::Emit;
use super::exit::Exit;
use super::failure::Failure;
use super::load::Loaded;
use super::print_raw;

/// Depth of the unrolling that `--emit cnf` prints.
const CNF_DEPTH: u32 = 10;

/// Prints an artefact of the stages before the search.
pub(crate) fn front(loaded: &Loaded, stage: Emit) -> Result<Exit, Failure> {
    let text = match stage {
        Emit::Ir => loaded.translated.source.ir_text(),
        Emit::System => model::text::print(&loaded.system),
        Emit::Btor2 => {
            model::btor2::export(&loaded.system)
                .map_err(|error| Failure::new(Exit::Source, error.to_string()))?
                .text
        }
        Emit::Aig => encoder::emit::aiger(&loaded.system)
            .map_err(|error| Failure::new(Exit::Source, error.to_string()))?,
        Emit::Cnf => encoder::emit::dimacs(&loaded.system, CNF_DEPTH)
            .map_err(|error| Failure::new(Exit::Source, error.to_string()))?,
        Emit::Graph | Emit::Chain => {
            return Err(Failure::new(
                Exit::Usage,
                "--emit graph and --emit chain belong to `chaincover chain`",
            ));
        }
    };
    print_raw(&text)
}
