//! Constant expressions: where C needs a constant, and what compilers take for one.

use super::constant;
use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::expr::{BinaryOp, Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::syntax::ast::{Expression, Position};

impl Lowering<'_> {
    /// A constant expression converted to a type: a number or an address.
    pub(super) fn constant_value(&mut self, expression: &Expression, place: &Place) -> Lower<Expr> {
        let (value, block) = self.in_block(|this| {
            let value = this.unobserved(|this| this.value(expression))?;
            let value = this.fold_constants(value, expression.position)?;
            this.convert_stored(value, place, expression.position)
        });
        let value = value?;
        if block.is_empty() && self.is_constant(&value) {
            return Ok(value);
        }
        let message = "a static object needs a constant here";
        Err(self.error_with(
            expression.position,
            Code::NotConstant,
            message,
            "assign it in the initialisation function",
        ))
    }

    /// Replaces reads of initialised `const` scalars by their values, as compilers do, and folds
    /// what that makes constant.
    pub(super) fn fold_constants(&mut self, value: Expr, position: Position) -> Lower<Expr> {
        let ty = value.ty;
        Ok(match value.kind {
            ExprKind::Load(ref place) => match self.constant_object(place) {
                Some(kind) => Expr { kind, ..value },
                None => value,
            },
            ExprKind::Convert(operand) => {
                let mut operand = self.fold_constants(*operand, position)?;
                if self.types().kind(ty).is_some()
                    && let Some(address) = self.constant_address(&operand)
                {
                    let kind = self.types().size_kind();
                    operand = self.integer(address, kind, position);
                }
                self.convert(operand, ty)
            }
            ExprKind::Binary(operator, left, right) if self.types().pointee(left.ty).is_some() => {
                let kind = self.constant_distance(operator, &left, &right);
                Expr { kind: kind.unwrap_or(ExprKind::Binary(operator, left, right)), ..value }
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
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.fold_constants(*condition, position)?;
                match constant::truth(&self.linker.types, &condition) {
                    Some(true) => self.fold_constants(*then, position)?,
                    Some(false) => self.fold_constants(*otherwise, position)?,
                    None => {
                        let kind = ExprKind::Conditional(Box::new(condition), then, otherwise);
                        Expr { kind, ..value }
                    }
                }
            }
            _ => value,
        })
    }

    /// The number that a pointer is which was made from one: `&((struct s *)0)->member`.
    fn constant_address(&mut self, pointer: &Expr) -> Option<i128> {
        self.types().pointee(pointer.ty)?;
        match &pointer.kind {
            ExprKind::Integer(number) => Some(*number),
            ExprKind::Convert(operand) if self.types().pointee(operand.ty).is_some() => {
                self.constant_address(operand)
            }
            ExprKind::Convert(operand) => constant::integer(&self.linker.types, operand),
            ExprKind::AddressOf(place) => {
                let PlaceBase::Deref(base) = &place.base else { return None };
                let is_fixed = |projection: &Projection| match projection {
                    Projection::Field { bits, .. } => bits.is_none(),
                    Projection::Index { index, .. } => matches!(index.kind, ExprKind::Integer(_)),
                };
                let base = self.constant_address(base).filter(|_| place.path.iter().all(is_fixed))?;
                Some(base + i128::from(self.static_offset(place).0))
            }
            _ => None,
        }
    }

    /// What an operator makes of two pointers that are numbers.
    fn constant_distance(&mut self, operator: BinaryOp, left: &Expr, right: &Expr) -> Option<ExprKind> {
        let (first, second) = (self.constant_address(left)?, self.constant_address(right)?);
        let element = self.types().pointee(left.ty)?;
        let result = match operator {
            BinaryOp::PointerDifference => {
                let size = self.types().size(element).filter(|&size| size > 0)?;
                (first - second) / i128::from(size)
            }
            BinaryOp::Equal => i128::from(first == second),
            BinaryOp::NotEqual => i128::from(first != second),
            _ => return None,
        };
        Some(ExprKind::Integer(result))
    }

    fn constant_object(&mut self, place: &Place) -> Option<ExprKind> {
        let global = match place.base {
            PlaceBase::Global(global) => global,
            PlaceBase::Local(local) if place.path.is_empty() => {
                return self.frame.constants.get(&local).copied().map(ExprKind::Integer);
            }
            _ => return None,
        };
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
            ExprKind::Convert(operand) | ExprKind::Unary(_, operand) | ExprKind::Probe(_, operand) => {
                self.is_constant(operand)
            }
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
            let value = this.unobserved(|this| this.value(expression))?;
            this.fold_constants(value, expression.position)
        })?;
        let result = constant::integer(&self.linker.types, &value);
        let is_integer = self.types().kind(value.ty).is_some();
        match result.filter(|_| is_integer) {
            Some(result) => Ok(result),
            None => {
                Err(self.error(expression.position, Code::NotConstant, "an integer constant is needed here"))
            }
        }
    }
}
