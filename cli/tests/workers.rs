//! One model by several processes: the same answers, whatever becomes of the workers.

use crate::support::{call, said};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value as Json;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A counter with one goal that is far, and one that is dead.
const COUNTER: &str = "unsigned char n; void step(_Bool up) { if (up && n < 40) n++; else n = 0;
    __CPROVER_cover(n == 40);\n__CPROVER_cover(n > 40); }";

/// A goal that nobody finds soon, and nobody excludes.
const HARD: &str = "unsigned a, b; void step(unsigned char x) { a = a * 1664525u + x; b ^= a >> 7;
    b *= 2654435761u; __CPROVER_cover(a == 12345u && b == 54321u); __CPROVER_cover(a > 5u); }";

fn folder(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), model).expect("a file");
    folder
}

/// The workers that a process has started.
fn workers_of(parent: u32) -> Vec<Pid> {
    let children = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let children = children.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: String = children.collect();
    let is_worker = |number: &i32| {
        let words = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        words.split(|&byte| byte == 0).nth(1) == Some(b"worker")
    };
    children
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .filter(is_worker)
        .map(Pid::from_raw)
        .collect()
}

fn is_alive(process: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// A search by two processes in the background, and its worker.
fn started(folder: &Path) -> (Child, Pid) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.current_dir(folder).args(["chain", "m.c", "--workers", "2", "--timeout", "2s", "--no-replay"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program should start");
    let start = Instant::now();
    let mut workers = workers_of(child.id());
    while workers.len() != 1 && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(2));
        workers = workers_of(child.id());
    }
    (child, workers[0])
}

#[test]
fn several_processes_find_what_one_does() {
    let folder = folder(COUNTER);
    let arguments = ["chain", "m.c", "--json", "-", "-q", "--timeout", "60s", "--workers", "2"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 20, "{out}{err}");
    let found: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&found["summary"]["length"], &found["summary"]["minimal"]), (&40.into(), &"proven".into()));
    let notes = found["notes"].to_string();
    assert!(notes.contains("2 processes searched side by side"), "{notes}");
    assert!(!notes.contains("went on without it"), "{notes}");
    let (code, _, err) = call(folder.path(), &["chain", "m.c", "--workers", "2", "--strategy", "greedy"]);
    assert_eq!((code, err.contains("--workers needs the strategy `exact`")), (2, true), "{err}");
}

#[test]
fn a_worker_that_is_killed_is_told_and_none_is_left_behind() {
    let folder = folder(HARD);
    let (child, worker) = started(folder.path());
    kill(worker, Signal::SIGKILL).expect("a process");
    let (code, out, err) = said(&child.wait_with_output().expect("a process"));
    assert_eq!(code, 124, "{out}{err}");
    assert!(err.contains("worker 2 of 2 was ended by signal 9; the search went on without it"), "{err}");
    // Who is killed leaves nobody behind.
    let (mut child, worker) = started(folder.path());
    child.kill().expect("a process");
    child.wait().expect("a process");
    let start = Instant::now();
    while is_alive(worker) {
        assert!(start.elapsed() < Duration::from_secs(30), "a worker outlives who started it");
        std::thread::sleep(Duration::from_millis(5));
    }
}
