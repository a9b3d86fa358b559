//! Chains on the compiled code: building it, running it, comparing what it does.

pub mod check;
pub mod ending;
pub mod native;
