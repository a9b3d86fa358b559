//! Goals in the code count at the moment at which they are reached, whatever ends the step behind them.
//!
//! A table of small texts whose truth is plain, and random programs whose truth the C compiler tells: each is compiled once and run from
//! every state that it can reach under all inputs. `CHAINCOVER_RANDOM_PROGRAMS` sets their number, `CHAINCOVER_RANDOM_SEED`
//! the first seed.

mod program;

use crate::support::call;
use program::{Text, random_text};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The result of `chain` on one file.
fn chain_file(folder: &Path, text: &str, options: &[&str]) -> Json {
    std::fs::write(folder.join("m.c"), text).expect("a file");
    let mut arguments = vec!["chain", "m.c", "--json", "-", "--timeout", "120s"];
    arguments.extend(options);
    let (code, out, err) = call(folder, &arguments);
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("exit code {code}: {err}\n{text}"))
}

/// One line for each goal (`line 3 covered at 1 violated`), one for each chain.
fn summary(result: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    for goal in result["goals"].as_array().expect("goals") {
        let at = goal["at"].as_u64().map_or_else(String::new, |at| format!(" at {at}"));
        let violated = if goal["expectation"] == "violated" { " violated" } else { "" };
        lines.push(format!("{} {}{at}{violated}", text(&goal["name"]), text(&goal["status"])));
    }
    for chain in result["chains"].as_array().expect("chains") {
        let steps = chain["steps"].as_array().expect("steps");
        let ends = steps.last().and_then(|step| step["ends"].as_str()).unwrap_or("its last step returns");
        let replayed = if chain["replayed"] == true { "replayed" } else { "NOT REPLAYED" };
        lines.push(format!("{} steps, {ends}, {replayed}", steps.len()));
    }
    lines
}

fn text(json: &Json) -> &str {
    json.as_str().expect("a text")
}

/// A text, options, and what is found.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const DECLARATIONS: &str = "void __CPROVER_cover(int); void __CPROVER_assume(int); void __CPROVER_assert(int, const char *); void abort(void); void exit(int); \
     void __assert_fail(const char *, const char *, unsigned, const char *); extern int nondet_int(void);\n";

