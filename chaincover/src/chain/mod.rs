//! From orders to concrete inputs.

pub(crate) mod check;
pub(crate) mod follow;
pub(crate) mod improve;
pub(crate) mod latched;
pub(crate) mod requery;
pub(crate) mod sequence;
pub(crate) mod windows;
