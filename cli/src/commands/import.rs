//! `chaincover import`: requirements of other tools as requirement interfaces.

use super::args::Verbosity;
use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::diagnostics::visible_lines;
use chaincover::requirements::{FretWishes, import_fret};
use chaincover::write;
use clap::Args;
use std::path::{Path, PathBuf};

/// `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Requirements (and variables) as FRET exports them: JSON
    #[arg(value_name = "FILE.json")]
    pub(crate) file: PathBuf,
    /// The component whose requirements are meant, where there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Option<String>,
    /// The type of a variable, such as bool or "0..100 step 0.5"; may be repeated
    #[arg(long = "type", value_name = "NAME=TYPE", value_parser = typed)]
    pub(crate) types: Vec<(String, String)>,
    /// Variables that are inputs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) input: Vec<String>,
    /// Variables that are outputs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) output: Vec<String>,
    /// Leave out requirements that cannot be imported, with a remark in the text
    #[arg(long)]
    pub(crate) skip: bool,
    /// The file that is written; standard output without it
    #[arg(short, value_name = "FILE.ri")]
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
    let json = std::fs::read_to_string(&arguments.file).map_err(|error| refuse(error.to_string()))?;
    let wishes = FretWishes {
        component: arguments.component.clone(),
        types: arguments.types.clone(),
        inputs: arguments.input.clone(),
        outputs: arguments.output.clone(),
        skip: arguments.skip,
    };
    let imported = import_fret(&json, &wishes)?;
    if !arguments.verbosity.quiet {
        for (id, why) in &imported.left_out {
            eprint!("{}", visible_lines(&format!("warning: left out: {id}: {why}\n")));
        }
    }
    match arguments.o.as_deref() {
        None => print(&imported.text),
        Some(path) => {
            write::atomically(path, imported.text.as_bytes())?;
            let count = imported.count;
            let plural = if count == 1 { "" } else { "s" };
            print(&format!("{}: {count} requirement{plural}; next: chaincover check {0}\n", shown(path)))
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
