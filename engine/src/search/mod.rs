//! Searches that know no engine: cheapest paths, distances, orders of goals.

pub(crate) mod best_first;
pub(crate) mod breadth_first;
pub(crate) mod held_karp;
