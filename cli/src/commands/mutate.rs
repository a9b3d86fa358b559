//! `chaincover mutate`: mutants of a model, what becomes of each, and the chains that reveal them.

use super::args::{SearchArguments, SourceArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::timed::{Silence, TestcaseArguments};
use super::{close, code_mutants, load, print, requirement_mutants, search, timed, timed_mutants};
use chaincover::mutation::{MutationFile, PATCH, VERSION};
use chaincover::{
    Kill, Limit, MutateOptions, Operators, Origin, Patch, Place, Tests, mutate, sha256, visible, write,
};
use clap::Args;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// `mutate`.
#[derive(Debug, Args)]
pub(crate) struct MutateArguments {
    /// A model in C (chaincover.toml, a folder that holds one, C files), an action system (*.as), a
    /// timed system (*.tio) or a requirement interface (*.ri; of the options only -D, --json and
    /// --timeout count)
    #[arg(required = true, value_name = "MODEL")]
    pub(super) model: Vec<PathBuf>,
    /// How C files are read.
    #[command(flatten)]
    pub(super) source: SourceArguments,
    /// Which mutants: standard, or operators with commas between them; of action systems also paper
    /// (the default there)
    #[arg(long, value_name = "LIST")]
    pub(super) operators: Option<String>,
    /// Of C: only mutants in these functions, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) functions: Vec<String>,
    /// Of C: the outputs by which mutants are told from the original, separated by commas (default:
    /// all)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) observe: Vec<String>,
    /// Of C: compile and run nothing
    #[arg(long)]
    pub(super) no_replay: bool,
    /// When a chain kills a mutant: it is seen (output), takes a step (step) or is in a state
    /// (state) where they differ
    #[arg(long, value_name = "LEVEL", default_value_t)]
    pub(super) kill: Kill,
    /// Count stimuli as outputs, as tools that know no inputs do
    #[arg(long)]
    pub(super) all_outputs: bool,
    /// Another version of the model as the only mutant: the shortest difference, or a proof that
    /// there is none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mutants", "operators", "order"])]
    pub(super) against: Option<PathBuf>,
    /// The patches (unified diffs, *.patch, *.diff) of a folder as the mutants; of action systems also
    /// other versions (*.as)
    #[arg(long, value_name = "DIR", conflicts_with_all = ["operators", "in_diff", "functions", "order"])]
    pub(super) mutants: Option<PathBuf>,
    /// Judge the chains of a stored mutate.json, of C also of a chain.json and of tables (CSV), of
    /// timed systems of a chain.json and of recorded runs (*.jsonl), and search for none
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) score: Vec<PathBuf>,
    /// Print the mutants and decide nothing
    #[arg(long)]
    pub(super) list: bool,
    /// Only mutants in lines that a unified diff adds or changes (- for standard input)
    #[arg(long, value_name = "FILE")]
    pub(super) in_diff: Option<PathBuf>,
    /// At most so many mutants, spread evenly over the text
    #[arg(long, value_name = "N")]
    pub(super) sample: Option<NonZeroUsize>,
    /// Of action systems, with -o: as few chains as are found (chain), these as trees that go on after
    /// each answer that is allowed (adaptive), or a chain for each mutant (single)
    #[arg(long, value_name = "KIND", default_value_t)]
    pub(super) tests: Tests,
    /// Changes of each mutant, 1 or 2; with 2, --sample is 1000 where it is not given
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(super) order: u8,
    /// States of all systems together that are enumerated at most
    #[arg(long, value_name = "N", default_value_t = MutateOptions::default().states)]
    pub(super) states: usize,
    /// Of timed systems: try traces of at most so many observations (default: 8)
    #[arg(long, value_name = "N")]
    pub(super) depth: Option<NonZeroUsize>,
    /// The search.
    #[command(flatten)]
    pub(super) search: SearchArguments,
    /// Write mutate.json, report.html and the chains as tests (.aut, .dot) into a folder
    #[arg(short, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(super) force: bool,
    /// Write the result as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(super) json: Option<PathBuf>,
    /// Verbosity.
    #[command(flatten)]
    pub(super) verbosity: Verbosity,
}

/// Names of the files in the folder of the result.
pub(super) const FILES: [&str; 2] = ["mutate.json", "report.html"];

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
            "{path}: mutants are made of C, action systems (*.as), requirement interfaces (*.ri) and timed systems (*.tio)"
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

/// What mutants are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Code,
    Actions,
    Timed,
    Requirements,
}

impl Language {
    const fn name(self) -> &'static str {
        match self {
            Self::Code => "C",
            Self::Actions => "action systems",
            Self::Timed => "timed systems",
            Self::Requirements => "requirement interfaces",
        }
    }
}

