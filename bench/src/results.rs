//! The result file: `RESULTS.md` with its plots, from measured rows.
//!
//! It holds what was measured and nothing else: every sentence about who is faster or shorter is
//! computed from the rows.

use super::curves::CURVES;
use super::deep;
use super::judge::{REFERENCE, is_complete, reference};
use super::machine::Machine;
use super::plot::{Axis, Line, Plot, svg};
use super::published::{self, TOOLS};
use super::row::{Mean, Row};
use super::strategies;
use super::table::Table;
use chaincover::chain_file::Minimal;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// All that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Where.
    pub machine: Machine,
    /// Time limit of a run in seconds.
    pub timeout: f64,
    /// What else a reader should know.
    #[serde(default)]
    pub remark: Option<String>,
    /// The rows, by case, then by strategy.
    pub rows: Vec<Row>,
}

/// A file to be written: its name and its text.
pub type File = (String, String);

impl Results {
    /// `RESULTS.md` and the plots beside it.
    pub fn files(&self) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for (name, text) in self.cumulative_plots() {
            files.push((format!("plots/{name}.svg"), text));
        }
        for curve in &CURVES {
            let has_rows = self.rows.iter().any(|row| curve.size_of(&row.case).is_some());
            for (name, text) in curve.plots(&self.rows).into_iter().filter(|_| has_rows) {
                files.push((format!("plots/{name}.svg"), text));
            }
        }
        files.push(("RESULTS.md".to_owned(), self.markdown()));
        files
    }

    /// The rows of the cases of the paper's table.
    fn main_rows(&self) -> Vec<&Row> {
        let cases = published::cases();
        self.rows.iter().filter(|row| cases.contains(&row.case)).collect()
    }

    /// The strategies of these rows, in the order of their first row.
    fn strategies(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in self.main_rows() {
            if !names.contains(&row.strategy.as_str()) {
                names.push(&row.strategy);
            }
        }
        names
    }

    fn find(&self, case: &str, strategy: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.case == case && row.strategy == strategy)
    }

    fn is_complete(&self, row: &Row) -> bool {
        is_complete(&self.rows, row)
    }

    fn markdown(&self) -> String {
        let mut text = self.introduction();
        let _ = write!(text, "\n## {REFERENCE}\n\n{}", self.reference_table().markdown());
        text.push_str("\n## Chains and length\n\nNumber of chains or test cases / steps of all of them. A number of goals stands where not all were covered in time, `-` where there was no result.\n\n");
        text.push_str(&self.matrix(|row| format!("{} / {}", row.tcs, row.len)).markdown());
        text.push_str("\n## Time\n\nSeconds of search; front end, smoothing and replay not included (of tools outside: the whole call).\n\n");
        text.push_str(&self.matrix(|row| seconds(row.search_seconds)).markdown());
        text.push_str(&self.sums());
        text.push_str(&self.wins());
        text.push_str("\n## Over all rows\n\nRows that a strategy covers completely, cheapest first, accumulated (Figures 9 to 11 of the paper).\n\n");
        for name in ["cumulative-length", "cumulative-time", "cumulative-suite"] {
            let _ = writeln!(text, "![{name}](plots/{name}.svg)");
        }
        text.push_str(&strategies::section(&self.rows));
        text.push_str(&deep::section(&self.rows));
        text.push_str(&self.growth());
        text.push_str(&self.published());
        text
    }

    fn introduction(&self) -> String {
        let Machine { cpu, cores, memory_mib, os, arch, chaincover } = &self.machine;
        let memory = memory_mib.map_or_else(String::new, |mib| format!(", {mib} MiB memory"));
        let mut text = format!(
            "# Results\n\nWritten by `chaincover bench --results benchmarks`; not to be edited by hand.\n\n\
             Machine: {cpu}, {cores} cores{memory}, {os} {arch}. chaincover {chaincover}. Each run is a process of its own on one thread, with a limit of {} s.\n\
             Every chain was replayed by the evaluator and by the compiled code. `random` is the mean of five seeds.\n",
            self.timeout
        );
        if let Some(remark) = &self.remark {
            let _ = write!(text, "\n{remark}\n");
        }
        for absent in self.absent() {
            let _ = write!(text, "\n{absent}.\n");
        }
        let proven = self.main_rows().into_iter().filter(|row| row.strategy == REFERENCE);
        let (all, proven): (Vec<&Row>, Vec<&Row>) =
            (proven.clone().collect(), proven.filter(|row| row.minimal == Some(Minimal::Proven)).collect());
        let _ = write!(
            text,
            "\n`{REFERENCE}` proves its chains minimal on {} of {} rows.\n",
            proven.len(),
            all.len()
        );
        text
    }

    /// The tools that were not there, each with what was missing.
    fn absent(&self) -> Vec<String> {
        let mut all = Vec::new();
        for row in self.main_rows() {
            if let Some(error) = row.error.as_ref().filter(|error| error.starts_with("absent")) {
                let sentence = format!("`{}` was {error}", row.strategy);
                if !all.contains(&sentence) {
                    all.push(sentence);
                }
            }
        }
        all
    }

    fn reference_table(&self) -> Table {
        let mut table = Table::new([
            "case",
            "goals",
            "tcs",
            "len",
            "lower bound",
            "minimal",
            "search s",
            "total s",
            "MiB",
            "replayed",
        ]);
        for row in self.main_rows().into_iter().filter(|row| row.strategy == REFERENCE) {
            table.row(vec![
                row.case.clone(),
                format!("{}/{}", row.covered, row.goals),
                row.tcs.to_string(),
                row.len.to_string(),
                row.lower_bound.to_string(),
                minimal(row).to_owned(),
                seconds(row.search_seconds),
                seconds(row.seconds),
                mebibytes(row),
                if row.replayed { "yes" } else { "no" }.to_owned(),
            ]);
        }
        table
    }

    /// One row for each case, one column for each strategy.
    fn matrix(&self, cell: impl Fn(&Row) -> String) -> Table {
        let strategies = self.strategies();
        let mut table = Table::new(std::iter::once("case").chain(strategies.iter().copied()));
        for case in published::cases() {
            let cells = strategies.iter().map(|strategy| match self.find(&case, strategy) {
                Some(row) if self.is_complete(row) => cell(row),
                Some(row) if row.has_result() => format!("({} of {})", row.covered, row.goals),
                _ => "-".to_owned(),
            });
            table.row(std::iter::once(case.clone()).chain(cells).collect());
        }
        table
    }

    /// Sums over the rows that both the reference and the strategy cover, and rows the strategy
    /// does not manage.
    fn sums(&self) -> String {
        let mut table = Table::new([
            "strategy",
            "rows",
            "len",
            &format!("len of {REFERENCE}"),
            "time s",
            &format!("time of {REFERENCE}"),
            "ratio",
            "time of all rows s",
            "ratio",
        ]);
        for strategy in self.strategies().into_iter().filter(|&strategy| strategy != REFERENCE) {
            let rows: Vec<&Row> =
                self.main_rows().into_iter().filter(|row| row.strategy == strategy).collect();
            let pairs: Vec<(&Row, &Row)> = rows
                .iter()
                .filter(|row| self.is_complete(row))
                .filter_map(|&row| Some((row, reference(&self.rows, row)?)))
                .collect();
            let total = |value: &dyn Fn(&(&Row, &Row)) -> f64| pairs.iter().map(value).sum::<f64>() + 0.0;
            let all = |rows: &[&Row]| rows.iter().map(|row| row.search_seconds).sum::<f64>() + 0.0;
            let best: Vec<&Row> = rows.iter().filter_map(|row| reference(&self.rows, row)).collect();
            let slow = total(&|(own, _)| own.search_seconds);
            let fast = total(&|(_, best)| best.search_seconds);
            table.row(vec![
                strategy.to_owned(),
                format!("{} of {}", pairs.len(), rows.len()),
                Mean(total(&|(own, _)| own.len.0)).to_string(),
                Mean(total(&|(_, best)| best.len.0)).to_string(),
                seconds(slow),
                seconds(fast),
                ratio(slow, fast),
                seconds(all(&rows)),
                ratio(all(&rows), all(&best)),
            ]);
        }
        format!(
            "\n## Sums\n\nOver the rows that a strategy covers completely; the last two columns over all rows, also those it did not manage within the limit, so they are too small for it.\n\n{}",
            table.markdown()
        )
    }

    /// The rows on which something beats the reference.
    fn wins(&self) -> String {
        let mut text = String::from("\n## Where a rival wins\n\n");
        let mut shorter = Vec::new();
        let mut faster = Vec::new();
        for row in
            self.main_rows().into_iter().filter(|row| row.strategy != REFERENCE && self.is_complete(row))
        {
            let Some(best) = reference(&self.rows, row) else { continue };
            if (row.tcs, row.len) < (best.tcs, best.len) {
                shorter.push(format!("{} ({})", row.case, row.strategy));
            }
            if row.search_seconds < 0.8 * best.search_seconds
                && row.search_seconds + 0.05 < best.search_seconds
            {
                faster.push(format!(
                    "{} ({}: {} s against {} s, {} steps against {})",
                    row.case,
                    row.strategy,
                    seconds(row.search_seconds),
                    seconds(best.search_seconds),
                    row.len,
                    best.len
                ));
            }
        }
        let list = |items: &[String]| {
            if items.is_empty() {
                "none.\n".to_owned()
            } else {
                items.iter().fold("\n\n".to_owned(), |text, item| text + "- " + item + "\n")
            }
        };
        let _ = write!(text, "Fewer or shorter chains: {}", list(&shorter));
        let _ = write!(
            text,
            "\nLess time by a fifth and by 0.05 s or more (what they skip is the proof that nothing is shorter, or the order of the goals altogether): {}",
            list(&faster)
        );
        text
    }

    fn growth(&self) -> String {
        let mut text = String::from("\n## Growth\n");
        for curve in &CURVES {
            let mut table = Table::new([
                curve.size,
                "strategy",
                "tcs",
                "len",
                "lower bound",
                "minimal",
                "covered",
                "search s",
                "MiB",
                "graph s",
                "order s",
                "chain s",
                "rest s",
            ]);
            let mut rows: Vec<&Row> =
                self.rows.iter().filter(|row| curve.size_of(&row.case).is_some()).collect();
            rows.retain(|row| curve.strategies.contains(&row.strategy.as_str()));
            if rows.is_empty() {
                continue;
            }
            for row in rows {
                let size = curve.size_of(&row.case).unwrap_or_default();
                let stage = |name: &str| {
                    row.stages
                        .iter()
                        .filter(|stage| stage.name == name)
                        .map(|stage| stage.seconds)
                        .sum::<f64>()
                };
                let (graph, order, chain) = (stage("graph"), stage("order"), stage("chain"));
                table.row(vec![
                    Mean(size).to_string(),
                    row.strategy.clone(),
                    row.tcs.to_string(),
                    row.len.to_string(),
                    row.lower_bound.to_string(),
                    minimal(row).to_owned(),
                    format!("{}/{}", row.covered, row.goals),
                    seconds(row.search_seconds),
                    mebibytes(row),
                    seconds(graph),
                    seconds(order),
                    seconds(chain),
                    seconds((row.search_seconds - graph - order - chain).max(0.0)),
                ]);
            }
            let _ = write!(text, "\n### {}\n\n{}\n", curve.title, table.markdown());
            for kind in ["time", "memory"] {
                let name = format!("{}-{kind}", curve.family);
                let _ = writeln!(text, "![{name}](plots/{name}.svg)");
            }
        }
        text
    }

    fn published(&self) -> String {
        let mut header = vec!["case".to_owned(), "size (s, i, P)".to_owned(), format!("here: {REFERENCE}")];
        header.extend(TOOLS.iter().map(|(_, name)| format!("paper: {name}")));
        let mut table = Table::new(header);
        for published in published::table_1() {
            let ours = self.find(&published.case, REFERENCE).filter(|row| row.has_result());
            let ours = ours.map_or_else(
                || "-".to_owned(),
                |row| format!("{} / {} / {}", row.tcs, row.len, seconds(row.search_seconds)),
            );
            let theirs = published.results.iter().map(|[tcs, len, time]| match len.is_empty() {
                true if time.is_empty() => "-".to_owned(),
                true => format!("{tcs} {time}").trim().to_owned(),
                false => format!("{tcs} / {len} / {time}"),
            });
            table.row(
                [published.case.clone(), published.size.clone(), ours].into_iter().chain(theirs).collect(),
            );
        }
        format!(
            "\n## Beside the paper\n\nThe columns of the paper are its Table 1: tcs / len / time in seconds as printed. **They were measured on other models and another machine**: apart from the cruise controller and \
             the car alarm the models of the paper are lost, and ours are stand-ins of the same size. So lengths cannot be compared row by row, and times not at all; what can be compared is who finds fewer and shorter chains than whom.\n\n{}",
            table.markdown()
        )
    }

    fn cumulative_plots(&self) -> Vec<(String, String)> {
        type Value = fn(&Row) -> f64;
        let kinds: [(&str, &str, &str, bool, Value); 3] = [
            ("cumulative-length", "Accumulated length", "steps", false, |row| row.len.0),
            ("cumulative-time", "Accumulated time of search", "seconds", true, |row| {
                row.search_seconds.max(1e-3)
            }),
            ("cumulative-suite", "Accumulated number of chains", "chains or test cases", false, |row| {
                row.tcs.0
            }),
        ];
        let plot = |(name, title, label, logarithmic, value): (&str, &str, &str, bool, Value)| {
            let line = |strategy: &str| {
                let own = self
                    .main_rows()
                    .into_iter()
                    .filter(|row| row.strategy == strategy && self.is_complete(row));
                let mut values: Vec<f64> = own.map(value).collect();
                values.sort_by(f64::total_cmp);
                let mut sum = 0.0;
                let points = values.into_iter().enumerate().map(|(number, value)| {
                    sum += value;
                    ((number + 1) as f64, sum)
                });
                Line { name: strategy.to_owned(), points: points.collect() }
            };
            let lines =
                self.strategies().into_iter().map(line).filter(|line| !line.points.is_empty()).collect();
            let axis = |label, logarithmic| Axis { label, logarithmic };
            let plot =
                Plot { title, x: axis("rows covered completely", false), y: axis(label, logarithmic), lines };
            (name.to_owned(), svg(&plot))
        };
        kinds.into_iter().map(plot).collect()
    }
}

