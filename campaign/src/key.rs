//! What a result depends on, as one digest.
//!
//! A key is the SHA-256 of the format of jobs, the program that searches, the compiler (of Verilog
//! yosys and the simulator, too), the options, and names and bytes of all files that were read,
//! headers too. Names count from the folder of the model, so neither the machine nor the place of
//! the model is part of it; nor are limits, the number of threads, and the name of the job.
//!
//! As in ccache's direct mode, the list of files that an earlier reading wrote down finds the key
//! without a preprocessor. It is used only where no file has appeared since which that reading
//! would have taken instead ([`shadows`]), and where no file asks which files there are.

use crate::error::Error;
use crate::job::{FORMAT, Job, Origin};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// What all keys of a process share, and digests of files that it has read.
#[derive(Debug)]
pub struct Context {
    build: String,
    compiler: String,
    hardware: OnceLock<String>,
    digests: Mutex<HashMap<PathBuf, Option<Digest>>>,
}

/// What is known of a file's bytes.
#[derive(Clone, Debug)]
struct Digest {
    sha256: String,
    /// Whether they ask which files there are (`__has_include`).
    asks: bool,
}

/// All that goes into a key.
#[derive(Serialize)]
struct Parts<'a> {
    format: &'static str,
    build: &'a str,
    compiler: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hardware: Option<&'a str>,
    arguments: &'a [String],
    files: &'a [(String, Option<String>)],
}

impl Context {
    /// The context of the program whose code lies in a file, and the compiler of the environment.
    ///
    /// # Errors
    /// That file cannot be read.
    pub fn new(program: &Path) -> Result<Self, Error> {
        let build = std::fs::File::open(program).and_then(chaincover::sha256_of);
        let build = build.map_err(|error| Error::system(program, "cannot be read", &error))?;
        Ok(Self::with(build, compiler()))
    }

    /// A context of a given build and compiler.
    pub fn with(build: String, compiler: String) -> Self {
        Self { build, compiler, hardware: OnceLock::new(), digests: Mutex::default() }
    }

    /// The program and the compilers, for jobs that other machines perform.
    pub fn origin(&self) -> Origin {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Origin { version, build: self.build.clone(), compiler: self.compiler.clone() }
    }

    /// Forgets what was read of files: they may have changed.
    pub fn forget(&self) {
        self.all().clear();
    }

