//! The search for chains that are proven to be as short as possible.

pub(crate) mod bound;
pub(crate) mod enumerated;
pub(crate) mod exact;
pub(crate) mod follow;
pub(crate) mod improve;
pub(crate) mod incremental;
pub(crate) mod latched;
pub mod order;
pub(crate) mod ranged;
pub(crate) mod reachable;
pub(crate) mod requery;
