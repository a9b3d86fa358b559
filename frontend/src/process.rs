//! Calling programs with a time limit: compilers that hang must not hang their callers.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program without standard input; `None` where it did not end within the limit and was killed.
///
/// # Errors
/// If it cannot be started or watched.
pub fn run(command: &mut Command, limit: Duration) -> std::io::Result<Option<Ended>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let Some(status) = wait(&mut child, limit)? else { return Ok(None) };
    let bytes = |reader: std::thread::JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
    Ok(Some(Ended { status, stdout: bytes(stdout), stderr: bytes(stderr) }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Option<Ended> {
        run(Command::new("sh").args(["-c", script]), limit).expect("a shell should start")
    }

    #[test]
    fn programs_end_or_are_killed() {
        let long = Duration::from_secs(60);
        let ended = shell("echo out; echo err >&2; exit 3", long).expect("it should end");
        assert_eq!((&*ended.stdout, &*ended.stderr), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(ended.status.code(), Some(3));
        let much = shell("yes | head -c 300000", long).expect("a full pipe should not block");
        assert_eq!(much.stdout.len(), 300_000);
        assert!(shell("exec sleep 60", Duration::from_millis(50)).is_none());
        assert!(run(&mut Command::new("no-such-program-anywhere"), long).is_err());
    }
}
