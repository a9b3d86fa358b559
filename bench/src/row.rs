//! One row of a benchmark: a case under a strategy, run as a process of its own.

use super::corpus::Case;
use super::expect;
use chaincover::chain_file::{ChainFile, Minimal, Stage};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;
use std::ffi::OsString;
use std::fmt;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seeds of the strategies that depend on chance; their rows are means over them.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// The strategies that depend on chance.
const SEEDED: [&str; 1] = ["random"];

/// A number that may be a mean: written without decimals where it is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize)]
pub struct Mean(pub f64);

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            serializer.serialize_u64(self.0 as u64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl fmt::Display for Mean {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.0.fract() != 0.0);
        write!(formatter, "{:.decimals$}", self.0)
    }
}

/// What was measured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Name of the case.
    pub case: String,
    /// Name of the strategy or of the tool.
    pub strategy: String,
    /// Number of chains or test cases.
    pub tcs: Mean,
    /// Steps of all of them.
    pub len: Mean,
    /// Proven lower bound of `len`.
    pub lower_bound: u64,
    /// How far minimality is proven; `None` where there is no result.
    pub minimal: Option<Minimal>,
    /// Goals covered.
    pub covered: usize,
    /// Goals.
    pub goals: usize,
    /// Wall-clock time of the whole run: front end, search, replay.
    pub seconds: f64,
    /// Wall-clock time of the search alone.
    pub search_seconds: f64,
    /// Peak memory.
    pub peak_kib: Option<u64>,
    /// Whether every chain was accepted by the compiled code (or, where that cannot run, by the
    /// evaluator).
    pub replayed: bool,
    /// Exit code of the process.
    pub exit: Option<i32>,
    /// Why there is no result.
    pub error: Option<String>,
    /// Where the result differs from what is known about the case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<String>,
    /// Where the time went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
}

/// How rows are measured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// This program, or the interpreter that runs it.
    pub program: OsString,
    /// What stands before the words of its command line.
    pub words: Vec<OsString>,
    /// Time limit of a run.
    pub timeout: Duration,
    /// The SAT solver, if not the default one.
    pub solver: Option<String>,
}

impl Settings {
    /// A call of this program, to which the words of its command line are to be added.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words);
        command
    }
}

impl Row {
    /// A row without a result.
    pub fn without_result(case: &str, strategy: &str, error: impl Into<String>) -> Self {
        Self {
            case: case.to_owned(),
            strategy: strategy.to_owned(),
            error: Some(error.into()),
            ..Self::default()
        }
    }

    /// Whether chains were found.
    pub fn has_result(&self) -> bool {
        self.error.is_none() && self.covered > 0
    }
}

/// What stands in the name of a strategy before the engine that it does without.
pub const WITHOUT: &str = "exact-without-";

/// The strategy itself, and the engine that it does without.
fn ablated(strategy: &str) -> (&str, Option<&str>) {
    match strategy.strip_prefix(WITHOUT) {
        Some(engine) => ("exact", Some(engine)),
        None => (strategy, None),
    }
}

/// Runs the case under the strategy; where chance plays a part, once for each seed.
///
/// # Errors
/// If the program cannot start itself.
pub fn measure(case: &Case, strategy: &str, settings: &Settings) -> std::io::Result<Row> {
    if !SEEDED.contains(&strategy) {
        return measure_once(case, strategy, 1, settings);
    }
    let mut rows = Vec::new();
    for seed in SEEDS {
        let row = measure_once(case, strategy, seed, settings)?;
        if !row.has_result() || row.covered < row.goals {
            return Ok(row);
        }
        rows.push(row);
    }
    Ok(mean(&rows))
}

fn mean(rows: &[Row]) -> Row {
    let mean = |value: &dyn Fn(&Row) -> f64| rows.iter().map(value).sum::<f64>() / rows.len() as f64;
    Row {
        tcs: Mean(mean(&|row| row.tcs.0)),
        len: Mean(mean(&|row| row.len.0)),
        seconds: mean(&|row| row.seconds),
        search_seconds: mean(&|row| row.search_seconds),
        peak_kib: rows.iter().filter_map(|row| row.peak_kib).max(),
        replayed: rows.iter().all(|row| row.replayed),
        ..rows[0].clone()
    }
}

fn measure_once(case: &Case, strategy: &str, seed: u64, settings: &Settings) -> std::io::Result<Row> {
    let (name, without) = ablated(strategy);
    let mut command = settings.command();
    command.arg("chain").arg(&case.folder).args([
        "--json",
        "-",
        "--quiet",
        // What is compared are chains alone.
        "--no-smooth",
        "--violations",
        "off",
        "--strategy",
        name,
    ]);
    command.arg("--timeout").arg(format!("{}s", settings.timeout.as_secs_f64()));
    command.arg("--seed").arg(seed.to_string());
    if let Some(solver) = &settings.solver {
        command.args(["--solver", solver]);
    }
    if let Some(engine) = without {
        command.args(["--without", engine]);
    }
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let elapsed = start.elapsed().as_secs_f64();
    let exit = output.status.code();
    let mut row = match ChainFile::parse(&String::from_utf8_lossy(&output.stdout)) {
        Ok(file) => from_file(case, strategy, &file),
        Err(_) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Row::without_result(&case.name, strategy, said.lines().next().unwrap_or("no result"))
        }
    };
    (row.exit, row.seconds) = (exit, elapsed);
    Ok(row)
}

fn from_file(case: &Case, strategy: &str, file: &ChainFile) -> Row {
    let summary = &file.summary;
    let differences = match expect::read(&case.folder) {
        Ok(expected) if strategy == "exact" => expect::differences(&expected, file),
        _ => Vec::new(),
    };
    Row {
        case: case.name.clone(),
        strategy: strategy.to_owned(),
        tcs: Mean(summary.chains as f64),
        len: Mean(summary.length as f64),
        lower_bound: summary.lower_bound,
        minimal: Some(summary.minimal),
        covered: summary.covered,
        goals: summary.goals,
        search_seconds: file.stages.iter().map(|stage| stage.seconds).sum(),
        peak_kib: summary.peak_kib,
        replayed: file.chains.iter().all(|chain| chain.replayed != Json::Bool(false)),
        differences,
        stages: file.stages.clone(),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_without_decimals() {
        let text = |number| serde_json::to_string(&Mean(number)).expect("a number should be writable");
        assert_eq!((text(9.0), text(2.8)), ("9".to_owned(), "2.8".to_owned()));
        assert_eq!((Mean(9.0).to_string(), Mean(24.64).to_string()), ("9".to_owned(), "24.6".to_owned()));
    }

    #[test]
    fn rows_are_averaged() {
        let row = |len: f64| Row { len: Mean(len), tcs: Mean(2.0), replayed: true, ..Row::default() };
        let mean = mean(&[row(10.0), row(13.0)]);
        assert_eq!((mean.len, mean.tcs, mean.replayed), (Mean(11.5), Mean(2.0), true));
    }
}
