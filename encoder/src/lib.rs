//! Bit-blasting and unrolling of transition systems into CNF.

pub mod bits;
