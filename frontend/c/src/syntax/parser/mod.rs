//! The parser: tokens and the statement structure in, syntax tree out.
//!
//! Recursive descent with the scopes of C's names, of which only one thing is kept: whether a name
//! is a type. Errors are collected; after one, parsing goes on behind the statement or item that
//! holds it.

mod declaration;
mod declarator;
mod expression;
mod initialiser;
mod record;
mod specifier;
mod statement;

use super::ast::{Item, Name, Position};
use super::clean::Cleaned;
use super::token::{Token, TokenKind};
use super::tree::{Skeleton, Trees};
use super::{Packing, SyntaxError};
use crate::code::Code;
use crate::preprocess::compiler;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Deepest nesting of expressions, declarators and statements; deeper input is refused instead of
/// overflowing the stack.
const MAX_DEPTH: u32 = 1000;

/// Number of scopes where only those of the file and of the compiler are open.
const FILE_SCOPE: usize = 2;

/// Errors reported for one file at most.
const MAX_ERRORS: usize = 50;

/// Types that compilers and verification tools know without a declaration.
const BUILTIN_TYPES: [&str; 4] =
    ["__builtin_va_list", "__CPROVER_size_t", "__CPROVER_ssize_t", "__CPROVER_bool"];

/// The error has been recorded.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    /// The text before cleaning.
    source: &'a str,
    cleaned: &'a Cleaned,
    trees: Option<&'a Trees<'a>>,
    /// The function definition that is being parsed, and a tree that knows it.
    function: Option<(Range<u32>, Rc<Skeleton>)>,
    packing: &'a Packing,
    next: usize,
    /// Innermost last: whether a name is a type.
    scopes: Vec<FxHashMap<String, bool>>,
    /// Names that the item declares at file scope, as far as it has been parsed.
    item_names: Vec<Name>,
    errors: Vec<SyntaxError>,
    depth: u32,
    is_configuration: bool,
    /// Whether a statement before this one was skipped after an error: structure that then seems
    /// wrong is not reported.
    is_recovering: bool,
}

/// Words that are never identifiers.
const KEYWORDS: [&str; 38] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Static_assert",
    "_Atomic",
    "_Alignas",
];

impl<'a> Parser<'a> {
    pub(super) fn new(
        source: &'a str,
        cleaned: &'a Cleaned,
        trees: Option<&'a Trees<'a>>,
        packing: &'a Packing,
    ) -> Self {
        let builtin = BUILTIN_TYPES.iter().map(|name| ((*name).to_owned(), true)).collect();
        Self {
            source,
            cleaned,
            trees,
            function: None,
            packing,
            next: 0,
            scopes: vec![builtin, FxHashMap::default()],
            item_names: Vec::new(),
            errors: Vec::new(),
            depth: 0,
            is_configuration: false,
            is_recovering: false,
        }
    }

    /// Makes the parser accept what only configured expressions may contain, with the given names
    /// of types.
    pub(super) fn for_configuration(mut self, type_names: &BTreeSet<String>) -> Self {
        self.is_configuration = true;
        self.scopes.push(type_names.iter().map(|name| (name.clone(), true)).collect());
        self
    }

