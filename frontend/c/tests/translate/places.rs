//! Places that depend on what they hold, variables without a value, pointers to variables that live
//! no more: random executions are repeated by the compiled code.

use crate::translate::support::{
    Random, checked, messages, random_trace, replays, translate_text, translate_with,
};
use frontend::{StepFunction, Topic, Translated};
use frontend_c::ir::target::{DataModel, Target};

/// Translates the text for all data models, and repeats executions on the compiled code.
#[track_caller]
fn check(what: &str, text: &str) {
    for model in [DataModel::Lp64, DataModel::Ilp32, DataModel::Ip16] {
        let translated = translate_with(text, |request| request.target = Target { model })
            .unwrap_or_else(|failure| panic!("{what}: {}\n{text}", messages(&failure)));
        let replayed = replays(&translated, 1, 60);
        assert_eq!(replayed, Ok(60), "{what}, {model:?}:\n{text}");
    }
}

/// The descriptions of the undefined operations that random executions of the text meet.
fn met(text: &str) -> Vec<String> {
    met_by(&translate_text(text))
}

pub(crate) fn met_by(translated: &Translated) -> Vec<String> {
    let system = checked(translated);
    let trace = random_trace(&system, &mut Random(1), 20, false);
    let run = model::trace::replay(&system, &trace).expect("the trace should be an execution");
    let mut met: Vec<String> = run
        .hazards
        .iter()
        .map(|met| {
            let hazard = &system.hazards[met.hazard];
            let line = hazard.origin.map_or(0, |origin| translated.source.locate(origin).line);
            format!("{line}: {}", hazard.description)
        })
        .collect();
    met.retain(|text| !text.ends_with("signed overflow"));
    met.sort();
    met.dedup();
    met
}