const CASES: &[Case] = &[
    (
        "int s; void step(int x) { if (x == 3) { __CPROVER_cover(1); exit(1); } s++; }",
        &[],
        &["m.c:2 covered at 0", "1 steps, `exit` is called at m.c:2, replayed"],
    ),
    (
        "int s; void step(int x) { __CPROVER_cover(x == 5); __CPROVER_assume(x < 3); s++; }",
        &[],
        &["m.c:2 covered at 0", "1 steps, an assumption does not hold at m.c:2, replayed"],
    ),
    // What the code reaches first is not reached by what it assumed before.
    (
        "int s; void step(int x) { __CPROVER_assume(x < 3); __CPROVER_cover(x == 5); s++; }",
        &[],
        &["m.c:2 unreachable"],
    ),
    // Error functions as verification tasks have them: empty, with a failing assertion, with an end of the program.
    (
        "void reach_error() { }\nint main() { int n = 0; while (1) { int x = nondet_int(); if (x == 5 && n == 2) { reach_error(); abort(); } n = (n + 1) & 3; } }",
        &[],
        &["m.c:3 covered at 2", "3 steps, `abort` is called at m.c:3, replayed"],
    ),
    (
        "void reach_error() { __assert_fail(\"0\", \"m.c\", 2, \"reach_error\"); }\nint main() { int n = 0; while (1) { int x = nondet_int(); if (x == 5 && n == 2) { reach_error(); abort(); } n = (n + 1) & 3; } }",
        &[],
        &["m.c:3 covered at 2", "3 steps, `__assert_fail` is called at m.c:2, replayed"],
    ),
    (
        "void reach_error() { abort(); }\nint s; void step(int x) { if (x == 5) { s = 1; reach_error(); } s = 2; }",
        &["--step", "step"],
        &["m.c:3 covered at 0", "1 steps, `abort` is called at m.c:2, replayed"],
    ),
    // An assertion with a body of its own ends the program where it fails, and counts all the same.
    (
        "void reach_error() { }\nvoid __VERIFIER_assert(int c) { if (!c) { ERROR: { reach_error(); abort(); } } }\n\
         int main() { int n = 0; while (1) { int x = nondet_int(); n += x & 3;\n__VERIFIER_assert(n < 5);\n__CPROVER_cover(n == 7); } }",
        &[],
        &[
            "m.c:3 covered at 1",
            "m.c:5 covered at 0 violated",
            "m.c:6 unreachable",
            "2 steps, `abort` is called at m.c:3, replayed",
        ],
    ),
    // Failing assertions of the header go on; failed assertions as the C library has them end the program.
    (
        "int s; void step(int x) { __CPROVER_assert(x != 4, \"\");\n__CPROVER_cover(x == 4); s++; }",
        &[],
        &["m.c:2 covered at 0 violated", "m.c:3 covered at 0", "1 steps, its last step returns, replayed"],
    ),
    (
        "int s; void step(int x) { if (x == 4) __assert_fail(\"\", \"\", 1, \"\");\n__CPROVER_cover(x == 4); s++; }",
        &["--step", "step"],
        &[
            "m.c:2 covered at 0 violated",
            "m.c:3 unreachable",
            "1 steps, `__assert_fail` is called at m.c:2, replayed",
        ],
    ),
    // No step follows one that does not return.
    (
        "int s; void step(int x) { __CPROVER_cover(s == 3);\n if (s == 2) { __CPROVER_cover(1);\n abort(); } s++; }",
        &[],
        &["m.c:2 unreachable", "m.c:3 covered at 2", "3 steps, `abort` is called at m.c:4, replayed"],
    ),
    // Goals of whole steps want them to return.
    (
        "int s; void step(int x) { __CPROVER_cover(1);\n if (x > 2) exit(0); s = x; }\n\
         void p(int x) { __CPROVER_assume(x == 5); step(x); }\nvoid q(int x) { __CPROVER_assume(x == 2); step(x); __CPROVER_assume(x == 1); step(x); }",
        &[],
        &[
            "p unreachable",
            "q covered at 0",
            "m.c:2 covered at 0",
            "2 steps, its last step returns, replayed",
        ],
    ),
    // The rounds of a loop before the end count.
    (
        "int s; void step(int x) { for (int i = 0; i < 4; i++) { __CPROVER_cover(i == 2);\n __CPROVER_cover(i == 3);\n if (i == (x & 1) + 1) abort(); } s++; }",
        &[],
        &["m.c:2 covered at 0", "m.c:3 unreachable", "1 steps, `abort` is called at m.c:4, replayed"],
    ),
    (
        "void reach_error(void); int s; void step(int x) { if (x == 5) { s = 1; reach_error(); } s = 2; }\nvoid p(int x) { __CPROVER_assume(x == 5); step(x); }",
        &["--step", "step"],
        &["p unreachable", "m.c:2 covered at 0", "1 steps, `reach_error` is called at m.c:2, replayed"],
    ),
    // Every step ends the program.
    (
        "int s; void step(int x) { if (x > 3) { __CPROVER_cover(1); }\n exit(s); }",
        &["--step", "step"],
        &["m.c:2 covered at 0", "1 steps, `exit` is called at m.c:3, replayed"],
    ),
    // What stands behind the loop of a driver belongs to the step that leaves it.
    (
        "int g; int main() { int s = 0; while (1) { int x = nondet_int(); s += x & 3; g = s; if (s > 6) break; }\n\
         g = 77; __CPROVER_cover(s == 9);\n__CPROVER_cover(s == 10); }",
        &[],
        &["m.c:3 covered at 2", "m.c:4 unreachable", "3 steps, its last step returns, replayed"],
    ),
    (
        "void reach_error(void); int main() { int s = 0; while (1) { int x = nondet_int(); s += x & 3; if (s > 6) break; }\n\
         __CPROVER_assert(s > 6, \"\");\nif (s == 9) reach_error();\nexit(s); }",
        &[],
        &["m.c:3 covered at 2", "m.c:4 covered at 2", "3 steps, `reach_error` is called at m.c:4, replayed"],
    ),
    // Endless loops without inputs, and those whose inputs are memory, are drivers.
    (
        "int main() { unsigned i = 0; while (1) { i = (i + 1) % 10;\n__CPROVER_cover(i == 7);\n__CPROVER_cover(i == 11); } }",
        &[],
        &["m.c:3 covered at 6", "m.c:4 unreachable", "7 steps, its last step returns, replayed"],
    ),
    (
        "volatile int in; int main() { int i = 0; while (1) { int x = in; if (x > 4) i++;\n__CPROVER_cover(i == 2); } }",
        &[],
        &["m.c:3 covered at 1", "2 steps, its last step returns, replayed"],
    ),
    // What a property reports is its oracle: it takes away no execution.
    (
        "void reach_error(void); void __VERIFIER_assert(int c) { if (!c) { reach_error(); abort(); } }\nint s; void step(int x) { s = x; }\n\
         void p(int x) { __CPROVER_assume(x > 3 && x < 5); step(x); __VERIFIER_assert(s != 4); }",
        &[],
        &["p covered at 0 violated", "1 steps, its last step returns, replayed"],
    ),
    // Declarations may leave open what a function takes.
    (
        "void __VERIFIER_assume(); void __ESBMC_assert(); int s; void step(long x) { if (x == 9) __ESBMC_assert(x < 4);\n__VERIFIER_assume(x & 4294967296); s++; }",
        &["--step", "step"],
        &["m.c:2 covered at 0 violated", "1 steps, an assumption does not hold at m.c:3, replayed"],
    ),
    // Undefined operations that are forbidden end an execution: what was reached before counts, what stands behind does not.
    (
        "int n; void step(int x) { __CPROVER_cover(x == 5);\n if (x == 5) n = 1 / (x - 5);\n __CPROVER_cover(x == 5);\n __CPROVER_cover(n == 7); }",
        &["--ub", "forbid"],
        &[
            "m.c:2 covered at 0",
            "m.c:4 unreachable",
            "m.c:5 unreachable",
            "1 steps, division by zero at m.c:3, replayed",
        ],
    ),
    // No step follows, and goals of whole steps want them to return.
    (
        "int n, t[3]; void step(int x) { __CPROVER_cover(n == 4);\n if (n == 2) __CPROVER_cover(x == 9);\n n = t[n] + n + 1; }\nvoid p(int x) { __CPROVER_assume(n == 3); step(x); }",
        &["--ub", "forbid"],
        &[
            "p unreachable",
            "m.c:2 unreachable",
            "m.c:3 covered at 2",
            "3 steps, its last step returns, replayed",
        ],
    ),
    // What assertions compute counts like all other code.
    (
        "int n; void step(int x) { __CPROVER_assert(x != 0, \"\");\n if (!x) __CPROVER_cover(1);\n __CPROVER_assert(9 / x < 9, \"\"); if (!x) __CPROVER_cover(1); }",
        &["--ub", "forbid"],
        &[
            "m.c:2 covered at 0 violated",
            "m.c:3 covered at 1",
            "m.c:4 covered at 0 violated",
            "m.c:4#2 unreachable",
            "2 steps, division by zero at m.c:4, replayed",
        ],
    ),
    // What is printed is computed, and so is what a program ends with.
    (
        "int printf(const char *, ...); int n; void step(int x) { printf(\"%d\\n\", 8 / x);\n__CPROVER_cover(x == 0);\n__CPROVER_cover(x == 2); }",
        &["--ub", "forbid"],
        &["m.c:3 unreachable", "m.c:4 covered at 0", "1 steps, its last step returns, replayed"],
    ),
    // A function of the program under a name that compilers know is the program's.
    (
        "void trap(void); int s; void step(int x) { if (x == 4) trap();\n__CPROVER_cover(x == 4); s++; }",
        &["--step", "step"],
        &["m.c:3 covered at 0", "1 steps, its last step returns, replayed"],
    ),
    (
        "int n; void __assert(int c) { if (!c) n++; } void step(int x) { __assert(x > 0);\n__CPROVER_cover(n == 2); }",
        &["--step", "step"],
        &["m.c:3 covered at 1", "2 steps, its last step returns, replayed"],
    ),
    // A failed assertion ends the program unless the function is defined and returns.
    (
        "int n; void __assert_fail(const char *text, const char *file, unsigned line, const char *name) { n++; }\n\
         void step(int x) { if (x < 0) __assert_fail(\"x\", \"m.c\", 3, \"step\");\n__CPROVER_cover(n == 2); }",
        &["--step", "step"],
        &["m.c:3 covered at 0 violated", "m.c:4 covered at 1", "2 steps, its last step returns, replayed"],
    ),
    (
        "int n; void __assert_fail(const char *text, const char *file, unsigned line, const char *name) { n = 1; abort(); }\n\
         void step(int x) { if (x < 0) __assert_fail(\"x\", \"m.c\", 3, \"step\");\n__CPROVER_cover(x < 0 || n); }",
        &["--step", "step"],
        &[
            "m.c:3 covered at 0 violated",
            "m.c:4 unreachable",
            "1 steps, `abort` is called at m.c:2, replayed",
        ],
    ),
    // A `main` that states goals is meant itself, not the function that it calls.
    (
        "int f(int x) { return x + 1; }\nint main() { int x = nondet_int(); int r = f(x);\n__CPROVER_cover(r == 5); return 0; }",
        &[],
        &["m.c:4 covered at 0", "1 steps, its last step returns, replayed"],
    ),
];

