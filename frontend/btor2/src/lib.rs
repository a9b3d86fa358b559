//! From BTOR2 to transition systems, and from chains to BTOR2 witnesses (Niemetz, Preiner, Wolf,
//! Biere: "Btor2, BtorMC and Boolector 3.0", CAV 2018).
//!
//! ```text
//! text -> lines -> values of lines -> TransitionSystem        chain -> witness of one `bad` line
//! text -> lines -> played word by word: the judge of witnesses, of ours and of others
//! ```
//!
//! How BTOR2 is expressed:
//!
//! * A state with `next` is a state word. One without `init` starts with any value: an initial
//!   input.
//! * A state without `next` has any value in each step: it is an input, or, where it has an `init`,
//!   a state word that takes an input.
//! * An array is as many words as it has elements. A read chooses among them, a write changes the
//!   one that is meant.
//! * A `constraint` is an assumption on every step, a `bad` line a goal of one step, an `output`
//!   line an output.
//!
//! Unsupported lines (`fair`, `justice`, words beyond 128 bits, arrays of more than
//! [`MOST_ELEMENTS`] elements) are errors with their place. AIGER is written anew as BTOR2 first.

mod aiger;
pub mod code;
mod front;
mod judge;
mod lines;
mod operators;
mod player;
mod reader;
mod start;
mod witness;

pub use aiger::{from_aiger, is_aiger};
pub use front::{Btor2, signals, start_findings};
pub use judge::{Accepted, Refused, check_witness};
pub use reader::{Begin, MOST_ARRAY_BITS, MOST_ELEMENTS, Model, Origin, read, read_with};
pub use start::{add_reset, free_at_start};
pub use witness::witness;

/// Why a text is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}\n  {text}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
}
