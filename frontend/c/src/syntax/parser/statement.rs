//! Statements, along the structure that the tree found.
//!
//! Statements that contain no others are parsed from their tokens alone. For the others the tree
//! says where their parts are; each token is still checked here.

use super::super::ast::{Expression, Position, Statement, StatementKind as Kind};
use super::super::token::TokenKind;
use super::super::tree::{Skeleton, Structure, View};
use super::{Failed, Parse, Parser};
use crate::code::Code;
use std::rc::Rc;

impl Parser<'_> {
    /// The body of a function definition whose first token stands at a byte offset.
    pub(super) fn function_body(&mut self, definition: Position) -> Parse<Vec<Statement>> {
        self.function = self.trees.and_then(|trees| {
            let range = definition.0..self.end_of_braces()?;
            Some((range.clone(), trees.of_function(range)))
        });
        let body = self.block_here();
        self.function = None;
        body
    }

    /// The byte offset behind the brace that closes the one at the next token.
    pub(super) fn end_of_braces(&self) -> Option<u32> {
        let mut depth = 0usize;
        for token in &self.cleaned.tokens[self.next..] {
            match self.text(*token) {
                "{" if token.kind == TokenKind::Punctuator => depth += 1,
                "}" if token.kind == TokenKind::Punctuator => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(token.end);
            }
        }
        None
    }

    /// The block that begins at the next token.
    pub(super) fn block_here(&mut self) -> Parse<Vec<Statement>> {
        let start = self.peek().start;
        let skeleton = self.skeleton_at(start);
        match skeleton.as_deref().and_then(|skeleton| skeleton.block_at(start)) {
            Some(view) => self.block(view),
            None => self.broken(start),
        }
    }

    /// A tree that knows the text at a byte offset; none where an expression of a configuration is
    /// parsed.
    fn skeleton_at(&self, offset: u32) -> Option<Rc<Skeleton>> {
        match &self.function {
            Some((range, skeleton)) if range.contains(&offset) => Some(skeleton.clone()),
            _ => self.trees.map(|trees| trees.whole()),
        }
    }

    /// The tree has no structure where one is needed: the text is no C at the first error behind.
    fn broken<T>(&mut self, from: u32) -> Parse<T> {
        if self.is_configuration {
            let message = "statements are not supported in configured expressions".to_owned();
            return self.fail(Code::UnsupportedStatement, Position(from), message);
        }
        if self.is_recovering {
            return Err(Failed);
        }
        let place = self.trees.and_then(|trees| trees.whole().first_error(from)).unwrap_or(from);
        self.fail(
            Code::Syntax,
            Position(place),
            "this is not C, or a bracket before it is not closed".to_owned(),
        )
    }

    fn block(&mut self, view: View<'_>) -> Parse<Vec<Statement>> {
        self.nested(|parser| {
            parser.expect("{")?;
            let statements = parser.scoped(|parser| parser.statements(view, view.end().saturating_sub(1)))?;
            parser.expect("}")?;
            Ok(statements)
        })
    }

    /// Statements up to a byte offset; `view` knows the structured ones among them.
    fn statements(&mut self, view: View<'_>, end: u32) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut has_failed = false;
        let first = self.peek().start;
        for child in view.structured_children().into_iter().filter(|child| child.start() >= first) {
            has_failed |= self.simple_statements(child.start(), &mut statements);
            match self.structured(child, &mut statements) {
                Ok(()) => has_failed |= self.check_end(child.end()).is_err(),
                Err(Failed) => {
                    has_failed = true;
                    self.skip_to(child.end());
                }
            }
        }
        has_failed |= self.simple_statements(end, &mut statements);
        if has_failed { Err(Failed) } else { Ok(statements) }
    }

    /// Every token before a byte offset must have been consumed, and none behind it.
    fn check_end(&mut self, end: u32) -> Parse<()> {
        let previous = self.cleaned.tokens[self.next.saturating_sub(1)];
        if self.peek().start >= end && previous.end <= end {
            return Ok(());
        }
        let result = self.unexpected("the end of the statement");
        self.skip_to(end);
        result
    }

    /// Parses statements without structure up to a byte offset; returns whether one of them failed.
    fn simple_statements(&mut self, end: u32, statements: &mut Vec<Statement>) -> bool {
        let mut has_failed = false;
        while self.peek().start < end {
            let start = self.next;
            match self.simple_statement() {
                Ok(statement) => {
                    self.is_recovering = false;
                    statements.push(statement);
                }
                Err(Failed) => {
                    has_failed = true;
                    self.is_recovering = true;
                    self.next = self.next.max(start + 1);
                    self.skip_statement(end);
                }
            }
        }
        has_failed
    }

    /// Skips to behind the next semicolon, but not past a byte offset.
    fn skip_statement(&mut self, end: u32) {
        while self.peek().start < end {
            let token = self.advance();
            if self.text(token) == ";" {
                return;
            }
        }
    }

    /// A statement or declaration that contains no statement.
    fn simple_statement(&mut self) -> Parse<Statement> {
        let position = self.position();
        let kind = match self.peek_text() {
            _ if self.is_label() => {
                let name = self.identifier("a label")?;
                self.advance();
                return Ok(Statement { kind: Kind::Label(name.text), position });
            }
            ";" => Kind::Empty,
            "break" => self.keyword(Kind::Break),
            "continue" => self.keyword(Kind::Continue),
            "goto" => self.goto()?,
            "return" => {
                self.advance();
                Kind::Return(if self.is(";") { None } else { Some(self.expression()?) })
            }
            // GNU: labels of a block. Where two have one name in a function, that is refused.
            "__label__" => {
                self.advance();
                while self.is_identifier_at(0) {
                    self.advance();
                    self.take(",");
                }
                Kind::Empty
            }
            "_Static_assert" => {
                return Ok(Statement { kind: Kind::StaticAssert(self.static_assert()?), position });
            }
            "asm" | "__asm__" | "__asm" => {
                return self.unsupported_assembler();
            }
            "if" | "while" | "for" | "switch" => {
                self.head()?; // where that fails, it says more exactly what is wrong
                return self.broken(position.0);
            }
            "{" | "do" | "case" | "default" | "else" | "}" => return self.broken(position.0),
            _ if self.starts_declaration() => {
                return Ok(Statement { kind: Kind::Declaration(self.declaration()?), position });
            }
            _ => Kind::Expression(self.expression()?),
        };
        if !self.is(";") {
            return self.unexpected("an operator or `;`");
        }
        self.advance();
        Ok(Statement { kind, position })
    }

    fn keyword(&mut self, kind: Kind) -> Kind {
        self.advance();
        kind
    }

    fn goto(&mut self) -> Parse<Kind> {
        self.advance();
        if self.is("*") {
            let message = "computed `goto` is not supported".to_owned();
            return self.fail(Code::UnsupportedComputedGoto, self.position(), message);
        }
        Ok(Kind::Goto(self.identifier("a label")?.text))
    }

    fn is_label(&self) -> bool {
        self.is_identifier_at(0) && self.is_at(1, ":")
    }

    /// Whether a declaration begins here. A name that is no type, followed by another name, is a
    /// declaration with an unknown type.
    fn starts_declaration(&self) -> bool {
        self.starts_type_at(0) || self.is_identifier_at(0) && self.is_identifier_at(1)
    }

    /// A statement that the tree found structure in; `case` and labels give several.
    fn structured(&mut self, view: View<'_>, statements: &mut Vec<Statement>) -> Parse<()> {
        let position = self.position();
        let kind = match view.structure() {
            Some(Structure::Block) => Kind::Block(self.block(view)?),
            Some(Structure::If) => self.nested(|parser| parser.if_statement(view))?,
            Some(Structure::While) => self.nested(|parser| parser.while_statement(view))?,
            Some(Structure::Do) => self.nested(|parser| parser.do_statement(view))?,
            Some(Structure::For) => {
                self.nested(|parser| parser.scoped(|parser| parser.for_statement(view)))?
            }
            Some(Structure::Switch) => self.nested(|parser| parser.switch_statement(view))?,
            Some(Structure::Case) => return self.nested(|parser| parser.case_statement(view, statements)),
            Some(Structure::Label) => {
                return self.nested(|parser| parser.labelled_statement(view, statements));
            }
            None => {
                let statement = self.simple_statement()?;
                statements.push(statement);
                return Ok(());
            }
        };
        statements.push(Statement { kind, position });
        Ok(())
    }

    /// The one statement that another governs.
    fn governed(&mut self, view: Option<View<'_>>) -> Parse<Box<Statement>> {
        let position = self.position();
        let Some(view) = view else { return self.broken(position.0) };
        self.scoped(|parser| {
            let mut statements = Vec::new();
            parser.structured(view, &mut statements)?;
            parser.check_end(view.end())?;
            parser.check_single(&statements, position)?;
            let is_single = statements.len() == 1;
            match statements.pop() {
                Some(single) if is_single => Ok(Box::new(single)),
                last => {
                    statements.extend(last);
                    Ok(Box::new(Statement { kind: Kind::Block(statements), position }))
                }
            }
        })
    }

    /// The tree gives all statements behind a `case` to it; where only one is governed, that would
    /// move the others.
    fn check_single(&mut self, statements: &[Statement], position: Position) -> Parse<()> {
        let is_mark = |statement: &&Statement| {
            matches!(statement.kind, Kind::Case { .. } | Kind::Default | Kind::Label(_))
        };
        let real = statements.len() - statements.iter().take_while(is_mark).count();
        if real <= 1 {
            return Ok(());
        }
        let message = "a `case` as the only statement of another statement is not supported".to_owned();
        self.fail_with(Code::UnsupportedCase, position, message, Some("put braces around it"))
    }

    fn condition(&mut self) -> Parse<Expression> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    /// `if`, with all `else if` that follow.
    fn if_statement(&mut self, mut view: View<'_>) -> Parse<Kind> {
        let mut arms = Vec::new();
        loop {
            self.expect("if")?;
            let condition = self.condition()?;
            arms.push((condition, *self.governed(view.consequence())?));
            if !self.take("else") {
                return Ok(Kind::If { arms, otherwise: None });
            }
            match view.alternative() {
                Some(next) if next.structure() == Some(Structure::If) && self.is("if") => view = next,
                other => return Ok(Kind::If { arms, otherwise: Some(self.governed(other)?) }),
            }
        }
    }

    fn while_statement(&mut self, view: View<'_>) -> Parse<Kind> {
        self.expect("while")?;
        let condition = self.condition()?;
        Ok(Kind::While { condition, body: self.governed(view.body())? })
    }

    fn do_statement(&mut self, view: View<'_>) -> Parse<Kind> {
        self.expect("do")?;
        let body = self.governed(view.body())?;
        self.expect("while")?;
        let condition = self.condition()?;
        self.expect(";")?;
        Ok(Kind::DoWhile { body, condition })
    }

    /// The head of a statement that the tree could not make sense of.
    fn head(&mut self) -> Parse<()> {
        let keyword = self.advance();
        match self.text(keyword) {
            "for" => self.for_head().map(drop),
            _ => self.condition().map(drop),
        }
    }

    fn for_statement(&mut self, view: View<'_>) -> Parse<Kind> {
        self.expect("for")?;
        let (initial, condition, step) = self.for_head()?;
        Ok(Kind::For { initial, condition, step, body: self.governed(view.body())? })
    }

    #[allow(clippy::type_complexity)]
    fn for_head(&mut self) -> Parse<(Option<Box<Statement>>, Option<Expression>, Option<Expression>)> {
        self.expect("(")?;
        let initial = if self.take(";") { None } else { Some(Box::new(self.simple_statement()?)) };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok((initial, condition, step))
    }

    fn switch_statement(&mut self, view: View<'_>) -> Parse<Kind> {
        self.expect("switch")?;
        let value = self.condition()?;
        Ok(Kind::Switch { value, body: self.governed(view.body())? })
    }

    fn case_statement(&mut self, view: View<'_>, statements: &mut Vec<Statement>) -> Parse<()> {
        let position = self.position();
        let kind = if self.take("default") {
            Kind::Default
        } else {
            self.expect("case")?;
            let low = self.conditional_expression()?;
            let high = if self.take("...") { Some(self.conditional_expression()?) } else { None };
            Kind::Case { low, high }
        };
        self.expect(":")?;
        statements.push(Statement { kind, position });
        statements.extend(self.statements(view, view.end())?);
        Ok(())
    }

    fn labelled_statement(&mut self, view: View<'_>, statements: &mut Vec<Statement>) -> Parse<()> {
        let position = self.position();
        let name = self.identifier("a label")?;
        self.expect(":")?;
        statements.push(Statement { kind: Kind::Label(name.text), position });
        let Some(labelled) = view.labelled() else { return self.broken(position.0) };
        if labelled.start() < self.peek().start {
            return Ok(()); // the label ends its block
        }
        self.structured(labelled, statements)
    }
}
