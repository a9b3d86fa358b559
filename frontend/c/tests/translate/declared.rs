//! Forms of declarations, types and initialisers that compilers accept: each step leaves 7 in
//! `r`, in the model and in the compiled code.

use crate::translate::support::{checked, error_codes, messages, replays, translate_with};
use frontend::{Request, StepFunction, Translated};
use frontend_c::ir::target::{DataModel, Target};
use model::trace::{Start, Trace, replay};

/// What is declared at file scope, and what the step does.
const FORMS: &[(&str, &str)] = &[
    // Lengths of arrays come from any declaration of the object in the file.
    ("int t[2]; int t[] = { 7 };", "r = t[0] + t[1] + (sizeof t != 8);"),
    ("extern int t[]; int t[3] = { 1, 2, 7 }; extern int t[];", "r = t[2] + (sizeof t != 12);"),
    ("static int t[3]; static int t[] = { 1, 7 };", "r = t[1] + t[2] + (sizeof t != 12);"),
    ("extern int m[][2]; int m[2][2]; int m[][2] = { { 7 } };", "r = m[0][0] + m[1][1];"),
    ("int t[2]; extern int t[]; int u[sizeof t];", "r = sizeof u / 4 - 1;"),
    // Flexible array members take memory that their type does not tell of.
    ("struct f { int n; int d[]; } s = { 3, { 1, 7, 2 } };", "r = s.d[1]; s.d[2] = 3; r += s.d[2] - 3;"),
    ("struct f { int n; char d[]; } s = { 3, \"ab\" };", "r = s.d[1] - 91 + s.d[2];"),
    ("struct f { int n; char d[]; } s = { .d = { [2] = 7 }, .n = 1 };", "r = s.d[2] + s.d[0];"),
    (
        "struct f { char n; int d[]; } s = { 1, { 2, 3 } };",
        "struct f *at = &s; r = sizeof s + at->n + sizeof *at - 2;",
    ),
    (
        "struct f { int n; int d[]; };",
        "static struct f s = { 1, { 6 } }; struct f *p = &s; r = p->n + p->d[0];",
    ),
    (
        "typedef int T[]; struct f { int n; T d; }; static struct f s = { 2, { 3, 4 } }; struct f *at = &s;",
        "r = 0; for (int i = 0; i < at->n; i++) r += at->d[i];",
    ),
    // A string literal and the name of the function are arrays where nothing makes pointers
    // of them.
    ("", "r = sizeof __func__ + 2;"),
    ("", "r = sizeof(__FUNCTION__) + sizeof \"a\";"),
    ("", "__typeof__(\"abcdef\") s; r = sizeof s;"),
    // Offsets of members, written with a null pointer.
    (
        "struct s { int a; char c; int d[3]; }; enum { AT = (int)(unsigned long)&((struct s *)0)->c };",
        "r = AT + 3;",
    ),
    (
        "struct s { int a; char c; int d[3]; }; typedef char t[(unsigned long)&((struct s *)0)->d[1] - 5];",
        "r = sizeof(t);",
    ),
    ("struct s { int a; char c; }; char t[(char *)&((struct s *)0)->c - (char *)0 + 3];", "r = sizeof t;"),
    ("int t[(void *)0 == (void *)(1 - 1) ? 7 : -1];", "r = sizeof t / 4;"),
    // Attributes in brackets.
    (
        "[[nodiscard]] static int f([[maybe_unused]] int a) { return a + 4; }",
        "[[maybe_unused]] int q = 3; r = f(q);",
    ),
    ("struct [[gnu::packed]] s { char c; int d; };", "r = sizeof(struct s) + 2;"),
    ("", "switch (3) { case 3: r = 6; [[fallthrough]]; default: r++; }"),
    // Forms of GNU C.
    ("int t[4] = { [3] 7 }; int u[2][2] = { [1] { [1] 7 } };", "r = t[3] + u[1][1] - 7;"),
    ("", "switch (4) { case 5 ... 2: r = 1; break; case 4: r = 7; }"),
    ("", "switch (4) { case 4: case 5 ... 2: r = 7; break; default: r = 1; }"),
    ("", "{ __label__ a, b; r = 7; goto a; b: r = 1; a: ; }"),
    ("enum e; enum e { A = 7 };", "r = A;"),
    ("", "const int n = 3; int t[n + 1]; t[n] = 7; r = t[n] + (sizeof t != 16);"),
    ("static int f(int a) { if (a) return 7; return; }", "r = f(1);"),
    ("int t[4];", "void *a = t + 3, *b = t; r = a - b - 5;"),
    ("__CPROVER_size_t a = 7; __CPROVER_bool b = 2;", "r = a * b;"),
];

