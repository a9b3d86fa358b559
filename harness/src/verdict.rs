//! What a test says in the end.

use serde_json::{Map, Value as Json, json};

/// The verdict of a test or of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// All that was observed is allowed, and the test reached what it was made for.
    Pass,
    /// All that was observed is allowed, but the system's own choices missed what the test was made
    /// for.
    Inconclusive,
    /// The system under test cannot be used: it died, kept silent or answered ill-formed.
    Error,
    /// Something was observed that is not allowed.
    Fail,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Inconclusive, Self::Error, Self::Fail];

    /// The word in texts and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Error => "error",
            Self::Fail => "fail",
        }
    }
    /// The exit code of a command that ends with this verdict.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 10,
            Self::Inconclusive => 12,
            Self::Error => 13,
        }
    }
    /// The verdict of two tests together: the one that says more against the system.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        self.max(other)
    }
}

/// A verdict with what supports it, as scripts read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The step (from 0) at which it was clear, where there is one.
    pub step: Option<u64>,
    /// The rule that gave it, such as `FAIL_out`.
    pub rule: Option<String>,
    /// Why, one sentence.
    pub reason: Option<String>,
    /// Each of these sets of requirements explains a failure; smallest sets only.
    pub explanations: Vec<Vec<String>>,
    /// What was observed in that step.
    pub observed: Option<Json>,
    /// What was allowed in that step.
    pub allowed: Option<Json>,
    /// Further keys of one language.
    pub more: Map<String, Json>,
}

impl Report {
    /// A verdict with nothing beside it.
    pub fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            step: None,
            rule: None,
            reason: None,
            explanations: Vec::new(),
            observed: None,
            allowed: None,
            more: Map::new(),
        }
    }
    /// The report as `run` and `monitor` write it with `--json`.
    pub fn to_json(&self) -> Json {
        let mut json = json!({
            "verdict": self.verdict.name(),
            "step": self.step,
            "rule": self.rule,
            "reason": self.reason,
            "explanations": self.explanations,
            "observed": self.observed,
            "allowed": self.allowed,
        });
        if let Json::Object(fields) = &mut json {
            fields.extend(self.more.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        json
    }
}
