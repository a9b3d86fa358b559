//! Reachability: which pair to ask at which depth; answers are bounds.

pub(crate) mod aim;
pub(crate) mod bounded;
pub(crate) mod claims;
pub(crate) mod explicit;
pub(crate) mod fact;
pub mod graph;
pub(crate) mod guided;
pub(crate) mod held;
pub(crate) mod initial;
pub(crate) mod intervals;
pub(crate) mod invariant;
pub(crate) mod oracle;
pub(crate) mod pdr;
pub(crate) mod sample;
pub(crate) mod simulate;
pub(crate) mod tails;
pub(crate) mod unfolding;
