//! Parts of objects: elements of arrays and members of records, those of unnamed members included.

use super::expression::Operand;
use super::frame::{Lower, Lowering, Reported};
use super::name::candidates;
use super::scope::similar;
use crate::code::Code;
use crate::ir::expr::BinaryOp;
use crate::ir::stmt::{Place, Projection, StmtKind};
use crate::ir::types::{RecordId, Type};
use crate::syntax::ast::{Expression, Name, Position};

impl Lowering<'_> {
    /// `array[index]`, where the array may be a pointer.
    pub(super) fn index(
        &mut self,
        array: &Expression,
        index: &Expression,
        position: Position,
    ) -> Lower<Place> {
        let base = self.operand(array);
        let mark = self.out.len();
        let index_value = self.value(index);
        let (base, index_value) = (base?, index_value?);
        let element = match &base {
            Operand::Place(place) => match *self.types().get(place.ty) {
                Type::Array { element, length } => Some((element, length)),
                _ => None,
            },
            _ => None,
        };
        match (base, element) {
            (Operand::Place(mut place), Some((element, length))) => {
                self.protect_place(mark, &mut place);
                if self.types().kind(index_value.ty).is_none() {
                    return Err(self.error(position, Code::TypeMismatch, "an index must be an integer"));
                }
                self.refuse_index_outside(&index_value, length, position)?;
                place.path.push(Projection::Index { index: Box::new(index_value), element, length });
                Ok(Place { ty: element, span: self.span(position), ..place })
            }
            (Operand::Void, _) => Err(self.error(position, Code::TypeMismatch, "a `void` has no elements")),
            (base, _) => {
                let mut base = match base {
                    Operand::Place(place) => self.load(place, position)?,
                    Operand::Value(value) => value,
                    Operand::Void => unreachable!("void should have been refused"),
                };
                self.protect(mark, &mut base);
                let sum = self.binary(BinaryOp::Add, base, index_value, position)?;
                self.dereference(sum, position)
            }
        }
    }

    /// `record.name` or, with an arrow, `record->name`.
    pub(super) fn member(
        &mut self,
        record: &Expression,
        name: &Name,
        is_arrow: bool,
        position: Position,
    ) -> Lower<Operand> {
        if let Some(place) = self.function_part(record, name, is_arrow)? {
            return Ok(Operand::Place(place));
        }
        let written = if is_arrow { self.written_part(record)? } else { None };
        let mut place = if let Some(mut place) = written {
            self.first_element(&mut place, position);
            place
        } else if is_arrow {
            let pointer = self.value(record)?;
            self.dereference(pointer, position)?
        } else {
            match self.operand(record)? {
                Operand::Place(place) => place,
                Operand::Value(value) if self.types().record(value.ty).is_some() => {
                    let place = self.temporary(value.ty, value.span);
                    self.emit(StmtKind::Assign(place.clone(), value), position);
                    place
                }
                _ => return Err(self.error(position, Code::TypeMismatch, "this has no members")),
            }
        };
        if self.configuration.is_some() {
            let name = self.take_call(&mut place, name)?;
            self.project(&mut place, &name)?;
        } else {
            self.project(&mut place, name)?;
        }
        place.span = self.span(position);
        Ok(Operand::Place(place))
    }

    /// Of an array, its first element: what a pointer to it points to.
    pub(super) fn first_element(&mut self, place: &mut Place, position: Position) {
        if let Type::Array { element, length } = *self.types().get(place.ty) {
            let kind = self.types().pointer_sized();
            let index = Box::new(self.integer(0, kind, position));
            place.path.push(Projection::Index { index, element, length });
            place.ty = element;
        }
    }

    /// Steps into a member of a place, through unnamed members where it is inside one.
    pub(super) fn project(&mut self, place: &mut Place, name: &Name) -> Lower<()> {
        let Some(record) = self.types().record(place.ty) else {
            let ty = self.types().name(place.ty);
            let is_pointer = self.types().pointee(place.ty).is_some();
            let message = format!("a value of type `{ty}` has no member `{}`", name.text);
            return Err(match is_pointer {
                true => {
                    self.error_with(name.position, Code::UnknownMember, message, "write `->` instead of `.`")
                }
                false => self.error(name.position, Code::UnknownMember, message),
            });
        };
        match self.find_member(record, &name.text) {
            Some(path) => {
                for (record, index) in path {
                    self.step_into(place, record, index);
                }
                Ok(())
            }
            None => Err(self.unknown_member(record, name)),
        }
    }

    /// Adds one projection to a place.
    pub(super) fn step_into(&mut self, place: &mut Place, record: RecordId, index: usize) {
        let fields = self.linker.types.table.records[record].fields.as_deref().unwrap_or_default();
        let field = &fields[index];
        place.path.push(Projection::Field { index, offset: field.offset, bits: field.bits, ty: field.ty });
        place.ty = field.ty;
    }

    /// The way to a member: records and indices, outermost first.
    pub(super) fn find_member(&self, record: RecordId, name: &str) -> Option<Vec<(RecordId, usize)>> {
        let types = &self.linker.types;
        let fields = types.table.records[record].fields.as_deref()?;
        if let Some(index) = fields.iter().position(|field| field.name == name) {
            return Some(vec![(record, index)]);
        }
        let unnamed = fields.iter().enumerate().filter(|(_, field)| field.name.is_empty());
        for (index, field) in unnamed {
            let inner = types.record(field.ty).and_then(|inner| self.find_member(inner, name));
            if let Some(mut path) = inner {
                path.insert(0, (record, index));
                return Some(path);
            }
        }
        None
    }

    fn unknown_member(&mut self, record: RecordId, name: &Name) -> Reported {
        let record = &self.linker.types.table.records[record];
        let Some(fields) = &record.fields else {
            let message = format!("the type of this object, `{}`, is incomplete here", record.name);
            return self.error(name.position, Code::IncompleteType, message);
        };
        let found = similar(&name.text, fields.iter().map(|field| field.name.as_str()));
        let message = format!("`{}` has no member `{}`", record.name, name.text);
        match candidates(&found) {
            Some(advice) => self.error_with(name.position, Code::UnknownMember, message, advice),
            None => self.error(name.position, Code::UnknownMember, message),
        }
    }
}
