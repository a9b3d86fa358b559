//! Limits hold: time, memory and signals end a run, whatever is at work. Bounds are generous, so
//! that a busy machine does not break them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run may take that should take a few seconds: far less than it took where limits were not
/// looked at.
const SOON: Duration = Duration::from_secs(40);

/// How a run ended.
struct Ended {
    code: i32,
    out: String,
    err: String,
    took: Duration,
}

fn folder(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), model).expect("a file");
    folder
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.current_dir(folder).args(arguments);
    command
}

fn ended(command: &mut Command) -> Ended {
    let started = Instant::now();
    let output = command.output().expect("the program should start");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap_or_else(|| panic!("{:?}\n{out}\n{err}", output.status));
    Ended { code, out, err, took: started.elapsed() }
}

/// Runs the program on a model.
fn run(model: &str, arguments: &[&str]) -> Ended {
    let folder = folder(model);
    ended(&mut program(folder.path(), arguments))
}

/// State words that hand on what they hold.
fn wide(words: usize) -> String {
    let mut text = String::new();
    for word in 0..=words {
        let _ = writeln!(text, "int v{word};");
    }
    text.push_str("void step(int a) {\n");
    for word in 0..words {
        let _ = writeln!(text, "    v{word} = v{} + a;", word + 1);
    }
    text.push_str("}\nvoid p(int a) { __CPROVER_assume(v0 == 7 && v1 == 9); step(a); }\n");
    text
}

const COUNTER: &str = "unsigned short n; unsigned char shown;
void step(_Bool go) { if (go) n++; else n = 0; shown = (unsigned char)n; }
void p_far(_Bool go) { __CPROVER_assume(n == 3000); step(go); }
";

#[test]
fn many_words_of_state_end_with_the_time() {
    let found = run(&wide(20_000), &["chain", "m.c", "--timeout", "6s", "--no-replay"]);
    assert!(found.took < SOON, "{:?}\n{}", found.took, found.err);
    assert!([0, 20, 124].contains(&found.code), "{}\n{}\n{}", found.code, found.out, found.err);
}

