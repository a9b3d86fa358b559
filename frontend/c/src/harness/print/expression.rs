//! Printing places and expressions.

use super::{Print, Printer, canonical, function_address, literal, load_text, value_type};
use crate::exec::layout::{Kind, Scalar};
use crate::exec::object::Origin;
use crate::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::ir::types::{BitField, Type};
use model::sort::FloatFormat;

impl Printer<'_> {
    /// The address of a place, and the bit-field it is.
    pub(super) fn place(&mut self, place: &Place) -> Print<(String, Option<BitField>)> {
        let mut address = match &place.base {
            PlaceBase::Global(global) => self.fixed(&Origin::Global(*global)),
            PlaceBase::Local(local) => self.local_address(*local),
            PlaceBase::Part(_) => unreachable!("only conditions should speak of parts of functions"),
            PlaceBase::Deref(pointer) => self.value(pointer)?,
        };
        let mut bits = None;
        for projection in &place.path {
            match projection {
                Projection::Field { offset, bits: field, .. } => {
                    bits = *field;
                    if *offset > 0 {
                        address = format!("within({address}, {offset})");
                    }
                }
                Projection::Index { index, element, length } => {
                    let size = self.size(*element);
                    let index_text = self.value(index)?;
                    address = match length {
                        Some(length) => {
                            let wide = if self.scalar(index.ty).signed { "int64_t" } else { "uint64_t" };
                            format!(
                                "element({address}, (uint64_t)({wide})({index_text}), {length}u, {size}u)"
                            )
                        }
                        None => format!("({address} + (uint64_t)(int64_t)({index_text}) * {size}u)"),
                    };
                }
            }
        }
        Ok((address, bits))
    }

    pub(super) fn fixed(&self, origin: &Origin) -> String {
        match self.blueprint.find(origin) {
            Some(object) => format!("{}u", self.map.objects[&object.number]),
            None => "0u".to_owned(),
        }
    }

    // ---- expressions ----

    /// A truth: C's `int`.
    pub(super) fn truth(&mut self, expr: &Expr) -> Print<String> {
        Ok(format!("({} != 0)", self.value(expr)?))
    }

    /// The value of a scalar expression, of its [value type](value_type).
    pub(super) fn value(&mut self, expr: &Expr) -> Print<String> {
        let scalar = self.scalar(expr.ty);
        let text = self.unwrapped(expr, scalar)?;
        let kind = value_type(scalar);
        // C has no types of other widths: what does not fit is cut off.
        Ok(match (scalar.kind, scalar.signed) {
            _ if matches!(scalar.extent, 1 | 8 | 16 | 32 | 64) => text,
            (Kind::Word, true) => {
                let mask = u64::MAX >> (64 - scalar.extent);
                format!("(({kind})widened((uint64_t)({text}) & 0x{mask:x}ull, {}))", scalar.extent)
            }
            (Kind::Word, false) => {
                let mask = u64::MAX >> (64 - scalar.extent);
                format!("(({kind})((uint64_t)({text}) & 0x{mask:x}ull))")
            }
            _ => text,
        })
    }

    /// The value as [`value_type`] computes it.
    fn unwrapped(&mut self, expr: &Expr, scalar: Scalar) -> Print<String> {
        let kind = value_type(scalar);
        Ok(match &expr.kind {
            ExprKind::Integer(number) => literal(*number, scalar),
            ExprKind::Float(bits) => match scalar.kind {
                Kind::Float(FloatFormat::Single) => format!("single(0x{bits:x}u)"),
                _ => format!("double_(0x{bits:x}ull)"),
            },
            ExprKind::String(bytes) => self.fixed(&Origin::Text(bytes.clone())),
            ExprKind::Zero => format!("(({kind})0)"),
            ExprKind::Load(place) => {
                let (address, bits) = self.place(place)?;
                let stored = self.layouts.scalar(place.ty, bits).expect("a scalar should be loaded here");
                load_text(&address, bits.map_or(0, |bits| u64::from(bits.low)), stored)
            }
            ExprKind::AddressOf(place) => format!("((uint64_t){})", self.address(place)?),
            ExprKind::Function(function) => format!("{}u", function_address(*function)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, scalar)?,
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, scalar)?,
            ExprKind::Convert(inner) => self.convert(inner, scalar)?,
            ExprKind::And(left, right) => {
                format!("(({kind})({} && {}))", self.truth(left)?, self.truth(right)?)
            }
            ExprKind::Or(left, right) => {
                format!("(({kind})({} || {}))", self.truth(left)?, self.truth(right)?)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                format!("({condition} ? {then} : {otherwise})")
            }
            ExprKind::Probe(_, inner) | ExprKind::Old(inner) => self.value(inner)?,
        })
    }

    /// The address of a place; unlike an access, it may lie behind the last element.
    pub(super) fn address(&mut self, place: &Place) -> Print<String> {
        let mut start = place.clone();
        let mut text = String::new();
        let mut rest = Vec::new();
        while let Some(Projection::Index { .. }) = start.path.last() {
            rest.push(start.path.pop().expect("the last projection should be there"));
        }
        text.push_str(&self.place(&start)?.0);
        for projection in rest.into_iter().rev() {
            if let Projection::Index { index, element, .. } = projection {
                let size = self.layouts.stride(element).unwrap_or(1);
                let index = self.value(&index)?;
                text = format!("({text} + (uint64_t)({index}) * {size}u)");
            }
        }
        Ok(text)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, scalar: Scalar) -> Print<String> {
        let kind = value_type(scalar);
        let text = self.value(operand)?;
        Ok(match op {
            UnaryOp::Negate if matches!(scalar.kind, Kind::Float(_)) => format!("(-{text})"),
            UnaryOp::Negate => format!("(({kind})(0u - (uint64_t){text}))"),
            UnaryOp::Complement => format!("(({kind})~(uint64_t){text})"),
            UnaryOp::Not => format!("(({kind})({text} == 0))"),
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scalar: Scalar) -> Print<String> {
        let kind = value_type(scalar);
        let operand = self.scalar(left.ty);
        let (a, b) = (self.value(left)?, self.value(right)?);
        let is_float = matches!(operand.kind, Kind::Float(_));
        let stride = match self.layouts.type_of(left.ty) {
            Type::Pointer(pointee) => self.layouts.stride(*pointee).unwrap_or(1),
            _ => 1,
        };
        let modulo = |symbol: &str| format!("(({kind})((uint64_t){a} {symbol} (uint64_t){b}))");
        let plain = |symbol: &str| format!("(({kind})({a} {symbol} {b}))");
        Ok(match op {
            BinaryOp::Add if is_float => canonical(kind, &plain("+")),
            BinaryOp::Subtract if is_float => canonical(kind, &plain("-")),
            BinaryOp::Multiply if is_float => canonical(kind, &plain("*")),
            BinaryOp::Divide if is_float => canonical(kind, &plain("/")),
            BinaryOp::Add => modulo("+"),
            BinaryOp::Subtract => modulo("-"),
            BinaryOp::Multiply => modulo("*"),
            BinaryOp::BitAnd => modulo("&"),
            BinaryOp::BitOr => modulo("|"),
            BinaryOp::BitXor => modulo("^"),
            BinaryOp::Divide if operand.signed => format!("(({kind})sdiv({a}, {b}))"),
            BinaryOp::Divide => format!("(({kind})udiv({a}, {b}))"),
            BinaryOp::Remainder if operand.signed => format!("(({kind})srem({a}, {b}))"),
            BinaryOp::Remainder => format!("(({kind})urem({a}, {b}))"),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let wide = if self.scalar(right.ty).signed { "int64_t" } else { "uint64_t" };
                let name = match (op, operand.signed) {
                    (BinaryOp::ShiftLeft, _) => "shl",
                    (_, true) => "sar",
                    (_, false) => "shr",
                };
                format!("(({kind}){name}({a}, (uint64_t)({wide}){b}, {}))", operand.extent)
            }
            BinaryOp::Equal => plain("=="),
            BinaryOp::NotEqual => plain("!="),
            BinaryOp::Less => plain("<"),
            BinaryOp::LessEqual => plain("<="),
            BinaryOp::Greater => plain(">"),
            BinaryOp::GreaterEqual => plain(">="),
            BinaryOp::PointerAdd => format!("({a} + (uint64_t)(int64_t){b} * {stride}u)"),
            BinaryOp::PointerDifference => format!("(({kind})((int64_t)({a} - {b}) / {stride}))"),
        })
    }

    fn convert(&mut self, inner: &Expr, to: Scalar) -> Print<String> {
        let from = self.scalar(inner.ty);
        let text = self.value(inner)?;
        let kind = value_type(to);
        Ok(match (from.kind, to.kind) {
            (_, Kind::Word) if to.extent == 1 => format!("((uint8_t)({text} != 0))"),
            (Kind::Float(_), Kind::Word) => format!("(({kind})truncated({text}))"),
            (Kind::Float(old), Kind::Float(new)) if old != new => {
                canonical(kind, &format!("(({kind}){text})"))
            }
            _ => format!("(({kind}){text})"),
        })
    }
}
