//! From tokens to syntax trees.
//!
//! Bodies bind, tightest first: `;` `=>` `//` `[]`. A guard reaches as far to the right as
//! sequences do, also behind a `;`: `a; g => b; c` is `a; (g => (b; c))`, which means what any
//! other grouping of relations would.

use crate::code::Code;
use crate::syntax::{Action, Block, Body, BodyKind, File, Item, Kind, Variable};
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::include::tokens_of;
use spec::language::ACTIONS;
use spec::lexer::{Extent, Token, TokenKind};
use spec::parser::{Parsed, Parser, Reported};
use std::path::Path;

/// Parentheses of bodies and blocks within each other at most.
const MOST_NESTED: u32 = 100;

/// Reads a file and what it includes. Errors are reported, several in one run.
pub fn parse(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> File {
    let tokens = tokens_of(path, &ACTIONS, sources, diagnostics);
    parse_tokens(&tokens, diagnostics)
}

/// Reads tokens, the last of which is the end.
pub fn parse_tokens(tokens: &[Token], diagnostics: &mut Diagnostics) -> File {
    let mut file = File::default();
    if tokens.is_empty() {
        return file;
    }
    let mut parser = Parser::new(tokens, &ACTIONS, diagnostics);
    parser.declarations(|parser| declaration(parser, &mut file));
    file
}

fn declaration(parser: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    if let Some(common) = parser.common() {
        file.items.push(Item::Common(common?));
        return Ok(());
    }
    let Some((word, place)) = parser.keyword(ACTIONS.declarations) else {
        return Err(parser.no_declaration());
    };
    match word {
        "system" => {
            let name = parser.name("a system")?;
            if file.name.is_some() {
                parser.diagnostics.error(Code::Incomplete, Some(place.span), "a file describes one system");
                return Err(Reported);
            }
            file.name = Some(name);
        }
        "var" => file.items.push(Item::Variable(variable(parser)?)),
        "do" => {
            let block = block(parser, 0)?;
            parser.expect("od", "behind the actions of `do`")?;
            file.items.push(Item::Block(block));
        }
        _ => {
            let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word).unwrap_or(Kind::Internal);
            file.items.push(Item::Action(Box::new(action(parser, kind)?)));
        }
    }
    Ok(())
}

fn variable(parser: &mut Parser<'_>) -> Parsed<Variable> {
    let name = parser.name("a variable")?;
    parser.expect(":", "between a variable and its type")?;
    let ty = parser.type_expr()?;
    parser.assignment_sign()?;
    let initial = parser.expression()?;
    Ok(Variable { name, ty, initial })
}

fn action(parser: &mut Parser<'_>, kind: Kind) -> Parsed<Action> {
    let name = parser.name("an action")?;
    let mut parameters = Vec::new();
    if parser.accept("(").is_some() && parser.accept(")").is_none() {
        parameters = parser.list(|parser| {
            let name = parser.name("a parameter")?;
            parser.expect(":", "between a parameter and its type")?;
            Ok((name, parser.type_expr()?))
        })?;
        parser.expect(")", "behind the parameters of an action")?;
    }
    let text = parser.text().map(|(text, _)| text);
    let guard = if parser.accept("when").is_some() { Some(parser.expression()?) } else { None };
    parser.expect("is", "before what an action does")?;
    let body = body(parser, 0)?;
    Ok(Action { kind, name, parameters, text, guard, body })
}

/// Reads parts with an operator between them; one part stands for itself.
fn joined<T>(
    parser: &mut Parser<'_>,
    operator: &str,
    join: impl FnOnce(Vec<T>) -> T,
    mut part: impl FnMut(&mut Parser<'_>) -> Parsed<T>,
) -> Parsed<T> {
    let first = part(parser)?;
    let mut parts = vec![first];
    while parser.accept(operator).is_some() {
        parts.push(part(parser)?);
    }
    Ok(match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            join(parts)
        }
    })
}

fn body(parser: &mut Parser<'_>, depth: u32) -> Parsed<Body> {
    let start = parser.here();
    joined(parser, "[]", gathered(BodyKind::Choice, start), |parser| {
        let start = parser.here();
        joined(parser, "//", gathered(BodyKind::Prioritised, start), |parser| sequence(parser, depth))
    })
}

