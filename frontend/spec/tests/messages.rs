//! Messages as users read them.

use frontend::diagnostics::{Diagnostics, render};
use frontend::source::SourceMap;
use spec::check::Checker;
use spec::include::tokens_of;
use spec::language::CONTRACTS;
use spec::lexer::tokens;
use spec::parser::Parser;
use spec::scope::{Scope, Variable};
use spec::syntax::{Expr, TypeExpr};
use std::path::Path;

/// A small language: `input x : type`, `hidden x : type` (never primed), `req e`, and the core.
fn messages(text: &str, overrides: &[&str]) -> String {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text(Path::new("model.ri"), text);
    let tokens = tokens(&sources, file, &CONTRACTS, &mut diagnostics);
    let mut common = Vec::new();
    let mut variables: Vec<(spec::syntax::Name, TypeExpr, bool)> = Vec::new();
    let mut conditions: Vec<Expr> = Vec::new();
    let mut parser = Parser::new(&tokens, &CONTRACTS, &mut diagnostics);
    parser.declarations(|parser| {
        if let Some(declaration) = parser.common() {
            common.push(declaration?);
        } else if let Some((word, _)) = parser.keyword(&["input", "hidden"]) {
            let name = parser.name("a variable")?;
            parser.expect(":", "between a variable and its type")?;
            variables.push((name, parser.type_expr()?, word == "input"));
        } else if parser.accept("req").is_some() {
            conditions.push(parser.expression()?);
        } else {
            return Err(parser.no_declaration());
        }
        Ok(())
    });
    let mut scope = Scope::new();
    for text in overrides {
        let _ = scope.override_constant(text, &mut sources, &mut diagnostics);
    }
    for declaration in common.iter().filter(|one| !matches!(one, spec::syntax::Common::Define { .. })) {
        let _ = scope.declare_common(declaration, &mut diagnostics);
    }
    scope.check_overrides(&mut diagnostics);
    for (name, ty, is_input) in variables {
        let Ok(ty) = scope.resolve(&ty, &mut diagnostics) else {
            scope.declare_broken(&name);
            continue;
        };
        let role = if is_input { "input" } else { "hidden variable" };
        let variable = Variable { name: name.text, ty, role, can_be_primed: is_input, extent: name.extent };
        let _ = scope.declare(variable, &mut diagnostics);
    }
    for declaration in common.iter().filter(|one| matches!(one, spec::syntax::Common::Define { .. })) {
        let _ = scope.declare_common(declaration, &mut diagnostics);
    }
    for condition in conditions {
        let _ = Checker::new(&scope, &mut diagnostics).condition(&condition);
    }
    render(&diagnostics, &sources, false)
}

#[test]
fn several_errors_of_one_run() {
    let text = "const N = 5
input k : 0..N
requ k > 0
req k < = 3
input b bool
req k' == 4 && K > 0
";
    assert_eq!(
        messages(text, &[]),
        "error[unexpected]: no declaration begins with `requ`
 --> model.ri:3:1
  |
3 | requ k > 0
  | ^^^^
  = did you mean `req`?

error[unexpected]: expected an expression, found `=`
 --> model.ri:4:9
  |
4 | req k < = 3
  |         ^

error[unexpected]: expected `:` between a variable and its type, found `bool`
 --> model.ri:5:9
  |
5 | input b bool
  |         ^^^^

error[c-spelling]: `==` is C
 --> model.ri:6:8
  |
6 | req k' == 4 && K > 0
  |        ^
  = did you mean `=`?

error[c-spelling]: `&&` is C
 --> model.ri:6:13
  |
6 | req k' == 4 && K > 0
  |             ^
  = did you mean `and`?

error[unknown-name]: there is no variable or constant `K`
 --> model.ri:6:16
  |
6 | req k' == 4 && K > 0
  |                ^
  = did you mean `k`?
  = `k` is declared here:
 --> model.ri:2:7
  |
2 | input k : 0..N
  |       ^
"
    );
}

