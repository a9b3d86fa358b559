//! Strategies that `exact` is compared with.

pub(crate) mod engine;
pub(crate) mod monolithic;
pub(crate) mod nearest;
pub(crate) mod paper;
pub mod suite;
pub(crate) mod sweep;
