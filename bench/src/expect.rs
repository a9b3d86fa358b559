//! `expect.toml`: what is known about a case, and the comparison of a result with it.

use chaincover::chain_file::{ChainFile, Expectation, Minimal, Status};
use serde::Deserialize;
use std::path::Path;

/// What is expected of a case. Keys that are absent are not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Where the numbers come from.
    #[serde(default)]
    pub about: Option<String>,
    /// Number of chains.
    #[serde(default)]
    pub chains: Option<usize>,
    /// Total length.
    #[serde(default)]
    pub length: Option<usize>,
    /// Lower bound.
    #[serde(default)]
    pub lower_bound: Option<u64>,
    /// `proven`, `gap` or `unknown`.
    #[serde(default)]
    pub minimal: Option<Minimal>,
    /// Names of all goals that are proven unreachable.
    #[serde(default)]
    pub unreachable: Vec<String>,
    /// Names of all goals whose expectation is violated.
    #[serde(default)]
    pub violated: Vec<String>,
    /// Allowed orders of the goals of a single chain.
    #[serde(default)]
    pub orders: Vec<Vec<String>>,
    /// Why the case cannot be checked in ordinary test runs (it takes too long); such a case
    /// belongs to the benchmarks alone.
    #[serde(default)]
    pub slow: Option<String>,
}

/// Reads the file of a case.
///
/// # Errors
/// A sentence, if it cannot be read or has unknown keys.
pub fn read(folder: &Path) -> Result<Expected, String> {
    let path = folder.join("expect.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Where the result differs from what is expected; empty where it does not.
pub fn differences(expected: &Expected, file: &ChainFile) -> Vec<String> {
    let summary = &file.summary;
    let mut all = Vec::new();
    let mut compare = |what: &str, wanted: Option<String>, found: String| {
        if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
            all.push(format!("{what}: expected {wanted}, found {found}"));
        }
    };
    compare("chains", expected.chains.map(|n| n.to_string()), summary.chains.to_string());
    compare("length", expected.length.map(|n| n.to_string()), summary.length.to_string());
    compare("lower bound", expected.lower_bound.map(|n| n.to_string()), summary.lower_bound.to_string());
    compare("minimal", expected.minimal.map(|m| format!("{m:?}")), format!("{:?}", summary.minimal));
    let named = |wanted: &[String]| Some(sorted(wanted.iter().cloned()));
    let goals = |keep: &dyn Fn(&&chaincover::chain_file::Goal) -> bool| {
        sorted(file.goals.iter().filter(keep).map(|goal| goal.name.clone()))
    };
    compare("unreachable", named(&expected.unreachable), goals(&|goal| goal.status == Status::Unreachable));
    compare("undecided", named(&[]), goals(&|goal| goal.status == Status::Undecided));
    compare("violated", named(&expected.violated), goals(&|goal| goal.expectation == Expectation::Violated));
    if let ([chain], false) = (file.chains.as_slice(), expected.orders.is_empty())
        && !expected.orders.contains(&chain.order)
    {
        all.push(format!("order: {:?} is none of the expected", chain.order));
    }
    all
}

fn sorted(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.join(" ")
}
