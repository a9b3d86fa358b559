//! Initialisers (C11 6.7.9).
//!
//! An initialiser is first spread into scalars and whole records, each with its place in the object; what remains is one assignment each for
//! automatic objects, one constant each for static ones.

use super::constant;
use super::frame::{Lower, Lowering};
use super::literal;
use crate::c::ir::expr::{Expr, ExprKind};
use crate::c::ir::stmt::{Place, PlaceBase, Projection, StmtKind};
use crate::c::ir::types::{IntegerKind, Type, TypeId};
use crate::c::ir::{Global, GlobalId, InitialValue, Linkage};
use crate::c::syntax::ast::{
    Designator, Expression, ExpressionKind, Initialiser, InitialiserList, Position, TypeName,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The initial value of one part of an object.
struct Part<'e> {
    place: Place,
    value: PartValue<'e>,
}

enum PartValue<'e> {
    Expression(&'e Expression),
    /// A character of a string.
    Byte(u8),
}

/// Most elements that `[a ... b]` and strings may spread into.
const MAX_PARTS: usize = 1 << 22;

/// The entries of a list, consumed one after the other by the aggregates inside.
struct Cursor<'e> {
    entries: &'e [(Vec<Designator>, Initialiser)],
    next: usize,
}

impl<'e> Cursor<'e> {
    fn peek(&self) -> Option<&'e (Vec<Designator>, Initialiser)> {
        self.entries.get(self.next)
    }
}

/// The parts found so far, and the length that an array of unknown length gets from them.
#[derive(Default)]
struct Parts<'e> {
    found: Vec<Part<'e>>,
    length: u64,
    /// Inner aggregates that have values, by their indices from the outermost object on.
    seen: FxHashSet<Vec<u64>>,
}

