//! Reading files: includes, encodings, macros of the target, headers of this tool.

use crate::lower::support::rendered;
use frontend::Failure;
use frontend_c::ir::target::{DataModel, Target};
use frontend_c::lower::{Input, Loader};
use std::path::Path;
use tempfile::TempDir;

/// A folder with files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file should be in a folder"))
            .expect("a folder should be possible");
        std::fs::write(path, bytes).expect("a temporary file should be possible");
    }
    folder
}

fn load(folder: &Path, name: &str, model: DataModel) -> Result<Loader, Failure> {
    Loader::load(Input {
        sources: vec![folder.join(name)],
        include: vec![folder.join("include")],
        define: vec!["GIVEN=4".to_owned()],
        target: Target { model },
        ..Input::default()
    })
}

#[track_caller]
fn check_valid(files: &[(&str, &[u8])]) {
    let folder = folder(files);
    if let Err(failure) = load(folder.path(), files[0].0, DataModel::Ilp32) {
        panic!("{}", rendered(&failure));
    }
}

/// Messages, with the folder's own path removed.
#[track_caller]
fn check_errors(files: &[(&str, &[u8])], expected: &str) {
    let folder = folder(files);
    let failure = load(folder.path(), files[0].0, DataModel::Ilp32).err().expect("it should be refused");
    let text = rendered(&failure).replace(&format!("{}/", folder.path().display()), "");
    assert_eq!(text, expected);
}

#[test]
fn include_names_may_differ_in_case_and_slashes() {
    check_valid(&[
        ("m.c", b"#include \"Model_Types.h\"\n#include \"SUB\\Inner.H\"\n#include <Common.h>\n#include \"RtwTypes.h\"\nouter_t x; inner_t y; common_t z; int8_T w;\n"),
        ("model_types.h", b"typedef int outer_t;\n"),
        ("sub/inner.h", b"#include \"../Sub/Next.h\"\ntypedef next_t inner_t;\n"),
        ("sub/next.h", b"typedef int next_t;\n"),
        ("include/COMMON.h", b"typedef int common_t;\n"),
    ]);
}

#[test]
fn other_encodings_and_line_ends_are_read() {
    check_valid(&[("m.c", b"/* gr\xf6\xdfe */\r\nint x = GIVEN; // \xe4\r\nchar text[] = \"\xe4\";\r\n#if GIVEN == 4\r\nint y \\\r\n = 3;\r\n#endif\r\n")]);
    let folder = folder(&[("m.c", b"_Static_assert(sizeof \"\xe4\\xff\" == 3, \"one byte\");\n_Static_assert(sizeof \"\xc3\xa4\" == 3, \"two\");\n")]);
    // Each line is UTF-8 or Latin-1 by itself for literals; the first line is not UTF-8.
    assert!(load(folder.path(), "m.c", DataModel::Ilp32).is_ok());
}

#[test]
fn the_preprocessors_own_errors_have_their_places() {
    check_errors(
        &[("m.c", b"int x;\n#include \"gone.h\"\n")],
        "error[preprocessor]: gone.h: No such file or directory
 --> m.c:2:10
  |
2 | #include \"gone.h\"
  |          ^
  = add the folder that holds it with -I (`include` in chaincover.toml)
",
    );
    check_errors(
        &[("m.c", b"#include \"h.h\"\nint x;\n"), ("h.h", b"\n  #error only for 8-bit machines\n")],
        "error[preprocessor]: #error only for 8-bit machines
 --> h.h:2:4
  |
2 |   #error only for 8-bit machines
  |    ^^^^^
",
    );
    check_errors(
        &[("m.c", b"#include <pthread.h>\nint x;\n")],
        "error[unsupported-threads]: threads are not supported: leave out what starts and joins them, and check what one of them does
 --> m.c:1:10
  |
1 | #include <pthread.h>
  |          ^
",
    );
    let missing =
        load(Path::new("/nonexistent"), "m.c", DataModel::Ilp32).err().expect("it should be refused");
    assert_eq!(
        rendered(&missing),
        "error[unreadable-file]: `/nonexistent/m.c` cannot be read: No such file or directory (os error 2)\n"
    );
}

