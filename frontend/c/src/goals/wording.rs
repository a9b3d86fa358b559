//! Conditions as the user wrote them.
//!
//! An antecedent is one truth for the search. Who asks why it cannot become true wants to see which
//! of the written conditions are to blame. So the operands of `&&` are kept apart, each with its
//! text. The text is split where the expression was; where a macro hides an `&&` the two do not
//! match, and the condition stays whole.

use crate::exec::Machine;
use crate::ir::expr::{Expr, ExprKind};
use frontend::source::Span;
use frontend::{Decision, Location, Written};
use model::term::TermId;

/// The operands of `&&` on top of an expression; the expression itself where there is none.
pub(crate) fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::And(left, right) => [operands(left), operands(right)].concat(),
        ExprKind::Convert(inner) if matches!(inner.kind, ExprKind::And(..)) => operands(inner),
        _ => vec![expr],
    }
}

/// The truths of the operands of one written condition, with their texts.
pub(crate) fn parts(
    whole: TermId,
    operands: &[TermId],
    text: &str,
    place: Option<&Location>,
) -> Vec<Written> {
    let part = |condition, text: &str| Written { condition, text: text.to_owned(), place: place.cloned() };
    let pieces = pieces(text);
    if pieces.len() == operands.len() {
        operands.iter().zip(pieces).map(|(&condition, text)| part(condition, text)).collect()
    } else {
        vec![part(whole, text.trim())]
    }
}

/// A condition that stands for a line of C.
pub(crate) fn line(machine: &Machine<'_>, condition: TermId, span: Span) -> Written {
    let (text, place) = line_text(machine, span);
    Written { condition, text, place: Some(place) }
}

/// A line of the source and its place.
pub(crate) fn line_text(machine: &Machine<'_>, span: Span) -> (String, Location) {
    let file = &machine.program.sources.files[span.file];
    let text = file.line(span.line).unwrap_or_default().trim().to_owned();
    (text, Location { file: file.path.clone(), line: span.line })
}

/// The lines of the step that branch.
pub(crate) fn decisions(machine: &Machine<'_>) -> Vec<Decision> {
    let decision = |&span: &Span| {
        let (text, place) = line_text(machine, span);
        Decision { text, place }
    };
    machine.decisions.iter().map(decision).collect()
}

/// What stands between the parentheses of a call at a place of the source, on one line; `None`
/// where it is not a call.
pub(crate) fn argument(machine: &Machine<'_>, span: Span) -> Option<String> {
    let text = machine.program.sources.files[span.file].text.as_deref()?;
    let lines = text.lines().skip(usize::try_from(span.line.checked_sub(1)?).ok()?);
    let rest: Vec<&str> = lines.take(LINES).collect();
    let rest: String =
        rest.join(" ").chars().skip(usize::try_from(span.column.saturating_sub(1)).ok()?).collect();
    let name = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    let inner = rest[name..].trim_start().strip_prefix('(')?;
    let end = nesting(inner).find(|&(_, depth)| depth < 0)?.0;
    Some(inner[..end].split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What stands before the first comma between arguments.
pub(super) fn first_argument(arguments: &str) -> &str {
    let comma = nesting(arguments).find(|&(at, depth)| depth == 0 && arguments[at..].starts_with(','));
    comma.map_or(arguments, |(at, _)| &arguments[..at]).trim()
}

/// Lines that the argument of a call may take.
const LINES: usize = 20;

/// The operands of `&&` on top of a text, without parentheses around the whole.
fn pieces(text: &str) -> Vec<&str> {
    let text = text.trim();
    let closes_at = nesting(text).skip(1).find(|&(_, depth)| depth == 0).map(|(at, _)| at);
    if text.starts_with('(') && closes_at == Some(text.len() - 1) {
        return pieces(&text[1..text.len() - 1]);
    }
    let outside: Vec<usize> = nesting(text).filter(|&(_, depth)| depth == 0).map(|(at, _)| at).collect();
    let starts = |at: usize, operator: &str| text[at..].starts_with(operator);
    if outside.iter().any(|&at| starts(at, "||") || starts(at, "?") || starts(at, ",")) {
        return vec![text];
    }
    let mut found = Vec::new();
    let mut start = 0;
    for &at in outside.iter().filter(|&&at| starts(at, "&&")) {
        if at >= start {
            found.extend(pieces(&text[start..at]));
            start = at + 2;
        }
    }
    if found.is_empty() {
        return vec![text];
    }
    found.extend(pieces(&text[start..]));
    found
}

/// The characters of a C text outside of literals, with the number of parentheses and brackets that
/// are open behind them.
fn nesting(text: &str) -> impl Iterator<Item = (usize, i32)> {
    let mut depth = 0;
    let mut literal = None;
    let mut is_escaped = false;
    text.char_indices().filter_map(move |(at, letter)| {
        match (literal, letter) {
            (Some(_), _) if std::mem::take(&mut is_escaped) => return None,
            (Some(_), '\\') => is_escaped = true,
            (Some(quote), _) if letter == quote => literal = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => literal = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        literal.is_none().then_some((at, depth))
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn texts_part_where_expressions_do() {
        for (text, expected) in [
            ("a", vec!["a"]),
            ("a && b", vec!["a", "b"]),
            (" (a && (b && c)) ", vec!["a", "b", "c"]),
            ("(a) && (b || c && d)", vec!["a", "b || c && d"]),
            ("a && b || c", vec!["a && b || c"]),
            ("a ? b && c : d", vec!["a ? b && c : d"]),
            ("f(x && y) && t[a && b] > 0", vec!["f(x && y)", "t[a && b] > 0"]),
            (r#"c == '&' && s == "\"&& b" && p & q"#, vec!["c == '&'", r#"s == "\"&& b""#, "p & q"]),
            ("!(a && b)", vec!["!(a && b)"]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }
}
