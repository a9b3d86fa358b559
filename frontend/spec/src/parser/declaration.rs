//! Types and the declarations that all languages share.

use super::{Parsed, Parser, Reported};
use crate::code::Code;
use crate::language::{FUNCTIONS, TYPES, VALUES, nearest};
use crate::lexer::TokenKind;
use crate::syntax::{Assignment, Common, ExprKind, Level, TypeExpr, TypeKind};

impl Parser<'_> {
    /// A type: `bool`, `u8`, `lo..hi`, `lo..hi step d`, `{ OFF, ON }`, `{0, 2, 4}`, a name.
    ///
    /// # Errors
    /// If none stands at the cursor.
    pub fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.here();
        let kind = match self.peek().kind {
            TokenKind::Keyword(word) if TYPES.contains(&word) => {
                self.advance();
                TypeKind::Word(word)
            }
            TokenKind::Symbol("{") => {
                self.advance();
                let values = self.list(|parser| parser.level(Level::Sum))?;
                self.expect("}", "behind the values of a type")?;
                TypeKind::Braces(values)
            }
            TokenKind::Keyword(word) if !begins_expression(word) => return Err(self.unexpected("a type")),
            TokenKind::End => return Err(self.unexpected("a type")),
            _ => self.range()?,
        };
        Ok(TypeExpr { kind, extent: start.until(self.before()) })
    }

    fn range(&mut self) -> Parsed<TypeKind> {
        let lo = self.level(Level::Sum)?;
        if self.accept("..").is_some() {
            let hi = Box::new(self.level(Level::Sum)?);
            let is_stepped = self.accept("step").is_some();
            let step = if is_stepped { Some(Box::new(self.level(Level::Sum)?)) } else { None };
            return Ok(TypeKind::Range { lo: Box::new(lo), hi, step });
        }
        match lo.kind {
            ExprKind::Name { name, primed: false } => Ok(TypeKind::Named(name)),
            _ => Err(self.unexpected("`..` between the bounds of a range")),
        }
    }

    /// The declaration `const`, `type` or `define` at the cursor; none where another word stands
    /// there.
    pub fn common(&mut self) -> Option<Parsed<Common>> {
        let (word, _) = self.keyword(&["const", "type", "define"])?;
        Some(match word {
            "const" => self.constant(),
            "type" => self.named_type(),
            _ => self.definition(),
        })
    }

    fn constant(&mut self) -> Parsed<Common> {
        let name = self.name("a constant")?;
        self.expect("=", "between a constant and its value")?;
        Ok(Common::Const { name, value: self.expression()? })
    }
    fn named_type(&mut self) -> Parsed<Common> {
        let name = self.name("a type")?;
        self.expect("=", "between the name of a type and the type")?;
        Ok(Common::Type { name, ty: self.type_expr()? })
    }
    fn definition(&mut self) -> Parsed<Common> {
        let name = self.name("a definition")?;
        self.expect("=", "between a name and what it stands for")?;
        Ok(Common::Define { name, body: self.expression()? })
    }

    /// `x, y := e, f`, with as many values as variables.
    ///
    /// # Errors
    /// If none stands at the cursor, or the numbers differ.
    pub fn assignment(&mut self) -> Parsed<Assignment> {
        let start = self.here();
        let targets = self.list(|parser| parser.name("a variable"))?;
        self.assignment_sign()?;
        let values = self.list(Self::expression)?;
        if values.len() != targets.len() {
            let message = format!("{} values are assigned to {} variables", values.len(), targets.len());
            self.error(Code::ArgumentCount, start, message)
                .advice("`x, y := e, f` gives each variable one value");
            return Err(Reported);
        }
        Ok(Assignment { targets, values })
    }

    /// Reads `:=`; `=` in its place is reported and read on.
    ///
    /// # Errors
    /// If neither stands at the cursor.
    pub fn assignment_sign(&mut self) -> Parsed<()> {
        if let Some(place) = self.accept("=") {
            self.error(Code::Unexpected, place, "`=` compares").advice("did you mean `:=`?");
            return Ok(());
        }
        self.expect(":=", "between variables and values").map(|_| ())
    }

    /// Reports that no declaration begins at the cursor and offers the nearest word that begins
    /// one.
    pub fn no_declaration(&mut self) -> Reported {
        let words =
            || crate::language::DECLARATIONS.into_iter().chain(self.language.declarations.iter().copied());
        let token = self.peek();
        let (TokenKind::Name(word) | TokenKind::Text(word)) = &token.kind else {
            return self.unexpected("a declaration");
        };
        let message = format!("no declaration begins with `{word}`");
        let advice = match nearest(word, words()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("declarations begin with {}", words().collect::<Vec<_>>().join(", ")),
        };
        self.error(Code::Unexpected, token.extent, message).advice(advice);
        Reported
    }
}

fn begins_expression(word: &str) -> bool {
    word == "not" || FUNCTIONS.contains(&word) || VALUES.contains(&word)
}
