//! Bit-blasting and unrolling of transition systems into CNF.

pub mod aig;
pub mod bits;
pub mod circuits;
