//! The section `[coverage]` of `chaincover.toml`.

use frontend::coverage::{CoverageRequest, Criterion, Tolerance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the file with justifications, beside the configuration or the first source.
pub const JUSTIFICATIONS: &str = "coverage.toml";

/// Where justifications of a model would stand; `None`: the model has no file.
pub fn justification_place(configuration: Option<&Path>, sources: &[PathBuf]) -> Option<PathBuf> {
    let beside = configuration.or(sources.first().map(PathBuf::as_path))?;
    Some(beside.with_file_name(JUSTIFICATIONS))
}

/// `[coverage]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageSection {
    /// Criteria: `statement`, `decision`, `condition`, `mcdc`, `mcdc-pairs`, `relational`,
    /// `boundary`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// `branch`: only decisions that control a branch; `all` (default): wherever they stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<String>,
    /// Files and functions that count; none: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Files and functions that do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Distance within which floats are neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute_tolerance: Option<f64>,
    /// Distance within which floats are neighbours, as a part of the greater operand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_tolerance: Option<f64>,
    /// How many floats further neighbours lie at most; in place of both distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ulp: Option<u32>,
    /// Whether goals of requirements are searched for, too (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<bool>,
    /// Whether what initialisation reaches counts, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<bool>,
    /// Whether code that is called from several places has goals for each way there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_call: Option<bool>,
    /// Within how many further steps values have to be seen at outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<u32>,
}

impl CoverageSection {
    /// What it asks for.
    ///
    /// # Errors
    /// The key with a value without sense, and what is wrong with it.
    pub fn request(&self) -> Result<CoverageRequest, (&'static str, String)> {
        let criterion = |name: &String| parse_criterion(name).map_err(|why| ("goals", why));
        let standard = Tolerance::default();
        let tolerance = Tolerance {
            absolute: self.absolute_tolerance.unwrap_or(standard.absolute),
            relative: self.relative_tolerance.unwrap_or(standard.relative),
            ulps: self.ulp,
        };
        if self.ulp.is_some() && (self.absolute_tolerance.is_some() || self.relative_tolerance.is_some()) {
            let why =
                "stands in place of `absolute_tolerance` and `relative_tolerance`: give one or the other";
            return Err(("ulp", why.to_owned()));
        }
        if self.ulp == Some(0) {
            return Err(("ulp", "must be at least 1".to_owned()));
        }
        for (key, number) in
            [("absolute_tolerance", tolerance.absolute), ("relative_tolerance", tolerance.relative)]
        {
            if !(number >= 0.0 && number.is_finite()) {
                return Err((key, "must be a number that is not negative".to_owned()));
            }
        }
        if self.observe.is_some_and(|depth| depth > MOST_OBSERVED) {
            return Err(("observe", format!("must be a number of steps up to {MOST_OBSERVED}")));
        }
        Ok(CoverageRequest {
            criteria: self.goals.iter().map(criterion).collect::<Result<_, _>>()?,
            branches_only: match self.decisions.as_deref() {
                None | Some(ALL) => false,
                Some(BRANCH) => true,
                Some(other) => {
                    return Err(("decisions", format!("`{other}` is unknown; write `all` or `branch`")));
                }
            },
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            tolerance,
            alone: self.requirements == Some(false),
            init: self.init == Some(true),
            per_call: self.per_call == Some(true),
            observe: self.observe,
        })
    }

    /// The section that asks for the same; `None` where that is nothing.
    pub fn of(request: &CoverageRequest) -> Option<Self> {
        let standard = CoverageRequest::default();
        let tolerance = |number: f64, standard: f64| (number != standard).then_some(number);
        (*request != standard).then(|| Self {
            goals: request.criteria.iter().map(|criterion| criterion.name().to_owned()).collect(),
            decisions: request.branches_only.then(|| BRANCH.to_owned()),
            include: request.include.clone(),
            exclude: request.exclude.clone(),
            absolute_tolerance: tolerance(request.tolerance.absolute, standard.tolerance.absolute),
            relative_tolerance: tolerance(request.tolerance.relative, standard.tolerance.relative),
            ulp: request.tolerance.ulps,
            requirements: request.alone.then_some(false),
            init: request.init.then_some(true),
            per_call: request.per_call.then_some(true),
            observe: request.observe,
        })
    }
}

/// Steps behind that of a value in which it may be seen, at most: each of them makes the goals'
/// terms longer.
pub const MOST_OBSERVED: u32 = 100;

/// All decisions count.
const ALL: &str = "all";

/// Only decisions that control a branch count.
const BRANCH: &str = "branch";

/// The criterion of a name.
///
/// # Errors
/// A sentence that names the known ones.
pub fn parse_criterion(name: &str) -> Result<Criterion, String> {
    Criterion::named(name).ok_or_else(|| {
        let names: Vec<&str> = Criterion::ALL.into_iter().map(Criterion::name).collect();
        format!("`{name}` is no criterion of coverage; known are {}", names.join(", "))
    })
}

/// A person's word that a goal may stay uncovered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Justification {
    /// Identity of the goal.
    pub goal: String,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub author: String,
    /// When, as a date.
    pub date: String,
}

/// A file of justifications.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JustificationFile {
    #[serde(default)]
    justified: Vec<Justification>,
}

/// The justifications of a file `coverage.toml`: its entries `[[justified]]`.
///
/// # Errors
/// A sentence on what is wrong.
pub fn parse_justifications(text: &str) -> Result<Vec<Justification>, String> {
    let JustificationFile { justified } = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut seen = BTreeSet::new();
    for entry in &justified {
        let parts = [("reason", &entry.reason), ("author", &entry.author), ("date", &entry.date)];
        if let Some((name, _)) = parts.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(format!("the justification of `{}` has an empty `{name}`", entry.goal));
        }
        if !seen.insert(&entry.goal) {
            return Err(format!("`{}` is justified twice", entry.goal));
        }
    }
    Ok(justified)
}

#[cfg(test)]
mod tests {
    use super::parse_justifications;

    #[test]
    fn justifications_need_a_reason_an_author_and_a_date() {
        let entry = |goal: &str, reason: &str| {
            format!(
                "[[justified]]\ngoal = '{goal}'\nreason = '{reason}'\nauthor = 'N. N.'\ndate = '2026-01-31'\n"
            )
        };
        assert_eq!(parse_justifications(&entry("a", "b")).map(|found| found.len()), Ok(1));
        for (text, expected) in [
            (entry("a", " "), "the justification of `a` has an empty `reason`"),
            (entry("a", "b") + &entry("a", "c"), "`a` is justified twice"),
            ("[[justified]]\ngoal = 'a'\nreason = 'b'\nauthor = 'c'\n".to_owned(), "missing field `date`"),
            ("[[justify]]\n".to_owned(), "unknown field `justify`"),
        ] {
            let message = parse_justifications(&text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
