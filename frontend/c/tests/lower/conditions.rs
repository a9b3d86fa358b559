//! Expressions of a configuration: what names they see, what they may say.

use crate::lower::support::rendered;
use frontend::diagnostics::render;
use frontend_c::ir::print::condition_text;
use frontend_c::ir::target::Target;
use frontend_c::lower::{ConditionKind, ConditionRequest, Input, Loader};

const STEP: &str = "
typedef unsigned char u8;
#define LIMIT(x) ((x) * SCALE)
#define SCALE 10
enum mode { OFF, ON = 3 };
struct io { int in[2]; u8 flag : 3; struct { int deep; }; };
static int shared = 1;
int speed;
struct io box;
int helper(int a) { static int calls; return a + ++calls; }
void step(struct io *io, u8 level) { static int calls; static struct io kept; calls += io->in[0] + level; kept = *io; speed = helper(calls); }
";
const OTHER: &str = "
static int shared = 2, twice;
int temperature;
enum color { RED = 7 };
typedef short narrow;
";
const THIRD: &str = "static int twice; extern int speed;";

fn loader() -> Loader {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let files = [("step.c", STEP), ("other.c", OTHER), ("third.c", THIRD)];
    let write = |(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a temporary file should be possible");
        path
    };
    let sources = files.iter().map(write).collect();
    let input = Input { sources, target: Target::default(), ..Input::default() };
    let loader = Loader::load(input).unwrap_or_else(|failure| panic!("{}", rendered(&failure)));
    // The files are read again for macros: they must stay as long as the loader.
    std::mem::forget(folder);
    loader
}

fn request(text: &str, kind: ConditionKind) -> ConditionRequest {
    ConditionRequest { text: text.to_owned(), origin: "goal G1, when".to_owned(), written: None, kind }
}

#[track_caller]
fn check(loader: &mut Loader, text: &str, kind: ConditionKind, expected: &str) {
    let step = loader.program().function_named("step");
    let (conditions, diagnostics) = loader.lower_conditions(step, &[request(text, kind)]);
    let found = match &conditions[0] {
        Some(condition) => condition_text(loader.program(), condition),
        None => render(&diagnostics, &loader.program().sources, false),
    };
    // Expressions of one origin are numbered.
    let found = (2..50).fold(found, |found, number| found.replace(&format!("when ({number}):"), "when:"));
    assert_eq!(found.trim_end(), expected, "{text}");
    assert_eq!(conditions[0].is_none(), diagnostics.has_errors(), "{text}");
}

#[test]
fn values() {
    let mut loader = loader();
    for (text, expected) in [
        ("speed == 3", "(speed == 3)"),
        ("speed > LIMIT(2) && !box.flag", "((speed > 20) && !box.flag)"),
        ("step.io->in[step.level & 1] == ON", "((*step.io).in[((int)step.level & 1)] == 3)"),
        ("step.io->deep", "(*step.io).#2.deep"),
        ("old(speed) < speed || prev(box.in[0])", "((old(speed) < speed) || old(box.in[0]))"),
        ("step::calls + helper::calls", "(step::calls + helper::calls)"),
        ("step::kept.in[1]", "step::kept.in[1]"),
        ("other.c::shared == step.c::shared", "(shared == shared)"),
        ("temperature + RED", "(temperature + 7)"),
        ("(u8)-speed", "(unsigned char)-speed"),
        ("(narrow)speed", "(short)speed"),
        ("other.c::twice ? 1 : 2", "(twice ? 1 : 2)"),
        ("helper(speed) == 2", "%1 = helper(speed);\n(%1 == 2)"),
        (
            "speed ? helper(1) : 0",
            "if (speed) {\n    %1 = helper(1);\n    %2 = %1;\n}\nelse {\n    %2 = 0;\n}\n%2",
        ),
        ("&box", "&box"),
        ("sizeof(struct io)", "(unsigned int)16"),
        ("(speed\n > 1)", "(speed > 1)"),
    ] {
        check(&mut loader, text, ConditionKind::Value, expected);
    }
}

#[test]
fn lvalues() {
    let mut loader = loader();
    for (text, expected) in [
        ("speed", "speed"),
        ("box", "box"),
        ("box.in", "box.in"),
        ("step.io->in[1]", "(*step.io).in[1]"),
        ("step.level", "step.level"),
        ("*step.io", "*step.io"),
        ("step::kept.flag", "step::kept.flag"),
        ("temperature", "temperature"),
    ] {
        check(&mut loader, text, ConditionKind::Lvalue, expected);
    }
}

