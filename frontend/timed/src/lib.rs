//! Timed symbolic systems (`*.tio`, and flat machines of xLIA, `*.xlia`): automata with data, clocks,
//! and messages on channels.
//!
//! ```text
//! text -> syntax trees -> System -> symbolic contexts -> test case of a purpose -> verdicts of runs
//!                            |  \-> interpreter of concrete runs
//!                            \----> TransitionSystem over ticks -> shortest chains
//! ```
//!
//! Test cases follow Bannour, Lapitre, Le Gall, Nguyen: "Symbolic Path-guided Test Cases for Models
//! with Data and Time" (FACS 2023): contexts of symbolic execution ([`symbolic`]), purposes that
//! are feasible and trace-deterministic ([`purpose`]), ten rules ([`testcase`]); they can go on after
//! deviations ([`adaptive`]). Questions of
//! linear arithmetic are asked of an SMT solver that runs as a process ([`smt`]). [`judge`] judges
//! recorded runs by the exported test case, [`run`] runs it against a system, [`play`] lets a
//! specification play the system. Chains need no SMT solver: [`lower`] expresses the system over
//! ticks of time.

pub mod adaptive;
pub mod check;
pub mod code;
pub mod conformance;
mod front;
pub mod game;
pub mod infimum;
pub mod interpret;
pub mod judge;
pub mod linear;
pub mod lower;
pub mod mutate;
pub mod parser;
pub mod play;
pub mod print;
pub mod purpose;
pub mod read;
pub mod run;
pub mod smt;
pub mod symbolic;
pub mod syntax;
pub mod system;
pub mod testcase;
pub mod write;
pub mod xlia;

pub use front::{Timed, printed, read_over_ticks};
pub use spec::value::Value;
