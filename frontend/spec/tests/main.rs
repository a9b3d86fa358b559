//! All integration tests of the crate as one program: one link instead of one per file.

mod grammar;
mod meaning;
mod messages;
mod random;
mod round_trip;
mod support;
