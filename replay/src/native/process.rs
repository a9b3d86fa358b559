//! Calling programs with a time limit.

use super::NativeError;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// How a call ended.
pub(super) struct Ended {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// `None` for success, else `exit code 1` or `signal 8`.
    pub(super) failure: Option<String>,
}

/// Runs `command` (program, arguments) in `folder` without standard input.
pub(super) fn call(command: &[String], folder: &Path, limit: Duration) -> Result<Ended, NativeError> {
    let (program, arguments) = command.split_first().expect("a command should name a program");
    let start = |source| NativeError::Start { program: program.clone(), source };
    // A relative program is found from the folder, wherever the calling process stands.
    let path = if program.starts_with("./") { folder.join(program) } else { program.into() };
    let mut child = Command::new(path);
    child.args(arguments).current_dir(folder);
    let ended = frontend::process::run(&mut child, limit).map_err(start)?;
    let ended = ended.ok_or_else(|| NativeError::TimeOut { command: command.join(" "), limit })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ended { stdout: text(&ended.stdout), stderr: text(&ended.stderr), failure: failure(ended.status) })
}

fn failure(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    match (status.success(), status.code(), status.signal()) {
        (true, ..) => None,
        (_, Some(code), _) => Some(format!("exit code {code}")),
        (_, _, signal) => Some(format!("signal {}", signal.unwrap_or_default())),
    }
}
