//! From the graph to orders of goals.

pub mod additive_abstraction;
pub(crate) mod existence;
pub(crate) mod partition;
pub(crate) mod plan;