fn gathered(kind: fn(Vec<Body>) -> BodyKind, start: Extent) -> impl FnOnce(Vec<Body>) -> Body {
    move |parts| {
        let end = parts.last().map_or(start, |last| last.extent);
        Body { kind: kind(parts), extent: start.until(end) }
    }
}

/// Statements with `;` between them; the last may be a guard with what follows it.
fn sequence(parser: &mut Parser<'_>, depth: u32) -> Parsed<Body> {
    let start = parser.here();
    let mut parts = Vec::new();
    loop {
        if is_guard(parser) {
            parts.push(guarded(parser, depth)?);
            break;
        }
        parts.push(statement(parser, depth)?);
        if parser.accept(";").is_none() {
            break;
        }
    }
    if parts.len() == 1 {
        return parts.pop().ok_or(Reported);
    }
    Ok(Body { kind: BodyKind::Sequence(parts), extent: start.until(parser.before()) })
}

fn guarded(parser: &mut Parser<'_>, depth: u32) -> Parsed<Body> {
    let start = parser.here();
    check_depth(parser, depth)?;
    let guard = parser.expression()?;
    parser.expect("=>", "behind a guard")?;
    let body = Box::new(sequence(parser, depth + 1)?);
    Ok(Body { kind: BodyKind::Guarded { guard, body }, extent: start.until(parser.before()) })
}

/// Whether a guard stands at the cursor: a `=>` follows before the statement ends.
fn is_guard(parser: &Parser<'_>) -> bool {
    let mut depth = 0_u32;
    for ahead in 0.. {
        match parser.peek_at(ahead).kind {
            TokenKind::Symbol("(" | "{") => depth += 1,
            TokenKind::Symbol(")" | "}") if depth == 0 => return false,
            TokenKind::Symbol(")" | "}") => depth -= 1,
            TokenKind::Symbol("=>") if depth == 0 => return true,
            TokenKind::Symbol(";" | "[]" | "//" | ":=") if depth == 0 => return false,
            TokenKind::Keyword(word) if ACTIONS.begins_declaration(word) => return false,
            TokenKind::End => return false,
            _ => {}
        }
    }
    false
}

fn statement(parser: &mut Parser<'_>, depth: u32) -> Parsed<Body> {
    let start = parser.here();
    if parser.accept("(").is_some() {
        check_depth(parser, depth)?;
        let inner = body(parser, depth + 1)?;
        parser.expect(")", "behind a body in parentheses")?;
        return Ok(inner);
    }
    let kind = if parser.accept("skip").is_some() {
        BodyKind::Skip
    } else if matches!(parser.peek_at(1).kind, TokenKind::Symbol(":")) {
        let target = parser.name("a variable")?;
        parser.expect(":", "behind a variable")?;
        parser.expect("in", "behind `:`; a single value is assigned by `:=`")?;
        let lo = parser.expression()?;
        parser.expect("..", "between the bounds of `:in`")?;
        BodyKind::Any { target, lo, hi: parser.expression()? }
    } else if matches!(parser.peek().kind, TokenKind::Name(_) | TokenKind::Text(_)) {
        BodyKind::Assign(parser.assignment()?)
    } else {
        return Err(parser.unexpected("a statement: `x := e`, `x :in a..b`, `skip`, `guard => ...`"));
    };
    Ok(Body { kind, extent: start.until(parser.before()) })
}

fn block(parser: &mut Parser<'_>, depth: u32) -> Parsed<Block> {
    joined(parser, "[]", Block::Choice, |parser| {
        joined(parser, "//", Block::Prioritised, |parser| {
            let found = if parser.accept("(").is_some() {
                check_depth(parser, depth)?;
                let inner = block(parser, depth + 1)?;
                parser.expect(")", "behind actions in parentheses")?;
                inner
            } else {
                Block::Action(parser.name("an action")?)
            };
            if let Some(place) = parser.accept(";") {
                let message = "`;` cannot join actions: a step is one action";
                parser
                    .diagnostics
                    .error(Code::SequenceInBlock, Some(place.span), message)
                    .advice("join them by `[]` or `//`");
                return Err(Reported);
            }
            Ok(found)
        })
    })
}

fn check_depth(parser: &mut Parser<'_>, depth: u32) -> Parsed<()> {
    if depth < MOST_NESTED {
        return Ok(());
    }
    let message = format!("this is nested more than {MOST_NESTED} levels deep");
    let here = parser.here();
    parser.diagnostics.error(spec::code::Code::TooDeep, Some(here.span), message);
    Err(Reported)
}
