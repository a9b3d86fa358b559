//! Verdicts about all executions: a table of small texts whose truth is plain, what is written of them,
//! and random programs whose truth the C compiler tells: every state that they reach is tried under all
//! inputs. `CHAINCOVER_RANDOM_PROGRAMS` sets their number, `CHAINCOVER_RANDOM_SEED` the first seed.

mod program;

use crate::support::call;
use program::{Expected, random_program};
use serde_json::Value as Json;
use std::path::Path;

/// The verdicts of a command on one file, and the exit code.
fn verdicts(folder: &Path, command: &str, text: &str, options: &[&str]) -> (Vec<Json>, i32) {
    verdicts_of(folder, command, text, options).unwrap_or_else(|| panic!("no execution\n{text}"))
}

/// The verdicts of a command on one file, and the exit code; `None` where there is no execution.
fn verdicts_of(folder: &Path, command: &str, text: &str, options: &[&str]) -> Option<(Vec<Json>, i32)> {
    std::fs::write(folder.join("m.c"), text).expect("a file");
    let mut arguments = vec![command, "m.c", "--json", "-"];
    if !options.contains(&"--max-k") {
        arguments.extend(["--timeout", "120s"]);
    }
    arguments.extend(options);
    let (code, out, err) = call(folder, &arguments);
    let has_no_step = code == 3 && err.contains("no step is possible");
    if has_no_step || code == 2 && err.contains("admit no execution") {
        return None;
    }
    let file: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("exit code {code}: {err}\n{text}"));
    Some((file["verdicts"].as_array().cloned().unwrap_or_default(), code))
}

/// `m.c:3 violated 4: saw n = 3`, `p proven`, `q undecided 7`.
fn line(verdict: &Json) -> String {
    let name = verdict["name"].as_str().expect("a name");
    let mut line = format!("{name} {}", verdict["verdict"].as_str().expect("a verdict"));
    if let Some(depth) = verdict["depth"].as_u64() {
        line += &format!(" {depth}");
    }
    let found = &verdict["counterexample"];
    if let Some(length) = found["length"].as_u64() {
        let known = if found["minimal"] == "proven" { "" } else { " at most" };
        line += &format!("{known} {length}");
    }
    let saw = found["saw"].as_array().cloned().unwrap_or_default();
    let saw: Vec<String> = saw
        .iter()
        .map(|read| {
            let value = if read["value"].is_object() { &read["value"]["value"] } else { &read["value"] };
            let value = read["named"].as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{} = {value}", read["expression"].as_str().expect("what was read"))
        })
        .collect();
    if !saw.is_empty() {
        line += &format!(": saw {}", saw.join(", "));
    }
    line
}

/// The parts of what a window of several steps requires are judged in the steps they speak of, so
/// that enumeration answers. A window whose parts the evidence does not tell apart is not
/// certified.
#[test]
fn requirements_of_several_steps_are_enumerated() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus/alarm-3");
    let (code, text, err) =
        call(folder.path(), &["prove", model.to_str().expect("a path"), "--proofs", "-o", "out"]);
    assert!(code == 0 && err.contains("13 of 14 claims certified"), "{text}{err}");
    assert_eq!(text.matches("PROVEN (exhaustive: 37 reachable states)").count(), 14, "{text}");
    let (code, text, err) = call(folder.path(), &["verify", "out"]);
    assert!(code == 5 && text.contains("NOT CERTIFIED  unlock_flash"), "{code} {text}{err}");

    // These states are too many for a graph: the evidence is an invariant, or there is none, and
    // neither is an error.
    let text = "unsigned int n, seen; int a, b;\nvoid step(int x) { n++; seen = n; a = b; b = x & 1; }\n\
                void p(int x) { step(x); assert(a == 0 || a == 1); step(x); assert(a == 0 || a == 1); }\n";
    let (found, code) = verdicts(folder.path(), "prove", text, &["--proofs", "-o", "large"]);
    assert_eq!((found.len(), code), (1, 0), "{found:?}");
}

