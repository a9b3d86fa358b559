//! The program as a user calls it: exit codes and messages, above all for bad input.

use crate::support::chaincover;
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;

const COUNTER: &str = "#include <assert.h>
typedef struct { _Bool go; } in_t;
typedef struct { unsigned char n; } st_t;
void init(st_t *s) { s->n = 0; }
void step(in_t *i, st_t *s) { if (i->go && s->n < 3) s->n++; }
";
const TOP: &str =
    "void p_top(in_t *i, st_t *s) { __CPROVER_assume(s->n == 3 && i->go); step(i, s); assert(s->n == 3); }
";

/// Writes the files and calls the program; returns exit code, standard output, standard error.
fn run(files: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let output = chaincover(folder.path(), arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// `chain` on one C file made of the counter and more text.
fn chain(more: &str) -> (i32, String, String) {
    run(&[("m.c", &format!("{COUNTER}{more}"))], &["chain", "m.c", "--timeout", "60s"])
}

#[test]
fn a_good_model_is_covered() {
    let (code, out, _) = chain(TOP);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("1 of 1 goals covered, one chain of 4 steps, proven minimal"), "{out}");
    assert!(out.contains("replayed on the compiled code"), "{out}");
}

#[test]
fn bad_models_get_a_message_and_the_documented_code() {
    let table = [
        ("void p(in_t *i, st_t *s) { __CPROVER_assume(s->n == 1) step(i, s); }\n", 3, "m.c:6:"),
        ("void p(in_t *i, st_t *s) { __CPROVER_assume(s->m == 1); step(i, s); }\n", 3, "no member `m`"),
        ("void p(in_t *i, st_t *s) { int a[s->n]; step(i, s); assert(s->n); }\n", 3, "unsupported-vla"),
        (
            "void p(in_t *i, st_t *s) { int a[s->n]; __CPROVER_assume(s->n); step(i, s); }\n",
            3,
            "unsupported-vla",
        ),
        // It states nothing, so it is no property, and nothing executes it.
        ("void p(in_t *i, st_t *s) { int a[s->n]; step(i, s); }\n", 2, "left-out"),
        ("", 2, "there is no goal"),
        ("void f(in_t *i, st_t *s) { while (1) { } step(i, s); }\n", 2, "no goal"),
    ];
    for (more, expected, message) in table {
        let (code, _, err) = chain(more);
        assert_eq!(code, expected, "{more}: {err}");
        assert!(err.contains(message), "{more}: {err}");
    }
}

#[test]
fn a_step_that_does_not_end_is_diagnosed() {
    let text = format!("{}{TOP}", COUNTER.replace("{ if (i->go", "{ while (1) { } if (i->go"));
    let (code, _, err) = run(&[("m.c", &text)], &["chain", "m.c"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("loop-bound") && err.contains("m.c:5:31"), "{err}");
}

#[test]
fn contradictory_assumptions_are_an_error_not_unreachability() {
    let (code, _, err) = chain(&format!(
        "{TOP}void chaincover_assume(in_t *i, st_t *s) {{ __CPROVER_assume(i->go && !i->go); }}\n"
    ));
    assert_eq!(code, 2);
    assert!(err.contains("admit no execution at all"), "{err}");
}

#[test]
fn an_unreachable_final_is_named() {
    let (code, out, _) =
        chain(&format!("{TOP}void chaincover_final(in_t *i, st_t *s) {{ __CPROVER_assume(s->n == 7); }}\n"));
    assert_eq!(code, 20);
    assert!(out.contains("unreachable: Final cannot be reached"), "{out}");
}

#[test]
fn an_unreachable_goal_is_proven() {
    for never in ["s->n == 9", "0", "s->n > 1 && s->n < 1"] {
        let (code, out, err) =
            chain(&format!("void p(in_t *i, st_t *s) {{ __CPROVER_assume({never}); step(i, s); }}\n"));
        assert_eq!(code, 20, "{never}: {err}");
        assert!(out.contains("unreachable: no execution reaches it"), "{never}: {out}");
    }
}

#[test]
fn a_violated_expectation_has_its_own_code() {
    let (code, out, _) = chain(
        "void p(in_t *i, st_t *s) { __CPROVER_assume(s->n == 2 && i->go); step(i, s); assert(s->n == 2); }\n",
    );
    assert_eq!(code, 10);
    assert!(out.contains("EXPECTATION VIOLATED"), "{out}");
}

#[test]
fn a_bounded_search_is_undecided() {
    let text = format!("{COUNTER}{TOP}");
    let (code, out, _) = run(&[("m.c", &text)], &["chain", "m.c", "--max-k", "1", "--engine", "sat"]);
    assert_eq!(code, 5, "{out}");
    assert!(out.contains("undecided"), "{out}");
}

#[test]
fn configuration_mistakes_have_code_2() {
    let text = format!("{COUNTER}{TOP}");
    let config = "[model]\nsources = ['m.c']\ninit = 'init'\nstep = 'step'\n";
    let goal = "[[goal]]\nname = 'g'\nwhen = 'step.s->n == 0'\n";
    let assigning = goal.replace("==", "=");
    let unknown = goal.replace("->n", "->m");
    let unfinished = goal.replace("== 0", "==");
    let table: [(&str, &[&str], &str); 15] = [
        (
            &format!("{config}{unknown}"),
            &["chain", "c.toml"],
            "--> c.toml:7: goal g, when\n  |\n  | step.s->m == 0\n  |         ^",
        ),
        (&format!("{config}{unfinished}"), &["chain", "c.toml"], "error[syntax]: expected an expression"),
        (&format!("{config}{goal}[final]\nwhen = 'zz'"), &["chain", "c.toml"], "--> c.toml:9: final, when"),
        (
            &format!("{config}{goal}[output.zz]\nunit = 'V'"),
            &["chain", "c.toml"],
            "this is no output of the model",
        ),
        ("", &["chain", "m.c", "-D", "1X"], "is no definition of a macro"),
        (&format!("{config}{assigning}"), &["chain", "c.toml"], "to compare, write `==`"),
        ("", &["chain", "missing.c"], "cannot read missing.c"),
        ("", &["chain", "."], "chaincover.toml"),
        ("", &["chain", "m.c", "--step", "stop"], "did you mean `step`"),
        ("", &["chain", "m.c", "--strategy", "magic"], "expected one of"),
        ("", &["chain", "m.c", "--target", "ip8"], "known are ip16, ilp32, lp64"),
        ("", &["chain", "m.c", "-o", "/proc/none"], "cannot write /proc/none"),
        ("", &["chain"], "MODEL"),
        ("[model]\nsource = ['m.c']\n", &["chain", "c.toml"], "unknown field `source`"),
        (
            &format!("{config}{goal}{goal}"),
            &["chain", "c.toml"],
            "there are two goals named `g`, in the lines ",
        ),
    ];
    for (toml, arguments, message) in table {
        let (code, _, err) = run(&[("m.c", &text), ("c.toml", toml)], arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
}

#[test]
fn a_goal_true_in_init_is_covered_by_the_first_step() {
    let text = format!("{COUNTER}void p(in_t *i, st_t *s) {{ __CPROVER_assume(s->n == 0); step(i, s); }}\n");
    let (code, out, _) = run(&[("m.c", &text)], &["chain", "m.c", "--json", "-"]);
    assert_eq!(code, 0);
    let json: Json = serde_json::from_str(&out).expect("JSON on standard output and nothing else");
    assert_eq!(json["summary"]["length"], 1);
    assert_eq!(json["goals"][0]["at"], 0);
}

#[test]
fn what_is_written_replays_and_tampering_is_noticed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    std::fs::write(path.join("m.c"), format!("{COUNTER}{TOP}")).expect("a file");
    assert_eq!(chaincover(path, &["chain", "m.c", "-o", "out", "-q"]).status.code(), Some(0));
    let stored = std::fs::read_to_string(path.join("out/chain.json")).expect("chain.json");
    assert!(path.join("out/chain.csv").is_file());
    assert_eq!(chaincover(path, &["replay", "out/chain.json"]).status.code(), Some(0));

    let tampered = stored.replacen("\"n\": 2", "\"n\": 1", 1);
    assert_ne!(tampered, stored);
    std::fs::write(path.join("out/bad.json"), tampered).expect("a file");
    let output = chaincover(path, &["replay", "out/bad.json"]);
    assert_eq!(output.status.code(), Some(10));
    assert!(String::from_utf8_lossy(&output.stdout).contains("recorded 1"));
    let told = chaincover(path, &["replay", "out/bad.json", "--fail-on", "undecided"]);
    assert_eq!(told.status.code(), Some(0));

    std::fs::write(path.join("m.c"), format!("{COUNTER}{TOP}").replace("s->n < 3", "s->n < 2"))
        .expect("a file");
    let output = chaincover(path, &["replay", "out/chain.json"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stdout).contains("m.c has changed"));
}

#[test]
fn the_written_configuration_gives_the_same_chain() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    std::fs::write(path.join("m.c"), format!("{COUNTER}{TOP}")).expect("a file");
    let config = chaincover(path, &["check", "m.c", "--write-config"]);
    assert_eq!(config.status.code(), Some(0));
    std::fs::write(path.join("chaincover.toml"), &config.stdout).expect("a file");
    let output = chaincover(path, &["chain", "."]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("one chain of 4 steps, proven minimal"), "{out}");
}

/// C leaves open which NaN an operation yields: code that looks at its bits is no defect of this tool.
#[test]
fn bits_of_a_nan_are_open() {
    let text = "unsigned x, bits; float f;
        void step(void) { union { float f; unsigned u; } both; f = x ? 0.0f / (float)(x - 1) : 1.0f; both.f = f; bits = both.u; }
        void p(void) { step(); __CPROVER_assume(f != f); }
        void q(void) { step(); __CPROVER_assume(f == 1.0f); }\n";
    let (code, out, _) = run(&[("m.c", text)], &["chain", "m.c", "--json", "-"]);
    assert_eq!(code, 0, "{out}");
    let json: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["chains"][0]["replayed"], "evaluator");
    assert!(
        json["chains"][0]["replayed_how"].as_str().is_some_and(|how| how.contains("goes on with another")),
        "{out}"
    );
    assert!(out.contains("look at the sign or bit pattern of a NaN"), "{out}");
    let (code, out, _) = run(&[("m.c", &text.replace("f != f", "f == 0.0f"))], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("replayed on the compiled code"), "{out}");
}

/// C leaves open which of two zeros is the smaller one.
#[test]
fn the_smaller_zero_is_open() {
    let text = "#include <math.h>\ndouble y, a, b;
        void step(double u, double v) { a = u; b = v; y = fmax(u, v); }
        void p(void) { double u, v; __CPROVER_assume(a == 0 && b == 0 && signbit(b) && !signbit(a)); step(u, v); }
        void q(void) { double u, v; __CPROVER_assume(a == 0 && b == 0 && signbit(a) && !signbit(b)); step(u, v); }\n";
    let (code, out, err) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("smaller or greater of two zeros of opposite sign"), "{err}");
}

