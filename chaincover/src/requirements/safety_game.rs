//! The game of an interface for solvers of other authors.

use crate::error::{Error, ErrorKind};
use contracts::Document;
use contracts::symbolic::Board;
use contracts::syntax::Role;
use encoder::emit::{Aiger, CONTROLLABLE};
use frontend::Failure;
use std::collections::BTreeSet;

/// The game of an interface as ASCII AIGER, in the form of the reactive synthesis competition: it is
/// realizable if and only if the interface is consistent. Outputs and hidden variables are the
/// controllable inputs.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("echo.ri");
/// # std::fs::write(&path, "input a : bool  output b : bool  req x always guarantee b' = a'")?;
/// use chaincover::requirements;
/// let document = requirements::read_interface(&[path], &[])?;
/// let game = requirements::safety_game(&document)?;
/// assert!(game.contains("\ni0 a\ni1 controllable_b\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Source`]: names that would be confused in the file, or values without words.
pub fn safety_game(document: &Document) -> Result<String, Error> {
    let refuse = |why: String| Error::new(ErrorKind::Source, why);
    check_names(document).map_err(refuse)?;
    let interface = &document.interface;
    let board = Board::with_all_choices(interface)
        .map_err(|diagnostics| Error::from(Failure { diagnostics, sources: document.sources.clone() }))?;
    let comments = vec![
        format!("The requirements of {}, as a game of safety.", interface.name),
        "It is realizable if and only if they are consistent at every depth.".to_owned(),
    ];
    let terms = (board.environment, board.allowed);
    let game = Aiger::game(&board.system, terms, comments).map_err(|error| refuse(error.to_string()))?;
    Ok(game.to_string())
}

/// The bits of inputs have names, which say by their beginnings who chooses them.
fn check_names(document: &Document) -> Result<(), String> {
    let interface = &document.interface;
    let mut known = BTreeSet::new();
    for (id, role) in interface.roles.iter() {
        let variable = interface.scope.variable(id);
        let name = &variable.name;
        if *role == Role::Input && name.starts_with(CONTROLLABLE) {
            return Err(format!(
                "the input `{name}` would be taken for one that the system chooses: names of inputs must not begin \
                 with `{CONTROLLABLE}` here"
            ));
        }
        let width = variable.ty.sort().map_or(1, |sort| sort.width());
        let prefix = if *role == Role::Input { "" } else { CONTROLLABLE };
        let bits = (0..width).map(|bit| match width {
            1 => format!("{prefix}{name}"),
            _ => format!("{prefix}{name}[{bit}]"),
        });
        for bit in bits {
            if !known.insert(bit.clone()) {
                return Err(format!("two bits of the game would have the name `{bit}`: rename `{name}`"));
            }
        }
    }
    Ok(())
}
