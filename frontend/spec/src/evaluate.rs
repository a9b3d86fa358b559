//! The reference meaning of typed expressions: an interpreter over exact values.
//!
//! It shares no code with [`lower`](crate::lower): numbers here are numbers and not words, so the
//! widths, signs and steps that lowering chooses are checked against it.

use crate::scope::VariableId;
use crate::typed::{Binary, Expr, Kind, Several, Unary};
use crate::types::Type;
use crate::value::Value;
use model::sort::FloatFormat;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// The value of an expression where `environment` gives the values of variables, before the step
/// or (`true`) after it; none where it is undefined.
///
/// # Panics
/// If the environment gives a value that is none of the variable's type.
pub fn evaluate(expr: &Expr, environment: &dyn Fn(VariableId, bool) -> Value) -> Option<Value> {
    Interpreter { environment }.value(expr)
}

/// Whether a truth is defined and holds.
///
/// # Panics
/// As [`evaluate`].
pub fn holds(expr: &Expr, environment: &dyn Fn(VariableId, bool) -> Value) -> bool {
    evaluate(expr, environment) == Some(Value::Bool(true))
}

/// The value of an expression without variables; none where it is undefined.
pub(crate) fn closed(expr: &Expr) -> Option<Value> {
    evaluate(expr, &|_, _| panic!("a closed expression should have no variables"))
}

struct Interpreter<'a> {
    environment: &'a dyn Fn(VariableId, bool) -> Value,
}

impl Interpreter<'_> {
    fn value(&self, expr: &Expr) -> Option<Value> {
        match expr.kind() {
            Kind::Constant(value) => Some(value.clone()),
            Kind::Variable { variable, primed } => Some((self.environment)(*variable, *primed)),
            Kind::Unary { op, arg } => Some(unary(*op, expr.ty(), &self.value(arg)?)),
            Kind::Binary { op, lhs, rhs } => {
                let (left, right) = (self.value(lhs)?, self.value(rhs)?);
                binary(*op, lhs.ty(), &left, &right)
            }
            Kind::Several { op: Several::Count, args } => {
                let truths = args.iter().map(|arg| self.truth(arg)).collect::<Option<Vec<bool>>>()?;
                Some(Value::Integer(truths.into_iter().filter(|holds| *holds).count() as i128))
            }
            Kind::Several { op, args } => {
                let decisive = *op == Several::Or;
                for arg in args {
                    if self.truth(arg)? == decisive {
                        return Some(Value::Bool(decisive));
                    }
                }
                Some(Value::Bool(!decisive))
            }
            Kind::If { condition, then, otherwise } => {
                self.value(if self.truth(condition)? { then } else { otherwise })
            }
        }
    }
    fn truth(&self, expr: &Expr) -> Option<bool> {
        Some(self.value(expr)?.as_bool().expect("a condition should be a truth"))
    }
}

fn unary(op: Unary, ty: &Type, arg: &Value) -> Value {
    match (op, arg) {
        (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
        (Unary::Convert, _) => arg.clone(),
        (Unary::Clamp, _) => clamped(arg, ty),
        (Unary::Negate | Unary::Abs, Value::Float(format, bits)) => {
            let sign = 1_u64 << (format.width() - 1);
            Value::Float(*format, if op == Unary::Abs { bits & !sign } else { bits ^ sign })
        }
        (_, Value::Integer(value)) if matches!(ty, Type::Machine { .. }) => {
            let result = match op {
                Unary::Negate => value.wrapping_neg(),
                Unary::Abs => value.wrapping_abs(),
                Unary::BitNot => !value,
                _ => *value,
            };
            Value::Integer(wrapped(result, ty))
        }
        _ => {
            let number = number(arg);
            Value::number(if op == Unary::Abs { number.abs() } else { -number })
        }
    }
}

fn binary(op: Binary, ty: &Type, left: &Value, right: &Value) -> Option<Value> {
    match (op, left, right) {
        (Binary::Equal, Value::Float(..), Value::Float(..)) => {}
        (Binary::Equal, ..) => return Some(Value::Bool(left == right)),
        (Binary::Xor, Value::Bool(left), Value::Bool(right)) => return Some(Value::Bool(left != right)),
        (Binary::Less, Value::Integer(left), Value::Integer(right)) => {
            return Some(Value::Bool(left < right));
        }
        (Binary::LessEqual, Value::Integer(left), Value::Integer(right)) => {
            return Some(Value::Bool(left <= right));
        }
        _ => {}
    }
    match (ty, left, right) {
        (Type::Float(FloatFormat::Single), Value::Float(_, left), Value::Float(_, right)) => {
            let single = |bits: &u64| f32::from_bits(u32::try_from(*bits).expect("single bits"));
            Some(single_precision(op, single(left), single(right)))
        }
        (Type::Float(FloatFormat::Double), Value::Float(_, left), Value::Float(_, right)) => {
            Some(double_precision(op, f64::from_bits(*left), f64::from_bits(*right)))
        }
        (Type::Machine { .. }, Value::Integer(left), Value::Integer(right)) => {
            machine(op, ty, *left, *right).map(Value::Integer)
        }
        _ => exact(op, left, right),
    }
}

/// Exact numbers: by integers where they do, else by fractions without limits.
fn exact(op: Binary, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::Integer(left), Value::Integer(right)) = (left, right) {
        let result = match op {
            Binary::Add => left.checked_add(*right),
            Binary::Sub => left.checked_sub(*right),
            Binary::Mul => left.checked_mul(*right),
            Binary::Quotient => left.checked_div_euclid(*right),
            Binary::Remainder => left.checked_rem_euclid(*right),
            Binary::Min => Some(*left.min(right)),
            Binary::Max => Some(*left.max(right)),
            _ => None,
        };
        if let Some(result) = result {
            return Some(Value::Integer(result));
        }
    }
    let (left, right) = (number(left), number(right));
    Some(match op {
        Binary::Add => Value::number(left + right),
        Binary::Sub => Value::number(left - right),
        Binary::Mul => Value::number(left * right),
        Binary::Div if right.is_zero() => return None,
        Binary::Div => Value::number(left / right),
        Binary::Quotient => Value::number(euclid(&left, &right)?),
        Binary::Remainder => Value::number(&left - &right * euclid(&left, &right)?),
        Binary::Min => Value::number(left.min(right)),
        Binary::Max => Value::number(left.max(right)),
        Binary::Less => Value::Bool(left < right),
        Binary::LessEqual => Value::Bool(left <= right),
        _ => panic!("{op:?} should get no exact numbers"),
    })
}

