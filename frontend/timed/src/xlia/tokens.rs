//! Tokens of xLIA as those of the specification languages, whose expressions are then read by the
//! one parser that there is.

use crate::code::Code;
use frontend::diagnostics::Diagnostics;
use frontend::source::{FileId, SourceMap, Span};
use spec::code::Code as CoreCode;
use spec::language::SYMBOLS;
use spec::lexer::{Extent, Token, TokenKind};

/// Operators of xLIA with their words in the specification languages.
const WORDS: [(&str, &str); 5] = [("&&", "and"), ("||", "or"), ("and", "and"), ("or", "or"), ("not", "not")];

/// The tokens of a file, the last of them [`TokenKind::End`].
pub(super) fn tokens(sources: &SourceMap, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let text = sources.files[file].text.as_deref().unwrap_or_default();
    let mut lexer = Lexer { text, file, diagnostics, at: 0, line: 1, column: 1 };
    let mut found = Vec::new();
    loop {
        lexer.skip();
        let start = lexer.here();
        let kind = lexer.kind(start.span);
        let extent = Extent { to: lexer.here().from, ..start };
        let is_end = kind == Some(TokenKind::End);
        found.extend(kind.map(|kind| Token { kind, extent }));
        if is_end {
            return found;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    diagnostics: &'a mut Diagnostics,
    at: usize,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn here(&self) -> Extent {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        Extent { span: Span { file: self.file, line: self.line, column: self.column }, from: at, to: at }
    }
    /// Moves behind so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        for character in taken.chars() {
            (self.line, self.column) =
                if character == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at += bytes;
        taken
    }
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !wanted(character)).unwrap_or(rest.len());
        self.take(end)
    }
    /// Moves behind blanks and comments.
    fn skip(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|character| character != '\n');
            } else if self.rest().starts_with("/*") {
                let place = self.here().span;
                let end = self.rest().find("*/");
                if end.is_none() {
                    self.diagnostics.error(CoreCode::BadString, Some(place), "this comment has no end");
                }
                let end = end.map_or(self.rest().len(), |end| end + 2);
                self.take(end);
            } else {
                return;
            }
        }
    }
    /// The next token; none where characters were reported and skipped.
    fn kind(&mut self, place: Span) -> Option<TokenKind> {
        let first = self.rest().chars().next();
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '#');
        match first {
            None => Some(TokenKind::End),
            Some(first) if first.is_ascii_digit() => self.number(place),
            Some(first) if is_word(first) => {
                let word = self.take_while(is_word);
                let value = ["true", "false"].into_iter().find(|value| *value == word);
                let known = value.or_else(|| operator(word));
                Some(known.map_or_else(|| TokenKind::Name(word.to_owned()), TokenKind::Keyword))
            }
            Some('"') => self.unsupported(1, place, "texts in quotes are"),
            Some('/' | '%') => self.unsupported(1, place, "division is"),
            Some('!') if !self.rest().starts_with("!=") => {
                self.take(1);
                Some(TokenKind::Keyword("not"))
            }
            Some(first) => self.symbol(first, place),
        }
    }
    fn unsupported(&mut self, bytes: usize, place: Span, what: &str) -> Option<TokenKind> {
        self.take(bytes);
        self.diagnostics.error(Code::Xlia, Some(place), format!("in xLIA, {what} not supported"));
        None
    }
    fn number(&mut self, place: Span) -> Option<TokenKind> {
        let number = self.take_while(|character| character.is_ascii_digit() || character == '.');
        let behind = self.take_while(|character| character.is_alphanumeric() || character == '_');
        let parts: Vec<&str> = number.split('.').collect();
        if behind.is_empty() && parts.len() <= 2 && parts.iter().all(|part| !part.is_empty()) {
            return Some(TokenKind::Number(number.to_owned()));
        }
        let message = format!("`{number}{behind}` is no decimal number");
        self.diagnostics.error(CoreCode::BadNumber, Some(place), message);
        None
    }
    fn symbol(&mut self, first: char, place: Span) -> Option<TokenKind> {
        if self.rest().starts_with("-->") {
            self.take(3);
            return Some(TokenKind::Symbol("->"));
        }
        let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) else {
            self.take(first.len_utf8());
            let message = format!("no token begins with `{first}`");
            self.diagnostics.error(CoreCode::StrayCharacter, Some(place), message);
            return None;
        };
        self.take(symbol.len());
        Some(match (operator(symbol), *symbol) {
            (Some(word), _) => TokenKind::Keyword(word),
            // The length of the token tells it from an assignment.
            (None, "==") => TokenKind::Symbol("="),
            (None, symbol) => TokenKind::Symbol(symbol),
        })
    }
}

fn operator(text: &str) -> Option<&'static str> {
    WORDS.iter().find(|(known, _)| *known == text).map(|(_, word)| *word)
}