#[test]
fn values_of_assignments_are_what_was_stored() {
    for (what, text) in [
        (
            "an index that the assignment changes",
            "int out[6]; void step(unsigned char x) { int a[2] = { 0, 50 }, b[3] = { 0, 7, 9 }; out[0] = (a[a[0]] = 1); out[1] = (b[b[0]] += 2);
               b[0] = x & 1; out[2] = ++b[b[0]]; b[0] = x & 1; out[3] = b[b[0]]++; b[0] = x & 1; out[4] = --b[b[0]]; out[5] = b[0] + 10 * b[1]; }",
        ),
        (
            "a pointer that the assignment changes",
            "struct n { struct n *p; int v; } a, b = { &a, 3 }; int out[4];
             void step(int x) { struct n *q = &b, *r; a.p = &b; b.p = &a; r = (q->p->p = x > 0 ? &a : &b); out[0] = r == &a; b.p = &a; r = (q = q->p); out[1] = r == &a;
               struct { int *p; int v[4]; } s = { 0, { 1, 2, 3, x } }; s.p = s.v; out[2] = *(s.p = &s.v[3]); out[3] = (s.v[s.v[0]] = 0); }",
        ),
        (
            "the pointer itself moves",
            "int *p, a[4] = { 1, 2, 3, 4 }; int *out, *end; int v;
             void step(unsigned char x) { p = a; out = (p += x & 3); end = a + 4; v = *(p = &a[x & 1]); p = a; v += *++p; v += *p++; }",
        ),
        (
            "chains of assignments",
            "unsigned char b[4], c[4]; short s; int r, a, i;
             void step(int x) { i = x & 3; b[0] = x; a = b[i] = c[b[i] & 3] = x * 3; r = s = b[b[0] & 3] = x; a += i = b[i & 3] &= 3; r ^= b[i] = i; }",
        ),
        (
            "narrow types",
            "signed char c; _Bool b; unsigned short u; float f; int out[5];
             void step(int x) { out[0] = (c = x); out[1] = (b = x); out[2] = (u = x); out[3] = (f = x) == x; out[4] = (c += 100) + (u -= 3) + (b |= 6); out[4] += (b ^= 1) + ++c; }",
        ),
        (
            "bit-fields that index themselves",
            "struct t { unsigned a : 3; int b : 4; unsigned long long w : 40; _Bool d : 1; } t[8], u; int out[7]; unsigned long long wide;
             void step(unsigned x) { u.a = x; out[0] = (t[u.a].a = x); out[0] += (t[t[1].a].b = x); t[0].a = x; out[1] = (t[t[0].a].a += 3); out[2] = t[t[0].a].a++;
               out[3] = ++t[t[0].a].b; out[4] = (t[t[0].a].d = x & 2); wide = (t[t[0].a].w = x * 77777777777ull) << 3; out[5] = (t[t[0].a].a = 9) - 5 < 0; out[6] = (u.b = 15); }",
        ),
        (
            "whole records",
            "struct s { int i; struct s *next; int v[3]; } m[3]; int out[6]; struct s *p;
             void step(int x) { m[0].next = &m[1]; m[1].next = &m[2]; m[2].next = &m[0]; m[0].i = 1; m[1].i = 2; m[2].i = x; m[1].v[1] = x; p = &m[0];
               out[0] = (m[m[0].i] = m[2]).i; out[1] = (*p = *p->next).v[1]; out[2] = p->next == &m[2]; p = &m[0]; out[3] = (*p->next = *p).i;
               struct s k = m[0], l; l = k = m[m[0].i & 1]; out[4] = l.i + k.i; out[5] = (m[1] = m[0], m[1].i); out[5] += (x ? m[1] = m[2] : m[0]).i; }",
        ),
        (
            "in conditions, arguments, results, initialisers and indices",
            "int a[4], r; static int id(int v, int w) { return a[0] = v + 2 * w; } static int last(unsigned char x) { return a[a[0] & 3] = x; }
             void step(unsigned char x) { a[0] = 0; if (a[a[0]] = x & 3) r = 1; else r = 2; a[0] = 1; r += id(a[a[0]] = x, 3); a[0] = 0; r += last(x);
               a[0] = 0; int k = a[a[0]] = 2, l[2] = { a[a[1] & 1] = 1, k }; r += k + l[0]; a[1] = 1; r += a[a[a[1]] = x & 3]; a[0] = 0; while ((a[a[0] & 0] = a[0] + 1) < 3) r++; a[0] = 0;
               switch (a[a[0]] = x & 1) { case 1: r += 100; } a[0] = 0; r += (a[a[0]] = 1) && (a[a[0]] = 3) || (a[0] = 7); a[0] = 0; r += x ? a[a[0]] = 1 : 5; }",
        ),
        (
            "places that calls designate",
            "int a[3], calls, out[5]; struct { int v; } s; static int *f(void) { calls++; return &a[calls % 3]; } static int g(void) { return ++calls % 3; }
             void step(int x) { out[0] = (*f() = x); out[1] = (*f())++; out[2] = (*f() += 2); out[3] = a[g()] = x; a[g()] ^= x; ++*f(); out[4] = --a[g()]; }",
        ),
        (
            "copies of what overlaps",
            "#include <string.h>\nstruct s { int a, b; }; union { struct { int x; struct s s; } m; struct { struct s s; int x; } n; } u; struct s v[4]; char c[8]; int out;
             void step(int x, unsigned char i) { u.m.s.a = x; u.m.s.b = i; u.m.x = 7; v[0] = v[v[0].a & 3]; v[i & 3] = v[v[i & 3].b & 3]; v[1].a = x; v[2].b = i; memcpy(&v[0], &v[0], sizeof v[0]);
               c[i & 7] = x; memmove(c + 1, c, 6); out = (v[i & 3] = v[(i >> 2) & 3]).a; v[0] = (struct s){ v[0].b, v[0].a }; }",
        ),
        (
            "an initialiser for a range of elements is evaluated once",
            "int n; int out[4]; static int next(void) { return ++n; } struct s { int a, b; };
             void step(int x) { int a[4] = { [0 ... 2] = n++, x }; struct s v[3] = { [0 ... 1] = { next(), 3 }, { next(), x } }; out[0] = a[0] + a[2]; out[1] = v[1].a; out[2] = v[2].a; out[3] = a[3]; }",
        ),
        (
            "statements in expressions whose value is not used",
            "int n; static int f(int x) { if (x) n += x; } void step(int x) { ({ f(x); }); f(x); (void)f(1); x ? f(2) : f(3); f(1), n++; }",
        ),
    ] {
        check(what, text);
    }
}

