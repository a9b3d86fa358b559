//! Files hold what is said of wrong inputs, mostly around requirement interfaces, and the exit codes.
//!
//! `input` holds what is given to the program, `expected` the answers.
//! `CHAINCOVER_WRITE_GOLDEN=1 cargo test -p chaincover-cli --test suite golden::` writes them anew.

use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A folder with all inputs, those that are made here among them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(golden().join("input")).expect("the inputs") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, folder.path().join(name)).expect("a copy");
    }
    let many: String = (0..1000).map(|index| format!("req r{index} always guarantee b' = a'\n")).collect();
    let deep = format!("always guarantee {}b'{}", "(".repeat(5000), ")".repeat(5000));
    for (name, rest) in [("many.ri", many), ("deep.ri", format!("req r1 {deep}\n"))] {
        let text = format!("interface made\ninput a : bool\noutput b : bool\n{rest}");
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn chaincover(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.current_dir(folder).env("LC_ALL", "C").args(arguments).output().expect("the program should start")
}

/// What the program said, and how it ended.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = chaincover(folder, arguments);
    let code = output.status.code().expect("an exit code");
    let mut text = format!("$ chaincover {}\nexit code {code}\n", arguments.join(" "));
    for (name, stream) in [("standard output", &output.stdout), ("standard error", &output.stderr)] {
        if !stream.is_empty() {
            let _ = write!(text, "-- {name}\n{}", String::from_utf8_lossy(stream));
        }
    }
    text
}

