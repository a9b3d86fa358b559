//! ChainCover: the shortest test case chain that covers all goals of a reactive C program, with proofs.
//!
//! The library holds everything behind the command line, so that tests and other programs can use it.

mod chain;
pub mod config;
pub mod options;
mod order;
pub mod outcome;
pub mod pipeline;
mod problem;
pub mod reach;
pub mod stats;
mod strategy;