#[test]
fn variables_without_value_are_zero_on_every_path() {
    let branch = "int r, in; void step(int c, int x) { int j; if (!c) j = 3; r = j; if (c && j != 3) in = 1; else in = 0; }";
    check("a branch", branch);
    assert_eq!(met(branch), ["1: read of an indeterminate value"]);
    let set = "int r; void step(int c) { int j; if (c) j = 3; if (c) r = j; else r = 1; }";
    check("read only where it was written", set);
    assert_eq!(met(set), [""; 0]);
}

/// Copying a record is no look at those of its members that have no value.
#[test]
fn records_are_copied_with_what_they_lack() {
    let text = "struct s { int a, b; }; struct s kept, all[2]; int r; static struct s make(int x) { struct s m; m.a = x; if (x < 0) m.b = 2; return m; }
        void step(int x) { struct s l = make(x), k, other = { 7, 8 }; k = x > 5 ? l : other; k = l; r = k.a;
        kept = k; r += kept.a; if (x < 0) r += k.b; else
        r -= k.b; }";
    assert_eq!(met(text), ["4: read of an indeterminate value"]);
    check("records with members without value", text);
    let element = "struct s { int a, b; } all[2]; void step(unsigned x) { struct s l; l.a = x;
        all[x & 1] = l; }";
    assert_eq!(met(element), ["2: read of an indeterminate value"]);
}

#[test]
fn lifetimes_begin_anew() {
    let rounds = "int r; void step(unsigned char x) {
        r = 0;
        for (int i = 0; i < 3; i++) {
            int j;
            if (i == 0) j = x;
            r += j; } }";
    assert_eq!(met(rounds), ["6: read of an indeterminate value"]);
    let over = "int r; void step(int c) {
        for (int i = 0; i < 3; i++) {
            if (i && c) goto in;
            int j = 3;
        in: r = j; } }";
    assert_eq!(met(over), ["5: read of an indeterminate value"]);
    let into = "int r; void step(int c) {
        for (int i = 0; i < 3; i++) {
            switch (i) { int j; case 0: j = 5; r = j; break;
            default: r = j; } } }";
    assert_eq!(met(into), ["4: read of an indeterminate value"]);
    // A variable lives on where a jump stays in its block.
    let kept = "int r; void step(int c) { int n = 0;
        again: if (n) goto on;
        int j = c;
        on: r = j; n++; if (n < 3) goto again; }";
    assert_eq!(met(kept), [""; 0]);
    check("a jump that stays in the block", kept);
    let twice = "int r; static void f(int c, int x) { int j; if (c) j = x; r = j; } void step(int x) {\n f(1, x);\n f(0, x); }";
    assert_eq!(met(twice), ["1: read of an indeterminate value"]);
}

#[test]
fn ends_without_return_are_no_reads() {
    for (step, steps, text) in [
        ("main", 20, "int x; int main(void) { if (x > 3) x = 0; }"),
        ("main", 20, "int x, y; int main(void) { y = x; if (x > 3) return 2; y++; }"),
        ("main", 20, "int x, y; int main(void) { if (x > 3) goto end; y = x; end: ; }"),
        ("step", 20, "int n; int f(int x) { n += x; } int step(int x) { f(x); }"),
        (
            "step",
            20,
            "int n; int f(int x) { if (x) return 3; n += x; } void step(int x) { f(x); if (x) n = f(1); }",
        ),
    ] {
        for model in [DataModel::Lp64, DataModel::Ilp32, DataModel::Ip16] {
            let translated = translate_with(text, |request| {
                request.target = Target { model };
                request.step = vec![StepFunction { function: step.to_owned(), every: 1, phase: 0 }];
            });
            let translated = translated.unwrap_or_else(|failure| panic!("{}\n{text}", messages(&failure)));
            assert_eq!(met_by(&translated), [""; 0], "{text}");
            let told = translated.findings.iter().any(|finding| finding.topic == Topic::Assumed);
            assert!(!told, "{:?}", translated.findings);
            assert_eq!(replays(&translated, 1, steps), Ok(steps), "{text}");
        }
    }
    let driver = "extern int nondet_int(void); int x; int main(void) { while (1) { x = nondet_int(); if (x == 7) break; } }";
    assert_eq!(met(driver), [""; 0]);
    let used = "int n; int f(int x) { if (x) return 3; } void step(int x) {\n n = f(x); }";
    assert_eq!(met(used), ["2: read of an indeterminate value"]);
}

