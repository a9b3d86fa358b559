//! `chaincover import`: requirements of other tools as requirement interfaces, action systems of
//! another notation.

use super::args::Verbosity;
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::diagnostics::visible_lines;
use chaincover::requirements::{FretWishes, LustreWishes, import_fret, import_lustre};
use chaincover::{ActionWishes, import_action_system, write};
use clap::Args;
use std::path::{Path, PathBuf};

/// `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Requirements (and variables) as FRET exports them (JSON), contracts of Kind 2 (*.lus), or an
    /// action system in the Prolog notation of Aichernig and Jöbstl (*.pl)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The component (of Lustre: the node or contract) that is meant, where there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Option<String>,
    /// The type of a variable, such as bool or "0..100 step 0.5"; may be repeated
    #[arg(long = "type", value_name = "NAME=TYPE", value_parser = typed)]
    pub(crate) types: Vec<(String, String)>,
    /// Of FRET: variables that are inputs; of action systems: actions of the tester; separated by
    /// commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) input: Vec<String>,
    /// Of FRET: variables that are outputs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) output: Vec<String>,
    /// Of Lustre: outputs that nobody sees; of action systems: actions that nobody sees; separated
    /// by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) hidden: Vec<String>,
    /// Leave out requirements that cannot be imported, with a remark in the text
    #[arg(long)]
    pub(crate) skip: bool,
    /// The file that is written; standard output without it
    #[arg(short, value_name = "FILE")]
    pub(crate) o: Option<PathBuf>,
    /// Replace the file
    #[arg(long, requires = "o")]
    pub(crate) force: bool,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// The two parts of `NAME=TYPE`.
fn typed(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, ty)| !name.is_empty() && !ty.is_empty());
    let (name, ty) = parts.ok_or("a name and a type with = between them are needed")?;
    Ok((name.to_owned(), ty.to_owned()))
}

/// Reads, and prints or writes.
pub(crate) fn run(arguments: &ImportArguments) -> Result<Exit, Failure> {
    let refuse = |why: String| Failure::new(Exit::Usage, format!("{}: {why}", arguments.file.display()));
    if let Some(path) = arguments.o.as_deref().filter(|path| path.exists() && !arguments.force) {
        let why = format!("{} exists; --force replaces it", path.display());
        return Err(Failure::new(Exit::Usage, why));
    }
    let text = std::fs::read_to_string(&arguments.file).map_err(|error| refuse(error.to_string()))?;
    if arguments.file.extension().is_some_and(|ending| ending == "pl") {
        return action_system(arguments, &text);
    }
    let (component, types, skip) = (arguments.component.clone(), arguments.types.clone(), arguments.skip);
    let is_lustre = arguments.file.extension().is_some_and(|ending| ending == "lus");
    let imported = if is_lustre {
        if !(arguments.input.is_empty() && arguments.output.is_empty()) {
            let why =
                "contracts say which variables are inputs and outputs: --input and --output are for FRET";
            return Err(refuse(why.to_owned()));
        }
        let hidden = arguments.hidden.clone();
        import_lustre(&text, &LustreWishes { component, types, hidden, skip })?
    } else {
        if !arguments.hidden.is_empty() {
            return Err(refuse("--hidden is for contracts of Lustre (*.lus)".to_owned()));
        }
        let (inputs, outputs) = (arguments.input.clone(), arguments.output.clone());
        import_fret(&text, &FretWishes { component, types, inputs, outputs, skip })?
    };
    if !arguments.verbosity.quiet {
        for (id, why) in &imported.left_out {
            eprint!("{}", visible_lines(&format!("warning: left out: {id}: {why}\n")));
        }
    }
    tell(arguments, &imported.text, (imported.count, "requirement"), "check")
}

/// An action system.
fn action_system(arguments: &ImportArguments, text: &str) -> Result<Exit, Failure> {
    let is_plain = arguments.component.is_none()
        && arguments.types.is_empty()
        && arguments.output.is_empty()
        && !arguments.skip;
    if !is_plain {
        let why = format!("{}: of action systems only --input and --hidden count", shown(&arguments.file));
        return Err(Failure::new(Exit::Usage, why));
    }
    let stem =
        arguments.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let (inputs, hidden) = (arguments.input.clone(), arguments.hidden.clone());
    let wishes = ActionWishes { name: stem, inputs, hidden };
    let imported = import_action_system(text, &wishes).map_err(|mut error| {
        error.message = format!("{}:{}", shown(&arguments.file), error.message);
        error
    })?;
    if arguments.input.is_empty() && !arguments.verbosity.quiet {
        eprintln!("note: all actions are the system's; --input NAMES says which are the tester's");
    }
    tell(arguments, &imported.text, (imported.count, "action"), "chain")
}

/// Prints or writes what was made, of so many things.
fn tell(
    arguments: &ImportArguments,
    text: &str,
    (count, thing): (usize, &str),
    next: &str,
) -> Result<Exit, Failure> {
    let Some(path) = arguments.o.as_deref() else { return print(text) };
    write::atomically(path, text.as_bytes())?;
    let plural = if count == 1 { "" } else { "s" };
    print(&format!("{}: {count} {thing}{plural}; next: chaincover {next} {0}\n", shown(path)))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
