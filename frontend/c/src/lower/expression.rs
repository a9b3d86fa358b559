//! Expressions: what each is (an object, a value, or nothing), its value, and what it does.
//!
//! Effects are taken out of expressions and become statements before them. Names, members,
//! assignments and the operators that evaluate only some of their operands have modules of their
//! own.

use super::frame::{Lower, Lowering};
use super::literal;
use crate::code::Code;
use crate::detect::walk;
use crate::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::ir::stmt::{Place, PlaceBase, Projection, Stmt, StmtKind};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::syntax::ast::{Expression, ExpressionKind as Kind, Position, Prefix, TypeName};

/// What an expression is before its value is asked for.
pub(super) enum Operand {
    /// An object.
    Place(Place),
    /// A value.
    Value(Expr),
    /// A call or conversion that yields nothing.
    Void,
}

impl Lowering<'_> {
    /// The value of an expression; arrays and functions decay.
    pub(super) fn value(&mut self, expression: &Expression) -> Lower<Expr> {
        match self.operand(expression)? {
            Operand::Place(place) => self.load(place, expression.position),
            Operand::Value(value) => Ok(value),
            Operand::Void => {
                Err(self.error(expression.position, Code::TypeMismatch, "a `void` has no value"))
            }
        }
    }

    /// A value that is tested against zero.
    pub(super) fn condition(&mut self, expression: &Expression) -> Lower<Expr> {
        let value = self.value(expression)?;
        self.tested(value, expression.position)
    }

    /// An object.
    pub(super) fn place(&mut self, expression: &Expression) -> Lower<Place> {
        match self.operand(expression)? {
            Operand::Place(place) => Ok(place),
            _ => Err(self.error(
                expression.position,
                Code::NoLvalue,
                "this is a value, where an object is needed",
            )),
        }
    }

    /// An expression for the sake of what it does.
    pub(super) fn effect(&mut self, expression: &Expression) -> Lower<()> {
        let position = expression.position;
        match &expression.kind {
            Kind::Assign(operator, left, right) => {
                let assignment = self.assign(*operator, left, right, position)?;
                self.store(assignment, position);
                Ok(())
            }
            Kind::Prefix(Prefix::Increment, operand) | Kind::Postfix(operand, true) => {
                self.step_effect(operand, BinaryOp::Add, position)
            }
            Kind::Prefix(Prefix::Decrement, operand) | Kind::Postfix(operand, false) => {
                self.step_effect(operand, BinaryOp::Subtract, position)
            }
            Kind::Block(statements) if self.frame.result.is_some() => {
                let (result, block) = self.in_block(|this| this.scoped(|this| this.statements(statements)));
                self.emit(StmtKind::Block(block), position);
                result
            }
            Kind::Comma(left, right) => {
                self.effect(left)?;
                self.effect(right)
            }
            Kind::Conditional(condition, Some(then), otherwise) => {
                let condition = self.controlling(condition)?;
                let (first, then) = self.in_block(|this| this.effect(then));
                let (second, otherwise) = self.in_block(|this| this.effect(otherwise));
                first.and(second)?;
                if then.is_empty() && otherwise.is_empty() {
                    self.discard(condition);
                } else {
                    self.emit(StmtKind::If { condition, then, otherwise }, position);
                }
                Ok(())
            }
            Kind::LogicalAnd(left, right) | Kind::LogicalOr(left, right) if !self.is_instrumented() => {
                let condition = self.condition(left)?;
                let (result, then) = self.in_block(|this| this.effect(right));
                result?;
                if then.is_empty() {
                    self.discard(condition);
                } else {
                    let is_and = matches!(expression.kind, Kind::LogicalAnd(..));
                    let (then, otherwise) = if is_and { (then, Vec::new()) } else { (Vec::new(), then) };
                    self.emit(StmtKind::If { condition, then, otherwise }, position);
                }
                Ok(())
            }
            Kind::Call(callee, arguments) => self.call_effect(callee, arguments, position),
            Kind::Cast(ty, operand) => {
                let ty = self.type_name(ty)?;
                if self.types().is_void(ty) { self.effect(operand) } else { self.unused(expression) }
            }
            _ => self.unused(expression),
        }
    }

    /// An expression whose value nobody uses.
    fn unused(&mut self, expression: &Expression) -> Lower<()> {
        if let Operand::Value(value) = self.operand(expression)? {
            self.discard(value);
        }
        Ok(())
    }

    /// Computes a value that nobody uses, where that may be undefined: who executes it reports it.
    fn discard(&mut self, value: Expr) {
        let types = &self.linker.types;
        let mut is_open = false;
        walk::visit_expression(&value, &mut |part| {
            is_open |= match &part.kind {
                ExprKind::Binary(operator, ..) => can_be_undefined(*operator),
                ExprKind::Unary(operator, _) => *operator == UnaryOp::Negate,
                ExprKind::Probe(..) => true,
                ExprKind::Convert(from) => types.format(from.ty).is_some() && types.kind(part.ty).is_some(),
                _ => false,
            }
        });
        if is_open {
            let span = value.span;
            let place = self.temporary(value.ty, span);
            self.out.push(Stmt { kind: StmtKind::Assign(place, value), span });
        }
    }

    /// `++x`, `x++` and their like for the sake of what they do.
    fn step_effect(&mut self, operand: &Expression, operator: BinaryOp, position: Position) -> Lower<()> {
        let assignment = self.step(operand, operator, position)?;
        self.store(assignment, position);
        Ok(())
    }

    /// An expression, as object where it is one.
    pub(super) fn operand(&mut self, expression: &Expression) -> Lower<Operand> {
        let position = expression.position;
        let value = match &expression.kind {
            Kind::Name(name) => return self.name(name, position),
            Kind::Qualified { scope, name } => return self.qualified(scope, name, position),
            Kind::Number(text) => self.number(text, position)?,
            Kind::Character(text) => {
                let target = self.types().target;
                let value = literal::character(text, target)
                    .map_err(|text| self.error(position, Code::Syntax, text))?;
                self.integer(value, IntegerKind::Int, position)
            }
            Kind::String(literals) => self.string(literals, position)?,
            Kind::Prefix(Prefix::Not, operand) => {
                let value = self.value(operand)?;
                self.negation(value, operand, expression)?
            }
            Kind::Prefix(operator, operand) => return self.prefix(*operator, operand, position),
            Kind::Postfix(operand, is_increment) => self.postfix(operand, *is_increment, position)?,
            Kind::Infix(operator, left, right) => {
                let (first, second) = self.both(left, right)?;
                self.infix(*operator, (first, left), (second, right), expression)?
            }
            Kind::LogicalAnd(left, right) => self.logical(true, (left, right), expression)?,
            Kind::LogicalOr(left, right) => self.logical(false, (left, right), expression)?,
            Kind::Assign(operator, left, right) => {
                let assignment = self.assign(*operator, left, right, position)?;
                return Ok(self.assigned(assignment, position));
            }
            Kind::Conditional(condition, then, otherwise) => {
                return self.conditional(condition, then.as_deref(), otherwise, position);
            }
            Kind::Comma(left, right) => {
                self.effect(left)?;
                return self.operand(right);
            }
            Kind::Call(callee, arguments) => return self.call(callee, arguments, position),
            Kind::Index(array, index) => return self.index(array, index, position).map(Operand::Place),
            Kind::Member(record, name, is_arrow) => return self.member(record, name, *is_arrow, position),
            Kind::Cast(ty, operand) => return self.cast(ty, operand, position),
            Kind::CompoundLiteral(ty, list) => {
                return self.compound_literal(ty, list, position).map(Operand::Place);
            }
            Kind::SizeofExpression(operand) => self.sizeof_expression(operand, position)?,
            Kind::SizeofType(ty) => {
                let ty = self.type_name(ty)?;
                self.size_of(ty, position)?
            }
            Kind::AlignofType(ty, is_preferred) => self.alignof_type(ty, *is_preferred, position)?,
            Kind::AlignofExpression(operand) => self.alignof_expression(operand, position)?,
            Kind::Offsetof(ty, member, path) => self.offset_of(ty, member, path, position)?,
            Kind::Generic(value, choices) => {
                let chosen = self.generic_choice(value, choices, position)?;
                return self.operand(chosen);
            }
            Kind::Block(statements) => return self.statement_expression(statements, position),
        };
        Ok(Operand::Value(value))
    }

    /// The expression that `_Generic` stands for: that of the type which the value has once it is
    /// read.
    fn generic_choice<'e>(
        &mut self,
        value: &Expression,
        choices: &'e [(Option<TypeName>, Expression)],
        position: Position,
    ) -> Lower<&'e Expression> {
        let ty = self.in_vain(|this| this.value(value))?.ty;
        let (mut default, mut found) = (None, Vec::new());
        for (choice, expression) in choices {
            match choice {
                None => default = Some(expression),
                Some(choice) => {
                    let choice = self.type_name(choice)?;
                    if self.is_compatible(choice, ty) {
                        found.push(expression);
                    }
                }
            }
        }
        let is_pointer = matches!(self.linker.types.get(ty), Type::Pointer(_));
        if is_pointer && found.len() > 1 {
            let message = "qualifiers of what a pointer points to are not known where an expression is chosen by its type";
            return Err(self.error(position, Code::UnsupportedGeneric, message));
        }
        if let [one, ..] = found[..] {
            if is_pointer && default.is_some() {
                let span = self.span(position);
                let message =
                    "this is chosen without looking at `const` and `volatile` of what the pointer points to";
                self.linker.diagnostics.warning(Code::UnsupportedGeneric, Some(span), message);
            }
            return Ok(one);
        }
        default.ok_or_else(|| {
            let message = format!("none of the types is that of the value, `{}`", self.types().name(ty));
            self.error(position, Code::TypeMismatch, message)
        })
    }

    /// Whether types are compatible: an enumeration is with the integer type of its values (C11
    /// 6.7.2.2, 4).
    fn is_compatible(&self, one: TypeId, other: TypeId) -> bool {
        let types = &self.linker.types;
        let is_enumeration = |ty: TypeId| matches!(types.get(ty), Type::Enum(_));
        one == other
            || (is_enumeration(one) != is_enumeration(other)
                && types.table.integer_kind(one).is_some()
                && types.table.integer_kind(one) == types.table.integer_kind(other))
    }

    /// Two operands, left first.
    pub(super) fn both(&mut self, left: &Expression, right: &Expression) -> Lower<(Expr, Expr)> {
        let left = self.value(left);
        let mark = self.out.len();
        let right = self.value(right); // also where the left one failed: more errors at once
        let (mut left, right) = (left?, right?);
        self.protect(mark, &mut left);
        Ok((left, right))
    }

    fn prefix(&mut self, operator: Prefix, operand: &Expression, position: Position) -> Lower<Operand> {
        let value = match operator {
            Prefix::Minus => {
                let operand = self.value(operand)?;
                self.unary(UnaryOp::Negate, operand, position)?
            }
            Prefix::Plus => {
                let operand = self.value(operand)?;
                if !self.types().is_arithmetic(operand.ty) {
                    return Err(self.error(position, Code::TypeMismatch, "`+` needs a number"));
                }
                self.promote(operand)
            }
            Prefix::Complement => {
                let operand = self.value(operand)?;
                self.unary(UnaryOp::Complement, operand, position)?
            }
            Prefix::Not => unreachable!("`!` should have been lowered as an operator on truths"),
            Prefix::Dereference => {
                if let Some(mut place) = self.written_part(operand)? {
                    self.first_element(&mut place, position);
                    return Ok(Operand::Place(place));
                }
                let pointer = self.value(operand)?;
                return self.dereference(pointer, position).map(Operand::Place);
            }
            Prefix::Address => self.address_of(operand, position)?,
            Prefix::Increment => {
                let assignment = self.step(operand, BinaryOp::Add, position)?;
                return Ok(self.assigned(assignment, position));
            }
            Prefix::Decrement => {
                let assignment = self.step(operand, BinaryOp::Subtract, position)?;
                return Ok(self.assigned(assignment, position));
            }
        };
        Ok(Operand::Value(value))
    }

    fn address_of(&mut self, operand: &Expression, position: Position) -> Lower<Expr> {
        match self.operand(operand)? {
            Operand::Place(place) => {
                if matches!(place.path.last(), Some(Projection::Field { bits: Some(_), .. })) {
                    return Err(self.error(position, Code::TypeMismatch, "a bit-field has no address"));
                }
                let ty = self.types().pointer(place.ty);
                let span = self.span(position);
                let is_dereferenced = place.path.is_empty() && matches!(place.base, PlaceBase::Deref(_));
                match place.base {
                    PlaceBase::Deref(pointer) if is_dereferenced && pointer.ty == ty => Ok(*pointer),
                    _ => Ok(Expr { kind: ExprKind::AddressOf(place), ty, span }),
                }
            }
            Operand::Value(value) if matches!(value.kind, ExprKind::Function(_)) => Ok(value),
            Operand::Value(value) if matches!(value.kind, ExprKind::String(_)) => {
                let text = self.type_of(operand)?;
                let ty = self.types().pointer(text);
                Ok(self.convert(value, ty))
            }
            _ => Err(self.error(position, Code::NoLvalue, "a value has no address")),
        }
    }

    fn cast(&mut self, ty: &TypeName, operand: &Expression, position: Position) -> Lower<Operand> {
        let ty = self.type_name(ty)?;
        if self.types().is_void(ty) {
            self.effect(operand)?;
            return Ok(Operand::Void);
        }
        let value = self.value(operand)?;
        let is_same_record = value.ty == ty && self.types().record(ty).is_some();
        if !self.types().table.is_scalar(ty) && !is_same_record {
            let name = self.types().name(ty);
            return Err(self.error(
                position,
                Code::TypeMismatch,
                format!("a value cannot be converted to type `{name}`"),
            ));
        }
        let value = self.convert_assigned(value, ty, position)?;
        let mut value = Self::detached(value);
        value.span = self.span(position);
        Ok(Operand::Value(value))
    }

    /// The number of characters, the last zero included, of a string literal or the name of
    /// the function; `None` for other expressions.
    fn text_length(&mut self, expression: &Expression) -> Lower<Option<u64>> {
        let bytes = match &expression.kind {
            Kind::String(literals) => literal::string(literals)
                .map_err(|text| self.error(expression.position, Code::BadLiteral, text))?,
            Kind::Name(name) => match self.function_name(name) {
                Some(text) => text.into_bytes(),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(bytes.len() as u64 + 1))
    }

    /// The type of an expression that is not evaluated, arrays not decayed.
    pub(super) fn type_of(&mut self, expression: &Expression) -> Lower<TypeId> {
        if let Some(length) = self.text_length(expression)? {
            let character = self.types().integer(IntegerKind::Char);
            return Ok(self.types().array(character, Some(length)));
        }
        self.in_vain(|this| match this.operand(expression)? {
            Operand::Place(place) => Ok(place.ty),
            Operand::Value(value) => match value.kind {
                ExprKind::Function(function) => Ok(this.linker.function_types[function]),
                _ => Ok(value.ty),
            },
            Operand::Void => Ok(this.types().void()),
        })
    }
}

/// Whether C leaves open what an operator does to some operands that are no pointers.
fn can_be_undefined(operator: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(operator, Add | Subtract | Multiply | Divide | Remainder | ShiftLeft | ShiftRight)
}
