//! `chaincover check`: what the front end found, without searching.

use super::args::CheckArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::{emit, load, print, print_raw, requirements, search};
use chaincover::a2l::Account;
use chaincover::diagnostics::visible as visible_text;
use chaincover::{
    Location, Model, Signal, StepFunction, Topic, complete, sarif, target_name, visible, write,
};
use comfy_table::{Table, presets};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Reads the model and prints what was found.
pub(crate) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    arguments.json.iter().chain(&arguments.sarif).try_for_each(|path| write::check_target(path))?;
    for path in &arguments.model.model {
        std::fs::metadata(path)
            .map_err(|error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display())))?;
    }
    if arguments.proofs.is_some() && !requirements::are(&arguments.model.model) {
        let message = "--proofs is for requirement interfaces (*.ri); of other models, `chain -o DIR --proofs` writes evidence";
        return Err(Failure::new(Exit::Usage, message));
    }
    if arguments.output.is_some() && !requirements::are(&arguments.model.model) {
        let message =
            "-o is for requirement interfaces (*.ri); of other models, `chain -o DIR` writes results";
        return Err(Failure::new(Exit::Usage, message));
    }
    if requirements::are(&arguments.model.model) && arguments.sarif.is_none() && arguments.emit.is_none() {
        return requirements::check(arguments);
    }
    if let Some(path) = super::timed::only(&arguments.model.model)
        && arguments.sarif.is_none()
        && arguments.emit.is_none()
        && !arguments.write_config
    {
        return super::timed::check(arguments, path);
    }
    if let Some(path) = &arguments.witness {
        return super::witness::write(arguments, path);
    }
    let limit = search::reading_limit(arguments.timeout, arguments.memory);
    if let Some(path) = &arguments.sarif {
        let findings = load::findings(&arguments.model, limit.clone())?;
        write::to_file_or_stdout(path, &sarif::log(&findings))?;
        if path.as_os_str() == "-" {
            return load::load(&arguments.model, limit, arguments.verbosity).map(|_| Exit::Success);
        }
    }
    let loaded = load::load(&arguments.model, limit, arguments.verbosity)?;
    if let Some(stage) = arguments.emit {
        return emit::front(&loaded, stage);
    }
    if arguments.write_config {
        return print_raw(&configuration(&loaded)?);
    }
    if !arguments.verbosity.quiet
        && let Some(warning) = chaincover::ends_soon(&loaded)?
    {
        load::warn(warning, &loaded);
    }
    match &arguments.json {
        Some(path) => {
            write::to_file_or_stdout(path, &visible::json(&format!("{:#}\n", to_json(&loaded))))?;
            Ok(Exit::Success)
        }
        None => print(&summary(&loaded)),
    }
}

/// The `chaincover.toml` that says what was found.
fn configuration(loaded: &Model) -> Result<String, Failure> {
    let file = complete(&loaded.configuration, &loaded.translated.resolved);
    file.to_toml().map_err(|why| Failure::new(Exit::Internal, why))
}

/// The step functions as one text.
pub(crate) fn step_text(steps: &[StepFunction]) -> String {
    let one = |step: &StepFunction| match (step.every, step.phase) {
        (1, _) => step.function.clone(),
        (every, 0) => format!("{} (every {every} steps)", step.function),
        (every, phase) => format!("{} (every {every} steps from step {phase})", step.function),
    };
    steps.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn summary(loaded: &Model) -> String {
    let Model { translated, system, .. } = loaded;
    let resolved = &translated.resolved;
    let mut text = String::new();
    if translated.source.has_code() {
        let _ = writeln!(text, "model    {} ({} target)", system.name, target_name(resolved.target));
        if !resolved.step.is_empty() {
            code(&mut text, loaded);
        }
    } else {
        let _ = writeln!(text, "model    {}", system.name);
    }
    let (size, [whole, sliced]) = (&translated.size, loaded.sizes());
    let _ = writeln!(text, "size     {} lines, {} input bits, {}", size.lines, size.input_bits, whole);
    let reason = if system.goals.is_empty() { "no goals yet" } else { "what the goals depend on" };
    let _ = writeln!(text, "sliced   {}: {reason}", sliced);
    section(&mut text, "inputs", translated.signals.inputs.iter().map(|input| &input.signal));
    section(&mut text, "outputs", translated.signals.outputs.iter().map(|(signal, _)| signal));
    section(&mut text, "state", translated.signals.states.iter().map(|(signal, _)| signal));
    if let Some(account) = loaded.described() {
        description(&mut text, account);
    }
    let _ = writeln!(text, "\ngoals ({})", system.goals.len());
    let mut table = plain_table();
    for (id, goal) in system.goals.iter() {
        table.add_row(vec![
            format!("  {}", goal.name),
            goal.requirement.clone().unwrap_or_default(),
            format!("{} step{}", goal.steps, if goal.steps == 1 { "" } else { "s" }),
            loaded.goal_line(goal),
            visible_text(goal.text.clone().unwrap_or_else(|| translated.source.goal_text(id)).trim()),
        ]);
    }
    let none = "  none yet: write property functions, or [[goal]] sections into what --write-config prints";
    let _ = writeln!(text, "{}", if system.goals.is_empty() { none.to_owned() } else { trimmed(&table) });
    if !translated.findings.is_empty() {
        let _ = writeln!(text, "\nwhat was decided");
        let mut table = plain_table();
        for finding in &translated.findings {
            table.add_row(vec![
                format!("  {}", finding.topic.name()),
                visible_text(&finding.subject),
                visible_text(&finding.reason),
            ]);
        }
        let _ = writeln!(text, "{}", trimmed(&table));
    }
    text
}

/// The functions that a model in C consists of.
fn code(text: &mut String, loaded: &Model) {
    let translated = &loaded.translated;
    let resolved = &translated.resolved;
    let _ = writeln!(text, "step     {}", step_text(&resolved.step));
    let init = resolved.init.as_deref().filter(|name| !name.is_empty());
    let before_loop = translated
        .findings
        .iter()
        .find(|finding| finding.topic == Topic::Init && !finding.subject.is_empty());
    let _ = match (init, before_loop) {
        (Some(init), _) => writeln!(text, "init     {init}"),
        (None, Some(finding)) => writeln!(text, "init     {}, up to its loop", finding.subject),
        (None, None) => writeln!(text, "init     none (static initialisers)"),
    };
}

fn section<'s>(text: &mut String, title: &str, signals: impl Iterator<Item = &'s Signal>) {
    let signals: Vec<&Signal> = signals.collect();
    let _ = writeln!(text, "\n{title} ({})", signals.len());
    let mut table = plain_table();
    for signal in &signals {
        table.add_row(vec![format!("  {}", signal.name), signal.type_name.clone(), signal.lvalue.clone()]);
    }
    if !signals.is_empty() {
        let _ = writeln!(text, "{}", trimmed(&table));
    }
}

