//! The program, called as a user calls it.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program in a folder.
pub(crate) fn chaincover(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.current_dir(folder).args(arguments).output().expect("the program should start")
}

/// Runs the program in a folder: exit code, standard output and standard error.
pub(crate) fn call(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    said(&chaincover(folder, arguments))
}

/// Exit code, standard output and standard error of a program that has ended.
pub(crate) fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}
