//! From FMUs with sources (FMI 2.0 and 3.0, Co-Simulation) to transition systems.
//!
//! ```text
//! model.fmu -> package: modelDescription.xml, sources -> description -> driver in C -> frontend_c
//! ```
//! * A step of the model is one communication step of the FMU: inputs are set, `DoStep` is called,
//!   outputs are got. The driver that does so is generated; the C front end translates it together
//!   with the FMU's sources, and chains are replayed on the two.
//! * Variables of the FMU are members of the object `fmu` of the driver: [`names`] makes names in C
//!   of theirs.
//! * Types, ranges, units and names of values come from modelDescription.xml.
//! * Where a function of the FMU returns an error, the execution ends.
//!
//! Headers of the standard that an FMU does not bring are those in `include/`: declarations written
//! for this tool.

mod build;
pub mod code;
mod description;
mod driver;
mod front;
mod names;
mod package;
mod prelude;
mod xml;

pub use front::Fmu;