#[test]
fn what_is_reached_before_the_end_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let targets = ["lp64", "ilp32", "ip16"];
    for (position, (text, options, expected)) in CASES.iter().enumerate() {
        let text = format!("{DECLARATIONS}{text}\n");
        // An ordinary run takes the data models in turn.
        let is_short = std::env::var_os("CHAINCOVER_ALL_TARGETS").is_none();
        let own = [targets[position % 3]];
        for target in if is_short { &own[..] } else { &targets[..] } {
            let mut options = options.to_vec();
            options.extend(["--target", target]);
            let found = summary(&chain_file(folder.path(), &text, &options));
            assert_eq!(found, *expected, "{target}\n{text}");
        }
    }
}

/// Compiles the oracle and runs it: the goals that are reached, by their names, and those that are violated somewhere.
fn truth(folder: &Path, text: &Text) -> (BTreeSet<String>, BTreeSet<String>) {
    std::fs::write(folder.join("oracle.c"), &text.oracle).expect("a file");
    let compile = ["-w", "-O1", "-fwrapv", "-o", "oracle", "oracle.c"];
    let done = Command::new("cc").current_dir(folder).args(compile).output().expect("a compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n{}", text.oracle);
    let ran = Command::new(folder.join("oracle")).output().expect("the oracle should start");
    assert!(ran.status.success(), "{}", text.oracle);
    let (mut reached, mut violated) = (BTreeSet::new(), BTreeSet::new());
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        match line.split_once(' ') {
            Some(("reached", goal)) => reached.insert(goal.to_owned()),
            Some(("violated", goal)) => violated.insert(goal.to_owned()),
            _ => panic!("the oracle should not print `{line}`"),
        };
    }
    (reached, violated)
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_programs_agree_with_the_compiler() {
    compare_random_programs(false, 12);
}

