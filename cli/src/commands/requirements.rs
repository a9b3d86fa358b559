//! Requirement interfaces on the command line: what `check` and `chain` do otherwise for them.

use super::args::{ChainArguments, CheckArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::{load, log, print, search, tell, write_result};
use chaincover::chain_file::{ChainFile, Minimal, Status};
use chaincover::diagnostics;
use chaincover::requirements::{
    self, Answers, CheckProofs, Conflicts, Consistency, Refutation, RequirementInterface,
};
use chaincover::{Reason, visible, write};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Whether the model is a requirement interface.
pub(crate) fn are(paths: &[PathBuf]) -> bool {
    requirements::are_interfaces(paths)
}

/// `check`: consistent, or what contradicts what.
pub(crate) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let source = &arguments.model.source;
    if source.view.is_some() || source.no_idle || !source.goals.is_empty() {
        let message = "--view, --goals and --no-idle are for `chain`: `check` asks whether one system can meet all requirements";
        return Err(Failure::new(Exit::Usage, message));
    }
    let limit = search::reading_limit(arguments.timeout, arguments.memory);
    let document = requirements::read_interface(&arguments.model.model, &source.define)?;
    let interface = &document.interface;
    if !arguments.verbosity.quiet {
        eprint!("{}", diagnostics::render(&document.diagnostics, &document.sources, log::is_coloured()));
    }
    if let Some(k) = arguments.smt {
        return print(&requirements::smt(interface, k)?);
    }
    let found = requirements::consistency(interface, &limit);
    if let Some(path) = &arguments.json {
        let json = requirements::result(interface, &found);
        write::to_file_or_stdout(path, &visible::json(&format!("{json:#}\n")))?;
    }
    if let Some(folder) = &arguments.output {
        let (paths, command) = (&arguments.model.model, Some(super::command_line()));
        let files = requirements::check_files(&document, paths, &found, &limit, command);
        write_result((folder, arguments.force), &interface.name, &files)?;
    }
    if let Some(folder) = &arguments.proofs {
        let paths = &arguments.model.model;
        let written = requirements::write_proofs(folder, &document, paths, &found, &limit)?;
        if !arguments.verbosity.quiet {
            eprint!("{}", evidence_text(folder, &written));
        }
    }
    let mut text = title(interface);
    let exit = match &found {
        Err(_) if limit.reason() == Some(Reason::Interrupted) => {
            let _ = writeln!(text, "undecided: {}", Reason::Interrupted);
            Exit::Interrupted
        }
        Err(undecided) => {
            let _ = writeln!(text, "undecided: {undecided}");
            Exit::Undecided
        }
        Ok(found) if found.is_consistent() => {
            consistent(&mut text, found, interface);
            Exit::Success
        }
        Ok(found) => {
            inconsistent(&mut text, found, interface);
            Exit::Inconsistent
        }
    };
    if arguments.json.as_deref() != Some(Path::new("-")) {
        print(&text)?;
    }
    Ok(exit)
}

/// What was written as evidence, and for what there is none.
fn evidence_text(folder: &Path, written: &CheckProofs) -> String {
    let (all, open) = (written.statements, written.open.len());
    let mut text = format!("proofs: {} of {all} claims certified, in {}\n", all - open, folder.display());
    for (what, why) in &written.open {
        let _ = writeln!(text, "  not certified: {what}: {why}");
    }
    text
}

fn title(interface: &RequirementInterface) -> String {
    let (initial, update) = interface.counts();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let (views, number) = (interface.view_count(), interface.requirements.len());
    format!(
        "{}: {views} view{}, {number} requirement{} ({initial} initial and {update} update contracts)\n",
        interface.name,
        plural(views),
        plural(number)
    )
}

fn consistent(text: &mut String, found: &Consistency, interface: &RequirementInterface) {
    let names = |set: &[usize]| match set.split_at_checked(SHOWN_NAMES) {
        _ if set.is_empty() => "none".to_owned(),
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", interface.names(first.iter().copied()).join(", "), rest.len())
        }
        _ => interface.names(set.iter().copied()).join(", "),
    };
    *text += "consistent: for all inputs, at every depth        (strategy proven)\n";
    let (void, implied) = (names(&found.void), names(&found.implied));
    // Nothing is said where nothing is known.
    if found.unknown_void.len() < interface.requirements.len() {
        let _ = writeln!(text, "void: {void}     implied by others: {implied}");
    }
    if !found.unknown_void.is_empty() {
        let _ = writeln!(text, "not known whether void: {}", names(&found.unknown_void));
    }
    if !found.never_deciding.is_empty() {
        let _ = writeln!(text, "never deciding: {}", names(&found.never_deciding));
    }
    if !found.unknown_effect.is_empty() {
        let _ = writeln!(text, "not known whether implied: {}", names(&found.unknown_effect));
    }
    *text += match found.has_lost_positions {
        Some(true) => "note: some allowed answers lead to a dead end later; a system has to avoid them\n",
        Some(false) => "",
        None => "note: not known whether some allowed answers lead to a dead end later\n",
    };
    *text += match (found.has_no_inputs, found.has_dead_end) {
        (Some(true), _) => {
            "note: no inputs may occur in step 0 (`environment`), so nothing is asked of a system\n"
        }
        (_, Some(true)) => "note: after some steps the environment has no inputs left\n",
        (_, Some(false)) => "",
        (_, None) => "note: not known whether the environment runs out of inputs\n",
    };
}

