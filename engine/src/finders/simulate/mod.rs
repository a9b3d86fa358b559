//! The simulation engine: executions under random inputs, with an archive of what they have
//! reached.
//!
//! Running a step costs nanoseconds, so millions of steps are worth one hard query. The engine
//! yields executions: chains to start from, upper bounds of distances. What it does not find may
//! exist all the same: it never claims that something is minimal or unreachable. Everything it
//! finds is run again by the evaluator before it is used.

pub(crate) mod aims;
pub(crate) mod annealing;
pub(crate) mod archive;
pub(crate) mod batch;
pub(crate) mod beginning;
pub(crate) mod cell;
pub(crate) mod chains;
pub(crate) mod fronts;
pub(crate) mod goals;
pub(crate) mod guards;
pub(crate) mod hold;
pub(crate) mod nearness;
pub(crate) mod player;
pub(crate) mod search;
pub(crate) mod shorten;
pub(crate) mod stimuli;
pub(crate) mod swing;
pub(crate) mod vectors;

#[cfg(test)]
mod tests;