/// A text, options, the verdicts and the exit code of `prove`.
type Case = (&'static str, &'static [&'static str], &'static [&'static str], i32);

const DECLARATIONS: &str = "void __CPROVER_cover(int); void __CPROVER_assume(int); void __CPROVER_assert(int, const char *); void abort(void); void exit(int); \
     void reach_error(void); void __assert_fail(const char *, const char *, unsigned, const char *); extern int nondet_int(void);\n";

const CASES: &[Case] = &[
    // Each of the four.
    (
        "static int n; void step(int up) { if (up && n < 3) n++;\n__CPROVER_assert(n <= 3, \"limit\");\n__CPROVER_assert(n < 3, \"less\");\n\
         __CPROVER_assert(!(n > 3) || up, \"never\"); }",
        &[],
        &["m.c:3 proven", "m.c:4 violated 3: saw n = 3", "m.c:5 vacuous"],
        10,
    ),
    (
        "static unsigned long long h; void step(unsigned char x) { h = (h ^ x) * 1099511628211ULL + 1;\n__CPROVER_assert(h != 0x0123456789abcdefULL, \"far\"); }",
        &["--max-k", "2"],
        &["m.c:3 undecided 3"],
        5,
    ),
    // A premise that is constant is a premise; a formula without one is just true.
    (
        "#define HAS_BRAKE 0\nstatic const int mode = 1;\nstatic int n; void step(int up) { n = (n + (up != 0)) & 3;\n__CPROVER_assert(!(HAS_BRAKE) || n == 7, \"\");\n\
         __CPROVER_assert(!(3 < (signed char)-1) || n == 7, \"\");\n__CPROVER_assert(!(mode == 2) || n == 7, \"\");\n\
         __CPROVER_assert(!(HAS_BRAKE && n) || !(n == 1) || n == 7, \"\");\n__CPROVER_assert(HAS_BRAKE ? n == 7 : 1, \"\");\n\
         __CPROVER_assert(!!(!HAS_BRAKE || n == 7), \"\");\n__CPROVER_assert(!(mode == 1) || n < 4, \"\");\n\
         __CPROVER_assert(mode ? n < 3 : 1, \"\");\n__CPROVER_assert(1 || n == 7, \"\");\n__CPROVER_assert(mode == 1, \"\"); }",
        &[],
        &[
            "m.c:5 vacuous",
            "m.c:6 vacuous",
            "m.c:7 vacuous",
            "m.c:8 vacuous",
            "m.c:9 vacuous",
            "m.c:10 vacuous",
            "m.c:11 proven",
            "m.c:12 violated 3: saw mode = 1, n = 3",
            "m.c:13 proven",
            "m.c:14 proven",
        ],
        10,
    ),
    // A premise stays one where the claim calls functions, and where it is a negation itself.
    (
        "#define IMPLIES(a, c) (!(a) || (c))\nstatic int calls; static int id(int x) { calls = 1 - calls; return x; }\nvoid step(unsigned char u) {\n\
         __CPROVER_assert(!(u > 300) || id(u) == 7, \"\");\n__CPROVER_assert(!(u > 3) || !(u < 2) || id(u) == 7, \"\");\n\
         __CPROVER_assert(u > 300 ? id(u) == 7 : 1, \"\");\n__CPROVER_assert(IMPLIES(!1, u < 1), \"\");\n\
         __CPROVER_assert(!(!(u < 256)) || u < 1, \"\");\n__CPROVER_assert(IMPLIES(u == 9, IMPLIES(u == 8, u)), \"\");\n\
         __CPROVER_assert(!(u == 9) || id(u) == 9, \"\");\n__CPROVER_assert(!(u == 9) || id(u) == 8, \"\");\n\
         __CPROVER_assert(!!(!(u == 9) || id(u) == 9), \"\");\n__CPROVER_assert(!!(u) || u == 0, \"\"); }",
        &["--step", "step"],
        &[
            "m.c:5 vacuous",
            "m.c:6 vacuous",
            "m.c:7 vacuous",
            "m.c:8 vacuous",
            "m.c:9 vacuous",
            "m.c:10 vacuous",
            "m.c:11 proven",
            "m.c:12 violated 1",
            "m.c:13 proven",
            "m.c:14 proven",
        ],
        10,
    ),
    // What comes behind a violation takes nothing back; what comes before it does.
    (
        "static int s; void step(unsigned char x) { __CPROVER_assert(x != 5, \"\");\n__CPROVER_assume(x < 3); s++; }",
        &[],
        &["m.c:2 violated 1: saw x = 5"],
        10,
    ),
    (
        "static int s; void step(unsigned char x) { __CPROVER_assume(x < 3);\n__CPROVER_assert(x != 5, \"\"); s++; }",
        &[],
        &["m.c:3 proven"],
        0,
    ),
    (
        "static int s; void step(unsigned char x) { if (x == 9) abort();\n__CPROVER_assert(x != 9, \"\");\n__CPROVER_assert(x != 8, \"\"); if (x == 8) abort(); }",
        &[],
        &["m.c:3 proven", "m.c:4 violated 1: saw x = 8"],
        10,
    ),
    // No step follows one that ends the program.
    (
        "static int s; void step(unsigned char x) { if (x == 1 && s == 0) { s = 7; exit(1); }\n__CPROVER_assert(s != 7, \"\"); s = x == 2; }",
        &[],
        &["m.c:3 proven"],
        0,
    ),
    // Error functions, and assertions that are written as false, must not be reached.
    (
        "static unsigned char n; void step(unsigned char x) { n = x < 2 ? n + 1 & 3 : 0;\nif (n == 3 && x == 1) reach_error();\nif (n > 3) reach_error();\n\
         if (n == 2 && x == 7) __CPROVER_assert(0, \"\");\nif (n == 9) __assert_fail(\"\", \"\", 1, \"\"); }",
        &[],
        &["m.c:3 violated 3", "m.c:4 proven", "m.c:5 proven", "m.c:6 proven"],
        10,
    ),
    // Windows of several steps; their last claims decide.
    (
        "static unsigned char n; void step(unsigned char x) { n = (n + (x & 1)) & 7; }\n\
         void p(unsigned char x) { __CPROVER_assume(n == 4 && x == 1); step(x); __CPROVER_assume(n == 5); step(x);\n__CPROVER_assert(n != 6, \"\"); }\n\
         void q(unsigned char x) { __CPROVER_assume(n == 4); step(x); step(x); step(x); __CPROVER_assert(n >= 4 && n <= 7, \"\"); }\n\
         void r(unsigned char x) { __CPROVER_assume(n == 4); step(x); __CPROVER_assume(n == 6); step(x); __CPROVER_assert(n == 0, \"\"); }",
        &[],
        &["p violated 6: saw n = 6", "q proven", "r vacuous"],
        10,
    ),
    // A property that assumes what cannot be, and one that reports an error.
    (
        "static unsigned char n; void step(unsigned char x) { n = x; }\n\
         void p(unsigned char x) { __CPROVER_assume(0); step(x); __CPROVER_assert(n == 0, \"\"); }\n\
         void q(unsigned char x) { __CPROVER_assume(x > 3); step(x); if (n == 7) reach_error(); }",
        &[],
        &["p vacuous", "q violated 1"],
        10,
    ),
    // NaN compares with nothing, and what is read of a float is shown.
    (
        "static float v; void step(float x) { v = x * 0.0f;\n__CPROVER_assert(v == 0.0f || v != v, \"\");\n__CPROVER_assert(v == 0.0f, \"\"); }",
        &[],
        &["m.c:3 proven", "m.c:4 violated 1: saw v = \"NaN\""],
        10,
    ),
    (
        "static double v; void step(double x) { __CPROVER_assume(x >= 0.5 && x <= 1.0); v = x;\n__CPROVER_assert(v * 2.0 >= 1.0, \"\"); }",
        &[],
        &["m.c:3 proven"],
        0,
    ),
    // Claims over elements of arrays, and what is read only where it is asked for.
    (
        "static unsigned char t[4], i; void step(unsigned char x) { i = i + 1 & 3; t[i] = x;\n__CPROVER_assert(i != 3 || t[1] <= t[2], \"\"); }",
        &[],
        &["m.c:3 violated 3: saw i = 3, t[1] = 1, t[2] = 0"],
        10,
    ),
    // Each round of a loop is a time of its own.
    (
        "static unsigned char n; void step(unsigned char x) { for (int i = 0; i < 4; i++) { n = n + (x == 9);\n__CPROVER_assert(n != 6, \"\"); } }",
        &[],
        &["m.c:3 violated 2: saw n = 6"],
        10,
    ),
    // A driver loop.
    (
        "int main(void) { int n = 0; while (1) { int x = nondet_int(); if (x == 3) n = n + 1;\n__CPROVER_assert(n < 4, \"\"); if (n > 5) n = 0; } }",
        &[],
        &["m.c:3 violated 4: saw n = 4"],
        10,
    ),
    // Undefined operations, where they are asked for; those of steps that end behind them count.
    (
        "static int t[4], n; void step(unsigned char x, signed char y) { n = 100 / (x - 3);\nt[x & 3] = y;\nt[x] = n;\nif (x < 4) n = n << y; }",
        &["--robustness"],
        &["m.c:2 violated 1", "m.c:4 violated 1", "m.c:5 violated 1", "m.c:5#2 violated 1"],
        10,
    ),
    (
        "static int n; void step(unsigned char x) { int d = 10 / (x - 3);\n__CPROVER_assume(x > 5); n = d;\nn = 10 / (x - 4); }",
        &["--robustness"],
        &["m.c:2 violated 1", "m.c:4 proven"],
        10,
    ),
    (
        "static unsigned n; static int d; void step(unsigned x) { if (n == 9) d = 1 / (int)(x - 1); n = x * 2; }",
        &["--robustness"],
        &["m.c:2 vacuous"],
        0,
    ),
];

#[test]
fn verdicts_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (text, options, expected, code) in CASES {
        let text = format!("{DECLARATIONS}{text}\n");
        let step: &[&str] = if text.contains("main(") { &[] } else { &["--step", "step"] };
        let options = [*options, step].concat();
        let (found, exit) = verdicts(folder.path(), "prove", &text, &options);
        let lines: Vec<String> = found.iter().map(line).collect();
        assert_eq!(lines, *expected, "{text}");
        assert_eq!(exit, *code, "{text}");
    }
}

/// What the covering chain reaches is no longer asked of the engine, with or without a goal of its
/// own.
#[test]
fn chains_show_that_operations_are_reached() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "static int t[4], n; static unsigned a, b = 3; void step(unsigned x) { a = (a + 1) % 4; b = (b + 3) % 4;\n\
                if (a == 3)\nn = t[a + b]; }";
    let options = ["--step", "step", "--robustness", "--coverage", "statement"];
    let (found, _) = verdicts(folder.path(), "chain", text, &options);
    let access = found.iter().find(|verdict| verdict["name"] == "m.c:3").expect("an access");
    assert_eq!(access["verdict"], "proven", "{access}");
    assert_eq!(access["applies"], serde_json::json!({ "chain": 0, "at": 2 }), "{access}");
}

/// A shortest violation runs into no other undefined operation where it can do without.
#[test]
fn counterexamples_avoid_what_they_are_not_about() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "int q, z; void step(signed char a, signed char b, signed char c) {\nq = 100 / a;\nz = 7 % b;\nz = z << c;\n\
                __CPROVER_assert(z != 12, \"\"); }";
    let (found, _) = verdicts(folder.path(), "chain", text, &["--robustness", "-o", "out"]);
    let mut names = Vec::new();
    for verdict in found {
        let at = &verdict["counterexample"];
        let path = folder.path().join("out").join(at["file"].as_str().expect("a file"));
        let file: Json = serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
        let inputs = &file["chains"][0]["steps"][0]["inputs"];
        let number = |name: &str| inputs[name].as_i64().expect("a number");
        let undefined = [number("a") == 0, number("b") == 0, !(0..32).contains(&number("c"))];
        // The overflow of a shift is another one.
        let text = verdict["text"].as_str().unwrap_or("assertion");
        if text != "signed overflow" {
            names.push((text.to_owned(), undefined));
        }
    }
    let expected = [
        ("division by zero".to_owned(), [true, false, false]),
        ("division by zero".to_owned(), [false, true, false]),
        ("shift by a negative amount or by the width or more".to_owned(), [false, false, true]),
        ("assertion".to_owned(), [false, false, false]),
    ];
    for (name, undefined) in &names {
        assert!(expected.contains(&(name.clone(), *undefined)), "{name} {undefined:?}");
    }
    assert_eq!(names.len(), 4, "{names:?}");
}

