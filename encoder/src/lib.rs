//! Bit-blasting and unrolling of transition systems into CNF.

pub mod aig;
pub mod bits;
pub mod blast;
pub mod circuits;
pub mod cnf;
mod error;
mod gates;
pub mod lanes;
mod one_step;
mod symbols;
#[cfg(test)]
mod testing;
pub mod unroll;

pub use error::EncodeError;