impl Lowering<'_> {
    // ---- uses ----

    /// Initialises an automatic object that has just been declared.
    pub(super) fn initialise_automatic(
        &mut self,
        place: &Place,
        initialiser: &Initialiser,
        position: Position,
    ) -> Lower<()> {
        if let Initialiser::Expression(expression) = initialiser
            && !self.is_string_for(place.ty, expression)
        {
            let value = self.value(expression)?;
            let value = self.convert_assigned(value, place.ty, expression.position)?;
            self.emit(StmtKind::Assign(place.clone(), value), position);
            return Ok(());
        }
        let parts = self.spread(place, initialiser)?;
        if !self.types().table.is_scalar(place.ty) {
            let zero = Expr { kind: ExprKind::Zero, ty: place.ty, span: place.span };
            self.emit(StmtKind::Assign(place.clone(), zero), position);
        }
        let mut result = Ok(());
        for part in parts.found {
            result = result.and(self.initialise_part(part));
        }
        result
    }

    fn initialise_part(&mut self, part: Part) -> Lower<()> {
        let (value, position) = match part.value {
            PartValue::Expression(expression) => (self.value(expression)?, expression.position),
            PartValue::Byte(byte) => {
                let span = part.place.span;
                let kind = ExprKind::Integer(i128::from(byte as i8));
                let byte = Expr { kind, ty: self.types().integer(IntegerKind::Char), span };
                let value = self.convert(byte, part.place.ty);
                self.out.push(crate::c::ir::stmt::Stmt { kind: StmtKind::Assign(part.place, value), span });
                return Ok(());
            }
        };
        let value = self.convert_assigned(value, part.place.ty, position)?;
        self.emit(StmtKind::Assign(part.place, value), position);
        Ok(())
    }

    /// The values of an object of static storage duration, ascending by offset.
    pub(super) fn initialise_static(
        &mut self,
        place: &Place,
        initialiser: &Initialiser,
    ) -> Lower<Vec<InitialValue>> {
        let parts = self.spread(place, initialiser)?;
        let mut values = BTreeMap::new();
        let mut result = Ok(());
        for part in parts.found {
            let (offset, bits) = self.static_offset(&part.place);
            match self.static_part(&part) {
                Ok(constants) => values.extend(constants.into_iter().map(|constant| {
                    let bits = constant.bits.or(bits);
                    let offset = offset + constant.offset;
                    ((offset, bits.map_or(0, |bits| bits.low)), InitialValue { offset, bits, ..constant })
                })),
                Err(reported) => result = Err(reported),
            }
        }
        result.map(|()| values.into_values().collect())
    }

    /// The length that an initialiser gives to an array of unknown length.
    pub(super) fn initialised_length(&mut self, place: &Place, initialiser: &Initialiser) -> Lower<u64> {
        self.spread(place, initialiser).map(|parts| parts.length)
    }

    /// `(type){ ... }`: a new object. At file scope it is static.
    pub(super) fn compound_literal(
        &mut self,
        ty: &TypeName,
        list: &InitialiserList,
        position: Position,
    ) -> Lower<Place> {
        let mut ty = self.type_name(ty)?;
        let span = self.span(position);
        let initialiser = Initialiser::List(list.clone());
        let unplaced =
            |ty| Place { base: PlaceBase::Local(model::id::Id::new(0)), path: Vec::new(), ty, span };
        if let Type::Array { element, length: None } = *self.types().get(ty) {
            let length = self.initialised_length(&unplaced(ty), &initialiser)?;
            ty = self.types().array(element, Some(length));
        }
        if self.frame.function.is_none() && self.configuration.is_none() {
            let initialiser = self.initialise_static(&unplaced(ty), &initialiser)?;
            let global = self.unnamed_global(ty, initialiser, position);
            return Ok(Place { base: PlaceBase::Global(global), ..unplaced(ty) });
        }
        // An object that may be written to, so no ordinary temporary.
        let local = self.new_local(format!("%literal{}", self.frame.locals.len()), ty, span);
        let place = Place { base: PlaceBase::Local(local), ..unplaced(ty) };
        self.initialise_automatic(&place, &initialiser, position)?;
        Ok(place)
    }

    fn unnamed_global(&mut self, ty: TypeId, initialiser: Vec<InitialValue>, position: Position) -> GlobalId {
        let name = format!("%literal{}", self.linker.program.globals.len());
        self.linker.program.globals.push(Global {
            name,
            unit: self.unit,
            linkage: Linkage::Internal,
            function: None,
            ty,
            is_const: false,
            is_volatile: false,
            is_defined: true,
            is_initialised: true,
            initialiser,
            span: self.span(position),
        })
    }

    // ---- constants ----

    /// Byte offset and bits of a place in its object. Indices of initialisers are constants.
    fn static_offset(&mut self, place: &Place) -> (u64, Option<crate::c::ir::types::BitField>) {
        let (mut offset, mut bit_field) = (0, None);
        for projection in &place.path {
            match projection {
                Projection::Field { offset: field, bits, .. } => {
                    offset += field;
                    bit_field = *bits;
                }
                Projection::Index { index, element, .. } => {
                    let ExprKind::Integer(index) = index.kind else {
                        unreachable!("designated indices should be constant")
                    };
                    offset += index as u64 * self.types().size(*element).unwrap_or(0);
                }
            }
        }
        (offset, bit_field)
    }

    /// The constants of a part, with offsets within it; several where a record is initialised by a compound literal or constant object.
    fn static_part(&mut self, part: &Part) -> Lower<Vec<InitialValue>> {
        let single = |value| vec![InitialValue { offset: 0, bits: None, value }];
        match part.value {
            PartValue::Byte(byte) => {
                let ty = self.types().integer(IntegerKind::Char);
                let byte =
                    Expr { kind: ExprKind::Integer(i128::from(byte as i8)), ty, span: part.place.span };
                Ok(single(self.convert(byte, part.place.ty)))
            }
            PartValue::Expression(expression) => {
                if let ExpressionKind::CompoundLiteral(ty, list) = &expression.kind {
                    let ty = self.type_name(ty)?;
                    if ty == part.place.ty {
                        let place = Place { path: Vec::new(), ..part.place.clone() };
                        return self.initialise_static(&place, &Initialiser::List(list.clone()));
                    }
                }
                let value = self.constant_value(expression, part.place.ty)?;
                Ok(single(value))
            }
        }
    }

    /// A constant expression converted to a type: a number or an address.
    pub(super) fn constant_value(&mut self, expression: &Expression, ty: TypeId) -> Lower<Expr> {
        let (value, block) = self.in_block(|this| {
            let value = this.value(expression)?;
            let value = this.fold_constants(value, expression.position)?;
            this.convert_assigned(value, ty, expression.position)
        });
        let value = value?;
        if block.is_empty() && self.is_constant(&value) {
            return Ok(value);
        }
        let message = "a static object needs a constant here";
        Err(self.error_with(
            expression.position,
            "not-constant",
            message,
            "assign it in the initialisation function",
        ))
    }

    /// Replaces reads of initialised `const` scalars by their values, as compilers do, and folds what that makes constant.
    fn fold_constants(&mut self, value: Expr, position: Position) -> Lower<Expr> {
        let ty = value.ty;
        Ok(match value.kind {
            ExprKind::Load(ref place) => match self.constant_object(place) {
                Some(kind) => Expr { kind, ..value },
                None => value,
            },
            ExprKind::Convert(operand) => {
                let operand = self.fold_constants(*operand, position)?;
                self.convert(operand, ty)
            }
            ExprKind::Unary(operator, operand) => {
                let operand = self.fold_constants(*operand, position)?;
                self.unary(operator, operand, position)?
            }
            ExprKind::Binary(operator, left, right) if self.types().is_arithmetic(left.ty) => {
                let left = self.fold_constants(*left, position)?;
                let right = self.fold_constants(*right, position)?;
                self.binary(operator, left, right, position)?
            }
            _ => value,
        })
    }

    fn constant_object(&mut self, place: &Place) -> Option<ExprKind> {
        let PlaceBase::Global(global) = place.base else { return None };
        let is_simple = place.path.iter().all(|projection| match projection {
            Projection::Field { .. } => true,
            Projection::Index { index, length, .. } => {
                matches!(index.kind, ExprKind::Integer(number) if number >= 0
                    && length.is_none_or(|length| number < i128::from(length)))
            }
        });
        let entry = &self.linker.program.globals[global];
        if !is_simple || !entry.is_const || entry.is_volatile || !entry.is_initialised {
            return None;
        }
        let (offset, bits) = self.static_offset(place);
        let entry = &self.linker.program.globals[global];
        let found = entry.initialiser.iter().find(|value| value.offset == offset && value.bits == bits);
        match found {
            Some(value) => Some(value.value.kind.clone()),
            None if self.linker.types.kind(place.ty).is_some() => Some(ExprKind::Integer(0)),
            None => None,
        }
    }

    /// Whether an expression is a number, an address, or a conversion of one.
    fn is_constant(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Function(_)
            | ExprKind::Zero => true,
            ExprKind::AddressOf(place) => {
                let is_fixed = match &place.base {
                    PlaceBase::Global(_) => true,
                    PlaceBase::Deref(pointer) => self.is_constant(pointer),
                    _ => false,
                };
                let is_index_fixed = |projection: &Projection| match projection {
                    Projection::Field { .. } => true,
                    Projection::Index { index, .. } => self.is_constant(index),
                };
                is_fixed && place.path.iter().all(is_index_fixed)
            }
            ExprKind::Convert(operand) | ExprKind::Unary(_, operand) => self.is_constant(operand),
            ExprKind::Binary(_, left, right) | ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.is_constant(left) && self.is_constant(right)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.is_constant(condition) && self.is_constant(then) && self.is_constant(otherwise)
            }
            ExprKind::Load(_) | ExprKind::Old(_) => false,
        }
    }

    /// An integer constant expression.
    pub(super) fn integer_constant(&mut self, expression: &Expression) -> Lower<i128> {
        let value = self.in_vain(|this| {
            let value = this.value(expression)?;
            this.fold_constants(value, expression.position)
        })?;
        let result = constant::integer(&self.linker.types, &value);
        let is_integer = self.types().kind(value.ty).is_some();
        match result.filter(|_| is_integer) {
            Some(result) => Ok(result),
            None => {
                Err(self.error(expression.position, "not-constant", "an integer constant is needed here"))
            }
        }
    }

    // ---- spreading ----

    fn spread<'e>(&mut self, place: &Place, initialiser: &'e Initialiser) -> Lower<Parts<'e>> {
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
                        "type-mismatch",
                        "an array needs a list in braces",
                    ));
                }
                parts.found.push(Part { place: place.clone(), value: PartValue::Expression(expression) });
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
        if !place.path.is_empty()
            && !self.types().table.is_scalar(place.ty)
            && !parts.seen.insert(indices(place))
        {
            let message = "a list that replaces values given before is not supported";
            return Err(self.error(list.position, "unsupported-initialiser", message));
        }
        let mut cursor = Cursor { entries: &list.entries, next: 0 };
        if self.types().table.is_scalar(place.ty) {
            return match &list.entries[..] {
                [(designators, Initialiser::Expression(expression))] if designators.is_empty() => {
                    parts.found.push(Part { place: place.clone(), value: PartValue::Expression(expression) });
                    Ok(())
                }
                [(designators, Initialiser::List(inner))] if designators.is_empty() => {
                    self.spread_list(place, inner, parts)
                }
                [] => Ok(()),
                _ => Err(self.error(list.position, "excess-initialiser", "a scalar takes one value")),
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
                Err(self.error(list.position, "excess-initialiser", "there are more values than members"))
            }
            None => Ok(()),
        }
    }

    /// Fills an aggregate from member or element `first` on; without braces of its own it takes only what it needs and stops at a designator.
    fn spread_aggregate<'e>(
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

    /// The outermost array learns its length from the largest index.
    fn note_length(&mut self, place: &Place, length: u64, parts: &mut Parts) {
        if place.path.is_empty() && matches!(self.types().get(place.ty), Type::Array { .. }) {
            parts.length = parts.length.max(length);
        }
    }

    /// One entry with a designation; returns the index behind it at this level.
    fn spread_designated<'e>(
        &mut self,
        place: &Place,
        designators: &'e [Designator],
        cursor: &mut Cursor<'e>,
        parts: &mut Parts<'e>,
    ) -> Lower<u64> {
        let (first, last, path, position) = self.designated(place, &designators[0])?;
        if last - first >= MAX_PARTS as u64 {
            return Err(self.error(position, "unsupported-initialiser", "this range is too long"));
        }
        let entry = cursor.next;
        for index in first..=last {
            cursor.next = entry;
            let Some(child) = self.child(place, index) else {
                return Err(self.error(position, "excess-initialiser", "there is no such element"));
            };
            // Unnamed members on the way; behind the designated one, values go on inside of them.
            let mut levels = vec![(child, 0)];
            for (record, field) in &path {
                let (level, next) = levels.last_mut().expect("there should be a level");
                *next = *field as u64 + 1;
                let mut inner = level.clone();
                self.step_into(&mut inner, *record, *field);
                levels.push((inner, 0));
            }
            let (child, _) = levels.pop().expect("there should be a level");
            if designators.len() > 1 {
                parts.seen.insert(indices(&child));
                let behind = self.spread_designated(&child, &designators[1..], cursor, parts)?;
                self.spread_aggregate(&child, cursor, false, behind, parts)?;
            } else {
                self.spread_element(&child, cursor, parts)?;
            }
            for (level, next) in levels.into_iter().rev() {
                self.spread_aggregate(&level, cursor, false, next, parts)?;
            }
        }
        self.note_length(place, last + 1, parts);
        Ok(last + 1)
    }

    /// What a designator means: first and last index at this level, and the way on through unnamed members.
    #[allow(clippy::type_complexity)]
    fn designated(
        &mut self,
        place: &Place,
        designator: &Designator,
    ) -> Lower<(u64, u64, Vec<(crate::c::ir::types::RecordId, usize)>, Position)> {
        match designator {
            Designator::Field(name) => {
                let mut probe = Place { path: Vec::new(), ..place.clone() };
                self.project(&mut probe, name)?;
                let indices: Vec<usize> = probe
                    .path
                    .iter()
                    .filter_map(|projection| match projection {
                        Projection::Field { index, .. } => Some(*index),
                        Projection::Index { .. } => None,
                    })
                    .collect();
                let mut path = Vec::new();
                let mut ty = place.ty;
                for &index in &indices {
                    let record = self.linker.types.record(ty).expect("a member should be of a record");
                    path.push((record, index));
                    let fields = self.linker.types.table.records[record].fields.as_deref();
                    ty = fields.expect("a record with a member should be complete")[index].ty;
                }
                Ok((indices[0] as u64, indices[0] as u64, path.split_off(1), name.position))
            }
            Designator::Index(index) => {
                let value = self.designated_index(place, index)?;
                Ok((value, value, Vec::new(), index.position))
            }
            Designator::Range(first, last) => {
                let (low, high) = (self.designated_index(place, first)?, self.designated_index(place, last)?);
                if low > high {
                    return Err(self.error(first.position, "excess-initialiser", "this range is empty"));
                }
                Ok((low, high, Vec::new(), first.position))
            }
        }
    }

    fn designated_index(&mut self, place: &Place, index: &Expression) -> Lower<u64> {
        let value = self.integer_constant(index)?;
        let Type::Array { length, .. } = *self.types().get(place.ty) else {
            return Err(self.error(
                index.position,
                "type-mismatch",
                "an index designates an element of an array",
            ));
        };
        let limit = length.unwrap_or(MAX_PARTS as u64);
        match u64::try_from(value).ok().filter(|value| *value < limit) {
            Some(value) => Ok(value),
            None => Err(self.error(index.position, "excess-initialiser", "there is no such element")),
        }
    }

    /// One member or element without designation: takes one entry, or several where braces were left out.
    fn spread_element<'e>(
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
                    cursor.next += 1;
                    parts.found.push(Part { place: place.clone(), value: PartValue::Expression(expression) });
                    return Ok(());
                }
                let before = cursor.next;
                self.spread_inner(place, cursor, parts)?;
                if cursor.next == before {
                    return Err(self.error(
                        expression.position,
                        "excess-initialiser",
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

    /// A member or element of an aggregate; `None` behind the last. Of a union only the first counts.
    fn child(&mut self, place: &Place, index: u64) -> Option<Place> {
        match *self.types().get(place.ty) {
            Type::Array { element, length } => {
                // Only a whole object may learn its length; an array without length inside of a record has no elements of its own.
                let unknown = if place.path.is_empty() { MAX_PARTS as u64 } else { 0 };
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

    // ---- strings ----

    fn is_string_for(&mut self, ty: TypeId, expression: &Expression) -> bool {
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
        let mut bytes =
            literal::string(literals).map_err(|text| self.error(expression.position, "bad-literal", text))?;
        bytes.push(0);
        let Type::Array { length, .. } = *self.types().get(place.ty) else { return Ok(()) };
        if length.is_some_and(|length| (bytes.len() as u64 - 1) > length) {
            return Err(self.error(
                expression.position,
                "excess-initialiser",
                "this string is longer than the array",
            ));
        }
        for (index, byte) in bytes.into_iter().enumerate() {
            if let Some(child) = self.child(place, index as u64) {
                self.note_length(place, index as u64 + 1, parts);
                parts.found.push(Part { place: child, value: PartValue::Byte(byte) });
            }
        }
        Ok(())
    }
}

/// Indices of members and elements on the way to a part.
fn indices(place: &Place) -> Vec<u64> {
    let index = |projection: &Projection| match projection {
        Projection::Field { index, .. } => *index as u64,
        Projection::Index { index, .. } => match index.kind {
            ExprKind::Integer(index) => index as u64,
            _ => unreachable!("designated indices should be constant"),
        },
    };
    place.path.iter().map(index).collect()
}