/// What is undefined in the step whose assertion fails is told: it may be in the assertion itself.
#[test]
fn undefined_operations_in_assertions_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = [
        ("assert(a[i] == i + 1)", Some("out of bounds at m.c:2")),
        ("assert(10 / (i - 1) > 9)", None),
        ("assert(i < 2 || 10 / (i - 2) > 9)", Some("division by zero at m.c:2")),
    ];
    for (assertion, expected) in table {
        let text = format!(
            "#define assert(c) __CPROVER_assert(c, \"\")\nint step(int i) {{ int a[2] = {{1, 2}}; if (i < 0 || i > 2) return 0; {assertion}; return a[0]; }}\n"
        );
        std::fs::write(folder.path().join("m.c"), &text).expect("a file");
        let (code, out, err) = call(folder.path(), &["prove", "m.c", "--timeout", "30"]);
        assert_eq!(code, 10, "{text}{out}{err}");
        match expected {
            Some(expected) => {
                assert!(out.contains("but step 0 runs into") && out.contains(expected), "{out}")
            }
            None => assert!(!out.contains("runs into"), "{text}{out}"),
        }
    }
}

/// Where ranges show that nothing can be undefined, that is said, and is no error.
#[test]
fn safe_operations_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text =
        "static int t[4], n; void step(unsigned char x) { t[x & 3] = x; n = t[x & 1] / 7 + (x << 3); }\n";
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    let (code, out, err) = call(folder.path(), &["prove", "m.c", "--robustness"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("ranges of their operands show that none of them is ever undefined"), "{out}");
    assert_eq!(call(folder.path(), &["prove", "m.c"]).0, 2, "nothing is required");
}