/// C says nothing of signaling NaNs: libraries give a NaN or the other number.
#[test]
fn the_smaller_of_a_signaling_nan_is_open() {
    let text = "#include <math.h>\nfloat a, y; unsigned bits;
        void step(unsigned in) { union { unsigned u; float f; } both; both.u = in; bits = in; a = both.f; y = fminf(a, 1.0f); }
        void p(unsigned in) { step(in); __CPROVER_assume(bits == 0x7f800001u); }
        void q(unsigned in) { step(in); __CPROVER_assume(bits == 0x7fc00000u && y == 1.0f); }\n";
    let (code, out, err) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("smaller or greater of a signaling NaN and another number"), "{err}");
    let quiet = text.replace("bits == 0x7f800001u", "a != a");
    let (code, out, err) = run(&[("m.c", &quiet)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("replayed on the compiled code") && !err.contains("signaling"), "{out}{err}");
}

/// Libraries give a NaN for powers of signaling NaNs, and 1 for those of quiet ones: neither is excluded.
#[test]
fn powers_of_nans_are_not_excluded() {
    let text = "#include <math.h>\nfloat y; unsigned bits;
        void step(unsigned in) { union { unsigned u; float f; } both; both.u = in; bits = in; y = powf(both.f, 0.0f); }
        void p(unsigned in) { step(in); __CPROVER_assume(bits == 0x7f800001u); }
        void q(unsigned in) { step(in); __CPROVER_assume(bits == 0x7fc00001u); }\n";
    let (code, out, err) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("one chain of 2 steps, proven minimal"),
        "points of NaNs contradict each other: {out}{err}"
    );
    assert!(out.contains("replayed on the compiled code"), "{out}{err}");
}

