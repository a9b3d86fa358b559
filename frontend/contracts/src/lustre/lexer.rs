//! Tokens of Lustre.

use super::syntax::Place;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or keyword.
    Word(String),
    /// Digits, with a point or without.
    Number(String),
    /// What stands between quotes.
    Text(String),
    Symbol(&'static str),
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(text) | Self::Number(text) => write!(out, "`{text}`"),
            Self::Text(text) => write!(out, "\"{text}\""),
            Self::Symbol(text) => write!(out, "`{text}`"),
            Self::End => out.write_str("the end of the file"),
        }
    }
}

/// Symbols, those first that others begin with. `(*@contract` and `/*@contract` are one symbol each;
/// other comments are no tokens.
const SYMBOLS: [&str; 26] = [
    "->", "=>", "<>", "<=", ">=", "::", "*)", "*/", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "<",
    ">", "+", "-", "*", "/", "^", ".",
];

/// The tokens of a text, each with its place.
///
/// # Errors
/// A character that begins no token; a comment or a text without end.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, (Place, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    let place = |rest: &str| {
        let before = &text[..text.len() - rest.len()];
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (line, before[start..].chars().count() as u32 + 1)
    };
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        if rest.starts_with("--") {
            // Annotations such as --%MAIN say nothing about contracts.
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        if let Some(opened) = ["(*", "/*"].into_iter().find(|open| rest.starts_with(open)) {
            let inner = rest[2..].strip_prefix('@').map(str::trim_start);
            if let Some(inner) = inner.and_then(|inner| inner.strip_prefix("contract")) {
                found.push((Token::Word("con".to_owned()), place(rest)));
                rest = inner;
                continue;
            }
            let close = if opened == "(*" { "*)" } else { "*/" };
            let Some(end) = rest.find(close) else {
                return Err((place(rest), format!("a comment has no end (`{close}`)")));
            };
            rest = &rest[end + 2..];
            continue;
        }
        let at = place(rest);
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if first == '"' {
            let Some(end) = rest[1..].find(['"', '\n']).filter(|end| rest[1 + end..].starts_with('"')) else {
                return Err((at, "a text has no end".to_owned()));
            };
            found.push((Token::Text(rest[1..=end].to_owned()), at));
            rest = &rest[end + 2..];
        } else if first.is_ascii_digit() {
            let digits =
                |text: &str| text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
            let mut end = digits(rest);
            if rest[end..].starts_with('.')
                && rest[end + 1..].starts_with(|letter: char| letter.is_ascii_digit())
            {
                end += 1 + digits(&rest[end + 1..]);
            }
            found.push((Token::Number(rest[..end].to_owned()), at));
            rest = &rest[end..];
        } else if is_word(first) {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            found.push((Token::Word(rest[..end].to_owned()), at));
            rest = &rest[end..];
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            // The end of a contract that stands in a comment.
            let token = match symbol {
                "*)" | "*/" => Token::Word("noc".to_owned()),
                symbol => Token::Symbol(symbol),
            };
            found.push((token, at));
            rest = &rest[symbol.len()..];
        } else {
            return Err((at, format!("`{}` begins nothing in Lustre", first.escape_default())));
        }
    }
    let end = place("");
    found.push((Token::End, end));
    Ok(found)
}
