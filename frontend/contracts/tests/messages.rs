//! What users are told of wrong interfaces: each message with its line and snippet.

use crate::support::{read_text, read_with};
use frontend::diagnostics::render;

/// The messages of a text without the name of the file.
fn messages(text: &str) -> String {
    let (diagnostics, sources) = match read_text(text) {
        Ok(document) => (document.diagnostics, document.sources),
        Err(error) => (error.0.diagnostics, error.0.sources),
    };
    let rendered = render(&diagnostics, &sources, false);
    let shown = rendered.lines().map(|line| match line.find("--> ").zip(line.rfind("model.ri")) {
        Some((arrow, name)) => format!("{}{}", &line[..arrow + 4], &line[name..]),
        None => line.to_owned(),
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_message_once() {
    let table = [
        ("", "error[no-requirements]: there are no requirements"),
        (
            "input a : bool\nreq x always guarantee a'",
            "error[no-outputs]: the interface has no outputs: nothing can be required",
        ),
        (
            "output b : bool\nreq x initially guarantee b",
            "`b` without a prime is its value one step ago: step 0 has none",
        ),
        ("output b : bool\nreq x always guarantee b' and b", "`always` speaks of step 0; did you mean `b'`?"),
        (
            "output b : bool\nreq x assume b' guarantee b'",
            "an assumption over `b'`, which the system chooses in the same step",
        ),
        (
            "output b : bool\nreq x always guarantee b'\nreq x guarantee b'",
            "error[name-twice]: the name `x` of this requirement is taken",
        ),
        (
            "output b : bool\nreq x always guarantee b'\npurpose x: b'",
            "error[name-twice]: the name `x` of this purpose is taken",
        ),
        (
            "output b : bool\nhidden h : bool\nreq x always guarantee b' = h'\npurpose p: h'",
            "error[hidden-purpose]: a purpose over `h`, which is hidden",
        ),
        (
            "output b : bool\nreq x always guarantee b'\nenvironment b'",
            "error[answer-in-environment]: a condition on the environment over `b'`",
        ),
        (
            "output b : bool\nreq x always guarantee b'\npurpose p: b",
            "warning[no-prime]: the purpose `p` says nothing of the current step",
        ),
        (
            "output b, c : bool\nreq x always guarantee b'",
            "warning[never-constrained]: no guarantee speaks of the output `c'`",
        ),
        (
            "input a : bool\nhidden h : bool\nreq x guarantee h = a'\nreq y guarantee h'",
            "warning[fixed-before-input]: `h` was chosen before the input `a'` is known",
        ),
        (
            "output n : 0..3\nreq x always guarantee 6 div n' = 2",
            "warning[may-divide-by-zero]: this may divide by zero: nothing is allowed where it does",
        ),
        (
            "output n : rational\nreq x always guarantee n' = 2",
            "error[not-finite]: the values of rational cannot be enumerated",
        ),
        (
            "output n : f32\nreq x always guarantee n' = n'",
            "error[not-finite]: the values of f32 cannot be enumerated",
        ),
        (
            "output b : bool\noutput b : bool\nreq x always guarantee b'",
            "error[roles-differ]: `b` is declared twice",
        ),
        (
            "output b : bool\nview v\noutput b : 0..1\nreq x always guarantee b'",
            "`b` has type bool in another view, and 0..1 here",
        ),
        (
            "hidden b : bool\nview v\noutput b : bool\nreq x always guarantee b'",
            "`b` is hidden in one view and not in another",
        ),
        ("output b : bool\nreq x always", "expected `guarantee` in a requirement"),
        ("output b : bool\nguarantee b'", "expected `req NAME` before the contracts of a requirement"),
        ("output b : bool\nreq x always guarantee b' -> b' -> b'", "error["),
        ("output b : bool\nreq x always guarantee b' && b'", "did you mean `and`"),
        ("output bee : bool\nreq x always guarantee bea'", "did you mean `bee`?"),
    ];
    for (text, expected) in table {
        let found = messages(text);
        assert!(found.contains(expected), "{text}\n--\n{found}");
    }
}

#[test]
fn a_message_shows_its_line() {
    let expected = "error[unprimed-initially]: `b` without a prime is its value one step ago: step 0 has none
 --> model.ri:2:27
  |
2 | req x initially guarantee b
  |                           ^
  = `initially` speaks of step 0; did you mean `b'`?";
    assert_eq!(messages("output b : bool\nreq x initially guarantee b"), expected);
}

#[test]
fn one_run_reports_several_errors() {
    let text = "output b : bool\nreq x always guarantee c'\nreq y guarante b'\npurpose p b'\nreq z assume b' guarantee b'";
    let found = messages(text);
    let errors = found.lines().filter(|line| line.starts_with("error[")).count();
    assert_eq!(errors, 4, "{found}");
}

#[test]
fn constants_come_from_outside() {
    let text = "const N = 2\noutput n : 0..N\nreq x always guarantee n' = N";
    let document = read_with(text, &["N=7".to_owned()]).unwrap_or_else(|error| panic!("{error}"));
    let variable = document.interface.scope.variables().iter().next().expect("a variable").1;
    assert_eq!(variable.ty.to_string(), "0..7");
    assert!(read_with(text, &["M=7".to_owned()]).is_err());
}

#[test]
fn an_input_of_one_view_is_the_output_of_another() {
    let text = "interface both\nview one\ninput x : bool\noutput y : bool\nreq a always guarantee y' = x'\nview two\ninput z : bool\noutput x : bool\nreq b always guarantee x' = not z'";
    let document = read_text(text).unwrap_or_else(|error| panic!("{error}"));
    let interface = &document.interface;
    let names = |role| {
        interface.variables(role).map(|id| interface.scope.variable(id).name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(contracts::syntax::Role::Input), ["z"]);
    assert_eq!(names(contracts::syntax::Role::Output), ["x", "y"]);
}

#[test]
fn odd_files_are_messages_and_no_panics() {
    let deep = format!("output b : bool\nreq x always guarantee {}b'{}", "(".repeat(5000), ")".repeat(5000));
    assert!(messages(&deep).contains("error[too-deep]"));
    let many: String = (0..1000).map(|index| format!("req r{index} always guarantee b'\n")).collect();
    assert_eq!(messages(&format!("output b : bool\n{many}")), "");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("odd.ri");
    std::fs::write(&path, b"output b : bool\xff\xfe req \xc3(").expect("a file");
    assert!(contracts::read(&[path], &[]).is_err());
    assert!(contracts::read(&[folder.path().join("none.ri")], &[]).is_err());
    assert!(
        messages("output n : 0..100000000000000000000000000000000000000\nreq x always guarantee n' = 1")
            .is_empty()
    );
}
