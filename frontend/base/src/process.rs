//! Calling programs within limits: compilers that hang must not hang their callers, and what they
//! started must not outlive them.
//!
//! Each program leads a process group of its own, which is killed when the program has ended or a
//! limit is reached. Its output is read beside it, up to a limit: what prints without end is ended,
//! too, and so is what takes more memory than it may.

use crate::limit::{Limit, kibibytes};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
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

/// Why a program was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It took longer than it may.
    Late,
    /// The limit of the whole run was reached.
    Stopped,
    /// It wrote more than it may.
    Flood,
    /// It took more memory than it may.
    Memory,
    /// It made more files, or larger ones, than it may.
    Disk,
}

/// What a call may take.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// Its time.
    pub longest: Duration,
    /// Bytes that it may write to either output.
    pub output: usize,
    /// Bytes of memory that it and what it has started may have in use, where the system tells (on
    /// Linux).
    pub memory: u64,
    /// The folder that it may write to, where it may make files: what these may take is limited.
    pub folder: Option<PathBuf>,
    /// The limit of the run that it is a part of.
    pub limit: Limit,
}

impl Allowance {
    /// So much time, and as much output and memory as any honest program needs.
    pub fn new(longest: Duration) -> Self {
        Self { longest, output: MOST_OUTPUT, memory: MOST_MEMORY, folder: None, limit: Limit::default() }
    }
}

/// Bytes that a program may write where nothing else is said.
const MOST_OUTPUT: usize = 1 << 30;

/// Bytes of memory that it may take then.
const MOST_MEMORY: u64 = 4 << 30;

/// Bytes of all files that it may make, and how many these may be.
pub const MOST_BYTES: u64 = 1 << 30;
/// See [`MOST_BYTES`].
pub const MOST_FILES: usize = 1_000;

/// How long to wait for the rest of the output of a program that has ended: only what escaped from
/// its process group can still hold the pipe.
const LINGERING: Duration = Duration::from_secs(1);

/// Runs a program without standard input, within limits.
///
/// # Errors
/// If it cannot be started or watched.
pub fn run(command: &mut Command, allowance: &Allowance) -> std::io::Result<Result<Ended, Cut>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let group = Group::of(&child)?;
    let watched = watch(&mut child, allowance);
    drop(group);
    let (ended, stdout, stderr) = watched?;
    match ended {
        Ok(status) => Ok(Ok(Ended { status, stdout: stdout.rest(), stderr: stderr.rest() })),
        Err(cut) => {
            child.wait()?;
            Ok(Err(cut))
        }
    }
}

/// Reads what a child writes until it ends or reaches a limit.
fn watch(child: &mut Child, allowance: &Allowance) -> std::io::Result<(Result<ExitStatus, Cut>, Pipe, Pipe)> {
    let stdout = Pipe::drain(child.stdout.take(), allowance.output)?;
    let stderr = Pipe::drain(child.stderr.take(), allowance.output)?;
    let ended = wait(child, allowance, &[&stdout, &stderr])?;
    Ok((ended, stdout, stderr))
}

/// The process groups that are running.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all that is running: for callers that end at once. Groups of their own do not get what the
/// terminal sends.
pub fn end_all() {
    running().iter().copied().for_each(end_group);
}

/// Kills what is left of a process group.
fn end_group(group: i32) {
    // Where all of it has ended already, there is nothing to kill.
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
}

/// A process group, which is killed when this goes.
#[derive(Debug)]
pub struct Group(i32);

impl Group {
    /// The group of a process that leads one.
    ///
    /// # Errors
    /// If its number is none of a process.
    pub fn of(child: &Child) -> std::io::Result<Self> {
        let group = i32::try_from(child.id()).map_err(std::io::Error::other)?;
        running().insert(group);
        Ok(Self(group))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        end_group(self.0);
        running().remove(&self.0);
    }
}

/// The output of a program as far as it was read.
struct Pipe {
    bytes: Arc<Mutex<Vec<u8>>>,
    is_full: Arc<AtomicBool>,
    reader: JoinHandle<()>,
}

impl Pipe {
    /// Reads a pipe to its end beside the waiting, so that a full pipe cannot block the child.
    fn drain(pipe: Option<impl Read + Send + 'static>, most: usize) -> std::io::Result<Self> {
        let (bytes, is_full) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, flooded) = (Arc::clone(&bytes), Arc::clone(&is_full));
        let read = move || {
            let Some(mut pipe) = pipe else { return };
            let mut part = vec![0; 1 << 16];
            // What was read before an error still serves the report.
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&part[..count]);
                if kept.len() > most {
                    flooded.store(true, Ordering::SeqCst);
                    return;
                }
            }
        };
        let reader = std::thread::Builder::new().stack_size(READER_STACK).spawn(read)?;
        Ok(Self { bytes, is_full, reader })
    }

    /// What the program wrote.
    fn rest(self) -> Vec<u8> {
        let end = Instant::now() + LINGERING;
        while !self.reader.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_micros(100));
        }
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Bytes of stack for reading a pipe.
const READER_STACK: usize = 1 << 17;

