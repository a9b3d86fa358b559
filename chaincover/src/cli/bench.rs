//! `chaincover bench`: benchmark tables.

use super::args::BenchArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use crate::bench::row::{Row, measure};
use crate::bench::{corpus, expect};
use crate::options::Strategy;
use crate::output::chain_file::Minimal;
use crate::output::write;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value as Json, json};

/// Runs the cases under the strategies and prints one row each.
pub(crate) fn run(arguments: &BenchArguments) -> Result<Exit, Failure> {
    let usage = |why: String| Failure::new(Exit::Usage, why);
    for name in &arguments.strategy {
        name.parse::<Strategy>().map_err(|why| usage(format!("--strategy: {why}")))?;
    }
    let cases = corpus::cases(&arguments.corpus, &arguments.cases).map_err(usage)?;
    let mut rows = Vec::new();
    for case in &cases {
        for strategy in &arguments.strategy {
            if !arguments.verbosity.quiet {
                eprintln!("{} with {strategy}", case.name);
            }
            let row = measure(case, strategy, arguments.timeout, arguments.solver.as_deref());
            rows.push(
                row.map_err(|error| Failure::new(Exit::Internal, format!("cannot run a row: {error}")))?,
            );
        }
        if let Err(why) = expect::read(&case.folder) {
            eprintln!("warning: {why}");
        }
    }
    if let Some(path) = &arguments.json {
        let report = json!({ "machine": machine(), "rows": rows });
        write::to_file_or_stdout(path, &format!("{report:#}\n"))?;
        if path.as_os_str() == "-" {
            return Ok(exit(&rows));
        }
    }
    print(&table(&rows))?;
    Ok(exit(&rows))
}

/// A row without any result, or rejected by the compiled code, fails the run; running out of time does not.
fn exit(rows: &[Row]) -> Exit {
    let failed = |row: &Row| row.error.is_some() && row.exit != Some(i32::from(Exit::TimeOut.code()));
    if rows.iter().any(|row| row.exit == Some(i32::from(Exit::SelfCheck.code()))) {
        Exit::SelfCheck
    } else if rows.iter().any(failed) {
        Exit::Undecided
    } else {
        Exit::Success
    }
}

fn machine() -> Json {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    json!({ "cpu": model.unwrap_or("unknown"), "cores": cores, "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH, "chaincover": env!("CARGO_PKG_VERSION") })
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "case", "strategy", "tcs", "len", "bound", "minimal", "goals", "seconds", "MiB", "replayed",
    ]);
    for row in rows {
        let minimal = match (row.minimal, &row.error) {
            (Some(Minimal::Proven), _) => "proven".to_owned(),
            (Some(Minimal::Gap), _) => "gap".to_owned(),
            (Some(Minimal::Unknown), _) => "unknown".to_owned(),
            (None, error) => error.clone().unwrap_or_default(),
        };
        table.add_row([
            row.case.clone(),
            row.strategy.clone(),
            row.tcs.to_string(),
            row.len.to_string(),
            row.lower_bound.to_string(),
            minimal,
            format!("{}/{}", row.covered, row.goals),
            format!("{:.3}", row.seconds),
            row.peak_kib.map_or_else(String::new, |kib| format!("{:.1}", kib as f64 / 1024.0)),
            if row.replayed { "yes" } else { "no" }.to_owned(),
        ]);
    }
    for column in [2, 3, 4, 6, 7, 8] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}