fn inconsistent(text: &mut String, found: &Consistency, interface: &RequirementInterface) {
    let set = |set: &Vec<usize>| format!("{{{}}}", interface.names(set.iter().copied()).join(", "));
    let sets = |found: &Conflicts| match (&found.sets[..], &found.unfinished) {
        ([], None) => "minimal conflicts were not found".to_owned(),
        ([], Some(unfinished)) => format!("{} (perhaps not all of them are needed)", set(unfinished)),
        (sets, _) => sets.iter().map(set).collect::<Vec<_>>().join(", "),
    };
    let _ = match (found.depth, found.undecided()) {
        (Some(depth), _) => writeln!(text, "inconsistent from step {depth}: {}", sets(&found.conflicts)),
        (None, Some(undecided)) => writeln!(text, "{undecided}"),
        (None, None) => Ok(()),
    };
    if let Some(refutation) = &found.refutation {
        refuted(text, refutation, interface);
    }
    let _ = writeln!(text, "at any depth: {}", sets(&found.any_depth));
    if !found.any_depth.repairs.is_empty() {
        let _ = writeln!(text, "consistent without: {}", some(&found.any_depth.repairs, set));
    }
    if !(found.conflicts.is_complete && found.any_depth.is_complete) {
        *text += "there may be more minimal conflicts: the search for them was cut short\n";
    }
}

/// Requirements that are named in one line; JSON has all of them.
const SHOWN_NAMES: usize = 20;

/// Repairs that are shown.
const SHOWN_REPAIRS: usize = 5;

/// The first of some sets.
fn some(sets: &[Vec<usize>], show: impl Fn(&Vec<usize>) -> String) -> String {
    let first: Vec<String> = sets.iter().take(SHOWN_REPAIRS).map(show).collect();
    match sets.len().saturating_sub(SHOWN_REPAIRS) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The inputs that no system can answer, and what is asked for there.
fn refuted(text: &mut String, refutation: &Refutation, interface: &RequirementInterface) {
    let _ = writeln!(text, "  inputs: {}", refutation.describe(interface));
    for (index, clause) in &refutation.asked {
        let _ = writeln!(text, "  {} {clause}", interface.requirements[*index].name);
    }
}

/// `chain --inputs`: what is allowed under given inputs.
pub(crate) fn given(arguments: &ChainArguments, path: &Path) -> Result<Exit, Failure> {
    if !are(&arguments.model.model) {
        return Err(Failure::new(Exit::Usage, "--inputs is for requirement interfaces (*.ri)"));
    }
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let limit = search::reading_limit(arguments.search.timeout, arguments.search.memory);
    let source = &arguments.model.source;
    let loaded = load::load(&arguments.model, limit.clone(), arguments.verbosity)?;
    let goals: Vec<String> = loaded.goals().map(str::to_owned).collect();
    let document = requirements::read_interface(&arguments.model.model, &source.define)?;
    let (text, json) = requirements::under_inputs(&document.interface, &goals, path, &limit)?;
    tell(arguments.json.as_deref(), &json, &text)?;
    Ok(Exit::Success)
}

/// The result for people.
pub(crate) fn print_chains(
    arguments: &ChainArguments,
    file: &ChainFile,
    answers: &Answers,
) -> Result<(), Failure> {
    if arguments.json.as_deref() == Some(Path::new("-")) {
        return Ok(());
    }
    let covered = file.goals.iter().filter(|goal| goal.status == Status::Covered).count();
    let minimal = match file.summary.minimal {
        Minimal::Proven => "proven minimal".to_owned(),
        Minimal::Gap => format!("at least {} are needed", file.summary.lower_bound),
        Minimal::Unknown => "minimality unknown".to_owned(),
    };
    let mut text = format!("{covered} of {} goals", file.goals.len());
    match &file.chains[..] {
        [] => text += "\n",
        [chain] => {
            let (length, last) = (chain.length, chain.length.saturating_sub(1));
            let _ = writeln!(
                text,
                ", one chain of {length} observations (steps 0-{last}), {minimal}, {}",
                grade_text(answers, 0)
            );
        }
        chains => {
            let _ = writeln!(
                text,
                ", {} chains of {} observations, {minimal}",
                chains.len(),
                file.summary.length
            );
        }
    }
    for (index, chain) in file.chains.iter().enumerate() {
        if file.chains.len() > 1 {
            let grade = grade_text(answers, index);
            let _ = writeln!(text, "chain {}: {} observations, {grade}", index + 1, chain.length);
        }
        match answers.table(index) {
            Some(table) => text += &table,
            None => text += "  there are too many runs to say what is allowed\n",
        }
        if let Some((_, tree)) = answers.tree(index) {
            let _ = write!(text, "tree: what to give after which outputs\n{tree}");
        }
    }
    for goal in file.goals.iter().filter(|goal| goal.status != Status::Covered) {
        let status = serde_json::to_value(goal.status).ok();
        let status = status.as_ref().and_then(|status| status.as_str()).unwrap_or("undecided");
        let _ = writeln!(text, "{}: {status}", goal.name);
    }
    print(&text).map(drop)
}

fn grade_text(answers: &Answers, chain: usize) -> String {
    match (answers.grade(chain), answers.tree(chain)) {
        (Some("certain"), _) => "certain (no allowed output prevents a goal)".to_owned(),
        (Some(_), Some((worst, _))) => {
            format!("adaptive (the tree below meets all goals in at most {worst} observations)")
        }
        (Some(_), None) => "possible (allowed outputs may prevent a goal)".to_owned(),
        (None, _) => "not known whether allowed outputs may prevent a goal".to_owned(),
    }
}