fn ratio(slow: f64, fast: f64) -> String {
    if slow == 0.0 { "-".to_owned() } else { format!("{:.1}", slow / fast.max(1e-3)) }
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "case", "strategy", "tcs", "len", "bound", "minimal", "goals", "search s", "total s", "MiB",
        "replayed",
    ]);
    for row in rows {
        table.row(vec![
            row.case.clone(),
            row.strategy.clone(),
            row.tcs.to_string(),
            row.len.to_string(),
            row.lower_bound.to_string(),
            match (&row.error, row.minimal) {
                (Some(error), _) => error.clone(),
                _ => minimal(row).to_owned(),
            },
            format!("{}/{}", row.covered, row.goals),
            seconds(row.search_seconds),
            seconds(row.seconds),
            mebibytes(row),
            if row.replayed { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table
}

fn minimal(row: &Row) -> &'static str {
    match row.minimal {
        Some(Minimal::Proven) => "proven",
        Some(Minimal::Gap) => "gap",
        Some(Minimal::Unknown) => "unknown",
        None => "-",
    }
}

fn seconds(seconds: f64) -> String {
    // An empty sum is -0.
    let seconds = seconds + 0.0;
    let decimals = if seconds < 10.0 { 3 } else { 1 };
    format!("{seconds:.decimals$}")
}

fn mebibytes(row: &Row) -> String {
    row.peak_kib.map_or_else(|| "-".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, strategy: &str, covered: usize, len: f64, search_seconds: f64) -> Row {
        Row {
            case: case.to_owned(),
            strategy: strategy.to_owned(),
            tcs: Mean(1.0),
            len: Mean(len),
            covered,
            goals: 4,
            search_seconds,
            replayed: true,
            minimal: Some(Minimal::Proven),
            ..Row::default()
        }
    }

    #[test]
    fn the_result_file_says_what_the_rows_say() {
        let rows = vec![
            row("cruise-1", "exact", 4, 9.0, 1.0),
            row("cruise-1", "greedy", 4, 13.0, 0.5),
            row("cruise-1", "random", 2, 5.0, 60.0),
            Row::without_result("cruise-1", "afl", "absent: `afl-fuzz` is not on the PATH"),
            row("timer-5", "exact", 4, 38.0, 0.1),
        ];
        let results =
            Results { machine: Machine::this(), timeout: 60.0, remark: Some("Remark.".to_owned()), rows };
        let files = results.files();
        let (name, text) = files.last().expect("a file");
        assert_eq!((name.as_str(), files.len()), ("RESULTS.md", 3 + 2 + 1));
        for expected in [
            "Remark.",
            "on 1 of 1 rows",
            "| cruise-1 | 1 / 9 | 1 / 13 | (2 of 4) | - |",
            "| greedy | 1 of 1 | 13 | 9 | 0.500 | 1.000 | 0.5 | 0.500 | 0.5 |",
            "`afl` was absent: `afl-fuzz` is not on the PATH.",
            "Fewer or shorter chains: none.",
            "- cruise-1 (greedy: 0.500 s against 1.000 s, 13 steps against 9)",
            "measured on other models and another machine",
            "| cruise-1 | 3b, 3b, 4 | 1 / 9 / 1.000 | 1 / 9 / 0.53 |",
            "### Length of a timer",
        ] {
            assert!(text.contains(expected), "{expected} is missing in\n{text}");
        }
    }

    #[test]
    fn results_can_be_stored() {
        let results = Results {
            machine: Machine::this(),
            timeout: 1.0,
            remark: None,
            rows: vec![row("a", "exact", 4, 9.5, 1.0)],
        };
        let text = serde_json::to_string(&results).expect("results should be writable");
        let again: Results = serde_json::from_str(&text).expect("results should be readable");
        assert_eq!(again.files(), results.files());
    }
}
