//! Old tests, adapted chains, and differences of versions, as a user calls them.

use crate::support::call;
use std::io::Write;
use std::process::{Command, Stdio};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

const LIFT: &str = "typedef enum { IDLE, UP, DOWN } command; int height; _Bool alarm;
void step(command go, float load) {
  if (load > 2.5f) { alarm = 1; return; }
  alarm = 0;
  if (go == UP && height < 4) height++;
  if (go == DOWN && height > 0) height--;
  __CPROVER_cover(height == 3);
  __CPROVER_cover(height == 1 && go == DOWN);
}
";

#[test]
fn a_folder_of_results_is_a_start() {
    let folder = folder(&[("lift.c", LIFT)]);
    let formats = "csv,csv-veristand,csv-canoe,csv-simulink,csv-fmi,junit,trace,html";
    let (code, _, err) = call(folder.path(), &["chain", "lift.c", "-o", "out", "--format", formats]);
    assert_eq!(code, 0, "{err}");
    // All tables hold the one chain.
    let (code, out, err) = call(folder.path(), &["chain", "lift.c", "--start-from", "out"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("2 of 2 goals covered, one chain of 5 steps, proven minimal"), "{out}");
    for expected in [
        "old tests: 1 test, 5 steps, cover 2 of 2 goals",
        "old tests: out/junit.xml was left out: <testsuites> is no <testcase> of Test-Comp",
        "old tests: out/traceability.csv was left out: it is a table without any input of the model",
    ] {
        assert!(err.contains(expected), "{err}");
    }
    let table = [
        (vec!["--start-from", "out/junit.xml"], "<testsuites> is no <testcase> of Test-Comp"),
        (vec!["--start-from", "nothing.csv"], "nothing.csv: "),
        (vec!["--start-from", "."], "there are no tests in this folder"),
        (vec!["--start-from", "out", "--strategy", "greedy"], "--start-from needs the strategy `exact`"),
    ];
    for (more, expected) in table {
        let (code, _, err) = call(folder.path(), &[vec!["chain", "lift.c"], more.clone()].concat());
        assert_eq!(code, 2, "{more:?} {err}");
        assert!(err.contains(expected), "{more:?} {err}");
    }
}

#[test]
fn all_tests_that_do_not_fit_are_told_with_their_lines() {
    let files = [
        (
            "m.c",
            "int n; void step(unsigned char by) { __CPROVER_assume(by < 4); n += by; __CPROVER_cover(n == 7); }",
        ),
        ("a.csv", "by\n1\n9\n"),
        ("b.csv", "by\n1\n1000\n"),
        ("c.csv", "by\n3\n3\n1\n"),
    ];
    let folder = folder(&files);
    let arguments = ["chain", "m.c", "--start-from", "a.csv", "b.csv", "c.csv"];
    let (code, _, err) = call(folder.path(), &arguments);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("a.csv:3: step 1: an assumption of the model does not hold"), "{err}");
    assert!(err.contains("b.csv:3: `1000` is no value of type unsigned char for by"), "{err}");
    assert!(!err.contains("c.csv"), "{err}");
}

/// Asks for inputs by calls, some of them only in some steps, and one without using it.
const CALLS: &str = "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
int main(void) {
  int limit = __VERIFIER_nondet_int(), n = 0;
  while (1) {
    int x = __VERIFIER_nondet_int();
    if (x == 7) { char y = __VERIFIER_nondet_char(); if (y == -3) n++; __VERIFIER_nondet_char(); }
    else if (n == 1) n = 2;
    if (n == 4 && limit == 12) reach_error();
  }
}
";

