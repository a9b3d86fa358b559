//! ChainCover: the shortest test case chain that covers all goals of a reactive C program, with proofs.
//!
//! The library holds everything behind the command line, so that tests and other programs can use it.

pub mod bench;
mod chain;
pub mod check_native;
pub mod cli;
pub mod config;
pub mod ending;
pub mod explain;
pub mod export;
pub mod html;
pub mod judge;
pub mod native;
pub mod options;
mod order;
pub mod outcome;
pub mod output;
pub mod pipeline;
mod problem;
mod proofs;
pub mod reach;
pub mod refine;
pub mod report;
pub mod size;
pub mod smooth;
pub mod stats;
mod strategy;
mod value_order;
