//! Results as files and pages: `chain.json` and everything that is made of it.

pub mod build;
pub mod coverage;
pub mod export;
pub mod html;
pub mod memory;
pub mod mutation;
pub mod output;
pub mod test_tree;
