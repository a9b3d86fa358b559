//! Values of constant expressions, and folding of constant operands.
//!
//! Folding happens while expressions are built, and only where C defines the result: an overflowing
//! or dividing-by-zero expression stays as it is, so that who executes it can report it.

use super::types::Types;
use crate::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::ir::types::{IntegerKind, Type, TypeId};
use model::sort::FloatFormat;

/// A number known at compile time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    /// Value, and the format it is rounded to.
    Float(f64, FloatFormat),
}

/// The number an expression is, if it is one.
pub(super) fn number(types: &Types, value: &Expr) -> Option<Number> {
    match value.kind {
        ExprKind::Integer(number) if types.pointee(value.ty).is_none() => Some(Number::Integer(number)),
        ExprKind::Float(bits) => {
            let format = types.format(value.ty)?;
            Some(Number::Float(float_value(bits, format), format))
        }
        _ => None,
    }
}

/// Whether a constant is not zero; `None` for what is no constant. Addresses of objects are never
/// zero.
pub(super) fn truth(types: &Types, value: &Expr) -> Option<bool> {
    match &value.kind {
        ExprKind::Integer(number) => Some(*number != 0),
        ExprKind::Function(_) | ExprKind::String(_) => Some(true),
        _ => match number(types, value)? {
            Number::Integer(number) => Some(number != 0),
            Number::Float(number, _) => Some(number != 0.0),
        },
    }
}

/// The bit pattern of a number in a format.
pub(super) fn float_bits(value: f64, format: FloatFormat) -> u64 {
    if value.is_nan() {
        return format.canonical_nan() as u64;
    }
    match format {
        FloatFormat::Single => u64::from((value as f32).to_bits()),
        FloatFormat::Double => value.to_bits(),
    }
}

fn float_value(bits: u64, format: FloatFormat) -> f64 {
    match format {
        FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
        FloatFormat::Double => f64::from_bits(bits),
    }
}

/// The constant that a conversion gives, if it gives one.
pub(super) fn convert(types: &Types, value: &Expr, ty: TypeId) -> Option<ExprKind> {
    let number = number(types, value)?;
    match (number, types.get(ty)) {
        (Number::Integer(number), Type::Integer(_) | Type::Boolean { .. } | Type::Enum(_)) => {
            Some(ExprKind::Integer(types.kind(ty)?.wrap(number, types.target)))
        }
        (Number::Integer(number), Type::Float(format)) => {
            Some(ExprKind::Float(integer_to_float(number, *format)))
        }
        (Number::Integer(0), Type::Pointer(_)) => Some(ExprKind::Integer(0)),
        (Number::Float(number, from), Type::Float(format)) => {
            let is_exact = from == *format || !number.is_nan();
            is_exact.then(|| ExprKind::Float(float_bits(number, *format)))
        }
        (Number::Float(number, _), Type::Integer(IntegerKind::Bool)) => {
            Some(ExprKind::Integer(i128::from(number != 0.0)))
        }
        (Number::Float(number, _), Type::Integer(_) | Type::Boolean { .. } | Type::Enum(_)) => {
            let (low, high) = types.kind(ty)?.range(types.target);
            let whole = number.trunc();
            let is_defined =
                whole.is_finite() && whole.abs() < 1e30 && (low..=high).contains(&(whole as i128));
            is_defined.then_some(ExprKind::Integer(whole as i128))
        }
        _ => None,
    }
}

/// Rounds to nearest even, once.
fn integer_to_float(number: i128, format: FloatFormat) -> u64 {
    match format {
        FloatFormat::Single => u64::from((number as f32).to_bits()),
        FloatFormat::Double => (number as f64).to_bits(),
    }
}

/// The constant that an operator gives.
pub(super) fn unary(types: &Types, operator: UnaryOp, operand: &Expr) -> Option<ExprKind> {
    if operator == UnaryOp::Not {
        return Some(ExprKind::Integer(i128::from(!truth(types, operand)?)));
    }
    match (operator, number(types, operand)?) {
        (UnaryOp::Negate, Number::Float(number, format)) => {
            Some(ExprKind::Float(float_bits(-number, format)))
        }
        (UnaryOp::Negate, Number::Integer(number)) => in_range(types, operand.ty, -number),
        (UnaryOp::Complement, Number::Integer(number)) => {
            Some(ExprKind::Integer(types.kind(operand.ty)?.wrap(!number, types.target)))
        }
        _ => None,
    }
}

/// An integer result: unsigned types wrap, signed ones must hold it.
fn in_range(types: &Types, ty: TypeId, result: i128) -> Option<ExprKind> {
    let kind = types.kind(ty)?;
    let wrapped = kind.wrap(result, types.target);
    (!kind.is_signed() || wrapped == result).then_some(ExprKind::Integer(wrapped))
}

