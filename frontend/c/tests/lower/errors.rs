//! What is wrong, or not supported, is refused with a message that says where and what to do.

use crate::lower::support::{check_errors, read, rendered};
use frontend_c::ir::target::DataModel;

/// Texts and the messages about them; cases are separated by `=====`, a text and its messages by `-----`.
const CASES: &str = include_str!("errors.txt");

#[test]
fn messages_are_exact() {
    let cases: Vec<&str> = CASES.split("=====\n").collect();
    assert!(cases.len() > 40);
    for case in cases {
        let (text, expected) = case.split_once("\n-----\n").expect("a case should have two parts");
        check_errors(text, expected);
    }
}

#[test]
fn several_errors_are_reported_in_one_run() {
    let text = "int a(void) { return x1; }\nint b(void) { return 1 +; }\nint c(void) { int y = z2; return y + w3; }\n";
    let failure = read(text, DataModel::Ilp32).err().expect("it should be refused");
    let mut lines: Vec<u32> =
        failure.diagnostics.entries.iter().map(|entry| entry.span.expect("a place").line).collect();
    lines.sort_unstable();
    assert_eq!(lines, [1, 2, 3, 3], "{}", rendered(&failure));
}

#[test]
fn errors_are_limited() {
    let failure = read(&"int f(void) { return 1 +; }\n".repeat(500), DataModel::Ilp32)
        .err()
        .expect("it should be refused");
    assert!(failure.diagnostics.entries.len() <= 50);
}

#[test]
fn deep_nesting_is_refused_or_read() {
    for depth in [50, 200, 5_000, 100_000] {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        let texts = [
            format!("int f(int x) {{ return {open}x{close}; }}"),
            format!("int f(int x) {{ return {}x; }}", "- ".repeat(depth)),
            format!("void f(void) {{ {}{} }}", "{".repeat(depth), "}".repeat(depth)),
            format!("int {}x{};", "(".repeat(depth), ")".repeat(depth)),
            format!("int f(int x) {{ return {}1; }}", "x ? 2 : ".repeat(depth)),
            format!("int x = {}1{};", "{".repeat(depth), "}".repeat(depth)),
            format!("int f(int x) {{ {} return 1; }}", "if (x) ".repeat(depth)),
        ];
        for text in texts {
            if let Err(failure) = read(&text, DataModel::Ilp32) {
                assert!(depth > 50, "{}", rendered(&failure));
            }
        }
    }
}

#[test]
fn long_chains_are_no_nesting() {
    let arms: String = (0..3000).map(|n| format!("if (x == {n}) return {n}; else ")).collect();
    let sum = vec!["x"; 3000].join(" + ");
    let text = format!("int f(int x) {{ {arms} return 0; }}\nint g(int x) {{ return {sum}; }}");
    if let Err(failure) = read(&text, DataModel::Ilp32) {
        panic!("{}", rendered(&failure));
    }
}
