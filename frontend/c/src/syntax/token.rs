//! C tokens of preprocessed text.
//!
//! Tokens are ranges of the text; what they say is read from it. Positions are byte offsets, which
//! the line map of the preprocessor turns into places of the user's files.

/// What sort of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Identifiers and keywords.
    Word,
    /// Integer and floating constants.
    Number,
    /// Character constants, prefix included.
    Character,
    /// String literals, prefix included.
    String,
    /// Operators and punctuation.
    Punctuator,
    /// `__attribute__((packed))` and `aligned(...)`, whose meaning the parser must not lose; the
    /// text is the attribute's name.
    Attribute,
    /// A character that no token starts with, or a literal without end.
    Unknown,
    /// After the last token.
    End,
}

/// A token: a range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Byte offset of its first character.
    pub(crate) start: u32,
    /// Byte offset after its last character.
    pub(crate) end: u32,
}

impl Token {
    /// What it says.
    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start as usize..self.end as usize]
    }
}

/// Punctuators, longest first among those with a common beginning.
const PUNCTUATORS: [&str; 47] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "^=", "|=", "::", "[", "]", "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/",
    "%", "<", ">", "^", "|", "?", ":", ";", "=", ",",
];

/// Splits text into tokens; comments are skipped. The last token is [`TokenKind::End`].
///
/// # Panics
/// If the text has 4 GiB or more (callers refuse such input).
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut position = 0;
    while let Some(token) = next_token(text, position) {
        position = token.end as usize;
        tokens.push(token);
    }
    let end = offset(text.len());
    tokens.push(Token { kind: TokenKind::End, start: end, end });
    tokens
}

fn offset(position: usize) -> u32 {
    u32::try_from(position).expect("preprocessed text should be smaller than 4 GiB")
}

/// The first token at or after a position; `None` at the end.
pub(crate) fn next_token(text: &str, position: usize) -> Option<Token> {
    let start = skip_blank(text, position);
    let rest = &text[start..];
    let first = rest.chars().next()?;
    let (kind, length) = match first {
        '"' => literal(rest, 0, '"', TokenKind::String),
        '\'' => literal(rest, 0, '\'', TokenKind::Character),
        _ if is_word_start(first) => word_or_prefixed_literal(rest),
        _ if starts_number(rest) => (TokenKind::Number, number_length(rest)),
        _ => match PUNCTUATORS.iter().find(|&&punctuator| rest.starts_with(punctuator)) {
            Some(punctuator) => (TokenKind::Punctuator, punctuator.len()),
            None => (TokenKind::Unknown, first.len_utf8()),
        },
    };
    Some(Token { kind, start: offset(start), end: offset(start + length) })
}

fn skip_blank(text: &str, mut position: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        while bytes.get(position).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b) {
            position += 1;
        }
        let rest = &text[position..];
        if rest.starts_with("//") {
            position += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            position += comment.find("*/").map_or(rest.len(), |end| end + 4);
        } else if rest.starts_with("\\\n") {
            position += 2;
        } else {
            return position;
        }
    }
}

fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || character == '$' || character.is_alphabetic()
}

fn is_word(character: char) -> bool {
    is_word_start(character) || character.is_ascii_digit()
}

fn word_or_prefixed_literal(rest: &str) -> (TokenKind, usize) {
    let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
    if matches!(&rest[..length], "L" | "u" | "U" | "u8") {
        if rest[length..].starts_with('"') {
            return literal(rest, length, '"', TokenKind::String);
        }
        if rest[length..].starts_with('\'') {
            return literal(rest, length, '\'', TokenKind::Character);
        }
    }
    (TokenKind::Word, length)
}

/// A literal whose opening quote stands at `prefix`.
fn literal(rest: &str, prefix: usize, quote: char, kind: TokenKind) -> (TokenKind, usize) {
    let mut characters = rest[prefix..].char_indices().skip(1);
    while let Some((position, character)) = characters.next() {
        match character {
            '\n' => return (TokenKind::Unknown, prefix + position),
            '\\' => drop(characters.next()),
            _ if character == quote => return (kind, prefix + position + 1),
            _ => {}
        }
    }
    (TokenKind::Unknown, rest.len())
}

fn starts_number(rest: &str) -> bool {
    let mut characters = rest.chars();
    match characters.next() {
        Some('.') => characters.next().is_some_and(|character| character.is_ascii_digit()),
        first => first.is_some_and(|character| character.is_ascii_digit()),
    }
}

/// Length of a preprocessing number: digits, letters, points, and signs after an exponent letter.
fn number_length(rest: &str) -> usize {
    let mut previous = ' ';
    for (position, character) in rest.char_indices() {
        let is_sign = matches!(character, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
        if !(is_word(character) || character == '.' || is_sign) {
            return position;
        }
        if is_sign && rest.starts_with("0x") && matches!(previous, 'e' | 'E') {
            return position; // 0xE+1 is a sum in every program that compiles
        }
        previous = character;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut tokens = tokenize(text);
        assert_eq!(tokens.pop().map(|token| token.kind), Some(TokenKind::End));
        let texts: Vec<&str> = tokens.iter().map(|token| token.text(text)).collect();
        assert_eq!(texts, expected, "{text}");
    }

    #[test]
    fn splits() {
        check("a+++b", &["a", "++", "+", "b"]);
        check("x<<=1.5e-3f;/* c */y//z\n->w", &["x", "<<=", "1.5e-3f", ";", "y", "->", "w"]);
        check("L'a' \"b\\\"c\" u8\"d\"", &["L'a'", "\"b\\\"c\"", "u8\"d\""]);
        check(".5 ... .x", &[".5", "...", ".", "x"]);
        check("0x1p-3 0xE+1", &["0x1p-3", "0xE", "+", "1"]);
        check("f::x ? :", &["f", "::", "x", "?", ":"]);
        check("größe", &["größe"]);
    }

    #[test]
    fn marks_what_is_no_token() {
        for text in ["@", "\"open", "'open\n'", "\\ "] {
            assert_eq!(tokenize(text)[0].kind, TokenKind::Unknown, "{text}");
        }
    }
}
