//! `sizeof`, `_Alignof` and `offsetof`: numbers that the layout of types gives.

use super::expression::Operand;
use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::ir::target::DataModel;
use crate::ir::types::{Type, TypeId};
use crate::syntax::ast::{Designator, Expression, ExpressionKind as Kind, Name, Position, Prefix, TypeName};

impl Lowering<'_> {
    pub(super) fn size_of(&mut self, ty: TypeId, position: Position) -> Lower<Expr> {
        // GNU: the size of void and functions is 1.
        let is_odd = matches!(self.types().get(ty), Type::Void | Type::Function { .. });
        let size = if is_odd { Some(1) } else { self.types().size(ty) };
        let Some(size) = size else {
            let name = self.types().name(ty);
            return Err(self.error(
                position,
                Code::IncompleteType,
                format!("the size of type `{name}` is not known here"),
            ));
        };
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(size), kind, position))
    }

    pub(super) fn sizeof_expression(&mut self, operand: &Expression, position: Position) -> Lower<Expr> {
        let Some(width) = self.stored_width(operand)? else {
            let ty = self.type_of(operand)?;
            return self.size_of(ty, position);
        };
        let message = "the size of this value is that of the smallest integer with as many bits as the bit-field has, \
                       as gcc has it";
        let span = self.span(position);
        let warning = self.linker.diagnostics.warning(Code::BitFieldSize, Some(span), message);
        warning.advice("clang takes the size of the declared type; write `sizeof` of a type");
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(width.div_ceil(8).next_power_of_two()), kind, position))
    }

    /// How wide the bit-field is whose type an expression has that is no bit-field itself (C11
    /// 6.5.16, 3; what `sizeof` is then, the standard leaves open).
    fn stored_width(&mut self, expression: &Expression) -> Lower<Option<u32>> {
        let field = match &expression.kind {
            Kind::Assign(_, place, _)
            | Kind::Postfix(place, _)
            | Kind::Prefix(Prefix::Increment | Prefix::Decrement, place) => place,
            Kind::Comma(_, last) => last,
            _ => return Ok(None),
        };
        if let Some(width) = self.stored_width(field)? {
            return Ok(Some(width));
        }
        let operand = self.in_vain(|this| this.operand(field))?;
        let Operand::Place(place) = operand else { return Ok(None) };
        match place.path.last() {
            Some(Projection::Field { bits: Some(bits), .. }) => Ok(Some(bits.width)),
            _ => Ok(None),
        }
    }

    /// `_Alignof`, and `__alignof__`, which is what compilers prefer for a variable: on 32-bit x86
    /// more than a member gets.
    pub(super) fn alignof_type(
        &mut self,
        ty: &TypeName,
        is_preferred: bool,
        position: Position,
    ) -> Lower<Expr> {
        let ty = self.type_name(ty)?;
        let alignment = if is_preferred { self.preferred_alignment(ty) } else { self.types().alignment(ty) };
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(alignment), kind, position))
    }

    /// The alignment that gcc gives a value or a variable of a type.
    fn preferred_alignment(&mut self, ty: TypeId) -> u32 {
        let mut scalar = ty;
        while let Type::Array { element, .. } = *self.types().get(scalar) {
            scalar = element;
        }
        let is_scalar = matches!(self.types().get(scalar), Type::Integer(_) | Type::Float(_) | Type::Enum(_));
        let is_wide = is_scalar && self.types().size(scalar) == Some(8);
        match self.types().target.model {
            DataModel::Ilp32 if is_wide => 8,
            _ => self.types().alignment(ty),
        }
    }

    /// GNU `_Alignof` of an expression, as gcc has it: a member is aligned as its record has it,
    /// everything else as its type is.
    ///
    /// # Errors
    ///
    /// The operand is a bit-field, has no complete type, or looks through a converted pointer, of
    /// which gcc takes the greatest of all alignments on the way.
    pub(super) fn alignof_expression(&mut self, operand: &Expression, position: Position) -> Lower<Expr> {
        let looks_through =
            |inner: &Expression| matches!(inner.kind, Kind::Cast(..) | Kind::Infix(..) | Kind::Comma(..));
        if matches!(&operand.kind, Kind::Prefix(Prefix::Dereference, inner) if looks_through(inner)) {
            let message = "the alignment of what a computed pointer points to is not supported";
            let advice = "write `_Alignof` of a type";
            return Err(self.error_with(position, Code::UnsupportedAlignment, message, advice));
        }
        let place = self.in_vain(|this| this.operand(operand))?;
        if let Operand::Place(place) = place
            && let Some(Projection::Field { bits: Some(_), .. }) = place.path.last()
        {
            return Err(self.error(position, Code::TypeMismatch, "a bit-field has no alignment"));
        }
        let ty = self.type_of(operand)?;
        self.size_of(ty, position)?;
        let alignment = match &operand.kind {
            Kind::Member(record, name, is_arrow) => {
                let own = self.types().alignment(ty);
                own.min(self.alignment_around(record, &name.text, *is_arrow)?.unwrap_or(own))
            }
            _ => self.preferred_alignment(ty),
        };
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(alignment), kind, position))
    }

    /// The alignment of the record that a member stands in, which may be an unnamed one.
    fn alignment_around(&mut self, record: &Expression, name: &str, is_arrow: bool) -> Lower<Option<u32>> {
        let mut ty = self.type_of(record)?;
        if is_arrow {
            ty = match *self.types().get(ty) {
                Type::Array { element, .. } => element,
                _ => self.types().pointee(ty).unwrap_or(ty),
            };
        }
        let outer = self.types().record(ty);
        let path = outer.and_then(|outer| self.find_member(outer, name));
        let around = path.and_then(|path| path.last().map(|(record, _)| *record));
        Ok(around.map(|record| self.linker.types.table.records[record].alignment))
    }

    pub(super) fn offset_of(
        &mut self,
        ty: &TypeName,
        member: &Name,
        path: &[Designator],
        position: Position,
    ) -> Lower<Expr> {
        let ty = self.type_name(ty)?;
        let span = self.span(position);
        // Never looked at: only the way into the type counts.
        let base = PlaceBase::Local(model::id::Id::new(0));
        let mut place = Place { base, path: Vec::new(), ty, span };
        self.project(&mut place, member)?;
        for designator in path {
            match designator {
                Designator::Field(name) => self.project(&mut place, name)?,
                Designator::Index(index) | Designator::Range(index, _) => {
                    let value = self.integer_constant(index)?;
                    let Type::Array { element, length } = *self.types().get(place.ty) else {
                        return Err(self.error(
                            index.position,
                            Code::TypeMismatch,
                            "this member is no array",
                        ));
                    };
                    let kind = self.types().pointer_sized();
                    let index = Box::new(self.integer(value, kind, index.position));
                    place.path.push(Projection::Index { index, element, length });
                    place.ty = element;
                }
            }
        }
        let mut offset = 0i128;
        for projection in &place.path {
            offset += match projection {
                Projection::Field { bits: Some(_), .. } => {
                    return Err(self.error(position, Code::TypeMismatch, "a bit-field has no offset"));
                }
                Projection::Field { offset, .. } => i128::from(*offset),
                Projection::Index { index, element, .. } => {
                    let ExprKind::Integer(index) = index.kind else {
                        unreachable!("the index should be constant")
                    };
                    index * i128::from(self.types().size(*element).unwrap_or(0))
                }
            };
        }
        let kind = self.types().size_kind();
        Ok(self.integer(offset, kind, position))
    }
}
