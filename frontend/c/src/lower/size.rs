//! `sizeof` and `offsetof`: numbers that the layout of types gives.

use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::ir::types::{Type, TypeId};
use crate::syntax::ast::{Designator, Expression, Name, Position, TypeName};

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
        let ty = self.type_of(operand)?;
        self.size_of(ty, position)
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