#[test]
fn pointers_to_variables_are_compared_by_what_they_point_to() {
    for (what, text) in [
        ("a pointer left behind", "int *g, n; void step(int in) { int l = in; g = &l; n = *g; }"),
        (
            "a buffer lent for a call",
            "struct { char *buf; int n; } ctx; static void fill(int x) { ctx.buf[ctx.n & 3] = x; ctx.n++; } int out; void step(int x) { char tmp[4] = { 0 }; ctx.buf = tmp; fill(x); out = tmp[0] + tmp[1]; }",
        ),
        (
            "tested for being null only",
            "static int *g; int n; static void f(int x) { int l = x; if (g) n++; g = x > 0 ? &l : 0; } void step(int x) { f(x); f(x + 1); if (!g) n--; }",
        ),
        (
            "the end of an array",
            "int a[4], *end, *last; int b[4]; void step(unsigned char x) { end = a + 4; last = x & 1 ? b + 4 : a + 3; }",
        ),
        (
            "string literals",
            "const char *s; char c; void step(int x) { s = x > 0 ? \"positive\" : \"other\"; c = s[x & 3]; }",
        ),
        (
            "static variables of functions",
            "int *p; void step(int x) { static int buffer[2]; p = &buffer[x & 1]; }",
        ),
    ] {
        check(what, text);
    }
}

/// What C leaves undefined is told, too, where nobody uses the value; a mere read of an object is none.
#[test]
fn unused_values_are_computed() {
    const DIVISION: &str = "2: division by zero";
    for (statement, expected) in [
        ("x / y;", &[DIVISION][..]),
        ("(void)(x / y);", &[DIVISION]),
        ("(int)(long)(x % y), n++;", &[DIVISION]),
        ("x && x / y;", &[DIVISION]),
        ("x / y || x;", &[DIVISION]),
        ("(x / y) ? 0 : 1;", &[DIVISION]),
        ("(void)(x ? x / y : 3);", &[DIVISION]),
        ("for (int i = 0; i < 2; i++, x / y) { }", &[DIVISION]),
        ("(void)(x << (y + 40));", &["2: shift by a negative amount or by the width or more"]),
        ("y ? x / y : 0;", &[]),
        ("sizeof(x / y);", &[]),
        ("int l; (void)l;", &[]),
        ("(void)x; (void)&x; x == y;", &[]),
    ] {
        let text = format!("int n; void step(short x, short y) {{ y &= 1; n = y;\n {statement} }}");
        assert_eq!(met(&text), expected, "{text}");
    }
}

/// What happens in a function of the compiler is told of its call.
#[test]
fn functions_of_the_compiler_have_the_place_of_their_call() {
    let text = "int n;\nvoid step(unsigned char x) {\n n = __builtin_clz(x & 1); }";
    assert_eq!(met(text), ["3: read of an indeterminate value"]);
}

