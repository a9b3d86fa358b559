//! Transition systems over hash-consed word-level terms: the narrow waist between front ends and encoder.
//!
//! This crate knows no C, no files, no solver and no encoding. Front ends build a
//! [`TransitionSystem`](system::TransitionSystem); the engine reads it.

pub mod eval;
pub mod id;
mod rewrite;
pub mod sort;
pub mod system;
pub mod term;
pub mod text;
pub mod trace;
pub mod value;