#[test]
fn errors_behind_macros_and_includes_have_the_users_places() {
    check_errors(
        &[
            ("m.c", b"#include \"h.h\"\n#define ADD(a, b) ((a) + \\\n   (b))\n\nint f(int x)\n{\n\treturn ADD(x,\n\t           yy) + ADD(1, zz) + ww;\n}\n"),
            ("h.h", b"#define K 3\n\nstatic int h(void) { return K + missing; }\n"),
        ],
        "error[unknown-name]: `missing` is not declared
 --> h.h:3:33
  |
3 | static int h(void) { return K + missing; }
  |                                 ^^^^^^^

error[unknown-name]: `yy` is not declared
 --> m.c:7:14
  |
7 |     return ADD(x,
  |                 ^

error[unknown-name]: `zz` is not declared
 --> m.c:8:26
  |
8 |                yy) + ADD(1, zz) + ww;
  |                             ^^

error[unknown-name]: `ww` is not declared
 --> m.c:8:32
  |
8 |                yy) + ADD(1, zz) + ww;
  |                                   ^^
",
    );
}

/// Every header can be read alone, twice, and under every data model.
#[test]
fn headers_are_complete() {
    let names: Vec<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"))
        .expect("the headers should be there")
        .map(|entry| entry.expect("the folder should be readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.len() > 30);
    let mut all: String =
        names.iter().map(|name| format!("#include <{name}>\n#include <{name}>\n")).collect();
    all += "int last;\n";
    let mut files: Vec<(String, Vec<u8>)> = vec![("all.c".to_owned(), all.into_bytes())];
    files.extend(
        names
            .iter()
            .map(|name| (format!("{name}.c"), format!("#include <{name}>\nint last;\n").into_bytes())),
    );
    let folder =
        folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect::<Vec<_>>());
    for model in [DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64] {
        let sources = if model == DataModel::Ilp32 { files.len() } else { 1 };
        for (name, _) in &files[..sources] {
            let result = Loader::load(Input {
                sources: vec![folder.path().join(name)],
                target: Target { model },
                ..Input::default()
            });
            let loader =
                result.unwrap_or_else(|failure| panic!("{name} in {model:?}:\n{}", rendered(&failure)));
            assert!(loader.program().globals.values().any(|global| global.name == "last"));
        }
    }
}

/// The numbers of limits.h, stdint.h and float.h are those of the types of the target.
#[test]
fn limits_are_those_of_the_target() {
    let text: &[u8] = b"#include <limits.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n#include <float.h>\n#include <inttypes.h>
_Static_assert((int)((unsigned)INT_MAX + 1) == INT_MIN && UINT_MAX == (unsigned)-1, \"int\");
_Static_assert(LONG_MAX == (long)(ULONG_MAX >> 1) && ULONG_MAX == (unsigned long)-1, \"long\");
_Static_assert(LLONG_MIN < 0 && ULLONG_MAX == (unsigned long long)-1, \"long long\");
_Static_assert(SHRT_MAX == 32767 && USHRT_MAX == 65535 && CHAR_MIN == -128 && UCHAR_MAX == 255, \"small\");
_Static_assert(sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(uint32_t) == 4 && sizeof(int64_t) == 8, \"exact\");
_Static_assert(INT32_MAX == 2147483647 && UINT32_MAX == 4294967295 && INT64_MIN < 0 && UINT64_MAX > 0, \"limits\");
_Static_assert((uint16_t)-1 == UINT16_MAX && (int8_t)INT8_MIN == -128 && (uint64_t)-1 == UINT64_MAX, \"conversions\");
_Static_assert(sizeof(size_t) == sizeof(void *) && sizeof(ptrdiff_t) == sizeof(void *) && (size_t)-1 == SIZE_MAX, \"size\");
_Static_assert(sizeof(intptr_t) == sizeof(void *) && (uintptr_t)-1 == UINTPTR_MAX && INTPTR_MIN < 0, \"pointers\");
_Static_assert(sizeof INT32_C(1) == 4 && sizeof UINT64_C(1) == 8 && true && !false, \"constants\");
_Static_assert(__INT_MAX__ == INT_MAX && __SIZEOF_POINTER__ == sizeof(void *) && CHAR_BIT == 8, \"macros\");
#if defined __x86_64__ || defined __linux__ || UINT_MAX < 65535
#error host
#endif
float f = FLT_MAX, g = FLT_MIN; double d = DBL_MAX, e = DBL_EPSILON; const char *p = \"%\" PRIu32;
";
    let folder = folder(&[("m.c", text)]);
    for model in [DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64] {
        if let Err(failure) = load(folder.path(), "m.c", model) {
            panic!("{model:?}:\n{}", rendered(&failure));
        }
    }
}

/// Code that asks which compiler it is given to hears of the one that compiles it for replays, unless the user says that it is for another kind.
#[test]
fn the_compiler_is_that_of_the_host() {
    let known = std::process::Command::new("cc").args(["-E", "-dM", "-x", "c", "/dev/null"]).output();
    let known = String::from_utf8(known.expect("a compiler").stdout).expect("a list of macros");
    let version = known.lines().find_map(|line| line.strip_prefix("#define __GNUC__ "));
    let Some(version) = version else { return };
    let text = format!(
        "#if __GNUC__ != {version} || !defined __GNUC_MINOR__ || !defined __GNUC_PATCHLEVEL__\n#error version\n#endif\nint x;\n"
    );
    check_valid(&[("m.c", text.as_bytes())]);
    let folder = folder(&[("m.c", b"#ifdef __GNUC__\n#error GNU\n#endif\nint x;\n")]);
    let loaded = Loader::load(Input {
        sources: vec![folder.path().join("m.c")],
        define: vec!["__GNUC__=0".to_owned()],
        ..Input::default()
    });
    assert!(loaded.is_ok());
}

/// Macros of the system are marked where they are expanded, which cuts a line into pieces.
#[test]
fn errors_in_pieces_of_a_line_have_their_columns() {
    check_errors(
        &[(
            "m.c",
            b"#include <stdarg.h>\n#include <stddef.h>\nint sum(int n, ...) { va_list a; int s = 0; va_start(a, n); while (n--)  s = s + va_arg(a, int); return s; }\nint *f(int *p) { return p != NULL ? p : lost; }\n",
        )],
        "error[unsupported-builtin]: `va_arg` is not supported
 --> m.c:3:82
  |
3 | int sum(int n, ...) { va_list a; int s = 0; va_start(a, n); while (n--)  s = s + va_arg(a, int); return s; }
  |                                                                                  ^^^^^^
  = only the parameters before `...` can be read; where this function is declared without a body, what it returns is an input

error[unknown-name]: `lost` is not declared
 --> m.c:4:41
  |
4 | int *f(int *p) { return p != NULL ? p : lost; }
  |                                         ^^^^
",
    );
}

/// What a property file says of objects of the model that it does not see.
#[test]
fn property_files_are_told_how_to_name_what_they_do_not_see() {
    const MODEL: &[u8] = b"static int count; int out; void step(int x) { static int calls; calls++; count += x; out = count; }\n";
    let hidden = "  = the one of m.c is `static`, which no other file sees: write `#include \"m.c\"` in the property file, or the goal as a [[goal]] in chaincover.toml\n";
    let cases = [
        (
            "extern int count; void step(int); void p(int x) { step(count); }",
            vec![
                "error[hidden-name]: this `count` is not the one of the model\n --> p.c:1:12\n",
                hidden,
                "  = the one of the model:\n --> m.c:1:12\n",
            ],
        ),
        (
            "void step(int); void p(int x) { step(count); }",
            vec!["error[unknown-name]: `count` is not declared\n --> p.c:1:38\n", hidden],
        ),
        (
            "void step(int); void p(int x) { step(calls); }",
            vec![
                "  = it is a static object of `step` in m.c, which no other function sees: a [[goal]] in chaincover.toml names it `step::calls`\n",
            ],
        ),
        (
            "void step(int); void p(int x) { step(out); }",
            vec!["  = m.c has it: declare it here with `extern`, or include a header that does\n"],
        ),
        // What is its own, and what is seen.
        ("int count = 3; void step(int); void p(int x) { step(count); }", vec![]),
        ("#include \"m.c\"\nvoid p(int x) { step(count); }", vec![]),
        ("extern int out; void step(int); void p(int x) { step(out); }", vec![]),
        ("extern int elsewhere; void step(int); void p(int x) { step(elsewhere); }", vec![]),
    ];
    for (text, expected) in cases {
        let folder = folder(&[("m.c", MODEL), ("p.c", text.as_bytes())]);
        let input = Input {
            sources: vec![folder.path().join("m.c")],
            property_files: vec![folder.path().join("p.c")],
            ..Input::default()
        };
        let found = match Loader::load(input) {
            Ok(_) => String::new(),
            Err(failure) => rendered(&failure).replace(&format!("{}/", folder.path().display()), ""),
        };
        assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found}");
        expected.iter().for_each(|part| assert!(found.contains(part), "{text}: {found}"));
    }
}
