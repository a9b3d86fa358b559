//! Requirement interfaces (`*.ri`): requirements as contracts with identifiers, of which a system
//! chooses the outputs (Aichernig, Hoermaier, Lorber, Nickovic, Tiran: "Require, test, and trace
//! IT", STTT 19(4), 2017).
//!
//! ```text
//! text -> File -> Interface -> TransitionSystem                      chains
//!       parser   resolve  |    lower
//!                         +-> Semantics -> game, conflicts           check
//!                                       -> monitor, tracing          monitor, run
//!                 -> c_monitor                                       oracles of C models
//!                 -> lustre <-                                       contracts of Kind 2
//! ```
//!
//! # Meaning
//! * The variables are inputs, outputs and hidden ones; the system *controls* the latter two. In a
//!   step, `x'` is the value now and `x` the one a step ago.
//! * An *initial contract* holds in step 0, an *update contract* in every later step: where its
//!   assumption holds, so must its guarantee. What is undefined does not hold. Ranges of controlled
//!   variables are contracts without a name: a value outside is not allowed, never wrapped.
//! * An *execution* satisfies all contracts in every step; its inputs and outputs are a *trace*.
//! * The interface is *k-consistent* if the system can answer any inputs of steps 0 to k, one step
//!   at a time. It is consistent if it can do so for ever.
//! * Views are conjoined: the union of their variables and contracts.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod adaptive;
mod allowed;
pub mod c_monitor;
pub mod check;
pub mod code;
pub mod fret;
mod front;
pub mod game;
pub mod goals;
mod interface;
pub mod judge;
pub mod log;
mod lower;
pub mod lustre;
pub mod marks;
pub mod monitor;
mod moves;
pub mod mutation;
pub mod out_monitor;
mod parser;
mod parts;
mod player;
pub mod print;
mod read;
mod resolve;
pub mod runs;
pub mod semantics;
pub mod smt;
pub mod symbolic;
pub mod syntax;
pub mod values;
pub mod vcd;
mod warnings;

pub use allowed::Allowed;
pub use front::{Contracts, ContractsSource};
pub use interface::{Contract, Interface, Purpose, Requirement, Restriction};
pub use parser::parse;
pub use parts::{Lost, lost, lost_as_known, parts as independent_parts};
pub use player::Player;
pub use read::{Document, Unreadable, read, read_text};
