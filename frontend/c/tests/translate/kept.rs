//! Variables of the function that holds a driver's loop: which of them live on from round to round,
//! as pointers that are kept show.

use crate::translate::places::met_by;
use crate::translate::support::{messages, replays, translate_with};
use frontend::{Topic, Translated};
use frontend_c::ir::target::{DataModel, Target};

const DEAD: &str = "use of a pointer to a local variable whose block or call has ended";

/// Translates a program with inputs, a variable `n` and a pointer `g` for all data models.
fn translated(program: &str) -> [Translated; 3] {
    let text = format!("int nondet_int(void); int n, *g = &n;\n{program}");
    [DataModel::Lp64, DataModel::Ilp32, DataModel::Ip16].map(|model| {
        translate_with(&text, |request| request.target = Target { model })
            .unwrap_or_else(|failure| panic!("{}\n{text}", messages(&failure)))
    })
}

/// Checks which undefined operations random executions meet, and repeats executions on the compiled code.
#[track_caller]
fn check(program: &str, expected: &[String]) {
    for found in translated(program) {
        assert_eq!(met_by(&found), expected, "{program}");
        // What is read through a dead pointer is up to the compiler.
        let is_told = expected.iter().any(|met| met.ends_with(DEAD));
        if !is_told {
            assert_eq!(replays(&found, 1, 60), Ok(60), "{program}");
        }
    }
}

/// A jump back within the block that declares a variable does not end its life (C11 6.2.4, 5 and 6).
#[test]
fn jumps_back_leave_no_block() {
    for rounds in [
        "again: n = *g + 1; int l = nondet_int() & 7; g = &l; goto again;",
        "again: ; n = *g; int l[2] = { 1, nondet_int() }; g = l + 1; goto again;",
        "again: ; n = *g; struct { char c; int i[2]; } l = { 1, { 2, nondet_int() } }; g = l.i; g++; goto again;",
        "again: n = *g; if (nondet_int() > 3) goto again; int l = n + 1; g = &l; goto again;",
        "again: ; n = *g; g = &(int){ nondet_int() }; goto again;",
        "int *p = &n; again: ; n = *p; int l = nondet_int(), *q = &l; p = q; goto again;",
        "int *p = &n; again: ; (*p)++; int l = nondet_int(), m = l; p = l > 3 ? &l : &m; if (l != 77) goto again;",
        "again: ; int l = *g + 1 & 7; n = l; g = &l; if (nondet_int() == 7) l = 0; goto again;",
        "again: ; int l[2] = { n, *g + 1 & 7 }; n = l[1]; g = &l[1]; if (nondet_int() == 7) l[1] = 0; goto again;",
        "again: ; struct { int a, b[2]; } l = { .b = { [1] = *g + 1 & 7 } }; n = l.b[1] + nondet_int(); g = &l.b[1]; goto again;",
        "again: ; struct { int a, *b; } l = { 1, &n }, *p = &l; g = &p->a; n = *g + nondet_int(); goto again;",
        "{ again: ; n = *g; int l = nondet_int(); { g = &l; } if (n != 77) goto again; }",
    ] {
        check(&format!("int main(void) {{ {rounds} return 0; }}"), &[]);
    }
}

/// A round of any other loop ends the block of its body, and so does the end of a block among the jumps.
#[test]
fn rounds_end_their_blocks() {
    for rounds in [
        "while (1) {\n n = *g; int l = nondet_int(); g = &l; }",
        "for (;;) {\n n = *g; int l = nondet_int(); g = &l; if (l > 3) continue; g = &l; }",
        "for (;;) {\n n = *g; switch (nondet_int() & 0) { int l; default: l = 1; g = &l; } }",
        "for (;;) { int k = 1; if (nondet_int() > 99) k = 2; again:\n n = *g; int l = k; g = &l; if (k--) goto again; }",
        "again:\n n = *g; { int l = nondet_int(); g = &l; } goto again;",
        "again:\n n = *g; if (1) { int l = nondet_int(); g = &l; goto again; } goto again;",
        "again:\n n = *g; for (int l = nondet_int(); ;) { g = &l; break; } goto again;",
    ] {
        check(&format!("int main(void) {{ {rounds} return 0; }}"), &[format!("3: {DEAD}")]);
    }
}

/// The variables of the function that calls the one with the loop live as long as the program.
#[test]
fn callers_of_the_loop_go_on_living() {
    for program in [
        "static void run(int *p) { while (1) { n = *p; *p = nondet_int(); } } int main(void) { int x = 7; run(&x); }",
        "static void run(int p[]) { for (;;) { n = p[1]++; p[0] = nondet_int(); } } int main(void) { int x[2] = { 1, 2 }; run(x); }",
        "struct s { int a, *p; }; static void run(struct s *s) { for (;;) { n = *s->p + s->a; s->a = nondet_int(); } }
           int main(void) { int x = 3; { struct s s = { 1, &x }; run(&s); } return 0; }",
        "static void run(void) { for (;;) { n = *g; *g = nondet_int(); } } int main(void) { g = &(int){ 3 }; run(); }",
    ] {
        check(program, &[]);
    }
    let ended = "static void run(void) { for (;;) {\n n = *g; n += nondet_int(); } } int main(void) { { int x = 3; g = &x; } run(); }";
    check(ended, &[format!("3: {DEAD}")]);
}

/// Each round that reaches a declaration takes the variable's value away.
#[test]
fn declarations_take_values_away() {
    let read = "int main(void) { again: ; int l;\n n = l; l = nondet_int(); g = &l; goto again; }";
    check(read, &["3: read of an indeterminate value".to_owned()]);
    let lasting = "int main(void) { again: n = *g; int l; if (nondet_int() > 0) l = 3; g = &l; goto again; }";
    check(lasting, &[]);
    for found in translated(lasting) {
        let told = |topic: Topic, subject: &str| {
            let mut findings = found.findings.iter().filter(|finding| finding.topic == topic);
            findings.any(|finding| finding.subject == subject && finding.reason.contains("without a value"))
        };
        assert!(told(Topic::Assumed, "l"), "{:?}", found.findings);
    }
}
