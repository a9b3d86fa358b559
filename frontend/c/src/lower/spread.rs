//! Spreading an initialiser over the parts of an object (C11 6.7.9): which value goes where.
//!
//! Lists in braces, lists whose inner braces were left out, strings and designators all become the
//! same: scalars and whole records, each with its place in the object.

use super::frame::{Lower, Lowering};
use super::literal;
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, Projection};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::syntax::ast::{Designator, Expression, ExpressionKind, Initialiser, InitialiserList, Position};

/// The initial value of one part of an object.
pub(super) struct Part<'e> {
    pub(super) place: Place,
    pub(super) value: PartValue<'e>,
}

/// What a part gets.
pub(super) enum PartValue<'e> {
    Expression(&'e Expression),
    /// A character of a string.
    Byte(u8),
}

/// Most elements that `[a ... b]` and strings may spread into.
pub(super) const MAX_PARTS: usize = 1 << 22;

/// The entries of a list, consumed one after the other by the aggregates inside.
pub(super) struct Cursor<'e> {
    entries: &'e [(Vec<Designator>, Initialiser)],
    pub(super) next: usize,
}

impl<'e> Cursor<'e> {
    fn peek(&self) -> Option<&'e (Vec<Designator>, Initialiser)> {
        self.entries.get(self.next)
    }
}

/// The parts found so far, and the length that an array of unknown length gets from them.
#[derive(Default)]
pub(super) struct Parts<'e> {
    pub(super) found: Vec<Part<'e>>,
    pub(super) length: u64,
    /// The length that the flexible array member of the object gets.
    pub(super) flexible: u64,
    /// The last part in the order of the object, by its indices from the outermost object on:
    /// nothing lies behind it.
    last: Vec<u64>,
    /// Whether a record has got its value as a whole.
    has_whole: bool,
}

impl<'e> Parts<'e> {
    /// Adds a part; what was said of it before no longer counts.
    fn add(&mut self, place: Place, value: PartValue<'e>, is_whole: bool) {
        let path = indices(&place);
        self.forget(&path);
        self.last = std::mem::take(&mut self.last).max(path);
        self.has_whole |= is_whole;
        self.found.push(Part { place, value });
    }

    /// Forgets what was said of the part with these indices, and of parts of it.
    fn forget(&mut self, path: &[u64]) {
        if self.last.as_slice() >= path {
            self.found.retain(|part| !indices(&part.place).starts_with(path));
        }
    }

    /// Whether a part lies in a record that has got its value as a whole.
    fn is_in_whole(&self, place: &Place) -> bool {
        let path = indices(place);
        let is_around = |part: &Part| {
            let other = indices(&part.place);
            other.len() < path.len() && path.starts_with(&other)
        };
        self.has_whole && self.found.iter().any(is_around)
    }

    /// Forgets what was said of other members of a union.
    pub(super) fn choose(&mut self, union: &Place, member: u64) {
        let path = indices(union);
        if self.last >= path {
            self.found.retain(|part| {
                let other = indices(&part.place);
                !other.starts_with(&path) || other.get(path.len()).is_none_or(|&index| index == member)
            });
        }
    }
}

