//! Calling a tool with a limit on its time, and watching its memory.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What calls took together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    pub(super) seconds: f64,
    pub(super) peak_kib: Option<u64>,
    /// Whether the last one was ended by its limit.
    pub(super) late: bool,
    pub(super) succeeded: bool,
}

/// Between two looks at a running tool.
const PAUSE: Duration = Duration::from_millis(10);

impl Watched {
    /// Runs a program in a folder until it ends, the time is up, or `done` says so; its standard
    /// output goes to `output` there.
    pub(super) fn call(
        &mut self,
        command: &[&str],
        folder: &Path,
        output: &str,
        limit: Duration,
        done: impl Fn() -> bool,
    ) -> io::Result<()> {
        let start = Instant::now();
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .current_dir(folder)
            .envs([("AFL_NO_UI", "1"), ("AFL_SKIP_CPUFREQ", "1"), ("AFL_NO_AFFINITY", "1")])
            .envs([("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"), ("AFL_BENCH_UNTIL_CRASH", "1")])
            .stdin(Stdio::null())
            .stdout(File::create(folder.join(output))?)
            .stderr(File::create(folder.join(format!("{output}.errors")))?)
            .process_group(0)
            .spawn()?;
        self.late = false;
        let ended = loop {
            self.peak_kib = self.peak_kib.max(memory(child.id()));
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if done() {
                break None;
            }
            if start.elapsed() >= limit {
                self.late = true;
                break None;
            }
            std::thread::sleep(PAUSE);
        };
        self.succeeded = ended.is_some_and(|status| status.success());
        if ended.is_none() {
            child.kill()?;
            child.wait()?;
        }
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Greatest resident set of a process so far.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
