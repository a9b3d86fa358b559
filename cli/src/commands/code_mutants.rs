//! `chaincover mutate` of C code: mutants, what becomes of each, and the chains that reveal them.

use super::exit::Exit;
use super::failure::Failure;
use super::mutants::{
    FILES, Language, MutateArguments, changed_lines, check_options, exit, json, list, versions,
};
use super::verdict::tell_evidence;
use super::{close, load, print, search};
use chaincover::evidence::is_evidence;
use chaincover::mutation::MutationFile;
use chaincover::{CodeMutateOptions, MUTANT_PROOFS, Options, Origin, Place, Settings};
use chaincover::{mutate_code, sha256, write, write_evidence_of_mutants};
use std::path::Path;

/// Makes and judges the mutants of a model in C.
pub(super) fn run(arguments: &MutateArguments) -> Result<Exit, Failure> {
    check_options(arguments, Language::Code)?;
    arguments.json.iter().try_for_each(|path| write::check_target(path))?;
    let place = arguments.output.as_deref().map(|folder| Place::open(folder, arguments.force)).transpose()?;
    place.as_ref().map_or(Ok(()), |place| place.expect(FILES))?;
    if let Some(place) = place.as_ref().filter(|_| arguments.proofs) {
        evidence_folders(arguments).iter().try_for_each(|name| place.expect_evidence(name, is_evidence))?;
    }
    let operators = arguments.operators.as_deref().map(str::parse).transpose();
    let whole = search::options(&arguments.search)?;
    // Evidence is made in the other half of the time.
    let search = if arguments.proofs { whole.within_part(1, 2) } else { whole.clone() };
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
        search,
    };
    let settings = load::settings(&arguments.source, search::limit(&whole));
    if arguments.list {
        return list(&chaincover::list_code_mutants(&arguments.model, &settings, &options)?);
    }
    let file = mutate_code(&arguments.model, &settings, &options)?;
    let text = json(&file)?;
    if let Some(place) = place {
        store(arguments, place, (&file, &text), (&settings, &whole))?;
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

/// The folders of evidence that may be there.
fn evidence_folders(arguments: &MutateArguments) -> Vec<String> {
    let place = arguments.output.as_deref().unwrap_or(Path::new(".")).join(MUTANT_PROOFS);
    let inside = std::fs::read_dir(place).into_iter().flatten().flatten();
    let names = inside.map(|entry| format!("{MUTANT_PROOFS}/{}", entry.file_name().to_string_lossy()));
    std::iter::once(MUTANT_PROOFS.to_owned()).chain(names).collect()
}

/// Writes the result, its page, the chains as tables, and evidence where that is wanted.
fn store(
    arguments: &MutateArguments,
    mut place: Place,
    (file, text): (&MutationFile, &str),
    (settings, options): (&Settings, &Options),
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
    if arguments.proofs {
        place.begin_evidence(&origin, MUTANT_PROOFS)?;
        let written = write_evidence_of_mutants(folder, (&arguments.model, settings), file, options)?;
        tell_evidence(&written, arguments.verbosity.quiet);
        place.end_evidence(&origin, MUTANT_PROOFS, written.files);
    }
    close(place, |other| *other != origin, (folder, &refused), arguments.verbosity.quiet)?;
    Ok(())
}
