//! A chain as a table: a row for each step, or for each stretch in which no input changes.
//!
//! Generated code easily has more signals than a screen has columns. What never changes along the
//! chain is then said in one line below the table, and state words that still do not fit are left
//! to the JSON. Inputs that change are always shown.

use super::chain_file::{Chain, ChainFile, Signal, Step, Values};
use super::holds::{period, seconds, time_text};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value as Json;
use std::time::Duration;

/// Rows that are shown at most; longer tables are cut in the middle.
const ROWS: usize = 200;
/// Chains of more steps are shown by how long inputs are held.
const SINGLE_STEPS: usize = 40;
/// Columns for state words at most.
const STATES: usize = 12;
/// Characters that the names in the last column may take of the width; they stand at the end and
/// may run over it.
const COVERS: usize = 24;

/// The table, `width` characters wide if that is possible without leaving out inputs that change.
pub(super) fn text(file: &ChainFile, chain: &Chain, width: usize) -> String {
    let rows = Rows::of(file, chain);
    let mut columns = columns(file, chain, &rows);
    let left_out = fit(&mut columns, width.saturating_sub(rows.width()));
    lines(&rendered(&rows, &columns)) + &remark_on_end(chain) + &remarks(&left_out)
}

/// What signals are to the step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Input,
    State,
    Output,
}

/// A signal, as text in each row that is shown and, for state, at the end.
struct Column<'a> {
    kind: Kind,
    signal: &'a Signal,
    cells: Vec<String>,
    end: Option<String>,
    changes: bool,
}

impl Column<'_> {
    /// Characters with the space around them.
    fn width(&self) -> usize {
        let cells = self.cells.iter().chain(&self.end).map(|cell| cell.chars().count());
        cells.chain([self.signal.name.chars().count()]).max().unwrap_or_default() + 2
    }
}

/// A row of the table: its steps, the last one included.
struct Row {
    first: usize,
    last: usize,
}

/// What stands in the columns beside the signals.
struct Rows<'a> {
    shown: Vec<Row>,
    /// Before this one some are left out.
    cut: Option<usize>,
    /// Whether rows are stretches of held inputs.
    held: bool,
    period: Option<Duration>,
    steps: &'a [Step],
}

impl<'a> Rows<'a> {
    fn of(file: &ChainFile, chain: &'a Chain) -> Self {
        let mut shown = all_rows(chain);
        let held = shown.len() < chain.steps.len();
        let cut = (shown.len() > ROWS).then_some(ROWS / 2);
        if cut.is_some() {
            shown.drain(ROWS / 2..shown.len() - ROWS / 2);
        }
        Self { shown, cut, held, period: period(file).filter(|_| held), steps: &chain.steps }
    }

    /// The columns before the inputs.
    fn header(&self) -> Vec<String> {
        let names = [("  step", true), ("hold", self.held), ("for", self.period.is_some())];
        names.iter().filter(|(_, shown)| *shown).map(|(name, _)| (*name).to_owned()).collect()
    }

    fn place(&self, row: &Row) -> Vec<String> {
        let steps = row.last + 1 - row.first;
        let mut cells = vec![format!("  {}", row.first)];
        cells.extend(self.held.then(|| steps.to_string()));
        cells.extend(self.period.map(|period| time_text(seconds(steps, period))));
        cells
    }

    fn covers(&self, row: &Row) -> String {
        self.steps[row.last].covers.join(" ")
    }

    /// Characters that are taken by what is no signal: place, bars and goals.
    fn width(&self) -> usize {
        let count = |text: &String| text.chars().count();
        let covers = self.shown.iter().map(|row| count(&self.covers(row))).max().unwrap_or_default();
        let mut place: Vec<usize> = self.header().iter().map(count).collect();
        for row in &self.shown {
            self.place(row).iter().zip(&mut place).for_each(|(cell, width)| *width = count(cell).max(*width));
        }
        let bars = 2 * 3;
        place.iter().map(|width| width + 2).sum::<usize>() + bars + covers.min(COVERS) + 2
    }
}

/// Single steps of short chains, else stretches of held inputs.
fn all_rows(chain: &Chain) -> Vec<Row> {
    if chain.length <= SINGLE_STEPS || chain.holds.is_empty() {
        return (0..chain.steps.len()).map(|step| Row { first: step, last: step }).collect();
    }
    chain.holds.iter().map(|hold| Row { first: hold.at, last: hold.at + hold.steps - 1 }).collect()
}

