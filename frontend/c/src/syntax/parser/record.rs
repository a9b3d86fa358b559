//! Structs, unions and enumerations.

use super::super::ast::{
    Declarator, EnumSpecifier, Expression, FieldDeclarator, Member, Name, Position, RecordSpecifier,
    TypeSpecifier,
};
use super::super::token::TokenKind;
use super::{Parse, Parser};

impl Parser<'_> {
    pub(super) fn record_specifier(&mut self, is_union: bool) -> Parse<TypeSpecifier> {
        let position = Position(self.advance().start);
        let (mut pack, mut attribute) = (None, None);
        self.record_attributes(&mut pack, &mut attribute);
        let tag = if self.is_identifier_at(0) { Some(self.identifier("a tag")?) } else { None };
        self.record_attributes(&mut pack, &mut attribute);
        let start = self.next;
        let members = if self.is("{") { Some(self.nested(Self::members)?) } else { None };
        if members.is_none() && tag.is_none() {
            return self.unexpected("a tag or `{`");
        }
        if members.is_some() {
            let end = self.cleaned.tokens[self.next - 1].start;
            pack = pack.or(self.packing_at(end));
            self.record_attributes(&mut pack, &mut attribute);
        }
        let body_text = self.text_between(start, self.next);
        Ok(TypeSpecifier::Record(Box::new(RecordSpecifier {
            is_union,
            tag,
            members,
            pack,
            attribute,
            body_text,
            position,
        })))
    }

    /// Attributes of a record: `packed` is understood, the first other one is kept for lowering.
    fn record_attributes(&mut self, pack: &mut Option<u32>, kept: &mut Option<Name>) {
        while self.peek().kind == TokenKind::Attribute {
            if self.peek_text().trim_matches('_') == "packed" {
                *pack = Some(0);
                self.advance();
            } else {
                self.attributes(kept);
            }
        }
    }

    /// The alignment limit that `#pragma pack` sets at a byte offset.
    fn packing_at(&self, offset: u32) -> Option<u32> {
        let before = self.packing.partition_point(|(start, _)| *start <= offset);
        before.checked_sub(1).and_then(|index| self.packing[index].1)
    }

    /// The tokens of a range, separated by blanks.
    fn text_between(&self, start: usize, end: usize) -> String {
        let texts: Vec<&str> =
            self.cleaned.tokens[start..end].iter().map(|token| self.text(*token)).collect();
        texts.join(" ")
    }

    fn members(&mut self) -> Parse<Vec<Member>> {
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.take("}") {
            if self.take(";") {
                continue;
            }
            if self.is("_Static_assert") {
                members.push(Member::StaticAssert(self.static_assert()?));
                continue;
            }
            let specifiers = self.specifiers()?;
            let mut declarators = Vec::new();
            if !self.is(";") {
                declarators.push(self.field_declarator()?);
                while self.take(",") {
                    declarators.push(self.field_declarator()?);
                }
            }
            self.expect(";")?;
            members.push(Member::Fields { specifiers, declarators });
        }
        Ok(members)
    }

    fn field_declarator(&mut self) -> Parse<FieldDeclarator> {
        let declarator = if self.is(":") {
            Declarator { name: None, derived: Vec::new(), attribute: None, position: self.position() }
        } else {
            self.declarator(false)?
        };
        let width = if self.take(":") { Some(self.conditional_expression()?) } else { None };
        Ok(FieldDeclarator { declarator, width })
    }

    pub(super) fn enum_specifier(&mut self) -> Parse<TypeSpecifier> {
        let position = Position(self.advance().start);
        if self.peek().kind == TokenKind::Attribute {
            return self.unsupported_attribute();
        }
        let tag = if self.is_identifier_at(0) { Some(self.identifier("a tag")?) } else { None };
        let enumerators = if self.is("{") { Some(self.enumerators()?) } else { None };
        if enumerators.is_none() && tag.is_none() {
            return self.unexpected("a tag or `{`");
        }
        if enumerators.is_some() && self.peek().kind == TokenKind::Attribute {
            return self.unsupported_attribute();
        }
        Ok(TypeSpecifier::Enum(Box::new(EnumSpecifier { tag, enumerators, position })))
    }

    fn enumerators(&mut self) -> Parse<Vec<(Name, Option<Expression>)>> {
        self.expect("{")?;
        let mut enumerators = Vec::new();
        while !self.is("}") {
            let name = self.identifier("an enumerator")?;
            let value = if self.take("=") { Some(self.conditional_expression()?) } else { None };
            self.declare(&name, false);
            enumerators.push((name, value));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(enumerators)
    }
}
