//! Reachability: which pair to ask at which depth; answers are bounds.

pub(crate) mod bounded;
pub(crate) mod explicit;
pub mod graph;
pub(crate) mod initial;
pub(crate) mod oracle;
pub(crate) mod pdr;
pub(crate) mod unfolding;
