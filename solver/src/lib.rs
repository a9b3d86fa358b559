//! Incremental SAT behind one interface, and asymmetric travelling salesman tours with proofs.
//!
//! This crate knows nothing of transition systems: clauses in, verdicts out; distances in, tours
//! and bounds out.

pub mod atsp;
pub mod sat;
