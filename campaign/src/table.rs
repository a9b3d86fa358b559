//! What a campaign came to: one row for each job, and files made of it.

use crate::error::Error;
use crate::job::Job;
use crate::page;
use crate::record::{Chains, Outcome, Record};
use chaincover::diagnostics::{visible, visible_lines};
use chaincover::write;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The value of the key `format` of `results.json`.
const FORMAT: &str = "chaincover/campaign/1";

/// The files of a table; the first one marks the folder.
const FILES: [&str; 4] = ["results.json", "results.csv", "junit.xml", "index.html"];

/// Names in summaries at most.
const MOST_NAMES: usize = 4;

/// A job and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The job.
    pub job: Job,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether its result was there before the campaign was run.
    pub is_known: bool,
    /// Exit code of the search.
    pub exit: u8,
    /// The result in short.
    pub record: Option<Record>,
    /// The folder of the result.
    pub folder: Option<PathBuf>,
    /// Why there is no result.
    pub message: String,
}

impl Row {
    pub(crate) fn waiting(job: Job) -> Self {
        let (record, folder, message) = (None, None, String::new());
        Self { job, outcome: Outcome::Waiting, is_known: false, exit: 0, record, folder, message }
    }

    pub(crate) fn chains(&self) -> Option<&Chains> {
        self.record.as_ref().and_then(|record| record.chains.as_ref())
    }

    /// The variant, as options of the command line.
    pub(crate) fn variant(&self) -> String {
        self.job.arguments().join(" ")
    }

    /// What a reader of the row wants to know beside its outcome.
    pub(crate) fn remark(&self) -> String {
        let list = |what: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!("{what}: {}", names.join(", ")),
        };
        let found = self.chains().map(|found| {
            [
                list("violated", &found.violated),
                list("unreachable", &found.unreachable),
                list("undecided", &found.undecided),
                list("undecided requirements", &found.open_requirements),
                match found.open_coverage {
                    0 => String::new(),
                    count => format!("coverage undecided: {count}"),
                },
            ]
        });
        let is_stopped = self.record.as_ref().is_some_and(Record::is_stopped);
        let stopped = if is_stopped { "stopped at its limit".to_owned() } else { String::new() };
        let parts = found.into_iter().flatten().chain([stopped, visible_lines(&self.message)]);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// All rows, in the order of the campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    format: String,
    /// The name of the campaign.
    pub name: String,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(name: &str, rows: Vec<Row>) -> Self {
        Self { format: FORMAT.to_owned(), name: name.to_owned(), rows }
    }

