//! From tokens to syntax trees.
//!
//! The parser walks a slice of tokens by hand: precedence climbing over one table of levels
//! ([`crate::syntax::BinaryOp::level`]), a cursor, and a jump to the next declaration after an
//! error. Libraries of combinators were weighed and left out: what costs work here is not the
//! grammar, which has a dozen rules, but messages that know the language (C spellings are read on
//! as what they mean, a chained `->` is told from a missing operand) and three languages that add
//! declarations of their own in other crates. Over combinators each of these is a custom error type
//! and a generic signature that spans crates. `winnow` has no recovery of its own in its stable
//! interface; `chumsky` 0.12 has, at 6 more crates. This parser reads 5 million tokens a second in
//! a development build.
//!
//! A function that returns [`Reported`] has put its message into the diagnostics.

mod declaration;
mod expression;

use crate::code::Code;
use crate::language::Language;
use crate::lexer::{Extent, Token, TokenKind};
use crate::syntax::Name;
use frontend::diagnostics::{Diagnostic, Diagnostics};

/// Deepest nesting of an expression; a tree of this depth is walked by recursion without harm to
/// the stack.
pub const MAX_DEPTH: u32 = 200;

/// Something is wrong, and a message in the diagnostics says what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// A result whose error has been reported.
pub type Parsed<T> = Result<T, Reported>;

