//! What is known of a task: chains, distances, costs of paths, invariants.

pub(crate) mod abstractions;
pub(crate) mod chains;
pub mod distances;
pub(crate) mod findings;
pub mod invariants;
pub(crate) mod path_costs;
pub mod problem;
pub mod status;
