//! One search: a model, how it is read and searched, and what that may cost.

use crate::error::Error;
use chaincover::diagnostics::visible;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The value of the key `format` of a job.
pub const FORMAT: &str = "chaincover/job/1";

/// Options of `chain` that a campaign may set: those that change the result and name no files.
pub const OPTIONS: [&str; 27] = [
    "a2l-ranges",
    "assume-unwound",
    "coverage",
    "decisions",
    "engine",
    "format",
    "gap",
    "init",
    "max-k",
    "no-idle",
    "no-replay",
    "param",
    "period",
    "reset",
    "reset-cost",
    "robustness",
    "seed",
    "set",
    "solver",
    "step",
    "strategy",
    "top",
    "ub",
    "unwind",
    "view",
    "violations",
    "zero-init",
];

/// The value of an option as a campaign writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Given or not.
    Switch(bool),
    /// A number.
    Number(i64),
    /// Text.
    Text(String),
}

/// What a search may cost; `None`: as much as it needs. Memory beyond half of what the machine has
/// is never used without being asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

impl Budget {
    /// Whether a search with this budget can find nothing that one with the other budget does not.
    pub fn is_within(&self, other: &Self) -> bool {
        let at_most = |own: Option<f64>, limit: Option<f64>| match (own, limit) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(limit)) => own <= limit,
        };
        let bytes = |budget: &Self| budget.memory_bytes.map(|bytes| bytes as f64);
        at_most(self.timeout_seconds, other.timeout_seconds) && at_most(bytes(self), bytes(other))
    }
}

/// The program and the compilers whose results a campaign takes: results of others have other keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The version of the program.
    pub version: String,
    /// SHA-256 of its bytes.
    pub build: String,
    /// What the C compilers say of their versions.
    pub compiler: String,
}

impl Origin {
    /// Why results of this program are none of those that a campaign of `wanted` looks for.
    pub(crate) fn differs(&self, wanted: &Self) -> Option<String> {
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let (what, wanted, own) = if self.build != wanted.build {
            let told = |of: &Self| {
                let build = of.build.get(..SHOWN_DIGITS).unwrap_or(&of.build);
                format!("chaincover {} (build {build})", of.version)
            };
            ("program", told(wanted), told(self))
        } else if self.compiler != wanted.compiler {
            ("C compiler", first(&wanted.compiler), first(&self.compiler))
        } else {
            return None;
        };
        Some(visible(&format!(
            "the job is for {wanted}, and this machine has {own}: all machines of a campaign need the same {what}"
        )))
    }
}

/// Digits of a digest that a message shows.
const SHOWN_DIGITS: usize = 12;

/// A job, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Always [`FORMAT`].
    pub format: String,
    /// What tables call it.
    pub name: String,
    /// What `chain` is to read: a `chaincover.toml`, a folder that holds one, or a source file.
    pub model: PathBuf,
    /// The data model, where it is not left to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Macros, `NAME` or `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// Further options of `chain`, by their names without the two minus signs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// What the search may cost.
    #[serde(default)]
    pub budget: Budget,
    /// What is to search; where it is not said, any program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Job {
    /// The arguments of `chain` that say what the result is about, without limits and outputs.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        arguments.extend(self.target.iter().map(|target| format!("--target={target}")));
        arguments.extend(self.define.iter().map(|define| format!("-D{define}")));
        for (name, value) in &self.options {
            match value {
                Value::Switch(true) => arguments.push(format!("--{name}")),
                Value::Switch(false) => {}
                Value::Number(number) => arguments.push(format!("--{name}={number}")),
                Value::Text(text) => arguments.push(format!("--{name}={text}")),
            }
        }
        arguments
    }

    /// The arguments of `chain` that limit it.
    pub fn limits(&self) -> Vec<String> {
        let timeout = self.budget.timeout_seconds.map(|seconds| format!("--timeout={seconds}s"));
        let memory = self.budget.memory_bytes.map(|bytes| format!("--memory={bytes}"));
        timeout.into_iter().chain(memory).collect()
    }

    /// The time limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.budget.timeout_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// The folder that paths in keys start from.
    pub fn base(&self) -> PathBuf {
        if self.model.is_dir() {
            return self.model.clone();
        }
        self.model.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// What tells this job from others of a store before anything was read: all of it but its name,
    /// its budget and its origin.
    pub(crate) fn identity(&self) -> String {
        let anonymous = Self { name: String::new(), budget: Budget::default(), origin: None, ..self.clone() };
        chaincover::sha256(anonymous.line())
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        // A job holds texts, numbers and lists alone: it can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the line of this number, counted from 1, of a file of jobs.
    ///
    /// # Errors
    /// There is no such file or line, it is no job, or one of another version.
    pub fn read(path: &Path, number: usize) -> Result<Self, Error> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::system(path, "cannot be read", &error))?;
        let count = text.lines().count();
        let line = number.checked_sub(1).and_then(|index| text.lines().nth(index));
        let line = line.ok_or_else(|| {
            Error::new(path, format!("there is no line {number}; the lines are 1 to {count}, a job each"))
        })?;
        Self::parse(line).map_err(|why| Error::new(path, format!("line {number}: {why}")))
    }

    /// Reads a line.
    ///
    /// # Errors
    /// A sentence that says why it is no job.
    pub fn parse(line: &str) -> Result<Self, String> {
        let job: Self = serde_json::from_str(line).map_err(|error| format!("this is no job: {error}"))?;
        if job.format != FORMAT {
            return Err(format!("this is a job of format `{}`, and this program knows {FORMAT}", job.format));
        }
        check_options(&job.options)?;
        Ok(job)
    }
}

