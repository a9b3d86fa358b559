//! Warnings and errors: a text and what is said of it.

use actions::front::Actions;
use frontend::diagnostics::Diagnostics;
use frontend::{FrontEnd, NoJudge, Request};

fn said(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.as");
    std::fs::write(&path, text).expect("a file");
    let request = Request { sources: vec![path], ..Request::default() };
    let lines = |diagnostics: &Diagnostics| {
        let line = |entry: &frontend::diagnostics::Diagnostic| {
            let place = entry.span.map_or_else(String::new, |span| format!("{}:{} ", span.line, span.column));
            format!("{place}[{}] {}", entry.code, entry.message)
        };
        diagnostics.entries.iter().map(line).collect()
    };
    match Actions.translate(&request, &NoJudge) {
        Ok(translated) => lines(&translated.diagnostics),
        Err(failure) => lines(&failure.diagnostics),
    }
}

#[test]
fn each_defect_has_its_message() {
    let table: &[(&str, &[&str])] = &[
        ("system s\nvar x : 0..3 := 0\nctr A is x := 1", &[]),
        ("var x : 0..3 := 4 ctr A is skip", &["1:17 [bad-initial] the initial value 4 lies outside 0..3"]),
        (
            "var x : rational := 0 ctr A is skip",
            &["1:9 [infinite-type] variables and parameters of action systems have finitely many values"],
        ),
        ("var x : 0..3 := 0", &["[incomplete] the system has no action"]),
        ("ctr A is skip", &["[incomplete] the system has no variable"]),
        ("var x : 0..3 := 0 ctr A is x, x := 1, 2", &["1:31 [bad-body] `x` gets two values at once"]),
        (
            "var x : 0..3 := 0 ctr A(w : 0..2) is w := 1",
            &["1:38 [wrong-kind] `w` is a parameter: it has the value of the label"],
        ),
        (
            "var x : 0..3 := 0 ctr A is skip ctr A is skip",
            &["1:37 [declared-twice] the action `A` is declared twice"],
        ),
        (
            "var x : 0..3 := 0 ctr A is skip do A; A od",
            &["1:37 [sequence-in-block] `;` cannot join actions: a step is one action"],
        ),
        ("var x : 0..3 := 0 ctr A is skip do B od", &["1:36 [unknown-name] there is no action `B`"]),
        (
            "var x : 0..3 := 0 ctr A is x := 1 ctr B is skip do A od",
            &[
                "1:39 [not-in-block] the block does not mention the action `B`: it never moves",
                "1:39 [never-true] the action `B` has no step in any state that is reached",
            ],
        ),
        (
            "var x : 0..3 := 0 ctr A is x = 5 => skip",
            &[
                "1:23 [never-true] the action `A` has no step in any state that is reached",
                "1:28 [outside-type] `x` is never 5: its type is 0..3",
            ],
        ),
        (
            "var x : 0..3 := 0 ctr A is x := x + 1",
            &["1:33 [no-post-state] this value can lie outside 0..3: there is no step then"],
        ),
        ("var x : 0..3 := 0 ctr A when x < 3 is x := x + 1", &[]),
        (
            "var b : bool := true ctr A is b :in 0..1",
            &["1:31 [type-mismatch] `:in` chooses a number, but `b` is of type bool"],
        ),
        ("var x : 0..3 := 0 ctr A is x = 1", &["1:30 [unexpected] `=` compares"]),
    ];
    for (text, expected) in table {
        assert_eq!(said(text), *expected, "{text}");
    }
}

#[test]
fn one_run_tells_several_errors() {
    let text = "var x 0..3 := 0\nctr A is y := 1\nobs is skip\nint C is x :in 1\ndo A od";
    let places: Vec<String> =
        said(text).iter().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(places, ["1:7", "3:5", "5:1"]);
}

#[test]
fn whatever_is_written_nothing_panics() {
    let words = "system var ctr obs int do od when is skip := :in => [] // ; ( ) x y 0 1 = < and not : .. , A true { } if then else";
    let words: Vec<&str> = words.split(' ').collect();
    let mut seed = 1_u64;
    for _ in 0..3000 {
        let mut text = "var x : 0..3 := 0 ctr A is ".to_owned();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text += words[(seed >> 33) as usize % words.len()];
            text += " ";
        }
        said(&text);
    }
}
