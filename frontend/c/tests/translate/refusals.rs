//! What cannot be executed is refused with place, source line and advice.

use crate::translate::support::translate_with;
use frontend::diagnostics::render;

/// Texts of a file `model.c` and the messages about them.
const CASES: &str = include_str!("refusals.txt");

#[test]
fn messages_are_exact() {
    let mut expected = String::new();
    let mut found = String::new();
    for case in CASES.split("=====\n") {
        let (text, messages) = case.split_once("\n-----\n").expect("a case should have two parts");
        let failure =
            translate_with(text, |request| request.unwind = Some(50)).err().expect("it should be refused");
        let shown = render(&failure.diagnostics, &failure.sources, false);
        // The folder is a temporary one.
        let lines = shown.lines().map(|line| match line.split_once("--> ") {
            Some((before, path)) => format!("{before}--> {}\n", path.rsplit('/').next().unwrap_or(path)),
            None => format!("{line}\n"),
        });
        found.push_str(&format!("{text}\n-----\n{}=====\n", lines.collect::<String>()));
        expected.push_str(&format!("{text}\n-----\n{messages}=====\n"));
    }
    assert_eq!(found, expected);
}
