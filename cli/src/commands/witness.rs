//! Witnesses of hardware models: `chaincover check --witness` writes them, `chaincover witness`
//! judges them.

use super::args::{CheckArguments, FailOn, WitnessArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::TerminalProgress;
use super::{load, print, search};
use chaincover::{Options, find_chains, judge_witness, report, witness_text, write};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// Judges the witnesses of a file.
pub(crate) fn judge(arguments: &WitnessArguments) -> Result<Exit, Failure> {
    let mut text = String::new();
    for accepted in judge_witness(&arguments.model, &arguments.witness)? {
        for (number, name, step) in &accepted.bads {
            let _ = write!(text, "accepted: b{number} ({name}) holds in step {step}");
            let _ = match accepted.missing {
                0 => writeln!(text),
                missing => writeln!(text, "; {missing} values are not given, and taken as 0"),
            };
        }
    }
    print(&text)
}

/// Searches, and writes the witness of each goal that is covered.
pub(crate) fn write(arguments: &CheckArguments, path: &Path) -> Result<Exit, Failure> {
    let start = Instant::now();
    write::check_target(path)?;
    let limit = search::reading_limit(arguments.timeout, arguments.memory);
    let loaded = load::load(&arguments.model, limit.clone(), arguments.verbosity)?;
    let (Some(stop), Some(memory)) = (limit.stop, limit.memory) else {
        return Err(Failure::new(Exit::Internal, "a search should be able to be stopped"));
    };
    let options = Options { deadline: limit.deadline, stop, memory, ..Options::default() };
    let progress = TerminalProgress::new(arguments.verbosity.quiet);
    let outcome = find_chains(&loaded, &options, &progress);
    progress.finish();
    let outcome = outcome?;
    let settings = load::settings_for(&arguments.model.source, &options);
    let result = report(&loaded, (&outcome, &[]), (&settings, &options), start.elapsed());
    let exit = search::exit_for(&loaded, &outcome, &FailOn::DEFAULT);
    if outcome.chains.is_empty() {
        print(&chaincover::summary::text(&result))?;
        return Ok(exit);
    }
    write::to_file_or_stdout(path, &witness_text(&result, &loaded)?)?;
    if path != Path::new("-") {
        print(&chaincover::summary::text(&result))?;
    }
    Ok(exit)
}