/// Undefined operations that are forbidden end executions as `abort` does.
#[test]
fn random_programs_end_at_forbidden_operations() {
    compare_random_programs(true, 8);
}

/// Compares random programs with the compiler, where they are risky with `--ub forbid`.
fn compare_random_programs(is_risky: bool, sample: u64) {
    let options: &[&str] = if is_risky { &["--step", "step", "--ub", "forbid"] } else { &["--step", "step"] };
    let count = number("CHAINCOVER_RANDOM_PROGRAMS", sample);
    let first = number("CHAINCOVER_RANDOM_SEED", 1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut covered, mut missed, mut early) = (0, 0, 0);
    for seed in first..first + count {
        let text = random_text(seed, is_risky);
        let (reached, violated) = truth(folder.path(), &text);
        if reached.is_empty() {
            // Where assumptions leave no way through the step, that is an error, but none of the goals is reached then.
            continue;
        }
        let result = chain_file(folder.path(), &text.model, options);
        for goal in result["goals"].as_array().expect("goals") {
            let name = goal["name"].as_str().expect("a name");
            let expected = if reached.contains(name) { "covered" } else { "unreachable" };
            assert_eq!(goal["status"], expected, "seed {seed}, {name}\n{}", text.model);
            covered += usize::from(expected == "covered");
            missed += usize::from(expected == "unreachable");
            if goal["expectation"] == "violated" {
                assert!(violated.contains(name), "seed {seed}, {name} is never violated\n{}", text.model);
            }
        }
        for chain in result["chains"].as_array().expect("chains") {
            assert_eq!(chain["replayed"], true, "seed {seed}: {}\n{}", chain["replayed_how"], text.model);
            let steps = chain["steps"].as_array().expect("steps");
            early += usize::from(steps.iter().any(|step| step["ends"].is_string()));
        }
    }
    println!("{count} programs: {covered} goals reached, {missed} not; {early} chains end early");
    assert!(covered as u64 > count && missed as u64 > count / 4 && early > 0, "{covered} {missed} {early}");
}

/// What is claimed of chains that end early is verified like any other claim.
#[test]
fn evidence_of_chains_that_end_early_is_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (seed, ub) in [(1, "report"), (2, "avoid"), (1, "forbid"), (4, "forbid")] {
        let text = random_text(seed, ub == "forbid");
        std::fs::write(folder.path().join("m.c"), &text.model).expect("a file");
        let name = format!("out{seed}");
        let (_, _, err) = call(
            folder.path(),
            &[
                "chain",
                "m.c",
                "--step",
                "step",
                "--ub",
                ub,
                "-o",
                &name,
                "--force",
                "--proofs",
                "--timeout",
                "120s",
            ],
        );
        let (code, out, told) = call(folder.path(), &["verify", &name]);
        assert_eq!(code, 0, "seed {seed}: {out}{told}{err}\n{}", text.model);
        let (code, out, told) = call(folder.path(), &["replay", &format!("{name}/chain.json")]);
        assert!(code == 0 || code == 10, "seed {seed}: {out}{told}\n{}", text.model);
    }
}
