//! `emit`: requirement interfaces as monitors and as oracles of models in C.

use crate::support::call;
use std::path::Path;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["buffer.ri", "buffer.c"] {
        let from = Path::new("../examples").join(name);
        std::fs::copy(from, folder.path().join(name)).expect("a file");
    }
    folder
}

#[test]
fn an_interface_judges_code() {
    let folder = folder();
    let (code, out, err) = call(folder.path(), &["emit", "buffer.ri", "--model", "buffer.c", "-o", "judged"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("pc is out.pc\n") && out.contains("next: chaincover chain judged\n"), "{out}");
    let (code, out, err) = call(folder.path(), &["chain", "judged", "-o", "out"]);
    assert_eq!(code, 0, "{out} {err}");
    assert!(out.contains("13 of 13 goals covered, one chain of 7 steps, proven minimal"), "{out}");
    assert!(out.contains("replayed on the compiled code"), "{out}");
    assert_eq!(out.matches("PROVEN").count(), 9, "{out}");
    assert_eq!(call(folder.path(), &["replay", "out/chain.json"]).0, 0);

    // Three places: full too late.
    let text = std::fs::read_to_string(folder.path().join("buffer.c")).expect("a file");
    std::fs::write(folder.path().join("buffer.c"), text.replace("PLACES 2", "PLACES 3")).expect("a file");
    let (code, out, _) = call(folder.path(), &["chain", "judged", "-o", "out3"]);
    assert_eq!(code, 10, "{out}");
    let line = |start: &str| {
        let found = out.lines().find(|line| line.trim_start().starts_with(start));
        found.unwrap_or_else(|| panic!("no {start}: {out}")).to_owned()
    };
    assert!(line("r4 ").contains("VIOLATED, shortest: 3 steps"), "{out}");
    assert!(line("r1 ").contains("VIOLATED, shortest: 3 steps"), "{out}");
    assert!(line("r0 ").contains("PROVEN"), "{out}");
    assert!(folder.path().join("out3/violation_r4.json").exists());
}

#[test]
fn a_monitor_stands_by_itself() {
    let folder = folder();
    let (code, out, err) = call(folder.path(), &["emit", "buffer.ri", "-D", "N=1000"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("unsigned char buffer_unknown;"), "{out}");
    let (code, out, _) =
        call(folder.path(), &["emit", "buffer.ri", "--map", "enq=U.enq", "--include", "u.h", "-o", "m"]);
    assert_eq!((code, out.as_str()), (0, "m/buffer_monitor.c\n"));
    let text = std::fs::read_to_string(folder.path().join("m/buffer_monitor.c")).expect("a file");
    assert!(text.contains("#include \"u.h\"\n") && text.contains("now_enq = (U.enq) != 0;"), "{text}");
}

#[test]
fn what_cannot_be_an_oracle_is_refused() {
    let folder = folder();
    let files = [
        ("parameter.c", "int y; void step(_Bool enq, _Bool deq) { y = enq + deq; }"),
        (
            "two.c",
            "struct { _Bool enq; } a, b; _Bool deq, E, F; int pc; void step(void) { E = a.enq + b.enq + deq; F = pc = 0; }",
        ),
        (
            "loop.c",
            "_Bool nondet_bool(void); _Bool enq, deq, E, F; int pc; int main(void) { while (1) { enq = nondet_bool(); deq = nondet_bool(); E = enq; F = deq; pc = 0; } }",
        ),
        ("wide.ri", "interface wide\noutput o : 0..9\nhidden h : 0..99\nreq r always guarantee h' > o'"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let table: [(&[&str], &str); 8] = [
        (
            &["buffer.ri", "--model", "parameter.c", "-o", "o"],
            "`enq` is step.enq, a parameter of the step function",
        ),
        (&["buffer.ri", "--model", "two.c", "-o", "o"], "the input `enq` could be a.enq or b.enq"),
        (&["buffer.ri", "--model", "loop.c", "-o", "o"], "a monitor needs a step function"),
        (&["buffer.ri", "--model", "missing.c", "-o", "o"], "missing.c"),
        (&["buffer.ri", "--model", "buffer.c"], "-o"),
        (&["buffer.ri", "--map", "x=1"], "the interface has no input or output x"),
        (&["buffer.c"], "only requirement interfaces (*.ri) are written so"),
        (&["wide.ri"], "the hidden h"),
    ];
    for (arguments, expected) in table {
        let (code, _, err) = call(folder.path(), &[&["emit"], arguments].concat());
        assert!((code == 2 || code == 3) && err.contains(expected), "{arguments:?}: {code} {err}");
    }
}

#[test]
fn requirements_of_fret_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let requirement = |id: &str, formula: &str| {
        format!(
            r#"{{ "reqid": "{id}", "fulltext": "{id} shall", "semantics": {{ "component_name": "door", "ptExpanded": "{formula}" }} }}"#
        )
    };
    let variable = |name: &str, role: &str| {
        format!(
            r#"{{ "variable_name": "{name}", "component_name": "door", "idType": "{role}", "dataType": "boolean" }}"#
        )
    };
    // Opened by the button, shut by the alarm: both at once cannot be kept.
    let requirements = [
        requirement("D-1", "(H ((button & (Z (! button))) -> open))"),
        requirement("D-2", "(H (alarm -> (! open)))"),
        requirement("D-3", "(H ((H[0,2] (! button)) -> (! open)))"),
    ];
    let variables =
        [variable("button", "Input"), variable("alarm", "Input"), variable("open", "Output")].join(", ");
    let write = |name: &str, requirements: &[String]| {
        let text =
            format!(r#"{{ "requirements": [{}], "variables": [{variables}] }}"#, requirements.join(", "));
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("door.json", &requirements);
    let (code, out, err) = call(folder.path(), &["import", "door.json", "-o", "door.ri"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "door.ri: 3 requirements; next: chaincover check door.ri\n"),
        "{err}"
    );
    let (code, out, _) = call(folder.path(), &["check", "door.ri"]);
    assert!(code == 11 && out.contains("inconsistent from step 0: {D-1, D-2}"), "{out}");
    let (code, _, err) = call(folder.path(), &["import", "door.json", "-o", "door.ri"]);
    assert!(code == 2 && err.contains("door.ri exists; --force replaces it"), "{err}");

    // Without the alarm they can, and code is judged by them: a step of Y, H and Z later, too.
    write("door.json", &[requirements[0].clone(), requirements[2].clone()]);
    let (code, out, err) = call(folder.path(), &["import", "door.json", "-o", "door.ri", "--force"]);
    assert!(code == 0 && out.contains("2 requirements"), "{err}");
    assert_eq!(call(folder.path(), &["check", "door.ri"]).0, 0);
    let code_with = |most: u32| {
        format!(
            "_Bool button, open; static unsigned char since = 9; void step(void) {{ since = button ? 0 : since < 9 ? since + 1 : 9; open = since <= {most}; }}"
        )
    };
    for (most, expected, verdict) in [(2, 0, "PROVEN"), (3, 10, "VIOLATED, shortest: 4 steps")] {
        std::fs::write(folder.path().join("door.c"), code_with(most)).expect("a file");
        let emitted =
            call(folder.path(), &["emit", "door.ri", "--model", "door.c", "-o", "judged", "--force"]);
        assert_eq!(emitted.0, 0, "{emitted:?}");
        let (code, out, err) = call(folder.path(), &["chain", "judged"]);
        assert!(code == expected && out.contains(verdict), "{most}: {code} {out} {err}");
    }
    let (code, _, err) = call(folder.path(), &["import", "door.c"]);
    assert!(code == 2 && err.contains("expected"), "{err}");
    assert_eq!(call(folder.path(), &["import", "missing.json"]).0, 2);
}
