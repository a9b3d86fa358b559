//! C programs that replay chains of models whose signals or sources are not of the simplest kind: they compile and find no difference.

use std::path::Path;
use std::process::Command;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
}

/// Searches in the folder; exit code and messages.
fn search(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = Command::new(env!("CARGO_BIN_EXE_chaincover"))
        .current_dir(folder)
        .arg("chain")
        .args(arguments)
        .args(["-o", "out", "-q"])
        .output()
        .expect("the program should start");
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

/// Compiles the program as its head says, and runs it; what it prints, where it ends with this code.
fn play_to(folder: &Path, code: i32) -> String {
    let out = folder.join("out");
    let text = std::fs::read_to_string(out.join("chain_replay.c")).expect("the program");
    let command = text.lines().find_map(|line| line.strip_prefix(" *   gcc")).expect("how to compile it");
    let ended = Command::new("sh")
        .current_dir(&out)
        .args(["-c", &format!("gcc -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-builtin-declaration-mismatch{command}")])
        .output()
        .expect("a shell");
    assert_eq!(ended.status.code(), Some(code), "{}{text}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// As [`play_to`], of a program that finds nothing wrong.
fn play(folder: &Path) -> String {
    play_to(folder, 0)
}

/// Bits without a name: of a union whose members overlap, beside bit-fields, within a floating-point number; read as outputs and set as inputs.
#[test]
fn bits_without_a_name_are_set_and_compared() {
    let model = "typedef struct { unsigned a : 3; unsigned : 5; unsigned c : 8; } T;
        typedef union { struct { unsigned short run : 1; unsigned short : 3; unsigned short code : 8; } b; unsigned char k; } S;
        typedef union { double d; float f; unsigned char k; } F;
        typedef union { struct { unsigned a : 3; signed b : 5; } x; struct { unsigned c : 5; unsigned d : 3; } y; } B;
        typedef union { unsigned short all; struct { unsigned short run : 1; unsigned short : 3; unsigned short code : 8; } b; } U;
        S st; T tt; F ff; B bb; U uu;
        void step(T in, S is, F fi, B bi) { st.b.run = in.a > 3; st.b.code = is.b.code; tt = in; ff = fi; bb = bi; uu.all += 3; }
        void p(T in, S is, F fi, B bi) {
            step(in, is, fi, bi);
            __CPROVER_assume(st.b.code == 9 && tt.a == 5 && ff.d == 3.5 && bb.y.c == 17 && uu.all > 20); }\n";
    let config = "[model]\nsources = ['m.c']\nstep = 'step'\noutputs = ['st', 'tt', 'ff', 'bb', 'uu']\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &[("m.c", model), ("chaincover.toml", config)]);
    let formats = "c,csv,csv-veristand,csv-canoe,csv-simulink,csv-fmi,mat,mf4,vcd,xlsx,junit,pytest,html";
    assert_eq!(search(folder.path(), &[".", "--format", formats]), (Some(0), String::new()));
    assert_eq!(play(folder.path()), "7 steps, 0 wrong outputs\n");
    let table = std::fs::read_to_string(folder.path().join("out/chain.csv")).expect("the table");
    let header = table.lines().next().expect("a header");
    assert!(header.contains("is.k{1..3}") && header.contains("all{12..15}"), "{header}");
}

/// Things of one name in two files: where the program needs only one of them, the other is compiled beside it; where it needs both, it is refused.
#[test]
fn sources_that_cannot_stand_in_one_unit_are_compiled_apart() {
    let step = "int other(int x); struct s { int a; }; static struct s state; int out; void step(int x) { state.a += x == 3; out = state.a * 10 + other(x); }
        void p(int x);\n";
    let other = "struct s { char b[2]; }; static struct s state = { { 1, 2 } };
        int other(int x) { if (x == 4) state.b[0] = LIMIT; return state.b[0]; }\n";
    let goals = "extern int out; void step(int x); void p(int x) { step(x); __CPROVER_assume(out == 27); }\n";
    let config = "[model]\nsources = ['a.c', 'b.c']\ngoals = ['p.c']\ndefine = ['LIMIT=7']\nstep = 'step'\noutputs = ['out'";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = format!("{config}]\n");
    write(folder.path(), &[("a.c", step), ("b.c", other), ("p.c", goals), ("chaincover.toml", &one)]);
    assert_eq!(search(folder.path(), &[".", "--format", "c"]), (Some(0), String::new()));
    assert_eq!(play(folder.path()), "3 steps, 0 wrong outputs\n");
    let both = format!("{config}, 'b.c::state.b[0]']\n");
    write(folder.path(), &[("chaincover.toml", &both)]);
    let (code, message) = search(folder.path(), &[".", "--format", "c"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("more than one of them has s, state"), "{message}");
}

/// Variables may have names that headers of the C library declare, where the model includes none.
#[test]
fn models_may_use_names_of_the_c_library() {
    let model = "int u; static int index; int y0; double gamma; float remove;
        void step(void) { if (u == 1) index = (index + 1) & 3; y0 = index; gamma = y0 * 0.5; remove = u; }
        void p(void) { step(); __CPROVER_assume(y0 == 2); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &[("m.c", model)]);
    assert_eq!(search(folder.path(), &["m.c", "--format", "c"]), (Some(0), String::new()));
    assert!(play(folder.path()).starts_with("2 steps, 0 wrong outputs\n"));
}

/// A violated assertion of the model ends the program, which says so.
#[test]
fn an_assertion_that_aborts_is_told_of() {
    let model = "#include <assert.h>\nint u, y; static int s;
        void step(void) { if (u == 1) s = (s + 1) & 3; y = s; assert(y != 2); }
        void p(void) { step(); __CPROVER_assume(y == 3); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &[("m.c", model)]);
    let (code, message) = search(folder.path(), &["m.c", "--format", "c"]);
    assert_eq!((code, message.as_str()), (Some(10), ""));
    let out = play_to(folder.path(), 1);
    assert!(out.contains("step 1 aborts: the 2 steps from there on were not compared"), "{out}");
}

/// Property functions that assert something without the header.
#[test]
fn assertions_without_their_header_are_compiled() {
    let model = "int u, y; static int s;
        void step(void) { if (u == 1) s = (s + 1) & 3; y = s; }
        void p(void) { step(); __CPROVER_assume(y == 2); assert(s == 2); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &[("m.c", model)]);
    let (code, message) = search(folder.path(), &["m.c", "--format", "c", "--timeout", "20"]);
    assert_eq!(code, Some(0), "{message}");
    assert!(play(folder.path()).starts_with("2 steps, 0 wrong outputs\n"));
}

/// A last step that ends the program is compared with nothing, and has to end it.
#[test]
fn a_last_step_that_ends_the_program_has_to_end_it() {
    let model = "#include <stdlib.h>\nint u, y; static int s;
        void step(void) { if (u == 1) s = (s + 1) & 3; y = s; if (s == 3) { __CPROVER_cover(u == 1); CALL; } }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toml = "[model]\nsources = ['m.c']\nstep = 'step'\ninputs = ['u']\noutputs = ['y']\n";
    for call in ["abort()", "exit(2)"] {
        write(folder.path(), &[("m.c", &model.replace("CALL", call)), ("chaincover.toml", toml)]);
        let (code, message) = search(folder.path(), &[".", "--format", "c", "--timeout", "20"]);
        assert_eq!(code, Some(0), "{message}");
        let call = call.split('(').next().expect("a name");
        let told = format!(
            "the last step is to end the program: `{call}` is called at m.c:3\n3 steps, 0 wrong outputs\n"
        );
        assert_eq!(play(folder.path()), told);
    }
    // Code that returns, and code that ends too early.
    write(folder.path(), &[("m.c", &model.replace("CALL", "y = 0"))]);
    assert!(play_to(folder.path(), 1).starts_with("the last of 3 steps returned: "));
    write(folder.path(), &[("m.c", &model.replace("CALL", "exit(2)").replace("s == 3", "s == 2"))]);
    assert!(play_to(folder.path(), 1).starts_with("step 1 ended the program before that: "));
    // Behind such a call no handler runs.
    write(folder.path(), &[("m.c", &model.replace("CALL", "_Exit(2)"))]);
    let (code, message) = search(folder.path(), &[".", "--format", "c", "--timeout", "20"]);
    assert!(code == Some(2) && message.contains("its last step calls `_Exit`"), "{message}");
}
