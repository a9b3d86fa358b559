//! The benchmark runner: cases of the corpus and of growing families, one row for each case and
//! strategy.
//!
//! Every row is a process of its own, so that time and peak memory are those of the case alone.

pub mod corpus;
pub mod curves;
pub mod deep;
pub mod expect;
pub mod external;
pub mod families;
pub mod judge;
pub mod machine;
pub mod mutants;
pub mod plot;
pub mod published;
pub mod results;
pub mod row;
pub mod strategies;
pub mod subject;
pub mod table;
