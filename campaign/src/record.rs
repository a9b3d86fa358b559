//! What a job came to, in short: `job.json` beside the result.

use crate::job::Budget;
use chaincover::chain_file::{Minimal, Status, VerdictName};
use chaincover::{ChainFile, CoverageStatus};
use serde::{Deserialize, Serialize};

/// The value of the key `format`.
pub(crate) const FORMAT: &str = "chaincover/result/1";

/// Name of the file with the result in full.
pub(crate) const CHAIN: &str = "chain.json";

/// Exit code of a search that a limit ended.
const STOPPED: u8 = 124;

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

    /// What an exit code of `chain` says of what was found; `None` where there is no result to
    /// keep.
    pub(crate) fn of_exit(code: u8, found: Option<&Chains>) -> Option<Self> {
        match code {
            0 => Some(Self::Covered),
            10 => Some(Self::Violated),
            20 => Some(Self::Unreachable),
            // All that a limit left open may be whether fewer steps are enough.
            STOPPED => match found.filter(|found| found.is_decided()) {
                Some(found) if found.covered == found.goals => Some(Self::Covered),
                Some(_) => Some(Self::Unreachable),
                None => Some(Self::Undecided),
            },
            5 => Some(Self::Undecided),
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
    /// SHA-256 of the file with the chains; `None` where there is none.
    pub sha256: Option<String>,
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
    /// Names of goals that are undecided.
    pub undecided: Vec<String>,
    /// Names of requirements that are undecided.
    pub open_requirements: Vec<String>,
    /// Number of coverage goals and of pairs of conditions that are undecided.
    pub open_coverage: usize,
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
        let is_open = |status: CoverageStatus| status == CoverageStatus::Undecided;
        let open_coverage = file.coverage.as_ref().map_or(0, |coverage| {
            coverage.goals.iter().filter(|goal| is_open(goal.status)).count()
                + coverage.pairs.iter().filter(|pair| is_open(pair.status)).count()
        });
        let along = file.goals.iter().filter(|goal| goal.violation.is_some()).map(|goal| goal.name.clone());
        Self {
            goals: file.summary.goals,
            covered: file.summary.covered,
            unreachable: of_status(Status::Unreachable).collect(),
            undecided: of_status(Status::Undecided).collect(),
            open_requirements: of_verdict(VerdictName::Undecided).collect(),
            open_coverage,
            violated: each_once(of_verdict(VerdictName::Violated).chain(along)),
            chains: file.summary.chains,
            steps: file.summary.length,
            lower_bound: file.summary.lower_bound,
            is_minimal: file.summary.minimal == Minimal::Proven,
            peak_kib: file.summary.peak_kib,
        }
    }

    /// Whether all goals are decided. As for the exit codes of `chain`, requirements may be open.
    fn is_decided(&self) -> bool {
        self.covered + self.unreachable.len() == self.goals && self.open_coverage == 0
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
    /// The record of a search that ended so, and wrote this text; `None` where there is nothing to
    /// keep.
    pub(crate) fn new(key: &str, exit: u8, cost: (Budget, f64), text: Option<&str>) -> Option<Self> {
        let parsed = text.and_then(|text| Some((text, ChainFile::parse(text).ok()?)));
        let chains = parsed.as_ref().map(|(_, file)| Chains::of(file));
        let sha256 = parsed.map(|(text, _)| chaincover::sha256(text));
        let outcome = Outcome::of_exit(exit, chains.as_ref())?;
        // Without its goals, a search says nothing but that its time was up.
        let is_stopped = exit == STOPPED;
        if chains.is_none() && !is_stopped {
            return None;
        }
        let is_final = !is_stopped
            && chains.as_ref().is_some_and(|found| {
                found.is_decided() && found.open_requirements.is_empty() && found.is_minimal
            });
        let (budget, seconds) = cost;
        let (format, key) = (FORMAT.to_owned(), key.to_owned());
        Some(Self { format, key, outcome, exit, is_final, budget, seconds, chains, sha256 })
    }

    /// Whether a limit ended the search.
    pub(crate) fn is_stopped(&self) -> bool {
        self.exit == STOPPED
    }

    /// Whether this is the answer to a job with this budget, too.
    pub(crate) fn answers(&self, budget: &Budget) -> bool {
        self.is_final || budget.is_within(&self.budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_leaves_only_shorter_chains_open_leaves_goals_covered() {
        let none = Vec::new;
        let name = || vec!["a".to_owned()];
        let found = |covered, unreachable, open_requirements, open_coverage| Chains {
            goals: 2,
            covered,
            unreachable,
            undecided: none(),
            open_requirements,
            open_coverage,
            violated: none(),
            chains: 1,
            steps: 9,
            lower_bound: 4,
            is_minimal: false,
            peak_kib: None,
        };
        let table = [
            (0, found(2, none(), none(), 0), Outcome::Covered),
            (124, found(2, none(), none(), 0), Outcome::Covered),
            (124, found(1, name(), none(), 0), Outcome::Unreachable),
            (124, found(1, none(), none(), 0), Outcome::Undecided),
            (124, found(2, none(), name(), 0), Outcome::Covered),
            (124, found(2, none(), none(), 1), Outcome::Undecided),
            (5, found(1, none(), none(), 0), Outcome::Undecided),
        ];
        for (code, found, expected) in table {
            assert_eq!(Outcome::of_exit(code, Some(&found)), Some(expected), "{code} {found:?}");
        }
        assert_eq!(Outcome::of_exit(124, None), Some(Outcome::Undecided));
        assert_eq!(Outcome::of_exit(2, None), None);
    }
}
