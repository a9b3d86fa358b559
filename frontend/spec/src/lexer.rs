//! Tokens and the places where they stand.
//!
//! `#` begins a comment that ends with the line; newlines mean nothing otherwise. Names are
//! letters, digits and `_`; any text in quotes can be a name, too. Numbers are decimal.

use crate::code::Code;
use crate::language::{Language, SYMBOLS};
use frontend::diagnostics::Diagnostics;
use frontend::source::{FileId, SourceMap, Span};

/// A stretch of source text.
///
/// Two extents are always equal: what is derived for syntax trees then compares what they say, not
/// where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// File, line and column where it begins.
    pub span: Span,
    /// The byte of the file's decoded text where it begins.
    pub from: u32,
    /// The byte behind its end.
    pub to: u32,
}

impl PartialEq for Extent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Extent {}

impl Extent {
    /// From the beginning of this to the end of `last`; this one alone where `last` stands in
    /// another file or before it.
    pub fn until(self, last: Self) -> Self {
        let follows = last.span.file == self.span.file && last.to >= self.to;
        Self { to: if follows { last.to } else { self.to }, ..self }
    }
    /// The text that stands there.
    pub fn text(self, sources: &SourceMap) -> &str {
        let text = sources.files[self.span.file].text.as_deref().unwrap_or_default();
        text.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name: no keyword.
    Name(String),
    /// A text in quotes, without them and with escapes resolved.
    Text(String),
    /// Digits, with a point in their midst or without.
    Number(String),
    /// A word of the language's tables.
    Keyword(&'static str),
    /// An operator or punctuation.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub extent: Extent,
}

impl Token {
    /// The token as messages name it.
    pub fn describe(&self) -> String {
        match &self.kind {
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Text(text) => format!("`\"{text}\"`"),
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => format!("`{word}`"),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }
}

/// The tokens of one file, the last of them [`TokenKind::End`]. What is no token is reported and
/// left out.
pub fn tokens(
    sources: &SourceMap,
    file: FileId,
    language: &Language,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let text = sources.files[file].text.as_deref().unwrap_or_default();
    let mut lexer = Lexer { text, file, language, diagnostics, at: 0, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token();
        let is_end = token.as_ref().is_some_and(|token| token.kind == TokenKind::End);
        tokens.extend(token);
        if is_end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    language: &'a Language,
    diagnostics: &'a mut Diagnostics,
    at: usize,
    line: u32,
    column: u32,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn advance(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        if character == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
        Some(character)
    }
    fn advance_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.advance();
        }
    }
    fn here(&self) -> Extent {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        let span = Span { file: self.file, line: self.line, column: self.column };
        Extent { span, from: at, to: at }
    }

    /// The next token; none where characters were reported and skipped.
    fn token(&mut self) -> Option<Token> {
        loop {
            self.advance_while(char::is_whitespace);
            if self.peek() != Some('#') {
                break;
            }
            self.advance_while(|character| character != '\n');
        }
        let (start, from) = (self.here(), self.at);
        let kind = match self.peek() {
            None => Some(TokenKind::End),
            Some('"') => self.quoted(start.span),
            Some(first) if first.is_ascii_digit() => self.number(from, start.span),
            Some(first) if is_word(first) => Some(self.word(from)),
            Some(first) => self.symbol(first, start.span),
        };
        let extent = Extent { to: self.here().from, ..start };
        kind.map(|kind| Token { kind, extent })
    }

    fn word(&mut self, from: usize) -> TokenKind {
        self.advance_while(is_word);
        let word = &self.text[from..self.at];
        self.language.keyword(word).map_or_else(|| TokenKind::Name(word.to_owned()), TokenKind::Keyword)
    }

    fn number(&mut self, from: usize, span: Span) -> Option<TokenKind> {
        self.advance_while(|character| character.is_ascii_digit());
        let mut behind = self.rest().chars();
        if behind.next() == Some('.') && behind.next().is_some_and(|character| character.is_ascii_digit()) {
            self.advance();
            self.advance_while(|character| character.is_ascii_digit());
        }
        let end = self.at;
        self.advance_while(is_word);
        if end < self.at {
            let message = format!("`{}` is neither a number nor a name", &self.text[from..self.at]);
            self.diagnostics
                .error(Code::BadNumber, Some(span), message)
                .advice("numbers are decimal: `12`, `0.5`; names begin with a letter or stand in quotes");
            return None;
        }
        Some(TokenKind::Number(self.text[from..end].to_owned()))
    }

    fn quoted(&mut self, span: Span) -> Option<TokenKind> {
        self.advance();
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => {
                    self.diagnostics
                        .error(Code::BadString, Some(span), "this string has no end in its line")
                        .advice("a string ends with `\"`, in the line where it begins");
                    return None;
                }
                Some('"') => {
                    self.advance();
                    return Some(TokenKind::Text(text));
                }
                Some('\\') => {
                    let escape = self.here().span;
                    self.advance();
                    match self.peek() {
                        Some(character @ ('"' | '\\')) => {
                            self.advance();
                            text.push(character);
                        }
                        _ => {
                            let message = "`\\` stands before `\"` and `\\` only";
                            self.diagnostics.error(Code::BadString, Some(escape), message);
                        }
                    }
                }
                Some(character) => {
                    self.advance();
                    text.push(character);
                }
            }
        }
    }

    fn symbol(&mut self, first: char, span: Span) -> Option<TokenKind> {
        let rest = self.rest();
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            for _ in 0..symbol.len() {
                self.advance();
            }
            return Some(TokenKind::Symbol(symbol));
        }
        self.advance();
        let message = format!("no token begins with `{first}`");
        self.diagnostics.error(Code::StrayCharacter, Some(span), message);
        None
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether a text can stand as a name without quotes.
pub fn is_plain_name(text: &str, language: &Language) -> bool {
    let begins_well = text.chars().next().is_some_and(|first| is_word(first) && !first.is_ascii_digit());
    begins_well && text.chars().all(is_word) && language.keyword(text).is_none()
}
