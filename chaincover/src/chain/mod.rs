//! From orders to concrete inputs.

pub(crate) mod check;
pub(crate) mod latched;
pub(crate) mod sequence;
pub(crate) mod windows;
