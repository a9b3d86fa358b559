//! `chaincover mutate` of C code: mutants, what becomes of each, and the chains that reveal them.

use super::exit::Exit;
use super::failure::Failure;
use super::mutants::{
    FILES, Language, MutateArguments, changed_lines, check_options, exit, json, list, versions,
};
use super::{close, load, print, search};
use chaincover::mutation::MutationFile;
use chaincover::{CodeMutateOptions, Origin, Place, mutate_code, sha256, write};
use std::path::Path;

/// Makes and judges the mutants of a model in C.
pub(super) fn run(arguments: &MutateArguments) -> Result<Exit, Failure> {
    check_options(arguments, Language::Code)?;
    arguments.json.iter().try_for_each(|path| write::check_target(path))?;
    let place = arguments.output.as_deref().map(|folder| Place::open(folder, arguments.force)).transpose()?;
    place.as_ref().map_or(Ok(()), |place| place.expect(FILES))?;
    let operators = arguments.operators.as_deref().map(str::parse).transpose();
    let options = CodeMutateOptions {
        operators: operators
            .map_err(|why| Failure::new(Exit::Usage, format!("--operators: {why}")))?
            .unwrap_or_default(),
        functions: arguments.functions.clone(),
        lines: arguments.in_diff.as_deref().map(changed_lines).transpose()?,
        sample: arguments.sample.map(std::num::NonZeroUsize::get),
        pairs: arguments.order == 2,
        patches: versions(arguments, &["patch", "diff"])?,
        observe: arguments.observe.clone(),
        kill: arguments.kill,
        within: arguments.within,
        score: arguments.score.clone(),
        no_replay: arguments.no_replay,
        search: search::options(&arguments.search)?,
    };
    let settings = load::settings(&arguments.source, search::limit(&options.search));
    if arguments.list {
        return list(&chaincover::list_code_mutants(&arguments.model, &settings, &options)?);
    }
    let file = mutate_code(&arguments.model, &settings, &options)?;
    let text = json(&file)?;
    if let Some(place) = place {
        store(arguments, place, &file, &text)?;
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &text)?,
        None => {
            let survivors = file.survivors_table();
            let chains = if options.score.is_empty() { file.vectors_table() } else { String::new() };
            let parts = [survivors, file.summary(), chains];
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            print(&parts.join("\n"))?;
        }
    }
    let open = if file.count("alive") > 0 { Exit::Undecided } else { exit(&file) };
    Ok(open.combine(options.search.interruption().map_or(Exit::Success, |_| Exit::Interrupted)))
}

/// Writes the result, its page, and the chains as tables.
fn store(
    arguments: &MutateArguments,
    mut place: Place,
    file: &MutationFile,
    text: &str,
) -> Result<(), Failure> {
    let origin = Origin { model: file.system.clone(), result: sha256(text) };
    let page = file.page();
    let mut tables = Vec::new();
    for number in 0..file.chains.len() {
        if let Some(table) = file.vectors(number) {
            let table = table.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
            tables.push((format!("chain-{number}.csv"), table));
        }
    }
    let mut files = vec![(FILES[0], text.as_bytes()), (FILES[1], page.as_bytes())];
    files.extend(tables.iter().map(|(name, table)| (name.as_str(), table.as_bytes())));
    let refused = place.write(&origin, files)?;
    let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
    close(place, |other| *other != origin, (folder, &refused), arguments.verbosity.quiet)?;
    Ok(())
}
