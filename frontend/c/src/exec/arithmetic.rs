//! C's arithmetic on terms: operators and conversions, with a hazard where C leaves the result
//! undefined.

use super::hazard::HazardKind;
use super::layout::{Kind, POINTER_WIDTH};
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::expr::{BinaryOp as COp, Expr, ExprKind};
use crate::ir::types::{BitField, Type, TypeId};
use frontend::source::Span;
use model::sort::FloatFormat;
use model::term::{BinaryOp, TermId, UnaryOp};
use model::value::Value;

/// Two operands, their width and sign, and the state that guards what is undefined about them.
#[derive(Clone, Copy)]
struct Integers<'a> {
    left: TermId,
    right: TermId,
    width: u32,
    signed: bool,
    state: &'a State,
    span: Span,
}

impl Machine<'_> {
    /// `-x`.
    pub(super) fn negate(&mut self, state: &State, value: TermId, expr: &Expr) -> TermId {
        if self.system.terms.sort(value).float_format().is_some() {
            return self.system.terms.unary(UnaryOp::FloatNeg, value);
        }
        if self.is_signed(expr.ty) {
            let width = self.system.terms.width(value);
            let smallest = self.system.terms.word(width, 1 << (width - 1));
            let overflow = self.system.terms.equal(value, smallest);
            self.hazard(state, overflow, HazardKind::Overflow, expr.span);
        }
        self.system.terms.unary(UnaryOp::Neg, value)
    }

    /// An operator that is no comparison.
    pub(super) fn binary(
        &mut self,
        state: &State,
        op: COp,
        (left, lhs): (TermId, &Expr),
        (right, rhs): (TermId, &Expr),
        expr: &Expr,
    ) -> Outcome<TermId> {
        match op {
            COp::PointerAdd => {
                let stride = self.pointee_stride(lhs.ty);
                return Ok(self.pointer_add(left, right, stride));
            }
            COp::PointerDifference => return Ok(self.pointer_difference(state, (left, right), lhs.ty, expr)),
            _ => {}
        }
        if self.system.terms.sort(left).float_format().is_some() {
            return Ok(self.float_binary(op, left, right));
        }
        let width = self.system.terms.width(left);
        let signed = self.is_signed(lhs.ty);
        let operands = Integers { left, right, width, signed, state, span: expr.span };
        Ok(match op {
            COp::Add | COp::Subtract | COp::Multiply => self.wrapping(op, operands),
            COp::Divide | COp::Remainder => self.division(op, operands),
            COp::ShiftLeft | COp::ShiftRight => self.shifted(op, operands, self.is_signed(rhs.ty)),
            COp::BitAnd => self.system.terms.and(left, right),
            COp::BitOr => self.system.terms.or(left, right),
            COp::BitXor => self.system.terms.binary(BinaryOp::Xor, left, right),
            _ => panic!("comparisons and pointers should be treated elsewhere"),
        })
    }

    fn float_binary(&mut self, op: COp, left: TermId, right: TermId) -> TermId {
        let op = match op {
            COp::Add => BinaryOp::FloatAdd,
            COp::Subtract => BinaryOp::FloatSub,
            COp::Multiply => BinaryOp::FloatMul,
            COp::Divide => BinaryOp::FloatDiv,
            _ => panic!("floats should have arithmetic operators only"),
        };
        self.system.terms.binary(op, left, right)
    }

    fn wrapping(&mut self, op: COp, operands: Integers<'_>) -> TermId {
        let Integers { left, right, signed, .. } = operands;
        let op = match op {
            COp::Add => BinaryOp::Add,
            COp::Subtract => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let result = self.system.terms.binary(op, left, right);
        if signed && !self.fits(op, operands) {
            self.overflow_hazard(op, operands, result);
        }
        result
    }

    /// Whether the ranges of the operands show that the result fits its type.
    fn fits(&mut self, op: BinaryOp, operands: Integers<'_>) -> bool {
        let left = self.ranges.signed(&self.system.terms, operands.left);
        let right = self.ranges.signed(&self.system.terms, operands.right);
        let (low, high) = match op {
            BinaryOp::Add => (left.0 + right.0, left.1 + right.1),
            BinaryOp::Sub => (left.0 - right.1, left.1 - right.0),
            _ => {
                let products = [left.0 * right.0, left.0 * right.1, left.1 * right.0, left.1 * right.1];
                (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
            }
        };
        let limit = 1i128 << (operands.width - 1);
        -limit <= low && high < limit
    }

    fn overflow_hazard(&mut self, op: BinaryOp, operands: Integers<'_>, result: TermId) {
        let Integers { left, right, width, state, span, .. } = operands;
        let terms = &mut self.system.terms;
        let condition = if op == BinaryOp::Mul {
            let (wide_left, wide_right) =
                (terms.resize(left, 2 * width, true), terms.resize(right, 2 * width, true));
            let product = terms.binary(BinaryOp::Mul, wide_left, wide_right);
            let back = terms.resize(result, 2 * width, true);
            let same = terms.equal(product, back);
            terms.not(same)
        } else {
            // The sign of the result differs from that of the left operand, and the right operand
            // does not explain it.
            let sign = |terms: &mut model::term::TermPool, term| terms.extract(term, width - 1, width - 1);
            let (left, mut right, result) = (sign(terms, left), sign(terms, right), sign(terms, result));
            if op == BinaryOp::Sub {
                right = terms.not(right);
            }
            let changed = terms.binary(BinaryOp::Xor, left, result);
            let against = terms.binary(BinaryOp::Xor, right, result);
            terms.and(changed, against)
        };
        self.hazard(state, condition, HazardKind::Overflow, span);
    }

    fn division(&mut self, op: COp, operands: Integers<'_>) -> TermId {
        let Integers { left, right, width, signed, state, span } = operands;
        let terms = &mut self.system.terms;
        let zero = terms.word(width, 0);
        let by_zero = terms.equal(right, zero);
        self.hazard(state, by_zero, HazardKind::DivisionByZero, span);
        if signed {
            let terms = &mut self.system.terms;
            let (smallest, ones) = (terms.word(width, 1 << (width - 1)), terms.word(width, u128::MAX));
            let (is_smallest, is_ones) = (terms.equal(left, smallest), terms.equal(right, ones));
            let overflow = terms.and(is_smallest, is_ones);
            self.hazard(state, overflow, HazardKind::DivisionOverflow, span);
        }
        let op = match (op, signed) {
            (COp::Divide, true) => BinaryOp::SDiv,
            (COp::Divide, false) => BinaryOp::UDiv,
            (_, true) => BinaryOp::SRem,
            (_, false) => BinaryOp::URem,
        };
        self.system.terms.binary(op, left, right)
    }

    fn shifted(&mut self, op: COp, operands: Integers<'_>, amount_signed: bool) -> TermId {
        let Integers { left, right: amount, width, signed, state, span } = operands;
        let amount_width = self.system.terms.width(amount);
        let limit = self.system.terms.word(amount_width, u128::from(width));
        let inside = self.system.terms.binary(BinaryOp::ULt, amount, limit);
        let outside = self.system.terms.not(inside);
        self.hazard(state, outside, HazardKind::Shift, span);
        let terms = &mut self.system.terms;
        let amount = if amount_width <= width {
            terms.resize(amount, width, amount_signed)
        } else {
            let cut = terms.resize(amount, width, false);
            let most = terms.word(width, u128::from(width));
            terms.ite(inside, cut, most)
        };
        let op = match (op, signed) {
            (COp::ShiftLeft, _) => BinaryOp::Shl,
            (_, true) => BinaryOp::AShr,
            (_, false) => BinaryOp::LShr,
        };
        let result = terms.binary(op, left, amount);
        if op == BinaryOp::Shl && signed {
            let back = terms.binary(BinaryOp::AShr, result, amount);
            let same = terms.equal(back, left);
            let lost = terms.not(same);
            let (low, high) = self.ranges.signed(&self.system.terms, left);
            let most = self.ranges.unsigned(&self.system.terms, amount).1.min(64);
            let limit = 1i128 << (width - 1);
            let fits = low >= 0
                && high.checked_shl(most as u32).is_some_and(|high| high >> most == high && high < limit);
            if !fits {
                self.hazard(state, lost, HazardKind::Overflow, span);
            }
        }
        result
    }

    fn pointee_stride(&self, pointer: TypeId) -> u64 {
        match self.layouts.type_of(pointer) {
            Type::Pointer(pointee) => self.layouts.stride(*pointee).unwrap_or(1),
            _ => 1,
        }
    }

    fn pointer_difference(
        &mut self,
        state: &State,
        (left, right): (TermId, TermId),
        pointer: TypeId,
        expr: &Expr,
    ) -> TermId {
        self.same_object(state, left, right, expr.span);
        let stride = self.pointee_stride(pointer).max(1);
        let width = self.sort_of(expr.ty).width();
        let terms = &mut self.system.terms;
        let (left, right) = (terms.extract(left, 31, 0), terms.extract(right, 31, 0));
        let bytes = terms.binary(BinaryOp::Sub, left, right);
        let size = terms.word(32, u128::from(stride));
        let elements = terms.binary(BinaryOp::SDiv, bytes, size);
        terms.resize(elements, width, true)
    }

    /// A value of one scalar type converted to another that is not `_Bool`.
    pub(super) fn convert(
        &mut self,
        state: &State,
        value: TermId,
        from: TypeId,
        to: TypeId,
        span: Span,
    ) -> Outcome<TermId> {
        let scalar = |ty| self.layouts.scalar(ty, None).expect("only scalars should be converted");
        let (source, target) = (scalar(from), scalar(to));
        match (source.kind, target.kind) {
            (Kind::Word, Kind::Word) => Ok(self.system.terms.resize(value, target.extent, source.signed)),
            (Kind::Pointer, Kind::Pointer) => Ok(value),
            (Kind::Word, Kind::Float(format)) => {
                let op = match source.signed {
                    true => UnaryOp::FloatFromSigned(format),
                    false => UnaryOp::FloatFromUnsigned(format),
                };
                Ok(self.system.terms.unary(op, value))
            }
            (Kind::Float(old), Kind::Float(new)) => Ok(if old == new {
                value
            } else {
                self.system.terms.unary(UnaryOp::FloatConvert(new), value)
            }),
            (Kind::Float(format), Kind::Word) => {
                self.float_range_hazard(state, (value, format), (target.extent, target.signed), span);
                let width = target.extent as u8;
                let op = match target.signed {
                    true => UnaryOp::FloatToSigned(width),
                    false => UnaryOp::FloatToUnsigned(width),
                };
                Ok(self.system.terms.unary(op, value))
            }
            (Kind::Word, Kind::Pointer) => self.integer_to_pointer(value, source.signed, span),
            (Kind::Pointer, Kind::Word) => self.pointer_to_integer(value, target.extent, span),
            (Kind::Pointer, Kind::Float(_)) | (Kind::Float(_), Kind::Pointer) => {
                panic!("C should not convert between pointers and floats")
            }
        }
    }

    /// A float that becomes the value of a bit-field has to fit its bits: the type that it is
    /// converted to has no more of them (C11 6.3.1.4, 6.7.2.1).
    pub(super) fn narrow_float_hazard(
        &mut self,
        frame: &Frame,
        state: &State,
        (ty, bits): (TypeId, Option<BitField>),
        value: &Expr,
    ) -> Outcome<()> {
        let (Some(bits), ExprKind::Convert(float)) = (bits, &value.kind) else { return Ok(()) };
        let scalars = (self.layouts.scalar(float.ty, None), self.layouts.scalar(ty, Some(bits)));
        if let (Some(from), Some(to)) = scalars
            && let (Kind::Float(format), Kind::Word) = (from.kind, to.kind)
            && !self.is_bool(ty)
        {
            let number = self.evaluate(frame, state, float)?;
            self.float_range_hazard(state, (number, format), (bits.width, to.signed), value.span);
        }
        Ok(())
    }

    fn float_range_hazard(
        &mut self,
        state: &State,
        (value, format): (TermId, FloatFormat),
        (width, signed): (u32, bool),
        span: Span,
    ) {
        let number = |number: f64| match format {
            FloatFormat::Single => Value::single(number as f32),
            FloatFormat::Double => Value::double(number),
        };
        let above = 2f64.powi((width - u32::from(signed)) as i32);
        // The least number whose truncation fits lies strictly above -2^(w-1) - 1 where that number
        // exists, else it is -2^(w-1).
        let exact = width - 1 < format.fraction_bits();
        let (below, or_equal) = match (signed, exact) {
            (false, _) => (-1.0, false),
            (true, true) => (-above - 1.0, false),
            (true, false) => (-above, true),
        };
        let terms = &mut self.system.terms;
        let (low, high) = (terms.constant(number(below)), terms.constant(number(above)));
        let op = if or_equal { BinaryOp::FloatLe } else { BinaryOp::FloatLt };
        let above_low = terms.binary(op, low, value);
        let below_high = terms.binary(BinaryOp::FloatLt, value, high);
        let inside = terms.and(above_low, below_high);
        let outside = terms.not(inside);
        self.hazard(state, outside, HazardKind::FloatRange, span);
    }

    fn integer_to_pointer(&mut self, value: TermId, signed: bool, span: Span) -> Outcome<TermId> {
        let width = self.system.terms.width(value);
        match self.system.terms.as_const(value) {
            Some(number) if number.bits() == 0 => Ok(self.system.terms.word(POINTER_WIDTH, 0)),
            Some(_) => Err(self.fail_with(
                Code::UnsupportedAbsoluteAddress,
                span,
                "a number is used as an address".to_owned(),
                "memory-mapped registers have to be replaced by objects, for example by a macro or an own header",
            )),
            None if width == POINTER_WIDTH => Ok(self.system.terms.resize(value, POINTER_WIDTH, signed)),
            None => Err(self.fail(Code::UnsupportedAbsoluteAddress, span, "an integer is converted to a pointer")),
        }
    }

    fn pointer_to_integer(&mut self, value: TermId, width: u32, span: Span) -> Outcome<TermId> {
        let is_offset = self.system.terms.as_const(value).is_some_and(|value| value.bits() >> 32 == 0);
        if is_offset {
            return Ok(self.system.terms.resize(value, width, false));
        }
        Err(self.fail_with(
            Code::UnsupportedPointerNumber,
            span,
            "a pointer is converted to an integer".to_owned(),
            "addresses have no fixed numbers; compare or subtract pointers instead",
        ))
    }
}