fn translated(declarations: &str, statements: &str) -> Translated {
    let text = format!(
        "int r; {declarations}\nvoid step(int in) {{ {statements} }}\nvoid p(int in) {{ __CPROVER_assume(in == 1); step(in); }}"
    );
    let adjust = |request: &mut Request| request.target = Target { model: DataModel::Lp64 };
    translate_with(&text, adjust).unwrap_or_else(|failure| panic!("{text}\n{}", messages(&failure)))
}

/// What `r` holds after one step with inputs of zero.
fn result(translated: &Translated) -> i128 {
    let system = checked(translated);
    let zero = |symbol| model::value::Value::new(system.terms.symbol(symbol).sort, 0);
    let initial = system.initial_inputs.values().map(|input| zero(input.symbol)).collect();
    let inputs = vec![system.inputs.values().map(|input| zero(input.symbol)).collect()];
    let run = replay(&system, &Trace { start: Start::Initial(initial), inputs })
        .expect("one step should be possible");
    let outputs = &translated.signals.outputs;
    let found = outputs.iter().find(|(signal, _)| signal.lvalue == "r").expect("`r` should be an output");
    run.outputs[0][found.1].signed()
}

#[test]
fn forms_mean_what_compilers_make_of_them() {
    for (declarations, statements) in FORMS {
        let translated = translated(declarations, statements);
        assert_eq!(result(&translated), 7, "{declarations} {statements}");
    }
}

#[test]
fn the_compiled_code_agrees() {
    // One program with all forms that can stand side by side would hide which one differs.
    for (declarations, statements) in FORMS {
        let translated = translated(declarations, statements);
        replays(&translated, 1, 1).unwrap_or_else(|why| panic!("{declarations} {statements}\n{why}"));
    }
}

#[test]
fn what_is_wrong_stays_refused() {
    for (text, code) in [
        ("int t[1]; int t[] = { 1, 2 }; void step(int i) { }", "excess-initialiser"),
        ("int t[2]; int t[3]; void step(int i) { }", "conflicting-types"),
        ("int t[2]; char t[] = { 1 }; void step(int i) { }", "conflicting-types"),
        (
            "struct f { int n; int d[]; }; int r; void step(int i) { struct f s = { 1, { 2 } }; r = s.n; }",
            "excess-initialiser",
        ),
        (
            "struct f { int n; char d[]; }; struct g { struct f f; } s = { { 1, \"ab\" } }; void step(int i) { }",
            "excess-initialiser",
        ),
        ("void step(int i) { switch (i) { case 1 ... 3: case 2: ; } }", "duplicate-case"),
        (
            "int __CPROVER_uninterpreted_f(int); int r; void step(int i) { r = __CPROVER_uninterpreted_f(i); }",
            "unsupported-call",
        ),
        (
            "void pthread_exit(void *); int r; void step(int i) { r = i; if (i == 5) pthread_exit(0); }",
            "unsupported-call",
        ),
        ("void step(int i) { const int n = i; int t[n]; }", "unsupported-vla"),
    ] {
        assert_eq!(
            error_codes(&format!("{text} void p(int i) {{ __CPROVER_assume(i); step(i); }}"), |_| {}),
            [code],
            "{text}"
        );
    }
}

fn stepped(request: &mut Request) {
    request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
    request.init = Some(String::new());
}

/// Functions of headers and libraries often use more than models do.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return __builtin_va_arg(l, int); }",
        "unsupported-builtin",
    ),
    ("int f(int n, ...) { int t[n]; return t[0]; }", "unsupported-vla"),
    ("int f(int n, ...) { __asm__(\"nop\"); return n; }", "unsupported-asm"),
    ("int f(int n, ...) { long double d = n; return d; }", "unsupported-type"),
    ("int f(int n, ...) { int g(int a) { return a; } return g(n); }", "unsupported-nested-function"),
    (
        "static long double g(long double a) { return a; } int f(int n, ...) { return g(n); }",
        "unsupported-type",
    ),
];

#[test]
fn unsupported_code_is_refused_where_it_is_executed() {
    for (function, code) in LEFT_OUT {
        let around = |call: &str| {
            format!("int r; {function}\nvoid step(int i) {{ r = {call}; __CPROVER_cover(r == 3); }}")
        };
        let translated =
            translate_with(&around("i"), stepped).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        let warned = translated
            .diagnostics
            .entries
            .iter()
            .any(|entry| entry.code.text == "left-out" && entry.message.contains("`f`"));
        assert!(warned, "{function}");
        assert_eq!(translated.system.goals.values().count(), 1);
        for call in ["f(1, 2)", "(i ? f : 0)(1, 2)"] {
            assert_eq!(error_codes(&around(call), stepped), [*code], "{function} {call}");
        }
    }
}

