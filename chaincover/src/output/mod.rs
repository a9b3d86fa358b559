//! What the tool writes: `chain.json`, from which everything else derives, CSV, tables, graphs.

pub mod chain_file;
mod chain_table;
pub(crate) mod consistent;
pub(crate) mod digest;
pub mod graph;
pub mod holds;
pub(crate) mod markup;
pub mod number;
pub(crate) mod owned;
pub(crate) mod place;
pub(crate) mod root;
pub mod summary;
pub(crate) mod svg;
pub(crate) mod visible;
pub mod write;