impl Lowering<'_> {
    /// The parts of an object that an initialiser gives values, in the order in which it does.
    pub(super) fn spread<'e>(&mut self, place: &Place, initialiser: &'e Initialiser) -> Lower<Parts<'e>> {
        let mut parts = Parts::default();
        match initialiser {
            Initialiser::List(list) => self.spread_list(place, list, &mut parts)?,
            Initialiser::Expression(expression) if self.is_string_for(place.ty, expression) => {
                self.spread_string(place, expression, &mut parts)?;
            }
            Initialiser::Expression(expression) => {
                if matches!(self.types().get(place.ty), Type::Array { .. }) {
                    return Err(self.error(
                        expression.position,
                        Code::TypeMismatch,
                        "an array needs a list in braces",
                    ));
                }
                parts.add(place.clone(), PartValue::Expression(expression), false);
            }
        }
        Ok(parts)
    }

    /// A list in braces for an object.
    fn spread_list<'e>(
        &mut self,
        place: &Place,
        list: &'e InitialiserList,
        parts: &mut Parts<'e>,
    ) -> Lower<()> {
        if !place.path.is_empty() && !self.types().table.is_scalar(place.ty) {
            self.refuse_in_whole(place, list.position, parts)?;
            parts.forget(&indices(place));
        }
        let mut cursor = Cursor { entries: &list.entries, next: 0 };
        if self.types().table.is_scalar(place.ty) {
            return match &list.entries[..] {
                [(designators, Initialiser::Expression(expression))] if designators.is_empty() => {
                    parts.add(place.clone(), PartValue::Expression(expression), false);
                    Ok(())
                }
                [(designators, Initialiser::List(inner))] if designators.is_empty() => {
                    self.spread_list(place, inner, parts)
                }
                [] => Ok(()),
                _ => Err(self.error(list.position, Code::ExcessInitialiser, "a scalar takes one value")),
            };
        }
        if let [(designators, Initialiser::Expression(expression))] = &list.entries[..]
            && designators.is_empty()
            && self.is_string_for(place.ty, expression)
        {
            return self.spread_string(place, expression, parts);
        }
        self.spread_aggregate(place, &mut cursor, true, 0, parts)?;
        match cursor.peek() {
            Some(_) => {
                Err(self.error(list.position, Code::ExcessInitialiser, "there are more values than members"))
            }
            None => Ok(()),
        }
    }

    /// Fills an aggregate from member or element `first` on; without braces of its own it takes
    /// only what it needs and stops at a designator.
    pub(super) fn spread_aggregate<'e>(
        &mut self,
        place: &Place,
        cursor: &mut Cursor<'e>,
        is_braced: bool,
        first: u64,
        parts: &mut Parts<'e>,
    ) -> Lower<()> {
        let mut index = first;
        let is_union = self
            .linker
            .types
            .record(place.ty)
            .is_some_and(|record| self.linker.types.table.records[record].is_union);
        while let Some((designators, _)) = cursor.peek() {
            if !designators.is_empty() {
                if !is_braced {
                    return Ok(());
                }
                index = self.spread_designated(place, designators, cursor, parts)?;
                continue;
            }
            let Some(child) = self.child(place, index).filter(|_| !is_union || index == 0) else {
                return Ok(());
            };
            self.spread_element(&child, cursor, parts)?;
            index += 1;
            self.note_length(place, index, parts);
        }
        Ok(())
    }

    /// The outermost array, or the flexible member of the object, learns its length from
    /// the largest index.
    pub(super) fn note_length(&mut self, place: &Place, length: u64, parts: &mut Parts) {
        match (self.types().get(place.ty), &place.path[..]) {
            (Type::Array { .. }, []) => parts.length = parts.length.max(length),
            (Type::Array { length: None, .. }, [Projection::Field { .. }]) => {
                parts.flexible = parts.flexible.max(length);
            }
            _ => {}
        }
    }

    /// One member or element without designation: takes one entry, or several where braces were
    /// left out.
    pub(super) fn spread_element<'e>(
        &mut self,
        place: &Place,
        cursor: &mut Cursor<'e>,
        parts: &mut Parts<'e>,
    ) -> Lower<()> {
        let Some((_, initialiser)) = cursor.peek() else { return Ok(()) };
        match initialiser {
            Initialiser::List(list) => {
                cursor.next += 1;
                self.spread_list(place, list, parts)
            }
            Initialiser::Expression(expression) => {
                if self.is_string_for(place.ty, expression) {
                    cursor.next += 1;
                    return self.spread_string(place, expression, parts);
                }
                if self.takes_whole(place.ty, expression)? {
                    self.refuse_in_whole(place, expression.position, parts)?;
                    cursor.next += 1;
                    parts.add(
                        place.clone(),
                        PartValue::Expression(expression),
                        !self.types().table.is_scalar(place.ty),
                    );
                    return Ok(());
                }
                let before = cursor.next;
                self.spread_inner(place, cursor, parts)?;
                if cursor.next == before {
                    return Err(self.error(
                        expression.position,
                        Code::ExcessInitialiser,
                        "there is nothing here to initialise",
                    ));
                }
                Ok(())
            }
        }
    }

    fn spread_inner<'e>(
        &mut self,
        place: &Place,
        cursor: &mut Cursor<'e>,
        parts: &mut Parts<'e>,
    ) -> Lower<()> {
        let (designators, _) = cursor.peek().expect("an entry should be left");
        if designators.is_empty() {
            return self.spread_aggregate(place, cursor, false, 0, parts);
        }
        // The designation led here; its value begins the aggregate.
        let Some(child) = self.child(place, 0) else { return Ok(()) };
        self.spread_element(&child, cursor, parts)?;
        self.spread_aggregate(place, cursor, false, 1, parts)
    }

    /// C keeps the rest of a record that has got its value as a whole where a part of it gets
    /// another one; gcc sets it to zero.
    fn refuse_in_whole(&mut self, place: &Place, position: Position, parts: &Parts) -> Lower<()> {
        if !parts.is_in_whole(place) {
            return Ok(());
        }
        let message = "a part is replaced of a record that has got its value as a whole: compilers disagree about the rest of it";
        let advice = "give the members their values one by one, or assign the part afterwards";
        Err(self.error_with(position, Code::UnsupportedInitialiser, message, advice))
    }

    /// Whether an expression initialises a member as a whole.
    fn takes_whole(&mut self, ty: TypeId, expression: &Expression) -> Lower<bool> {
        if self.types().table.is_scalar(ty) {
            return Ok(true);
        }
        if self.types().record(ty).is_none() {
            return Ok(false);
        }
        let found = self.type_of(expression)?;
        Ok(self.types().record(found).is_some() && self.types().compatible(found, ty))
    }

    /// A member or element of an aggregate; `None` behind the last. Of a union only the first
    /// counts.
    pub(super) fn child(&mut self, place: &Place, index: u64) -> Option<Place> {
        match *self.types().get(place.ty) {
            Type::Array { element, length } => {
                // A whole object may learn its length, and the flexible member
                // of one; deeper inside, such a member has no elements.
                let may_learn = matches!(&place.path[..], [] | [Projection::Field { .. }]);
                let unknown = if may_learn { MAX_PARTS as u64 } else { 0 };
                if index >= length.unwrap_or(unknown) {
                    return None;
                }
                let kind = self.types().pointer_sized();
                let ty = self.types().integer(kind);
                let index = Expr { kind: ExprKind::Integer(i128::from(index)), ty, span: place.span };
                let mut child = place.clone();
                child.path.push(Projection::Index { index: Box::new(index), element, length });
                Some(Place { ty: element, ..child })
            }
            Type::Record(record) => {
                let entry = &self.linker.types.table.records[record];
                let index = usize::try_from(index).ok()?;
                entry.fields.as_deref()?.get(index)?;
                let mut child = place.clone();
                self.step_into(&mut child, record, index);
                Some(child)
            }
            _ => None,
        }
    }

    /// Whether an expression is a string literal for an array of characters.
    pub(super) fn is_string_for(&mut self, ty: TypeId, expression: &Expression) -> bool {
        let Type::Array { element, .. } = *self.types().get(ty) else { return false };
        let is_character = matches!(
            self.types().get(element),
            Type::Integer(IntegerKind::Char | IntegerKind::SignedChar | IntegerKind::UnsignedChar)
        );
        is_character && matches!(expression.kind, ExpressionKind::String(_))
    }

    fn spread_string<'e>(
        &mut self,
        place: &Place,
        expression: &'e Expression,
        parts: &mut Parts<'e>,
    ) -> Lower<()> {
        let ExpressionKind::String(literals) = &expression.kind else { return Ok(()) };
        let mut bytes = literal::string(literals)
            .map_err(|text| self.error(expression.position, Code::BadLiteral, text))?;
        bytes.push(0);
        let Type::Array { length, .. } = *self.types().get(place.ty) else { return Ok(()) };
        if length.is_some_and(|length| (bytes.len() as u64 - 1) > length) {
            return Err(self.error(
                expression.position,
                Code::ExcessInitialiser,
                "this string is longer than the array",
            ));
        }
        self.refuse_in_whole(place, expression.position, parts)?;
        parts.forget(&indices(place));
        let limit = length.unwrap_or(bytes.len() as u64);
        for (index, byte) in (0..limit).zip(bytes) {
            let Some(child) = self.child(place, index) else {
                let message = "there is nothing here to initialise";
                return Err(self.error(expression.position, Code::ExcessInitialiser, message));
            };
            self.note_length(place, index + 1, parts);
            parts.add(child, PartValue::Byte(byte), false);
        }
        Ok(())
    }
}

/// Indices of members and elements on the way to a part.
pub(super) fn indices(place: &Place) -> Vec<u64> {
    let index = |projection: &Projection| match projection {
        Projection::Field { index, .. } => *index as u64,
        Projection::Index { index, .. } => match index.kind {
            ExprKind::Integer(index) => index as u64,
            _ => unreachable!("designated indices should be constant"),
        },
    };
    place.path.iter().map(index).collect()
}
