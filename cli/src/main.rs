//! The `chaincover` program.

use chaincover_cli::Program;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(chaincover_cli::main(std::env::args_os().skip(1), &Program::running()))
}
