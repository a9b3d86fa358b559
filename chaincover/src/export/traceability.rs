//! The traceability table: requirement, goal, where it is covered, verdict, where it was written.

use super::recording::{Goal, Recording};
use super::{ExportError, ExportFile, writer_error};
use crate::output::visible::cell;

const HEADER: [&str; 13] = [
    "requirement",
    "goal",
    "text",
    "status",
    "verdict",
    "chain",
    "step",
    "last_step",
    "time",
    "file",
    "line",
    "reason",
    "model",
];

/// The file.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let failed = writer_error("the traceability table");
    let mut writer =
        ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record(HEADER).map_err(|error| failed(&error))?;
    for goal in &recording.goals {
        writer
            .write_record(row(recording, goal).iter().map(|text| cell(text)))
            .map_err(|error| failed(&error))?;
    }
    let content = writer.into_inner().map_err(|error| failed(&error.error()))?;
    Ok(vec![ExportFile { name: "traceability.csv".to_owned(), content }])
}

fn row(recording: &Recording, goal: &Goal) -> [String; 13] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let at = |value: &dyn Fn(usize, usize) -> String| {
        goal.at.map_or_else(String::new, |(chain, step)| value(chain, step))
    };
    let (file, line) =
        goal.origin.clone().map_or_else(Default::default, |(file, line)| (file, line.to_string()));
    let last = goal.completed().map_or_else(String::new, |(_, step)| step.to_string());
    [
        text(&goal.requirement),
        goal.name.clone(),
        text(&goal.text),
        goal.status.name().to_owned(),
        goal.expectation.name().to_owned(),
        at(&|chain, _| (chain + 1).to_string()),
        at(&|_, step| step.to_string()),
        last,
        at(&|_, step| if recording.period.is_some() { recording.seconds_text(step) } else { String::new() }),
        file,
        line,
        text(&goal.reason),
        recording.model.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn one_row_for_each_goal() {
        let text = String::from_utf8(files(&recording()).unwrap().remove(0).content).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[2],
            "REQ-second,second,\"says \"\"<this>\"\" & that\",covered,violated,1,2,2,0.01,model.c,7,,plant"
        );
        assert_eq!(
            lines[3],
            "REQ-third,third,\"says \"\"<this>\"\" & that\",unreachable,none,,,,,model.c,7,a proof,plant"
        );
    }
}
