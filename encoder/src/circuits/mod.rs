//! Word circuits, generic over the bit type.
//!
//! Words are slices of bits, least significant bit first; operands of one circuit have equal widths
//! unless stated. Each circuit is total and yields what the operator of the same name in
//! [`model::term`] yields, divisions by zero and over-wide shifts included.

pub mod add;
pub mod compare;
pub mod divide;
pub mod float;
pub mod logic;
pub mod multiply;
pub mod shift;

#[cfg(test)]
mod testing;
