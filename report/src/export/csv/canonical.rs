//! The canonical table: `time` (`step` without a period), inputs, expected outputs, `covers`.
//!
//! One row for each step; with an output latency, further rows at the end that hold the last
//! inputs. Several chains follow one another, told apart by a `chain` column in front, which counts
//! from 1 as file names and messages do.

use super::table;
use crate::export::recording::{DontCare, Recording, Row};
use crate::export::{ExportError, ExportFile};

/// The file.
pub(in crate::export) fn canonical(
    recording: &Recording,
    dont_care: DontCare,
) -> Result<Vec<ExportFile>, ExportError> {
    let several = recording.chains.len() > 1;
    let mut rows = vec![header(recording, several)];
    for (index, chain) in recording.chains.iter().enumerate() {
        for row in recording.rows(chain, false) {
            let mut cells = if several { vec![(index + 1).to_string()] } else { Vec::new() };
            cells.extend(line(recording, &row, dont_care));
            rows.push(cells);
        }
    }
    Ok(vec![ExportFile::text("chain.csv", table(rows)?)])
}

fn header(recording: &Recording, several: bool) -> Vec<String> {
    let time = if recording.period.is_some() { "time" } else { "step" };
    let signals = recording.inputs.iter().chain(&recording.outputs).map(|signal| signal.name.as_str());
    let names = several.then_some("chain").into_iter().chain([time]).chain(signals).chain(["covers"]);
    names.map(str::to_owned).collect()
}

fn line(recording: &Recording, row: &Row<'_>, dont_care: DontCare) -> Vec<String> {
    let mut cells = vec![recording.seconds_text(row.number)];
    let marked = |index: usize| dont_care == DontCare::Mark && row.free[index];
    let input = |(index, value): (usize, &crate::export::recording::Datum)| {
        if marked(index) { String::new() } else { value.text() }
    };
    cells.extend(row.inputs.iter().enumerate().map(input));
    match row.outputs {
        Some(outputs) => cells.extend(outputs.iter().map(|value| value.text())),
        None => cells.extend(recording.outputs.iter().map(|_| String::new())),
    }
    let covers: Vec<String> = row.covers.iter().map(|&goal| listed(&recording.goals[goal].name)).collect();
    cells.push(covers.join(" "));
    cells
}

/// A name in a list that blanks separate: in single quotes where it would not be told apart, with
/// the quotes in it doubled.
fn listed(name: &str) -> String {
    let is_plain =
        !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter == '\'');
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn names_with_blanks_are_told_apart() {
        let table = [
            ("p_1", "p_1"),
            ("m.c:3#2", "m.c:3#2"),
            ("m.c:3 mcdc n < 9 false", "'m.c:3 mcdc n < 9 false'"),
            ("m.c:4 decision c == 'a' true", "'m.c:4 decision c == ''a'' true'"),
            ("it's", "'it''s'"),
            ("", "''"),
        ];
        for (name, expected) in table {
            assert_eq!(listed(name), expected);
        }
        let mut recording = recording();
        recording.goals[0].name = "a b".to_owned();
        assert!(text(&recording, DontCare::Hold).contains("'a b'"));
    }

    fn text(recording: &Recording, dont_care: DontCare) -> String {
        String::from_utf8(canonical(recording, dont_care).unwrap().remove(0).content).unwrap()
    }

    #[test]
    fn one_row_for_each_step() {
        let expected = "time,on,count,mode,level,covers\n\
            0,0,-9,0,0.1,\n\
            0.005,1,-9223372036854775808,1,-0,first\n\
            0.01,1,3,1,1e-45,second\n";
        assert_eq!(text(&recording(), DontCare::Hold), expected);
    }

    #[test]
    fn latency_moves_outputs_and_marks_leave_cells_empty() {
        let late = Recording { latency: 1, period: None, ..recording() };
        let expected = "step,on,count,mode,level,covers\n\
            0,0,-9,,,\n\
            1,1,-9223372036854775808,0,0.1,first\n\
            2,,3,1,-0,second\n\
            3,,3,1,1e-45,\n";
        assert_eq!(text(&late, DontCare::Mark), expected);
    }

    #[test]
    fn several_chains_have_a_column() {
        let mut two = recording();
        two.chains.push(two.chains[0].clone());
        let text = text(&two, DontCare::Hold);
        assert!(
            text.starts_with("chain,time,") && text.contains("\n1,0,0,-9,") && text.contains("\n2,0.01,1,3,"),
            "{text}"
        );
    }
}
