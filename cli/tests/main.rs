//! All integration tests of the crate as one program: one link instead of one per file.

mod actions;
mod bench;
mod campaign;
mod cli;
mod comfort;
mod corpus;
mod costs;
mod coverage;
mod doors;
mod engines;
mod export;
mod files;
mod golden;
mod hardware;
mod limits;
mod moment;
mod old_tests;
mod oracle;
mod proofs;
mod requirements;
mod rooms;
mod support;
mod texts;
mod timed;
mod verdicts;
mod verilog;
