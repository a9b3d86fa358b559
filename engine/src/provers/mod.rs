//! Engines whose answers are claims: distances, bounds, exclusions, invariants.

pub(crate) mod abstraction;
pub(crate) mod bmc;
pub(crate) mod claims;
pub(crate) mod distance_engine;
pub(crate) mod exclusion;
pub(crate) mod explicit;
pub mod houdini;
pub(crate) mod induction;
pub(crate) mod intervals;
pub mod localized;
pub(crate) mod part;
pub mod pdr;
