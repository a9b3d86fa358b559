//! Engines that find chains and claim nothing.

pub(crate) mod alternating_variable;
mod branch_distance;
pub(crate) mod concatenate;
pub(crate) mod concolic;
pub(crate) mod greedy;
pub(crate) mod insert_waits;
pub(crate) mod landmarks;
pub(crate) mod modes;
pub(crate) mod narrowed;
pub(crate) mod pattern_walk;
pub(crate) mod restricted_enumeration;
pub(crate) mod simulate;
pub(crate) mod simulation;
