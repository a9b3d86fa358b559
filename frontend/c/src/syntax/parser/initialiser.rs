//! Initialisers and their designators.

use super::super::ast::{Designator, Initialiser, InitialiserList, Position};
use super::super::token::TokenKind;
use super::{Failed, Parse, Parser};

impl Parser<'_> {
    pub(super) fn initialiser(&mut self) -> Parse<Initialiser> {
        if self.is("{") {
            return Ok(Initialiser::List(self.nested(Self::initialiser_list)?));
        }
        Ok(Initialiser::Expression(self.assignment_expression()?))
    }

    pub(super) fn initialiser_list(&mut self) -> Parse<InitialiserList> {
        let position = Position(self.expect("{")?.start);
        let mut entries = Vec::new();
        while !self.is("}") {
            let designators = self.designators()?;
            entries.push((designators, self.initialiser()?));
            if !self.take(",") {
                break;
            }
        }
        if self.peek().kind == TokenKind::End {
            return self.unexpected("`}`").map_err(|_: Failed| Failed);
        }
        self.expect("}")?;
        Ok(InitialiserList { entries, position })
    }

    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        if self.is_identifier_at(0) && self.is_at(1, ":") {
            let name = self.identifier("a member")?; // the old GNU form `a: 1`
            self.advance();
            return Ok(vec![Designator::Field(name)]);
        }
        loop {
            if self.take(".") {
                designators.push(Designator::Field(self.identifier("a member")?));
            } else if self.take("[") {
                let first = self.conditional_expression()?;
                let designator = if self.take("...") {
                    Designator::Range(first, self.conditional_expression()?)
                } else {
                    Designator::Index(first)
                };
                self.expect("]")?;
                designators.push(designator);
            } else {
                break;
            }
        }
        // The old GNU form `[1] 2` has no `=`.
        let may_lack = matches!(&designators[..], [Designator::Index(_) | Designator::Range(..)]);
        if !designators.is_empty() && (self.is("=") || !may_lack) {
            self.expect("=")?;
        }
        Ok(designators)
    }
}
