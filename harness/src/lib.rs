//! Running tests against systems: what a system under test is, how a process becomes one, and what
//! a test can say in the end.
//!
//! ```text
//! test ---- requests ----> dyn Synchronous | dyn Events
//!                            |                 a specification that plays the system (other crates)
//!                            Process           JSON lines on standard input and output
//! ```
//!
//! In real time ([`Live`]) nobody asks for outputs: the process writes them when they come, and what
//! counts is when they are read.
//!
//! The protocol is written down in `docs/protocol.md`; `examples/adapters` holds systems that
//! speak it in C, Python and Rust. There are two kinds of systems. *Synchronous* ones take all
//! inputs of a step at once and give all outputs of it ([`Synchronous`]). Systems of *events* take
//! one input at a time, or are watched for an output ([`Events`]).

mod live;
mod message;
mod process;
mod strict;
mod system;
mod time;
mod verdict;

pub use live::Live;
pub use message::{Event, Reply};
pub use process::Process;
pub use strict::strict_json;
pub use system::{Broken, Events, Fields, Synchronous};
pub use time::Time;
pub use verdict::{Report, Verdict};