#[test]
fn errors() {
    let mut loader = loader();
    let place = |column: u32, marks: usize, text: &str| {
        let margin = " ".repeat(column as usize - 1);
        format!(" --> goal G1, when:1:{column}\n  |\n1 | {text}\n  | {margin}{}", "^".repeat(marks))
    };
    for (text, kind, code, message, column, marks, advice) in [
        (
            "sped == 3",
            ConditionKind::Value,
            "unknown-name",
            "`sped` is not declared in any file of the model",
            1,
            4,
            "did you mean `speed`?",
        ),
        (
            "1 + level",
            ConditionKind::Value,
            "unknown-name",
            "`level` is not declared in any file of the model",
            5,
            5,
            "did you mean `step.level`?",
        ),
        (
            "calls",
            ConditionKind::Value,
            "unknown-name",
            "`calls` is not declared in any file of the model",
            1,
            5,
            "did you mean `helper::calls` or `step::calls`?",
        ),
        (
            "shared",
            ConditionKind::Value,
            "ambiguous-name",
            "several files have a `shared`",
            1,
            6,
            "write `step.c::shared` or `other.c::shared`",
        ),
        (
            "twice",
            ConditionKind::Value,
            "ambiguous-name",
            "several files have a `twice`",
            1,
            5,
            "write `other.c::twice` or `third.c::twice`",
        ),
        (
            "step.lvl",
            ConditionKind::Value,
            "unknown-name",
            "`step` has no parameter `lvl`",
            6,
            3,
            "its parameters are io, level",
        ),
        (
            "step::call",
            ConditionKind::Value,
            "unknown-name",
            "the function `step` has no static variable `call`",
            1,
            4,
            "it has calls, kept",
        ),
        (
            "othr.c::twice",
            ConditionKind::Value,
            "unknown-name",
            "`othr.c` is neither a function nor a file of the model",
            1,
            4,
            "files: step.c, other.c, third.c",
        ),
        (
            "speed +",
            ConditionKind::Value,
            "syntax",
            "expected an expression, found the end of the expression",
            8,
            1,
            "",
        ),
        (
            "speed == 3)",
            ConditionKind::Value,
            "syntax",
            "expected an operator or the end of the expression, found `)`",
            11,
            1,
            "",
        ),
        (
            "box",
            ConditionKind::Value,
            "type-mismatch",
            "a value of type `struct io` is neither true nor false",
            1,
            3,
            "",
        ),
        (
            "speed + 1",
            ConditionKind::Lvalue,
            "no-lvalue",
            "this is a value, where an object is needed",
            7,
            1,
            "",
        ),
        (
            "old(helper(1))",
            ConditionKind::Value,
            "unsupported-old",
            "`old` cannot hold calls or assignments",
            1,
            3,
            "",
        ),
        (
            "old(box)",
            ConditionKind::Value,
            "type-mismatch",
            "`old` needs a number or pointer, not a whole object",
            1,
            3,
            "",
        ),
        (
            "!box.flag && (speed = 3)",
            ConditionKind::Value,
            "assignment-in-condition",
            "a condition must not assign anything",
            21,
            1,
            "to compare, write `==`",
        ),
        (
            "helper(speed++)",
            ConditionKind::Value,
            "assignment-in-condition",
            "a condition must not assign anything",
            13,
            1,
            "",
        ),
        (
            "({ int x = 1; x; })",
            ConditionKind::Value,
            "unsupported-statement",
            "statements are not supported in configured expressions",
            2,
            1,
            "",
        ),
        (
            "LIMIT(spd)",
            ConditionKind::Value,
            "unknown-name",
            "`spd` is not declared in any file of the model",
            7,
            3,
            "",
        ),
    ] {
        let mut expected = format!("error[{code}]: {message}\n{}", place(column, marks, text));
        if !advice.is_empty() {
            expected += &format!("\n  = {advice}");
        }
        check(&mut loader, text, kind, &expected);
    }
}

#[test]
fn several_at_once_keep_their_order() {
    let mut loader = loader();
    let texts = ["speed", "nowhere", "temperature", "3 +"];
    let requests: Vec<ConditionRequest> =
        texts.iter().map(|text| request(text, ConditionKind::Value)).collect();
    let (conditions, diagnostics) = loader.lower_conditions(None, &requests);
    let is_lowered: Vec<bool> = conditions.iter().map(Option::is_some).collect();
    assert_eq!(is_lowered, [true, false, true, false]);
    assert_eq!(diagnostics.entries.len(), 2);
}
