//! `chaincover monitor`: a recorded run, judged by a specification.

use super::exit::Exit;
use super::failure::Failure;
use super::oracle::mapping;
use super::timed::{self, Smt};
use super::{command_line, interrupt, search, tell, write_result};
use chaincover::requirements::{self, DumpSampling, DumpSteps, Verdict, WrittenInterface};
use chaincover::write;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `monitor`.
#[derive(Debug, Args)]
pub(crate) struct MonitorArguments {
    /// The specification (*.ri), or the test case of a timed system (testcase.json)
    #[arg(value_name = "SPEC")]
    pub(crate) specification: PathBuf,
    /// The recorded run: CSV, JSON lines, or what a simulator of hardware dumps (VCD)
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,
    /// Give a constant another value
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// Take each rising edge of this signal of a VCD as a step, with the values just before it
    #[arg(long, value_name = "SIGNAL", conflicts_with = "every")]
    pub(crate) clock: Option<String>,
    /// Take each period of that length (10ns) of a VCD as a step, with the last values in it
    #[arg(long, value_name = "TIME", value_parser = DumpSteps::periods)]
    pub(crate) every: Option<DumpSteps>,
    /// Name the signal of a VCD that is an input or output of the interface; may be repeated
    /// (default: the one whose path ends in its name)
    #[arg(long, value_name = "NAME=PATH", value_parser = mapping)]
    pub(crate) map: Vec<(String, String)>,
    /// Goals that the run was made for, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) goals: Vec<String>,
    /// Write the verdict as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Of requirements (*.ri): write verdict.json and report.html into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// The solver for test cases of timed systems
    #[arg(long, value_enum, default_value_t)]
    pub(crate) smt: Smt,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
}

/// Judges a log.
pub(crate) fn run(arguments: &MonitorArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    if let Some(test) = timed::test_text(&arguments.specification)? {
        only_for_requirements(arguments.output.as_deref())?;
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
    if let Some(folder) = &arguments.output {
        let written = WrittenInterface::of(&document);
        let runs = std::slice::from_ref(&judged);
        let files = requirements::run_files(&written, runs, &limit, Some(command_line()));
        write_result((folder, arguments.force), &document.interface.name, &files)?;
    }
    let report = &judged.report;
    tell(arguments.json.as_deref(), &report.to_json(), &requirements::describe(report))?;
    Ok(exit(report.verdict))
}

/// Refuses `-o` where the test is none of requirements.
pub(super) fn only_for_requirements(output: Option<&Path>) -> Result<(), Failure> {
    match output {
        None => Ok(()),
        Some(_) => Err(Failure::new(
            Exit::Usage,
            "-o is for runs of requirement interfaces; --json writes the verdict",
        )),
    }
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