/// Expectations of a configuration, over outputs with a value of the step before.
#[test]
fn expectations_of_configurations_have_verdicts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let code = "enum mode { OFF, ON, HOT }; struct out { enum mode mode; unsigned char level; } Y; static unsigned char n;\n\
                void step(unsigned char up) { n = up ? n + 1 : 0; Y.level = n > 3 ? 3 : n; Y.mode = n == 0 ? OFF : n < 3 ? ON : HOT; }\n";
    let configuration = "[model]\nsources = [\"c.c\"]\nstep = \"step\"\noutputs = [\"Y\"]\n\
        [input.\"step.up\"]\nrange = [0, 1]\n\
        [[goal]]\nname = \"slow\"\nrequirement = \"REQ-1\"\nafter = \"Y.level > 0\"\nexpect = \"Y.level <= old(Y.level) + 1\"\n\
        [[goal]]\nname = \"cool\"\nrequirement = \"REQ-2\"\nwhen = \"up\"\nafter = \"Y.level >= 2\"\nexpect = \"Y.mode == ON\"\n\
        [[goal]]\nname = \"off\"\nafter = \"Y.level == 7\"\nexpect = \"Y.mode == OFF\"\n";
    let configuration = configuration.replace("when = \"up\"", "when = \"step.up\"");
    std::fs::write(folder.path().join("c.c"), code).expect("a file");
    std::fs::write(folder.path().join("chaincover.toml"), configuration).expect("a file");
    let (exit, out, err) = call(folder.path(), &["prove", ".", "--json", "-"]);
    let file: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{exit}: {err}"));
    let lines: Vec<String> = file["verdicts"].as_array().expect("verdicts").iter().map(line).collect();
    assert_eq!(lines, ["slow proven", "cool violated 3: saw Y.mode = HOT", "off vacuous"]);
    assert_eq!(file["verdicts"][1]["counterexample"]["origin"]["file"], "./chaincover.toml");
    let (exit, out, _) = call(folder.path(), &["prove", ".", "REQ-1"]);
    assert_eq!(exit, 0, "{out}");
    assert!(out.contains("1 requirement: 1 proven"), "{out}");
    assert!(out.contains("step.up is from 0 to 1"), "assumptions are named: {out}");
    assert_eq!(call(folder.path(), &["prove", ".", "off"]).0, 20);
    assert_eq!(call(folder.path(), &["prove", ".", "off", "--fail-on", "violated"]).0, 0);
    let (exit, _, err) = call(folder.path(), &["prove", ".", "REQ-9"]);
    assert!(exit == 2 && err.contains("there are slow, cool, off"), "{err}");
}

