//! All integration tests of the crate as one program: one link instead of one per file.

mod reading;
mod refusals;
mod support;
