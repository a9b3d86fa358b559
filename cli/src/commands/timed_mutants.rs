//! `chaincover mutate` of timed systems: mutants, what becomes of each, and traces that kill them.

use super::exit::Exit;
use super::failure::Failure;
use super::mutants::{FILES, Language, MutateArguments, changed_lines, check_options, exit, json, list};
use super::{close, print, search};
use chaincover::timed::Operators;
use chaincover::{Origin, Place, TimedMutateOptions, list_timed_mutants, mutate_timed, sha256, write};
use std::path::Path;

/// Makes and judges the mutants of a timed system.
pub(super) fn run(arguments: &MutateArguments, model: &Path) -> Result<Exit, Failure> {
    check_options(arguments, Language::Timed)?;
    arguments.json.iter().try_for_each(|path| write::check_target(path))?;
    let place = arguments.output.as_deref().map(|folder| Place::open(folder, arguments.force)).transpose()?;
    place.as_ref().map_or(Ok(()), |place| place.expect(FILES))?;
    let operators = arguments.operators.as_deref().map(str::parse::<Operators>).transpose();
    let default = TimedMutateOptions::default();
    let options = TimedMutateOptions {
        operators: operators
            .map_err(|why| Failure::new(Exit::Usage, format!("--operators: {why}")))?
            .unwrap_or_default(),
        constants: arguments.source.define.clone(),
        lines: arguments.in_diff.as_deref().map(changed_lines).transpose()?,
        sample: arguments.sample.map(std::num::NonZeroUsize::get),
        score: arguments.score.clone(),
        depth: arguments.depth.map_or(default.depth, std::num::NonZeroUsize::get),
        search: search::options(&arguments.search)?,
        ..default
    };
    if arguments.list {
        return list(&list_timed_mutants(model, &options)?);
    }
    let file = mutate_timed(model, &options)?;
    let text = json(&file)?;
    if let Some(mut place) = place {
        let origin = Origin { model: file.system.clone(), result: sha256(&text) };
        let page = file.page();
        let refused = place.write(&origin, [(FILES[0], text.as_bytes()), (FILES[1], page.as_bytes())])?;
        let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
        close(place, |other| *other != origin, (folder, &refused), arguments.verbosity.quiet)?;
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &text)?,
        None => {
            let notes: String = file.notes.iter().map(|note| format!("note: {note}\n")).collect();
            let parts = [file.survivors_table(), file.witnesses_table(), file.summary() + &notes];
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            print(&parts.join("\n"))?;
        }
    }
    let open = if file.count("alive") > 0 { Exit::Undecided } else { exit(&file) };
    Ok(open.combine(options.search.interruption().map_or(Exit::Success, |_| Exit::Interrupted)))
}
