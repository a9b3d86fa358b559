//! `chaincover mutate`: mutants of a model, what becomes of each, and the chains that reveal them.

use super::args::{SearchArguments, SourceArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::{close, code_mutants, load, print, requirement_mutants, search, timed, timed_mutants};
use chaincover::mutation::MutationFile;
use chaincover::{Kill, Limit, MutateOptions, Operators, Origin, Place, mutate, sha256, visible, write};
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mutants", "operators"])]
    pub(super) against: Option<PathBuf>,
    /// The files (*.as) of a folder as the mutants
    #[arg(long, value_name = "DIR", conflicts_with = "operators")]
    pub(super) mutants: Option<PathBuf>,
    /// Judge the chains of a stored mutate.json, of C also of a chain.json and of tables (CSV), and
    /// search for none
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
    if arguments.depth.is_some() {
        return Err(Failure::new(Exit::Usage, "--depth is for timed systems"));
    }
    if chaincover::requirements::are_interfaces(&arguments.model) {
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
        others: versions(arguments)?,
        score,
        states: arguments.states,
        lines: arguments.in_diff.as_deref().map(changed_lines).transpose()?,
        sample: arguments.sample.map(NonZeroUsize::get),
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
        let tests = tests(&file);
        let mut files = vec![(FILES[0], json.as_bytes()), (FILES[1], page.as_bytes())];
        files.extend(tests.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
        let refused = place.write(&origin, files)?;
        let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
        close(place, |other| *other != origin, (folder, &refused), arguments.verbosity.quiet)?;
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &json)?,
        None => drop(print(&file.summary())?),
    }
    Ok(exit(&file).combine(options.search.interruption().map_or(Exit::Success, |_| Exit::Interrupted)))
}

/// The chains of a stored result.
fn stored(path: &Path) -> Result<Vec<chaincover::mutation::Chain>, Failure> {
    let refuse =
        |why: &dyn std::fmt::Display| Failure::new(Exit::Usage, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(&error))?;
    let file: MutationFile = serde_json::from_str(&text).map_err(|error| refuse(&error))?;
    Ok(file.chains)
}

/// Files that are mutants as they are.
fn versions(arguments: &MutateArguments) -> Result<Vec<PathBuf>, Failure> {
    let mut found: Vec<PathBuf> = arguments.against.iter().cloned().collect();
    if let Some(folder) = &arguments.mutants {
        let unreadable =
            |error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", folder.display()));
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending == "as") {
                found.push(path);
            }
        }
        found.sort();
        if found.is_empty() {
            let message = format!("{}: there are no mutants (*.as)", folder.display());
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

/// Each chain as a test: for CADP and for Graphviz. Chains with probes are none: they are no tests
/// of the original.
fn tests(file: &MutationFile) -> Vec<(String, String)> {
    let is_test = |chain: &&chaincover::mutation::Chain| chain.steps.iter().all(|step| !step.probe);
    let chains = file.chains.iter().filter(is_test).enumerate();
    chains
        .flat_map(|(number, chain)| {
            [
                (format!("chain-{number}.aut"), chain.aldebaran()),
                (format!("chain-{number}.dot"), chain.graphviz()),
            ]
        })
        .collect()
}

pub(super) fn list(file: &MutationFile) -> Result<Exit, Failure> {
    let mut text = String::new();
    for mutant in &file.mutants {
        let _ = writeln!(
            text,
            "{:<6} {:<14} {}:{}:{}  {} -> {}",
            mutant.id, mutant.operator, mutant.file, mutant.line, mutant.column, mutant.old, mutant.new
        );
    }
    print(&text)
}

/// All are decided, and all that can be killed are.
pub(super) fn exit(file: &MutationFile) -> Exit {
    if file.count("undecided") > 0 { Exit::Undecided } else { Exit::Success }
}

/// The lines that a unified diff adds, each with its file.
pub(super) fn changed_lines(path: &Path) -> Result<Vec<(PathBuf, u32)>, Failure> {
    let unreadable = |error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display()));
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).map_err(unreadable)?,
        false => std::fs::read_to_string(path).map_err(unreadable)?,
    };
    added(&text)
        .ok_or_else(|| Failure::new(Exit::Usage, format!("{}: this is no unified diff", path.display())))
}

fn added(diff: &str) -> Option<Vec<(PathBuf, u32)>> {
    let mut found = Vec::new();
    let mut file: Option<PathBuf> = None;
    // The number of the next line of the new file, and how many of both are left of the hunk.
    let (mut number, mut old, mut new) = (0_u32, 0_u32, 0_u32);
    for line in diff.lines() {
        if old > 0 || new > 0 {
            match line.bytes().next() {
                Some(b'+') => {
                    found.push((file.clone()?, number));
                    (number, new) = (number + 1, new.checked_sub(1)?);
                }
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'\\') => {}
                _ => (number, old, new) = (number + 1, old.checked_sub(1)?, new.checked_sub(1)?),
            }
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name);
            file = Some(PathBuf::from(name.strip_prefix("b/").unwrap_or(name)));
        } else if let Some(ranges) = line.strip_prefix("@@ -") {
            let (before, rest) = ranges.split_once(" +")?;
            let (after, _) = rest.split_once(" @@")?;
            let parse = |range: &str| {
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
            };
            old = parse(before)?.1;
            (number, new) = parse(after)?;
        }
    }
    file.is_some().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_name_the_lines_that_they_add() {
        let diff = "--- a/m.as\n+++ b/m.as\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+++ 2.5\n three\n@@ -9 +10 @@\n-x\n+y\n";
        let lines = added(diff).expect("a diff");
        assert_eq!(lines.iter().map(|(_, line)| *line).collect::<Vec<_>>(), [2, 3, 10]);
        assert!(lines.iter().all(|(file, _)| file == Path::new("m.as")));
        for text in ["", "no diff", "+++ b/m\n@@ -1 +x @@\n"] {
            assert_eq!(added(text), None, "{text}");
        }
    }
}
