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
    pub(super) fn alignment_of(
        &mut self,
        ty: &TypeName,
        is_preferred: bool,
        position: Position,
    ) -> Lower<Expr> {
        let ty = self.type_name(ty)?;
        let mut scalar = ty;
        while let Type::Array { element, .. } = *self.types().get(scalar) {
            scalar = element;
        }
        let is_scalar = matches!(self.types().get(scalar), Type::Integer(_) | Type::Float(_) | Type::Enum(_));
        let size = self.types().size(scalar).filter(|_| is_scalar && is_preferred);
        let is_wide = self.types().target.model == DataModel::Ilp32 && size == Some(8);
        let alignment = if is_wide { 8 } else { self.types().alignment(ty) };
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(alignment), kind, position))
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
