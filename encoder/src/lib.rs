//! Bit-blasting and unrolling of transition systems into CNF.
//!
//! The way of the data: an [`Unrolling`](unroll::Unrolling) computes the words of states, inputs
//! and terms frame by frame and on demand; [`blast`] turns terms into words of bits by the
//! [`circuits`], which are generic over the [bit](bits::BitBuilder); the bits live in one
//! [and-inverter graph](aig) for all frames; [`cnf`] writes the cone of each asked literal into a
//! [`ClauseSink`](solver::sat::ClauseSink); models come back as [traces](unroll::Unrolling::lift).
//! Beside it, [`lanes`] runs single steps for many states at once, and [`emit`] prints what was
//! made.
//!
//! This crate knows the word-level system and the SAT interface, and neither C nor the search.

pub mod aig;
pub mod bits;
pub mod blast;
pub mod circuits;
pub mod cnf;
pub mod emit;
mod error;
mod gates;
pub mod lanes;
mod one_step;
mod symbols;
#[cfg(test)]
mod testing;
pub mod unroll;

pub use error::EncodeError;