/// What was taken from an A2L file, and what was not.
fn description(text: &mut String, account: &Account) {
    let file = visible_text(&account.file.display().to_string());
    let place = |place: &Location| visible_text(&format!("{}:{}", place.file.display(), place.line));
    let _ = writeln!(text, "\na2l {file} ({} entries)", account.entries);
    let mut table = plain_table();
    for matched in &account.matched {
        let kind = if matched.is_input { "input" } else { "output" };
        let mut row = |what: String| {
            table.add_row(vec![format!("  {kind}"), matched.variable.clone(), place(&matched.place), what]);
        };
        if !matched.taken.is_empty() {
            row(matched.taken.join("; "));
        }
        if !matched.not_taken.is_empty() {
            row(format!("not taken: {}", matched.not_taken.join("; ")));
        }
        if matched.taken.is_empty() && matched.not_taken.is_empty() {
            row("says nothing".to_owned());
        }
    }
    for left in &account.left {
        let why = visible_text(&left.reason);
        table.add_row(vec!["  left".to_owned(), left.entry.clone(), place(&left.place), why]);
    }
    if !account.matched.is_empty() || !account.left.is_empty() {
        let _ = writeln!(text, "{}", trimmed(&table));
    }
    if !account.unmatched.is_empty() {
        let shown = account.unmatched.iter().take(SHOWN_UNMATCHED);
        let mut names: Vec<String> = shown.map(|(name, at)| format!("{name} ({})", place(at))).collect();
        if let Some(more) = account.unmatched.len().checked_sub(SHOWN_UNMATCHED).filter(|&more| more > 0) {
            names.push(format!("{more} more (--json tells all)"));
        }
        let _ = writeln!(text, "   no input, output or state word: {}", names.join(", "));
    }
}

/// Entries of no variable that are named: files describe all variables of a control unit.
const SHOWN_UNMATCHED: usize = 20;

fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn to_json(loaded: &Model) -> Json {
    let Model { translated, system, .. } = loaded;
    let signal = |signal: &Signal| json!({ "name": signal.name, "lvalue": signal.lvalue, "type": signal.type_name, "bits": signal.bits });
    let signals = &translated.signals;
    let size = &translated.size;
    let [whole, kept] = loaded.sizes();
    let mut file = json!({
        "schema": "chaincover/check/1",
        "model": system.name,
        "target": target_name(translated.resolved.target),
        "init": translated.resolved.init.clone().unwrap_or_default(),
        "step": step_text(&translated.resolved.step),
        "inputs": signals.inputs.iter().map(|input| signal(&input.signal)).collect::<Vec<_>>(),
        "outputs": signals.outputs.iter().map(|(output, _)| signal(output)).collect::<Vec<_>>(),
        "state": signals.states.iter().map(|(state, _)| signal(state)).collect::<Vec<_>>(),
        "goals": system.goals.values().map(|goal| json!({
            "name": goal.name, "requirement": goal.requirement, "text": goal.text, "steps": goal.steps,
            "origin": loaded.goal_line(goal),
        })).collect::<Vec<_>>(),
        "findings": translated.findings.iter().map(|finding| json!({
            "topic": finding.topic.name(), "subject": finding.subject, "reason": finding.reason,
        })).collect::<Vec<_>>(),
        "size": { "lines": size.lines, "state_words": whole.state_words, "state_bits": whole.state_bits,
                  "gates": whole.gates, "input_bits": size.input_bits, "sliced_state_words": kept.state_words,
                  "sliced_state_bits": kept.state_bits, "sliced_gates": kept.gates },
    });
    if let Some(account) = loaded.described() {
        file["a2l"] = description_json(account);
    }
    file
}

fn description_json(account: &Account) -> Json {
    let place = |place: &Location| json!({ "file": place.file.display().to_string(), "line": place.line });
    json!({
        "file": account.file.display().to_string(),
        "entries": account.entries,
        "matched": account.matched.iter().map(|found| json!({
            "entry": found.entry, "place": place(&found.place), "lvalue": found.variable,
            "input": found.is_input, "taken": found.taken, "not_taken": found.not_taken,
        })).collect::<Vec<_>>(),
        "left": account.left.iter().map(|found| json!({
            "entry": found.entry, "place": place(&found.place), "reason": found.reason,
        })).collect::<Vec<_>>(),
        "unmatched": account.unmatched.iter().map(|(entry, at)| json!({
            "entry": entry, "place": place(at),
        })).collect::<Vec<_>>(),
    })
}
