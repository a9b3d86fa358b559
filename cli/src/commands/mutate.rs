//! `chaincover mutate`: mutants of a model, what becomes of each, and the chains that reveal them.

use super::exit::Exit;
use super::failure::Failure;
use super::mutants::{
    FILES, Language, MutateArguments, changed_lines, check_options, exit, json, list, versions,
};
use super::test_args::{Silence, TestcaseArguments};
use super::{close, code_mutants, load, print, requirement_mutants, search, timed, timed_mutants};
use chaincover::mutation::MutationFile;
use chaincover::{Limit, MutateOptions, Operators, Origin, Place, Tests, mutate, sha256, visible, write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long chains and bounds are searched for where no --timeout says it.
const FOR_BOUNDS: Duration = Duration::from_secs(20);

/// Makes and judges the mutants.
pub(crate) fn run(arguments: &MutateArguments) -> Result<Exit, Failure> {
    if chaincover::is_code(&arguments.model, &load::settings(&arguments.source, Limit::default())) {
        return code_mutants::run(arguments);
    }
    let [model] = &arguments.model[..] else {
        return Err(Failure::new(Exit::Usage, "mutants are made of one specification at a time"));
    };
    if timed::only(&arguments.model).is_some() {
        return timed_mutants::run(arguments, model);
    }
    if chaincover::requirements::are_interfaces(&arguments.model) {
        check_options(arguments, Language::Requirements)?;
        let (json, timeout) = (arguments.json.as_deref(), arguments.search.timeout);
        return requirement_mutants::run(model, &arguments.source.define, json, timeout);
    }
    let is_supported = model.extension().is_some_and(|ending| ending == "as");
    if !is_supported {
        // A model that cannot be read tells why.
        chaincover::configure(&arguments.model, &load::settings(&arguments.source, Limit::default()))?;
        let path = model.display();
        let message = format!(
            "{path}: mutants are made of C, action systems (*.as), requirement interfaces (*.ri) and timed systems \
             (*.tio); of an FMU they are made where a chaincover.toml names its C sources and a step function that \
             calls them"
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    check_options(arguments, Language::Actions)?;
    let operators = arguments.operators.as_deref().map(str::parse::<Operators>).transpose();
    let operators = operators.map_err(|why| Failure::new(Exit::Usage, format!("--operators: {why}")))?;
    let score = match &arguments.score[..] {
        [] => None,
        [path] => Some(stored(path)?),
        _ => return Err(Failure::new(Exit::Usage, "--score: of action systems one file is judged")),
    };
    arguments.json.iter().try_for_each(|path| write::check_target(path))?;
    let place = match &arguments.output {
        Some(folder) => {
            let place = Place::open(folder, arguments.force)?;
            place.expect(FILES)?;
            Some(place)
        }
        None => None,
    };
    let mut options = MutateOptions {
        operators,
        kill: arguments.kill,
        within: arguments.within,
        all_outputs: arguments.all_outputs,
        constants: arguments.source.define.clone(),
        others: versions(arguments, &["as", "patch", "diff"])?,
        score,
        states: arguments.states,
        lines: arguments.in_diff.as_deref().map(changed_lines).transpose()?,
        sample: arguments.sample.map(NonZeroUsize::get),
        pairs: arguments.order == 2,
        tests: arguments.tests,
        deadline: None,
        search: search::options(&arguments.search)?,
    };
    options.deadline = options.search.deadline;
    if options.search.deadline.is_none() {
        options.search.deadline = Instant::now().checked_add(FOR_BOUNDS);
    }
    if arguments.list {
        return list(&chaincover::list_mutants(model, &options)?);
    }
    let file = mutate(model, &options)?;
    let json = json(&file)?;
    if let Some(mut place) = place {
        let origin = Origin { model: file.system.clone(), result: sha256(&json) };
        let page = file.page();
        let tests = test_files(&file, arguments.tests)?;
        let mut files = vec![(FILES[0], json.as_bytes()), (FILES[1], page.as_bytes())];
        files.extend(tests.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
        let refused = place.write(&origin, files)?;
        let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
        close(place, |other| *other != origin, (folder, &refused), arguments.verbosity.quiet)?;
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &json)?,
        None if arguments.tests == Tests::Adaptive => drop(print(&(file.summary() + &file.tests_table()))?),
        None => drop(print(&file.summary())?),
    }
    Ok(exit(&file).combine(options.search.interruption().map_or(Exit::Success, |_| Exit::Interrupted)))
}

/// Whether a specification is an action system, whose tests reveal its mutants.
pub(super) fn is_action_system(system: &Path) -> bool {
    system.extension().is_some_and(|ending| ending == "as")
}

/// Makes the tests of an action system that reveal its mutants, and writes each into files of its
/// own.
pub(super) fn testcase(arguments: &TestcaseArguments) -> Result<Exit, Failure> {
    let is_timed = arguments.timeout.is_some()
        || arguments.silence != Silence::default()
        || arguments.prune
        || arguments.format.is_some();
    if is_timed || arguments.purpose.is_some() {
        let message = "--purpose, --timeout, --silence, --prune and --format are for timed systems (*.tio)";
        return Err(Failure::new(Exit::Usage, message));
    }
    let tests = arguments.tests.unwrap_or(Tests::Adaptive);
    let deadline = Instant::now().checked_add(FOR_BOUNDS);
    let search = chaincover::Options { deadline, ..chaincover::Options::default() };
    let options =
        MutateOptions { constants: arguments.define.clone(), tests, search, ..MutateOptions::default() };
    let file = mutate(&arguments.system, &options)?;
    if let Some(folder) = &arguments.output {
        write::folder(folder)?;
        for (name, text) in test_files(&file, tests)? {
            write::to_file_or_stdout(&folder.join(name), &text)?;
        }
    }
    print(&(file.summary() + &file.tests_table()))?;
    Ok(exit(&file))
}

/// The chains of a stored result.
fn stored(path: &Path) -> Result<Vec<chaincover::mutation::Chain>, Failure> {
    let refuse =
        |why: &dyn std::fmt::Display| Failure::new(Exit::Usage, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(&error))?;
    let file = MutationFile::parse(&text).map_err(|error| refuse(&error))?;
    Ok(file.chains)
}

/// Each test in files of its own: for `run`, for CADP and for Graphviz.
fn test_files(file: &MutationFile, tests: Tests) -> Result<Vec<(String, String)>, Failure> {
    let name = if tests == Tests::Adaptive { "test" } else { "chain" };
    let mut found = Vec::new();
    for (number, test) in file.tests.iter().enumerate() {
        let text = serde_json::to_string_pretty(test);
        let text = text.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
        found.push((format!("{name}-{number}.json"), visible::json(&text) + "\n"));
        found.push((format!("{name}-{number}.aut"), test.aldebaran()));
        found.push((format!("{name}-{number}.dot"), test.graphviz()));
    }
    Ok(found)
}