/// A search in a table that begins where the last one ended: it ends because it always ended at an index of the table.
#[test]
fn a_search_from_the_previous_index_is_bounded() {
    const SEARCH: &str = "static const unsigned short at[] = { 5, 80, 300, 4000, 9000 }; unsigned short in; int out; static unsigned last;
        void app_step(void) { unsigned i, right = 4, left = 0, found = 0;
          if (in <= at[0]) i = 0; else if (in < at[4]) { i = last;
            while (found == 0) {
              if (in < at[i]) { right = i - 1; i = ((i + left) - 1) >> 1; }
              else if (in < at[i + 1]) found = 1;
              else { left = i + 1; i = ((i + right) + 1) >> 1; } }
          } else i = 3;
          last = i; out = i; }
        void p_second(void) { __CPROVER_assume(last == 3); app_step(); __CPROVER_assume(last == 1); app_step(); }
        void p_beyond(void) { __CPROVER_assume(last > 3); app_step(); }";
    let (code, out, err) = run(&[("m.c", SEARCH)], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{err}");
    assert!(out.contains("1 of 2 goals covered, one chain of 3 steps, proven minimal"), "{out}");
    assert!(out.contains("p_beyond") && out.contains("unreachable"), "{out}");
}

/// Variables that a driver loop reads before it writes them are zero in the model and in the compiled code.
#[test]
fn indeterminate_variables_replay() {
    let text = "extern int nondet_int(void);
        typedef struct { int level; int unused; } record;
        record fresh(void) { record made; made.level = nondet_int(); __CPROVER_assume(made.level >= 0 && made.level < 8); return made; }
        int main(void) {
            record now;
            int dirty;
            while (1) {
                int left;
                now = fresh();
                dirty = now.unused + left;
                left = now.level + 1;
                __CPROVER_cover(dirty == 0 && now.level == 5);
            }
        }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
    assert!(error.contains("read of an indeterminate value"), "{out}{error}");
}

/// Assignments whose place depends on what they change: their value is what was stored.
#[test]
fn values_of_assignments_are_not_read_again() {
    let text =
        "void step(int c) { int a[2] = { 0, 50 }, b[2] = { 0, 7 }; int r = (a[a[0]] = 1), q = ++b[b[0]];
        __CPROVER_cover(r == 1); __CPROVER_cover(q == 1); __CPROVER_cover(r == 50); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(out.contains("2 of 3 goals covered, one chain of 1 step"), "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
}

/// A replay goes by the names of C, as the model does: what no file defines is the environment's,
/// whatever function of the library the assembler would call.
#[test]
fn names_for_the_assembler_call_no_library() {
    let text = "int hook(const char *) __asm__(\"system\"); int n;
        void step(int c) { n = hook(\"echo called > called\"); __CPROVER_cover(n == 5); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--target", "lp64", "--timeout", "60s"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
}

/// Compiled code that does what the model leaves out, here by a compiler that adds it, is ended
/// where it asks the system for a socket, and the result tells.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn compiled_code_that_asks_for_a_socket_is_ended_and_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("m.c", "int n; void step(int c) { n = c; __CPROVER_cover(n == 5); }\n");
    write(
        "more.c",
        "#include <sys/socket.h>\n__attribute__((constructor)) static void more(void) { socket(AF_INET, SOCK_DGRAM, 0); }\n",
    );
    let path = std::env::var("PATH").expect("a path");
    let more = folder.path().join("more.c");
    let script = format!(
        "#!/bin/sh\nPATH='{path}'\ncase \" $* \" in *' -o replay '*) exec cc \"$@\" '{}' ;; esac\nexec cc \"$@\"\n",
        more.display()
    );
    write("cc", &script);
    let program = folder.path().join("cc");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let output = Command::new(env!("CARGO_BIN_EXE_chaincover"))
        .args(["chain", "m.c", "--target", "lp64", "--timeout", "60s", "--json", "-"])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .expect("the program should start");
    let result: Json = serde_json::from_slice(&output.stdout).expect("a result");
    let chain = &result["chains"][0];
    assert_eq!((output.status.code(), &chain["replayed"]), (Some(0), &Json::from("evaluator")));
    let how = chain["replayed_how"].as_str().expect("a sentence");
    assert!(how.contains("asked the system for what no replay may do"), "{how}");
}

/// What is called unreachable because a variable without a value counts as zero says so.
#[test]
fn claims_that_rest_on_variables_without_a_value_say_so() {
    let text = "int r; void step(int c) { int j; if (!c) j = 3;
        r = j; __CPROVER_cover(c && r == 0); __CPROVER_cover(c && r == 3); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(out.contains("1 of 2 goals covered, one chain of 1 step"), "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
    let note = "m.c:2: a variable may be read here before it has a value, which is taken to be 0";
    assert!(error.contains(note) && error.contains("read of an indeterminate value"), "{out}{error}");
    let set = "int r; void step(int c) { int j; if (!c) j = 3; if (!c) r = j; __CPROVER_cover(r == 4); }\n";
    let (code, out, error) = run(&[("m.c", set)], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(!error.contains("before it has a value"), "{out}{error}");
}

/// Pointers to what the compiled code has elsewhere are no disagreement; using one after its
/// variable has gone is told.
#[test]
fn pointers_to_local_variables_replay() {
    let text = "int *g, n; const char *s; void f(int in) { int l = in; s = in > 0 ? \"more\" : \"less\"; g = &l; n = in; __CPROVER_cover(n == 5); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
    let ended_call = "int *g, n; static void f(int in) { int l = in; g = &l; }
        void step(int in) { f(in);
        if (in == 5) n = *g; __CPROVER_cover(in == 5); }\n";
    let ended_block = "int n; void step(int in) { int *p = &n;
        if (in == 5) { int l = in; p = &l; }
        n = *p; __CPROVER_cover(in == 5); }\n";
    for text in [ended_call, ended_block] {
        let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
        assert_eq!(code, 0, "{out}{error}");
        let told = "use of a pointer to a local variable whose block or call has ended";
        assert!(error.contains(told) && error.contains("m.c:3"), "{out}{error}");
        let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--ub", "forbid"]);
        assert_eq!(code, 20, "{out}{error}");
    }
}

/// A variable that a jump back leaves alive, or that the caller of the loop has, is what a pointer kept over rounds leads to.
#[test]
fn pointers_kept_over_rounds_lead_to_what_lives() {
    let head = "int nondet_int(void); int n, *g = &n;";
    let kept =
        "int main(void) { again: ; __CPROVER_cover(*g == 77); int in = nondet_int(); g = &in; goto again; }";
    let literal =
        "int main(void) { again: ; __CPROVER_cover(*g == 77); g = &(int){ nondet_int() }; goto again; }";
    let passed = "static void run(int *p) { while (1) { __CPROVER_cover(*p == 77); *p = nondet_int(); } } int main(void) { int in = 0; run(&in); }";
    for program in [kept, literal, passed] {
        let text = format!("{head} {program}\n");
        for options in [&["chain", "m.c"][..], &["chain", "m.c", "--ub", "forbid"]] {
            let (code, out, error) = run(&[("m.c", &text)], options);
            assert_eq!(code, 0, "{text}{out}{error}");
            assert!(
                out.contains("one chain of 2 steps") && out.contains("replayed on the compiled code"),
                "{text}{out}{error}"
            );
            assert!(!error.contains("has ended"), "{text}{error}");
        }
    }
    let ended = "int main(void) { while (1) { __CPROVER_cover(*g == 77); int in = nondet_int(); g = &in; } }";
    let (code, out, error) = run(&[("m.c", &format!("{head} {ended}\n"))], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{error}");
}

/// With `--ub forbid` an execution ends at an undefined operation, as at `abort`: goals in front of it count.
#[test]
fn goals_before_a_forbidden_operation_count() {
    let text = "int n; void step(int in) { __CPROVER_cover(in == 5); if (in == 5) n = 1 / (in - 5); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--ub", "forbid"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("the last step does not return: division by zero at m.c:1"), "{out}{error}");
    let whole = "int n; void step(int in) { if (in == 5) n = 1 / (in - 5); }\nvoid p(int in) { __CPROVER_assume(in == 5); step(in); }\n";
    let (code, out, error) = run(&[("m.c", whole)], &["chain", "m.c", "--ub", "forbid"]);
    assert_eq!(code, 20, "{out}{error}");
    // That no operation is undefined cannot be asked of executions that have none.
    let asked = "[model]\nsources = [\"m.c\"]\nrobustness = true\n";
    let files = [("m.c", text), ("chaincover.toml", asked)];
    let (code, out, error) = run(&files, &["prove", "chaincover.toml", "--ub", "forbid"]);
    assert_eq!(code, 2, "{out}{error}");
    assert!(error.contains("choose one of them"), "{error}");
}

/// `replay` reads the configuration from disk, and tells where the result says something else of it.
#[test]
fn replay_believes_no_configuration_of_a_result() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(place(name), text).expect("a file");
    let replay = |folder: &Path| {
        let output = chaincover(folder, &["replay", "out/chain.json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
    };
    let config = "[model]\nsources = [\"m.c\"]\n[[assume]]\nexpr = \"step.x < 9\"\n";
    write("m.c", "int n; void step(int x) { __CPROVER_cover(x == 7); n = x; }\n");
    write("chaincover.toml", config);
    assert!(chaincover(folder.path(), &["chain", ".", "-o", "out"]).status.success());
    let (code, text) = replay(folder.path());
    assert_eq!(code, Some(0), "{text}");
    let path = place("out/chain.json");
    let stored = std::fs::read_to_string(&path).expect("a result");
    // What is assumed does not come from the result, which may be forged.
    let forged = stored.replace("x < 9", "x < 8");
    assert_ne!(forged, stored);
    std::fs::write(&path, forged).expect("a file");
    let (code, text) = replay(folder.path());
    assert_eq!(code, Some(10), "{text}");
    assert!(text.contains("the configuration says") && text.contains("x < 8"), "{text}");
    // A configuration that was changed is told of, and counts.
    std::fs::write(&path, stored).expect("a file");
    write("chaincover.toml", &config.replace("x < 9", "x < 8"));
    let (code, text) = replay(folder.path());
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("chaincover.toml has changed since the chain was made"), "{text}");
    assert!(text.contains("model and options give"), "{text}");
    write("chaincover.toml", &config.replace("x < 9", "x < 5"));
    let (code, text) = replay(folder.path());
    assert_eq!(code, Some(10), "{text}");
    std::fs::remove_file(place("chaincover.toml")).expect("a file");
    let (code, text) = replay(folder.path());
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("chaincover.toml"), "{text}");
}

/// The end of `main` returns 0, which is no read of a variable without a value.
#[test]
fn the_end_of_main_returns_zero() {
    let text = "extern int nondet_int(void); int x; int main(void) { x = nondet_int(); __CPROVER_cover(x == 3); if (x > 3) return 2; x++; }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--step", "main"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
    assert!(!error.contains("indeterminate") && !error.contains("before it has a value"), "{out}{error}");
}

/// A difference of zeros is +0.0, also where the compiler would like to write a negation.
#[test]
fn compiled_differences_have_the_sign_of_ieee_754() {
    let text = "int x; double y, z; void step(void) { y = 0.0 - (double)x; z = 1.0 / y; }
        void p(void) { __CPROVER_assume(x == 0); step(); __CPROVER_assume(z > 0.0); }
        void q(void) { __CPROVER_assume(x == 0); step(); __CPROVER_assume(z < 0.0); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(out.contains("1 of 2 goals covered, one chain of 1 step"), "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
}

/// Where C leaves open which value an operation yields, compiled code that goes on with another one is no defect of this tool.
#[test]
fn open_values_are_no_disagreement() {
    let float = "float x; int y; void step(void) { y = (int)x; }
        void p(void) { __CPROVER_assume(x == 3e9f); step(); }\n";
    let shift = "unsigned s, y; void step(void) { y = 1u << s; } void p(void) { __CPROVER_assume(s == 33); step(); }\n";
    let start = "static unsigned char c = 300.7; int y; void step(int u) { y = c + u; }
        void p(int u) { step(u); __CPROVER_assume(u == 1); }\n";
    for text in [float, shift, start] {
        let (found, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--json", "-"]);
        assert_eq!(found, 0, "{text}{out}{error}");
        let json: Json = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["chains"][0]["replayed"], "evaluator", "{text}{out}");
    }
}

/// Compiled code that dies of what C leaves undefined is a finding about the code: the message says which operation, where, and what to do.
#[test]
fn code_that_dies_is_a_finding() {
    let divide = "unsigned s, y;\nvoid step(unsigned u) {\n  y = s ? 100u / u : 2u;\n  s = 1; }
        void p(unsigned u) { __CPROVER_assume(s && u == 0); step(u); }\n";
    let null =
        "int *where, y; int there;\nvoid step(int u) {\n  if (u == 3) where = &there;\n  if (u) y = *where; }
        void p(int u) { __CPROVER_assume(u == 1 && !where); step(u); }\n";
    let table = [
        (divide, "in step 1", "step 1: division by zero at m.c:3"),
        (null, "in step 0", "step 0: access through a null or invalid pointer at m.c:4"),
    ];
    for (text, step, cause) in table {
        let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--json", "-"]);
        assert_eq!(code, 10, "{text}{out}{error}");
        assert!(error.contains("the compiled code ends with signal") && error.contains(step), "{error}");
        assert!(error.contains(cause) && error.contains("--ub forbid"), "{error}");
        let json: Json = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["chains"][0]["replayed"], "evaluator", "{out}");
        let wishes: &[&str] = &["chain", "m.c", "--fail-on", "undecided"];
        assert_eq!(run(&[("m.c", text)], wishes).0, 0, "{text}");
        assert_eq!(run(&[("m.c", text)], &["chain", "m.c", "--ub", "forbid"]).0, 20, "{text}");
    }
}

/// Behind the end of a table the model reads zero and compiled code whatever lies there: the chain is told to be judged by the model alone where
/// that makes a difference, and is replayed where it makes none.
#[test]
fn accesses_out_of_bounds_are_no_disagreement() {
    let read = |goal: &str| {
        format!(
            "struct {{ int table[2]; int behind; }} all = {{ {{ 1, 2 }}, 77 }}; int y;
            void step(unsigned u) {{ y = u < 3 ? all.table[u] : 5; }}
            void p(unsigned u) {{ step(u); __CPROVER_assume({goal}); }}\n"
        )
    };
    let write = "struct { int table[2]; int behind; } all; int y;
        void step(unsigned u) { if (u < 3) all.table[u] = 9; y = all.behind; }
        void p(unsigned u) { __CPROVER_assume(u == 2); step(u); __CPROVER_assume(y == 0); }\n";
    let cases = [
        (read("y == 0"), Json::from("evaluator"), true),
        (read("y == 2"), Json::from(true), false),
        (read("y == 5"), Json::from(true), false),
        (write.to_owned(), Json::from("evaluator"), true),
    ];
    for (text, replayed, is_met) in &cases {
        let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--json", "-"]);
        assert_eq!(code, 0, "{text}{out}{error}");
        let json: Json = serde_json::from_str(&out).expect("JSON");
        assert_eq!(&json["chains"][0]["replayed"], replayed, "{text}{out}");
        assert_eq!(error.contains("runs into access out of bounds at m.c:2"), *is_met, "{text}{error}");
        let code = run(&[("m.c", text)], &["chain", "m.c", "--ub", "forbid"]).0;
        assert_eq!(code, if *is_met { 20 } else { 0 }, "{text}");
    }
}

/// A chart that sends an event to itself: that it does so at most twice follows from its states, not from constants.
#[test]
fn recursion_that_states_bound_is_unrolled() {
    let text = "enum { OFF, READY, ON }; unsigned char state, stick, event, armed; unsigned char lever, order;
        static void chart(void);
        static void vehicle(void) {
            unsigned char before;
            switch (state) {
            case OFF:
                if (armed && order == 1) {
                    state = READY;
                    if (lever > 100) { before = event; event = 1; chart(); event = before; }
                }
                break;
            case READY: if (lever == 7) state = ON; else if (event == 1) state = OFF; break;
            case ON: if (event == 1) state = OFF; break;
            default: break;
            }
        }
        static void chart(void) {
            unsigned char before;
            switch (stick) {
            case 0: if (lever > 50) { stick = 1; before = event; event = 1; vehicle(); event = before; } break;
            case 1: if (lever < 20) stick = 0; break;
            default: break;
            }
            if (order == 2) armed = 1;
            vehicle();
        }
        void step(void) { event = 0; chart(); }
        void p(void) { __CPROVER_assume(state == ON && lever > 100 && stick == 0); step(); __CPROVER_assume(state == OFF); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--step", "step"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("proven minimal") && out.contains("replayed on the compiled code"), "{out}");
}

#[test]
fn check_prints_sizes_before_and_after_slicing() {
    let text = format!("{COUNTER}{TOP}").replace("unsigned char n; }", "unsigned char n; int unused; }");
    let text = text.replace("s->n++;", "s->n++; s->unused += 3;");
    let (code, out, _) = run(&[("m.c", &text)], &["check", "m.c", "--json", "-"]);
    assert_eq!(code, 0, "{out}");
    let json: Json = serde_json::from_str(&out).expect("JSON");
    let size = |name: &str| json["size"][name].as_u64().expect("a number");
    assert_eq!((size("state_words"), size("sliced_state_words")), (2, 1));
    assert!(size("gates") > size("sliced_gates") && size("sliced_gates") > 0, "{out}");
    let (_, out, error) = run(&[("m.c", &text)], &["chain", "m.c", "-v"]);
    assert!(
        error.contains("model: 2 state words (40 bits), ") && error.contains("sliced: 1 state words"),
        "{out}{error}"
    );
}

/// Functions of math.h in conditions: before and behind the step, and over several steps.
#[test]
fn properties_may_call_the_c_library() {
    let text = "#include <math.h>
        float x, kept; void step(void) { kept = x; }
        void p(void) { __CPROVER_assume(sinf(x) > 0.9f && x == 1.5f); step(); __CPROVER_assume(expf(kept) < 4.5f); }
        void q(void) { __CPROVER_assume(expf(kept) > 20.0f && kept == 3.5f); step(); __CPROVER_assume(x == 0.5f); step(); __CPROVER_assume(cosf(kept) < 0.9f); }
        void r(void) { step(); __CPROVER_assume(expf(kept) < -1.0f); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--timeout", "100s"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(out.contains("2 of 3 goals covered, one chain of"), "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
}

/// Results of the C library: exact along the chain, within their range in proofs.
#[test]
fn chains_through_the_c_library_are_real() {
    let text = "#include <math.h>
        float x, angle; _Bool on;
        void step(void) { angle = atan2f(x, 2.0f); on = expf(angle) > 2.0f && cosf(angle) < 0.7f; }
        void p(void) { step(); __CPROVER_assume(on && angle < 1.0f); }
        void q(void) { step(); __CPROVER_assume(angle > 3.2f); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    let output = chaincover(folder.path(), &["chain", "m.c", "-o", "out", "--timeout", "100s"]);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(20), "{out}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        out.contains("one chain of 1 step, proven minimal") && out.contains("replayed on the compiled code"),
        "{out}"
    );
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("atan2f, cosf, expf come from the host's C library")
    );
    let output = chaincover(folder.path(), &["replay", "out/chain.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Narrow guards over results of the C library, one behind the other: neither constants of the code nor held inputs meet them.
#[test]
fn narrow_guards_over_the_c_library_are_met() {
    let text = "#include <math.h>
        double x, y; int mode;
        void step(void) { switch (mode) {
            case 0: if (sin(y) >= 0.49 && sin(y) <= 0.51) mode = 1; break;
            case 1: if (atan2(y, x) > 0.74 && atan2(y, x) < 0.76) mode = 2; break;
            case 2: if (hypot(x, y) > 4.99 && hypot(x, y) < 5.01 && x > 1.0) mode = 3; break;
            case 3: if (exp(x) > 1.99 && exp(x) < 2.01) mode = 4; break;
            case 4: if (pow(x, 1.5) > 7.9 && pow(x, 1.5) < 8.1) mode = 0; break; } }
        void lap(void) { __CPROVER_assume(mode == 4); step(); __CPROVER_assume(mode == 0); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--timeout", "100s"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("one chain of 5 steps, proven minimal"), "{out}{error}");
}

/// Two goals that exclude each other, unless `BACK` is given: two chains, or one.
const SWITCH: &str = "int st; void step(int in) { if (st == 0) { if (in == 1) st = 1; if (in == 2) st = 2; } else if (BACK && in == 9) st = 0; }
void p(int in) { step(in); __CPROVER_assume(st == 1); }
void q(int in) { step(in); __CPROVER_assume(st == 2); }
";

fn files_of(folder: &Path) -> Vec<String> {
    let listed = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        listed.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// A rig that plays all files of a folder must not play chains that are no more; what the user put there or changed stays.
#[test]
fn files_of_an_earlier_result_go_with_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    std::fs::write(place.join("m.c"), SWITCH).expect("a file");
    let chain = |more: &[&str]| {
        let output = chaincover(place, &[&["chain", "m.c", "-o", "out"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    chain(&["-D", "BACK=0", "--format", "csv,vcd,junit", "--proofs"]);
    let out = place.join("out");
    assert_eq!(
        files_of(&out),
        ["chain.csv", "chain.json", "chain_1.vcd", "chain_2.vcd", "junit.xml", "proofs"]
    );
    std::fs::write(out.join("notes.vcd"), "mine").expect("a file");
    std::fs::write(out.join("junit.xml"), "changed").expect("a file");
    std::fs::create_dir(place.join("kept")).expect("a folder");
    for entry in std::fs::read_dir(out.join("proofs")).expect("a folder").flatten() {
        std::fs::copy(entry.path(), place.join("kept").join(entry.file_name())).expect("a copy");
    }
    let error = chain(&["-D", "BACK=1", "--format", "vcd"]);
    assert_eq!(files_of(&out), ["chain.json", "chain.vcd", "junit.xml", "notes.vcd"]);
    assert!(
        error.contains("removed from out, as files of an earlier result: chain.csv, chain_1.vcd"),
        "{error}"
    );
    assert!(
        error.contains("out still has files of an earlier result, changed since then: junit.xml"),
        "{error}"
    );

    // Proofs of another run are no tampering, and no proof either.
    std::fs::rename(place.join("kept"), out.join("proofs")).expect("a folder");
    let verified = chaincover(place, &["verify", "out"]);
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert_eq!(verified.status.code(), Some(5), "{text}");
    assert!(
        text.contains("the proofs beside the result are of another run") && !text.contains("REJECTED"),
        "{text}"
    );

    // An export of the new result clears its folder of what was made of the old one; other models' files stay.
    std::fs::write(place.join("other.c"), format!("{COUNTER}{TOP}")).expect("a file");
    let export = |chain: &str, format: &str| {
        let output = chaincover(place, &["export", chain, "--format", format, "-o", "rig", "-q"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    };
    chaincover(place, &["chain", "other.c", "-o", "other", "-q"]);
    export("other/chain.json", "junit");
    export("out/chain.json", "vcd");
    chain(&["-D", "BACK=0", "-q"]);
    export("out/chain.json", "vcd,csv");
    assert_eq!(files_of(&place.join("rig")), ["chain.csv", "chain_1.vcd", "chain_2.vcd", "junit.xml"]);
}

/// Costs of many chains stay within their numbers.
#[test]
fn a_price_of_a_further_chain_that_is_too_great_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), SWITCH).expect("a file");
    for (price, code) in [("18446744073709551615", 2), ("4294967296", 2), ("4294967295", 0), ("7", 0)] {
        let output =
            chaincover(folder.path(), &["chain", "m.c", "-D", "BACK=0", "-q", "--reset-cost", price]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{price}: {text}");
        assert!(code == 0 || text.contains("is not in 0..=4294967295"), "{price}: {text}");
    }
}

/// What cannot be written keeps neither the result from the screen nor the other formats from the folder.
#[test]
fn what_cannot_be_written_does_not_lose_the_result() {
    let text = "int nondet_int(void);
        int main(void) { int n = 0; while (1) { int x = nondet_int(); if (x == 7 && n < 3) n++; __CPROVER_cover(n == 2); } }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    let table = [
        (&["-o", "out", "--format", "c,csv"][..], "cannot make c: "),
        (&["--json", "/dev/full"], "No space left on device"),
    ];
    for (arguments, message) in table {
        let output = chaincover(folder.path(), &[&["chain", "m.c"], arguments].concat());
        let [out, error] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(output.status.code(), Some(2), "{out}{error}");
        assert!(out.contains("1 of 1 goals covered, one chain of"), "{out}{error}");
        assert!(error.contains(message), "{error}");
    }
    assert!(folder.path().join("out/chain.csv").is_file());
}

/// What batch systems send to end a run ends the search, not the result.
#[test]
fn a_signal_to_end_leaves_the_best_result() {
    let text = "unsigned long long a, b; _Bool seen;
        void step(unsigned long long x, unsigned long long y) { a = x * y * y + 3u * x * a; b = y; seen = x == 5; }
        void easy(unsigned long long x, unsigned long long y) { step(x, y); __CPROVER_assume(seen); }
        void hard(unsigned long long x, unsigned long long y) { __CPROVER_assume(x > 1000 && y > 1000 && b > 7 * x);
            step(x, y); __CPROVER_assume(a == 0x8000000000000123 && (b ^ a) % 1000003 == 17); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    for (signal, number) in [("-TERM", 0), ("-HUP", 1)] {
        let out = format!("out{number}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_chaincover"))
            .current_dir(folder.path())
            .args(["chain", "m.c", "-o", &out, "--engine", "sat", "--timeout", "100s"])
            .args(["--log-format", "json"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program should start");
        // What the search says first; before that there is nothing to keep.
        let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut error = String::new();
        while !error.contains("stage") {
            let read = log.read_line(&mut error).expect("the log should be text");
            assert_ne!(read, 0, "{error}");
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.expect("kill should start").success());
        log.read_to_string(&mut error).expect("the log should be text");
        let output = child.wait_with_output().expect("it should end");
        assert_eq!(output.status.code(), Some(130), "{error}");
        assert!(error.contains("interrupted; this is the best result so far"), "{error}");
        assert!(folder.path().join(&out).join("chain.json").is_file());
    }
}

/// A search in a table goes up or down from where the last one ended: that it stays within the table follows from what was asked of the ends before.
#[test]
fn a_search_both_ways_from_the_last_place_ends() {
    let text = "static const double at[5] = { -0.0, 1.0, 2.0, 3.0, 10.0 }; int last; double out;
        void step(double t) {
          int i = last;
          if (t <= at[0]) i = 0; else if (t >= at[4]) i = 3;
          else if (t < at[i]) { while (t < at[i]) i--; } else { while (t >= at[i + 1]) i++; }
          last = i; out = t - at[i]; }
        void up(double t) { __CPROVER_assume(last == 0 && t < 2.5); step(t); __CPROVER_assume(last == 2); }
        void down(double t) { __CPROVER_assume(last == 3 && t > 1.25); step(t); __CPROVER_assume(last == 1); }
        void below(double t) { __CPROVER_assume(last < 0); step(t); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--timeout", "100s"]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(out.contains("2 of 3 goals covered, one chain of 3 steps, proven minimal"), "{out}{error}");
    assert!(out.contains("replayed on the compiled code"), "{out}{error}");
}

/// The time limit holds for reading the model, too.
#[test]
fn reading_ends_with_the_time() {
    for command in ["chain", "graph"] {
        let (code, out, error) =
            run(&[("m.c", &format!("{COUNTER}{TOP}"))], &[command, "m.c", "--timeout", "0s"]);
        assert_eq!((code, &*out), (124, ""), "{error}");
        assert!(error.contains("the time limit was reached while the model was read"), "{error}");
    }
}

#[test]
fn atsp_reads_tsplib() {
    let text = "NAME: t\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n\
                EDGE_WEIGHT_SECTION\n9 1 5\n5 9 1\n1 5 9\nEOF\n";
    let (code, out, _) = run(&[("t.atsp", text)], &["atsp", "t.atsp", "--json", "-"]);
    assert_eq!(code, 0);
    let json: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&json["length"], &json["optimal"]), (&Json::from(3), &Json::from(true)));
    let (code, _, err) = run(&[("t.atsp", "nonsense")], &["atsp", "t.atsp"]);
    assert_eq!(code, 2, "{err}");
}

/// Reads of a volatile input in one step may differ, which compiled code with one memory cannot show: the result says so.
#[test]
fn volatile_reads_that_differ_are_reached_and_not_replayed() {
    let text = "void __CPROVER_cover(_Bool); volatile int x; int out;
        void step(void) { int a = x; int b = x; out = a - b; __CPROVER_cover(a != b); }\n";
    let (code, out, error) = run(&[("m.c", text)], &["chain", "m.c", "--json", "-"]);
    assert_eq!(code, 0, "{out}{error}");
    let json: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["chains"][0]["replayed"], "evaluator", "{out}");
    assert!(
        format!("{out}{error}").contains("reads `x` more than once with different values"),
        "{out}{error}"
    );
    let agreeing = text.replace("a != b", "a == b && a == 5");
    let (code, out, error) = run(&[("m.c", &agreeing)], &["chain", "m.c", "--json", "-"]);
    assert_eq!(code, 0, "{out}{error}");
    let json: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["chains"][0]["replayed"], true, "{out}");
}

/// Nobody needs to read what the program says: neither `2>&1 | head` nor a pager that is left ends
/// a search, and a table that is cut off is no defect.
#[test]
fn readers_that_leave_end_nothing() {
    let deaf = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), format!("{COUNTER}{TOP}")).expect("a file");
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
        command.current_dir(folder.path());
        command
    };
    let output = program().args(["chain", "m.c", "-v"]).stderr(deaf()).output().expect("it should start");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 of 1 goals covered"));
    let missing = program().args(["chain", "none.c"]).stderr(deaf()).output().expect("it should start");
    assert_eq!(missing.status.code(), Some(2));
    for arguments in [&["engines", "--constants"][..], &["chain", "m.c"], &["man"]] {
        let output = program().args(arguments).stdout(deaf()).output().expect("it should start");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("internal error"), "{arguments:?}");
    }
}
