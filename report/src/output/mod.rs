//! What the tool writes: `chain.json`, from which everything else derives, CSV, tables, graphs.

pub mod chain_file;
mod chain_table;
pub mod consistent;
pub mod digest;
pub mod graph;
pub mod holds;
pub mod lines;
pub mod marks;
pub mod markup;
pub mod number;
pub mod owned;
pub mod place;
pub mod requirement;
pub mod root;
pub mod summary;
pub(crate) mod svg;
pub mod values;
pub mod verdict;
pub mod visible;
pub mod write;
