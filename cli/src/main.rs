//! The `chaincover` program: parse the arguments, run the command, return its exit code.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main()
}
