//! Programs do the same after lowering as before: both are compiled and run.

use crate::lower::back_to_c::back_to_c;
use frontend::diagnostics::render;
use frontend_c::ir::target::{DataModel, Target};
use frontend_c::lower::{Input, load_program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles and runs a file; `None` where the host cannot do that for the data model, or it does not end.
fn run(file: &Path, include: &[PathBuf], binary: &Path, mode: &str) -> Option<String> {
    let flags = ["-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin", "-O0"];
    let include = include.iter().map(|folder| format!("-I{}", folder.display()));
    let mut command = Command::new("cc");
    command.arg(mode).args(flags).args(include).arg(file).arg("-o").arg(binary).arg("-lm");
    let compiled = command.output();
    let compiled = compiled.expect("a C compiler should be installed");
    if !compiled.status.success() && mode == "-m32" && !can_link_32() {
        return None;
    }
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{} should compile:\n{errors}", file.display());
    let output = Command::new("timeout").arg("5").arg(binary).output().expect("the program should start");
    if output.status.code() == Some(124) {
        return None;
    }
    assert!(output.status.code().is_some(), "{} should not crash", file.display());
    Some(format!("{:?}\n{}", output.status.code(), String::from_utf8_lossy(&output.stdout)))
}

fn can_link_32() -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let file = folder.path().join("empty.c");
    std::fs::write(&file, "int main(void) { return 0; }\n").expect("a temporary file should be possible");
    let compiled =
        Command::new("cc").arg("-m32").arg(&file).arg("-o").arg(folder.path().join("empty")).output();
    compiled.is_ok_and(|output| output.status.success())
}

pub(crate) fn check(source: &Path, include: &[PathBuf], model: DataModel) {
    let mode = if model == DataModel::Lp64 { "-m64" } else { "-m32" };
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let input = Input {
        sources: vec![source.to_owned()],
        include: include.to_owned(),
        target: Target { model },
        ..Input::default()
    };
    let program = load_program(input, None, &[]).unwrap_or_else(|failure| {
        panic!(
            "{} should be read:\n{}",
            source.display(),
            render(&failure.diagnostics, &failure.sources, false)
        )
    });
    let lowered = folder.path().join("lowered.c");
    let text = back_to_c(&program);
    std::fs::write(&lowered, &text).expect("a temporary file should be possible");
    if let Ok(kept) = std::env::var("CHAINCOVER_KEEP") {
        std::fs::write(kept, &text).expect("the file that CHAINCOVER_KEEP names should be writable");
    }
    let Some(expected) = run(source, include, &folder.path().join("original"), mode) else { return };
    let found =
        run(&lowered, &[], &folder.path().join("lowered"), mode).expect("it should end as the original does");
    assert_eq!(found, expected, "{} in {model:?}", source.display());
}

#[test]
fn programs_do_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the programs should be there")
        .map(|entry| entry.expect("the folder should be readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 5, "there should be programs");
    for file in files {
        check(&file, &[], DataModel::Lp64);
        check(&file, &[], DataModel::Ilp32);
    }
}

/// For long runs: all C files of the folder that the variable names, with the include folders of another. `CHAINCOVER_KEEP` names a
/// file for the lowered text of the last one. With csmith:
///
/// ```sh
/// for seed in $(seq 300); do csmith -s $seed --no-argc --no-packed-struct --float --quiet > programs/$seed.c; done
/// CHAINCOVER_PROGRAMS=programs CHAINCOVER_INCLUDE=/usr/include/csmith cargo test -p chaincover-frontend-c --test suite outside -- --ignored
/// ```
#[test]
#[ignore = "needs programs from outside, such as csmith's: CHAINCOVER_PROGRAMS, CHAINCOVER_INCLUDE"]
fn programs_from_outside_do_the_same() {
    let folder = std::env::var("CHAINCOVER_PROGRAMS").expect("CHAINCOVER_PROGRAMS should name a folder");
    let include: Vec<PathBuf> = std::env::var("CHAINCOVER_INCLUDE").iter().map(PathBuf::from).collect();
    let files = std::fs::read_dir(folder).expect("the folder should be readable");
    for file in files.filter_map(|entry| Some(entry.ok()?.path())) {
        if file.extension().is_some_and(|extension| extension == "c") {
            check(&file, &include, DataModel::Lp64);
            check(&file, &include, DataModel::Ilp32);
        }
    }
}