#[test]
fn dead_variables_are_told() {
    const DEAD: &str = "use of a pointer to a local variable whose block or call has ended";
    for (line, text) in [
        (3, "int *g, n; static void f(int x) { int l = x; g = &l; }\nvoid step(int x) { f(x);\n n = *g; }"),
        (2, "int *g, n; void step(int x) { int l = x;\n if (g) n += *g;\n g = &l; }"),
        (
            2,
            "int *g, n; static void f(int x) { int l = x;\n if (g) n = *g;\n g = &l; } void step(int x) { g = 0; f(x); f(x + 1); g = 0; }",
        ),
        (
            3,
            "static int *f(int x) { int l[2] = { x, 1 }; int *p = l; return p + 1; } int n;\nvoid step(int x) { int *p = f(x);\n n = *p; }",
        ),
        (
            3,
            "struct s { int *p; } g; static struct s f(int x) { struct s s = { &x }; return s; } int n;\nvoid step(int x) { g = f(x);\n *g.p = 3; g.p = 0; }",
        ),
        (
            3,
            "int *g, n; static void f(int x) { int l = x;\n int *p = &l;\n n = g == p; g = &l; } void step(int x) { g = 0; f(x); f(x + 1); g = 0; }",
        ),
    ] {
        assert_eq!(met(text), [format!("{line}: {DEAD}")], "{text}");
    }
    // Blocks that have ended, left in each way that there is.
    for (line, block) in [
        (3, "{ int l = x; p = &l; }"),
        (3, "do { int l = x; p = &l; break; } while (1);"),
        (3, "for (int l = x, i = 0; i < 1; i++) { p = &l; }"),
        (3, "for (int i = 0; i < 2; i++) { int l = i; p = &l; if (i) continue; }"),
        (3, "{ int l = x; p = &l; goto out; } out: ;"),
        (3, "{ int l = x; int *q = &l; { int m; p = x > 5 ? &m : q; } }"),
        (3, "if (x < 300) { int l[2] = { x, x }; p = l + 1; }"),
        (3, "switch (x & 0) { int l; default: l = x; p = &l; break; }"),
        (3, "p = ({ int l = x; &l; });"),
        (2, "for (int i = 0; i < 2; i++) { int l = 1; if (i) n += *p; p = &l; } p = &n;"),
        (2, "for (int i = 0; i < 2; i++) { int l = 1; if (i) n += p == &l; p = &l; } p = &n;"),
        (3, "{ int i = 0; again: ; int l = x; p = &l; if (i++ < 2) goto again; }"),
        (2, "{ int i = 0; again: { int l = 1; if (i) n += *p; p = &l; } if (i++ < 1) goto again; } p = &n;"),
    ] {
        let text = format!("int n; void step(unsigned char x) {{ int *p = &n;\n {block}\n n = *p; }}");
        assert_eq!(met(&text), [format!("{line}: {DEAD}")], "{text}");
    }
    // Blocks that have not.
    for block in [
        "int l = x; { p = &l; }",
        "static int l; { static int m; l = m = x; p = &m; }",
        "{ int l = x; p = &l; { int l = 1; n += l; } n += *p; p = &n; }",
        "for (int i = 0, l = x; i < 3; i++) { if (i) n += *p; p = &l; } p = &n;",
        "{ int l, i = 0; again: l = x; p = &l; if (i++ < 2) goto again; n += *p; p = &n; }",
        "int i = 0; again: ; int l = x; p = &l; if (i++ < 2) goto again; n += *p; p = &n;",
        "{ int i = 0; again: ; int l = x; if (i) n += p == &l; p = &l; if (i++ < 2) goto again; n += *p; p = &n; }",
        "{ int i = 0; again: ; if (i) n += *p; int l = x; p = &l; if (i++ < 2) goto again; p = &n; }",
        "{ int i = 0; again: ; int l = *p + 1; p = &l; if (i++ < 3) goto again; n += l; p = &n; }",
        "{ int i = 0; again: ; struct { int v; } l = { 2 }, m = i ? *(__typeof__(l) *)(void *)p : l; m.v++; p = &m.v; if (i++ < 3) goto again; n += m.v; p = &n; }",
        "{ int l = x; p = &l; switch (x) { int l; default: l = 1; n += *p + l; } p = &n; }",
        "n += ({ int l = x; p = &l; *p; }); p = &n;",
        "{ int l[3]; p = l; while (p < l + 3) { int m = x; *p++ = m; } n = l[2]; p = &n; }",
    ] {
        let text = format!("int n; void step(unsigned char x) {{ int *p = &n;\n {block}\n n = *p; }}");
        assert_eq!(met(&text), [""; 0], "{text}");
        check("lifetimes of blocks", &text);
    }
    // Another call has other variables.
    let lives = "int n; static void g(int *p, int x) { int l = x; if (x > 0) { g(&l, 0); n += l; } *p = x; } void step(unsigned char x) { int l = 1; g(&l, x & 3); n += l; }";
    assert_eq!(met(lives), [""; 0]);
    check("recursion", lives);
}
