//! The cases of the corpus in every format: read back, and run as C program.

use crate::export::{FORMATS, export, readers};
use bench::{corpus, expect};
use chaincover::ChainFile;
use chaincover::chain_file::{Expectation, Goal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer chains are not quick.
const STEPS: usize = 40;

/// Cases that differ in numbers alone, such as `window-1` and `window-2`, stand for one another: the
/// last one of each family is tried.
#[test]
fn quick_cases_in_every_format() {
    let quick = |case: &corpus::Case| {
        let expected = expect::read(&case.folder).expect("every case should have an expectation");
        expected.slow.is_none() && expected.length.is_none_or(|length| length <= STEPS)
    };
    let family = |name: &str| name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    let cases = corpus::cases(&corpus_folder(), &[]).expect("the corpus should be readable");
    let last: BTreeMap<String, String> =
        cases.into_iter().filter(quick).map(|case| (family(&case.name), case.name)).collect();
    let is_wanted = |case: &corpus::Case| last.get(&family(&case.name)) == Some(&case.name);
    compare(is_wanted, "300s", |name, said| assert_eq!(said, "", "{name}"));
}

fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus")
}

#[test]
#[ignore = "searches minutes for chains of up to 130 000 steps: cargo test --release -p chaincover-cli --test suite export:: -- --ignored"]
fn every_case_in_every_format() {
    // Where the time is up, the best chain so far is exported, and a message says so.
    compare(|_| true, "100s", |_, _| ());
}

/// Exports the cases and compares what was written.
fn compare(is_wanted: impl Fn(&corpus::Case) -> bool, timeout: &str, judge_messages: impl Fn(&str, &str)) {
    let cases = corpus::cases(&corpus_folder(), &[]).expect("the corpus should be readable");
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut folders = Vec::new();
    for case in cases.into_iter().filter(is_wanted) {
        let folder = root.path().join(&case.name);
        let ended = Command::new(env!("CARGO_BIN_EXE_chaincover"))
            .arg("chain")
            .arg(&case.folder)
            .args(["--quiet", "--no-replay", "--violations", "off", "--timeout", timeout, "--format"])
            .arg(format!("{FORMATS},html"))
            .arg("-o")
            .arg(&folder)
            .output()
            .expect("the program should start");
        judge_messages(&case.name, &String::from_utf8_lossy(&ended.stderr));
        smoothing_never_adds_changes(&case.name, &folder);
        let (code, message) = export(&folder.join("chain.json"), "c", &folder);
        assert_eq!((code, message.as_str()), (Some(0), ""), "{}", case.name);
        run_program(&case.name, &folder);
        folders.push(folder);
    }
    assert!(folders.len() >= 10, "the corpus should be there");
    readers::compare(&folders);
}

fn smoothing_never_adds_changes(name: &str, folder: &Path) {
    let text = std::fs::read_to_string(folder.join("chain.json")).expect("a result");
    let file: ChainFile = serde_json::from_str(&text).expect("a chain file");
    for chain in &file.chains {
        // Chains of models that call the C library's functions stay as they are found.
        let Some(changes) = chain.input_changes else { continue };
        assert!(changes <= chain.raw_input_changes.expect("it was known before, too"), "{name}");
        let counted: usize = chain
            .steps
            .windows(2)
            .map(|pair| {
                file.inputs
                    .iter()
                    .filter(|input| !pair[0].inputs.agrees_on(&input.name, &pair[1].inputs))
                    .count()
            })
            .sum();
        assert_eq!(counted, changes, "{name}");
    }
}

/// Compiles the program and runs it: all outputs as expected. With one expected value changed, it must say so.
fn run_program(name: &str, folder: &Path) {
    let mut sources: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with("_replay.c"))
        .collect();
    sources.sort();
    let text = std::fs::read_to_string(folder.join("chain.json")).expect("a result");
    let file: ChainFile = serde_json::from_str(&text).expect("a chain file");
    assert_eq!(sources.len(), file.chains.len(), "{name}");
    let mut violated = BTreeSet::new();
    for source in sources {
        let (code, said) = compile_and_run(name, &source, folder);
        let told: Vec<&str> = said.lines().filter_map(|line| line.strip_suffix(": VIOLATED")).collect();
        assert_eq!(code, Some(i32::from(!told.is_empty())), "{name}: {said}");
        assert!(said.contains(", 0 wrong outputs"), "{name}: {said}");
        violated.extend(told.into_iter().map(str::to_owned));
    }
    // The program judges by its own means what the evaluator judged.
    let judged = |goal: &&Goal| {
        let stated = file.requirements.iter().find(|stated| stated.name == goal.name);
        stated.is_some_and(|stated| stated.conditions.is_some())
    };
    let goals = file.goals.iter().filter(|goal| goal.expectation == Expectation::Violated).filter(judged);
    let expected: BTreeSet<String> = goals.map(|goal| goal.name.clone()).collect();
    assert_eq!(violated, expected, "{name}");
}

fn compile_and_run(name: &str, source: &Path, folder: &Path) -> (Option<i32>, String) {
    let program = folder.join("replay");
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-O0", "-fwrapv", "-w", "-o"])
        .args([program.as_path(), source])
        .arg("-lm")
        .output()
        .expect("gcc should start");
    assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
    let ended = Command::new(program).output().expect("the program should start");
    (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
}
