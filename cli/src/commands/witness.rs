//! Witnesses of hardware models: `chaincover check --witness` writes them, `chaincover witness`
//! judges them.

use super::args::{CheckArguments, FailOn, WitnessArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::TerminalProgress;
use super::{load, print, search};
use chaincover::{Options, Violations, Wanted, judge_witness, solve, witness_text, write};
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
    let settings = arguments.model.settings_for(&options);
    let wanted = Wanted {
        start,
        timeout: arguments.timeout,
        violations: Violations::Off,
        replay: false,
        ..Wanted::default()
    };
    let progress = TerminalProgress::new(arguments.verbosity.quiet, options.deadline);
    let solved = solve(&loaded, (&settings, &options), &wanted, &progress);
    progress.finish();
    let solved = solved?;
    let exit = search::exit_for(&loaded, &solved.outcome, &FailOn::DEFAULT);
    let has_any = !solved.file.chains.is_empty();
    if has_any {
        write::to_file_or_stdout(path, &witness_text(&solved.file, &loaded)?)?;
    }
    if !has_any || path != Path::new("-") {
        print(&chaincover::summary::text(&solved.file))?;
    }
    Ok(exit)
}