/// Refuses options that mean nothing for a language.
pub(super) fn check_options(arguments: &MutateArguments, of: Language) -> Result<(), Failure> {
    use Language::{Actions, Code, Timed};
    let known: [(bool, &str, &[Language]); 16] = [
        (arguments.operators.is_some(), "--operators", &[Code, Actions, Timed]),
        (!arguments.functions.is_empty(), "--functions", &[Code]),
        (!arguments.observe.is_empty(), "--observe", &[Code]),
        (arguments.no_replay, "--no-replay", &[Code]),
        (arguments.all_outputs, "--all-outputs", &[Actions]),
        (arguments.against.is_some(), "--against", &[Actions]),
        (arguments.mutants.is_some(), "--mutants", &[Code, Actions]),
        (!arguments.score.is_empty(), "--score", &[Code, Actions, Timed]),
        (arguments.list, "--list", &[Code, Actions, Timed]),
        (arguments.in_diff.is_some(), "--in-diff", &[Code, Actions, Timed]),
        (arguments.sample.is_some(), "--sample", &[Code, Actions, Timed]),
        (arguments.tests != Tests::Chain, "--tests", &[Actions]),
        (arguments.order != 1, "--order", &[Code, Actions]),
        (arguments.states != MutateOptions::default().states, "--states", &[Actions]),
        (arguments.depth.is_some(), "--depth", &[Timed]),
        (arguments.output.is_some(), "-o", &[Code, Actions, Timed]),
    ];
    let unknown = known.into_iter().find(|(is_given, _, languages)| *is_given && !languages.contains(&of));
    let message = match (unknown, of) {
        (Some((_, "--against", _)), Code) => {
            "--against is for action systems; `adapt --difference OLD NEW` compares two versions of C code"
                .to_owned()
        }
        (Some((_, option, languages)), _) => {
            let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
            format!("{option} is for {}, not for {}", names.join(", "), of.name())
        }
        (None, Code) if arguments.kill == Kill::State => {
            "--kill: mutants of C are killed by an output or by a step".to_owned()
        }
        (None, Code) if arguments.kill == Kill::Step && !arguments.observe.is_empty() => {
            "--observe chooses outputs, and --kill step compares all memory".to_owned()
        }
        (None, Timed | Language::Requirements) if arguments.kill != Kill::Output => {
            format!("--kill: mutants of {} are killed by what is seen (output)", of.name())
        }
        (None, _) => return Ok(()),
    };
    Err(Failure::new(Exit::Usage, message))
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
    let file: MutationFile = serde_json::from_str(&text).map_err(|error| refuse(&error))?;
    Ok(file.chains)
}

/// Files that are mutants, by their endings.
pub(super) fn versions(arguments: &MutateArguments, endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut found: Vec<PathBuf> = arguments.against.iter().cloned().collect();
    if let Some(missing) = found.iter().find(|path| !path.is_file()) {
        return Err(Failure::new(Exit::Usage, format!("there is no file {}", missing.display())));
    }
    if let Some(folder) = &arguments.mutants {
        let unreadable =
            |error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", folder.display()));
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
                found.push(path);
            }
        }
        found.sort();
        if found.is_empty() {
            let endings: Vec<String> = endings.iter().map(|ending| format!("*.{ending}")).collect();
            let message = format!("{}: there are no mutants ({})", folder.display(), endings.join(", "));
            return Err(Failure::new(Exit::Usage, message));
        }
    }
    Ok(found)
}

pub(super) fn json(file: &MutationFile) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(file);
    let text = text.map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
    Ok(visible::json(&text) + "\n")
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

pub(super) fn list(file: &MutationFile) -> Result<Exit, Failure> {
    let mut text = String::new();
    for mutant in &file.mutants {
        let _ = writeln!(
            text,
            "{:<6} {:<14} {}:{}:{}  {}",
            mutant.id,
            mutant.operator,
            mutant.file,
            mutant.line,
            mutant.column,
            mutant.change()
        );
    }
    print(&text)
}

/// All are decided, all that can be killed are, and all patches and versions of the user are mutants.
pub(super) fn exit(file: &MutationFile) -> Exit {
    let is_none = |mutant: &chaincover::mutation::Mutant| {
        [PATCH, VERSION].contains(&mutant.operator.as_str()) && mutant.verdict == "unviable"
    };
    let is_open = file.count("undecided") > 0 || file.mutants.iter().any(is_none);
    if is_open { Exit::Undecided } else { Exit::Success }
}

/// The lines that a unified diff adds, each with its file.
pub(super) fn changed_lines(path: &Path) -> Result<Vec<(PathBuf, u32)>, Failure> {
    let unreadable = |error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display()));
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).map_err(unreadable)?,
        false => std::fs::read_to_string(path).map_err(unreadable)?,
    };
    let patch = Patch::parse(&text);
    let patch = patch.map_err(|why| Failure::new(Exit::Usage, format!("{}: {why}", path.display())))?;
    Ok(patch.changed_lines())
}
