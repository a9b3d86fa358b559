//! Values as JSON and text, and back.

use crate::interface::Interface;
use crate::semantics::{Valuation, id_index};
use crate::syntax::Role;
use harness::Fields;
use serde_json::{Value as Json, json};
use spec::types::Type;
use spec::value::{Fraction, Value, parse_number};

/// A value as protocols and logs carry it: truths, integers, texts.
pub fn to_json(ty: &Type, value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Integer(value) => match i64::try_from(*value) {
            Ok(value) => json!(value),
            Err(_) => json!(value.to_string()),
        },
        _ => json!(ty.show(value)),
    }
}

/// The known values of the variables of a role.
pub fn fields(interface: &Interface, role: Role, valuation: &Valuation) -> Fields {
    let known = interface.variables(role).filter_map(|id| {
        let variable = interface.scope.variable(id);
        let value = valuation[id_index(id)].as_ref()?;
        Some((variable.name.clone(), to_json(&variable.ty, value)))
    });
    known.collect()
}

/// The value of a type that JSON stands for; none where it is none of the type's kind. It may lie
/// outside its bounds.
pub fn from_json(ty: &Type, json: &Json) -> Option<Value> {
    match json {
        Json::Bool(value) if *ty == Type::Bool => Some(Value::Bool(*value)),
        Json::Number(number) if !matches!(ty, Type::Enum(_)) => from_text(ty, &number.to_string()),
        Json::String(text) => from_text(ty, text),
        _ => None,
    }
}

/// The value of a type that a text stands for, as [`from_json`]; tables may count enumerators from 0.
pub fn from_text(ty: &Type, text: &str) -> Option<Value> {
    let text = text.trim();
    match ty {
        Type::Bool => match text {
            "true" | "1" | "TRUE" | "True" => Some(Value::Bool(true)),
            "false" | "0" | "FALSE" | "False" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Enum(enumeration) => {
            let names = &enumeration.names;
            let index = names.iter().position(|name| name == text);
            let index = index.or_else(|| text.parse().ok().filter(|index| *index < names.len()))?;
            u32::try_from(index).ok().map(Value::Enumerator)
        }
        _ => number(text).map(Value::fraction),
    }
}

/// A decimal, or p/q, with a sign or without.
fn number(text: &str) -> Option<Fraction> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let is_decimal =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (upper, lower) = digits.split_once('/').unwrap_or((digits, "1"));
    if !is_decimal(upper) || !is_decimal(lower) {
        return None;
    }
    let (upper, lower) = (parse_number(upper)?, parse_number(lower)?);
    if *lower.numer() == 0 { None } else { Some(upper / lower * Fraction::from_integer(sign)) }
}
