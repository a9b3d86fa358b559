//! SARIF 2.1.0 for code scanning in GitHub and editors: violated expectations, goals proven
//! unreachable, goals not decided; for `check`, diagnostics of the front end.

use super::recording::{Goal, Recording, Status, Verdict};
use super::{ExportError, ExportFile};
use crate::output::chain_file::{RequirementVerdict, VerdictName};
use crate::output::visible;
use frontend::diagnostics::visible_lines;
use serde_json::{Value as Json, json};

/// A finding with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable short code.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// One sentence.
    pub message: String,
    /// Where, if anywhere.
    pub place: Option<Place>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Path, as the user gave it.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1, where it is known.
    pub column: Option<u32>,
}

/// The file.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let goals = recording.goals.iter().filter_map(|goal| finding(recording, goal));
    let verdicts = recording.verdicts.iter().filter(|verdict| !is_told(recording, verdict));
    let findings: Vec<Finding> = goals.chain(verdicts.filter_map(of_verdict)).collect();
    Ok(vec![ExportFile::text("chaincover.sarif", log(&findings))])
}

/// The log as JSON text.
pub fn log(findings: &[Finding]) -> String {
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "columnKind": "unicodeCodePoints",
            "tool": { "driver": { "name": "chaincover", "version": env!("CARGO_PKG_VERSION"),
                                  "rules": rules.iter().map(|rule| json!({ "id": rule })).collect::<Vec<_>>() } },
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    visible::json(&format!("{log:#}\n"))
}

fn result(finding: &Finding) -> Json {
    let mut result = json!({ "ruleId": finding.rule, "level": finding.level, "message": { "text": visible_lines(&finding.message) } });
    if let Some(place) = &finding.place {
        let mut region = json!({ "startLine": place.line.max(1) });
        if let Some(column) = place.column {
            region["startColumn"] = column.into();
        }
        result["locations"] = json!([{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&place.file) }, "region": region } }]);
    }
    result
}

/// A path as relative or file reference: what a reference may not hold is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Whether what became of the goal along the chains says it already.
fn is_told(recording: &Recording, verdict: &RequirementVerdict) -> bool {
    let goal = recording.goals.iter().find(|goal| goal.name == verdict.name);
    goal.is_some_and(|goal| match verdict.verdict {
        VerdictName::Violated => goal.expectation == Verdict::Violated,
        VerdictName::Vacuous => goal.status == Status::Unreachable,
        VerdictName::Proven | VerdictName::Undecided => false,
    })
}

/// What holds of all executions; of what is proven there is nothing to tell.
fn of_verdict(verdict: &RequirementVerdict) -> Option<Finding> {
    let (rule, level) = match verdict.verdict {
        VerdictName::Proven => return None,
        VerdictName::Violated => ("violated-requirement", "error"),
        VerdictName::Vacuous => ("vacuous-requirement", "warning"),
        VerdictName::Undecided => ("undecided-requirement", "note"),
    };
    let name = match (&verdict.requirement, &verdict.text) {
        (Some(requirement), _) => format!("`{}` ({requirement})", verdict.name),
        (None, Some(text)) => format!("`{}` ({text})", verdict.name),
        (None, None) => format!("`{}`", verdict.name),
    };
    let details: String = verdict.lines().iter().map(|line| format!("; {line}")).collect();
    let message = format!("{name}: {}{details}", verdict.words());
    let claimed = verdict.counterexample.as_ref().and_then(|found| found.origin.as_ref());
    let place = claimed.or(verdict.origin.as_ref());
    let place = place.map(|origin| Place { file: origin.file.clone(), line: origin.line, column: None });
    Some(Finding { rule: rule.to_owned(), level, message, place })
}

fn finding(recording: &Recording, goal: &Goal) -> Option<Finding> {
    let reason = goal.reason.as_deref().unwrap_or("no reason given");
    let name = goal
        .requirement
        .as_ref()
        .map_or_else(|| format!("`{}`", goal.name), |requirement| format!("`{}` ({requirement})", goal.name));
    let (rule, level, message) = match (goal.status, goal.expectation) {
        (_, Verdict::Violated) => {
            let (chain, step) = goal.violation.or(goal.at).map_or((0, 0), |(chain, step)| (chain + 1, step));
            let time = recording
                .period
                .map_or_else(String::new, |_| format!(", t = {} s", recording.seconds_text(step)));
            let message =
                format!("the expectation of {name} is violated along chain {chain} at step {step}{time}");
            ("violated-expectation", "error", message)
        }
        (Status::Unreachable, _) => ("dead-goal", "warning", format!("{name} cannot be covered: {reason}")),
        (Status::Undecided, _) => ("undecided-goal", "note", format!("{name} is undecided: {reason}")),
        (Status::Covered, _) => return None,
    };
    let place = goal.origin.clone().map(|(file, line)| Place { file, line, column: None });
    Some(Finding { rule: rule.to_owned(), level, message, place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn findings_have_level_and_place() {
        let text = String::from_utf8(files(&recording()).unwrap().remove(0).content).unwrap();
        let log: Json = serde_json::from_str(&text).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let levels: Vec<&str> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["error", "warning", "note", "error", "warning", "note"]);
        assert_eq!(results[3]["ruleId"], "violated-requirement");
        assert_eq!(results[4]["locations"][0]["physicalLocation"]["region"]["startLine"], 9);
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
        assert_eq!(uri("/a b/ü.c"), "file:///a%20b/%C3%BC.c");
    }
}
