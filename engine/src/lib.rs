//! The search for shortest test case chains on transition systems.

pub mod random_simulation;
#[cfg(test)]
extern crate self as engine; // helpers that tests of several crates share name it so

pub mod baselines;
pub(crate) mod components;
pub(crate) mod domain;
pub mod error;
pub mod exchange;
pub(crate) mod finders;
pub mod game;
pub mod knowledge;
pub mod optimum;
pub mod options;
pub mod outcome;
pub mod pipeline;
pub mod provers;
pub mod refinement;
pub mod schedule;
pub(crate) mod search;
pub mod session;
pub mod smooth;
pub mod step;
pub(crate) mod threads;
pub mod tuning;
pub(crate) mod turn;

pub use refinement::{find_chains, find_chains_from};