/// Compares answers with those that are stored.
fn compare(cases: &[(&str, &[&str])]) {
    let folder = folder();
    assert_eq!(chaincover(folder.path(), &["chain", "echo.ri", "-o", "echo"]).status.code(), Some(0));
    let mut differ = Vec::new();
    for (name, arguments) in cases {
        let found = told(folder.path(), arguments);
        assert!(!found.contains("internal error") && !found.contains("panicked"), "{found}");
        let path = golden().join("expected").join(format!("{name}.txt"));
        if std::env::var_os("CHAINCOVER_WRITE_GOLDEN").is_some() {
            std::fs::write(&path, &found).expect("a file");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if found != expected {
            differ.push(format!("{name}: expected\n{expected}\nfound\n{found}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn wrong_interfaces() {
    compare(&[
        ("empty", &["check", "empty.ri"]),
        ("no_file", &["check", "none.ri"]),
        ("no_outputs", &["check", "no_outputs.ri"]),
        ("never", &["check", "never.ri"]),
        ("deep", &["check", "deep.ri"]),
        ("many", &["check", "many.ri", "--timeout", "60s"]),
        ("huge", &["check", "huge.ri"]),
        ("wide", &["check", "wide.ri"]),
        ("product", &["check", "product.ri"]),
        ("bytes", &["check", "bytes.ri"]),
        ("rational", &["check", "rational.ri"]),
        ("rational_game", &["emit", "rational.ri", "--format", "aiger"]),
        ("game_of_c", &["emit", "echo.ri", "--format", "aiger", "--include", "x.h"]),
        ("no_constant", &["check", "echo.ri", "-D", "N=3"]),
        ("no_goal", &["chain", "echo.ri", "--goals", "r2"]),
        ("page_of_c", &["check", "words.sh", "-o", "out"]),
    ]);
}

/// The preprocessor reads what has no end until it takes more memory than it may.
#[test]
fn an_included_file_without_an_end() {
    compare(&[("endless_include", &["check", "endless.c"])]);
}

#[test]
fn wrong_logs() {
    compare(&[
        ("log_without_input", &["monitor", "echo.ri", "no_input.csv"]),
        ("log_with_two_columns", &["monitor", "echo.ri", "twice.csv"]),
        ("log_without_value", &["monitor", "echo.ri", "no_value.csv"]),
        ("log_with_short_lines", &["monitor", "echo.ri", "short.csv"]),
        ("log_without_lines", &["monitor", "echo.ri", "nothing.csv"]),
        ("log_outside", &["monitor", "echo.ri", "outside.csv"]),
        ("log_broken", &["monitor", "echo.ri", "broken.jsonl"]),
        ("log_lines_without_input", &["monitor", "echo.ri", "no_input.jsonl"]),
        ("log_none", &["monitor", "echo.ri", "none.csv"]),
        ("log_goal", &["monitor", "echo.ri", "outside.csv", "--goals", "r7"]),
    ]);
}

#[test]
fn wrong_systems() {
    let run = ["run", "echo/chain.json", "--answer-within", "700ms", "--sut"];
    let systems = ["hangs", "late", "outside", "other", "words", "dies"];
    let commands: Vec<String> = systems.iter().map(|name| format!("sh {name}.sh")).collect();
    let names: Vec<String> = systems.iter().map(|name| format!("system_{name}")).collect();
    let arguments: Vec<Vec<&str>> =
        commands.iter().map(|command| run.iter().copied().chain([command.as_str()]).collect()).collect();
    let cases: Vec<(&str, &[&str])> =
        names.iter().zip(&arguments).map(|(name, arguments)| (name.as_str(), arguments.as_slice())).collect();
    compare(&cases);
}

/// A second answer is noticed when the next request is sent, or when it does not fit it.
#[test]
fn a_system_that_answers_twice() {
    let folder = folder();
    assert_eq!(chaincover(folder.path(), &["chain", "guess.ri", "-o", "guess"]).status.code(), Some(0));
    let script = "while read -r line; do case $line in *reset*) echo '{\"ok\":true}' ;; \
                  *) printf '%s\\n%s\\n' '{\"out\":{\"b\":true},\"step\":0}' '{\"out\":{\"b\":true},\"step\":0}' ;; esac; done";
    let found = told(folder.path(), &["run", "guess/chain.json", "--sut", script]);
    assert!(found.contains("exit code 13") && found.contains("ill-formed"), "{found}");
}

/// Tests that were changed by hand are refused, wherever they are damaged.
#[test]
fn damaged_trees() {
    type Damage = fn(&mut Json);
    let folder = folder();
    let path = folder.path().join("guess/chain.json");
    assert_eq!(chaincover(folder.path(), &["chain", "guess.ri", "-o", "guess"]).status.code(), Some(0));
    let text = std::fs::read_to_string(&path).expect("the result");
    let whole: Json = serde_json::from_str(&text).expect("JSON");
    let tree = whole["chains"][0]["tree"].as_array().expect("a tree").clone();
    assert!(tree.len() > 3 && tree[0]["inputs"].is_object() && tree[1]["watch"].is_array(), "{tree:?}");
    let damages: [(&str, Damage); 9] = [
        ("next beyond the end", |tree| tree[0]["next"] = json!(99)),
        ("next of itself", |tree| tree[0]["next"] = json!(0)),
        ("next that is no number", |tree| tree[0]["next"] = json!("one")),
        ("answer beyond the end", |tree| tree[1]["watch"][0]["next"] = json!(99)),
        ("answer that leads back", |tree| tree[1]["watch"][0]["next"] = json!(0)),
        ("an unknown value", |tree| tree[0]["inputs"]["a"] = json!("maybe")),
        ("an input that is missing", |tree| tree[0]["inputs"] = json!({})),
        ("outputs of another type", |tree| tree[1]["watch"][0]["outputs"]["b"] = json!(3)),
        ("another verdict", |tree| {
            let last = tree.as_array().map_or(0, Vec::len) - 1;
            tree[last]["verdict"] = json!("fail");
        }),
    ];
    let mut found = String::new();
    for (what, damage) in damages {
        let mut damaged = whole.clone();
        damage(&mut damaged["chains"][0]["tree"]);
        assert_ne!(damaged, whole, "{what}");
        std::fs::write(&path, damaged.to_string()).expect("a file");
        let said = told(folder.path(), &["run", "guess/chain.json", "--sut", "guess.ri"]);
        assert!(said.contains("exit code 2\n"), "{what}\n{said}");
        let _ = write!(found, "# {what}\n{said}");
    }
    let stored = golden().join("expected/damaged_trees.txt");
    if std::env::var_os("CHAINCOVER_WRITE_GOLDEN").is_some() {
        std::fs::write(&stored, &found).expect("a file");
    }
    assert_eq!(found, std::fs::read_to_string(&stored).unwrap_or_default());
}
