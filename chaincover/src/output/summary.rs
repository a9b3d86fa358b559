//! The summary for people: result, goals, and each chain as a table.

use super::chain_file::{Chain, ChainFile, Expectation, Goal, Minimal, Signal, Status};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value as Json};
use std::fmt::Write;

/// Steps of a chain that the table shows at most; longer chains are cut in the middle.
const ROWS: usize = 200;
/// Columns for state words at most.
const STATES: usize = 12;

/// The whole summary.
pub fn text(file: &ChainFile) -> String {
    let mut text = headline(file);
    text.push('\n');
    text.push_str(&goal_table(file));
    for (index, chain) in file.chains.iter().enumerate() {
        let number = if file.chains.len() > 1 { format!(" {}", index + 1) } else { String::new() };
        let _ = write!(text, "\nchain{number}: {} steps, ", chain.length);
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

fn chain_table(file: &ChainFile, chain: &Chain) -> String {
    let states: Vec<&Signal> = file.state.iter().take(STATES).collect();
    let mut table = table();
    let names =
        |signals: &mut dyn Iterator<Item = &Signal>| signals.map(|s| s.name.clone()).collect::<Vec<_>>();
    let mut header = vec!["  step".to_owned()];
    header.extend(names(&mut file.inputs.iter()));
    header.push("|".to_owned());
    header.extend(names(&mut states.iter().copied()));
    if !file.outputs.is_empty() {
        header.push("|".to_owned());
        header.extend(names(&mut file.outputs.iter()));
    }
    header.push("covers".to_owned());
    let columns = header.len();
    table.add_row(header);
    for (number, step) in chain.steps.iter().enumerate() {
        if chain.length > ROWS && number == ROWS / 2 {
            table.add_row(vec!["  ...".to_owned()]);
        }
        if chain.length > ROWS && (ROWS / 2..chain.length - ROWS / 2).contains(&number) {
            continue;
        }
        let mut row = vec![format!("  {number}")];
        row.extend(file.inputs.iter().map(|signal| cell(signal, &step.inputs)));
        row.push("|".to_owned());
        row.extend(states.iter().map(|signal| cell(signal, &step.state)));
        if !file.outputs.is_empty() {
            row.push("|".to_owned());
            row.extend(file.outputs.iter().map(|signal| cell(signal, &step.outputs)));
        }
        row.push(step.covers.join(" "));
        table.add_row(row);
    }
    let mut end = vec!["  end".to_owned()];
    end.extend(file.inputs.iter().map(|_| String::new()));
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
