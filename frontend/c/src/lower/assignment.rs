//! Assignments, `++` and `--`: effects that are taken out of the expressions in which they stand.
//!
//! A place is evaluated once. The value of an assignment is what was stored, never what the place
//! holds afterwards: `a[a[0]] = 1` may designate another element once it has been done.

use super::expression::Operand;
use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::expr::{BinaryOp, Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection, StmtKind};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::syntax::ast::{Expression, Position};

/// A place and the value that it is about to get, converted to its type.
pub(super) type Assignment = (Place, Expr);

impl Lowering<'_> {
    /// `x++`, `x--` where the value is used: the old one.
    pub(super) fn postfix(
        &mut self,
        operand: &Expression,
        is_increment: bool,
        position: Position,
    ) -> Lower<Expr> {
        let place = self.place(operand)?;
        let old = self.load(place.clone(), position)?;
        let old = self.save_at(self.out.len(), old);
        let operator = if is_increment { BinaryOp::Add } else { BinaryOp::Subtract };
        let assignment = self.stepped(place, old.clone(), operator, position)?;
        self.store(assignment, position);
        Ok(old)
    }

    /// Adds or subtracts one.
    pub(super) fn step(
        &mut self,
        operand: &Expression,
        operator: BinaryOp,
        position: Position,
    ) -> Lower<Assignment> {
        let place = self.place(operand)?;
        let old = self.load(place.clone(), position)?;
        self.stepped(place, old, operator, position)
    }

    fn stepped(
        &mut self,
        place: Place,
        old: Expr,
        operator: BinaryOp,
        position: Position,
    ) -> Lower<Assignment> {
        let one = self.integer(1, IntegerKind::Int, position);
        let new = self.binary(operator, old, one, position)?;
        let new = self.convert_stored(new, &place, position)?;
        Ok((place, new))
    }

    /// `left = right`, `left op= right`.
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOp>,
        left: &Expression,
        right: &Expression,
        position: Position,
    ) -> Lower<Assignment> {
        let place = self.place(left);
        let mark = self.out.len();
        let right_value = self.value(right);
        let (mut place, mut value) = (place?, right_value?);
        self.protect_place(mark, &mut place);
        if let Some(operator) = operator {
            let old = self.load(place.clone(), position)?;
            value = self.binary(operator, old, value, position)?;
        } else if matches!(self.types().get(place.ty), Type::Array { .. }) {
            return Err(self.error(position, Code::TypeMismatch, "an array cannot be assigned"));
        }
        let value = self.convert_stored(value, &place, position)?;
        Ok((place, value))
    }

    /// Does an assignment whose value is not used.
    pub(super) fn store(&mut self, (place, value): Assignment, position: Position) {
        self.emit(StmtKind::Assign(place, value), position);
    }

    /// Does an assignment; its value.
    pub(super) fn assigned(&mut self, (place, value): Assignment, position: Position) -> Operand {
        let value = self.kept(&place, value, position);
        self.forget_saved(&value);
        self.store((place, value.clone()), position);
        Operand::Value(value)
    }

    /// A value as it will be in a place, in an expression that no assignment changes.
    fn kept(&mut self, place: &Place, value: Expr, position: Position) -> Expr {
        if let Some(field @ Projection::Field { bits: Some(_), .. }) = place.path.last()
            && let Some(record) = self.holder(place)
        {
            // As many bits as the bit-field has, and promoted like one.
            let whole = self.temporary(record, place.span);
            let kept = Place { path: vec![field.clone()], ty: place.ty, ..whole };
            self.store((kept.clone(), value), position);
            return Expr { kind: ExprKind::Load(kept), ty: place.ty, span: place.span };
        }
        if self.is_fixed(&value) {
            return value;
        }
        self.save_at(self.out.len(), Self::detached(value))
    }

    /// Whether a value is a constant or that of a temporary, so that it may be used more than once.
    fn is_fixed(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => place.path.is_empty() && self.is_temporary(place),
            ExprKind::Convert(inner) => self.is_fixed(inner),
            _ => false,
        }
    }

    /// The type of what the last member or element of a place belongs to.
    fn holder(&self, place: &Place) -> Option<TypeId> {
        let (_, outer) = place.path.split_last()?;
        match outer.last() {
            Some(Projection::Field { ty, .. }) => return Some(*ty),
            Some(Projection::Index { element, .. }) => return Some(*element),
            None => {}
        }
        match &place.base {
            PlaceBase::Global(global) => Some(self.linker.program.globals[*global].ty),
            PlaceBase::Local(local) => Some(self.local_type(*local)),
            PlaceBase::Deref(pointer) => self.linker.types.pointee(pointer.ty),
            PlaceBase::Part(_) => None,
        }
    }
}
