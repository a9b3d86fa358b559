//! `chaincover check --watch`: the same check whenever a file of the model has changed.

use super::args::CheckArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::{check, print, report};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are looked at: soon enough for whoever saves one, seldom enough to cost nothing.
const PAUSE: Duration = Duration::from_millis(300);

/// What is known of a file without reading it: when it was written, and its length.
type Mark = (PathBuf, Option<SystemTime>, u64);

/// Checks, waits until a file changes, and checks again; only a signal ends that.
pub(crate) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let endings = endings(arguments);
    let mut folders = folders(arguments);
    loop {
        let seen = marks(&folders, &endings);
        if std::io::stdout().is_terminal() {
            print("\u{1b}[2J\u{1b}[H")?;
        }
        match check::run(arguments) {
            Ok(_) => {}
            // What is wrong may be mended in the next moment.
            Err(failure) => report(&failure),
        }
        print("(waiting for a change; Ctrl-C ends)\n")?;
        folders = self::folders(arguments);
        while marks(&folders, &endings) == seen {
            std::thread::sleep(PAUSE);
        }
    }
}

/// The folders in which a change of a file may change the model: those of what was named, and those
/// of sources, properties and headers that the configuration names.
fn folders(arguments: &CheckArguments) -> BTreeSet<PathBuf> {
    let named = arguments.model.model.iter();
    let mut folders: BTreeSet<PathBuf> =
        named.map(|path| if path.is_dir() { path.clone() } else { parent(path) }).collect();
    let settings = arguments.model.settings(chaincover::Limit::default());
    if let Ok(found) = chaincover::configure(&arguments.model.model, &settings) {
        let request = &found.request;
        folders.extend(request.sources.iter().chain(&request.goal_files).map(|path| parent(path)));
        folders.extend(request.include.iter().cloned());
    }
    folders
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Endings of the files that count: those of C and of configurations, and of what was named. Results
/// that are written beside the model are none of its files.
fn endings(arguments: &CheckArguments) -> BTreeSet<OsString> {
    let named = arguments.model.model.iter().filter_map(|path| path.extension());
    named.map(OsStr::to_owned).chain(["c", "h", "inc", "toml"].map(OsString::from)).collect()
}

fn marks(folders: &BTreeSet<PathBuf>, endings: &BTreeSet<OsString>) -> Vec<Mark> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mark = |entry: std::fs::DirEntry| {
        let path = entry.path();
        path.extension().filter(|ending| endings.contains(*ending))?;
        let data = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((path, data.modified().ok(), data.len()))
    };
    let mut marks: Vec<Mark> = entries.filter_map(mark).collect();
    marks.sort();
    marks
}