/// All signals; inputs and state as a row begins, outputs after its last step.
fn columns<'a>(file: &'a ChainFile, chain: &Chain, rows: &Rows<'_>) -> Vec<Column<'a>> {
    let column = |kind, signal: &'a Signal| {
        let values = |step: usize| match kind {
            Kind::Input => &chain.steps[step].inputs,
            Kind::State => &chain.steps[step].state,
            Kind::Output => &chain.steps[step].outputs,
        };
        let shown = rows.shown.iter().map(|row| if kind == Kind::Output { row.last } else { row.first });
        let end = (kind == Kind::State).then_some(&chain.end_state);
        let changes = (1..chain.steps.len())
            .map(values)
            .chain(end)
            .any(|values_then| !values_then.agrees_on(&signal.name, values(0)));
        Column {
            kind,
            signal,
            cells: shown.map(|step| cell(signal, values(step))).collect(),
            end: end.map(|values| cell(signal, values)),
            changes,
        }
    };
    let inputs = file.inputs.iter().map(|signal| column(Kind::Input, signal));
    let states = file.state.iter().map(|signal| column(Kind::State, signal));
    let outputs = file.outputs.iter().map(|signal| column(Kind::Output, signal));
    inputs.chain(states).chain(outputs).collect()
}

/// The order in which columns are taken away: what stays the same, then state that changes, then
/// outputs. What has names for its values, such as the state of a chart, stays longest. `None`:
/// inputs that change are always shown.
fn rank(column: &Column<'_>) -> Option<u8> {
    match (column.kind, column.changes) {
        (Kind::State, false) => Some(0),
        (Kind::Output, false) => Some(1),
        (Kind::Input, false) => Some(2),
        (Kind::State, true) if column.signal.enumerators.is_empty() => Some(3),
        (Kind::Output, true) => Some(4),
        (Kind::State, true) => Some(5),
        (Kind::Input, true) => None,
    }
}

/// Takes columns away until the rest is no wider than `room`, and gives them back; of the same rank
/// the widest first.
fn fit<'a>(columns: &mut Vec<Column<'a>>, room: usize) -> Vec<Column<'a>> {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let mut total: usize = widths.iter().sum();
    let mut states = columns.iter().filter(|column| column.kind == Kind::State).count();
    let mut removed = Vec::new();
    for next in 0..=5 {
        let candidates = (0..columns.len()).filter(|&at| rank(&columns[at]) == Some(next));
        let mut candidates: Vec<usize> = candidates.collect();
        candidates.sort_by_key(|&at| std::cmp::Reverse((widths[at], at)));
        for at in candidates {
            let is_state = columns[at].kind == Kind::State;
            let too_many = is_state && states > STATES;
            if total <= room && !too_many {
                break;
            }
            total -= widths[at];
            states -= usize::from(is_state);
            removed.push(at);
        }
    }
    let mut all: Vec<Option<Column<'a>>> = std::mem::take(columns).into_iter().map(Some).collect();
    let left_out = removed.into_iter().filter_map(|at| all[at].take()).collect();
    columns.extend(all.into_iter().flatten());
    left_out
}

/// What is said below the table of a last step that does not return.
fn remark_on_end(chain: &Chain) -> String {
    let end = chain.steps.last().and_then(|step| step.ends.as_ref());
    end.map_or_else(String::new, |end| format!("  (the last step does not return: {end})\n"))
}

/// What is said below the table about signals that are not in it.
fn remarks(left_out: &[Column<'_>]) -> String {
    let constant = |column: &&Column<'_>| column.kind != Kind::State && !column.changes;
    let values: Vec<String> = left_out
        .iter()
        .filter(constant)
        .map(|column| format!("{} = {}", column.signal.name, column.cells.first().map_or("", String::as_str)))
        .collect();
    let more = |kind, name: &str| {
        let count = left_out.iter().filter(|column| column.kind == kind && !constant(column)).count();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} more {name}{plural}"))
    };
    let hidden: Vec<String> =
        [more(Kind::State, "state word"), more(Kind::Output, "output")].into_iter().flatten().collect();
    let mut text = String::new();
    if !values.is_empty() {
        text += &format!("  (always {})\n", values.join(", "));
    }
    if !hidden.is_empty() {
        text += &format!("  ({} in the JSON)\n", hidden.join(" and "));
    }
    text
}

