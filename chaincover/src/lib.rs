//! ChainCover: the shortest test case chain that covers all goals of a reactive C program, with proofs.
//!
//! The library holds everything behind the command line, so that tests and other programs can use it.

pub mod bench;
pub mod check_native;
pub mod cli;
pub mod config;
pub mod explain;
pub mod export;
pub mod html;
pub mod judge;
pub mod native;
pub mod output;
mod proofs;
pub mod report;
