//! Calling programs with a time limit.

use super::NativeError;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

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
    let mut child = Command::new(path)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = wait(&mut child, limit).map_err(start)?;
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    match status {
        Some(status) => Ok(Ended { stdout: text(stdout), stderr: text(stderr), failure: failure(status) }),
        None => Err(NativeError::TimeOut(command.join(" "))),
    }
}

/// Reads a pipe to its end beside the waiting, so that a full pipe cannot block the child.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error still serves the report.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Waits for the end; kills the child and returns `None` after `limit`.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
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
