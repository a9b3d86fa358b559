//! Which lines of the model the chains execute, as gcov or llvm-cov count them.
//!
//! The replay programs that users get (`--format c`) are compiled with `--coverage` and run; gcov's
//! JSON says how often each line ran. A program that does not reproduce the expected outputs on
//! this host says nothing about the chain and is not taken.

mod llvm;

use super::confine::{self, Writing};
use super::process::{self, Ended};
use super::{CALL_LIMIT, NativeError, shorten};
use frontend::limit::Limit;
use frontend::process::Allowance;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A path as measurements name it: without `.`, and without folders that `..` leaves again, which
/// compilers leave out or do not.
pub fn plain_path(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    plain.display().to_string()
}

/// For each file, by the [plain path](plain_path) that the program includes it by: lines with code,
/// and whether a chain executes them.
pub type LineCoverage = BTreeMap<String, BTreeMap<u32, bool>>;

/// How far the conditions of a decision were reached, as gcc counts it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Conditions {
    /// Number of halves: two for each condition.
    pub count: usize,
    /// Conditions, from 0, that never decided while they were true.
    #[serde(default)]
    pub not_covered_true: Vec<usize>,
    /// The same while they were false.
    #[serde(default)]
    pub not_covered_false: Vec<usize>,
}

impl Conditions {
    /// Number of halves of a condition that were reached.
    pub fn reached(&self, condition: usize) -> usize {
        [&self.not_covered_true, &self.not_covered_false]
            .into_iter()
            .filter(|missed| !missed.contains(&condition))
            .count()
    }

    /// Takes over what another run of the same decision reached.
    fn join(&mut self, other: &Self) {
        self.not_covered_true.retain(|condition| other.not_covered_true.contains(condition));
        self.not_covered_false.retain(|condition| other.not_covered_false.contains(condition));
    }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Lines.
    pub lines: LineCoverage,
    /// For each file and line the decisions that gcc has there, in its order; empty unless the
    /// compiler measures conditions.
    pub conditions: BTreeMap<String, BTreeMap<u32, Vec<Conditions>>>,
    /// For each file and line, in which the first of its conditions begins, the decisions that clang
    /// has there, in its order: whether each condition has a pair. Empty unless the compiler
    /// measures pairs.
    pub pairs: BTreeMap<String, BTreeMap<u32, Vec<Vec<bool>>>>,
}

/// Macro that stands for the function that writes what was measured, in programs whose last step ends
/// them.
pub const WRITE_COVERAGE: &str = "CHAINCOVER_WRITE_COVERAGE";

/// A compiler with its coverage tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its name and version, for people.
    pub name: String,
    /// The program that compiles.
    compile: String,
    /// The program that reads what was measured.
    read: String,
    /// Whether it measures conditions.
    pub measures_conditions: bool,
    /// For clang the program that joins what was measured: it measures pairs.
    merge: Option<String>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            name: "cc".to_owned(),
            compile: "cc".to_owned(),
            read: "gcov".to_owned(),
            measures_conditions: false,
            merge: None,
        }
    }
}

/// First version of clang that measures MC/DC.
const WITH_PAIRS: u32 = 18;

/// Names under which newer versions of clang are installed beside the usual one.
const NEWER_CLANG: [u32; 6] = [23, 22, 21, 20, 19, WITH_PAIRS];

/// The first number of a version.
fn major(version: &str) -> Option<u32> {
    version.split('.').next().and_then(|number| number.parse().ok())
}

/// First version of gcc that measures conditions.
const WITH_CONDITIONS: u32 = 14;

/// Names under which newer versions of gcc are installed beside the usual one.
const NEWER: [u32; 4] = [17, 16, 15, WITH_CONDITIONS];

impl Compiler {
    /// The compiler that measures most: gcc with conditions where there is one, else a clang with
    /// pairs.
    pub fn best(limit: &Limit) -> Self {
        let mut all = Self::all(limit);
        if all.is_empty() { Self::usual(limit) } else { all.remove(0) }
    }

