//! From tokens to syntax trees of timed symbolic systems.

use crate::syntax::{Action, Channel, Declaration, Edge, File, Goal};
use frontend::diagnostics::Diagnostics;
use spec::code::Code;
use spec::language::TIMED;
use spec::lexer::{Token, TokenKind};
use spec::parser::{Parsed, Parser, Reported};
use spec::syntax::{Assignment, Name};

/// Words that begin a declaration of this language.
const WORDS: [&str; 13] = [
    "timed", "param", "var", "clock", "input", "output", "initial", "final", "edge", "purpose", "goal",
    "timeout", "tick",
];

/// The declarations of some tokens; those that are wrong are reported and left out.
pub fn parse(tokens: &[Token], diagnostics: &mut Diagnostics) -> File {
    let mut file = File::default();
    if tokens.is_empty() {
        return file;
    }
    Parser::new(tokens, &TIMED, diagnostics).declarations(|parser| {
        let declaration = match parser.common() {
            Some(common) => Declaration::Common(common?),
            None => declaration(parser)?,
        };
        file.declarations.push(declaration);
        Ok(())
    });
    file
}

fn declaration(parser: &mut Parser<'_>) -> Parsed<Declaration> {
    let Some((word, place)) = parser.keyword(&WORDS) else { return Err(parser.no_declaration()) };
    Ok(match word {
        "timed" => Declaration::System(parser.name("the system")?),
        "param" | "var" => data(parser, word == "param")?,
        "clock" => Declaration::Clocks(parser.list(|parser| parser.name("a clock"))?),
        "input" | "output" => channels(parser, word == "input")?,
        "initial" => Declaration::Initial(parser.name("the initial state")?),
        "final" => Declaration::Final(parser.list(|parser| parser.name("a state"))?),
        "edge" => Declaration::Edge(Box::new(edge(parser)?)),
        "purpose" => purpose(parser)?,
        "goal" => Declaration::Goal(goal(parser)?, place),
        "timeout" => Declaration::Timeout(parser.expression()?),
        _ => Declaration::Tick(parser.expression()?),
    })
}

fn data(parser: &mut Parser<'_>, is_param: bool) -> Parsed<Declaration> {
    let names = parser.list(|parser| parser.name(if is_param { "a parameter" } else { "a variable" }))?;
    parser.expect(":", "between variables and their type")?;
    let ty = parser.type_expr()?;
    let initial = if parser.accept("=").is_some() { Some(parser.expression()?) } else { None };
    Ok(Declaration::Data { is_param, names, ty, initial })
}

fn channels(parser: &mut Parser<'_>, is_input: bool) -> Parsed<Declaration> {
    let all_uncontrollable = is_input && parser.accept("uncontrollable").is_some();
    let channels = parser.list(|parser| {
        let name = parser.name("a channel")?;
        let mut args = Vec::new();
        if parser.accept("(").is_some() && parser.accept(")").is_none() {
            args = parser.list(|parser| match parser.accept("int") {
                Some(_) => Ok(None),
                None => parser.type_expr().map(Some),
            })?;
            parser.expect(")", "behind the types of a channel")?;
        }
        let is_uncontrollable = is_input && parser.accept("uncontrollable").is_some();
        Ok(Channel { name, args, is_uncontrollable: is_uncontrollable || all_uncontrollable })
    })?;
    Ok(Declaration::Channels { is_input, channels })
}

fn edge(parser: &mut Parser<'_>) -> Parsed<Edge> {
    let name = parser.name("a transition")?;
    parser.expect(":", "behind the name of a transition")?;
    let from = parser.name("a state")?;
    parser.expect("->", "between the states of a transition")?;
    let to = parser.name("a state")?;
    let guard = if parser.accept("when").is_some() { Some(parser.expression()?) } else { None };
    let channel = parser.name("a channel")?;
    let action = if parser.accept("?").is_some() {
        Action::Receive(operands(parser, |parser| parser.name("a variable"))?)
    } else if parser.accept("!").is_some() {
        Action::Send(operands(parser, |parser| parser.expression())?)
    } else {
        return Err(parser.unexpected("`?` or `!` behind a channel"));
    };
    let mut resets = Vec::new();
    if parser.accept("reset").is_some() {
        resets = parser.list(|parser| parser.name("a clock"))?;
    }
    let updates = if parser.accept("do").is_some() { updates(parser)? } else { Vec::new() };
    Ok(Edge { name, from, to, guard, channel, action, resets, updates })
}

/// What stands behind `?` and `!`: a list in parentheses, one operand without, or nothing.
fn operands<T>(
    parser: &mut Parser<'_>,
    mut item: impl FnMut(&mut Parser<'_>) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    if parser.accept("(").is_some() {
        if parser.accept(")").is_some() {
            return Ok(Vec::new());
        }
        let found = parser.list(item)?;
        parser.expect(")", "behind the values of a message")?;
        return Ok(found);
    }
    let is_operand = match parser.peek().kind {
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Symbol("-") => true,
        TokenKind::Keyword(word) => matches!(word, "true" | "false" | "not"),
        _ => false,
    };
    if is_operand { Ok(vec![item(parser)?]) } else { Ok(Vec::new()) }
}

/// `x := e, y, z := f, g`.
fn updates(parser: &mut Parser<'_>) -> Parsed<Vec<Assignment>> {
    parser.list(|parser| {
        let start = parser.here();
        let targets: Vec<Name> = parser.list(|parser| parser.name("a variable"))?;
        parser.assignment_sign()?;
        let mut values = vec![parser.expression()?];
        while values.len() < targets.len() {
            if parser.accept(",").is_none() {
                let message = format!("{} values are assigned to {} variables", values.len(), targets.len());
                parser.error(Code::ArgumentCount, start, message);
                return Err(Reported);
            }
            values.push(parser.expression()?);
        }
        Ok(Assignment { targets, values })
    })
}

fn purpose(parser: &mut Parser<'_>) -> Parsed<Declaration> {
    let name = parser.name("a purpose")?;
    parser.expect("=", "between a purpose and its transitions")?;
    let mut edges = vec![parser.name("a transition")?];
    while parser.accept(".").is_some() {
        edges.push(parser.name("a transition")?);
    }
    Ok(Declaration::Purpose { name, edges })
}

fn goal(parser: &mut Parser<'_>) -> Parsed<Goal> {
    let is_named = matches!(parser.peek_at(1).kind, TokenKind::Keyword("when"));
    let kinds = [
        ("transitions", Goal::Transitions),
        ("pairs", Goal::Pairs),
        ("states", Goal::States),
        ("purposes", Goal::Purposes),
    ];
    if !is_named {
        for (word, goal) in kinds {
            if parser.accept_contextual(word).is_some() {
                return Ok(goal);
            }
        }
    }
    let name = parser.name("a goal")?;
    parser.expect("when", "between the name of a goal and its condition")?;
    Ok(Goal::Condition(name, parser.expression()?))
}
