//! Consistency as SMT-LIB text: for all inputs of step 0 there are answers such that for all inputs
//! of step 1 there are answers ... The text is satisfiable if and only if the interface is
//! k-consistent.
//!
//! Numbers are integers of SMT-LIB, whose `div` and `mod` are those of the language. Truths are
//! Bool, enumerators their positions.

use crate::interface::Interface;
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::Type;
use spec::value::Value;
use std::fmt::Write;

/// Something that has no place in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be written as SMT-LIB here")]
pub struct Inexpressible(String);

type Text = Result<String, Inexpressible>;

/// The text for k-consistency.
///
/// # Errors
/// There are machine integers or numbers with other steps than 1.
pub fn consistency(interface: &Interface, k: u32) -> Text {
    let body = step(interface, 0, k)?;
    let mut text = format!("; {} is {k}-consistent if and only if this is satisfiable\n", interface.name);
    let _ = write!(text, "(set-logic ALL)\n(assert {body})\n(check-sat)\n");
    Ok(text)
}

/// Step `number` and all behind it.
fn step(interface: &Interface, number: u32, k: u32) -> Text {
    let writer = Writer { interface, number };
    let inputs: Vec<VariableId> = interface.variables(Role::Input).collect();
    let answers: Vec<VariableId> = interface.controlled().collect();
    let mut assumed = writer.domains(&inputs)?;
    for restriction in &interface.environment {
        if number > 0 || !restriction.needs_before {
            assumed.push(writer.condition(&restriction.condition)?);
        }
    }
    let mut required = writer.domains(&answers)?;
    for requirement in &interface.requirements {
        for contract in requirement.contracts(number == 0) {
            let guarantee = writer.condition(&contract.guarantee)?;
            required.push(match &contract.assumption {
                Some(assumption) => format!("(=> {} {guarantee})", writer.condition(assumption)?),
                None => guarantee,
            });
        }
    }
    if number < k {
        required.push(step(interface, number + 1, k)?);
    }
    let answered = writer.quantified("exists", &answers, all(&required))?;
    writer.quantified("forall", &inputs, format!("(=> {} {answered})", all(&assumed)))
}

fn all(parts: &[String]) -> String {
    match parts {
        [] => "true".to_owned(),
        [one] => one.clone(),
        parts => format!("(and {})", parts.join(" ")),
    }
}

struct Writer<'a> {
    interface: &'a Interface,
    number: u32,
}

impl Writer<'_> {
    fn name(&self, variable: VariableId, number: u32) -> String {
        // Quoted symbols hold everything but bars and backslashes.
        let name = self.interface.scope.variable(variable).name.replace(['|', '\\'], "_");
        format!("|{name}@{number}|")
    }
    fn sort(&self, variable: VariableId) -> Result<&'static str, Inexpressible> {
        match &self.interface.scope.variable(variable).ty {
            Type::Bool => Ok("Bool"),
            Type::Enum(_) => Ok("Int"),
            ty @ (Type::Number(_) | Type::Set(_)) if ty.range().is_some_and(|range| range.is_integral()) => {
                Ok("Int")
            }
            ty => Err(Inexpressible(format!("the type {ty}"))),
        }
    }
    fn quantified(&self, quantifier: &str, variables: &[VariableId], body: String) -> Text {
        if variables.is_empty() {
            return Ok(body);
        }
        let mut bound = String::new();
        for &variable in variables {
            let _ = write!(bound, "({} {})", self.name(variable, self.number), self.sort(variable)?);
        }
        Ok(format!("({quantifier} ({bound})\n {body})"))
    }
    fn domains(&self, variables: &[VariableId]) -> Result<Vec<String>, Inexpressible> {
        let mut found = Vec::new();
        for &variable in variables {
            self.sort(variable)?;
            let name = self.name(variable, self.number);
            let between = |lo: i128, hi: i128| format!("(<= {} {name} {})", integer(lo), integer(hi));
            match &self.interface.scope.variable(variable).ty {
                Type::Set(set) => {
                    let values = set.units().iter().map(|&value| format!("(= {name} {})", integer(value)));
                    found.push(format!("(or {} false)", values.collect::<Vec<_>>().join(" ")));
                }
                Type::Number(range) => found.push(between(range.lo(), range.hi())),
                Type::Enum(enumeration) => found.push(between(0, enumeration.names.len() as i128 - 1)),
                _ => {}
            }
        }
        Ok(found)
    }

    /// A truth that does not hold where it is undefined.
    fn condition(&self, expr: &Expr) -> Text {
        let (defined, holds) = (self.expr(&expr.defined())?, self.expr(expr)?);
        Ok(if defined == "true" { holds } else { format!("(and {defined} {holds})") })
    }
    fn expr(&self, expr: &Expr) -> Text {
        match expr.kind() {
            Kind::Constant(Value::Bool(value)) => Ok(value.to_string()),
            Kind::Constant(Value::Integer(value)) => Ok(integer(*value)),
            Kind::Constant(Value::Enumerator(value)) => Ok(value.to_string()),
            Kind::Constant(value) => Err(Inexpressible(format!("the number {value}"))),
            Kind::Variable { variable, primed } => {
                let number = if *primed { self.number } else { self.number.saturating_sub(1) };
                Ok(self.name(*variable, number))
            }
            Kind::Unary { op, arg } => {
                let text = self.expr(arg)?;
                match op {
                    Unary::Not => Ok(format!("(not {text})")),
                    Unary::Negate => Ok(format!("(- {text})")),
                    Unary::Abs => Ok(format!("(abs {text})")),
                    Unary::Convert => Ok(text),
                    Unary::BitNot | Unary::Wrap | Unary::Clamp => {
                        Err(Inexpressible("arithmetic of machine integers".to_owned()))
                    }
                }
            }
            Kind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            Kind::Several { op, args } => {
                let parts = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                Ok(match op {
                    Several::And => format!("(and {} true)", parts.join(" ")),
                    Several::Or => format!("(or {} false)", parts.join(" ")),
                    Several::Count => {
                        let ones = parts.iter().map(|part| format!("(ite {part} 1 0)"));
                        format!("(+ 0 {})", ones.collect::<Vec<_>>().join(" "))
                    }
                })
            }
            Kind::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                Ok(format!("(ite {condition} {} {})", self.expr(then)?, self.expr(otherwise)?))
            }
        }
    }
    fn binary(&self, op: Binary, lhs: &Expr, rhs: &Expr) -> Text {
        let (left, right) = (self.expr(lhs)?, self.expr(rhs)?);
        let word = match op {
            Binary::Min => return Ok(format!("(ite (<= {left} {right}) {left} {right})")),
            Binary::Max => return Ok(format!("(ite (<= {left} {right}) {right} {left})")),
            _ => {
                integer_word(op).ok_or_else(|| Inexpressible("arithmetic of machine integers".to_owned()))?
            }
        };
        Ok(format!("({word} {left} {right})"))
    }
}

/// The word of an operator on truths and integers that SMT-LIB and Lustre have alike; none: they have
/// no such operator.
pub(crate) const fn integer_word(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Quotient => "div",
        Binary::Remainder => "mod",
        Binary::Equal => "=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Xor => "xor",
        _ => return None,
    })
}

fn integer(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