    /// One compiler of each kind that measures conditions or pairs.
    pub fn all(limit: &Limit) -> Vec<Self> {
        Self::gcc(limit).into_iter().chain(Self::clang(limit)).collect()
    }

    fn gcc(limit: &Limit) -> Option<Self> {
        let suffixes = NEWER.into_iter().map(|number| format!("-{number}"));
        std::iter::once(String::new()).chain(suffixes).find_map(|suffix| {
            let compile = format!("gcc{suffix}");
            let version = version(&[&compile, "-dumpfullversion"], limit)?;
            let (name, read) = (format!("gcc {version}"), format!("gcov{suffix}"));
            let is_new = major(&version).is_some_and(|major| major >= WITH_CONDITIONS);
            is_new.then_some(Self { name, compile, read, measures_conditions: true, merge: None })
        })
    }

    fn clang(limit: &Limit) -> Option<Self> {
        let suffixes = NEWER_CLANG.into_iter().map(|number| format!("-{number}"));
        std::iter::once(String::new()).chain(suffixes).find_map(|suffix| {
            let compile = format!("clang{suffix}");
            let version = version(&[&compile, "-dumpversion"], limit)?;
            let (read, merge) = (format!("llvm-cov{suffix}"), format!("llvm-profdata{suffix}"));
            let is_new = major(&version).is_some_and(|major| major >= WITH_PAIRS);
            let is_whole = is_new && self::version(&[&read, "--version"], limit).is_some();
            let name = format!("clang {version}");
            is_whole.then_some(Self { name, compile, read, measures_conditions: false, merge: Some(merge) })
        })
    }

    fn usual(limit: &Limit) -> Self {
        match version(&["cc", "-dumpfullversion"], limit) {
            Some(version) => Self { name: format!("cc {version}"), ..Self::default() },
            None => Self::default(),
        }
    }

    /// Whether it measures pairs.
    pub const fn measures_pairs(&self) -> bool {
        self.merge.is_some()
    }
}

/// What a program says of its version; `None` where it cannot be run.
fn version(command: &[&str], limit: &Limit) -> Option<String> {
    let allowance = &Allowance { limit: limit.clone(), ..Allowance::new(CALL_LIMIT) };
    let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
    let ended = process::call(&command, Path::new("."), allowance).ok()?;
    ended.failure.is_none().then(|| ended.stdout.trim().to_owned())
}

/// Why there is no coverage.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// A tool is missing or failed.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// The program ran otherwise than the chain says.
    #[error("the program compiled for this host does not reproduce the chain ({0})")]
    Differs(String),
    /// What gcov printed is not understood.
    #[error("the coverage tool printed something else than expected: {0}")]
    Format(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Report {
    files: Vec<ReportFile>,
}

#[derive(Deserialize)]
struct ReportFile {
    file: String,
    lines: Vec<ReportLine>,
}

#[derive(Deserialize)]
struct ReportLine {
    line_number: u32,
    count: u64,
    #[serde(default)]
    function_name: String,
    #[serde(default)]
    conditions: Vec<Conditions>,
}

/// How the programs are compiled and read.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Where relative paths of what the programs include start from.
    pub folder: PathBuf,
    /// Further options for the compiler, such as include folders.
    pub options: Vec<String>,
    /// Functions that are no part of the model: its properties.
    pub apart: Vec<String>,
    /// What compiles and reads.
    pub compiler: Compiler,
    /// When all of it has to end.
    pub limit: Limit,
}

/// The lines that these programs execute together.
///
/// # Errors
/// Where a tool is missing, a program does not compile, or its outputs are not those expected.
pub fn lines(programs: &[String], setting: &Setting) -> Result<LineCoverage, CoverageError> {
    Ok(measure(programs, setting)?.lines)
}