const LAMP: &str = "void __CPROVER_assert(int, const char *); void __CPROVER_cover(int); static unsigned char n;\n\
    void step(unsigned char up) { if (up) n = n < 6 ? n + 1 : 0;\n__CPROVER_cover(n == 2);\n__CPROVER_assert(n < 5, \"low\");\n__CPROVER_assert(n < 7, \"bound\"); }\n";

/// The chain is what it is without verdicts; violations stand beside it, in it, or nowhere.
#[test]
fn violations_stand_beside_the_chain_or_in_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), LAMP).expect("a file");
    let result = |how: &str| {
        let (code, out, err) = call(folder.path(), &["chain", "m.c", "--violations", how, "--json", "-"]);
        let file: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code}: {err}"));
        (file, code)
    };
    let (beside, code) = result("beside");
    assert_eq!(code, 10);
    let (off, code) = result("off");
    assert_eq!((code, off["verdicts"].is_null()), (0, true));
    assert_eq!(beside["chains"], off["chains"], "verdicts change nothing about the chain");
    let names: Vec<&Json> =
        off["goals"].as_array().expect("goals").iter().map(|goal| &goal["verdict"]).collect();
    assert!(names.iter().all(|verdict| verdict.is_null()), "{names:?}");
    let lines: Vec<String> = beside["verdicts"].as_array().expect("verdicts").iter().map(line).collect();
    assert_eq!(lines, ["m.c:4 violated 5: saw n = 5", "m.c:5 proven"]);
    assert_eq!(beside["summary"]["length"], 2);
    assert_eq!(beside["goals"][1]["verdict"], "violated");
    assert_eq!(beside["goals"][1]["expectation"], "held", "along the chain it holds");
    let (append, code) = result("append");
    assert_eq!(
        (code, &append["summary"]["length"], &append["summary"]["minimal"]),
        (10, &5.into(), &"proven".into())
    );
    assert_eq!(append["goals"][1]["expectation"], "violated");
    assert_eq!(append["summary"]["goals"], 3);
}

