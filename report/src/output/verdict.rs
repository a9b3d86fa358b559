//! Verdicts on requirements in `chain.json`: what holds of all executions, and not only along the
//! chains.

use super::chain_file::{Chain, Minimal, Origin, Violation};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What holds of all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// No execution violates the requirement.
    Proven,
    /// An execution violates it.
    Violated,
    /// No execution reaches its antecedent.
    Vacuous,
    /// None of these.
    Undecided,
}

impl VerdictName {
    /// The name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Violated => "violated",
            Self::Vacuous => "vacuous",
            Self::Undecided => "undecided",
        }
    }
}

/// A requirement and what was found of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequirementVerdict {
    /// Its name: that of the goal which states it, else its place.
    pub name: String,
    /// What states it: `property`, `assertion`, `error` or `hazard`.
    pub kind: String,
    /// Identifier of the user's requirement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// What it means; of an undefined operation what would happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it was written.
    pub origin: Option<Origin>,
    /// Length of its window in steps.
    pub steps: u32,
    /// The verdict.
    pub verdict: VerdictName,
    /// Of a proven or vacuous one the proof, of an undecided one what is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of an undecided one: no execution violates it within this many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// Of a violated one the execution that violates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
    /// Of a proven one an execution that reaches its antecedent, as far as one is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<Applies>,
}

/// Where a requirement applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applies {
    /// Index of the chain that shows it; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<usize>,
    /// First step of a window in which the antecedent holds.
    pub at: usize,
    /// Where no chain shows it the execution that does, as far as it was asked for (`--proofs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<Chain>,
}

/// An execution that violates a requirement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counterexample {
    /// Number of steps.
    pub length: usize,
    /// No execution of fewer steps violates the requirement.
    pub lower_bound: u64,
    /// Whether that is met.
    pub minimal: Minimal,
    /// First step of the window that violates it.
    pub at: usize,
    /// The step that completes the window.
    pub step: usize,
    /// The formula that does not hold, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Where that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What the formula read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<Saw>,
    /// Undefined operations that the execution runs into before that step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined_before: Vec<String>,
    /// Where the chains that cover the goals show a violation, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Violation>,
    /// The file with the execution, beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it was run, as of chains.
    pub replayed: Json,
    /// How the compiled code was made to fit the target, or why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_how: Option<String>,
}

/// A value that a formula read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saw {
    /// What was read, as C writes it.
    pub expression: String,
    /// The value.
    pub value: Json,
    /// The name of the value, where its type has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
}

impl Saw {
    /// `expression = value`.
    pub fn text(&self) -> String {
        let value = match (&self.named, &self.value) {
            (Some(name), _) => name.clone(),
            (None, Json::Object(float)) => match float.get("value") {
                Some(Json::String(text)) => text.clone(),
                Some(number) => number.to_string(),
                None => String::new(),
            },
            (None, Json::String(text)) => text.clone(),
            (None, other) => other.to_string(),
        };
        format!("{} = {value}", self.expression)
    }
}

impl RequirementVerdict {
    /// The verdict in a few words: `PROVEN (k-induction with k = 2)`.
    pub fn words(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        match (self.verdict, &self.counterexample) {
            (VerdictName::Proven, _) => format!("PROVEN ({reason})"),
            (VerdictName::Vacuous, _) => format!("VACUOUS (antecedent proven unreachable: {reason})"),
            (VerdictName::Undecided, _) if reason.is_empty() => {
                format!("UNDECIDED, {}", self.free_steps())
            }
            (VerdictName::Undecided, _) => format!("UNDECIDED, {reason}"),
            (VerdictName::Violated, None) => "VIOLATED".to_owned(),
            (VerdictName::Violated, Some(found)) => format!("VIOLATED, {}", found.words()),
        }
    }

    /// What is wrong where: `step 8: expect Y.motor <= P.limit   saw Y.motor = 13   lift.c:31`.
    pub fn lines(&self) -> Vec<String> {
        let Some(found) = &self.counterexample else { return Vec::new() };
        let expression = found.expression.as_deref().unwrap_or_default();
        let mut line = match (&*self.kind, expression) {
            (_, "") => format!("step {}", found.step),
            ("error", call) => format!("step {} comes to: {call}", found.step),
            ("hazard", place) => {
                let what = self.text.as_deref().unwrap_or("an undefined operation");
                format!("step {}: {what} in: {place}", found.step)
            }
            (_, formula) => format!("step {}: expect {formula}", found.step),
        };
        if !found.saw.is_empty() {
            let saw: Vec<String> = found.saw.iter().map(Saw::text).collect();
            line += &format!("   saw {}", saw.join(", "));
        }
        if let Some(origin) = &found.origin {
            line += &format!("   {}:{}", origin.file, origin.line);
        }
        let before = found.undefined_before.iter().map(|met| format!("but {met}"));
        std::iter::once(line).chain(before).collect()
    }

    fn free_steps(&self) -> String {
        match self.depth.unwrap_or_default() {
            0 => "no violation was found, and none is excluded".to_owned(),
            1 => "no violation in the first step of any execution".to_owned(),
            steps => format!("no violation in the first {steps} steps of any execution"),
        }
    }
}

impl Counterexample {
    /// Length, file and replay.
    fn words(&self) -> String {
        let steps = if self.length == 1 { "step" } else { "steps" };
        let length = match self.minimal {
            Minimal::Proven => format!("shortest: {} {steps}", self.length),
            // Every execution has a step: no bound was sought.
            _ if self.lower_bound <= 1 => format!("shortest known: {} {steps}", self.length),
            _ => format!("shortest known: {} {steps} (at least {})", self.length, self.lower_bound),
        };
        let file = self.file.as_ref().map_or_else(String::new, |file| format!(", {file}"));
        let replayed = match &self.replayed {
            Json::Bool(true) => frontend::replayed_where(self.replayed_how.as_deref()),
            Json::Bool(false) => return format!("{length}{file}, REJECTED in the replay"),
            _ => "by the evaluator",
        };
        format!("{length}{file}, replayed {replayed}")
    }
}