/// What these programs reach together.
///
/// # Errors
/// As for [`lines`].
pub fn measure(programs: &[String], setting: &Setting) -> Result<Measured, CoverageError> {
    if let Some(merge) = &setting.compiler.merge {
        return llvm::measure(programs, merge, setting);
    }
    let mut all = Measured::default();
    for program in programs {
        let report = run(program, setting)?;
        for file in report.files.iter().filter(|file| file.file != SOURCE) {
            let name = Path::new(&file.file);
            let name = plain_path(name.strip_prefix(&setting.folder).unwrap_or(name));
            let lines = all.lines.entry(name.clone()).or_default();
            let conditions = all.conditions.entry(name).or_default();
            for line in file.lines.iter().filter(|line| !setting.apart.contains(&line.function_name)) {
                *lines.entry(line.line_number).or_default() |= line.count > 0;
                if !line.conditions.is_empty() {
                    join(conditions.entry(line.line_number).or_default(), &line.conditions);
                }
            }
        }
    }
    Ok(all)
}

/// Joins what runs of the same code reached.
fn join(known: &mut Vec<Conditions>, found: &[Conditions]) {
    if known.len() != found.len() {
        known.extend_from_slice(found);
        return;
    }
    known.iter_mut().zip(found).for_each(|(known, found)| known.join(found));
}

/// Name of the program in its folder.
const SOURCE: &str = "chain.c";

/// Name of the file in which gcc's instrumentation leaves what it counted.
const MEASURED: &str = "chain.gcda";

/// Folder of [`ASSERT`] in that of the program.
const HEADERS: &str = "headers";

/// What stands for the compiler's `assert.h`: chains go on behind a violated assertion, whose
/// condition is a branch all the same.
const ASSERT: &str = "#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
static volatile int chaincover_violated;
#define assert(condition) ((condition) ? (void)0 : (void)(chaincover_violated = 1))
#endif
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
";

/// A folder in which programs are compiled and run.
struct Workshop<'s> {
    folder: tempfile::TempDir,
    setting: &'s Setting,
    allowance: Allowance,
}

impl<'s> Workshop<'s> {
    fn new(setting: &'s Setting) -> Result<Self, CoverageError> {
        let allowance = Allowance { limit: setting.limit.clone(), ..Allowance::new(CALL_LIMIT) };
        let folder =
            tempfile::Builder::new().prefix("chaincover-coverage-").tempdir().map_err(NativeError::Files)?;
        let headers = folder.path().join(HEADERS);
        std::fs::create_dir(&headers)
            .and_then(|()| std::fs::write(headers.join("assert.h"), ASSERT))
            .map_err(NativeError::Files)?;
        Ok(Self { folder, setting, allowance })
    }

    fn write(&self, program: &str) -> Result<(), CoverageError> {
        Ok(std::fs::write(self.folder.path().join(SOURCE), program).map_err(NativeError::Files)?)
    }

    /// Runs a tool that has to succeed.
    fn succeed(&self, words: &str, further: &[String]) -> Result<Ended, NativeError> {
        let command: Vec<String> =
            words.split(' ').map(str::to_owned).chain(further.iter().cloned()).collect();
        let ended = process::call(&command, self.folder.path(), &self.allowance)?;
        match ended.failure {
            None => Ok(ended),
            Some(_) => {
                Err(NativeError::Compile { command: command.join(" "), output: shorten(&ended.stderr) })
            }
        }
    }

    /// Compiles and links the program, with options for both.
    fn compile(&self, measuring: &str) -> Result<(), NativeError> {
        let Setting { folder: includes, options, compiler, .. } = self.setting;
        let mut compile = vec![format!("-I{}", includes.display()), format!("-isystem{HEADERS}")];
        compile.extend(options.iter().cloned());
        let cc = &compiler.compile;
        let write = if compiler.measures_pairs() { "__llvm_profile_write_file" } else { "__gcov_dump" };
        let write = format!("-D{WRITE_COVERAGE}={write}");
        self.succeed(
            &format!("{cc} -std=gnu11 {measuring} {write} -O0 -fwrapv -w -c {SOURCE} -o chain.o"),
            &compile,
        )?;
        let link: Vec<String> = options.iter().filter(|option| option.starts_with("-m")).cloned().collect();
        self.succeed(&format!("{cc} {measuring} chain.o -o replay -lm"), &link)?;
        Ok(())
    }

