//! Conversions and operators on expressions that are lowered already.

use super::constant;
use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::syntax::ast::Position;
use frontend::source::Span;
use model::sort::FloatFormat;

impl Lowering<'_> {
    pub(super) fn integer(&mut self, value: i128, kind: IntegerKind, position: Position) -> Expr {
        let ty = self.types().integer(kind);
        Expr { kind: ExprKind::Integer(value), ty, span: self.span(position) }
    }

    /// The number of bits where an expression reads a bit-field.
    fn bit_field_width(value: &Expr) -> Option<u32> {
        if let ExprKind::Probe(_, inner) = &value.kind {
            return Self::bit_field_width(inner);
        }
        let ExprKind::Load(place) = &value.kind else { return None };
        match place.path.last() {
            Some(Projection::Field { bits: Some(bits), .. }) => Some(bits.width),
            _ => None,
        }
    }

    /// What a bit-field promotes to: `int` where that holds its values; a wider one stays as wide
    /// as it is, which gcc has so and clang not. `None` for what is none, or is as wide as its
    /// type.
    pub(super) fn promoted_bit_field(&mut self, value: &Expr) -> Option<IntegerKind> {
        let width = Self::bit_field_width(value)?;
        let kind = self.types().kind(value.ty)?;
        let target = self.types().target;
        let int_bits = IntegerKind::Int.bits(target);
        match width {
            _ if width < int_bits || width == int_bits && kind.is_signed() => Some(IntegerKind::Int),
            _ if width == int_bits => Some(IntegerKind::UnsignedInt),
            _ if width < kind.bits(target) => {
                self.warn_of_wide_bit_field(value.span);
                let exact = IntegerKind::Exact(width as u8);
                Some(if kind.is_signed() { exact } else { exact.to_unsigned() })
            }
            _ => None,
        }
    }

    /// Says once that compilers differ.
    fn warn_of_wide_bit_field(&mut self, span: Span) {
        let code = Code::WideBitField;
        let known = self.linker.diagnostics.entries.iter().chain(&self.linker.program.warnings.entries);
        if known.into_iter().any(|entry| entry.code == code) {
            return;
        }
        let message = "what is computed from a bit-field wider than `int` is as wide as the bit-field here, as gcc has it";
        self.linker.diagnostics.warning(code, Some(span), message).advice(
            "clang computes in the declared type: results that do not fit the bit-field differ; to have the same \
             everywhere, convert it first",
        );
    }

    /// Integer promotion (C11 6.3.1.1); other types stay.
    pub(super) fn promote(&mut self, value: Expr) -> Expr {
        let Some(kind) = self.types().kind(value.ty) else { return value };
        let promoted = match self.promoted_bit_field(&value) {
            Some(promoted) => promoted,
            None => self.types().promoted(kind),
        };
        let ty = self.types().integer(promoted);
        self.convert(value, ty)
    }

    /// A value that is no bit-field any more, though it has the same type.
    pub(super) fn detached(value: Expr) -> Expr {
        match Self::bit_field_width(&value) {
            Some(_) => Expr { ty: value.ty, span: value.span, kind: ExprKind::Convert(Box::new(value)) },
            None => value,
        }
    }

    /// A conversion that is known to be possible.
    pub(super) fn convert(&mut self, value: Expr, ty: TypeId) -> Expr {
        if value.ty == ty {
            return value;
        }
        if let ExprKind::Convert(inner) = &value.kind
            && self.is_widening(inner, value.ty)
            && self.types().kind(ty).is_some()
        {
            let ExprKind::Convert(inner) = value.kind else {
                unreachable!("it was a conversion a moment ago")
            };
            return self.convert(*inner, ty);
        }
        let span = value.span;
        let kind = match constant::convert(&self.linker.types, &value, ty) {
            Some(kind) => kind,
            None if self.is_null(&value) && self.types().pointee(ty).is_some() => ExprKind::Integer(0),
            None => ExprKind::Convert(Box::new(value)),
        };
        Expr { kind, ty, span }
    }

    /// Whether a conversion keeps every value, so that another one behind it needs only the
    /// operand.
    fn is_widening(&mut self, value: &Expr, to: TypeId) -> bool {
        let (Some(from), Some(to)) = (self.types().kind(value.ty), self.types().kind(to)) else {
            return false;
        };
        let target = self.types().target;
        let (from, to) = (from.range(target), to.range(target));
        to.0 <= from.0 && from.1 <= to.1 && Self::bit_field_width(value).is_none()
    }

    fn is_null(&self, value: &Expr) -> bool {
        matches!(value.kind, ExprKind::Integer(0))
    }

    /// The conversion of an assignment to a place. What a constant float becomes in a bit-field
    /// that it does not fit is not computed here, but left to who can report it.
    pub(super) fn convert_stored(&mut self, value: Expr, place: &Place, position: Position) -> Lower<Expr> {
        let bits = match place.path.last() {
            Some(Projection::Field { bits: Some(bits), .. }) if self.types().format(value.ty).is_some() => {
                bits.width
            }
            _ => return self.convert_assigned(value, place.ty, position),
        };
        let converted = self.convert_assigned(value.clone(), place.ty, position)?;
        let target = self.types().target;
        let is_signed = self.types().kind(place.ty).is_some_and(|kind| kind.range(target).0 < 0);
        let least = if is_signed { -1i128 << (bits - 1) } else { 0 };
        match converted.kind {
            ExprKind::Integer(number) if !(least..least + (1i128 << bits)).contains(&number) => {
                Ok(Expr { kind: ExprKind::Convert(Box::new(value)), ..converted })
            }
            _ => Ok(converted),
        }
    }

    /// The conversion of an assignment, an argument, a result (C11 6.5.16.1).
    pub(super) fn convert_assigned(&mut self, value: Expr, ty: TypeId, position: Position) -> Lower<Expr> {
        if value.ty == ty {
            return Ok(value);
        }
        let from_scalar = self.types().table.is_scalar(value.ty);
        let is_convertible = match self.linker.types.get(ty) {
            Type::Integer(_) | Type::Boolean { .. } | Type::Enum(_) => from_scalar,
            Type::Float(_) => self.linker.types.is_arithmetic(value.ty),
            Type::Pointer(_) => from_scalar && self.linker.types.format(value.ty).is_none(),
            Type::Record(_) => self.linker.types.compatible(value.ty, ty),
            _ => false,
        };
        if is_convertible {
            if self.types().record(ty).is_some() {
                return Ok(Expr { ty, ..value });
            }
            return Ok(self.convert(value, ty));
        }
        let (from, to) = (self.types().name(value.ty), self.types().name(ty));
        Err(self.error(
            position,
            Code::TypeMismatch,
            format!("a value of type `{from}` cannot become `{to}`"),
        ))
    }

    /// Both operands in their common type (C11 6.3.1.8).
    pub(super) fn usual_conversions(&mut self, left: Expr, right: Expr) -> (Expr, Expr) {
        let (first, second) = (self.types().format(left.ty), self.types().format(right.ty));
        if let Some(format) = first.max(second) {
            let ty = self.types().float(format);
            return (self.convert(left, ty), self.convert(right, ty));
        }
        let (left, right) = (self.promote(left), self.promote(right));
        let (Some(first), Some(second)) = (self.types().kind(left.ty), self.types().kind(right.ty)) else {
            return (left, right);
        };
        let common = self.types().common_integer(first, second);
        let ty = self.types().integer(common);
        (self.convert(left, ty), self.convert(right, ty))
    }

    /// A scalar that is tested against zero.
    pub(super) fn tested(&mut self, value: Expr, position: Position) -> Lower<Expr> {
        if self.types().table.is_scalar(value.ty) {
            return Ok(value);
        }
        let name = self.types().name(value.ty);
        Err(self.error(
            position,
            Code::TypeMismatch,
            format!("a value of type `{name}` is neither true nor false"),
        ))
    }

    // ---- operators ----

    pub(super) fn unary(&mut self, operator: UnaryOp, operand: Expr, position: Position) -> Lower<Expr> {
        let is_possible = match operator {
            UnaryOp::Negate => self.types().is_arithmetic(operand.ty),
            UnaryOp::Complement => self.types().kind(operand.ty).is_some(),
            UnaryOp::Not => self.types().table.is_scalar(operand.ty),
        };
        if !is_possible {
            let name = self.types().name(operand.ty);
            let message = format!("this operator has no meaning for type `{name}`");
            return Err(self.error(position, Code::TypeMismatch, message));
        }
        let (operand, ty) = match operator {
            UnaryOp::Not => (operand, self.types().int()),
            _ => {
                let promoted = self.promote(operand);
                let ty = promoted.ty;
                (promoted, ty)
            }
        };
        let kind = match constant::unary(&self.linker.types, operator, &operand) {
            Some(kind) => kind,
            None => ExprKind::Unary(operator, Box::new(operand)),
        };
        Ok(Expr { kind, ty, span: self.span(position) })
    }

    pub(super) fn binary(
        &mut self,
        operator: BinaryOp,
        left: Expr,
        right: Expr,
        position: Position,
    ) -> Lower<Expr> {
        let (left_pointer, right_pointer) =
            (self.types().pointee(left.ty).is_some(), self.types().pointee(right.ty).is_some());
        if left_pointer || right_pointer {
            return self.pointer_binary(operator, left, right, position);
        }
        let both = |test: &dyn Fn(TypeId) -> bool| test(left.ty) && test(right.ty);
        let types = &self.linker.types;
        use BinaryOp::*;
        let is_possible = match operator {
            Remainder | ShiftLeft | ShiftRight | BitAnd | BitOr | BitXor => {
                both(&|ty| types.kind(ty).is_some())
            }
            _ => both(&|ty| types.is_arithmetic(ty)),
        };
        if !is_possible {
            return Err(self.operand_error(&left, &right, position));
        }
        let (left, right) = match operator {
            ShiftLeft | ShiftRight => (self.promote(left), self.promote(right)),
            _ => self.usual_conversions(left, right),
        };
        Ok(self.folded(operator, left, right, position))
    }

    fn operand_error(&mut self, left: &Expr, right: &Expr, position: Position) -> super::frame::Reported {
        let (left, right) = (self.types().name(left.ty), self.types().name(right.ty));
        let message = format!("this operator has no meaning for types `{left}` and `{right}`");
        self.error(position, Code::TypeMismatch, message)
    }

    fn folded(&mut self, operator: BinaryOp, left: Expr, right: Expr, position: Position) -> Expr {
        use BinaryOp::*;
        let ty = match operator {
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => self.types().int(),
            _ => left.ty,
        };
        let kind = match constant::binary(&self.linker.types, operator, &left, &right) {
            Some(kind) => kind,
            None => ExprKind::Binary(operator, Box::new(left), Box::new(right)),
        };
        Expr { kind, ty, span: self.span(position) }
    }

    fn pointer_binary(
        &mut self,
        operator: BinaryOp,
        left: Expr,
        right: Expr,
        position: Position,
    ) -> Lower<Expr> {
        use BinaryOp::*;
        let (first, second) = (self.types().pointee(left.ty), self.types().pointee(right.ty));
        match (operator, first, second) {
            (Add, Some(_), None) => self.pointer_add(left, right, false, position),
            (Add, None, Some(_)) => self.pointer_add(right, left, false, position),
            (Subtract, Some(_), None) => self.pointer_add(left, right, true, position),
            (Subtract, Some(first), Some(second)) => {
                if self.types().is_void(first) && self.types().is_void(second) {
                    let ((left, _), (right, _)) = (self.as_bytes(left), self.as_bytes(right));
                    return self.pointer_binary(operator, left, right, position);
                }
                self.element_size(first, position)?;
                if !self.types().compatible(first, second) {
                    return Err(self.operand_error(&left, &right, position));
                }
                let kind = self.types().pointer_sized();
                let ty = self.types().integer(kind);
                let right = self.convert(right, left.ty);
                let kind = ExprKind::Binary(PointerDifference, Box::new(left), Box::new(right));
                Ok(Expr { kind, ty, span: self.span(position) })
            }
            (Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, ..) => {
                let ty = if first.is_some() && !self.is_null(&left) { left.ty } else { right.ty };
                let ty = if self.types().pointee(ty).is_some() { ty } else { left.ty };
                let (left, right) =
                    (self.convert_assigned(left, ty, position)?, self.convert_assigned(right, ty, position)?);
                let ty = self.types().int();
                let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
                Ok(Expr { kind, ty, span: self.span(position) })
            }
            _ => Err(self.operand_error(&left, &right, position)),
        }
    }

    /// Size of what a pointer points to, which arithmetic needs. GNU: 1 for `void` and functions.
    fn element_size(&mut self, ty: TypeId, position: Position) -> Lower<()> {
        if self.types().size(ty).is_some() {
            return Ok(());
        }
        let name = self.types().name(ty);
        let message = format!("arithmetic on a pointer to `{name}`, whose size is not known");
        Err(self.error(position, Code::TypeMismatch, message))
    }

    pub(super) fn pointer_add(
        &mut self,
        pointer: Expr,
        index: Expr,
        is_negative: bool,
        position: Position,
    ) -> Lower<Expr> {
        let pointee = self.types().pointee(pointer.ty);
        if self.types().kind(index.ty).is_none() || pointee.is_none() {
            return Err(self.operand_error(&pointer, &index, position));
        }
        let (pointer, result) = self.as_bytes(pointer);
        if let Some(pointee) = self.types().pointee(pointer.ty) {
            self.element_size(pointee, position)?;
        }
        let kind = self.types().pointer_sized();
        let ty = self.types().integer(kind);
        let mut index = self.promote(index);
        index = self.convert(index, ty);
        if is_negative {
            index = self.unary(UnaryOp::Negate, index, position)?;
        }
        let ty = pointer.ty;
        let kind = match offset_element(&pointer, &index) {
            Some(place) => ExprKind::AddressOf(place),
            None if matches!(index.kind, ExprKind::Integer(0)) => return Ok(self.convert(pointer, result)),
            None => ExprKind::Binary(BinaryOp::PointerAdd, Box::new(pointer), Box::new(index)),
        };
        let sum = Expr { kind, ty, span: self.span(position) };
        Ok(self.convert(sum, result))
    }

    /// GNU: arithmetic on `void *` counts bytes. Returns the pointer to count with and the type of
    /// the result.
    fn as_bytes(&mut self, pointer: Expr) -> (Expr, TypeId) {
        let result = pointer.ty;
        let is_void = self.linker.types.pointee(result).is_some_and(|to| self.linker.types.is_void(to));
        if !is_void {
            return (pointer, result);
        }
        let byte = self.types().integer(IntegerKind::Char);
        let ty = self.types().pointer(byte);
        (self.convert(pointer, ty), result)
    }

    // ---- places ----

    /// The value of a place: arrays become the address of their first element.
    pub(super) fn load(&mut self, place: Place, position: Position) -> Lower<Expr> {
        let span = self.span(position);
        match *self.linker.types.get(place.ty) {
            Type::Array { element, length } => {
                let kind = self.types().pointer_sized();
                let index = Box::new(self.integer(0, kind, position));
                let ty = self.types().pointer(element);
                let mut place = Place { ty: element, ..place };
                place.path.push(Projection::Index { index, element, length });
                Ok(Expr { kind: ExprKind::AddressOf(place), ty, span })
            }
            Type::Function { .. } => match place.base {
                // `*pointer` to a function is the function again, which decays to the pointer.
                PlaceBase::Deref(pointer) if place.path.is_empty() => Ok(*pointer),
                _ => unreachable!("only pointers should lead to functions"),
            },
            Type::Void => Err(self.error(position, Code::TypeMismatch, "a `void` has no value")),
            _ if self.linker.types.size(place.ty).is_none() => {
                let name = self.types().name(place.ty);
                Err(self.error(
                    position,
                    Code::IncompleteType,
                    format!("the type `{name}` is incomplete here"),
                ))
            }
            _ => Ok(Expr { ty: place.ty, kind: ExprKind::Load(place), span }),
        }
    }

    /// What a pointer points to.
    pub(super) fn dereference(&mut self, pointer: Expr, position: Position) -> Lower<Place> {
        let Some(ty) = self.types().pointee(pointer.ty) else {
            let name = self.types().name(pointer.ty);
            return Err(self.error(
                position,
                Code::TypeMismatch,
                format!("a value of type `{name}` is no pointer"),
            ));
        };
        let span = self.span(position);
        match pointer.kind {
            ExprKind::AddressOf(place) if place.ty == ty => Ok(Place { span, ..place }),
            _ => Ok(Place { base: PlaceBase::Deref(Box::new(pointer)), path: Vec::new(), ty, span }),
        }
    }

    /// A floating-point constant.
    pub(super) fn float(&mut self, bits: u64, format: FloatFormat, position: Position) -> Expr {
        let ty = self.types().float(format);
        Expr { kind: ExprKind::Float(bits), ty, span: self.span(position) }
    }
}

/// `&a[0] + i` is `&a[i]`.
fn offset_element(pointer: &Expr, index: &Expr) -> Option<Place> {
    let ExprKind::AddressOf(place) = &pointer.kind else { return None };
    let Some(Projection::Index { index: first, element, .. }) = place.path.last() else { return None };
    if !matches!(first.kind, ExprKind::Integer(0)) || *element != place.ty {
        return None;
    }
    let mut place = place.clone();
    if let Some(Projection::Index { index: last, .. }) = place.path.last_mut() {
        **last = index.clone();
    }
    Some(place)
}