/// Counterexamples are results by themselves: they replay, and export as tests that fail.
#[test]
fn counterexamples_are_written_replayed_and_exported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), LAMP).expect("a file");
    let formats = ["--format", "junit,sarif,html"];
    let (code, out, err) = call(folder.path(), &[&["chain", "m.c", "-o", "out"][..], &formats].concat());
    assert_eq!(code, 10, "{err}");
    for part in [
        "VIOLATED, shortest: 5 steps, out/violation_m_c_4.json, replayed on the compiled code",
        "step 4: expect n < 5   saw n = 5   m.c:4",
        "the covering chain does not show it",
        "PROVEN (",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let violation: Json = serde_json::from_str(&read("out/violation_m_c_4.json")).expect("JSON");
    assert_eq!(violation["chains"][0]["length"], 5);
    assert_eq!(violation["summary"]["minimal"], "unknown", "it is no shortest chain for its goals");
    let (code, out, _) = call(folder.path(), &["replay", "out/violation_m_c_4.json"]);
    assert!(code == 10 && out.contains("m.c:4: the expectation is violated"), "{out}");
    let (code, _, err) = call(
        folder.path(),
        &["export", "out/violation_m_c_4.json", "--format", "junit,c,pytest", "-o", "test"],
    );
    assert_eq!(code, 0, "{err}");
    assert!(read("test/junit.xml").contains("failures=\"1\""));
    let junit = read("out/junit.xml");
    assert!(junit.contains("failures=\"1\"") && junit.contains("step 4: expect n &lt; 5"), "{junit}");
    assert!(read("out/chaincover.sarif").contains("violated-requirement"));
    let report = read("out/report.html");
    let tile = report.find("of 2 requirements 1 violated").expect("the verdict on the whole");
    assert!(report[..tile].ends_with("<div class=\"tile bad\"><b>violated</b><span>"), "never green");
    // What an earlier run found is no part of the next result.
    std::fs::write(folder.path().join("m.c"), LAMP.replace("n < 5", "n < 9")).expect("a file");
    let (code, _, err) = call(folder.path(), &["chain", "m.c", "-o", "out"]);
    assert_eq!(code, 0, "{err}");
    assert!(!folder.path().join("out/violation_m_c_4.json").exists(), "{err}");
}