/// Waits for the end of a child, or for a limit.
fn wait(
    child: &mut Child,
    allowance: &Allowance,
    pipes: &[&Pipe],
) -> std::io::Result<Result<ExitStatus, Cut>> {
    let end = Instant::now() + allowance.longest;
    let mut pause = Duration::from_micros(200);
    loop {
        let status = child.try_wait()?;
        // What writes more dies of the pipe that nobody reads any more.
        if pipes.iter().any(|pipe| pipe.is_full.load(Ordering::SeqCst)) {
            return Ok(Err(Cut::Flood));
        }
        if let Some(status) = status {
            return Ok(Ok(status));
        }
        if allowance.limit.reason().is_some() {
            return Ok(Err(Cut::Stopped));
        }
        if Instant::now() >= end {
            return Ok(Err(Cut::Late));
        }
        // A program that ends at once has no time to take much.
        if pause == LONGEST_PAUSE && memory_of(child.id()) > allowance.memory {
            return Ok(Err(Cut::Memory));
        }
        if pause == LONGEST_PAUSE && allowance.folder.as_deref().is_some_and(is_overfull) {
            return Ok(Err(Cut::Disk));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Time between two looks at a program that goes on.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Bytes of memory that a process and all that it has started have in use, as far as the system
/// tells: a compiler is a program that calls others.
fn memory_of(process: u32) -> u64 {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
    let own = kibibytes(&read("status"), "VmRSS:").unwrap_or(0);
    let children = read(&format!("task/{process}/children"));
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.map(memory_of).fold(own, u64::saturating_add)
}

/// Whether the files of a folder, with those of its folders, are too many or too large. The first
/// ones tell where there are many.
fn is_overfull(folder: &Path) -> bool {
    let (mut bytes, mut files, mut folders) = (0, 0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            files += 1;
            bytes += metadata.blocks().saturating_mul(BLOCK);
            if bytes > MOST_BYTES || files > MOST_FILES {
                return true;
            }
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    false
}

/// Bytes of what the system counts the size of files in.
const BLOCK: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;

    fn shell_within(script: &str, allowance: &Allowance) -> Result<Ended, Cut> {
        run(Command::new("sh").args(["-c", script]), allowance).expect("a shell should start")
    }

    fn shell(script: &str, longest: Duration) -> Result<Ended, Cut> {
        shell_within(script, &Allowance::new(longest))
    }

    #[test]
    fn programs_end_or_are_killed() {
        let long = Duration::from_secs(60);
        let ended = shell("echo out; echo err >&2; exit 3", long).expect("it should end");
        assert_eq!((&*ended.stdout, &*ended.stderr), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(ended.status.code(), Some(3));
        let much = shell("yes | head -c 300000", long).expect("a full pipe should not block");
        assert_eq!(much.stdout.len(), 300_000);
        assert_eq!(shell("exec sleep 60", Duration::from_millis(50)).unwrap_err(), Cut::Late);
        assert!(run(&mut Command::new("no-such-program-anywhere"), &Allowance::new(long)).is_err());
    }

    /// The shell is killed, and so is what it waits for; what it left behind does not hold up its
    /// caller.
    #[test]
    fn what_a_program_starts_ends_with_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mark = folder.path().join("mark");
        let script = format!("(sleep 2; echo late > {}) & sleep 60", mark.display());
        assert_eq!(shell(&script, Duration::from_millis(300)).unwrap_err(), Cut::Late);
        let started = Instant::now();
        let left = format!("(sleep 2; echo late > {}) & echo done", mark.display());
        let ended = shell(&left, Duration::from_secs(60)).expect("it should end");
        assert_eq!(&*ended.stdout, b"done\n");
        assert!(started.elapsed() < Duration::from_millis(1_900), "{:?}", started.elapsed());
        std::thread::sleep(Duration::from_secs(3));
        assert!(!mark.exists(), "what a program started should be killed with it");
    }

    /// The memory of what a program starts counts, too.
    #[test]
    fn what_takes_too_much_memory_is_ended() {
        if memory_of(std::process::id()) == 0 {
            println!("this system does not tell how much memory a process has");
            return;
        }
        let allowance = Allowance { memory: 64 << 20, ..Allowance::new(Duration::from_secs(60)) };
        assert_eq!(shell_within("head -c 1G /dev/zero | tail; true", &allowance).unwrap_err(), Cut::Memory);
        assert!(shell_within("sleep 0.1", &allowance).is_ok());
    }

    #[test]
    fn a_flood_of_output_and_a_stop_from_outside_end_a_program() {
        let allowance = Allowance { output: 1 << 20, ..Allowance::new(Duration::from_secs(60)) };
        assert_eq!(shell_within("yes", &allowance).unwrap_err(), Cut::Flood);
        let stop = Arc::new(AtomicBool::new(false));
        let limit = Limit { stop: Some(Arc::clone(&stop)), ..Limit::default() };
        let allowance = Allowance { limit, ..Allowance::new(Duration::from_secs(60)) };
        let setting = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(shell_within("sleep 60", &allowance).unwrap_err(), Cut::Stopped);
        setting.join().expect("the thread should end");
    }

    #[test]
    fn who_fills_the_disk_is_ended() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_owned();
        let allowance = Allowance { folder: Some(path), ..Allowance::new(Duration::from_secs(60)) };
        let make = |count: usize| {
            let script = format!("cd {}; seq {count} | xargs touch; sleep 0.2", folder.path().display());
            shell_within(&script, &allowance).map(drop)
        };
        assert_eq!((make(MOST_FILES), make(MOST_FILES + 1)), (Ok(()), Err(Cut::Disk)));
    }
}
