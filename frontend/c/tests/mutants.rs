//! Which changes of a text are mutants.

use frontend::Request;
use frontend_c::mutate::{Operators, mutations};

/// Changes of the body of a step function: operator, text before and after.
fn changes(body: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("m.c");
    let text = format!("#include <assert.h>\nstatic int m, y;\nvoid step(int a) {{\n{body}\n}}\n");
    std::fs::write(&path, text).expect("a file");
    let request = Request { sources: vec![path], ..Request::default() };
    let found = mutations(&request, &Operators::default());
    let found = found.unwrap_or_else(|failure| panic!("{body}: {:?}", failure.diagnostics));
    found.iter().map(|one| format!("{} {} -> {}", one.operator, one.old, one.new)).collect()
}

#[test]
fn negative_numbers_are_changed_like_others() {
    let expected = ["statement m = -1; -> ;", "arithmetic -1 -> 1", "constant -1 -> -2", "constant -1 -> -0"];
    assert_eq!(changes("m = -1;"), expected);
    let found = changes("y = a < -7 ? - 3 : -a;");
    for wanted in ["arithmetic -7 -> 7", "constant -7 -> -8", "constant -7 -> -6", "constant -7 -> -0"] {
        assert!(found.iter().any(|one| one == wanted), "{wanted}: {found:?}");
    }
}

#[test]
fn what_judges_the_code_is_not_changed() {
    let judges = "assert(m != 5 && y < 4); __CPROVER_assert(m != 6, \"\"); __CPROVER_cover(m == 2); __CPROVER_assume(m < 7);";
    assert_eq!(changes(judges), Vec::<String>::new());
}
