//! A parent for runs whose address space is limited (`ulimit -v`).
//!
//! Where the system gives no more memory, a process is ended on the spot and can say nothing. So it
//! runs as a child, and its parent says what happened. The child still ends by itself, with the
//! best result so far, where memory grows slowly enough.

use super::exit::Exit;
use super::own::Program;
use chaincover::address_space;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::ExitStatus;

/// Set for the child.
const MARK: &str = "CHAINCOVER_HAS_PARENT";

/// Runs the whole program as a child where that is needed; `None`: this is the process that does
/// the work.
pub(crate) fn run_as_child(program: &Program, words: &[OsString]) -> Option<u8> {
    let space = address_space()?;
    if std::env::var_os(MARK).is_some() {
        return None;
    }
    let mut command = program.call().ok()?;
    // A group of its own: signals from the terminal reach it once, by way of this process.
    command.args(words).env(MARK, "1").process_group(0);
    // Else the C library reserves address space for each thread.
    command.env("MALLOC_ARENA_MAX", "1");
    super::orphan::mark(&mut command);
    let mut child = command.spawn().ok()?;
    if let Ok(id) = i32::try_from(child.id()) {
        // Where no handler can be installed, signals end this process alone.
        drop(ctrlc::set_handler(move || {
            // It may have ended by itself meanwhile.
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }));
    }
    let status = child.wait().ok()?;
    Some(code(status, space))
}

/// The exit code of the child, or what it means that it has none.
fn code(status: ExitStatus, space: u64) -> u8 {
    if let Some(code) = status.code().and_then(|code| u8::try_from(code).ok()) {
        return code;
    }
    const OUT_OF_MEMORY: [Signal; 2] = [Signal::SIGABRT, Signal::SIGSEGV];
    let kib = space / 1024;
    if status.signal().is_some_and(|signal| OUT_OF_MEMORY.iter().any(|known| *known as i32 == signal)) {
        eprintln!(
            "error: out of memory: the system allows {kib} KiB of address space (ulimit -v), and more was needed; allow more, or end the search \
             earlier, with the best result so far, by --memory"
        );
    }
    Exit::TimeOut.code()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn codes_are_handed_on_and_signals_are_told() {
        let ended =
            |script: &str| Command::new("sh").args(["-c", script]).status().expect("a shell should start");
        assert_eq!(code(ended("exit 20"), 1 << 30), 20);
        assert_eq!(code(ended("kill -ABRT $$"), 1 << 30), 124);
    }
}
