//! `chaincover run`: a test against a system.

use super::args::Verbosity;
use super::exit::Exit;
use super::failure::Failure;
use super::test_args::RunArguments;
use super::{command_line, interrupt, load, monitor, search, tell, timed, write_result};
use chaincover::requirements::{self, JudgedRun, System, WrittenInterface};
use chaincover::timed::Report;
use chaincover::{
    ActionRun, ActionTests, Limit, Settings, changed, configure, read_action_tests, read_stored,
    run_action_tests, stored_configuration, stored_root, write,
};
use std::path::{Path, PathBuf};

/// Runs the chains of a result against a system under test.
pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    if let Some(test) = timed::test_text(&arguments.test)? {
        only_for_requirements(arguments)?;
        interrupt::ends_at_once();
        only_for_chains(arguments)?;
        return timed::run(&test, arguments);
    }
    if let Some(tests) = read_action_tests(&arguments.test)? {
        only_for_requirements(arguments)?;
        interrupt::ends_at_once();
        only_for_times(arguments)?;
        return actions(&tests, arguments);
    }
    if let Some(tests) = requirements::read_mutant_tests(&arguments.test)? {
        only_for_times(arguments)?;
        let limit = search::reading_limit(arguments.timeout, None);
        let system = system(arguments, (&tests.sources, &tests.document.define), limit.clone())?;
        let runs = requirements::run_mutant_tests(&tests, &system, &limit)?;
        let written = WrittenInterface::of(&tests.document);
        return judged(runs, (&tests.document.interface.name, Some(&written)), arguments, &limit);
    }
    let stored = read_stored(&arguments.test)?;
    let configuration = stored_configuration(&stored, &arguments.test)?;
    if let Some(why) = changed(&stored, &stored_root(&stored, &arguments.test)) {
        return Err(Failure::new(Exit::Usage, format!("{why}: search it again with `chaincover chain`")));
    }
    if let Some(system) = timed::only(&configuration.request.sources) {
        only_for_requirements(arguments)?;
        interrupt::ends_at_once();
        return timed::run_chains(system, &configuration.request.define, arguments);
    }
    only_for_units(arguments)?;
    only_for_waiting(arguments)?;
    let limit = search::reading_limit(arguments.timeout, None);
    let loaded = load::translate(configuration, Verbosity { quiet: true, verbose: 0 })?;
    let request = &loaded.configuration.request;
    let system = system(arguments, (&request.sources, &request.define), limit.clone())?;
    let runs = requirements::run(&loaded, &stored, &system, arguments.adaptive, &limit)?;
    let written = WrittenInterface::of_model(&loaded);
    judged(runs, (&loaded.system.name, written.as_ref()), arguments, &limit)
}

/// Tells the verdicts on runs of requirements, and writes them where that is asked for.
fn judged(
    runs: Vec<JudgedRun>,
    (name, written): (&str, Option<&WrittenInterface<'_>>),
    arguments: &RunArguments,
    limit: &Limit,
) -> Result<Exit, Failure> {
    let runs: Vec<_> = runs.into_iter().map(|run| arguments.verdicts.of(run)).collect();
    if let (Some(folder), Some(written)) = (&arguments.output, written) {
        let files = requirements::run_files(written, &runs, limit, Some(command_line()));
        write_result((folder, arguments.force), name, &files)?;
    }
    let reports: Vec<Report> = runs.into_iter().map(|run| run.report).collect();
    let exit = told(&reports, arguments)?;
    Ok(exit.unless_interrupted(limit))
}

/// Refuses options of requirements where the test is none of them.
fn only_for_requirements(arguments: &RunArguments) -> Result<(), Failure> {
    if !arguments.map.is_empty() {
        let message = "--map is for the chain.json of requirements (*.ri), run against a model in C";
        return Err(Failure::new(Exit::Usage, message));
    }
    monitor::only_for_requirements(arguments.output.as_deref(), arguments.verdicts)
}

/// The system under test of requirements that were read from files with values of constants.
fn system(
    arguments: &RunArguments,
    (tested, own_define): (&[PathBuf], &[String]),
    limit: Limit,
) -> Result<System, Failure> {
    let path = PathBuf::from(&arguments.sut);
    let usage = |message: &str| Err(Failure::new(Exit::Usage, message));
    if is_code(&path) {
        if arguments.mutant.is_some() {
            return usage("--mutant is for specifications that play the system");
        }
        let settings = Settings { define: arguments.define.clone(), limit, ..Settings::default() };
        let quiet = Verbosity { quiet: true, verbose: 0 };
        let model = load::translate(configure(&[path], &settings)?, quiet)?;
        return Ok(System::Code(Box::new(model), arguments.map.clone()));
    }
    if !arguments.map.is_empty() {
        return usage("--map is for a model in C as the system: --sut DIR, a chaincover.toml or a C file");
    }
    if !requirements::are_interfaces(std::slice::from_ref(&path)) || !path.is_file() {
        return Ok(System::Command(arguments.sut.clone(), arguments.answer_within));
    }
    let is_same = |source: &PathBuf| source.canonicalize().ok() == path.canonicalize().ok();
    let own = tested.iter().any(is_same) && arguments.define.is_empty();
    let define = if own { own_define } else { &arguments.define[..] };
    let (seed, mutant, define) = (arguments.seed, arguments.mutant.clone(), define.to_vec());
    Ok(System::Interface { path, define, seed, mutant })
}

/// Whether a path is a model in C and no command: a folder, a configuration or a source.
fn is_code(path: &Path) -> bool {
    let is_source = path.extension().is_some_and(|ending| ending == "c" || ending == "toml");
    path.is_dir() || (is_source && path.is_file())
}

/// Refuses options of timed systems.
fn only_for_times(arguments: &RunArguments) -> Result<(), Failure> {
    only_for_units(arguments)?;
    only_for_chains(arguments)
}

/// Refuses real time.
fn only_for_units(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.unit.is_none() {
        return Ok(());
    }
    let message =
        "--unit runs the testcase.json of a timed system in real time; other tests have steps, not times";
    Err(Failure::new(Exit::Usage, message))
}

/// Refuses options of chains of specifications.
fn only_for_chains(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.adaptive > 0 {
        let message =
            "--adaptive is for the chain.json of requirements (*.ri) or of a timed system (*.tio, *.xlia)";
        return Err(Failure::new(Exit::Usage, message));
    }
    only_for_waiting(arguments)
}

/// Refuses options of chains of timed systems.
fn only_for_waiting(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.wait.is_none() {
        return Ok(());
    }
    Err(Failure::new(Exit::Usage, "--wait is for the chain.json of a timed system (*.tio, *.xlia)"))
}

/// Runs the tests of an action system.
fn actions(tests: &ActionTests, arguments: &RunArguments) -> Result<Exit, Failure> {
    let options = ActionRun {
        sut: arguments.sut.clone(),
        mutant: arguments.mutant.clone(),
        seed: arguments.seed,
        answer: arguments.answer_within,
        deadline: search::deadline(arguments.timeout),
    };
    told(&run_action_tests(tests, &options)?, arguments)
}

/// Tells the verdicts.
fn told(reports: &[Report], arguments: &RunArguments) -> Result<Exit, Failure> {
    let mut text = String::new();
    for (index, report) in reports.iter().enumerate() {
        if reports.len() > 1 {
            text += &format!("chain {}: ", index + 1);
        }
        text += &requirements::describe(report);
    }
    tell(arguments.json.as_deref(), &requirements::to_json(reports), &text)?;
    Ok(requirements::combined(reports).into())
}
