//! Expressions of interfaces as C.
//!
//! All exact numbers and machine integers are values of one signed C type that holds every
//! intermediate result, so that nothing wraps but what is to wrap.

use super::Inexpressible;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::Type;
use spec::value::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Text in C, or why there is none.
pub(super) type Text = Result<String, Inexpressible>;

/// Greatest absolute value of a number in a monitor.
const GREATEST: i128 = 1 << 62;

/// Writes expressions.
pub(super) struct Writer<'a> {
    /// The C expression for a variable, before the step or now.
    pub(super) variable: &'a dyn Fn(VariableId, bool) -> String,
    /// What stands before the names of functions.
    pub(super) prefix: &'a str,
    /// The functions of [`helper`] that were used.
    pub(super) used: &'a RefCell<BTreeSet<&'static str>>,
}

impl Writer<'_> {
    /// A truth that does not hold where it is undefined.
    pub(super) fn condition(&self, expr: &Expr) -> Text {
        let (defined, holds) = (self.expr(&expr.defined())?, self.expr(expr)?);
        Ok(if defined == "1" { holds } else { format!("({defined} && {holds})") })
    }

    pub(super) fn expr(&self, expr: &Expr) -> Text {
        check_type(expr.ty())?;
        match expr.kind() {
            Kind::Constant(value) => constant(value),
            Kind::Variable { variable, primed } => Ok((self.variable)(*variable, *primed)),
            Kind::Unary { op, arg } => self.unary(*op, arg, expr.ty()),
            Kind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            Kind::Several { op, args } => {
                let parts = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                Ok(match op {
                    Several::And => joined(&parts, " && ", "1"),
                    Several::Or => joined(&parts, " || ", "0"),
                    Several::Count => {
                        let ones: Vec<String> =
                            parts.iter().map(|part| format!("({part} ? 1 : 0)")).collect();
                        joined(&ones, " + ", "0")
                    }
                })
            }
            Kind::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                Ok(format!("({condition} ? {} : {})", self.expr(then)?, self.expr(otherwise)?))
            }
        }
    }

    fn call(&self, name: &'static str, args: &[&str]) -> String {
        self.used.borrow_mut().insert(name);
        format!("{}_{name}({})", self.prefix, args.join(", "))
    }

    fn unary(&self, op: Unary, arg: &Expr, ty: &Type) -> Text {
        let text = self.expr(arg)?;
        Ok(match op {
            Unary::Not => format!("!{text}"),
            Unary::Negate => self.wrapped(format!("(-{text})"), ty),
            Unary::Abs => self.wrapped(self.call("abs", &[&text]), ty),
            Unary::BitNot => self.wrapped(format!("(~{text})"), ty),
            Unary::Convert => text,
            Unary::Wrap => self.wrapped(text, ty),
            Unary::Clamp => {
                let range = ty.range().ok_or_else(|| Inexpressible::new("a clamp to such a type"))?;
                let (least, greatest) = (number(range.lo()), number(range.hi()));
                self.call("min", &[&self.call("max", &[&text, &least]), &greatest])
            }
        })
    }

    fn binary(&self, op: Binary, lhs: &Expr, rhs: &Expr) -> Text {
        let (left, right) = (self.expr(lhs)?, self.expr(rhs)?);
        let ty = lhs.ty();
        let infix = |word: &str| format!("({left} {word} {right})");
        let is_machine = matches!(ty, Type::Machine { .. });
        Ok(match op {
            Binary::Equal => infix("=="),
            Binary::Less => infix("<"),
            Binary::LessEqual => infix("<="),
            Binary::Xor => format!("(!{left} != !{right})"),
            Binary::Add => self.wrapped(infix("+"), ty),
            Binary::Sub => self.wrapped(infix("-"), ty),
            // Two unsigned words of 32 bits multiply to 64.
            Binary::Mul if is_machine => self.wrapped(self.call("mul", &[&left, &right]), ty),
            Binary::Mul => infix("*"),
            Binary::Div => return Err(Inexpressible::new("a quotient that is no integer")),
            Binary::Quotient if is_machine => self.wrapped(infix("/"), ty),
            Binary::Remainder if is_machine => self.wrapped(infix("%"), ty),
            Binary::Quotient => self.call("div", &[&left, &right]),
            Binary::Remainder => self.call("mod", &[&left, &right]),
            Binary::Min => self.call("min", &[&left, &right]),
            Binary::Max => self.call("max", &[&left, &right]),
            Binary::BitAnd => self.wrapped(infix("&"), ty),
            Binary::BitOr => self.wrapped(infix("|"), ty),
            Binary::BitXor => self.wrapped(infix("^"), ty),
            Binary::ShiftLeft => self.wrapped(self.call("shl", &[&left, &right]), ty),
            Binary::ShiftRight => self.call("shr", &[&left, &right]),
        })
    }

    /// The lower bits of a number where the type is one of machine integers.
    fn wrapped(&self, text: String, ty: &Type) -> String {
        let Type::Machine { bits, signed } = ty else { return text };
        let mask = number((1_i128 << bits) - 1);
        let sign = number(1_i128 << (bits - 1));
        if *signed {
            format!("((({text} & {mask}) ^ {sign}) - {sign})")
        } else {
            format!("({text} & {mask})")
        }
    }
}