#[test]
fn unsupported_code_is_refused_where_it_may_be_meant() {
    for text in [
        "int r; void step(int i) { r = i; } int main(void) { for (;;) { step(nondet_int()); __asm__(\"wfi\"); } }",
        "int r; void step(int i) { r = i; } void p(int i) { int t[i]; __CPROVER_assume(i == 3); step(i); } void q(int i) { __CPROVER_assume(i == 1); step(i); }",
        "int r; void step(int i) { r = i; int t[i]; } void p(int i) { __CPROVER_assume(i == 3); step(i); }",
    ] {
        let codes = error_codes(text, |_| {});
        assert!(codes == ["unsupported-asm"] || codes == ["unsupported-vla"], "{text}: {codes:?}");
    }
}

#[test]
fn calls_that_stand_at_one_place_are_different_goals() {
    // The text, and what goals there have to be: a macro makes two, macros of the system cut a line
    // into pieces, and lines are told to be one.
    let model = |body: &str| {
        format!("#include <limits.h>\nunsigned char y; void step(unsigned char i) {{ y = i;\n{body}\n}}")
    };
    for (body, goals) in [
        ("#define BOTH(a, b) __CPROVER_cover(a); __CPROVER_cover(b)\nBOTH(y == 1, y == 2);", 2),
        (
            "__CPROVER_cover(y == UCHAR_MAX); __CPROVER_cover(y > UCHAR_MAX); __CPROVER_cover(y == UCHAR_MAX - 1); __CPROVER_cover(y == 7);",
            4,
        ),
        ("#line 10 \"m.src\"\n__CPROVER_cover(y == 1);\n#line 10 \"m.src\"\n__CPROVER_cover(y == 2);", 2),
        (
            "#define ALL(a, b) __CPROVER_assert(a, \"\"), __CPROVER_assert(b, \"\")\nALL(y == 1, y < UCHAR_MAX);",
            2,
        ),
        ("for (int k = 0; k < 3; k++) __CPROVER_cover(y == k);", 1),
    ] {
        let translated =
            translate_with(&model(body), stepped).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        assert_eq!(translated.system.goals.values().count(), goals, "{body}");
    }
}

#[test]
fn outputs_behind_pointers_are_what_they_point_to() {
    let text = "typedef struct { int x; char y; } out; void step(int i, out *_out) { _out->x = i; _out->y = 1; __CPROVER_cover(_out->x == 3); }";
    let translated = translate_with(text, |request| {
        stepped(request);
        request.outputs = Some(vec!["step._out".into()]);
    });
    let translated = translated.unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    let outputs: Vec<&str> =
        translated.signals.outputs.iter().map(|(signal, _)| signal.lvalue.as_str()).collect();
    assert_eq!(outputs, ["step._out->x", "step._out->y"]);
    replays(&translated, 1, 4).unwrap_or_else(|why| panic!("{why}"));
    let refused = |text: &str, output: &str| {
        let codes = error_codes(text, |request| {
            stepped(request);
            request.outputs = Some(vec![output.into()]);
        });
        assert_eq!(codes.len(), 1, "{text} {codes:?}");
        codes[0]
    };
    assert_eq!(
        refused(
            "int a, b, *p = &a; void step(int i) { p = i ? &a : &b; *p = i; __CPROVER_cover(a == 3); }",
            "p"
        ),
        "no-lvalue"
    );
    assert_eq!(
        refused("int a; void step(int i, void *p) { a = i; __CPROVER_cover(a == 3); }", "step.p"),
        "pointer-output"
    );
    assert_eq!(
        refused(
            "int a; void f(void) { } void (*p)(void) = f; void step(int i) { p(); a = i; __CPROVER_cover(a == 3); }",
            "p"
        ),
        "pointer-output"
    );
}

/// Tables that other files define take no part in what does not read them.
#[test]
fn unread_tables_are_no_inputs() {
    for text in [
        "extern const int t[4]; extern const int u[]; extern const struct s v; int r; void step(int i) { r = sizeof t + i; __CPROVER_cover(r == 19); }",
        "extern const int t[4]; extern const int u[]; int f(void) { return t[0] + u[1]; } int r; void step(int i) { r = i; __CPROVER_cover(r == 19); }",
        "extern const int t[4]; extern const int u[]; const int *const all[2] = { t, u }; int r; void step(int i) { r = i; __CPROVER_cover(r == 19); }",
        "extern const int t[4]; extern const int u[]; struct c { const int *t; int k; } c = { u, 3 }; int r; void step(int i) { r = i + c.k; c.t = t; __CPROVER_cover(r == 19); }",
    ] {
        let translated =
            translate_with(text, stepped).unwrap_or_else(|failure| panic!("{text}\n{}", messages(&failure)));
        let inputs: Vec<&str> =
            translated.signals.inputs.iter().map(|input| input.signal.lvalue.as_str()).collect();
        assert_eq!(inputs, ["step.i"], "{text}");
        replays(&translated, 1, 2).unwrap_or_else(|why| panic!("{text}\n{why}"));
    }
}
