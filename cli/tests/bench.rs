//! `chaincover bench` as a user calls it, and the strategies on the corpus.

use bench::subject;
use bench::{corpus, expect};
use chaincover::chain_file::Minimal;
use chaincover::{Minimality, Options, Silent, Strategy, find_chains};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus")
}

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.arg("bench").args(arguments).output().expect("the program should start")
}

/// The quick run on a part of the corpus: expectations are met, all forms of output are written.
#[test]
fn a_quick_run_meets_the_expectations() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (csv, json) = (path("rows.csv"), path("rows.json"));
    let corpus = corpus_folder().display().to_string();
    let output = bench(&[
        "cruise-1",
        "example-1",
        "window-ext-3",
        "--quick",
        "--corpus",
        &corpus,
        "--csv",
        &csv,
        "--json",
        &json,
        "--markdown",
        "-",
        "--strategy",
        "exact,paper-refine,random",
    ]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let markdown = String::from_utf8_lossy(&output.stdout);
    assert!(markdown.contains("| cruise-1 | exact | 1 | 9 | 9 | proven | 4/4 |"), "{markdown}");
    let rows = std::fs::read_to_string(csv).expect("a CSV file");
    assert!(rows.starts_with("case,strategy,tcs,len,bound,minimal,goals,"), "{rows}");
    assert_eq!(rows.lines().count(), 10, "{rows}");
    let json: Json =
        serde_json::from_str(&std::fs::read_to_string(json).expect("a JSON file")).expect("JSON");
    assert_eq!(json["rows"][0]["len"], 9);
    assert_eq!(json["rows"][0]["replayed"], true);
    assert!(json["machine"]["cpu"].is_string());
}

/// A corpus whose expectation is wrong makes the run fail.
#[test]
fn a_broken_expectation_fails_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let case = folder.path().join("case");
    std::fs::create_dir(&case).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(case.join(name), text).expect("a file");
    write("m.c", "unsigned char n, go;\nvoid step(void) { if (go && n < 3) n++; }\n");
    write(
        "chaincover.toml",
        "[model]\nsources = [\"m.c\"]\nstep = \"step\"\ninputs = [\"go\"]\n[[goal]]\nname = \"top\"\nwhen = \"n == 3\"\n",
    );
    let corpus = folder.path().display().to_string();
    for (length, code) in [(4, 0), (5, 10)] {
        write("expect.toml", &format!("chains = 1\nlength = {length}\nminimal = \"proven\"\n"));
        let output = bench(&["--quick", "--quiet", "--corpus", &corpus]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert_eq!(errors.contains("length: expected 5, found 4"), code == 10, "{errors}");
    }
}

#[test]
fn unknown_names_are_refused() {
    let corpus = corpus_folder().display().to_string();
    for (arguments, message) in [
        (&["no-such-case"][..], "selects no case"),
        (&["cruise-1", "--strategy", "fast"][..], "unknown name `fast`"),
        (&["connected-x"][..], "selects no case"),
    ] {
        let output = bench(&[arguments, &["--corpus", &corpus]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

/// Members of all families are understood; those of few states are covered.
#[test]
fn members_of_families_are_models() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().display().to_string();
    let names =
        [("connected-3", 0), ("blocks-40", 0), ("oneway-6", 6), ("multistate-4", 4), ("switches-6", 8)];
    let wanted = names.map(|(name, _)| name);
    let output = bench(&[&wanted[..], &["--write", &path]].concat());
    assert_eq!(output.status.code(), Some(0));
    for (name, covered) in names {
        let subject = subject::load(&folder.path().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        if covered == 0 {
            continue;
        }
        let deadline = Some(Instant::now() + Duration::from_secs(60));
        let outcome = find_chains(&subject.model, &Options { deadline, ..Options::default() }, &Silent);
        let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(outcome.covered(), covered, "{name}: {:?}", outcome.goals);
    }
}

/// Nothing finds fewer or shorter chains than the exact search, on any case of the quick corpus.
#[test]
fn exact_is_never_longer_than_any_other_strategy() {
    let cheap = [
        Strategy::PaperRepair,
        Strategy::PaperRefine,
        Strategy::PaperConstraints,
        Strategy::Greedy,
        Strategy::Fshell,
        Strategy::Random,
    ];
    let mut compared = 0;
    for case in corpus::cases(&corpus_folder(), &[]).expect("the corpus should be readable") {
        let expected = expect::read(&case.folder).expect("an expectation");
        // What `exact` finds is compared with the expectation by another test.
        let (Some(chains), Some(length), Some(Minimal::Proven)) =
            (expected.chains, expected.length, expected.minimal)
        else {
            continue;
        };
        if expected.slow.is_some() {
            continue;
        }
        let best = (chains, length as u64);
        let subject = subject::load(&case.folder).unwrap_or_else(|why| panic!("{}: {why}", case.name));
        let possible = subject.model.system.goals.len() - expected.unreachable.len();
        let find = |strategy: Strategy, limit: Duration| {
            let options = Options { strategy, deadline: Some(Instant::now() + limit), ..Options::default() };
            find_chains(&subject.model, &options, &Silent)
                .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        };
        for strategy in cheap {
            let limit = match strategy {
                Strategy::Random | Strategy::Fshell => Duration::from_millis(30),
                _ => Duration::from_millis(200),
            };
            let outcome = find(strategy, limit);
            if outcome.covered() < possible {
                continue;
            }
            let found = (outcome.chains.len(), outcome.length());
            assert!(found >= best, "{}: {strategy} needs {found:?}, exact {best:?}", case.name);
            if outcome.minimal == Minimality::Proven {
                assert_eq!(found, best, "{}: {strategy} claims to be minimal", case.name);
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} comparisons");
}

/// Mutants of cases become a table, which can be written again from what was stored.
#[test]
fn mutants_of_cases_become_a_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (corpus, results) = (corpus_folder().display().to_string(), place("results"));
    let measured =
        ["example-1", "--mutants", "--timeout", "5s", "-q", "--corpus", &corpus, "--results", &results];
    let output = bench(&measured);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(place("results/MUTANTS.md")).expect("a table");
    assert!(text.contains("\n| example-1 | ") && text.contains("| goal chain |"), "{text}");
    let (stored, again) = (place("results/mutants.json"), place("again"));
    let output = bench(&["--mutants", "--from", &stored, "--results", &again, "--csv", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("model,mutants,killed,"));
    assert_eq!(std::fs::read_to_string(place("again/MUTANTS.md")).expect("a table"), text);
}
