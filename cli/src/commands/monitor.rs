//! `chaincover monitor`: a recorded run, judged by a specification.

use super::exit::Exit;
use super::failure::Failure;
use super::test_args::{MonitorArguments, Verdicts};
use super::{command_line, interrupt, search, tell, timed, write_result};
use chaincover::requirements::{self, DumpSampling, DumpSteps, WrittenInterface};
use chaincover::write;
use std::path::Path;

/// Judges a log.
pub(crate) fn run(arguments: &MonitorArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    if let Some(test) = timed::test_text(&arguments.specification)? {
        only_for_requirements(arguments.output.as_deref(), arguments.verdicts)?;
        if arguments.clock.is_some() || arguments.every.is_some() || !arguments.map.is_empty() {
            let message = "--clock, --every and --map are for runs of requirement interfaces";
            return Err(Failure::new(Exit::Usage, message));
        }
        interrupt::ends_at_once();
        return timed::monitor(&test, arguments);
    }
    let paths = [arguments.specification.clone()];
    if !requirements::are_interfaces(&paths) {
        let message = format!(
            "{}: runs are judged by specifications (*.ri) and by test cases (testcase.json)",
            paths[0].display()
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    let limit = search::reading_limit(arguments.timeout, None);
    let document = requirements::read_interface(&paths, &arguments.define)?;
    let edges = arguments.clock.clone().map(DumpSteps::Edges);
    let sampling = DumpSampling { steps: edges.or(arguments.every.clone()), names: arguments.map.clone() };
    let log = (arguments.log.as_path(), &sampling);
    let judged = requirements::monitor(&document.interface, log, &arguments.goals, &limit)?;
    let judged = arguments.verdicts.of(judged);
    if let Some(folder) = &arguments.output {
        let written = WrittenInterface::of(&document);
        let runs = std::slice::from_ref(&judged);
        let files = requirements::run_files(&written, runs, &limit, Some(command_line()));
        write_result((folder, arguments.force), &document.interface.name, &files)?;
    }
    let report = &judged.report;
    let text = requirements::describe(report);
    let text = if arguments.quiet { first_line(&text) } else { &text };
    tell(arguments.json.as_deref(), &report.to_json(), text)?;
    Ok(Exit::from(report.verdict).unless_interrupted(&limit))
}

/// The first line of a text: of what is said of a run, the verdict.
pub(super) fn first_line(text: &str) -> &str {
    text.split_inclusive('\n').next().unwrap_or_default()
}

/// Refuses `-o` and `--verdicts` where the test is none of requirements.
pub(super) fn only_for_requirements(output: Option<&Path>, verdicts: Verdicts) -> Result<(), Failure> {
    let refused = |message: &str| Err(Failure::new(Exit::Usage, message));
    if output.is_some() {
        return refused("-o is for runs of requirement interfaces; --json writes the verdict");
    }
    if verdicts != Verdicts::default() {
        return refused("--verdicts is for runs of requirement interfaces (*.ri)");
    }
    Ok(())
}