const FEED: &str = "#include <stdio.h>
#include <stdlib.h>
static long next(void) { long v; if (scanf(\"%ld\", &v) != 1) exit(3); return v; }
int __VERIFIER_nondet_int(void) { return next(); }
char __VERIFIER_nondet_char(void) { return next(); }
void reach_error(void) { exit(getchar() == '\\n' && getchar() == EOF ? 42 : 1); }
";

#[test]
fn test_inputs_are_what_the_compiled_program_asks_for() {
    let folder = folder(&[("calls.c", CALLS), ("feed.c", FEED)]);
    let (code, _, err) = call(folder.path(), &["chain", "calls.c", "-o", "out", "--format", "test-comp"]);
    assert_eq!(code, 10, "{err}");
    let text = std::fs::read_to_string(folder.path().join("out/chain_testcomp.xml")).expect("test inputs");
    let value = |line: &str| {
        let (_, rest) = line.split_once("<input")?.1.split_once('>')?;
        Some(rest.split_once('<')?.0.to_owned() + "\n")
    };
    let values: String = text.lines().filter_map(value).collect();
    let mut compile = Command::new("cc");
    compile.current_dir(&folder).args(["-w", "-fsigned-char", "-o", "fed", "calls.c", "feed.c"]);
    assert!(compile.status().expect("a C compiler").success());
    let mut fed = Command::new(folder.path().join("fed"));
    let mut fed = fed.stdin(Stdio::piped()).spawn().expect("the program should start");
    fed.stdin.take().expect("a pipe").write_all(values.as_bytes()).expect("the program should read");
    assert_eq!(fed.wait().expect("an end").code(), Some(42), "{text}");
    let arguments = ["chain", "calls.c", "--start-from", "out/chain_testcomp.xml"];
    let (_, _, err) = call(folder.path(), &arguments);
    assert!(err.contains("cover 1 of 1 goals"), "{err}");
    // Of a list that is cut short whole steps count; the values need no names.
    let few = format!("<testcase>{}</testcase>", "<input>7</input>".repeat(3));
    std::fs::write(folder.path().join("few.xml"), few).expect("a file");
    let (_, _, err) = call(folder.path(), &["chain", "calls.c", "--start-from", "few.xml"]);
    assert!(err.contains("old tests: 1 test, 0 steps, cover 0 of 1 goals"), "{err}");
    let (code, _, err) = call(folder.path(), &["chain", "feed.c", "--step", "next"]);
    assert_ne!(code, 0, "{err}");
}

#[test]
fn chains_are_adapted_to_changed_code() {
    let folder = folder(&[("lift.c", LIFT)]);
    assert_eq!(call(folder.path(), &["chain", "lift.c", "-o", "out"]).0, 0);
    let (code, out, err) = call(folder.path(), &["adapt", "out/chain.json", "lift.c"]);
    assert_eq!(code, 0, "{err}");
    let same = "chain 1: 5 -> 5 steps; 0 steps edited, fewest possible (proven); no shorter one has as few";
    assert!(out.contains(same), "{out}");
    // The input has another name, there is a new one, and the lift is one floor slower.
    let changed = LIFT
        .replace("float load", "float mass, _Bool key")
        .replace("load > 2.5f", "mass > 2.5f || key")
        .replace("height == 3", "height == 4");
    std::fs::write(folder.path().join("lift.c"), changed).expect("a file");
    let (code, out, err) = call(
        folder.path(),
        &["adapt", "out/chain.json", "lift.c", "--rename", "load=mass", "--json", "new.json"],
    );
    assert_eq!(code, 0, "{err}");
    for expected in [
        "the input key is new: it has 0 in every old step",
        "the old goal lift.c:7 has its name of a line, and the code has changed",
        "chain 1: 5 -> 7 steps; 2 steps edited, fewest possible (proven); no shorter one has as few",
        "step 3 is new: go = ",
        "2 of 2 goals covered, one chain of 7 steps",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert_eq!(call(folder.path(), &["replay", "new.json"]).0, 0);
    std::fs::write(folder.path().join("feed.c"), "int n; void step(_Bool up) { n += up; }").expect("a file");
    let table = [
        (vec!["out/chain.json", "lift.c", "--rename", "weight=mass"], "has no input or output weight"),
        (vec!["out/chain.json", "lift.c", "--rename", "mass"], "two names with = between them"),
        (vec!["out/chain.csv", "lift.c"], "there is no column for the input mass"),
        (vec!["lift.c", "lift.c"], "lift.c is no old chain"),
        (
            vec!["out/chain.json", "feed.c"],
            "a chain of another model: none of its inputs (go, load) is one of this model (up)",
        ),
        (vec!["out/chain.json", "lift.c", "--strategy", "greedy"], "adapt needs the strategy `exact`"),
    ];
    for (arguments, expected) in table {
        let (code, _, err) = call(folder.path(), &[vec!["adapt"], arguments.clone()].concat());
        assert_eq!(code, 2, "{arguments:?} {err}");
        assert!(err.contains(expected), "{arguments:?} {err}");
    }
}

#[test]
fn differences_of_versions_have_their_exit_codes() {
    let version = |limit: u8, more: &str| {
        format!("void abort(void); int n; void step(_Bool up) {{ if (up && n < {limit}) n++; {more} }}")
    };
    let folder = folder(&[
        ("old.c", &version(3, "")),
        ("same.c", &version(3, "if (n > 5) n = 0;")),
        ("more.c", &version(4, "")),
        ("first.c", &version(3, "n++;")),
        ("ends.c", &version(3, "if (n == 3) abort();")),
        ("wide.c", &version(3, "").replace("int n", "long long n")),
    ]);
    let table = [
        ("same.c", 0, "no output ever differs, and both go on alike"),
        ("first.c", 10, "outputs differ after 1 step (proven shortest)"),
        ("more.c", 10, "outputs differ after 4 steps (proven shortest)"),
        ("more.c", 10, "n: old 3, new 4"),
        ("ends.c", 10, "in step 2 the new version runs into this, and the old one goes on (proven shortest)"),
        ("wide.c", 2, "its output n has another type"),
        ("nothing.c", 2, "nothing.c"),
    ];
    for (new, expected_code, expected) in table {
        let (code, out, err) = call(folder.path(), &["adapt", "--difference", "old.c", new]);
        assert_eq!(code, expected_code, "{new} {err}");
        assert!((out.clone() + &err).contains(expected), "{new}: {out} {err}");
    }
    // Where the old version never does what C defines, nothing but that tells them apart.
    std::fs::write(folder.path().join("void.c"), version(3, "n = n / (n - n);")).expect("a file");
    std::fs::write(folder.path().join("other.c"), version(4, "n = 2 / (n * 0);")).expect("a file");
    let (code, out, err) = call(folder.path(), &["adapt", "--difference", "void.c", "old.c"]);
    assert_eq!(code, 10, "{err}");
    assert!(out.contains("in step 0 the old version runs into this, and the new one goes on"), "{out}");
    let (code, out, err) = call(folder.path(), &["adapt", "--difference", "void.c", "other.c"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("has no execution in which it does only what C defines"), "{out}");
}

/// Goals of coverage are those of the old result; what is lost can fail; the result is written.
#[test]
fn adapted_chains_have_the_goals_of_the_old_ones() {
    let code = "int n; void step(_Bool up) { if (up && n < 3) n++;\n__CPROVER_cover(n == 3 && up);\n}\n";
    let folder = folder(&[("m.c", code)]);
    let old = ["chain", "m.c", "--coverage", "decision,mcdc", "-q", "-o", "old"];
    assert_eq!(call(folder.path(), &old).0, 0);
    let adapt = ["adapt", "old/chain.json", "m.c", "-o", "new", "--fail-on", "lost,undecided"];
    let (exit, out, _) = call(folder.path(), &adapt);
    assert!(exit == 0 && !out.contains("any more"), "{out}");
    assert_eq!(call(folder.path(), &["replay", "new/chain.json"]).0, 0);
    std::fs::write(folder.path().join("m.c"), code.replace("n++", "n = 1")).expect("a file");
    let (exit, out, _) = call(folder.path(), &adapt);
    assert!(exit == 20 && out.contains("lost goals: ") && out.contains("n < 3 false (unreachable)"), "{out}");
}

#[test]
fn a_difference_is_written_as_a_result_of_each_version() {
    let folder = folder(&[
        ("old.c", "int n; void step(_Bool up) { if (up && n < 3) n++; }"),
        ("goals.c", "int n; void step(_Bool up) { if (up && n < 3) n++; __CPROVER_cover(n == 2); }"),
        ("same.c", "int n; void step(_Bool up) { if (n < 3 && up) n++; }"),
        ("more.c", "int n; void step(_Bool up) { if (up && n < 4) n++; }"),
        (
            "ends.c",
            "void abort(void); int n; void step(_Bool up) { if (up && n < 3) n++; if (n == 3) abort(); }",
        ),
    ]);
    let at = |name: &str| folder.path().join("out").join(name);
    let (code, out, err) = call(
        folder.path(),
        &["adapt", "--difference", "old.c", "more.c", "-o", "out", "--json", "found.json"],
    );
    assert_eq!(code, 10, "{err}");
    assert_eq!(out, "", "the result goes to the file");
    let found = std::fs::read_to_string(folder.path().join("found.json")).expect("a file");
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["schema"], "chaincover/difference/1");
    assert_eq!((&found["result"], &found["steps"]), (&"outputs".into(), &4.into()));
    assert_eq!(found["executions"]["new"][3]["outputs"]["n"], 4);
    assert_eq!(found["executions"]["old"][3]["outputs"]["n"], 3);
    for name in ["difference_1.json", "difference_1_old.json"] {
        assert_eq!(call(folder.path(), &["replay", &format!("out/{name}")]).0, 0, "{name}");
    }
    let exported = call(folder.path(), &["export", "out/difference_1.json", "--format", "csv", "-o", "csv"]);
    assert_eq!(exported.0, 0, "{exported:?}");

    // Goals that occur along it are covered in it, one by the covering chain of no search.
    let goals = ["adapt", "--difference", "goals.c", "more.c", "-o", "goals"];
    assert_eq!(call(folder.path(), &goals).0, 10);
    let (code, out, err) = call(folder.path(), &["replay", "goals/difference_1_old.json"]);
    assert!(code == 0 && out.contains("1 of 1 goals covered"), "{out}{err}");

    let (code, out, _) = call(folder.path(), &["adapt", "--difference", "old.c", "ends.c", "-o", "out"]);
    assert_eq!(code, 10);
    assert!(out.contains("difference_1_old.json: the old version"), "{out}");
    assert!(!at("difference_1.json").exists(), "the new version ends: it has no such execution");
    assert_eq!(call(folder.path(), &["replay", "out/difference_1_old.json"]).0, 0);

    let (code, out, _) =
        call(folder.path(), &["adapt", "--difference", "old.c", "same.c", "-o", "out", "--json", "-"]);
    assert_eq!(code, 0);
    assert!(out.contains("\"result\": \"none\""), "{out}");
    assert!(!at("difference_1_old.json").exists(), "no difference, no file");

    std::fs::write(at("difference_1.json"), "mine").expect("a file");
    let (code, _, err) = call(folder.path(), &["adapt", "--difference", "old.c", "more.c", "-o", "out"]);
    assert!(code == 2 && err.contains("--force"), "{code} {err}");
    assert_eq!(std::fs::read_to_string(at("difference_1.json")).expect("a file"), "mine");
    let (code, _, err) = call(folder.path(), &["adapt", "old.c", "more.c", "-o", "out"]);
    assert!(code == 2 && err.contains("--difference"), "{code} {err}");
}

#[test]
fn an_adapted_chain_fails_on_stale_and_uncovered_goals_and_broken_justifications() {
    let code = "int n; void step(_Bool up, _Bool off) { if (up) n = 1; if (n < 0) n = 2; if (off) n = 0; }\n";
    let folder = folder(&[("m.c", code), ("old.csv", "up,off\n1,0\n0,1\n")]);
    let coverage = ["--coverage", "decision", "--goals", "none", "--no-replay"];
    let adapt = |events: &str| {
        let arguments = [&["adapt", "old.csv", "m.c"], &coverage[..], &["--fail-on", events]].concat();
        call(folder.path(), &arguments)
    };
    assert_eq!(adapt("lost").0, 0);
    assert_eq!(adapt("stale").0, 0);
    assert_eq!(adapt("uncovered").0, 20, "dead goals are not covered");
    let justified = |goal: &str| {
        let text =
            format!("[[justified]]\ngoal = {goal}\nreason = \"r\"\nauthor = \"a\"\ndate = \"2026-01-31\"\n");
        std::fs::write(folder.path().join("coverage.toml"), text).expect("a file");
    };
    justified("\"m.c:step:decision-00000000:true\"");
    let (code, out, err) = adapt("stale");
    assert_eq!(code, 20, "{out}{err}");
    justified("3");
    let (code, _, err) = adapt("lost");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("coverage.toml"), "{err}");
}

#[test]
fn a_new_name_that_the_model_does_not_have_is_an_error() {
    let code = "int n; void step(_Bool up) { n = up ? n + 1 : 0; __CPROVER_cover(n == 1); }\n";
    let folder = folder(&[("m.c", code), ("new.c", &code.replace("up", "rise"))]);
    assert_eq!(call(folder.path(), &["chain", "m.c", "-o", "out"]).0, 0);
    let adapt = |rename| call(folder.path(), &["adapt", "out/chain.json", "new.c", "--rename", rename]);
    assert_eq!(adapt("up=rise").0, 0);
    let (code, _, err) = adapt("up=raise");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--rename up=raise: the model has no input or output raise"), "{err}");
}

/// Two old chains cover the same: each stays as it was.
#[test]
fn every_old_chain_is_adapted_for_what_it_covered() {
    let code = "int n; void step(_Bool up) { n = up ? n + 1 : 0; __CPROVER_cover(n == 1); }\n";
    let folder = folder(&[("m.c", code), ("old.csv", "chain,up\n0,1\n0,0\n1,0\n1,1\n")]);
    let (code, out, err) = call(folder.path(), &["adapt", "old.csv", "m.c", "--no-replay"]);
    assert_eq!(code, 0, "{err}");
    for expected in ["chain 1: 2 -> 2 steps; 0 steps edited", "chain 2: 2 -> 2 steps; 0 steps edited"] {
        assert!(out.contains(expected), "{out}");
    }
}

/// What tests miss is covered behind the end of one of them; another one ends in a trap.
#[test]
fn what_old_tests_miss_is_added_behind_their_ends() {
    let code = "int n; _Bool stuck;\nvoid step(_Bool up, _Bool stop) {\n\
                if (stop) stuck = 1;\nif (up && !stuck && n < 9) n++;\n\
                __CPROVER_cover(n == 2);\n__CPROVER_cover(n == 5);\n__CPROVER_cover(stuck);\n}\n";
    let up = "1,0\n".repeat(3);
    let folder = folder(&[
        ("m.c", code),
        ("up.csv", &format!("up,stop\n{up}")),
        ("stuck.csv", &format!("up,stop\n{up}0,1\n")),
    ]);
    let arguments = ["chain", "m.c", "--start-from", "up.csv", "stuck.csv", "--json", "r.json", "-o", "out"];
    let (code, _, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    for expected in [
        "complement for the 1 goal that they miss: 2 steps, fewest possible (proven), after up.csv; \
         5 steps, fewest possible (proven), as a chain of its own",
        "the end of stuck.csv is a trap: m.c:6 cannot be reached from there (proven)",
    ] {
        assert!(err.contains(expected), "{err}");
    }
    let json = std::fs::read_to_string(folder.path().join("r.json")).expect("a file");
    let file: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let found = &file["complement"];
    assert_eq!(found["goals"], serde_json::json!(["m.c:6"]));
    assert_eq!(found["behind"][0]["added"], serde_json::json!({"steps": 2, "shortest": true}));
    assert_eq!(found["behind"][1]["out_of_reach"], serde_json::json!(["m.c:6"]));
    assert_eq!(found["alone"], serde_json::json!({"steps": 5, "shortest": true}));
    let (code, out, err) = call(folder.path(), &["replay", "out/complement.json"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("chain 1: 5 steps") && out.contains("2 of 3 goals covered"), "{out}");
    // What the tests and the complement cover together is all; then nothing is missed.
    let arguments = ["chain", "m.c", "--start-from", "stuck.csv", "out/complement.json", "-o", "again"];
    let (code, _, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("cover 3 of 3 goals") && !err.contains("complement"), "{err}");
}
