//! Which lines of the model the chains execute, as gcov counts them.
//!
//! The replay programs that users get (`--format c`) are compiled with `--coverage` and run; gcov's JSON says how often each line ran.
//! A program that does not reproduce the expected outputs on this host says nothing about the chain and is not taken.

use super::process::{self, Ended};
use super::{CALL_LIMIT, NativeError, confine, shorten};
use frontend::limit::Limit;
use frontend::process::Allowance;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each file, by the path that the program includes it by: lines with code, and whether a chain executes them.
pub type LineCoverage = BTreeMap<String, BTreeMap<u32, bool>>;

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
    #[error("gcov printed something else than expected: {0}")]
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
    /// When all of it has to end.
    pub limit: Limit,
}

/// The lines that these programs execute together.
///
/// # Errors
/// Where a tool is missing, a program does not compile, or its outputs are not those expected.
pub fn lines(programs: &[String], setting: &Setting) -> Result<LineCoverage, CoverageError> {
    let mut all = LineCoverage::new();
    for program in programs {
        let report = run(program, setting)?;
        for file in report.files.iter().filter(|file| file.file != SOURCE) {
            let name = Path::new(&file.file);
            let name = name.strip_prefix(&setting.folder).unwrap_or(name).display().to_string();
            let lines = all.entry(name).or_default();
            for line in file.lines.iter().filter(|line| !setting.apart.contains(&line.function_name)) {
                *lines.entry(line.line_number).or_default() |= line.count > 0;
            }
        }
    }
    Ok(all)
}

/// Name of the program in its folder.
const SOURCE: &str = "chain.c";

fn run(program: &str, setting: &Setting) -> Result<Report, CoverageError> {
    let Setting { folder: includes, options, limit, .. } = setting;
    let allowance = &Allowance { limit: limit.clone(), ..Allowance::new(CALL_LIMIT) };
    let folder =
        tempfile::Builder::new().prefix("chaincover-coverage-").tempdir().map_err(NativeError::Files)?;
    std::fs::write(folder.path().join(SOURCE), program).map_err(NativeError::Files)?;
    let succeed = |words: &str, further: &[String]| -> Result<Ended, NativeError> {
        let command: Vec<String> =
            words.split(' ').map(str::to_owned).chain(further.iter().cloned()).collect();
        let ended = process::call(&command, folder.path(), allowance)?;
        match ended.failure {
            None => Ok(ended),
            Some(_) => {
                Err(NativeError::Compile { command: command.join(" "), output: shorten(&ended.stderr) })
            }
        }
    };
    let mut compile = vec![format!("-I{}", includes.display())];
    compile.extend(options.iter().cloned());
    succeed("cc -std=gnu11 --coverage -O0 -fwrapv -w -c chain.c -o chain.o", &compile)?;
    let link: Vec<String> = options.iter().filter(|option| option.starts_with("-m")).cloned().collect();
    succeed("cc --coverage chain.o -o replay -lm", &link)?;
    let replay = vec!["./replay".to_owned()];
    let confined = confine::confined(&replay, folder.path(), allowance)?;
    let ended = process::call(confined.as_ref().unwrap_or(&replay), folder.path(), allowance)?;
    if let Some(how) = ended.failure {
        return Err(CoverageError::Differs(how));
    }
    Ok(serde_json::from_str(&succeed("gcov --json-format --stdout chain.gcda", &[])?.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
