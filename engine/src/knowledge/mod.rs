//! What is known of a task: chains, distances, costs of paths, invariants.

pub(crate) mod abstractions;
pub(crate) mod bound;
pub(crate) mod chains;
pub mod distances;
pub(crate) mod facts;
pub mod invariants;
pub(crate) mod known;
pub(crate) mod path_costs;
pub mod status;
pub mod task;
pub mod vertex;
