//! The `chaincover` program: parse the arguments, run the command, return its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    chaincover::cli::main()
}
