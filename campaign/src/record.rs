//! What a job came to, in short: `job.json` beside the result.

use crate::job::Budget;
use chaincover::ChainFile;
use chaincover::chain_file::{Minimal, Status, VerdictName};
use serde::{Deserialize, Serialize};

/// The value of the key `format`.
pub(crate) const FORMAT: &str = "chaincover/result/1";

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All goals are covered, and no requirement is violated.
    Covered,
    /// A requirement is violated.
    Violated,
    /// All goals that are not covered are proven unreachable.
    Unreachable,
    /// Something is undecided within the budget.
    Undecided,
    /// The model cannot be read, or the search failed with a message.
    Failed,
    /// The program died, again and again.
    Crashed,
    /// It has not ended yet.
    Waiting,
}

impl Outcome {
    /// All, in the order of summaries.
    pub const ALL: [Self; 7] = [
        Self::Covered,
        Self::Violated,
        Self::Unreachable,
        Self::Undecided,
        Self::Failed,
        Self::Crashed,
        Self::Waiting,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Violated => "violated",
            Self::Unreachable => "unreachable",
            Self::Undecided => "undecided",
            Self::Failed => "failed",
            Self::Crashed => "crashed",
            Self::Waiting => "waiting",
        }
    }

    /// What an exit code of `chain` says; `None` where there is no result to keep.
    pub(crate) const fn of_exit(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Covered),
            10 => Some(Self::Violated),
            20 => Some(Self::Unreachable),
            5 | 124 => Some(Self::Undecided),
            _ => None,
        }
    }
}

/// A result that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Always [`FORMAT`].
    pub format: String,
    /// The key.
    pub key: String,
    /// How the search ended.
    pub outcome: Outcome,
    /// The exit code of `chain`.
    pub exit: u8,
    /// Whether a greater budget can change nothing.
    pub is_final: bool,
    /// What the search was allowed.
    pub budget: Budget,
    /// What it took, in seconds.
    pub seconds: f64,
    /// Its chains and goals; `None` where the time was up before there were any.
    pub chains: Option<Chains>,
}

/// What was found, from `chain.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chains {
    /// Number of goals.
    pub goals: usize,
    /// Number of goals covered.
    pub covered: usize,
    /// Names of goals that are proven unreachable.
    pub unreachable: Vec<String>,
    /// Names of goals and requirements that are undecided.
    pub undecided: Vec<String>,
    /// Names of requirements that are violated.
    pub violated: Vec<String>,
    /// Number of chains.
    pub chains: usize,
    /// Steps of all chains together.
    pub steps: usize,
    /// Steps that are needed.
    pub lower_bound: u64,
    /// Whether no chains are shorter.
    pub is_minimal: bool,
    /// Greatest memory of the search, in KiB, where the system tells.
    pub peak_kib: Option<u64>,
}

impl Chains {
    /// The essence of a result.
    pub(crate) fn of(file: &ChainFile) -> Self {
        let of_status = |status: Status| {
            let goals = file.goals.iter().filter(move |goal| goal.status == status);
            goals.map(|goal| goal.name.clone())
        };
        let of_verdict = |verdict: VerdictName| {
            let verdicts = file.verdicts.iter().filter(move |entry| entry.verdict == verdict);
            verdicts.map(|entry| entry.name.clone())
        };
        let along = file.goals.iter().filter(|goal| goal.violation.is_some()).map(|goal| goal.name.clone());
        Self {
            goals: file.summary.goals,
            covered: file.summary.covered,
            unreachable: of_status(Status::Unreachable).collect(),
            undecided: each_once(of_status(Status::Undecided).chain(of_verdict(VerdictName::Undecided))),
            violated: each_once(of_verdict(VerdictName::Violated).chain(along)),
            chains: file.summary.chains,
            steps: file.summary.length,
            lower_bound: file.summary.lower_bound,
            is_minimal: file.summary.minimal == Minimal::Proven,
            peak_kib: file.summary.peak_kib,
        }
    }
}

fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut list = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list
}

impl Record {
    /// The record of a search that ended so; `None` where there is nothing to keep.
    pub(crate) fn new(key: &str, exit: u8, cost: (Budget, f64), file: Option<&ChainFile>) -> Option<Self> {
        let outcome = Outcome::of_exit(exit)?;
        let chains = file.map(Chains::of);
        // Without its goals, a search says nothing but that its time was up.
        let is_stopped = exit == 124;
        if chains.is_none() && !is_stopped {
            return None;
        }
        let is_final = !is_stopped
            && chains.as_ref().is_some_and(|found| found.undecided.is_empty() && found.is_minimal);
        let (budget, seconds) = cost;
        let format = FORMAT.to_owned();
        Some(Self { format, key: key.to_owned(), outcome, exit, is_final, budget, seconds, chains })
    }

    /// Whether this is the answer to a job with this budget, too.
    pub(crate) fn answers(&self, budget: &Budget) -> bool {
        self.is_final || budget.is_within(&self.budget)
    }
}
