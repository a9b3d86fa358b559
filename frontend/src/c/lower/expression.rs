//! Expressions: names, members, operators, and the effects taken out of them.

use super::constant;
use super::frame::{Lower, Lowering};
use super::literal::{self, Literal};
use super::scope::{Entity, similar};
use crate::c::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::c::ir::stmt::{Place, PlaceBase, Projection, StmtKind};
use crate::c::ir::types::{IntegerKind, RecordId, Type, TypeId};
use crate::c::syntax::ast::{Expression, ExpressionKind as Kind, Name, Position, Prefix, TypeName};

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
            Operand::Void => Err(self.error(expression.position, "type-mismatch", "a `void` has no value")),
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
                "no-lvalue",
                "this is a value, where an object is needed",
            )),
        }
    }

    /// An expression for the sake of what it does.
    pub(super) fn effect(&mut self, expression: &Expression) -> Lower<()> {
        let position = expression.position;
        match &expression.kind {
            Kind::Assign(operator, left, right) => self.assign(*operator, left, right, position).map(drop),
            Kind::Prefix(Prefix::Increment, operand) | Kind::Postfix(operand, true) => {
                self.step(operand, BinaryOp::Add, position).map(drop)
            }
            Kind::Prefix(Prefix::Decrement, operand) | Kind::Postfix(operand, false) => {
                self.step(operand, BinaryOp::Subtract, position).map(drop)
            }
            Kind::Comma(left, right) => {
                self.effect(left)?;
                self.effect(right)
            }
            Kind::Conditional(condition, Some(then), otherwise) => {
                let condition = self.condition(condition)?;
                let (first, then) = self.in_block(|this| this.effect(then));
                let (second, otherwise) = self.in_block(|this| this.effect(otherwise));
                first.and(second)?;
                if !(then.is_empty() && otherwise.is_empty()) {
                    self.emit(StmtKind::If { condition, then, otherwise }, position);
                }
                Ok(())
            }
            Kind::LogicalAnd(left, right) | Kind::LogicalOr(left, right) => {
                let condition = self.condition(left)?;
                let (result, then) = self.in_block(|this| this.effect(right));
                result?;
                if !then.is_empty() {
                    let is_and = matches!(expression.kind, Kind::LogicalAnd(..));
                    let (then, otherwise) = if is_and { (then, Vec::new()) } else { (Vec::new(), then) };
                    self.emit(StmtKind::If { condition, then, otherwise }, position);
                }
                Ok(())
            }
            Kind::Call(callee, arguments) => self.call_effect(callee, arguments, position),
            Kind::Cast(ty, operand) => {
                let ty = self.type_name(ty)?;
                if self.types().is_void(ty) {
                    self.effect(operand)
                } else {
                    self.operand(expression).map(drop)
                }
            }
            _ => self.operand(expression).map(drop),
        }
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
                let value =
                    literal::character(text, target).map_err(|text| self.error(position, "syntax", text))?;
                self.integer(value, IntegerKind::Int, position)
            }
            Kind::String(literals) => self.string(literals, position)?,
            Kind::Prefix(operator, operand) => return self.prefix(*operator, operand, position),
            Kind::Postfix(operand, is_increment) => self.postfix(operand, *is_increment, position)?,
            Kind::Infix(operator, left, right) => {
                let (left, right) = self.both(left, right)?;
                self.binary(*operator, left, right, position)?
            }
            Kind::LogicalAnd(left, right) => self.logical(true, left, right, position)?,
            Kind::LogicalOr(left, right) => self.logical(false, left, right, position)?,
            Kind::Assign(operator, left, right) => {
                let place = self.assign(*operator, left, right, position)?;
                return self.assigned(place, position);
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
            Kind::AlignofType(ty) => {
                let ty = self.type_name(ty)?;
                let (alignment, kind) = (self.types().alignment(ty), self.types().size_kind());
                self.integer(i128::from(alignment), kind, position)
            }
            Kind::Offsetof(ty, member, path) => self.offset_of(ty, member, path, position)?,
            Kind::Generic(value, choices) => {
                let chosen = self.generic_choice(value, choices, position)?;
                return self.operand(chosen);
            }
            Kind::Block(statements) => return self.statement_expression(statements, position),
        };
        Ok(Operand::Value(value))
    }

    /// The expression that `_Generic` stands for: that of the type which the value has once it is read.
    fn generic_choice<'e>(
        &mut self,
        value: &Expression,
        choices: &'e [(Option<TypeName>, Expression)],
        position: Position,
    ) -> Lower<&'e Expression> {
        let ty = self.in_vain(|this| this.value(value))?.ty;
        let mut default = None;
        for (choice, expression) in choices {
            match choice {
                None => default = Some(expression),
                Some(choice) if self.type_name(choice)? == ty => return Ok(expression),
                Some(_) => {}
            }
        }
        default.ok_or_else(|| {
            let message = format!("none of the types is that of the value, `{}`", self.types().name(ty));
            self.error(position, "type-mismatch", message)
        })
    }

    // ---- names and literals ----

    fn name(&mut self, name: &str, position: Position) -> Lower<Operand> {
        match self.lookup(name).cloned() {
            Some(entity) => {
                self.refuse_ambiguous(name, &entity, position)?;
                self.entity(name, entity, position)
            }
            None => self.unknown_name(name, position),
        }
    }

    pub(super) fn entity(&mut self, name: &str, entity: Entity, position: Position) -> Lower<Operand> {
        let span = self.span(position);
        let place = |base, ty| Ok(Operand::Place(Place { base, path: Vec::new(), ty, span }));
        match entity {
            Entity::Local(local) => {
                let index = model::id::Id::index(local);
                place(PlaceBase::Local(local), self.frame.locals[index].ty)
            }
            Entity::Global(global) => {
                place(PlaceBase::Global(global), self.linker.program.globals[global].ty)
            }
            Entity::Enumerator { value, ty } => {
                Ok(Operand::Value(Expr { kind: ExprKind::Integer(value), ty, span }))
            }
            Entity::Function(function) => {
                let ty = self.linker.function_types[function];
                let ty = self.types().pointer(ty);
                Ok(Operand::Value(Expr { kind: ExprKind::Function(function), ty, span }))
            }
            Entity::Type(_) => {
                let message = format!("the type `{name}` stands where an expression is expected");
                Err(self.error(position, "syntax", message))
            }
            Entity::Failed => Err(super::frame::Reported),
            Entity::Unusable(diagnostic) => {
                let mut diagnostic = *diagnostic;
                diagnostic.related("used here", span);
                self.linker.diagnostics.push(diagnostic);
                Err(super::frame::Reported)
            }
        }
    }

    fn unknown_name(&mut self, name: &str, position: Position) -> Lower<Operand> {
        if self.configuration.is_some() {
            return self.configuration_name(name, position);
        }
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let function = self.frame.function.map(|id| self.linker.program.functions[id].name.clone());
            let text = format!("\"{}\"", function.unwrap_or_default());
            return self.string(&[text], position).map(Operand::Value);
        }
        let names = self.scopes.iter().flat_map(|scope| scope.names.keys().map(String::as_str));
        let advice = candidates(&similar(name, names));
        let error = format!("`{name}` is not declared");
        match advice {
            Some(advice) => Err(self.error_with(position, "unknown-name", error, advice)),
            None => Err(self.error(position, "unknown-name", error)),
        }
    }

    fn number(&mut self, text: &str, position: Position) -> Lower<Expr> {
        let target = self.types().target;
        match literal::number(text, target) {
            Ok(Literal::Integer(value, kind)) => Ok(self.integer(value, kind, position)),
            Ok(Literal::Float(bits, format)) => Ok(self.float(bits, format, position)),
            Err(message) => Err(self.error(position, "bad-literal", format!("`{text}`: {message}"))),
        }
    }

    fn string(&mut self, literals: &[String], position: Position) -> Lower<Expr> {
        let bytes = literal::string(literals).map_err(|text| self.error(position, "bad-literal", text))?;
        let character = self.types().integer(IntegerKind::Char);
        let ty = self.types().pointer(character);
        Ok(Expr { kind: ExprKind::String(bytes), ty, span: self.span(position) })
    }

    // ---- operators ----

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
                    return Err(self.error(position, "type-mismatch", "`+` needs a number"));
                }
                self.promote(operand)
            }
            Prefix::Complement => {
                let operand = self.value(operand)?;
                self.unary(UnaryOp::Complement, operand, position)?
            }
            Prefix::Not => {
                let operand = self.value(operand)?;
                self.unary(UnaryOp::Not, operand, position)?
            }
            Prefix::Dereference => {
                if let Some(place) = self.written_part(operand)? {
                    return Ok(Operand::Place(place));
                }
                let pointer = self.value(operand)?;
                return self.dereference(pointer, position).map(Operand::Place);
            }
            Prefix::Address => self.address_of(operand, position)?,
            Prefix::Increment => {
                let place = self.step(operand, BinaryOp::Add, position)?;
                return self.assigned(place, position);
            }
            Prefix::Decrement => {
                let place = self.step(operand, BinaryOp::Subtract, position)?;
                return self.assigned(place, position);
            }
        };
        Ok(Operand::Value(value))
    }

    fn address_of(&mut self, operand: &Expression, position: Position) -> Lower<Expr> {
        match self.operand(operand)? {
            Operand::Place(place) => {
                if matches!(place.path.last(), Some(Projection::Field { bits: Some(_), .. })) {
                    return Err(self.error(position, "type-mismatch", "a bit-field has no address"));
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
                let message = "the address of a whole string literal is not supported";
                Err(self.error_with(
                    position,
                    "unsupported-string",
                    message,
                    "use the literal itself, or a named array",
                ))
            }
            _ => Err(self.error(position, "no-lvalue", "a value has no address")),
        }
    }

    /// `x++`, `x--` where the value is used: the old one.
    fn postfix(&mut self, operand: &Expression, is_increment: bool, position: Position) -> Lower<Expr> {
        let place = self.place(operand)?;
        let old = self.load(place.clone(), position)?;
        let index = self.out.len();
        let old = self.save_at(index, old);
        self.step_place(place, if is_increment { BinaryOp::Add } else { BinaryOp::Subtract }, position)?;
        Ok(old)
    }

    /// Adds or subtracts one; returns the place.
    fn step(&mut self, operand: &Expression, operator: BinaryOp, position: Position) -> Lower<Place> {
        let place = self.place(operand)?;
        self.step_place(place, operator, position)
    }

    fn step_place(&mut self, place: Place, operator: BinaryOp, position: Position) -> Lower<Place> {
        let old = self.load(place.clone(), position)?;
        let one = self.integer(1, IntegerKind::Int, position);
        let new = self.binary(operator, old, one, position)?;
        let new = self.convert_assigned(new, place.ty, position)?;
        self.emit(StmtKind::Assign(place.clone(), new), position);
        Ok(place)
    }

    /// `left = right`, `left op= right`; returns the place that was written.
    fn assign(
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
        let value = self.convert_assigned(value, place.ty, position)?;
        self.emit(StmtKind::Assign(place.clone(), value), position);
        Ok(place)
    }

    /// The value of an assignment: what is in the place now, but no object.
    fn assigned(&mut self, place: Place, position: Position) -> Lower<Operand> {
        if self.types().record(place.ty).is_some() {
            return Ok(Operand::Place(place));
        }
        self.load(place, position).map(Operand::Value)
    }

    /// `&&` (true) and `||`.
    fn logical(
        &mut self,
        is_and: bool,
        left: &Expression,
        right: &Expression,
        position: Position,
    ) -> Lower<Expr> {
        let left = self.condition(left)?;
        let (right_value, block) = self.in_block(|this| this.condition(right));
        let right_value = right_value?;
        let ty = self.types().int();
        let span = self.span(position);
        if block.is_empty() {
            let types = &self.linker.types;
            let (first, second) = (constant::truth(types, &left), constant::truth(types, &right_value));
            let kind = match (first, second) {
                (Some(first), _) if first != is_and => ExprKind::Integer(i128::from(first)),
                (Some(_), Some(second)) => ExprKind::Integer(i128::from(second)),
                _ if is_and => ExprKind::And(Box::new(left), Box::new(right_value)),
                _ => ExprKind::Or(Box::new(left), Box::new(right_value)),
            };
            return Ok(Expr { kind, ty, span });
        }
        let result = self.temporary(ty, span);
        let truth = self.truth(right_value, position)?;
        let fixed = self.integer(i128::from(!is_and), IntegerKind::Int, position);
        let mut evaluated = block;
        let statement = |kind| crate::c::ir::stmt::Stmt { kind, span };
        evaluated.push(statement(StmtKind::Assign(result.clone(), truth)));
        let short = vec![statement(StmtKind::Assign(result.clone(), fixed))];
        let (then, otherwise) = if is_and { (evaluated, short) } else { (short, evaluated) };
        self.emit(StmtKind::If { condition: left, then, otherwise }, position);
        Ok(Expr { kind: ExprKind::Load(result), ty, span })
    }

    /// 0 or 1 of type `int`.
    fn truth(&mut self, value: Expr, position: Position) -> Lower<Expr> {
        let ty = self.types().integer(IntegerKind::Bool);
        let value = self.convert_assigned(value, ty, position)?;
        let ty = self.types().int();
        Ok(self.convert(value, ty))
    }

    fn conditional(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: &Expression,
        position: Position,
    ) -> Lower<Operand> {
        let mut condition_value = self.condition(condition)?;
        let ((first, then_block), (second, otherwise_block)) = match then {
            Some(then) => {
                (self.in_block(|this| this.branch(then)), self.in_block(|this| this.branch(otherwise)))
            }
            None => {
                let index = self.out.len();
                condition_value = self.save_at(index, condition_value);
                let first = Ok(Some(condition_value.clone()));
                ((first, Vec::new()), self.in_block(|this| this.branch(otherwise)))
            }
        };
        let (Some(first), Some(second)) = (first?, second?) else {
            if !(then_block.is_empty() && otherwise_block.is_empty()) {
                let kind =
                    StmtKind::If { condition: condition_value, then: then_block, otherwise: otherwise_block };
                self.emit(kind, position);
            }
            return Ok(Operand::Void);
        };
        let (first, second) = self.unify_branches(first, second, position)?;
        let ty = first.ty;
        let span = self.span(position);
        if then_block.is_empty() && otherwise_block.is_empty() && self.types().record(ty).is_none() {
            let kind = match constant::truth(&self.linker.types, &condition_value) {
                Some(true) => first.kind,
                Some(false) => second.kind,
                None => ExprKind::Conditional(Box::new(condition_value), Box::new(first), Box::new(second)),
            };
            return Ok(Operand::Value(Expr { kind, ty, span }));
        }
        let result = self.temporary(ty, span);
        let store = |mut block: Vec<_>, value| {
            block.push(crate::c::ir::stmt::Stmt { kind: StmtKind::Assign(result.clone(), value), span });
            block
        };
        let (then, otherwise) = (store(then_block, first), store(otherwise_block, second));
        self.emit(StmtKind::If { condition: condition_value, then, otherwise }, position);
        Ok(Operand::Place(result))
    }

    /// A branch of `?:`; `None` where it is void.
    fn branch(&mut self, expression: &Expression) -> Lower<Option<Expr>> {
        match self.operand(expression)? {
            Operand::Place(place) => self.load(place, expression.position).map(Some),
            Operand::Value(value) => Ok(Some(value)),
            Operand::Void => Ok(None),
        }
    }

    /// The branches of `?:` in their common type (C11 6.5.15).
    fn unify_branches(&mut self, first: Expr, second: Expr, position: Position) -> Lower<(Expr, Expr)> {
        if first.ty == second.ty && !self.types().is_arithmetic(first.ty) {
            return Ok((first, second));
        }
        if self.types().is_arithmetic(first.ty) && self.types().is_arithmetic(second.ty) {
            return Ok(self.usual_conversions(first, second));
        }
        let (left, right) = (self.types().pointee(first.ty), self.types().pointee(second.ty));
        let is_null = |value: &Expr| matches!(value.kind, ExprKind::Integer(0));
        let ty = match (left, right) {
            (Some(_), _) if is_null(&second) => first.ty,
            (_, Some(_)) if is_null(&first) => second.ty,
            (Some(_), Some(right)) if self.types().is_void(right) => second.ty,
            (Some(_), _) => first.ty,
            (None, Some(_)) => second.ty,
            (None, None) => first.ty,
        };
        let first = self.convert_assigned(first, ty, position)?;
        let second = self.convert_assigned(second, ty, position)?;
        Ok((first, second))
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
                "type-mismatch",
                format!("a value cannot be converted to type `{name}`"),
            ));
        }
        let value = self.convert_assigned(value, ty, position)?;
        let mut value = Self::detached(value);
        value.span = self.span(position);
        Ok(Operand::Value(value))
    }

    // ---- parts of objects ----

    fn index(&mut self, array: &Expression, index: &Expression, position: Position) -> Lower<Place> {
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
                    return Err(self.error(position, "type-mismatch", "an index must be an integer"));
                }
                self.refuse_index_outside(&index_value, length, position)?;
                place.path.push(Projection::Index { index: Box::new(index_value), element, length });
                Ok(Place { ty: element, span: self.span(position), ..place })
            }
            (Operand::Void, _) => Err(self.error(position, "type-mismatch", "a `void` has no elements")),
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

    fn member(
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
        let mut place = if let Some(place) = written {
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
                _ => return Err(self.error(position, "type-mismatch", "this has no members")),
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

    /// Steps into a member of a place, through unnamed members where it is inside one.
    pub(super) fn project(&mut self, place: &mut Place, name: &Name) -> Lower<()> {
        let Some(record) = self.types().record(place.ty) else {
            let ty = self.types().name(place.ty);
            let is_pointer = self.types().pointee(place.ty).is_some();
            let message = format!("a value of type `{ty}` has no member `{}`", name.text);
            return Err(match is_pointer {
                true => {
                    self.error_with(name.position, "unknown-member", message, "write `->` instead of `.`")
                }
                false => self.error(name.position, "unknown-member", message),
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
    fn find_member(&self, record: RecordId, name: &str) -> Option<Vec<(RecordId, usize)>> {
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

    fn unknown_member(&mut self, record: RecordId, name: &Name) -> super::frame::Reported {
        let record = &self.linker.types.table.records[record];
        let Some(fields) = &record.fields else {
            let message = format!("the type of this object, `{}`, is incomplete here", record.name);
            return self.error(name.position, "incomplete-type", message);
        };
        let found = similar(&name.text, fields.iter().map(|field| field.name.as_str()));
        let message = format!("`{}` has no member `{}`", record.name, name.text);
        match candidates(&found) {
            Some(advice) => self.error_with(name.position, "unknown-member", message, advice),
            None => self.error(name.position, "unknown-member", message),
        }
    }

    // ---- sizes ----

    fn size_of(&mut self, ty: TypeId, position: Position) -> Lower<Expr> {
        // GNU: the size of void and functions is 1.
        let is_odd = matches!(self.types().get(ty), Type::Void | Type::Function { .. });
        let size = if is_odd { Some(1) } else { self.types().size(ty) };
        let Some(size) = size else {
            let name = self.types().name(ty);
            return Err(self.error(
                position,
                "incomplete-type",
                format!("the size of type `{name}` is not known here"),
            ));
        };
        let kind = self.types().size_kind();
        Ok(self.integer(i128::from(size), kind, position))
    }

    fn sizeof_expression(&mut self, operand: &Expression, position: Position) -> Lower<Expr> {
        if let Kind::String(literals) = &operand.kind {
            let bytes =
                literal::string(literals).map_err(|text| self.error(position, "bad-literal", text))?;
            let kind = self.types().size_kind();
            return Ok(self.integer(bytes.len() as i128 + 1, kind, position));
        }
        let ty = self.type_of(operand)?;
        self.size_of(ty, position)
    }

    /// The type of an expression that is not evaluated, arrays not decayed.
    pub(super) fn type_of(&mut self, expression: &Expression) -> Lower<TypeId> {
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

/// Advice that names candidates.
pub(super) fn candidates(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => None,
        [single] => Some(format!("did you mean {single}?")),
        [several @ .., last] => Some(format!("did you mean {} or {last}?", several.join(", "))),
    }
}