/// Refuses options that a campaign may not set.
pub(crate) fn check_options(options: &BTreeMap<String, Value>) -> Result<(), String> {
    match options.keys().find(|name| !OPTIONS.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(format!("`{name}` is no option of a job; options are {}", OPTIONS.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(options: &str) -> String {
        format!(r#"{{"format":"{FORMAT}","name":"a","model":"/m"{options}}}"#)
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let line = job(
            r#","target":"ip16","define":["A=1"],"options":{"coverage":"mcdc","max-k":3,"robustness":true,"no-replay":false},"budget":{"timeout_seconds":1.5}"#,
        );
        let read = Job::parse(&line).expect("a job");
        assert_eq!(Job::parse(&read.line()), Ok(read.clone()));
        let expected = ["--target=ip16", "-DA=1", "--coverage=mcdc", "--max-k=3", "--robustness"];
        assert_eq!(read.arguments(), expected);
        assert_eq!(read.limits(), ["--timeout=1.5s"]);
    }

    #[test]
    fn lines_that_are_no_jobs_are_refused() {
        let table = [
            ("{}".to_owned(), "missing field `format`"),
            (job("").replace("job/1", "job/9"), "chaincover/job/9"),
            (job(r#","options":{"output":"x"}"#), "`output` is no option of a job"),
            (job(r#","colour":"red""#), "unknown field `colour`"),
            ("window".to_owned(), "this is no job"),
        ];
        for (line, expected) in table {
            let why = Job::parse(&line).expect_err(&line);
            assert!(why.contains(expected), "{line}: {why}");
        }
    }

    #[test]
    fn names_and_budgets_are_no_part_of_the_identity() {
        let read = |text: &str| Job::parse(text).expect("a job");
        let plain = read(&job(""));
        let other = Job { name: "b".to_owned(), ..read(&job(r#","budget":{"memory_bytes":5}"#)) };
        assert_eq!(plain.identity(), other.identity());
        assert_ne!(plain.identity(), read(&job(r#","define":["A"]"#)).identity());
    }

    #[test]
    fn other_programs_and_compilers_are_told() {
        let origin = |build: &str, compiler: &str| Origin {
            version: "1".to_owned(),
            build: build.to_owned(),
            compiler: compiler.to_owned(),
        };
        let wanted = origin("0123456789abcdef", "gcc 12\nfree");
        let table = [
            (wanted.clone(), None),
            (
                origin("fedcba9876543210", "gcc 13"),
                Some(
                    "the job is for chaincover 1 (build 0123456789ab), and this machine has chaincover 1 \
                     (build fedcba987654): all machines of a campaign need the same program",
                ),
            ),
            (
                origin(&wanted.build, "gcc 13\nfree"),
                Some(
                    "the job is for gcc 12, and this machine has gcc 13: all machines of a campaign need \
                     the same C compiler",
                ),
            ),
        ];
        for (own, expected) in table {
            assert_eq!(own.differs(&wanted).as_deref(), expected);
        }
    }

    #[test]
    fn budgets_compare_in_both_parts() {
        let budget = |timeout_seconds, memory_bytes| Budget { timeout_seconds, memory_bytes };
        let table = [
            ((Some(1.0), None), (Some(1.0), None), true),
            ((Some(1.0), None), (None, None), true),
            ((None, None), (Some(9.0), None), false),
            ((Some(2.0), None), (Some(1.0), None), false),
            ((Some(1.0), Some(5)), (Some(2.0), Some(4)), false),
            ((Some(1.0), Some(4)), (Some(2.0), Some(4)), true),
            ((Some(1.0), None), (Some(2.0), Some(4)), false),
        ];
        for ((time, memory), (limit, most), expected) in table {
            let (own, other) = (budget(time, memory), budget(limit, most));
            assert_eq!(own.is_within(&other), expected, "{own:?} within {other:?}");
        }
    }
}
