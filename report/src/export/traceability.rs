//! The traceability table: requirement, goal, where it is covered, verdict, where it was written.

use super::recording::{Goal, Recording};
use super::{ExportError, ExportFile, writer_error};
use crate::output::chain_file::RequirementVerdict;
use crate::output::visible::cell;

/// A row: a goal, or a requirement that is none.
#[derive(Default)]
struct Row {
    requirement: String,
    goal: String,
    text: String,
    status: String,
    verdict: String,
    expectation: String,
    chain: String,
    step: String,
    last_step: String,
    time: String,
    file: String,
    line: String,
    reason: String,
}

impl Row {
    /// The columns, with their titles.
    fn columns(self, model: &str) -> [(&'static str, String); 14] {
        [
            ("requirement", self.requirement),
            ("goal", self.goal),
            ("text", self.text),
            ("status", self.status),
            ("verdict", self.verdict),
            ("expectation", self.expectation),
            ("chain", self.chain),
            ("step", self.step),
            ("last_step", self.last_step),
            ("time", self.time),
            ("file", self.file),
            ("line", self.line),
            ("reason", self.reason),
            ("model", model.to_owned()),
        ]
    }
}

/// The file.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let failed = writer_error("the traceability table");
    let mut writer =
        ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let titles = Row::default().columns("").map(|(title, _)| title);
    writer.write_record(titles).map_err(|error| failed(&error))?;
    let goals = recording.goals.iter().map(|goal| goal_row(recording, goal));
    for row in goals.chain(recording.further_verdicts().map(requirement_row)) {
        let cells = row.columns(&recording.model);
        writer.write_record(cells.iter().map(|(_, text)| cell(text))).map_err(|error| failed(&error))?;
    }
    let content = writer.into_inner().map_err(|error| failed(&error.error()))?;
    Ok(vec![ExportFile { name: "traceability.csv".to_owned(), content }])
}

/// A requirement that is no goal: an assertion in the code, an undefined operation.
fn requirement_row(verdict: &RequirementVerdict) -> Row {
    let (file, line) = verdict
        .origin
        .as_ref()
        .map_or_else(Default::default, |origin| (origin.file.clone(), origin.line.to_string()));
    Row {
        requirement: verdict.requirement.clone().unwrap_or_default(),
        goal: verdict.name.clone(),
        text: verdict.text.clone().unwrap_or_default(),
        verdict: verdict.verdict.name().to_owned(),
        file,
        line,
        reason: verdict.reason.clone().unwrap_or_default(),
        ..Row::default()
    }
}

fn goal_row(recording: &Recording, goal: &Goal) -> Row {
    let at = |value: &dyn Fn(usize, usize) -> String| {
        goal.at.map_or_else(String::new, |(chain, step)| value(chain, step))
    };
    let (file, line) =
        goal.origin.clone().map_or_else(Default::default, |(file, line)| (file, line.to_string()));
    let verdict = recording.verdict(goal);
    let reason = goal.reason.clone().or_else(|| verdict?.reason.clone());
    let time = |step| if recording.period.is_some() { recording.seconds_text(step) } else { String::new() };
    Row {
        requirement: goal.requirement.clone().unwrap_or_default(),
        goal: goal.name.clone(),
        text: goal.text.clone().unwrap_or_default(),
        status: goal.status.name().to_owned(),
        verdict: verdict.map_or("", |verdict| verdict.verdict.name()).to_owned(),
        expectation: goal.expectation.name().to_owned(),
        chain: at(&|chain, _| (chain + 1).to_string()),
        step: at(&|_, step| step.to_string()),
        last_step: goal.completed().map_or_else(String::new, |(_, step)| step.to_string()),
        time: at(&|_, step| time(step)),
        file,
        line,
        reason: reason.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn one_row_for_each_goal() {
        let text = String::from_utf8(files(&recording()).unwrap().remove(0).content).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 8);
        assert!(lines[0].starts_with("requirement,goal,text,status,verdict,expectation,chain"), "{text}");
        assert_eq!(
            lines[1],
            "REQ-first,first,\"says \"\"<this>\"\" & that\",covered,violated,held,1,1,1,0.005,model.c,7,,plant"
        );
        assert_eq!(
            lines[2],
            "REQ-second,second,\"says \"\"<this>\"\" & that\",covered,,violated,1,2,2,0.01,model.c,7,,plant"
        );
        assert_eq!(
            lines[3],
            "REQ-third,third,\"says \"\"<this>\"\" & that\",unreachable,,none,,,,,model.c,7,a proof,plant"
        );
        assert_eq!(lines[5], ",model.c:9,,,proven,,,,,,model.c,9,a proof,plant");
    }
}
