//! All integration tests of the crate as one program: one link instead of one per file.

mod continuations;
mod language;
mod lowered;
mod support;
mod testcases;
mod verdicts;
mod xlia;
