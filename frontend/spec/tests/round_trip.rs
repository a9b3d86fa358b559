//! Printed trees read back as themselves: random trees, and texts by hand.

use crate::random;
use frontend::diagnostics::{Diagnostics, render};
use frontend::source::SourceMap;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use spec::language::{ACTIONS, CONTRACTS, LANGUAGES, Language, TIMED};
use spec::lexer::tokens;
use spec::parser::Parser;
use spec::print;
use spec::syntax::{Assignment, Common, Expr, ExprKind};
use std::path::Path;

fn read<T>(text: &str, language: &Language, part: impl FnOnce(&mut Parser<'_>) -> Option<T>) -> T {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text(Path::new("text"), text);
    let tokens = tokens(&sources, file, language, &mut diagnostics);
    let mut parser = Parser::new(&tokens, language, &mut diagnostics);
    let found = part(&mut parser);
    let is_whole = parser.is_at_end();
    assert!(diagnostics.entries.is_empty(), "{}{text}", render(&diagnostics, &sources, false));
    assert!(is_whole, "a part of `{text}` is left");
    found.unwrap_or_else(|| panic!("`{text}` should be read"))
}

fn expression(text: &str, language: &Language) -> Expr {
    read(text, language, |parser| parser.expression().ok())
}

#[test]
fn texts_are_printed_with_the_parentheses_they_need() {
    let table = [
        ("a", "a"),
        ("((a))", "a"),
        ("a+b*c", "a + b * c"),
        ("(a+b)*c", "(a + b) * c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "(a - b) - c"),
        ("a-b-c", "a - b - c"),
        ("not a and b", "not a and b"),
        ("not (a and b)", "not (a and b)"),
        ("not a = b", "not a = b"),
        ("--x'", "--x'"),
        ("-(-5 mod 3)", "-(-5 mod 3)"),
        ("a and b or c and d xor e", "a and b or c and d xor e"),
        ("a and (b or c)", "a and (b or c)"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a -> (b <-> c)", "a -> (b <-> c)"),
        ("(a -> b) <-> c", "a -> b <-> c"),
        ("0 <= x < 10", "0 <= x < 10"),
        ("(0 <= x) = b", "(0 <= x) = b"),
        ("x in 0..2*3 and y in {A,B}", "x in 0..2 * 3 and y in {A, B}"),
        ("(x in {1}) = b", "(x in {1}) = b"),
        ("if a then b else if c then d else e", "if a then b else if c then d else e"),
        ("(if a then b else c) + 1", "(if a then b else c) + 1"),
        ("min(a,b,c)+wrap(u8,x+1)", "min(a, b, c) + wrap(u8, x + 1)"),
        ("clamp(0..5 step 0.5, x)", "clamp(0..5 step 0.5, x)"),
        ("\"SYS-12.3\"' and \"view\" and \"plain\"", "\"SYS-12.3\"' and \"view\" and plain"),
        ("x # comment\n  + # more\n 1", "x + 1"),
    ];
    for (text, expected) in table {
        let tree = expression(text, &CONTRACTS);
        let printed = print::expression(&tree, &CONTRACTS);
        assert_eq!(printed, expected);
        assert_eq!(expression(&printed, &CONTRACTS), tree, "{text}");
    }
}

#[test]
fn declarations_print_as_they_read() {
    let texts = [
        "const N = 5",
        "const \"step\" = -0.1",
        "type Mode = {OFF, ON}",
        "type Time = 0..270",
        "type Half = 0..N - 1 step 0.5",
        "type Few = {0, 2, 4}",
        "type Same = Mode",
        "type Byte = u8",
        "define full = k' = N and not E'",
    ];
    for text in texts {
        let tree: Common = read(text, &CONTRACTS, |parser| parser.common()?.ok());
        assert_eq!(print::common(&tree, &CONTRACTS), text);
    }
    let tree: Assignment = read("x, y := y, x + 1", &CONTRACTS, |parser| parser.assignment().ok());
    assert_eq!(print::assignment(&tree, &CONTRACTS), "x, y := y, x + 1");
}

#[test]
fn random_trees_read_back() {
    let mut random = SmallRng::seed_from_u64(1);
    let (mut longest, mut deepest) = (0, 0);
    for round in 0..20_000 {
        let language = LANGUAGES[round % LANGUAGES.len()];
        let depth = random.random_range(0..6);
        let tree = random::tree(&mut random, depth);
        let printed = print::expression(&tree, language);
        let again = expression(&printed, language);
        assert_eq!(again, tree, "{printed}");
        assert_eq!(print::expression(&again, language), printed);
        longest = longest.max(printed.len());
        deepest = deepest.max(printed.matches('(').count());
    }
    assert!(longest > 500 && deepest > 20, "trees should be large: {longest}, {deepest}");
}

/// Random tokens never make the parser panic or run on.
#[test]
fn random_texts_end() {
    let pieces = [
        "a",
        "b'",
        "'",
        "(",
        ")",
        "{",
        "}",
        "and",
        "or",
        "->",
        "<->",
        "=",
        "<",
        "in",
        "..",
        "if",
        "then",
        "else",
        "not",
        "-",
        "+",
        "div",
        "1",
        "0.5",
        "min",
        "wrap",
        "u8",
        ",",
        "const",
        "type",
        "define",
        "req",
        "\"q\"",
        ":=",
        "#",
        "\n",
        "&&",
        "!",
        "$",
        "9999999999999999999999999999999999999999999",
        "step",
        "[]",
        "//",
    ];
    let mut random = SmallRng::seed_from_u64(2);
    for _ in 0..20_000 {
        let count = random.random_range(0..30);
        let text: Vec<&str> = (0..count).map(|_| pieces[random.random_range(0..pieces.len())]).collect();
        let text = text.join(" ");
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add_text(Path::new("text"), &text);
        let tokens = tokens(&sources, file, &CONTRACTS, &mut diagnostics);
        let mut parser = Parser::new(&tokens, &CONTRACTS, &mut diagnostics);
        parser.declarations(|parser| match parser.common() {
            Some(declaration) => declaration.map(|_| ()),
            None => Err(parser.no_declaration()),
        });
        let mut scope = spec::scope::Scope::new();
        let mut parser = Parser::new(&tokens, &CONTRACTS, &mut diagnostics);
        while !parser.is_at_end() {
            if let Some(Ok(declaration)) = parser.common() {
                let mut found = Diagnostics::default();
                let _ = scope.declare_common(&declaration, &mut found);
                render(&found, &sources, false);
            } else {
                parser.advance();
            }
        }
        render(&diagnostics, &sources, false);
    }
}

/// Extents are stretches of the source, also behind characters of several bytes.
#[test]
fn extents_lead_back_to_the_text() {
    let text = "größe + (b -  -c') * 2 # rest";
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let file = sources.add_text(Path::new("text"), text);
    let tokens = tokens(&sources, file, &CONTRACTS, &mut diagnostics);
    let tree = Parser::new(&tokens, &CONTRACTS, &mut diagnostics).expression().expect("an expression");
    let ExprKind::Chain { first, rest } = &tree.kind else { panic!("a sum") };
    let ExprKind::Chain { first: difference, rest: factors } = &rest[0].operand.kind else {
        panic!("a product")
    };
    let found = [
        tree.extent,
        first.extent,
        rest[0].place,
        rest[0].operand.extent,
        difference.extent,
        factors[0].place,
        factors[0].operand.extent,
    ];
    let expected = ["größe + (b -  -c') * 2", "größe", "+", "(b -  -c') * 2", "b -  -c'", "*", "2"];
    assert_eq!(found.map(|extent| extent.text(&sources)), expected);
    assert_eq!(difference.extent.span.column, 10);
}

#[test]
fn expressions_end_where_declarations_go_on() {
    let table = [
        (&CONTRACTS, "enq' = deq' or enq' and F or deq' and E guarantee k' = k", "guarantee"),
        (&CONTRACTS, "E' = (k' = 0) req r4", "req"),
        (&CONTRACTS, "k' = 0 and E' and not F' purpose full: F'", "purpose"),
        (&ACTIONS, "w = 20 and a = 3 => a := 2; arm := 1", "=>"),
        (&ACTIONS, "a + 1 [] b", "[]"),
        (&ACTIONS, "a + 1 // b", "//"),
        (&ACTIONS, "a + 1; b", ";"),
        (&TIMED, "wclock <= 1 and 10 <= amt <= 1000  Debit!(rid, amt + fee, 7) reset rclock", "Debit"),
        (&TIMED, "rclock < tb  Auth?(rx, ax, stat)", "Auth"),
    ];
    for (language, text, rest) in table {
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add_text(Path::new("text"), text);
        let tokens = tokens(&sources, file, language, &mut diagnostics);
        let mut parser = Parser::new(&tokens, language, &mut diagnostics);
        parser.expression().expect("an expression");
        assert_eq!(parser.peek().describe(), format!("`{rest}`"), "{text}");
        assert!(diagnostics.entries.is_empty(), "{text}");
    }
}
