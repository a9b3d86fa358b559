//! The benchmark runner: cases of the corpus, one row for each case and strategy.
//!
//! Every row is a process of its own, so that time and peak memory are those of the case alone.

pub mod corpus;
pub mod expect;
pub mod memory;
pub mod row;