/// The integer q with 0 <= left - q * right < |right|.
fn euclid(left: &BigRational, right: &BigRational) -> Option<BigRational> {
    if right.is_zero() {
        return None;
    }
    let quotient = left / right;
    Some(if right.is_positive() { quotient.floor() } else { quotient.ceil() })
}

fn machine(op: Binary, ty: &Type, left: i128, right: i128) -> Option<i128> {
    let bits = match ty {
        Type::Machine { bits, .. } => i128::from(*bits),
        _ => panic!("{ty} should be a machine type"),
    };
    let result = match op {
        Binary::Add => left + right,
        Binary::Sub => left - right,
        // Two words of 64 bits multiply to 128; only the lower bits count.
        Binary::Mul => left.wrapping_mul(right),
        Binary::Quotient => left.checked_div(right)?,
        Binary::Remainder => left.checked_rem(right)?,
        Binary::Min => left.min(right),
        Binary::Max => left.max(right),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft if right >= bits => 0,
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left >> right.min(bits),
        _ => panic!("{op:?} should get no machine integers"),
    };
    Some(wrapped(result, ty))
}

/// The lower bits of a number as a machine integer.
fn wrapped(number: i128, ty: &Type) -> i128 {
    let Type::Machine { bits, signed } = ty else { panic!("{ty} should be a machine type") };
    let modulus = 1_i128 << bits;
    let rest = number.rem_euclid(modulus);
    if *signed && rest >= modulus / 2 { rest - modulus } else { rest }
}

fn clamped(arg: &Value, ty: &Type) -> Value {
    let range = ty.range().expect("a target of `clamp` should have bounds");
    let (least, greatest) = (range.value(range.lo()), range.value(range.hi()));
    if compare(arg, &least) == Ordering::Less {
        least
    } else if compare(arg, &greatest) == Ordering::Greater {
        greatest
    } else {
        arg.clone()
    }
}

fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        _ => number(left).cmp(&number(right)),
    }
}

fn number(value: &Value) -> BigRational {
    value.as_number().unwrap_or_else(|| panic!("{value:?} should be a number"))
}

/// The operators of floats in one format. A NaN that an operator makes has one bit pattern, as in
/// the model.
macro_rules! floats {
    ($name:ident, $float:ty, $format:ident) => {
        fn $name(op: Binary, left: $float, right: $float) -> Value {
            let result = match op {
                Binary::Add => left + right,
                Binary::Sub => left - right,
                Binary::Mul => left * right,
                Binary::Div => left / right,
                Binary::Equal => return Value::Bool(left == right),
                Binary::Less => return Value::Bool(left < right),
                Binary::LessEqual => return Value::Bool(left <= right),
                _ => panic!("{op:?} should get no floats"),
            };
            let format = FloatFormat::$format;
            let canonical = format.canonical_nan().to_u64().expect("bits of a float");
            let bits = if result.is_nan() { canonical } else { u64::from(result.to_bits()) };
            Value::Float(format, bits)
        }
    };
}
floats!(single_precision, f32, Single);
floats!(double_precision, f64, Double);