    /// Runs the compiled program.
    fn replay(&self) -> Result<(), CoverageError> {
        let replay = vec!["./replay".to_owned()];
        let folder = self.folder.path();
        // The program makes no files: what it measures goes where files are already.
        for name in [MEASURED, llvm::RAW] {
            std::fs::write(folder.join(name), "").map_err(NativeError::Files)?;
        }
        let confined = confine::confined(&replay, folder, Writing::Present, &self.allowance)?;
        let ended = process::call(&confined.command, folder, &self.allowance)?;
        ended.failure.map_or(Ok(()), |how| Err(CoverageError::Differs(how)))
    }
}

fn run(program: &str, setting: &Setting) -> Result<Report, CoverageError> {
    let workshop = Workshop::new(setting)?;
    workshop.write(program)?;
    let Compiler { read, measures_conditions, .. } = &setting.compiler;
    workshop.compile(if *measures_conditions { "--coverage -fcondition-coverage" } else { "--coverage" })?;
    workshop.replay()?;
    let conditions = if *measures_conditions { " --conditions" } else { "" };
    let read = format!("{read} --json-format{conditions} --stdout {MEASURED}");
    Ok(serde_json::from_str(&workshop.succeed(&read, &[])?.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_joined() {
        let line = |missed_true: &str, missed_false: &str| -> ReportLine {
            let text = format!(
                r#"{{ "line_number": 3, "count": 1, "conditions": [ {{ "count": 4, "covered": 2,
                "not_covered_true": [{missed_true}], "not_covered_false": [{missed_false}] }} ] }}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let mut known = Vec::new();
        join(&mut known, &line("0, 1", "1").conditions);
        assert_eq!([0, 1].map(|condition| known[0].reached(condition)), [1, 0]);
        join(&mut known, &line("1", "0, 1").conditions);
        assert_eq!([0, 1].map(|condition| known[0].reached(condition)), [2, 0]);
        join(&mut known, &line("", "").conditions);
        assert_eq!([0, 1].map(|condition| known[0].reached(condition)), [2, 2]);
    }

    #[test]
    fn folders_that_are_left_again_are_left_out() {
        for (path, plain) in [
            ("a/../b/m.c", "b/m.c"),
            ("./m.c", "m.c"),
            ("../m.c", "../m.c"),
            ("../../a/./b/../m.c", "../../a/m.c"),
            ("/x/../m.c", "/m.c"),
        ] {
            assert_eq!(plain_path(Path::new(path)), plain);
        }
    }

    #[test]
    fn lines_that_run_are_told_from_those_that_do_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let model = "int level;\nvoid step(int up) {\n    if (up)\n        level++;\n    else\n        level--;\n}\n\
                     void p_1(void) {\n    step(1);\n}\n";
        std::fs::write(folder.path().join("sub/model.c"), model).unwrap();
        let program = |up: u8, level: i8| {
            format!("#include \"sub/model.c\"\nint main(void) {{ step({up}); return level != {level}; }}\n")
        };
        let setting =
            Setting { folder: folder.path().to_owned(), apart: vec!["p_1".to_owned()], ..Setting::default() };
        let found = lines(&[program(1, 1)], &setting).unwrap();
        let lines_of = |found: &LineCoverage| {
            found["sub/model.c"].iter().map(|(&line, &ran)| (line, ran)).collect::<Vec<_>>()
        };
        assert_eq!(lines_of(&found), [(2, true), (3, true), (4, true), (6, false), (7, true)]);
        let both = lines(&[program(1, 1), program(0, -1)], &setting).unwrap();
        assert!(both["sub/model.c"].values().all(|&ran| ran));
        let wrong = lines(&[program(1, 2)], &setting).unwrap_err().to_string();
        assert!(wrong.contains("exit code 1"), "{wrong}");
    }
}
