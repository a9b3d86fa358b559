//! Programs of several files.

use crate::lower::support::{all_supported, rendered};
use frontend_c::ir::print::ProgramText;
use frontend_c::ir::target::Target;
use frontend_c::lower::{Input, Loader};

#[track_caller]
fn check(files: &[(&str, &str)], expected: &str) {
    let found = match Loader::load_texts(files, Target::default()) {
        Ok(loader) => ProgramText(loader.program()).to_string(),
        Err(failure) => rendered(&failure),
    };
    assert_eq!(found, expected);
}

#[test]
fn names_are_linked_by_their_linkage() {
    check(
        &[
            ("a.c", "struct s { int x; struct s *next; }; extern struct s shared; extern int table[]; int count; static int own = 1;
                     static int twice(int x) { return 2 * x; } int use(void) { return twice(own) + shared.x + table[1] + count; }"),
            ("b.c", "struct s { int x; struct s *next; }; struct s shared = { 1, &shared }; int table[3] = { 1 }; extern int count;
                     static int own = 2; int use(void); static int twice(int x) { return use() + x + own + count; }
                     int run(void) { return twice(3); }"),
            ("c.c", "int count = 5; extern int missing; int absent(int a, int);
                     int more(void) { return absent(missing, count); }"),
        ],
        "struct s { // size 8, alignment 4
    int x; // at 0
    struct s *next; // at 4
}
struct s shared = { 0: 1, 4: &shared };
int table[3] = { 0: 1 };
int count = { 0: 5 };
static int own = { 0: 1 };
static int own = { 0: 2 };
extern int missing;
static int twice(int x) {
    return (2 * x);
}
int use(void) {
    %1 = twice(own);
    return (((%1 + shared.x) + table[1]) + count);
}
static int twice(int x) {
    %1 = use();
    return (((%1 + x) + own) + count);
}
int run(void) {
    %1 = twice(3);
    return %1;
}
extern int absent(int a, int #2);
int more(void) {
    %1 = absent(missing, count);
    return %1;
}
",
    );
}

#[test]
fn different_records_of_one_tag_stay_apart() {
    check(
        &[
            ("a.c", "struct s { int x; } first;"),
            ("b.c", "struct s { char y; short z; } second; struct t *opaque;"),
            ("c.c", "struct t { int in; }; struct t third;"),
        ],
        "struct s { // size 4, alignment 4
    int x; // at 0
}
struct s { // size 4, alignment 2
    char y; // at 0
    short z; // at 2
}
struct t { // size 4, alignment 4
    int in; // at 0
}
struct s first;
struct s second;
struct t *opaque;
struct t third;
",
    );
}

#[test]
fn conflicts_are_errors() {
    check(
        &[("a.c", "int x = 1;\n"), ("b.c", "short x;\n")],
        "error[conflicting-types]: `x` is declared with another type before
 --> b.c:1:7
  |
1 | short x;
  |       ^
  = declared here:
 --> a.c:1:5
  |
1 | int x = 1;
  |     ^
",
    );
    check(
        &[
            ("a.c", "struct s { int a; }; struct s x;\n"),
            ("b.c", "struct s { short b; }; extern struct s x;\n"),
        ],
        "error[conflicting-types]: `x` is declared with another type before
 --> b.c:1:40
  |
1 | struct s { short b; }; extern struct s x;
  |                                        ^
  = declared here:
 --> a.c:1:31
  |
1 | struct s { int a; }; struct s x;
  |                               ^
",
    );
    check(
        &[("a.c", "int f(void) { return 1; }\n"), ("b.c", "int f(void) { return 2; }\n")],
        "error[duplicate-definition]: `f` is defined twice
 --> b.c:1:5
  |
1 | int f(void) { return 2; }
  |     ^
  = defined here:
 --> a.c:1:5
  |
1 | int f(void) { return 1; }
  |     ^
",
    );
}

#[test]
fn functions_known_without_declaration_agree_with_any_declaration() {
    for files in [
        [
            ("a.c", "extern void __CPROVER_assume(int); void a(int x) { __CPROVER_assume(x); }"),
            ("b.c", "void b(char *p) { __CPROVER_assume(p); }"),
        ],
        [
            ("a.c", "void b(char *p) { __CPROVER_assume(p); }"),
            ("b.c", "extern void __CPROVER_assume(int); void a(int x) { __CPROVER_assume(x); }"),
        ],
        [
            (
                "a.c",
                "float a(float x) { return sinf(x) + atan2f(x, 1.0f); } double c(double x) { return exp(x); }",
            ),
            (
                "b.c",
                "float sinf(float); double exp(double); float b(float x) { return sinf(x) + (float)exp(x); }",
            ),
        ],
        [
            ("a.c", "void a(void) { reach_error(); }"),
            ("b.c", "void reach_error(void) { } extern void abort(void); void b(void) { abort(); }"),
        ],
        [
            (
                "a.c",
                "void a(void) { __VERIFIER_error(17); int x = __VERIFIER_nondet_int() + nondet_bool(); }",
            ),
            ("b.c", "int nondet_bool(); void b(void) { nondet_bool(); }"),
        ],
    ] {
        if let Err(failure) = Loader::load_texts(&files, Target::default()) {
            panic!("{}", rendered(&failure));
        }
    }
}

/// A property file may include the C file it speaks of; it then means that file's objects.
#[test]
fn property_files_see_the_model_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let (model, properties) = (folder.path().join("model.c"), folder.path().join("props.c"));
    let write = |path: &std::path::Path, text: &str| {
        std::fs::write(path, text).expect("a temporary file should be possible")
    };
    write(
        &model,
        "#include <assert.h>\nstatic int mode;\nint level = 3;\nstatic int next(int m) { return m + 1; }\n\
         void step(void) { assert(mode >= 0); mode = next(mode); }\n",
    );
    write(
        &properties,
        "#include \"model.c\"\nvoid p1(void) { __CPROVER_assume(mode == 1); step(); assert(mode == 2); }\n\
         static int own; int probe(void) { return own + next(level); }\n",
    );
    let input = Input {
        sources: vec![model],
        property_files: vec![properties],
        define: vec!["NDEBUG".to_owned()],
        ..Input::default()
    };
    let loader = Loader::load(input).unwrap_or_else(|failure| panic!("{}", rendered(&failure)));
    assert_eq!(
        ProgramText(loader.program()).to_string(),
        "static int mode;
int level = { 0: 3 };
static int own;
extern void __chaincover_assert(_Bool condition);
static int next(int m) {
    return (m + 1);
}
void step(void) {
    %1 = next(mode);
    mode = %1;
}
void p1(void) {
    __CPROVER_assume((_Bool)(mode == 1));
    step();
    __chaincover_assert((_Bool)(mode == 2));
}
extern void __CPROVER_assume(_Bool #1);
int probe(void) {
    %2 = own;
    %1 = next(level);
    return (%2 + %1);
}
"
    );
}

/// Headers declare more than programs need: what is not supported there matters only to who uses it.
#[test]
fn unused_declarations_may_be_unsupported() {
    let declarations = "typedef int word __attribute__((__mode__(__word__)));
typedef struct { long long a __attribute__((aligned(16))); long double b; } max_align_t;
typedef struct { int x[4]; } buffer __attribute__((aligned));
extern long double sinl(long double);
extern void use_word(word, buffer *);
static inline unsigned swap(unsigned x) { return __builtin_ia32_bsrsi(x); }
static __attribute__((always_inline)) inline int ok(int x) { return x; }
int aligned __attribute__((aligned(8))), first __attribute__((section(\".fast\"), used));
void die(void) __attribute__((noreturn, format(printf, 1, 2)));
";
    if let Err(failure) = Loader::load_texts(
        &[("a.c", &format!("{declarations}int f(void) {{ return ok(1); }}"))],
        Target::default(),
    ) {
        panic!("{}", rendered(&failure));
    }
    for (use_it, code) in [
        ("word x;", "unsupported-attribute"),
        ("max_align_t x;", "unsupported-attribute"),
        ("buffer x;", "unsupported-attribute"),
        ("double f(void) { return sinl(1); }", "unsupported-type"),
        ("void f(void) { use_word(1, 0); }", "unsupported-attribute"),
        ("int f(void) { return swap(1); }", "unsupported-builtin"),
    ] {
        let text = format!("{declarations}{use_it}");
        let loaded = Loader::load_texts(&[("a.c", &text)], Target::default()).and_then(all_supported);
        let failure = loaded.err().expect("it should be refused");
        assert_eq!(failure.diagnostics.entries[0].code.text, code, "{use_it}:\n{}", rendered(&failure));
    }
}