    /// What reads Verilog, and what chains of it are replayed on.
    fn hardware(&self) -> &str {
        self.hardware.get_or_init(|| describe("yosys", "-V") + &describe("iverilog", "-V"))
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Option<Digest>>> {
        self.digests.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn digest(&self, path: &Path) -> Option<Digest> {
        if let Some(known) = self.all().get(path) {
            return known.clone();
        }
        let digest = read(path).map(|bytes| Digest {
            asks: contains(&bytes, b"__has_include"),
            sha256: chaincover::sha256(bytes),
        });
        self.all().insert(path.to_owned(), digest.clone());
        digest
    }

    /// The key of a job that rests on these files. A file that is not there is part of it, too.
    pub fn key(&self, job: &Job, files: &[PathBuf]) -> String {
        let base = settled(&job.base());
        let mut named: Vec<(String, Option<String>)> = files
            .iter()
            .map(|path| {
                let digest = self.digest(path).map(|digest| digest.sha256);
                (relative(&settled(path), &base).to_string_lossy().into_owned(), digest)
            })
            .collect();
        named.sort();
        let arguments = job.arguments();
        let parts = Parts {
            format: FORMAT,
            build: &self.build,
            compiler: &self.compiler,
            hardware: files.iter().any(|path| is_verilog(path)).then(|| self.hardware()),
            arguments: &arguments,
            files: &named,
        };
        // Texts and lists alone: they can always be written.
        chaincover::sha256(serde_json::to_string(&parts).unwrap_or_default())
    }

    /// Whether one of these files asks which files there are: then the list of files of an earlier
    /// reading says nothing about the next one.
    pub fn asks_for_files(&self, files: &[PathBuf]) -> bool {
        files.iter().any(|path| self.digest(path).is_some_and(|digest| digest.asks))
    }
}

/// How the C compilers describe themselves: `cc`, which compiles replays, and `$CC`, which
/// preprocesses where it is set; a sentence where there is none.
fn compiler() -> String {
    let mut all = describe("cc", "--version");
    if let Some(words) = std::env::var("CC").ok().filter(|words| !words.trim().is_empty()) {
        all += &describe(&words, "--version");
    }
    all
}

fn is_verilog(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["v", "sv"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// What a program says of its version; a sentence where there is none.
fn describe(words: &str, option: &str) -> String {
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(option).stdin(Stdio::null()).env("LC_ALL", "C");
    command.output().map_or_else(
        |error| format!("none: {}", error.kind()),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// The bytes of a regular file; others could block, or have no end.
fn read(path: &Path) -> Option<Vec<u8>> {
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

/// A path without links and dots where it exists, else without dots.
fn settled(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// `path` as seen from the folder `base`; both are absolute.
pub(crate) fn relative(path: &Path, base: &Path) -> PathBuf {
    let shared = path.components().zip(base.components()).take_while(|(one, other)| one == other).count();
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Files that are not there, and would have been read instead of one of `files` if they were: an
/// include name is the end of a path, and the folders of all files and those named for includes
/// (`include`) are searched.
pub fn shadows(files: &[PathBuf], include: &[PathBuf]) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> =
        files.iter().filter_map(|path| path.parent()).chain(include.iter().map(PathBuf::as_path)).collect();
    let mut absent = BTreeSet::new();
    for path in files {
        let parts: Vec<Component> = path.components().collect();
        let names = parts.iter().rev().take_while(|part| matches!(part, Component::Normal(_))).count();
        for length in 1..=names.min(MOST_PARTS) {
            let end: PathBuf = parts[parts.len() - length..].iter().collect();
            absent.extend(folders.iter().map(|folder| folder.join(&end)).filter(|place| !place.exists()));
        }
    }
    absent.into_iter().collect()
}

/// Parts of an include name at most.
const MOST_PARTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_a_folder() {
        let table =
            [("/a/b/c.h", "/a/b", "c.h"), ("/a/x/c.h", "/a/b", "../x/c.h"), ("/c.h", "/a/b", "../../c.h")];
        for (path, base, expected) in table {
            assert_eq!(relative(Path::new(path), Path::new(base)), Path::new(expected), "{path} {base}");
        }
    }

    /// A model in a folder: `m.c` includes `h.h`.
    fn model(folder: &Path) -> (Job, Vec<PathBuf>) {
        std::fs::create_dir_all(folder).expect("a folder");
        let files = [folder.join("h.h"), folder.join("m.c")];
        files.iter().for_each(|path| std::fs::write(path, "int x;").expect("a file"));
        let line = format!(r#"{{"format":"{FORMAT}","name":"m","model":{:?}}}"#, folder.join("m.c"));
        (Job::parse(&line).expect("a job"), files.to_vec())
    }

    #[test]
    fn everything_but_place_name_and_budget_changes_the_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let (job, files) = model(&folder.path().join("one"));
        let (moved, others) = model(&folder.path().join("two"));
        let context = |build: &str, compiler: &str| Context::with(build.to_owned(), compiler.to_owned());
        let here = context("build", "cc");
        let key = here.key(&job, &files);
        assert_eq!(key, here.key(&moved, &others));
        let renamed = Job { name: "n".to_owned(), ..job.clone() };
        assert_eq!(key, here.key(&renamed, &files));
        assert_ne!(key, context("other", "cc").key(&job, &files));
        assert_ne!(key, context("build", "gcc").key(&job, &files));
        let defined = Job { define: vec!["A".to_owned()], ..job.clone() };
        assert_ne!(key, here.key(&defined, &files));
        assert_ne!(key, here.key(&job, &files[..1]));
        std::fs::write(&files[0], "int y;").expect("a file");
        here.forget();
        let changed = here.key(&job, &files);
        assert_ne!(key, changed);
        // The same bytes under exchanged names are another program.
        std::fs::write(&files[0], "int x;").expect("a file");
        std::fs::write(&files[1], "int y;").expect("a file");
        here.forget();
        assert!(![&key, &changed].contains(&&here.key(&job, &files)));
        std::fs::remove_file(&files[0]).expect("a file");
        here.forget();
        assert!(![&key, &changed].contains(&&here.key(&job, &files)));
    }

    #[test]
    fn files_that_would_come_first_are_foreseen() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, mut files) = model(&folder.path().join("one"));
        let include = folder.path().join("two/sub");
        model(&include);
        files.push(include.join("h.h"));
        let absent = shadows(&files, &[folder.path().join("two"), folder.path().join("three")]);
        for (name, expected) in [
            ("two/h.h", true),
            ("three/h.h", true),
            ("one/sub/h.h", true),
            ("one/h.h", false),
            ("one/x.h", false),
        ] {
            assert_eq!(absent.contains(&folder.path().join(name)), expected, "{name}");
        }
        let context = Context::with(String::new(), String::new());
        assert!(!context.asks_for_files(&files));
        std::fs::write(&files[0], "#if __has_include(\"x.h\")\n#endif").expect("a file");
        context.forget();
        assert!(context.asks_for_files(&files));
    }
}
