//! Dumps of what the encoder makes, for people, bug reports and other tools.

pub mod aiger;
pub mod cnf;
