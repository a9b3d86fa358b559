//! `chaincover monitor`: a recorded run, judged by a specification.

use super::args::MonitorArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::{print, search};
use chaincover::requirements::{self, Verdict};
use chaincover::{visible, write};
use std::path::Path;

/// Judges a log.
pub(crate) fn run(arguments: &MonitorArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let paths = [arguments.specification.clone()];
    if !requirements::are_interfaces(&paths) {
        let message = format!("{}: runs are judged by specifications (*.ri)", paths[0].display());
        return Err(Failure::new(Exit::Usage, message));
    }
    let limit = search::reading_limit(arguments.timeout, None);
    let document = requirements::read_interface(&paths, &arguments.define)?;
    let report = requirements::monitor(&document.interface, &arguments.log, &arguments.goals, &limit)?;
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &visible::json(&format!("{:#}\n", report.to_json())))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        print(&requirements::describe(&report))?;
    }
    Ok(exit(report.verdict))
}

/// The exit code of a verdict.
pub(crate) fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Pass => Exit::Success,
        Verdict::Fail => Exit::Violated,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Error => Exit::Unusable,
    }
}
