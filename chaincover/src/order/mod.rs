//! From the graph to orders of goals.

pub(crate) mod existence;
pub(crate) mod partition;
pub(crate) mod parts;
pub(crate) mod plan;
