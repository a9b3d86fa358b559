//! ChainCover: the shortest test case chain that covers all goals of a reactive C program, with proofs.
//!
//! The library holds everything behind the command line, so that tests and other programs can use it.

pub mod explain;
pub mod front_ends;
pub mod judge;