/// The constant that an operator on operands of equal type gives (for shifts: of promoted types).
pub(super) fn binary(types: &Types, operator: BinaryOp, left: &Expr, right: &Expr) -> Option<ExprKind> {
    match (number(types, left)?, number(types, right)?) {
        (Number::Integer(first), Number::Integer(second)) => {
            if let Some(result) = compare(operator, first.cmp(&second), false) {
                return Some(ExprKind::Integer(result));
            }
            integer_binary(types, operator, left.ty, first, second)
        }
        (Number::Float(first, format), Number::Float(second, _)) => {
            let order = first.partial_cmp(&second);
            let result = compare(operator, order.unwrap_or(std::cmp::Ordering::Less), order.is_none());
            match result {
                Some(result) => Some(ExprKind::Integer(result)),
                None => float_binary(operator, first, second, format),
            }
        }
        _ => None,
    }
}

fn compare(operator: BinaryOp, order: std::cmp::Ordering, is_unordered: bool) -> Option<i128> {
    let holds = match operator {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => return Some(i128::from(is_unordered || order.is_ne())),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        _ => return None,
    };
    Some(i128::from(holds && !is_unordered))
}

fn integer_binary(
    types: &Types,
    operator: BinaryOp,
    ty: TypeId,
    left: i128,
    right: i128,
) -> Option<ExprKind> {
    let kind = types.kind(ty)?;
    let bits = i128::from(kind.bits(types.target));
    let result = match operator {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => match left.checked_mul(right) {
            Some(product) => product,
            None if !kind.is_signed() => left.wrapping_mul(right), // modulo 2^128, hence also modulo 2^64
            None => return None,
        },
        BinaryOp::Divide => left.checked_div(right)?,
        // The remainder of the smallest number by -1 is undefined because the quotient is.
        BinaryOp::Remainder if right == 0 || in_range(types, ty, left / right).is_none() => return None,
        BinaryOp::Remainder => left % right,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft if (0..bits).contains(&right) => {
            // Out of range or negative: two's complement, as documented, but left to who can report
            // it.
            if kind.is_signed() && left < 0 { return None } else { left << right }
        }
        BinaryOp::ShiftRight if (0..bits).contains(&right) => left >> right,
        _ => return None,
    };
    in_range(types, ty, result)
}

fn float_binary(operator: BinaryOp, left: f64, right: f64, format: FloatFormat) -> Option<ExprKind> {
    let exact = |double: f64, single: f32| match format {
        FloatFormat::Double => float_bits(double, format),
        FloatFormat::Single if single.is_nan() => float_bits(f64::NAN, format),
        FloatFormat::Single => u64::from(single.to_bits()),
    };
    let (first, second) = (left as f32, right as f32);
    Some(ExprKind::Float(match operator {
        BinaryOp::Add => exact(left + right, first + second),
        BinaryOp::Subtract => exact(left - right, first - second),
        BinaryOp::Multiply => exact(left * right, first * second),
        BinaryOp::Divide => exact(left / right, first / second),
        _ => return None,
    }))
}

/// The value of an integer constant expression where C requires one. Here overflow wraps, as
/// compilers do after their warning.
pub(super) fn integer(types: &Types, value: &Expr) -> Option<i128> {
    let wrap = |result: i128| types.kind(value.ty).map(|kind| kind.wrap(result, types.target));
    match &value.kind {
        ExprKind::Integer(number) => Some(*number),
        ExprKind::Unary(UnaryOp::Negate, operand) => wrap(integer(types, operand)?.checked_neg()?),
        ExprKind::Unary(UnaryOp::Complement, operand) => wrap(!integer(types, operand)?),
        ExprKind::Unary(UnaryOp::Not, operand) => Some(i128::from(integer(types, operand)? == 0)),
        ExprKind::Binary(operator, left, right) => {
            let (left, right) = (integer(types, left)?, integer(types, right)?);
            let is_defined_shift = (0..i128::from(types.kind(value.ty)?.bits(types.target))).contains(&right);
            wrap(match operator {
                BinaryOp::Add => left + right,
                BinaryOp::Subtract => left - right,
                BinaryOp::Multiply => left.wrapping_mul(right),
                BinaryOp::ShiftLeft if is_defined_shift => left << right,
                BinaryOp::Divide => left.checked_div(right)?,
                BinaryOp::Remainder => left.checked_rem(right)?,
                BinaryOp::BitAnd => left & right,
                BinaryOp::BitOr => left | right,
                BinaryOp::BitXor => left ^ right,
                BinaryOp::ShiftRight if is_defined_shift => left >> right,
                other => compare(*other, left.cmp(&right), false)?,
            })
        }
        ExprKind::Convert(operand) => wrap(integer(types, operand)?),
        _ => None,
    }
}