    /// Number of rows with an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.rows.iter().filter(|row| row.outcome == outcome).count()
    }

    /// What became of the jobs, on one line: `47 covered, 1 violated (window-US/pinch)`.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for outcome in Outcome::ALL {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.outcome == outcome).collect();
            if rows.is_empty() {
                continue;
            }
            let mut part = format!("{} {}", rows.len(), outcome.name());
            let names: Vec<String> = rows.iter().flat_map(|row| names(row)).collect();
            if !names.is_empty() {
                let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
                let shown = &names[..names.len().min(MOST_NAMES)];
                let _ = write!(part, " ({}{more})", shown.join(", "));
            }
            parts.push(part);
        }
        visible(&parts.join(", "))
    }

    /// Whether a folder holds nothing that another program wrote and [`Table::write`] would replace.
    ///
    /// # Errors
    /// It does.
    pub fn check_place(folder: &Path) -> Result<(), Error> {
        let Some(found) = FILES.iter().find(|name| folder.join(name).exists()) else { return Ok(()) };
        let json = std::fs::read(folder.join(FILES[0])).unwrap_or_default();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap_or_default();
        if json["format"] == FORMAT {
            return Ok(());
        }
        let why = format!("`{found}` there was not written by a campaign; name another folder with -o");
        Err(Error::new(folder, why))
    }

    /// Writes `index.html`, `results.csv`, `junit.xml` and the `results.json` that they are made of
    /// into a folder.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|error| Error::system(folder, "cannot be made", &error))?;
        let fail = |why: String| Error::new(folder, why);
        let json = serde_json::to_string_pretty(self).map_err(|error| fail(error.to_string()))? + "\n";
        let csv = self.csv(folder).map_err(|error| fail(error.to_string()))?;
        let junit = self.junit().map_err(|error| fail(error.to_string()))?;
        let page = page::page(self, folder);
        for (name, content) in
            FILES.iter().zip([json.into_bytes(), csv, junit.into_bytes(), page.into_bytes()])
        {
            write::atomically(&folder.join(name), &content)?;
        }
        Ok(())
    }

    fn csv(&self, folder: &Path) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "job",
            "model",
            "variant",
            "outcome",
            "exit",
            "known",
            "goals",
            "covered",
            "chains",
            "steps",
            "lower_bound",
            "minimal",
            "violated",
            "unreachable",
            "undecided",
            "undecided_requirements",
            "seconds",
            "peak_kib",
            "result",
            "message",
        ])?;
        for row in &self.rows {
            let found = row.chains();
            let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
            let count = |pick: fn(&Chains) -> usize| number(found.map(|found| pick(found) as u64));
            let names = |pick: fn(&Chains) -> &Vec<String>| {
                found.map(|found| pick(found).join(" ")).unwrap_or_default()
            };
            let seconds = row.record.as_ref().map(|record| format!("{:.3}", record.seconds));
            let link = row.folder.as_ref().map(|path| page::link(path, folder));
            writer.write_record([
                row.job.name.clone(),
                row.job.model.display().to_string(),
                row.variant(),
                row.outcome.name().to_owned(),
                if row.outcome == Outcome::Waiting { String::new() } else { row.exit.to_string() },
                row.is_known.to_string(),
                count(|found| found.goals),
                count(|found| found.covered),
                count(|found| found.chains),
                count(|found| found.steps),
                number(found.map(|found| found.lower_bound)),
                found.map(|found| found.is_minimal.to_string()).unwrap_or_default(),
                names(|found| &found.violated),
                names(|found| &found.unreachable),
                names(|found| &found.undecided),
                names(|found| &found.open_requirements),
                seconds.unwrap_or_default(),
                number(found.and_then(|found| found.peak_kib)),
                link.unwrap_or_default(),
                row.message.clone(),
            ])?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }

    fn junit(&self) -> Result<String, quick_junit::SerializeError> {
        let mut report = Report::new(visible(&self.name));
        let mut suite = TestSuite::new(visible(&self.name));
        for row in &self.rows {
            let kind = match row.outcome {
                Outcome::Covered => None,
                Outcome::Violated => Some(NonSuccessKind::Failure),
                Outcome::Failed | Outcome::Crashed => Some(NonSuccessKind::Error),
                Outcome::Unreachable | Outcome::Undecided | Outcome::Waiting => None,
            };
            let mut status = match (kind, row.outcome) {
                (Some(kind), _) => TestCaseStatus::non_success(kind),
                (None, Outcome::Covered) => TestCaseStatus::success(),
                (None, _) => TestCaseStatus::skipped(),
            };
            let remark = row.remark();
            if row.outcome != Outcome::Covered {
                status.set_message(visible_lines(&format!("{}: {remark}", row.outcome.name())));
            }
            let mut case = TestCase::new(visible(&row.job.name), status);
            case.set_classname(visible(&self.name));
            if row.outcome == Outcome::Covered && !remark.is_empty() {
                let bound = row.chains().map_or(0, |found| found.lower_bound);
                case.set_system_out(format!("{remark}; at least {bound} steps are needed"));
            }
            let seconds = row.record.as_ref().map_or(0.0, |record| record.seconds);
            case.set_time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
        report.to_string()
    }
}

/// What a summary names of a row: requirements that are violated, and jobs that are not in order.
fn names(row: &Row) -> Vec<String> {
    let job = &row.job.name;
    let violated = row.chains().map(|found| &found.violated[..]).unwrap_or_default();
    match row.outcome {
        Outcome::Covered | Outcome::Waiting => Vec::new(),
        Outcome::Violated if !violated.is_empty() => {
            violated.iter().map(|name| format!("{job}/{name}")).collect()
        }
        _ => vec![job.clone()],
    }
}
