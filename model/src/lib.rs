//! Transition systems over hash-consed word-level terms: the narrow waist between front ends and
//! encoder.
//!
//! This crate knows no C, no files, no solver and no encoding. Front ends build a
//! [`TransitionSystem`](system::TransitionSystem); [`validate`](validate::validate) makes it
//! [`Validated`](validate::Validated), which the engine reads.

pub mod btor2;
pub mod components;
pub mod counterfactual;
pub mod dependencies;
pub mod edits;
pub mod eval;
pub mod external;
pub mod id;
pub mod localization;
pub mod product;
pub mod rewrite;
pub mod simulate;
pub mod slice;
pub mod sort;
pub mod system;
pub mod term;
#[cfg(test)]
mod testing;
pub mod text;
pub mod trace;
pub mod validate;
pub mod value;
pub mod visit;
