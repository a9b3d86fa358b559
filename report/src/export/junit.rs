//! JUnit XML for Jenkins, GitLab, GitHub: one suite for each chain, one case for each property.
//!
//! A violated requirement is a failure, whether the chain shows the violation or not; a goal proven
//! unreachable and an undecided one are skipped, with the reason. Goals that no chain covers stand
//! in a suite of their own, and so do requirements that are no goals.

use super::recording::{Goal, Recording, Status, Verdict};
use super::{ExportError, ExportFile, writer_error};
use crate::output::chain_file::{RequirementVerdict, VerdictName};
use frontend::diagnostics::{visible, visible_lines};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The file.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let mut report = Report::new(visible(&recording.model));
    for (number, chain) in recording.chains.iter().enumerate() {
        let mut suite = TestSuite::new(visible(&format!("{} chain {}", recording.model, number + 1)));
        suite.add_property(Property::new("length", chain.length().to_string()));
        suite.add_property(Property::new("replayed", chain.replayed.to_string()));
        let covered = recording.goals.iter().filter(|goal| goal.at.is_some_and(|(chain, _)| chain == number));
        suite.add_test_cases(covered.map(|goal| case(recording, goal)));
        report.add_test_suite(suite);
    }
    let mut uncovered = recording.goals.iter().filter(|goal| goal.at.is_none()).peekable();
    if uncovered.peek().is_some() {
        let mut suite = TestSuite::new(visible(&format!("{} not covered", recording.model)));
        suite.add_test_cases(uncovered.map(|goal| case(recording, goal)));
        report.add_test_suite(suite);
    }
    let mut further = recording.further_verdicts().peekable();
    if further.peek().is_some() {
        let mut suite = TestSuite::new(visible(&format!("{} requirements", recording.model)));
        suite.add_test_cases(further.map(|verdict| requirement_case(recording, verdict)));
        report.add_test_suite(suite);
    }
    let text = report.to_string().map_err(|error| writer_error("JUnit XML")(&error))?;
    Ok(vec![ExportFile::text("junit.xml", text)])
}

fn case(recording: &Recording, goal: &Goal) -> TestCase {
    let mut case = TestCase::new(visible(&goal.name), status(recording, goal));
    case.set_classname(visible(&recording.model));
    let mut property = |name: &str, value: String| {
        case.add_property(Property::new(name, visible(&value)));
    };
    if let Some(requirement) = &goal.requirement {
        property("requirement", requirement.clone());
    }
    if let Some((file, line)) = &goal.origin {
        property("origin", format!("{file}:{line}"));
    }
    property("status", goal.status.name().to_owned());
    property("expectation", goal.expectation.name().to_owned());
    if let Some(verdict) = recording.verdict(goal) {
        property("verdict", verdict.verdict.name().to_owned());
    }
    if let (Some((_, first)), Some((_, last))) = (goal.at, goal.completed()) {
        property("step", first.to_string());
        property("completed", last.to_string());
        if recording.period.is_some() {
            property("time", recording.seconds_text(first));
        }
        let steps = u32::try_from(goal.steps).unwrap_or(u32::MAX);
        case.set_time(recording.period.unwrap_or(Duration::ZERO).saturating_mul(steps));
    }
    case
}

fn status(recording: &Recording, goal: &Goal) -> TestCaseStatus {
    let text = visible_lines(goal.text.as_deref().unwrap_or_default());
    let reason = visible(goal.reason.as_deref().unwrap_or("no reason given"));
    let verdict = recording.verdict(goal);
    match (goal.status, goal.expectation) {
        _ if verdict.is_some_and(|verdict| verdict.verdict == VerdictName::Violated) => {
            verdict.map_or_else(TestCaseStatus::success, requirement_status)
        }
        (Status::Covered, Verdict::Violated) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let at = goal.violation.or(goal.at).map_or(0, |(_, step)| step);
            status.set_message(format!(
                "the expectation of {} is violated along the chain",
                visible(&goal.name)
            ));
            status.set_type("violated");
            status.set_description(format!(
                "violated by the occurrence at t = {} s, step {at}. {text}",
                recording.seconds_text(at)
            ));
            status
        }
        (Status::Covered, _) => TestCaseStatus::success(),
        (status, _) => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(format!("{}: {reason}", status.name()));
            skipped.set_type(status.name());
            skipped
        }
    }
}

fn requirement_case(recording: &Recording, verdict: &RequirementVerdict) -> TestCase {
    let mut case = TestCase::new(visible(&verdict.name), requirement_status(verdict));
    case.set_classname(visible(&recording.model));
    if let Some(origin) = &verdict.origin {
        case.add_property(Property::new("origin", visible(&format!("{}:{}", origin.file, origin.line))));
    }
    case.add_property(Property::new("kind", visible(&verdict.kind)));
    case.add_property(Property::new("verdict", verdict.verdict.name().to_owned()));
    case
}

/// What holds of all executions: a violated requirement fails, one that was not decided or never
/// applies is skipped.
fn requirement_status(verdict: &RequirementVerdict) -> TestCaseStatus {
    let words = visible(&verdict.words());
    match verdict.verdict {
        VerdictName::Proven => TestCaseStatus::success(),
        VerdictName::Violated => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("{}: {words}", visible(&verdict.name)));
            status.set_type("violated");
            status.set_description(visible_lines(&verdict.lines().join("\n")));
            status
        }
        VerdictName::Vacuous | VerdictName::Undecided => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(words);
            skipped.set_type(verdict.verdict.name());
            skipped
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn failures_and_skips_say_why() {
        let text = String::from_utf8(files(&recording()).unwrap().remove(0).content).unwrap();
        assert!(text.contains(r#"tests="7""#) && text.contains(r#"failures="2""#), "{text}");
        assert!(text.contains("first: VIOLATED, shortest: 3 steps, violation_first.json"), "{text}");
        assert!(text.contains("step 2: expect x &lt; 3 &amp;&amp; y   saw x = 3"), "{text}");
        assert!(text.contains("VACUOUS") && text.contains("UNDECIDED, a proof"), "{text}");
        assert!(text.contains("the expectation of second is violated"), "{text}");
        assert!(text.contains("unreachable: a proof") && text.contains("undecided: a proof"), "{text}");
        assert!(!text.contains("<this>"), "text is escaped: {text}");
    }
}
