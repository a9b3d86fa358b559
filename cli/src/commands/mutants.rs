//! What the commands about mutants share: their arguments, lists, results and exit codes.

use super::args::{SearchArguments, SourceArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::mutation::{MutationFile, PATCH, VERSION};
use chaincover::{Kill, MutateOptions, Patch, Tests, visible};
use clap::Args;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

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
    /// With --kill output: at most so many steps after the first difference; of C a difference is one
    /// in memory or outputs, of action systems a step that the original does not take
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(super) within: Option<u32>,
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
    /// Of C, with -o: write evidence for mutants that nothing tells from the original into
    /// DIR/proofs-of-mutants, for `verify`
    #[arg(long, requires = "output", conflicts_with_all = ["score", "mutants"])]
    pub(super) proofs: bool,
    /// Write the result as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(super) json: Option<PathBuf>,
    /// Verbosity.
    #[command(flatten)]
    pub(super) verbosity: Verbosity,
}

/// Names of the files in the folder of the result.
pub(super) const FILES: [&str; 2] = ["mutate.json", "report.html"];

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
    let known: [(bool, &str, &[Language]); 18] = [
        (arguments.operators.is_some(), "--operators", &[Code, Actions, Timed]),
        (!arguments.functions.is_empty(), "--functions", &[Code]),
        (!arguments.observe.is_empty(), "--observe", &[Code]),
        (arguments.no_replay, "--no-replay", &[Code]),
        (arguments.within.is_some(), "--within", &[Code, Actions]),
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
        (arguments.proofs, "--proofs", &[Code]),
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
