//! Tokens of the Prolog notation.

/// Line and column, counted from 1.
pub(super) type Place = (u32, u32);

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name that begins with a small letter, or stands in quotes.
    Atom(String),
    /// A name that begins with a capital letter or `_`.
    Variable(String),
    Number(i128),
    Symbol(&'static str),
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atom(text) | Self::Variable(text) => write!(out, "`{text}`"),
            Self::Number(number) => write!(out, "`{number}`"),
            Self::Symbol(text) => write!(out, "`{text}`"),
            Self::End => out.write_str("the end of the file"),
        }
    }
}

/// Symbols, those first that others begin with.
const SYMBOLS: [&str; 30] = [
    "#<=>", "#=>", "#=<", "#>=", "#\\=", "#/\\", "#\\/", "#=", "#<", "#>", "#\\", ":-", "::", ":=", "=>",
    "..", "[]", "//", "(", ")", "[", "]", ",", ";", ":", ".", "+", "-", "*", "|",
];

/// The tokens of a text, each with its place.
///
/// # Errors
/// A character that begins no token; a comment or a name in quotes without end.
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
        let here = place(rest);
        let Some(first) = rest.chars().next() else { break };
        let word = |rest: &str| {
            let inside = |letter: char| letter.is_alphanumeric() || letter == '_';
            rest.find(|letter: char| !inside(letter)).unwrap_or(rest.len())
        };
        if first == '%' {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(inner) = rest.strip_prefix("/*") {
            let end = inner.find("*/").ok_or_else(|| (here, "a comment without end".to_owned()))?;
            rest = &inner[end + 2..];
        } else if let Some(inner) = rest.strip_prefix('\'') {
            let end = inner.find('\'').ok_or_else(|| (here, "a name in quotes without end".to_owned()))?;
            found.push((Token::Atom(inner[..end].to_owned()), here));
            rest = &inner[end + 1..];
        } else if first.is_ascii_digit() {
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse().map_err(|_| (here, "the number is too large".to_owned()))?;
            found.push((Token::Number(number), here));
            rest = &rest[end..];
        } else if first.is_alphabetic() || first == '_' {
            let (name, behind) = rest.split_at(word(rest));
            let is_variable = first.is_uppercase() || first == '_';
            let token = if is_variable { Token::Variable } else { Token::Atom };
            found.push((token(name.to_owned()), here));
            rest = behind;
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            found.push((Token::Symbol(symbol), here));
            rest = &rest[symbol.len()..];
        } else {
            return Err((here, format!("`{first}` begins nothing that has a meaning")));
        }
    }
    found.push((Token::End, place(rest)));
    Ok(found)
}
