//! Calling programs within limits.

use super::NativeError;
use frontend::process::{Allowance, Cut};
use std::path::Path;
use std::process::{Command, ExitStatus};

/// How a call ended.
pub(super) struct Ended {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// `None` for success, else `exit code 1` or `signal 8`.
    pub(super) failure: Option<String>,
}

/// Runs `command` (program, arguments) in `folder` without standard input.
pub(super) fn call(command: &[String], folder: &Path, allowance: &Allowance) -> Result<Ended, NativeError> {
    let (program, arguments) = command.split_first().expect("a command should name a program");
    let start = |source| NativeError::Start { program: program.clone(), source };
    // A relative program is found from the folder, wherever the calling process stands.
    let path = if program.starts_with("./") { folder.join(program) } else { program.into() };
    let mut child = Command::new(path);
    child.args(arguments).current_dir(folder);
    let ended = frontend::process::run(&mut child, allowance).map_err(start)?;
    let ended = ended.map_err(|cut| cut_off(cut, command, allowance))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ended { stdout: text(&ended.stdout), stderr: text(&ended.stderr), failure: failure(ended.status) })
}

fn cut_off(cut: Cut, command: &[String], allowance: &Allowance) -> NativeError {
    let command = command.join(" ");
    match cut {
        Cut::Late => NativeError::TimeOut { command, limit: allowance.longest },
        Cut::Stopped => NativeError::Stopped { command },
        Cut::Flood => NativeError::Flood { command, bytes: allowance.output },
        Cut::Memory => NativeError::Memory { command, bytes: allowance.memory },
        Cut::Disk => NativeError::Disk { command },
    }
}

fn failure(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    match (status.success(), status.code(), status.signal()) {
        (true, ..) => None,
        (_, Some(code), _) => Some(format!("exit code {code}")),
        (_, _, signal) => Some(format!("signal {}", signal.unwrap_or_default())),
    }
}
