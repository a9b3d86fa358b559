//! Assignments, `++` and `--`: effects that are taken out of the expressions in which they stand, whose value is then that of the place.

use super::expression::Operand;
use super::frame::{Lower, Lowering};
use crate::c::ir::expr::{BinaryOp, Expr};
use crate::c::ir::stmt::{Place, StmtKind};
use crate::c::ir::types::{IntegerKind, Type};
use crate::c::syntax::ast::{Expression, Position};

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
        let index = self.out.len();
        let old = self.save_at(index, old);
        self.step_place(place, if is_increment { BinaryOp::Add } else { BinaryOp::Subtract }, position)?;
        Ok(old)
    }

    /// Adds or subtracts one; returns the place.
    pub(super) fn step(
        &mut self,
        operand: &Expression,
        operator: BinaryOp,
        position: Position,
    ) -> Lower<Place> {
        let place = self.place(operand)?;
        self.step_place(place, operator, position)
    }

    fn step_place(&mut self, place: Place, operator: BinaryOp, position: Position) -> Lower<Place> {
        let old = self.load(place.clone(), position)?;
        let one = self.integer(1, IntegerKind::Int, position);
        let new = self.binary(operator, old, one, position)?;
        let new = self.convert_stored(new, &place, position)?;
        self.emit(StmtKind::Assign(place.clone(), new), position);
        Ok(place)
    }

    /// `left = right`, `left op= right`; returns the place that was written.
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOp>,
        left: &Expression,
        right: &Expression,
        position: Position,
    ) -> Lower<Place> {
        let place = self.place(left);
        let mark = self.out.len();
        let right_value = self.value(right);
        let (mut place, mut value) = (place?, right_value?);
        self.protect_place(mark, &mut place);
        if let Some(operator) = operator {
            let old = self.load(place.clone(), position)?;
            value = self.binary(operator, old, value, position)?;
        } else if matches!(self.types().get(place.ty), Type::Array { .. }) {
            return Err(self.error(position, "type-mismatch", "an array cannot be assigned"));
        }
        let value = self.convert_stored(value, &place, position)?;
        self.emit(StmtKind::Assign(place.clone(), value), position);
        Ok(place)
    }

    /// The value of an assignment: what is in the place now, but no object.
    pub(super) fn assigned(&mut self, place: Place, position: Position) -> Lower<Operand> {
        if self.types().record(place.ty).is_some() {
            return Ok(Operand::Place(place));
        }
        self.load(place, position).map(Operand::Value)
    }
}