#[test]
fn memory_is_a_limit_like_time() {
    let found = run(&wide(20_000), &["chain", "m.c", "--timeout", "60s", "--memory", "60M", "--no-replay"]);
    assert_eq!(found.code, 124, "{}\n{}", found.out, found.err);
    assert!(found.err.contains("memory"), "{}", found.err);
    assert!(found.took < SOON, "{:?}", found.took);
    let refused = run(COUNTER, &["chain", "m.c", "--memory", "much"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("`much` is no size"), "{}", refused.err);
}

/// What the system gives is told from a defect of this program.
#[test]
fn a_limited_address_space_is_told() {
    let limited = |model: &str, kib: u32| {
        let folder = folder(model);
        let script = format!(
            "ulimit -v {kib}; exec {} chain m.c --timeout 60s --no-replay",
            env!("CARGO_BIN_EXE_chaincover")
        );
        ended(Command::new("sh").current_dir(folder.path()).args(["-c", &script]))
    };
    let small = limited(
        "int n; void step(_Bool a) { n = a; } void p(_Bool a) { __CPROVER_assume(n); step(a); }",
        600_000,
    );
    assert_eq!(small.code, 0, "{}\n{}", small.out, small.err);
    let large = limited(&wide(20_000), 250_000);
    assert_eq!(large.code, 124, "{}\n{}", large.out, large.err);
    assert!(large.err.contains("memory"), "{}", large.err);
    assert!(!large.err.contains("defect of chaincover"), "{}", large.err);
}

#[test]
fn a_preprocessor_that_hangs_is_stopped() {
    let hanging = folder("#include \"pipe.h\"\nint n; void step(int a) { n = a; }\n");
    let made = Command::new("mkfifo").arg(hanging.path().join("pipe.h")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe should be made");
    for command in ["chain", "check"] {
        let found = ended(&mut program(hanging.path(), &[command, "m.c", "--timeout", "2s"]));
        assert_eq!(found.code, 124, "{}", found.err);
        assert!(found.err.contains("the time limit was reached while the model was read"), "{}", found.err);
        assert!(found.took < SOON, "{:?}", found.took);
    }
    let sleeping = folder(COUNTER);
    let compiler = sleeping.path().join("cc");
    std::fs::write(&compiler, "#!/bin/sh\nsleep 300\n").expect("a file");
    let permitted = Command::new("chmod").arg("+x").arg(&compiler).status();
    assert!(permitted.is_ok_and(|status| status.success()));
    let found = ended(program(sleeping.path(), &["check", "m.c", "--timeout", "2s"]).env("CC", &compiler));
    assert_eq!(found.code, 124, "{}", found.err);
    assert!(found.took < SOON, "{:?}", found.took);
}

#[test]
fn signals_end_what_hangs() {
    let hanging = folder("#include \"pipe.h\"\nint n; void step(int a) { n = a; }\n");
    let made = Command::new("mkfifo").arg(hanging.path().join("pipe.h")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe should be made");
    for signal in ["TERM", "INT"] {
        let mut command = program(hanging.path(), &["chain", "m.c"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program should start");
        std::thread::sleep(Duration::from_secs(3));
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().is_ok_and(|status| status.success()));
        let started = Instant::now();
        let status = child.wait().expect("it should end");
        assert_eq!(status.code(), Some(130));
        assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    }
}

#[test]
fn functions_that_nothing_calls_cost_little() {
    let mut text = String::new();
    for number in 0..100_000 {
        let _ = writeln!(text, "int f{number}(int x) {{ return x + {number}; }}");
    }
    text.push_str(
        "int n; void step(int a) { n = a; }\nvoid p(int a) { __CPROVER_assume(n == 3); step(a); }\n",
    );
    let found = run(&text, &["check", "m.c", "-q"]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.took < 3 * SOON, "{:?}", found.took);
}

#[test]
fn recursion_without_a_bound_is_refused_soon() {
    let linear = "int f(int x) { if (x != 5) return f(x + 1); return x; }";
    let binary = "int f(int x) { if (x > 100) return f(x - 1) + f(x - 2); return x; }";
    for function in [linear, binary] {
        let model = format!(
            "{function}\nint n; void step(int a) {{ n = f(a); }}\nvoid p(int a) {{ __CPROVER_assume(n == 5); step(a); }}\n"
        );
        let found = run(&model, &["check", "m.c"]);
        assert_eq!(found.code, 3, "{}", found.err);
        assert!(found.err.contains("cannot bound this recursion"), "{}", found.err);
        assert!(found.took < SOON, "{:?}", found.took);
        let short = run(&model, &["check", "m.c", "--timeout", "100ms"]);
        assert!([3, 124].contains(&short.code), "{}", short.err);
    }
}

#[test]
fn a_large_table_with_a_free_index_costs_little() {
    let mut text = String::from("static int table[65536];\nint out;\n");
    text.push_str("void step(unsigned short i, int v) { out = table[i]; table[i] = v; }\n");
    text.push_str("void p(unsigned short i, int v) { __CPROVER_assume(out == 7); step(i, v); }\n");
    let found = run(&text, &["check", "m.c", "-q"]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.took < SOON, "{:?}", found.took);
}

#[test]
fn a_latency_that_no_table_can_show_is_refused() {
    let found = run(COUNTER, &["chain", "m.c", "-o", "out", "--output-latency", "4294967295"]);
    assert_eq!(found.code, 2);
    assert!(found.err.contains("not in 0..=100000"), "{}", found.err);
}

/// Thousands of steps of another data model: what they print is written in a few pieces.
#[test]
fn long_replays_take_the_time_that_their_steps_need() {
    for target in ["ip16", "ilp32", "lp64"] {
        let found =
            run(COUNTER, &["chain", "m.c", "--target", target, "--json", "-", "--timeout", "100s", "-q"]);
        assert_eq!(found.code, 0, "{target}: {}\n{}", found.code, found.err);
        assert!(found.out.contains("\"replayed\": true"), "{target}: {}", found.err);
        assert!(found.took < 2 * SOON, "{target}: {:?}", found.took);
    }
}

/// Evidence counts: all of it ends with the time.
#[test]
fn evidence_and_printing_count() {
    let mut text =
        String::from("unsigned char lock, key[24]; unsigned x;\nvoid step(unsigned char k, unsigned v) {\n");
    text.push_str("    if (lock == 0) lock = k; else x = x * 1103515245u + v;\n    if (lock < 24) key[lock] = (unsigned char)(x >> 24);\n}\n");
    for goal in 1..24 {
        let _ = writeln!(
            text,
            "void p_{goal}(unsigned char k, unsigned v) {{ __CPROVER_assume(lock == {goal} && key[{goal}] == {goal}); step(k, v); }}"
        );
    }
    let limit = Duration::from_secs(10);
    let found = run(&text, &["chain", "m.c", "--proofs", "-o", "out", "--timeout", "10s", "-q"]);
    assert!([0, 5, 20, 124].contains(&found.code), "{}\n{}", found.code, found.err);
    assert!(found.took < limit + SOON, "{:?}", found.took);
}
