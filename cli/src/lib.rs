//! The `chaincover` program: parse the arguments, run the command, return its exit code.
//!
//! A library so that other packages can install the program, too: the Python wheel does.

mod commands;

use std::ffi::OsString;

/// Runs the program on the words of a command line behind the name of the program; once in a
/// process, whose signals it handles. Returns the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    commands::main(words.into_iter().collect())
}