    /// All items of the file.
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek().kind != TokenKind::End && self.errors.len() < MAX_ERRORS {
            let start = self.next;
            if self.take(";") {
                continue;
            }
            self.item_names.clear();
            match self.item() {
                Ok(parsed) => items.extend(parsed),
                Err(Failed) => {
                    self.skip_item(start);
                    self.declare_failed(start);
                    items.push(Item::Failed(std::mem::take(&mut self.item_names)));
                }
            }
        }
        items
    }

    /// What was found wrong, and the names of types at file scope.
    pub(super) fn finish(self) -> (Vec<SyntaxError>, BTreeSet<String>) {
        let file_scope = &self.scopes[1];
        let names =
            file_scope.iter().filter(|(_, is_type)| **is_type).map(|(name, _)| name.clone()).collect();
        (self.errors, names)
    }

    // ---- tokens ----

    fn peek(&self) -> Token {
        self.peek_at(0)
    }
    fn peek_at(&self, distance: usize) -> Token {
        let tokens = &self.cleaned.tokens;
        tokens[(self.next + distance).min(tokens.len() - 1)]
    }
    fn text(&self, token: Token) -> &'a str {
        match token.kind {
            TokenKind::Attribute => token.text(self.source),
            TokenKind::End => "",
            _ => token.text(&self.cleaned.text),
        }
    }
    fn peek_text(&self) -> &'a str {
        self.text(self.peek())
    }
    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.next = (self.next + 1).min(self.cleaned.tokens.len() - 1);
        token
    }
    fn position(&self) -> Position {
        Position(self.peek().start)
    }
    /// Whether the next token is the given punctuator or keyword.
    fn is(&self, text: &str) -> bool {
        self.is_at(0, text)
    }
    fn is_at(&self, distance: usize, text: &str) -> bool {
        let token = self.peek_at(distance);
        matches!(token.kind, TokenKind::Punctuator | TokenKind::Word) && self.text(token) == text
    }
    fn take(&mut self, text: &str) -> bool {
        let is_next = self.is(text);
        if is_next {
            self.advance();
        }
        is_next
    }
    fn expect(&mut self, text: &str) -> Parse<Token> {
        if self.is(text) { Ok(self.advance()) } else { self.unexpected(&format!("`{text}`")) }
    }
    fn is_identifier_at(&self, distance: usize) -> bool {
        let token = self.peek_at(distance);
        token.kind == TokenKind::Word && !KEYWORDS.contains(&self.text(token))
    }
    fn identifier(&mut self, what: &str) -> Parse<Name> {
        if !self.is_identifier_at(0) {
            return self.unexpected(what);
        }
        let token = self.advance();
        Ok(Name { text: self.text(token).to_owned(), position: Position(token.start) })
    }

    // ---- errors ----

    /// Records that something else was expected at the next token.
    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End if self.is_configuration => "the end of the expression".to_owned(),
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Attribute => return self.unsupported_attribute(),
            _ => format!("`{}`", self.text(token)),
        };
        let position = match token.kind {
            TokenKind::End => {
                self.next.checked_sub(1).map_or(token.start, |last| self.cleaned.tokens[last].end)
            }
            _ => token.start,
        };
        self.fail(Code::Syntax, Position(position), format!("expected {expected}, found {found}"))
    }

    fn unsupported_attribute<T>(&mut self) -> Parse<T> {
        let token = self.peek();
        let message = format!("the attribute `{}` is not supported here", self.text(token));
        self.fail(Code::UnsupportedAttribute, Position(token.start), message)
    }

    fn unsupported_assembler<T>(&mut self) -> Parse<T> {
        let advice = format!(
            "define it away with -D if it does not matter to the model, for example `-D__asm(x)=`; {}",
            compiler::ADVICE
        );
        let message = "assembler code is not supported".to_owned();
        self.fail_with(Code::UnsupportedAsm, self.position(), message, Some(&advice))
    }

    fn fail<T>(&mut self, code: Code, position: Position, message: String) -> Parse<T> {
        self.fail_with(code, position, message, None)
    }

    fn fail_with<T>(
        &mut self,
        code: Code,
        position: Position,
        message: String,
        advice: Option<&str>,
    ) -> Parse<T> {
        if !self.is_full() {
            self.errors.push(SyntaxError { position, code, message, advice: advice.map(str::to_owned) });
        }
        Err(Failed)
    }

    /// Whether so many errors were found that no more are kept.
    fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    /// Goes on behind the item that began at token `start`.
    fn skip_item(&mut self, start: usize) {
        let failed = self.peek().start;
        self.next = self.next.max(start + 1).min(self.cleaned.tokens.len() - 1);
        let end = self.trees.and_then(|trees| trees.whole().item_end(failed));
        match end {
            Some(end) => self.skip_to(end),
            None => self.skip_balanced(),
        }
    }

    /// Takes for declared what an item that was skipped seems to declare, so that its uses are no
    /// further errors: the names before what follows a declarator's name, in a `typedef` before its
    /// end or a comma.
    fn declare_failed(&mut self, start: usize) {
        let is_typedef = self.text(self.cleaned.tokens[start]) == "typedef";
        let mut depth = 0usize;
        for at in start + 1..self.next {
            let text = self.text(self.cleaned.tokens[at]);
            let is_behind_name = match text {
                ";" | "," => true,
                "=" | "[" | "(" | "{" => !is_typedef,
                _ => false,
            };
            if depth == 0 && is_behind_name {
                self.declare_if_new(self.cleaned.tokens[at - 1], is_typedef);
            }
            match text {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Takes a name for declared that nothing is known of.
    fn declare_if_new(&mut self, token: Token, is_type: bool) {
        let text = self.text(token);
        let is_name = token.kind == TokenKind::Word && !KEYWORDS.contains(&text);
        if is_name && self.scopes.iter().all(|scope| !scope.contains_key(text)) {
            self.declare(&Name { text: text.to_owned(), position: Position(token.start) }, is_type);
        }
    }

    /// Moves to the first token at or after a byte offset.
    fn skip_to(&mut self, offset: u32) {
        while self.peek().kind != TokenKind::End && self.peek().start < offset {
            self.advance();
        }
    }

    /// Skips to behind the next `;` or closing brace outside of braces.
    fn skip_balanced(&mut self) {
        let mut depth = 0usize;
        while self.peek().kind != TokenKind::End {
            let token = self.advance();
            match self.text(token) {
                "{" => depth += 1,
                "}" if depth <= 1 => return,
                "}" => depth -= 1,
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Runs a parsing function one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nesting deeper than {MAX_DEPTH} levels is not supported");
            return self.fail(Code::UnsupportedNesting, self.position(), message);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    // ---- names ----

    /// Runs a parsing function in a scope of its own.
    fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.scopes.push(FxHashMap::default());
        let result = parse(self);
        self.scopes.pop();
        result
    }
    fn declare(&mut self, name: &Name, is_type: bool) {
        if self.scopes.len() == FILE_SCOPE {
            self.item_names.push(name.clone());
        }
        let scope = self.scopes.last_mut().expect("there should always be a scope");
        scope.insert(name.text.clone(), is_type);
    }
    fn is_type_name(&self, name: &str) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied().unwrap_or(false)
    }
}
