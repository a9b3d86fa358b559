//! Every case of the corpus, through the program as a user calls it, against its `expect.toml`.
//!
//! The expectations were computed by an explicit search that shares no code with this tool (`scripts/oracle`). Cases that
//! their `expect.toml` calls slow belong to the benchmarks.

use bench::{corpus, expect};
use chaincover::ChainFile;
use serde_json::json;
use std::path::Path;
use std::process::Command;

#[test]
fn every_case_gives_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus");
    let cases = corpus::cases(&folder, &[]).expect("the corpus should be readable");
    assert!(cases.len() > 20, "the corpus should be there");
    let mut failures = Vec::new();
    for case in cases {
        let expected = expect::read(&case.folder).expect("every case should have an expectation");
        if expected.slow.is_none()
            && let Err(why) = check(&case, &expected, &[])
        {
            failures.push(format!("{}: {why}", case.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_solver_gives_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus");
    let names = ["alarm-2", "elevator-1", "light", "window-ext-1"].map(str::to_owned);
    let cases = corpus::cases(&folder, &names).expect("the corpus should be readable");
    assert_eq!(cases.len(), names.len(), "the cases should be there");
    for case in cases {
        let expected = expect::read(&case.folder).expect("every case should have an expectation");
        for solver in ["cadical", "varisat"] {
            check(&case, &expected, &["--solver", solver])
                .unwrap_or_else(|why| panic!("{} with {solver}: {why}", case.name));
        }
    }
}

fn check(case: &corpus::Case, expected: &expect::Expected, options: &[&str]) -> Result<(), String> {
    let program = Command::new(env!("CARGO_BIN_EXE_chaincover"))
        .arg("chain")
        .arg(&case.folder)
        .args(options)
        .args(["--json", "-", "--quiet", "--timeout", "300s", "--violations", "off"])
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&program.stderr);
    let file: ChainFile =
        serde_json::from_slice(&program.stdout).map_err(|error| format!("{error}: {said}"))?;
    let mut differences = expect::differences(expected, &file);
    if file.chains.iter().any(|chain| chain.replayed != json!(true)) {
        differences.push("not every chain was replayed on the compiled code".to_owned());
    }
    let exit = if !expected.violated.is_empty() {
        10
    } else if !expected.unreachable.is_empty() {
        20
    } else {
        0
    };
    if program.status.code() != Some(exit) {
        differences.push(format!("exit code {:?} instead of {exit}", program.status.code()));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}