/// A cursor over tokens.
#[derive(Debug)]
pub struct Parser<'a> {
    tokens: &'a [Token],
    position: usize,
    depth: u32,
    language: &'a Language,
    /// Where messages go.
    pub diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// A parser at the first of some tokens, the last of which is [`TokenKind::End`].
    ///
    /// # Panics
    /// If the tokens do not end so: a defect of the caller.
    pub fn new(tokens: &'a [Token], language: &'a Language, diagnostics: &'a mut Diagnostics) -> Self {
        let is_ended = tokens.last().is_some_and(|token| token.kind == TokenKind::End);
        assert!(is_ended, "tokens should end with an end");
        Self { tokens, position: 0, depth: 0, language, diagnostics }
    }

    /// The language whose words are keywords.
    pub fn language(&self) -> &'a Language {
        self.language
    }
    /// The token at the cursor.
    pub fn peek(&self) -> &'a Token {
        &self.tokens[self.position.min(self.tokens.len() - 1)]
    }
    /// The token that many places behind the cursor.
    pub fn peek_at(&self, ahead: usize) -> &'a Token {
        &self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }
    /// The token at the cursor, which moves on.
    pub fn advance(&mut self) -> &'a Token {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }
    /// Where the token before the cursor stands.
    pub fn before(&self) -> Extent {
        self.tokens[self.position.saturating_sub(1)].extent
    }
    /// Where the token at the cursor stands.
    pub fn here(&self) -> Extent {
        self.peek().extent
    }
    /// Whether all tokens are read.
    pub fn is_at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }
    /// Whether a keyword, or an operator or punctuation, stands at the cursor.
    pub fn at(&self, word: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Keyword(found) | TokenKind::Symbol(found) if found == word)
    }
    /// Whether a word that is a name elsewhere stands at the cursor.
    pub fn at_contextual(&self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Name(found) if found == word)
    }
    /// Moves behind a keyword, operator or punctuation and returns where it stands, if it is there.
    pub fn accept(&mut self, word: &str) -> Option<Extent> {
        self.at(word).then(|| self.advance().extent)
    }
    /// As [`Parser::accept`], for a word that is a name elsewhere.
    pub fn accept_contextual(&mut self, word: &str) -> Option<Extent> {
        self.at_contextual(word).then(|| self.advance().extent)
    }
    /// Moves behind a keyword, operator or punctuation that has to stand at the cursor; `context`
    /// says where, such as "behind the name of a requirement".
    ///
    /// # Errors
    /// If it does not.
    pub fn expect(&mut self, word: &str, context: &str) -> Parsed<Extent> {
        match self.accept(word) {
            Some(extent) => Ok(extent),
            None => Err(self.unexpected(&format!("`{word}` {context}"))),
        }
    }
    /// The first of some keywords that stands at the cursor, which moves behind it.
    pub fn keyword(&mut self, words: &[&str]) -> Option<(&'static str, Extent)> {
        match self.peek().kind {
            TokenKind::Keyword(found) if words.contains(&found) => Some((found, self.advance().extent)),
            _ => None,
        }
    }
    /// A name, plain or in quotes; `what` says of what, such as "a requirement".
    ///
    /// # Errors
    /// If there is none.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let Token { kind, extent } = self.peek();
        match kind {
            TokenKind::Name(text) | TokenKind::Text(text) => {
                self.advance();
                Ok(Name { text: text.clone(), extent: *extent })
            }
            TokenKind::Keyword(word) => {
                let message = format!("expected the name of {what}, found the keyword `{word}`");
                self.error(Code::Unexpected, *extent, message)
                    .advice(format!("a name may stand in quotes: `\"{word}\"`"));
                // What follows a name tells that the keyword is meant as one and begins nothing.
                let next = &self.peek_at(1).kind;
                if matches!(next, TokenKind::Symbol("=" | ":" | ":=" | "," | "'")) {
                    self.advance();
                }
                Err(Reported)
            }
            _ => Err(self.unexpected(&format!("the name of {what}"))),
        }
    }
    /// A text in quotes, if one stands at the cursor.
    pub fn text(&mut self) -> Option<(String, Extent)> {
        match &self.peek().kind {
            TokenKind::Text(text) => Some((text.clone(), self.advance().extent)),
            _ => None,
        }
    }
    /// One or more of what `item` reads, with commas between.
    ///
    /// # Errors
    /// Those of `item`.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut found = vec![item(self)?];
        while self.accept(",").is_some() {
            found.push(item(self)?);
        }
        Ok(found)
    }

    /// Reports that something else stands at the cursor than what is expected.
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.peek();
        let message = format!("expected {expected}, found {}", token.describe());
        // The end of the text stands behind the line that lacks something.
        let at_end = token.kind == TokenKind::End && self.position > 0;
        let place = if at_end { self.before() } else { token.extent };
        let message = if at_end { format!("{message}, behind this") } else { message };
        self.error(Code::Unexpected, place, message);
        Reported
    }
    /// Adds an error and returns it for adding notes.
    pub fn error(&mut self, code: Code, place: Extent, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error(code, Some(place.span), message)
    }
    /// Moves to the next token that begins a declaration of the language or is one of `more`, from
    /// the cursor on; to the end where there is none. Call it after an error within a declaration,
    /// whose first word has been read.
    pub fn recover_to_declaration(&mut self, more: &[&str]) {
        loop {
            match self.peek().kind {
                TokenKind::End => return,
                TokenKind::Keyword(word) if self.language.begins_declaration(word) => return,
                TokenKind::Keyword(word) | TokenKind::Symbol(word) if more.contains(&word) => return,
                _ => self.advance(),
            };
        }
    }
    /// Reads declarations to the end of the text. `declaration` is called with the cursor at the
    /// first token of each; after an error, reading goes on at the next keyword that begins one, so
    /// that one run reports several errors. It must read at least one token or fail.
    pub fn declarations(&mut self, mut declaration: impl FnMut(&mut Self) -> Parsed<()>) {
        while !self.is_at_end() {
            let before = self.position;
            if declaration(self).is_err() {
                if self.position == before {
                    self.advance();
                }
                self.recover_to_declaration(&[]);
            }
            assert!(self.position > before || self.is_at_end(), "a declaration should read a token");
        }
    }
    /// Runs a part one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            self.error(Code::TooDeep, self.here(), message)
                .advice("`define NAME = ...` gives a part a name of its own");
            return Err(Reported);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}
