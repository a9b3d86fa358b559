//! The summary for people: result, goals, and each chain as a table.

use super::chain_file::{Chain, ChainFile, Expectation, Goal, Minimal, Signal, Status};
use super::holds::{period, seconds, time_text};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value as Json};
use std::fmt::Write;

/// Rows of a chain that the table shows at most; longer tables are cut in the middle.
const ROWS: usize = 200;
/// Chains of more steps are shown by how long inputs are held.
const SINGLE_STEPS: usize = 40;
/// Columns for state words at most.
const STATES: usize = 12;

/// The whole summary.
pub fn text(file: &ChainFile) -> String {
    let mut text = headline(file);
    text.push('\n');
    text.push_str(&goal_table(file));
    for (index, chain) in file.chains.iter().enumerate() {
        let number = if file.chains.len() > 1 { format!(" {}", index + 1) } else { String::new() };
        let time = chain.seconds.map_or_else(String::new, |time| format!(" in {}", time_text(time)));
        let _ = write!(text, "\nchain{number}: {} steps{time}, ", chain.length);
        let _ = writeln!(text, "{}{}", chain.order.join(" -> "), replay_text(chain));
        text.push_str(&chain_table(file, chain));
    }
    text
}

fn headline(file: &ChainFile) -> String {
    let summary = &file.summary;
    let covered = format!("{} of {} goals covered", summary.covered, summary.goals);
    let chains = match summary.chains {
        0 => return format!("{}: {covered}, no chain\n", file.model.name),
        1 => format!("one chain of {} steps", summary.length),
        several => format!("{several} chains of {} steps in all", summary.length),
    };
    let proof = match summary.minimal {
        Minimal::Proven => "proven minimal".to_owned(),
        Minimal::Gap => format!("at least {} steps are needed", summary.lower_bound),
        Minimal::Unknown => "minimality not examined".to_owned(),
    };
    format!("{}: {covered}, {chains}, {proof}\n", file.model.name)
}

fn replay_text(chain: &Chain) -> String {
    match &chain.replayed {
        Json::Bool(true) => ", replayed on the compiled code".to_owned(),
        Json::Bool(false) => ", REJECTED by the compiled code".to_owned(),
        _ => ", replayed by the evaluator".to_owned(),
    }
}

fn goal_table(file: &ChainFile) -> String {
    let mut table = table();
    for goal in &file.goals {
        table.add_row(vec![
            format!("  {}", goal.name),
            goal.requirement.clone().unwrap_or_default(),
            verdict(goal, file.chains.len() > 1),
            match goal.expectation {
                Expectation::Held => "expectation held".to_owned(),
                Expectation::Violated => "EXPECTATION VIOLATED".to_owned(),
                Expectation::None => String::new(),
            },
        ]);
    }
    lines(&table)
}

fn verdict(goal: &Goal, several: bool) -> String {
    let reason = goal.reason.as_deref().unwrap_or("no reason given");
    match (goal.status, goal.chain, goal.at) {
        (Status::Covered, Some(chain), Some(at)) if several => {
            format!("covered in chain {} at step {at}", chain + 1)
        }
        (Status::Covered, _, at) => format!("covered at step {}", at.unwrap_or_default()),
        (Status::Unreachable, ..) => format!("unreachable: {reason}"),
        (Status::Undecided, ..) => format!("undecided: {reason}"),
    }
}

/// A row of the table: its steps, the last one included.
struct Row {
    first: usize,
    last: usize,
}

/// Single steps of short chains, else stretches of held inputs.
fn rows(chain: &Chain) -> Vec<Row> {
    if chain.length <= SINGLE_STEPS || chain.holds.is_empty() {
        return (0..chain.steps.len()).map(|step| Row { first: step, last: step }).collect();
    }
    chain.holds.iter().map(|hold| Row { first: hold.at, last: hold.at + hold.steps - 1 }).collect()
}

fn chain_table(file: &ChainFile, chain: &Chain) -> String {
    let states: Vec<&Signal> = file.state.iter().take(STATES).collect();
    let rows = rows(chain);
    let held = rows.len() < chain.steps.len();
    let times = period(file).filter(|_| held);
    let mut table = table();
    let header = header(file, &states, held, times.is_some());
    let columns = header.len();
    table.add_row(header);
    for (number, row) in rows.iter().enumerate() {
        if rows.len() > ROWS && number == ROWS / 2 {
            table.add_row(vec!["  ...".to_owned()]);
        }
        if rows.len() > ROWS && (ROWS / 2..rows.len() - ROWS / 2).contains(&number) {
            continue;
        }
        let (step, last) = (&chain.steps[row.first], &chain.steps[row.last]);
        let length = row.last + 1 - row.first;
        let mut cells = vec![format!("  {}", row.first)];
        cells.extend(held.then(|| length.to_string()));
        cells.extend(times.map(|period| time_text(seconds(length, period))));
        cells.extend(file.inputs.iter().map(|signal| cell(signal, &step.inputs)));
        cells.push("|".to_owned());
        cells.extend(states.iter().map(|signal| cell(signal, &step.state)));
        if !file.outputs.is_empty() {
            cells.push("|".to_owned());
            cells.extend(file.outputs.iter().map(|signal| cell(signal, &last.outputs)));
        }
        cells.push(last.covers.join(" "));
        table.add_row(cells);
    }
    let mut end = vec!["  end".to_owned()];
    let blank = file.inputs.len() + usize::from(held) + usize::from(times.is_some());
    end.extend(std::iter::repeat_n(String::new(), blank));
    end.push("|".to_owned());
    end.extend(states.iter().map(|signal| cell(signal, &chain.end_state)));
    table.add_row(end);
    for column in 0..columns.saturating_sub(1) {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let hidden = file.state.len() - states.len();
    let rest =
        if hidden > 0 { format!("  ({hidden} more state words in the JSON)\n") } else { String::new() };
    lines(&table) + &rest
}

/// Names of the columns.
fn header(file: &ChainFile, states: &[&Signal], held: bool, timed: bool) -> Vec<String> {
    let names =
        |signals: &mut dyn Iterator<Item = &Signal>| signals.map(|s| s.name.clone()).collect::<Vec<_>>();
    let mut header = vec!["  step".to_owned()];
    header.extend(held.then(|| "hold".to_owned()));
    header.extend(timed.then(|| "for".to_owned()));
    header.extend(names(&mut file.inputs.iter()));
    header.push("|".to_owned());
    header.extend(names(&mut states.iter().copied()));
    if !file.outputs.is_empty() {
        header.push("|".to_owned());
        header.extend(names(&mut file.outputs.iter()));
    }
    header.push("covers".to_owned());
    header
}

/// The value of a signal: enumerators by name.
fn cell(signal: &Signal, values: &Map<String, Json>) -> String {
    let Some(value) = values.get(&signal.name) else { return String::new() };
    let named = signal.enumerators.iter().find(|(_, number)| *number == value).map(|(name, _)| name.clone());
    named.unwrap_or_else(|| match value {
        Json::Object(float) => float.get("value").map(Json::to_string).unwrap_or_default(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    })
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn lines(table: &Table) -> String {
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}
