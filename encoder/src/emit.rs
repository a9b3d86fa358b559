//! Dumps of what the encoder makes, for people, bug reports and other tools.

mod aiger;
mod cnf;

pub use aiger::{Aiger, CONTROLLABLE};
pub use cnf::Unrolled;

use crate::EncodeError;
use model::validate::Validated;

/// The system as a circuit in ASCII AIGER; see [`Aiger`].
///
/// # Errors
/// As for [`Aiger::new`].
pub fn aiger(system: &Validated) -> Result<String, EncodeError> {
    Ok(Aiger::new(system)?.to_string())
}

/// All executions of `steps` steps as DIMACS CNF; see [`Unrolled`].
///
/// # Errors
/// As for [`Unrolled::new`].
pub fn dimacs(system: &Validated, steps: u32) -> Result<String, EncodeError> {
    Ok(Unrolled::new(system, steps)?.to_string())
}
