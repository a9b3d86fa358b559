//! Texts of expressions and statements in the preprocessed source.
//!
//! The syntax tree keeps where expressions begin or where their operators stand, not where they
//! end. Both ends follow from the tokens of the operands, and from brackets that have to be in
//! balance.

use crate::syntax::ast::{Expression, ExpressionKind as Kind, Position, Statement, StatementKind};
use crate::syntax::token::{Token, TokenKind, next_token};

/// Most tokens of a statement that its text shows.
const MOST_TOKENS: usize = 60;

/// The tokens of an expression, joined by blanks where words would touch, without what parentheses
/// enclose the whole of it.
pub(super) fn expression_text(text: &str, expression: &Expression) -> String {
    let (mut start, mut end) = (u32::MAX, 0);
    cover(text, expression, (&mut start, &mut end));
    let (start, end) = balanced(text, start, end);
    joined(text, start, end, usize::MAX)
}

/// The tokens of a statement up to its end or its first block; of branches and loops those of the
/// head.
pub(super) fn statement_text(text: &str, statement: &Statement) -> String {
    use StatementKind::{For, If, Switch, While};
    let has_head = matches!(statement.kind, If { .. } | While { .. } | For { .. } | Switch { .. });
    let start = first_position(statement).0;
    let mut at = start as usize;
    let mut depth = 0;
    while let Some(token) = next_token(text, at) {
        match token.text(text) {
            "(" | "[" => depth += 1,
            ")" if has_head && depth == 1 => {
                at = token.end as usize;
                break;
            }
            ")" | "]" => depth -= 1,
            ";" | "{" | "}" if depth <= 0 => break,
            _ => {}
        }
        at = token.end as usize;
    }
    joined(text, start, at as u32, MOST_TOKENS)
}

/// Where a statement begins: before the operator of an expression.
fn first_position(statement: &Statement) -> Position {
    match &statement.kind {
        StatementKind::Expression(expression) => first_of(expression).min(statement.position),
        _ => statement.position,
    }
}

/// The first position of an expression, but for parentheses around it.
pub(super) fn first_of(expression: &Expression) -> Position {
    parts(expression).into_iter().map(first_of).fold(expression.position, Position::min)
}

fn joined(text: &str, start: u32, end: u32, most: usize) -> String {
    let mut found = String::new();
    let mut at = start as usize;
    let mut last: Option<Token> = None;
    let mut count = 0;
    while let Some(token) = next_token(text, at).filter(|token| token.start < end) {
        if count == most {
            found.push_str(" ...");
            break;
        }
        // A token behind blanks keeps one of them, so that the text looks as it was written.
        if last.is_some_and(|last| last.end != token.start) {
            found.push(' ');
        }
        found.push_str(token.text(text));
        at = token.end as usize;
        last = Some(token);
        count += 1;
    }
    found
}

/// Operands and other expressions within an expression.
fn parts(expression: &Expression) -> Vec<&Expression> {
    match &expression.kind {
        Kind::Prefix(_, inner)
        | Kind::Postfix(inner, _)
        | Kind::Member(inner, ..)
        | Kind::Cast(_, inner)
        | Kind::SizeofExpression(inner)
        | Kind::AlignofExpression(inner)
        | Kind::Generic(inner, _) => vec![inner],
        Kind::Infix(_, left, right)
        | Kind::LogicalAnd(left, right)
        | Kind::LogicalOr(left, right)
        | Kind::Assign(_, left, right)
        | Kind::Comma(left, right)
        | Kind::Index(left, right) => vec![left, right],
        Kind::Conditional(condition, then, otherwise) => {
            [Some(&**condition), then.as_deref(), Some(&**otherwise)].into_iter().flatten().collect()
        }
        Kind::Call(callee, arguments) => std::iter::once(&**callee).chain(arguments).collect(),
        _ => Vec::new(),
    }
}

/// Widens a range to all tokens that an expression is known to have.
fn cover(text: &str, expression: &Expression, (start, end): (&mut u32, &mut u32)) {
    let mut take = |position: Position| {
        *start = (*start).min(position.0);
        let token = next_token(text, position.0 as usize);
        *end = (*end).max(token.map_or(position.0, |token| token.end));
    };
    take(expression.position);
    if let Kind::Member(_, name, _) = &expression.kind {
        take(name.position);
    }
    for part in parts(expression) {
        cover(text, part, (start, end));
    }
    match &expression.kind {
        Kind::Call(callee, _) => {
            let (mut first, mut last) = (u32::MAX, 0);
            cover(text, callee, (&mut first, &mut last));
            *end = (*end).max(arguments_end(text, balanced(text, first, last).1));
        }
        Kind::SizeofType(_) | Kind::AlignofType(..) | Kind::Offsetof(..) => {
            *end = (*end).max(arguments_end(text, *end));
        }
        _ => {}
    }
}

/// Where the parentheses end that open behind a position, once those that enclose what stands
/// before it are closed.
fn arguments_end(text: &str, behind: u32) -> u32 {
    let mut at = behind;
    while let Some(token) = next_token(text, at as usize) {
        match token.text(text) {
            ")" => at = token.end,
            "(" => return balanced(text, token.start, token.end).1,
            _ => break,
        }
    }
    behind
}

/// Widens a range until each bracket in it has its counterpart.
fn balanced(text: &str, mut start: u32, mut end: u32) -> (u32, u32) {
    let (mut open, mut missing) = (0usize, 0usize);
    let mut at = start as usize;
    while let Some(token) = next_token(text, at).filter(|token| token.start < end) {
        match bracket(text, token) {
            1 => open += 1,
            -1 if open > 0 => open -= 1,
            -1 => missing += 1,
            _ => {}
        }
        at = token.end as usize;
    }
    while open > 0 {
        let Some(token) = next_token(text, end as usize).filter(|token| token.kind != TokenKind::End) else {
            break;
        };
        match bracket(text, token) {
            1 => open += 1,
            -1 => open -= 1,
            _ => {}
        }
        end = token.end;
    }
    while missing > 0 {
        let Some(before) = text.get(..start as usize).and_then(|before| before.rfind(['(', '[', '{'])) else {
            break;
        };
        start = before as u32;
        missing -= 1;
    }
    (start, end)
}

fn bracket(text: &str, token: Token) -> i32 {
    match token.text(text) {
        "(" | "[" | "{" if token.kind == TokenKind::Punctuator => 1,
        ")" | "]" | "}" if token.kind == TokenKind::Punctuator => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::expression_text;
    use crate::syntax::parse_expression;
    use std::collections::BTreeSet;

    #[test]
    fn texts_of_expressions_have_all_their_tokens() {
        for text in [
            "a",
            "a  && b",
            "(a + b) * c",
            "f()",
            "f(1, (2))",
            "a[i + 1].x->y",
            "t[f(x)]",
            "!(a || b)",
            "((a + b)) * ((c))",
            "x++",
            "(p = q(), r)",
            "*p++ == '('",
            "g()()",
            "f(1)(2, g())",
            "(*f)()",
            "sizeof(int) + a",
            "s == \"a)\" && b",
        ] {
            let expression = parse_expression(text, &BTreeSet::new()).unwrap();
            let bare = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let found = expression_text(text, &expression);
            let stripped = bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            assert!(found == bare || Some(found.as_str()) == stripped, "{text}: {found}");
        }
    }
}
