//! Formulas without operators on the past as expressions of interfaces.

use super::formula::{Formula, NoFormula, Operator};
use spec::language::CONTRACTS;
use spec::print::name_of;
use spec::value::Value;

/// A name as interfaces write it.
pub(super) fn word(name: &str) -> String {
    name_of(name, &CONTRACTS)
}

/// The expression for the values now (`primed`) or a step before.
pub(super) fn text(formula: &Formula, primed: bool) -> Result<String, NoFormula> {
    let part = |part: &Formula| text(part, primed);
    Ok(match formula {
        Formula::Truth(holds) => holds.to_string(),
        Formula::Number(number) => Value::fraction(*number).to_string(),
        Formula::Name(name) => format!("{}{}", word(name), if primed { "'" } else { "" }),
        Formula::Not(one) => format!("(not {})", part(one)?),
        Formula::Negate(one) => format!("(-{})", part(one)?),
        Formula::Binary(Operator::Xor, left, right) => format!("({} != {})", part(left)?, part(right)?),
        // Exact numbers are divided by constants only.
        Formula::Binary(Operator::Div, _, by) if !by.names().is_empty() => {
            return Err(NoFormula("a division by something that is no constant".to_owned()));
        }
        Formula::Binary(operator, left, right) => {
            format!("({} {} {})", part(left)?, operator.text(), part(right)?)
        }
        Formula::Call(function, args) => {
            let known = match (function.as_str(), args.len()) {
                ("absReal" | "absInt" | "abs", 1) => "abs",
                ("minReal" | "minInt" | "min", 2) => "min",
                ("maxReal" | "maxInt" | "max", 2) => "max",
                _ => return Err(NoFormula(format!("the function `{function}`"))),
            };
            let args = args.iter().map(part).collect::<Result<Vec<_>, _>>()?;
            format!("{known}({})", args.join(", "))
        }
        Formula::If(parts) => {
            let [condition, then, other] = &**parts;
            format!("(if {} then {} else {})", part(condition)?, part(then)?, part(other)?)
        }
        Formula::Past(..) | Formula::Since(..) | Formula::Before(_) => {
            return Err(NoFormula("an operator on the past within a number".to_owned()));
        }
    })
}