/// What is open about requirements fails a run only where that is asked for.
#[test]
fn exit_codes_tell_what_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "void __CPROVER_assert(int, const char *); void __CPROVER_cover(int); static unsigned long long h;\
                void step(unsigned char x) { h = (h ^ x) * 1099511628211ULL + 1;\n__CPROVER_cover(x == 1);\n\
                __CPROVER_assert(h != 0x0123456789abcdefULL, \"\");\n__CPROVER_assert(!(x == 300) || h > 2, \"\"); }\n";
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    let table: &[(&[&str], i32)] = &[
        (&["chain", "m.c", "--max-k", "2"], 20),
        (&["chain", "m.c", "--max-k", "2", "--fail-on", "violated"], 0),
        (&["chain", "m.c", "--max-k", "2", "--fail-on", "undecided"], 5),
        (&["chain", "m.c", "--max-k", "2", "--fail-on", "vacuous"], 20),
        (&["chain", "m.c", "--max-k", "2", "--fail-on", "uncovered"], 20),
        (&["prove", "m.c", "--max-k", "2"], 5),
        (&["prove", "m.c", "m.c:4"], 20),
        (&["prove", "m.c", "--robustness", "--ub", "forbid"], 2),
        (&["chain", "m.c", "--proofs", "-o", "out", "--violations", "append"], 2),
    ];
    for (arguments, expected) in table {
        // Codes do not depend on the engine; the others would look for the undecided one for long.
        let all = [arguments, &["--step", "step", "--engine", "sat"][..]].concat();
        let (code, out, err) = call(folder.path(), &all);
        assert_eq!(code, *expected, "{arguments:?}: {out}{err}");
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Every verdict is the truth, and every counterexample is as short as any.
#[test]
fn random_programs_have_the_verdicts_that_the_compiler_finds() {
    let count = number("CHAINCOVER_RANDOM_PROGRAMS", 25);
    let first = number("CHAINCOVER_RANDOM_SEED", 1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut seen = [0_u64; 3];
    for seed in first..first + count {
        let program = random_program(seed);
        let is_robust = seed % 2 == 0;
        let expected = program.truth(folder.path(), is_robust);
        let mut options = vec!["--step", "step", "--no-replay"];
        options.extend(if is_robust { &["--robustness"][..] } else { &[] });
        options.extend(if seed % 3 == 0 { &["--engine", "sat"][..] } else { &[] });
        let command = if seed % 4 == 3 { "chain" } else { "prove" };
        let Some((found, _)) = verdicts_of(folder.path(), command, &program.model, &options) else {
            // Without a first step there is no execution, which is an error.
            let violated = |(expected, _): &(Expected, bool)| matches!(expected, Expected::Violated(_));
            assert!(!expected.values().any(violated), "seed {seed}\n{}", program.model);
            continue;
        };
        let is_asked =
            |verdict: &Json| verdict["name"].as_str().is_some_and(|name| expected.contains_key(name));
        assert!(found.iter().all(is_asked), "seed {seed}\n{}", program.model);
        for (name, &(expected, is_certain)) in &expected {
            let Some(verdict) = found.iter().find(|verdict| verdict["name"] == **name) else {
                assert!(!is_certain, "seed {seed}: no {name}\n{}", program.model);
                continue;
            };
            let told = (verdict["verdict"].as_str(), verdict["counterexample"]["length"].as_u64());
            let (kind, truth) = match expected {
                Expected::Violated(length) => (0, (Some("violated"), Some(length))),
                Expected::Holds => (1, (Some("proven"), None)),
                Expected::Never => (2, (Some("vacuous"), None)),
            };
            assert_eq!(told, truth, "seed {seed}, {name}\n{}", program.model);
            if kind == 0 {
                assert_eq!(verdict["counterexample"]["minimal"], "proven", "seed {seed}, {name}");
            }
            seen[kind] += 1;
        }
    }
    println!("{count} programs: {} violated, {} proven, {} vacuous", seen[0], seen[1], seen[2]);
    assert!(seen.iter().all(|&seen| 2 * seen >= count), "{seen:?}");
}
