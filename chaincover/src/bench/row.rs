//! One row of a benchmark: a case under a strategy, run as a process of its own.

use super::corpus::Case;
use crate::output::chain_file::{ChainFile, Minimal};
use serde::Serialize;
use serde_json::Value as Json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the case.
    pub case: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Number of chains.
    pub tcs: usize,
    /// Steps of all chains.
    pub len: usize,
    /// Proven lower bound of `len`.
    pub lower_bound: u64,
    /// How far minimality is proven; `None` where there is no result.
    pub minimal: Option<Minimal>,
    /// Goals covered.
    pub covered: usize,
    /// Goals.
    pub goals: usize,
    /// Wall-clock time of the search, native replay not included.
    pub seconds: f64,
    /// Peak memory.
    pub peak_kib: Option<u64>,
    /// Whether every chain was accepted by the compiled code (or, where that cannot run, by the evaluator).
    pub replayed: bool,
    /// Exit code of the process.
    pub exit: Option<i32>,
    /// The first line it said on standard error, where there is no result.
    pub error: Option<String>,
}

/// Runs the case under the strategy with this program.
///
/// # Errors
/// If the program cannot start itself.
pub fn measure(case: &Case, strategy: &str, timeout: Duration, solver: Option<&str>) -> std::io::Result<Row> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("chain").arg(&case.folder).args(["--json", "-", "--quiet", "--strategy", strategy]);
    command.arg("--timeout").arg(format!("{}s", timeout.as_secs_f64()));
    if let Some(solver) = solver {
        command.args(["--solver", solver]);
    }
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let elapsed = start.elapsed().as_secs_f64();
    let mut row = Row {
        case: case.name.clone(),
        strategy: strategy.to_owned(),
        tcs: 0,
        len: 0,
        lower_bound: 0,
        minimal: None,
        covered: 0,
        goals: 0,
        seconds: elapsed,
        peak_kib: None,
        replayed: false,
        exit: output.status.code(),
        error: None,
    };
    match serde_json::from_slice::<ChainFile>(&output.stdout) {
        Ok(file) => fill(&mut row, &file),
        Err(_) => {
            let said = String::from_utf8_lossy(&output.stderr);
            row.error = Some(said.lines().next().unwrap_or("no result").to_owned());
        }
    }
    Ok(row)
}

fn fill(row: &mut Row, file: &ChainFile) {
    let summary = &file.summary;
    row.tcs = summary.chains;
    row.len = summary.length;
    row.lower_bound = summary.lower_bound;
    row.minimal = Some(summary.minimal);
    row.covered = summary.covered;
    row.goals = summary.goals;
    row.seconds = summary.seconds;
    row.peak_kib = summary.peak_kib;
    row.replayed = file.chains.iter().all(|chain| chain.replayed != Json::Bool(false));
}
