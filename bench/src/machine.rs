//! The machine that benchmarks run on.

use serde::{Deserialize, Serialize};

/// See the module text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in MiB, where the system tells it.
    pub memory_mib: Option<u64>,
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
    /// Version of this program and how it was built.
    pub chaincover: String,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let profile = if cfg!(debug_assertions) { "debug build" } else { "release build" };
        Self {
            cpu: line("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_mib: line("/proc/meminfo", "MemTotal")
                .and_then(|text| text.strip_suffix("kB")?.trim().parse::<u64>().ok())
                .map(|kib| kib / 1024),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            chaincover: format!("{}, {profile}", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// What stands behind `key:` in a file.
fn line(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let found = text.lines().find_map(|line| line.strip_prefix(key)?.split_once(':'))?;
    Some(found.1.trim().to_owned())
}