fn rendered(rows: &Rows<'_>, columns: &[Column<'_>]) -> Table {
    let of = |kind| columns.iter().filter(move |column| column.kind == kind);
    let has_outputs = of(Kind::Output).next().is_some();
    // Place, inputs, state, outputs, goals; each of the three kinds of signals apart from the next
    // by a bar.
    let line = |place: Vec<String>, cell: &dyn Fn(&Column<'_>) -> String, covers: String| {
        let mut cells = place;
        cells.extend(of(Kind::Input).map(cell));
        cells.push("|".to_owned());
        cells.extend(of(Kind::State).map(cell));
        if has_outputs {
            cells.push("|".to_owned());
            cells.extend(of(Kind::Output).map(cell));
        }
        cells.push(covers);
        cells
    };
    let mut table = table();
    let header = line(rows.header(), &|column| column.signal.name.clone(), "covers".to_owned());
    let width = header.len();
    table.add_row(header);
    for (number, row) in rows.shown.iter().enumerate() {
        if rows.cut == Some(number) {
            table.add_row(vec!["  ...".to_owned()]);
        }
        table.add_row(line(rows.place(row), &|column| column.cells[number].clone(), rows.covers(row)));
    }
    let mut end = vec![String::new(); rows.header().len() + of(Kind::Input).count()];
    "  end".clone_into(&mut end[0]);
    end.push("|".to_owned());
    end.extend(of(Kind::State).filter_map(|column| column.end.clone()));
    if rows.steps.last().is_none_or(|step| step.ends.is_none()) {
        table.add_row(end);
    }
    for column in 0..width.saturating_sub(1) {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The value of a signal: enumerators by name.
fn cell(signal: &Signal, values: &Values) -> String {
    let Some(value) = values.get(&signal.name) else { return String::new() };
    let named = signal.enumerators.iter().find(|(_, number)| **number == value).map(|(name, _)| name.clone());
    named.unwrap_or_else(|| match &value {
        Json::Object(float) => float.get("value").map(Json::to_string).unwrap_or_default(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// A table without lines.
pub(super) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// The table's text without space at the ends of lines.
pub(super) fn lines(table: &Table) -> String {
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn column(kind: Kind, name: &str, cells: &[&str]) -> Column<'static> {
        let signal = json!({ "name": name, "lvalue": name, "type": "int", "bits": 32 });
        let signal: Signal = serde_json::from_value(signal).expect("a signal");
        let cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
        let changes = cells.iter().any(|cell| *cell != cells[0]);
        Column { kind, signal: Box::leak(Box::new(signal)), cells, end: None, changes }
    }

    fn all() -> Vec<Column<'static>> {
        vec![
            column(Kind::Input, "pedal", &["0", "1"]),
            column(Kind::Input, "calibration", &["7", "7"]),
            column(Kind::State, "timer_of_the_lamp", &["0", "12"]),
            column(Kind::State, "mode", &["0", "1"]),
            column(Kind::State, "armed", &["1", "1"]),
            column(Kind::Output, "lamp", &["0", "1"]),
            column(Kind::Output, "fault", &["0", "0"]),
        ]
    }

    #[test]
    fn what_stays_the_same_goes_first_and_inputs_that_change_never() {
        let table: [(usize, &[&str], &str); 6] = [
            (68, &["pedal", "calibration", "timer_of_the_lamp", "mode", "armed", "lamp", "fault"], ""),
            (
                60,
                &["pedal", "calibration", "timer_of_the_lamp", "mode", "lamp", "fault"],
                "  (1 more state word in the JSON)\n",
            ),
            (
                45,
                &["pedal", "timer_of_the_lamp", "mode", "lamp"],
                "  (always fault = 0, calibration = 7)\n  (1 more state word in the JSON)\n",
            ),
            (
                20,
                &["pedal", "mode", "lamp"],
                "  (always fault = 0, calibration = 7)\n  (2 more state words in the JSON)\n",
            ),
            (
                13,
                &["pedal", "lamp"],
                "  (always fault = 0, calibration = 7)\n  (3 more state words in the JSON)\n",
            ),
            (
                0,
                &["pedal"],
                "  (always fault = 0, calibration = 7)\n  (3 more state words and 1 more output in the JSON)\n",
            ),
        ];
        for (room, names, said) in table {
            let mut columns = all();
            let left_out = fit(&mut columns, room);
            assert_eq!(
                columns.iter().map(|column| column.signal.name.as_str()).collect::<Vec<_>>(),
                names,
                "{room}"
            );
            assert_eq!(remarks(&left_out), said, "{room}");
        }
    }
}
