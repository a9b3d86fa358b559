//! Initialised objects: automatic, static, and compound literals.
//!
//! An initialiser is first [spread](super::spread) into scalars and whole records, each with its
//! place in the object; what remains is one assignment each for automatic objects, one constant
//! each for static ones.

use super::frame::{Lower, Lowering, Reported};
use super::spread::{Part, PartValue};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection, StmtKind};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::ir::{Global, GlobalId, InitialValue, Linkage};
use crate::syntax::ast::{Expression, ExpressionKind, Initialiser, InitialiserList, Position, TypeName};
use std::collections::{BTreeMap, BTreeSet};

/// Values of the expressions that more than one part of an object gets, as far as they have been
/// evaluated.
type SharedValues = BTreeMap<*const Expression, Option<Expr>>;

/// The expressions that more than one part gets.
fn shared_values(parts: &[Part]) -> SharedValues {
    let mut met = BTreeSet::new();
    let expression = |part: &Part| match part.value {
        PartValue::Expression(expression) => Some(std::ptr::from_ref(expression)),
        PartValue::Byte(_) => None,
    };
    let met_again = parts.iter().filter_map(expression).filter(|&expression| !met.insert(expression));
    met_again.map(|expression| (expression, None)).collect()
}

impl Lowering<'_> {
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
        if self.frame.labels.is_empty() || self.types().table.is_scalar(place.ty) {
            return self.initialise_parts(place, initialiser, position);
        }
        // A jump back may have led here, and the list may read what the object still holds.
        let whole = self.temporary(place.ty, place.span);
        self.initialise_parts(&whole, initialiser, position)?;
        let value = Expr { kind: ExprKind::Load(whole), ty: place.ty, span: place.span };
        self.emit(StmtKind::Assign(place.clone(), value), position);
        Ok(())
    }

    fn initialise_parts(
        &mut self,
        place: &Place,
        initialiser: &Initialiser,
        position: Position,
    ) -> Lower<()> {
        let parts = self.spread(place, initialiser)?;
        if parts.flexible > 0 {
            return Err(self.flexible_error(position));
        }
        if !self.types().table.is_scalar(place.ty) {
            let zero = Expr { kind: ExprKind::Zero, ty: place.ty, span: place.span };
            self.emit(StmtKind::Assign(place.clone(), zero), position);
        }
        let mut result = Ok(());
        let mut shared = shared_values(&parts.found);
        for part in parts.found {
            result = result.and(self.initialise_part(part, &mut shared));
        }
        result
    }

    /// Initialises a part of an automatic object. What several parts get (`[0 ... 3] = f()`) is
    /// evaluated once.
    fn initialise_part(&mut self, part: Part, shared: &mut SharedValues) -> Lower<()> {
        let (value, position) = match part.value {
            PartValue::Expression(expression) => {
                let value = match shared.get(&std::ptr::from_ref(expression)) {
                    None => self.value(expression)?,
                    Some(Some(known)) => known.clone(),
                    Some(None) => {
                        let value = self.value(expression)?;
                        let value = self.save_at(self.out.len(), value);
                        shared.insert(expression, Some(value.clone()));
                        value
                    }
                };
                (value, expression.position)
            }
            PartValue::Byte(byte) => {
                let span = part.place.span;
                let kind = ExprKind::Integer(i128::from(byte as i8));
                let byte = Expr { kind, ty: self.types().integer(IntegerKind::Char), span };
                let value = self.convert(byte, part.place.ty);
                self.out.push(crate::ir::stmt::Stmt { kind: StmtKind::Assign(part.place, value), span });
                return Ok(());
            }
        };
        let value = self.convert_stored(value, &part.place, position)?;
        self.emit(StmtKind::Assign(part.place, value), position);
        Ok(())
    }

    fn flexible_error(&mut self, position: Position) -> Reported {
        let message =
            "only an object that lives as long as the program may initialise its flexible array member";
        self.error(position, Code::ExcessInitialiser, message)
    }

    /// The values of an object of static storage duration, ascending by offset, and the
    /// length of its flexible array member.
    pub(super) fn initialise_static(
        &mut self,
        place: &Place,
        initialiser: &Initialiser,
    ) -> Lower<(Vec<InitialValue>, u64)> {
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
        result.map(|()| (values.into_values().collect(), parts.flexible))
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
            let (initialiser, flexible) = self.initialise_static(&unplaced(ty), &initialiser)?;
            if flexible > 0 {
                return Err(self.flexible_error(position));
            }
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

    /// Byte offset and bits of a place in its object. Indices of initialisers are constants.
    pub(super) fn static_offset(&mut self, place: &Place) -> (u64, Option<crate::ir::types::BitField>) {
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

    /// The constants of a part, with offsets within it; several where a record is initialised by a
    /// compound literal or constant object.
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
                        let (values, _) = self.initialise_static(&place, &Initialiser::List(list.clone()))?;
                        return Ok(values);
                    }
                }
                let value = self.constant_value(expression, &part.place)?;
                Ok(single(value))
            }
        }
    }
}
