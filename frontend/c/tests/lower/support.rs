//! Reading texts and comparing what becomes of them.

use frontend::Failure;
use frontend::diagnostics::{Diagnostics, render};
use frontend_c::ir::Program;
use frontend_c::ir::print::{ProgramText, function_text};
use frontend_c::ir::target::{DataModel, Target};
use frontend_c::lower::Loader;

/// Reads one text that needs no preprocessing.
pub(crate) fn read(text: &str, model: DataModel) -> Result<Loader, Failure> {
    all_supported(Loader::load_texts(&[("m.c", text)], Target { model })?)
}

/// Refuses what is not supported in functions, as who executes them does.
pub(crate) fn all_supported(loader: Loader) -> Result<Loader, Failure> {
    let program = loader.program();
    if program.unsupported.is_empty() {
        return Ok(loader);
    }
    let entries = program.unsupported.values().flatten().cloned().collect();
    Err(Failure { diagnostics: Diagnostics { entries }, sources: program.sources.clone() })
}

/// Reads one text that must be correct.
#[track_caller]
pub(crate) fn read_valid(text: &str, model: DataModel) -> Loader {
    read(text, model).unwrap_or_else(|failure| panic!("it should be read:\n{}\n{text}", rendered(&failure)))
}

/// The messages of a failure.
pub(crate) fn rendered(failure: &Failure) -> String {
    render(&failure.diagnostics, &failure.sources, false)
}

/// The IR of the function `f`, without its first and last line.
pub(crate) fn body(program: &Program) -> String {
    let function = program.function_named("f").expect("there should be a function f");
    let text = function_text(program, function);
    let lines: Vec<&str> = text.lines().collect();
    let inner = lines[1..lines.len() - 1].iter().map(|line| line.strip_prefix("    ").unwrap_or(line));
    inner.collect::<Vec<_>>().join("\n")
}

/// Compares the IR of the body of `f` with lines.
#[track_caller]
pub(crate) fn check_body(text: &str, expected: &str) {
    let loader = read_valid(text, DataModel::Ilp32);
    assert_eq!(body(loader.program()), expected, "{text}");
}

/// Compares the IR of a whole text.
#[track_caller]
pub(crate) fn check_program(text: &str, model: DataModel, expected: &str) {
    let loader = read_valid(text, model);
    assert_eq!(ProgramText(loader.program()).to_string(), expected, "{text}");
}

/// Compares the messages about a text that is wrong.
#[track_caller]
pub(crate) fn check_errors(text: &str, expected: &str) {
    match read(text, DataModel::Ilp32) {
        Ok(_) => panic!("it should be refused:\n{text}"),
        Err(failure) => assert_eq!(rendered(&failure), expected, "{text}"),
    }
}
