//! Rivals outside: tools on the PATH that search for the same chains, on a harness generated from
//! the same model.
//!
//! | tool | what is asked |
//! |---|---|
//! | `cbmc-cover` | a test suite: covers "goal seen, in Final" with a growing number of unwindings, minimised greedily |
//! | `cbmc-latched` | the shortest chain: an assertion that not all goals are seen in Final, `--incremental-loop` |
//! | `libfuzzer` | some chain: bytes as inputs, goals latched, stops at the first chain |
//! | `afl` | the same with AFL++ |
//!
//! What a tool answers is a list of inputs. It is run by the evaluator, cut after its last goal,
//! and replayed on the compiled code like every chain of ours. A tool that is not there makes a row
//! that says so.

mod cbmc;
mod fuzz;
mod harness;
mod process;
mod program;
pub mod speed;

use super::corpus::Case;
use super::row::{Mean, Row, Settings};
use super::subject::{self, Subject};
use chaincover::chain_file::Minimal;
use chaincover::{Limit, NativeCheck, check_trace};
use model::trace::{Start, Trace, replay};
use model::value::Value;
use process::Watched;
use std::io;
use std::path::{Path, PathBuf};

/// A tool; see the module text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// CBMC, one cover for each goal.
    CbmcCover,
    /// CBMC, one query for the whole chain.
    CbmcLatched,
    /// LLVM's libFuzzer.
    LibFuzzer,
    /// AFL++.
    Afl,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 4] = [Self::CbmcCover, Self::CbmcLatched, Self::LibFuzzer, Self::Afl];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CbmcCover => "cbmc-cover",
            Self::CbmcLatched => "cbmc-latched",
            Self::LibFuzzer => "libfuzzer",
            Self::Afl => "afl",
        }
    }

    /// The tool of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The programs it needs.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::CbmcCover | Self::CbmcLatched => &["cbmc"],
            Self::LibFuzzer => &["clang"],
            Self::Afl => &["afl-clang-fast", "afl-fuzz"],
        }
    }

    /// The first program that it needs and that is not on the PATH.
    pub fn missing(self) -> Option<&'static str> {
        self.programs().iter().copied().find(|program| find_program(program).is_none())
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What a tool came to.
struct Answer {
    /// Test cases or a chain: runs from Init.
    traces: Vec<Trace>,
    /// Time and memory of its calls.
    watched: Watched,
    /// The tool itself says that the chain is the shortest one.
    shortest: bool,
    /// Why there is no (complete) answer.
    trouble: Option<String>,
}

/// Runs a tool on a case.
///
/// # Errors
/// If temporary files cannot be written. Whatever goes wrong with model or tool is in the row.
pub fn measure(case: &Case, tool: Tool, settings: &Settings) -> io::Result<Row> {
    let failed = |why: String| Row::without_result(&case.name, tool.name(), why);
    if let Some(program) = tool.missing() {
        return Ok(failed(format!("absent: `{program}` is not on the PATH")));
    }
    let subject = match subject::load(&case.folder) {
        Ok(subject) => subject,
        Err(why) => return Ok(failed(why)),
    };
    let folder = tempfile::Builder::new().prefix("chaincover-tool-").tempdir()?;
    let answer = match tool {
        Tool::CbmcCover => cbmc::cover(&subject.reduced, folder.path(), settings.timeout),
        Tool::CbmcLatched => cbmc::latched(&subject.reduced, folder.path(), settings.timeout),
        Tool::LibFuzzer => fuzz::libfuzzer(&subject.reduced, folder.path(), settings.timeout),
        Tool::Afl => fuzz::afl(&subject.reduced, folder.path(), settings.timeout),
    }?;
    Ok(row(case, tool, &subject, answer))
}

fn row(case: &Case, tool: Tool, subject: &Subject, answer: Answer) -> Row {
    let mut row = Row {
        case: case.name.clone(),
        strategy: tool.name().to_owned(),
        goals: subject.model.system.goals.len(),
        search_seconds: answer.watched.seconds,
        seconds: answer.watched.seconds,
        peak_kib: answer.watched.peak_kib,
        replayed: true,
        error: answer.trouble,
        ..Row::default()
    };
    let mut covered = vec![false; row.goals];
    for trace in &answer.traces {
        let trace = subject.map.raise(&subject.model.system, trace);
        let Ok(run) = replay(&subject.model.system, &trace) else {
            row.error = Some("the evaluator refuses what the tool found".to_owned());
            continue;
        };
        for (goal, occurrences) in run.occurrences.values().enumerate() {
            covered[goal] |= !occurrences.is_empty();
        }
        row.tcs = Mean(row.tcs.0 + 1.0);
        row.len = Mean(row.len.0 + trace.inputs.len() as f64);
        let check = check_trace(&subject.model, (&trace, &run), &Limit::default());
        row.replayed &= !matches!(check, NativeCheck::Disagrees { .. });
    }
    row.covered = covered.iter().filter(|&&covered| covered).count();
    if row.covered > 0 {
        // A part of an answer is shown as such, by the number of goals.
        row.error = None;
        let shortest = answer.shortest && row.covered == row.goals;
        row.minimal = Some(if shortest { Minimal::Proven } else { Minimal::Unknown });
        row.lower_bound = if shortest { row.len.0 as u64 } else { 0 };
    }
    row
}

/// The longest prefix of a run that the evaluator accepts, cut after the first step that leaves
/// nothing to be gained and ends in Final.
fn cut(subject: &model::validate::Validated, mut trace: Trace) -> Option<Trace> {
    let run = loop {
        match replay(subject, &trace) {
            Ok(run) => break run,
            Err(model::trace::TraceError::Assumption { step, .. }) => trace.inputs.truncate(step),
            Err(_) => return None,
        }
    };
    let ends = |length: usize| {
        let shorter = Trace { start: trace.start.clone(), inputs: trace.inputs[..length].to_vec() };
        replay(subject, &shorter).ok().filter(|run| run.may_end).map(|_| shorter)
    };
    let gain = |goal: model::system::GoalId| {
        run.occurrences[goal].first().map(|first| first.step + subject.goals[goal].steps as usize)
    };
    let mut gains: Vec<usize> = subject.goals.ids().filter_map(gain).collect();
    gains.sort_unstable();
    // Without Final behind the last goal, the goals before it still count.
    while let Some(needed) = gains.pop() {
        if let Some(found) = (needed..=trace.inputs.len()).find_map(ends) {
            return Some(found);
        }
    }
    None
}

/// A run from bit patterns: initial inputs, then the inputs of each step, in order of their ids.
fn trace(system: &model::validate::Validated, initial: &[u128], steps: &[Vec<u128>]) -> Trace {
    let sort = |input: &model::system::Input| system.terms.symbol(input.symbol).sort;
    let values = |inputs: Vec<&model::system::Input>, bits: &[u128]| -> Vec<Value> {
        let bits = bits.iter().copied().chain(std::iter::repeat(0));
        inputs.into_iter().zip(bits).map(|(input, bits)| Value::new(sort(input), bits)).collect()
    };
    Trace {
        start: Start::Initial(values(system.initial_inputs.values().collect(), initial)),
        inputs: steps.iter().map(|bits| values(system.inputs.values().collect(), bits)).collect(),
    }
}

fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    std::fs::write(folder.join(name), text)
}

#[cfg(test)]
mod tests;
