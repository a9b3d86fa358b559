//! Declarations and function definitions, at file scope and in blocks. Their parts,
//! [specifiers](super::specifier), [declarators](super::declarator) and
//! [initialisers](super::initialiser), are parsed by modules of their own.

use super::super::SyntaxError;
use super::super::ast::{
    Declaration, Declarator, Derived, FunctionDefinition, InitDeclarator, Initialiser, Item, Specifiers,
    StaticAssert, Storage, TypeSpecifier,
};
use super::super::token::TokenKind;
use super::specifier::AUTO_TYPE;
use super::{Failed, Parse, Parser};
use crate::code::Code;

impl Parser<'_> {
    /// A function definition, declaration or static assertion at file scope.
    pub(super) fn item(&mut self) -> Parse<Vec<Item>> {
        if self.is("_Static_assert") {
            return Ok(vec![Item::StaticAssert(self.static_assert()?)]);
        }
        if self.is("asm") || self.is("__asm__") || self.is("__asm") {
            return self.fail(
                Code::UnsupportedAsm,
                self.position(),
                "assembler code is not supported".to_owned(),
            );
        }
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(vec![Item::Declaration(Declaration { specifiers, declarators: Vec::new() })]);
        }
        let declarator = self.declarator(false)?;
        if self.is("{") && matches!(declarator.derived.first(), Some(Derived::Function { .. })) {
            return Ok(vec![self.function_definition(specifiers, declarator)?]);
        }
        Ok(vec![Item::Declaration(self.rest_of_declaration(specifiers, declarator)?)])
    }

    fn function_definition(&mut self, specifiers: Specifiers, declarator: Declarator) -> Parse<Item> {
        self.is_recovering = false;
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        let (end, known, may_assume) = (self.end_of_braces(), self.errors.len(), self.may_assume());
        let body = self.scoped(|parser| {
            if let Some(Derived::Function { parameters, .. }) = declarator.derived.first() {
                for name in parameters.iter().filter_map(|parameter| parameter.declarator.name.as_ref()) {
                    parser.declare(name, false);
                }
            }
            parser.function_body(specifiers.position)
        });
        let (body, unsupported) = match body {
            Ok(body) => (body, Vec::new()),
            Err(Failed) => (Vec::new(), self.take_unsupported(known, end)?),
        };
        let definition = FunctionDefinition { specifiers, declarator, body, unsupported, may_assume };
        Ok(Item::Function(Box::new(definition)))
    }

    /// Goes on behind a function whose body is C, but not supported: that matters only to
    /// who executes it. Returns the errors from one on.
    fn take_unsupported(&mut self, known: usize, end: Option<u32>) -> Parse<Vec<SyntaxError>> {
        let is_unsupported = |error: &SyntaxError| error.code.code().is_unsupported();
        match end {
            Some(end) if !self.is_full() && self.errors[known..].iter().all(is_unsupported) => {
                self.skip_to(end);
                self.is_recovering = false;
                Ok(self.errors.split_off(known))
            }
            _ => Err(Failed),
        }
    }

    /// Whether a word between the braces that open here looks like an assumption or an assertion.
    fn may_assume(&self) -> bool {
        let end = self.end_of_braces().unwrap_or(u32::MAX);
        let inside = self.cleaned.tokens[self.next..].iter().take_while(|token| token.start < end);
        inside.into_iter().any(|token| {
            let text = self.text(*token);
            let is_condition = text == "abort" || text.contains("assume") || text.contains("assert");
            token.kind == TokenKind::Word && is_condition
        })
    }

    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        self.expect("_Static_assert")?;
        self.expect("(")?;
        let condition = self.conditional_expression()?;
        let mut message = String::new();
        if self.take(",") {
            while self.peek().kind == TokenKind::String {
                let token = self.advance();
                message += self.text(token).trim_matches('"');
            }
        }
        self.expect(")")?;
        self.expect(";")?;
        Ok(StaticAssert { condition, message })
    }

    /// A declaration in a block or in the head of a `for`, its semicolon included.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(Declaration { specifiers, declarators: Vec::new() });
        }
        let declarator = self.declarator(false)?;
        if self.is("{") && matches!(declarator.derived.first(), Some(Derived::Function { .. })) {
            let message = "functions inside functions are not supported".to_owned();
            return self.fail(Code::UnsupportedNestedFunction, self.position(), message);
        }
        self.rest_of_declaration(specifiers, declarator)
    }

    fn rest_of_declaration(&mut self, mut specifiers: Specifiers, first: Declarator) -> Parse<Declaration> {
        let mut declarators = vec![self.init_declarator(&specifiers, first)?];
        while self.take(",") {
            let declarator = self.declarator(false)?;
            declarators.push(self.init_declarator(&specifiers, declarator)?);
        }
        if !self.is(";") {
            return self.unexpected("`;`, `,` or `=` after the declared name");
        }
        self.advance();
        if let (TypeSpecifier::Unsupported(AUTO_TYPE), [only]) = (&specifiers.ty, declarators.as_slice())
            && let (true, Some(Initialiser::Expression(value))) =
                (only.declarator.derived.is_empty(), &only.initialiser)
        {
            specifiers.ty = TypeSpecifier::TypeofValue(Box::new(value.clone()));
        }
        Ok(Declaration { specifiers, declarators })
    }

    fn init_declarator(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parse<InitDeclarator> {
        let is_type = specifiers.storage == Some(Storage::Typedef);
        if let Some(name) = &declarator.name {
            self.declare(name, is_type);
        }
        let initialiser = if self.take("=") { Some(self.initialiser()?) } else { None };
        Ok(InitDeclarator { declarator, initialiser })
    }
}
