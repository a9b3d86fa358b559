//! All integration tests of the crate as one program: one link instead of one per file.

#[path = "../../frontend/contracts/tests/brute/mod.rs"]
mod brute;
mod certificates;
mod code_mutants;
mod cost;
mod differential;
mod mutants;
mod observed_requirements;
mod old_tests;
mod packages;
mod random_code_mutants;
mod requirements;
mod safety_games;
mod timed;
mod timed_mutants;