fn joined(parts: &[String], word: &str, none: &str) -> String {
    match parts {
        [] => none.to_owned(),
        [one] => one.clone(),
        parts => format!("({})", parts.join(word)),
    }
}

/// Fails for values that the C type of a monitor does not have.
pub(super) fn check_type(ty: &Type) -> Result<(), Inexpressible> {
    match ty {
        Type::Bool | Type::Enum(_) => return Ok(()),
        Type::Float(_) => return Err(Inexpressible::new("floats")),
        Type::Machine { bits: 64, .. } => return Err(Inexpressible::new("integers of 64 bits")),
        Type::Machine { .. } => return Ok(()),
        Type::Rational => return Err(Inexpressible::new("rational numbers")),
        Type::Number(_) | Type::Set(_) => {}
    }
    match ty.range() {
        Some(range) if !range.is_integral() => Err(Inexpressible::new("numbers with another step than 1")),
        Some(range) if range.lo() < -GREATEST || range.hi() > GREATEST => {
            Err(Inexpressible::new("numbers of more than 62 bits"))
        }
        _ => Ok(()),
    }
}

fn constant(value: &Value) -> Text {
    Ok(match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Integer(value) => number(*value),
        Value::Enumerator(position) => position.to_string(),
        Value::Rational(_) => return Err(Inexpressible::new("numbers with another step than 1")),
        Value::Float(..) => return Err(Inexpressible::new("floats")),
    })
}

/// A number as a constant of C that has the value on every target.
pub(super) fn number(value: i128) -> String {
    let suffix = if i16::try_from(value).is_ok() { "" } else { "LL" };
    if value < 0 { format!("(-{}{suffix})", value.unsigned_abs()) } else { format!("{value}{suffix}") }
}

/// The functions that expressions call, in the order in which they are written.
pub(super) const HELPERS: [&str; 8] = ["abs", "div", "max", "min", "mod", "mul", "shl", "shr"];

/// The text of a function that expressions call. `div` and `mod` are Euclid's: the remainder is at
/// least 0.
pub(super) fn helper(name: &str, prefix: &str) -> String {
    let (parameters, body) = match name {
        "abs" => ("long long a", "a < 0 ? -a : a"),
        "div" => ("long long a, long long b", "a % b >= 0 ? a / b : b > 0 ? a / b - 1 : a / b + 1"),
        "max" => ("long long a, long long b", "a < b ? b : a"),
        "min" => ("long long a, long long b", "a < b ? a : b"),
        "mod" => ("long long a, long long b", "a % b >= 0 ? a % b : b > 0 ? a % b + b : a % b - b"),
        "mul" => ("long long a, long long b", "(long long)((unsigned long long)a * (unsigned long long)b)"),
        "shl" => ("long long a, long long n", "n > 31 ? 0 : (long long)((unsigned long long)a << n)"),
        _ => ("long long a, long long n", "a >> (n > 32 ? 32 : n)"),
    };
    format!("static long long {prefix}_{name}({parameters}) {{ return {body}; }}\n")
}
