//! What all front ends share.
//!
//! A front end turns source text into a [`model::system::TransitionSystem`] and keeps what it takes to lead
//! results back to the source: names, places, and a program that replays a chain on the compiled code.

pub mod code;
pub mod diagnostics;
pub mod limit;
pub mod process;
pub mod source;
