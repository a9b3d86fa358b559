//! Syntax trees as text; the text of a tree reads back as that tree.

use crate::syntax::{Action, Block, Body, BodyKind, File, Item};
use spec::language::ACTIONS;
use spec::print::{assignment, common, expression, name_of, quoted, type_expr};
use spec::syntax::Expr;

/// How tightly a place of a body binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Prioritised,
    Sequence,
    Statement,
}

/// A file as text.
pub fn file(file: &File) -> String {
    let mut text = String::new();
    if let Some(name) = &file.name {
        text += &format!("system {}\n", name_of(&name.text, &ACTIONS));
    }
    for item in &file.items {
        text += &match item {
            Item::Common(declaration) => common(declaration, &ACTIONS),
            Item::Variable(variable) => {
                let name = name_of(&variable.name.text, &ACTIONS);
                format!(
                    "var {name} : {} := {}",
                    type_expr(&variable.ty, &ACTIONS),
                    written(&variable.initial)
                )
            }
            Item::Action(declared) => action(declared),
            Item::Block(joined) => format!("do {} od", block(joined, false)),
        };
        text += "\n";
    }
    text
}

/// An expression as text.
pub fn written(expr: &Expr) -> String {
    expression(expr, &ACTIONS)
}

fn action(action: &Action) -> String {
    let parameters = action.parameters.iter();
    let parameters: Vec<String> = parameters
        .map(|(name, ty)| format!("{} : {}", name_of(&name.text, &ACTIONS), type_expr(ty, &ACTIONS)))
        .collect();
    let mut text = format!("{} {}", action.kind.word(), name_of(&action.name.text, &ACTIONS));
    if !parameters.is_empty() {
        text += &format!("({})", parameters.join(", "));
    }
    if let Some(about) = &action.text {
        text += &format!(" {}", quoted(about));
    }
    if let Some(guard) = &action.guard {
        text += &format!(" when {}", written(guard));
    }
    text + " is " + &body(&action.body)
}

/// A body as text.
pub fn body(body: &Body) -> String {
    part(body, Level::Choice)
}

fn part(body: &Body, place: Level) -> String {
    let list = |parts: &[Body], level, operator| {
        parts.iter().map(|one| part(one, level)).collect::<Vec<_>>().join(operator)
    };
    let (text, level) = match &body.kind {
        BodyKind::Skip => ("skip".to_owned(), Level::Statement),
        BodyKind::Assign(one) => (assignment(one, &ACTIONS), Level::Statement),
        BodyKind::Any { target, lo, hi } => {
            let target = name_of(&target.text, &ACTIONS);
            (format!("{target} :in {}..{}", operand(lo), operand(hi)), Level::Statement)
        }
        BodyKind::Guarded { guard, body } => {
            (format!("{} => {}", written(guard), part(body, Level::Sequence)), Level::Sequence)
        }
        BodyKind::Sequence(parts) => (sequence(parts), Level::Sequence),
        BodyKind::Prioritised(parts) => (list(parts, Level::Sequence, " // "), Level::Prioritised),
        BodyKind::Choice(parts) => (list(parts, Level::Prioritised, " [] "), Level::Choice),
    };
    if level < place { format!("({text})") } else { text }
}

/// Statements; a guard that is the last needs no parentheses.
fn sequence(parts: &[Body]) -> String {
    let last = parts.len().saturating_sub(1);
    let text = |(index, one): (usize, &Body)| {
        let is_open = index == last && matches!(one.kind, BodyKind::Guarded { .. });
        part(one, if is_open { Level::Sequence } else { Level::Statement })
    };
    parts.iter().enumerate().map(text).collect::<Vec<_>>().join("; ")
}

/// A bound of a range: looser operators than sums would end it.
fn operand(expr: &Expr) -> String {
    let text = written(expr);
    if expr.level() < spec::syntax::Level::Sum { format!("({text})") } else { text }
}

fn block(joined: &Block, is_inner: bool) -> String {
    let list = |parts: &[Block], operator| {
        parts.iter().map(|one| block(one, true)).collect::<Vec<_>>().join(operator)
    };
    match joined {
        Block::Action(name) => name_of(&name.text, &ACTIONS),
        Block::Prioritised(parts) if is_inner => format!("({})", list(parts, " // ")),
        Block::Prioritised(parts) => list(parts, " // "),
        Block::Choice(parts) if is_inner => format!("({})", list(parts, " [] ")),
        Block::Choice(parts) => list(parts, " [] "),
    }
}