/// The first line and the advice of each message.
#[test]
fn each_mistake_is_named() {
    const DECLARED: &str = "const N = 5 type Mode = {OFF, ON} input speed : 0..9 input b : bool hidden m : Mode \
        input byte : u8 input word : u16 input r : rational input f : f32 hidden s : {0, 2}\n";
    let table = [
        (
            "req sped > 1",
            "unknown-name: there is no variable or constant `sped`; did you mean `speed`?; `speed` is declared here",
        ),
        ("req maxx(1, 2) = 1", "unknown-name: there is no function `maxx`; did you mean `max`?"),
        ("req b ! 3", "unexpected: expected a declaration, found `!`"),
        ("req !b", "c-spelling: `!` is C; did you mean `not`?"),
        ("req b || b", "c-spelling: `||` is C; did you mean `or`?"),
        (
            "req byte & 3 = 1",
            "c-spelling: `&` is C; did you mean `and` of truths, or `bitand(a, b)` of machine integers?",
        ),
        (
            "req b -> b -> b",
            "unexpected: `->` does not chain; put one of the two in parentheses; only `a < b <= c` and its like stand in a row",
        ),
        (
            "req 1 < speed > 2",
            "unexpected: `<` and `>` do not chain; put one of the two in parentheses; only `a < b <= c` and its like stand in a row",
        ),
        (
            "req speed in {1} = b",
            "unexpected: `in` does not chain with other comparisons; put one of the comparisons in parentheses",
        ),
        (
            "req speed = if b then 1 else 2",
            "unexpected: `if` as an operand stands in parentheses; write `(if c then a else b)`",
        ),
        (
            "req not speed < 3",
            "type-mismatch: `not` needs a bool, found 0..9; `not` binds more than comparisons: write `not (a < b)`",
        ),
        ("req speed", "type-mismatch: expected a bool, found 0..9"),
        ("req speed and b", "type-mismatch: expected a bool, found 0..9"),
        ("req m = 1", "type-mismatch: Mode and 1 do not fit `=`"),
        (
            "req m < ON",
            "type-mismatch: Mode and ON do not fit `<`; values of this type are compared by `=` and `!=` only",
        ),
        (
            "req byte + speed = 1",
            "type-mismatch: u8 and 0..9 do not fit `+`; `wrap(u8, ...)` or `clamp(u8, ...)` makes a u8 of it",
        ),
        (
            "req byte + 300 = 1",
            "type-mismatch: u8 and 300 do not fit `+`; the constant is outside the type; `wrap(u8, ...)` or `clamp(u8, ...)` makes a u8 of it",
        ),
        (
            "req byte + word = 1",
            "type-mismatch: u8 and u16 do not fit `+`; `wrap(u8, ...)` or `clamp(u8, ...)` makes a u8 of it",
        ),
        ("req byte / 2 = 1", "type-mismatch: `/` is no operator of machine integers; did you mean `div`?"),
        (
            "req speed / speed = 1",
            "type-mismatch: `/` of exact numbers needs a constant divisor; `div` is the integer quotient",
        ),
        (
            "req r div 2 = 1",
            "type-mismatch: `div` is no operator of rational; `/` is the quotient of rationals and floats",
        ),
        (
            "req min(f, 1) = f",
            "type-mismatch: `min` is not supported for floats; `if a < b then a else b` says what happens where one is no number",
        ),
        ("req speed div 0 = 1", "division-by-zero: this divisor is always 0"),
        ("req 1 / (N - 5) = 1", "division-by-zero: this divisor is always 0"),
        ("req byte mod 0 = 1", "division-by-zero: this divisor is always 0"),
        (
            "req bitand(speed, 1) = 1",
            "type-mismatch: `bitand` needs a machine integer, found 0..9; `wrap(u8, ...)` and its like make one of a number",
        ),
        ("req shl(byte, -1) = 1", "type-mismatch: `shl` shifts by integers of at least 0, not -1"),
        ("req abs(1, 2) = 1", "argument-count: `abs` takes one argument, found 2"),
        ("req max(1) = 1", "argument-count: `max` takes two or more arguments, found 1"),
        ("req wrap(0..3, speed) = 1", "type-mismatch: `wrap` needs a machine type, found 0..3"),
        (
            "req wrap(u8, speed / 2) = 1",
            "type-mismatch: not all values of this (0..4.5 step 0.5) are values of u8",
        ),
        (
            "req m' = ON",
            "not-primed: the hidden variable `m` has no value after the step: no prime; declared here",
        ),
        ("req N' = 1", "not-primed: `N` is constant: no prime"),
        ("req speed'' = 1", "not-primed: a second prime: only one step can be looked ahead"),
        (
            "req rises(b') ",
            "not-primed: `b'` has a prime already: only one step can be looked ahead; declared here",
        ),
        (
            "req changed(m)",
            "not-primed: the hidden variable `m` has no value after the step: no prime; declared here",
        ),
        ("req Mode = 1", "wrong-kind: `Mode` is a type, not a value"),
        ("input x : N", "wrong-kind: `N` is no type"),
        (
            "input x : Mod",
            "unknown-name: there is no type `Mod`; did you mean `Mode`?; `Mode` is declared here",
        ),
        ("input x : 5..0", "bad-type: 5..0 has no values"),
        (
            "input x : 0..0.5",
            "bad-type: the bound 0.5 is no integer; `lo..hi step d` has the multiples of `d`",
        ),
        ("input x : 0..1 step 0.3", "bad-type: the bound 1 is no multiple of the step 0.3"),
        ("input x : 0..1 step 0", "bad-type: a step is above 0"),
        ("input x : 0..speed", "not-constant: this value has to be known before any step"),
        ("input speed : bool", "declared-twice: `speed` is declared twice; first here"),
        ("type Other = {A, ON}", "declared-twice: `ON` is declared twice; first here"),
        ("type Other = {A, A}", "declared-twice: `A` is declared twice; first here"),
        ("const M = 1 / 0", "division-by-zero: this divisor is always 0"),
        ("const broken = 1 + true req broken = 1", "type-mismatch: 1 and true do not fit `+`"),
        (
            "const M = 99999999999999999999999999999999999999999",
            "bad-number: `99999999999999999999999999999999999999999` needs more than 128 bits",
        ),
        (
            "const M = 170141183460469231731687303715884105727 + 1",
            "too-wide: the values of this need more than 128 bits; smaller ranges or coarser steps of the variables in it help, or `clamp`",
        ),
        (
            "const view = 1",
            "unexpected: expected the name of a constant, found the keyword `view`; a name may stand in quotes: `\"view\"`",
        ),
        (
            "const M = 0x12",
            "bad-number: `0x12` is neither a number nor a name; numbers are decimal: `12`, `0.5`; names begin with a letter or stand in quotes|unexpected: expected an expression, found the end of the text, behind this",
        ),
        (
            "req \"open",
            "bad-string: this string has no end in its line; a string ends with `\"`, in the line where it begins|unexpected: expected an expression, found the end of the text, behind this",
        ),
        ("req b $", "stray-character: no token begins with `$`"),
        (
            "req (b",
            "unexpected: expected `)` behind an expression in parentheses, found the end of the text, behind this",
        ),
        ("define d = d", "unknown-name: there is no variable or constant `d`"),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = short(&messages(&format!("{DECLARED}{text}"), &[]));
        if found != expected {
            wrong.push(format!("{text}\n  found    {found}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Codes, messages and advice, without places.
fn short(text: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(message) = line.strip_prefix("error[") {
            found.push(message.replacen("]: ", ": ", 1));
        } else if let Some((_, note)) = line.split_once(" = ")
            && line.starts_with(' ')
            && !line.contains(" | ")
            && let Some(last) = found.last_mut()
        {
            *last += &format!("; {}", note.trim_end_matches(':'));
        }
    }
    found.join("|")
}

#[test]
fn constants_of_the_command_line() {
    let text = "const N = 5 input k : 0..N req k < N + 1 = true const M = N + 1 req k = M";
    let table = [
        (&["N=8"][..], ""),
        (&["N = 2 * 3"], ""),
        (&["n=8"], "bad-override: `-D n`: there is no constant of that name; did you mean `N`?"),
        (&["N"], "bad-override: `-D N` gives no value; write `-D NAME=VALUE`"),
        (
            &["N=true"],
            "type-mismatch: true and 1 do not fit `+`|type-mismatch: expected a number, found bool",
        ),
        (&["N=8 9"], "unexpected: expected the end of the value, found `9`"),
        (&["N=4", "N=-1"], "bad-type: 0..-1 has no values"),
    ];
    let text = text.replace("k < N + 1 = true", "k < 9");
    for (overrides, expected) in table {
        let found = short(&messages(&text, overrides));
        assert!(
            found.starts_with(expected) && found.is_empty() == expected.is_empty(),
            "{overrides:?}: {found}"
        );
    }
}

#[test]
fn depth_and_size_are_limited() {
    let nested = |count: usize| format!("req {}true{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(messages(&nested(100), &[]), "");
    assert!(messages(&nested(100_000), &[]).starts_with("error[too-deep]"));
    assert!(messages(&format!("req {}true", "not ".repeat(100_000)), &[]).starts_with("error[too-deep]"));
    let sum = |count: usize| format!("input k : 0..1 req {}k = 1", "k + ".repeat(count));
    assert_eq!(messages(&sum(900), &[]), "");
    assert!(messages(&sum(100_000), &[]).starts_with("error[too-deep]"));
    let all = format!("input b : bool req {}b", "b and ".repeat(100_000));
    assert_eq!(messages(&all, &[]), "");
    let mut doubled = "input k : 0..1 define d0 = k = 1 ".to_owned();
    for index in 0..40 {
        doubled += &format!("define d{} = d{index} xor d{index} ", index + 1);
    }
    let found = messages(&doubled, &[]);
    assert_eq!(found.matches("error[too-deep]").count(), 1, "{found}");
}

#[test]
fn files_include_files() {
    let folder = std::env::temp_dir().join(format!("chaincover-include-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("parts")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("main.ri", "include \"parts/a.ri\" include \"parts/b.ri\" const last = 1");
    write("parts/a.ri", "const a = 1 include \"b.ri\"");
    write("parts/b.ri", "const b = 2");
    write("cycle.ri", "const c = 1 include \"cycle.ri\"");
    write("lost.ri", "include \"nowhere.ri\" const d = 1 include const e = 1");
    let read = |name: &str| {
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let tokens = tokens_of(&folder.join(name), &CONTRACTS, &mut sources, &mut diagnostics);
        let shown: Vec<String> = tokens.iter().map(|token| token.describe().replace('`', "")).collect();
        let text = render(&diagnostics, &sources, false).replace(&format!("{}/", folder.display()), "");
        (shown.join(" "), short(&text))
    };
    let table = [
        ("main.ri", "const a = 1 const b = 2 const last = 1 the end of the text", ""),
        (
            "cycle.ri",
            "const c = 1 the end of the text",
            "include-cycle: `cycle.ri` includes itself, by way of other files or at once",
        ),
        (
            "lost.ri",
            "const d = 1 const e = 1 the end of the text",
            "unreadable-file: cannot read `nowhere.ri`: No such file or directory (os error 2)|unexpected: `include` names no file; write `include \"file\"`",
        ),
        (
            "absent.ri",
            "the end of the text",
            "unreadable-file: cannot read `absent.ri`: No such file or directory (os error 2)",
        ),
    ];
    for (name, expected, errors) in table {
        assert_eq!(read(name), (expected.to_owned(), errors.to_owned()), "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("a folder of our own");
}
