//! Interfaces as contracts of imported nodes.

use super::KEYWORDS;
use crate::interface::{Contract, Interface};
use crate::smt::integer_word;
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::{Enumeration, Type};
use spec::value::Value;
use std::fmt::Write;
use std::sync::Arc;

/// Something that has no place in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be written as a contract of Lustre here")]
pub struct Inexpressible(String);

type Text = Result<String, Inexpressible>;

/// A contract, and what is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// Hidden variables: they are outputs in the text, as Lustre has none that the node is free to
    /// choose.
    pub hidden: Vec<String>,
    /// Purposes, which contracts have not.
    pub purposes: Vec<String>,
}

/// The contract of an interface.
///
/// # Errors
/// There are machine integers, numbers with other steps than 1, sets of numbers, or names that
/// Lustre has not.
pub fn emit(interface: &Interface) -> Result<Emitted, Inexpressible> {
    let mut writer = Writer { interface, enumerations: Vec::new() };
    writer.collect_enumerations()?;
    let name_of = |id| interface.scope.variable(id).name.clone();
    let hidden: Vec<String> = interface.variables(Role::Hidden).map(name_of).collect();
    let purposes: Vec<String> = interface.purposes.iter().map(|purpose| purpose.name.clone()).collect();
    let mut text = format!("-- The requirements of {}.\n", comment(&interface.name));
    if !hidden.is_empty() {
        let _ = writeln!(text, "-- Hidden variables, which are outputs here: {}.", hidden.join(", "));
    }
    for (name, enumeration) in &writer.enumerations {
        let _ = writeln!(text, "type {name} = enum {{ {} }};", enumeration.names.join(", "));
    }
    let inputs = writer.declarations(|role| role == Role::Input)?;
    let outputs = writer.declarations(|role| role != Role::Input)?;
    let node = node_name(&interface.name);
    let _ = write!(text, "node imported {node} ({inputs})\nreturns ({outputs});\n(*@contract\n");
    for restriction in &interface.environment {
        let condition = writer.condition(&restriction.condition)?;
        let first = if restriction.needs_before { "true -> " } else { "" };
        let _ = writeln!(text, "  assume {first}{condition};");
    }
    for requirement in &interface.requirements {
        if let Some(words) = &requirement.text {
            let _ = writeln!(text, "  -- {}", comment(words));
        }
        let (first, later) = (writer.all(&requirement.initial)?, writer.all(&requirement.update)?);
        let body = if first == later { first } else { format!("{first} -> {later}") };
        let _ = writeln!(text, "  guarantee \"{}\" {body};", string(&requirement.name)?);
    }
    text += "*)\n";
    Ok(Emitted { text, hidden, purposes })
}

struct Writer<'a> {
    interface: &'a Interface,
    /// Enumerations with their names in the text.
    enumerations: Vec<(String, Arc<Enumeration>)>,
}

impl Writer<'_> {
    fn collect_enumerations(&mut self) -> Result<(), Inexpressible> {
        for id in self.interface.roles.ids() {
            let variable = self.interface.scope.variable(id);
            let Type::Enum(enumeration) = &variable.ty else { continue };
            if self.enumerations.iter().any(|(_, known)| known == enumeration) {
                continue;
            }
            let mut name = match enumeration.name.is_empty() {
                true => format!("{}_values", variable.name),
                false => enumeration.name.clone(),
            };
            let is_taken = |name: &String| {
                self.interface.scope.variables().iter().any(|(_, variable)| variable.name == *name)
            };
            while is_taken(&name) {
                name.push('_');
            }
            for name in enumeration.names.iter().chain([&name]) {
                identifier(name)?;
            }
            self.enumerations.push((name, Arc::clone(enumeration)));
        }
        Ok(())
    }

    fn declarations(&self, is_meant: impl Fn(Role) -> bool) -> Text {
        let declared = self.interface.roles.iter().filter(|(_, role)| is_meant(**role)).map(|(id, _)| {
            let variable = self.interface.scope.variable(id);
            Ok(format!("{}: {}", identifier(&variable.name)?, self.ty(&variable.ty)?))
        });
        Ok(declared.collect::<Result<Vec<String>, _>>()?.join("; "))
    }
    fn ty(&self, ty: &Type) -> Text {
        match ty {
            Type::Bool => Ok("bool".to_owned()),
            Type::Enum(enumeration) => {
                let known = self.enumerations.iter().find(|(_, known)| known == enumeration);
                known.map(|(name, _)| name.clone()).ok_or_else(|| Inexpressible(format!("the type {ty}")))
            }
            Type::Number(range) if range.is_integral() => {
                Ok(format!("subrange [{}, {}] of int", range.lo(), range.hi()))
            }
            ty => Err(Inexpressible(format!("the type {ty}"))),
        }
    }

    /// All that some contracts ask for.
    fn all(&self, contracts: &[Contract]) -> Text {
        let one = |contract: &Contract| {
            let guarantee = self.condition(&contract.guarantee)?;
            match &contract.assumption {
                Some(assumption) => Ok(format!("({} => {guarantee})", self.condition(assumption)?)),
                None => Ok(guarantee),
            }
        };
        let parts = contracts.iter().map(one).collect::<Result<Vec<String>, _>>()?;
        Ok(joined(&parts, "and", "true"))
    }
    /// A truth that does not hold where it is undefined.
    fn condition(&self, expr: &Expr) -> Text {
        let (defined, holds) = (self.expr(&expr.defined())?, self.expr(expr)?);
        Ok(if defined == "true" { holds } else { format!("({defined} and {holds})") })
    }
    fn expr(&self, expr: &Expr) -> Text {
        match expr.kind() {
            Kind::Constant(value) => self.constant(value, expr.ty()),
            Kind::Variable { variable, primed } => self.variable(*variable, *primed),
            Kind::Unary { op, arg } => {
                let text = self.expr(arg)?;
                match op {
                    Unary::Not => Ok(format!("(not {text})")),
                    Unary::Negate => Ok(format!("(- {text})")),
                    Unary::Abs => Ok(format!("(if {text} < 0 then (- {text}) else {text})")),
                    Unary::Convert => Ok(text),
                    Unary::BitNot | Unary::Wrap | Unary::Clamp => Err(machine()),
                }
            }
            Kind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            Kind::Several { op, args } => {
                let parts = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                Ok(match op {
                    Several::And => joined(&parts, "and", "true"),
                    Several::Or => joined(&parts, "or", "false"),
                    Several::Count => {
                        let ones: Vec<String> =
                            parts.iter().map(|part| format!("(if {part} then 1 else 0)")).collect();
                        joined(&ones, "+", "0")
                    }
                })
            }
            Kind::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                Ok(format!("(if {condition} then {} else {})", self.expr(then)?, self.expr(otherwise)?))
            }
        }
    }
    fn constant(&self, value: &Value, ty: &Type) -> Text {
        match (value, ty) {
            (Value::Bool(value), _) => Ok(value.to_string()),
            (Value::Integer(value), _) if *value < 0 => Ok(format!("(- {})", value.unsigned_abs())),
            (Value::Integer(value), _) => Ok(value.to_string()),
            (Value::Enumerator(_), ty) => Ok(ty.show(value)),
            (value, _) => Err(Inexpressible(format!("the number {value}"))),
        }
    }
    fn variable(&self, variable: VariableId, primed: bool) -> Text {
        let name = identifier(&self.interface.scope.variable(variable).name)?;
        Ok(if primed { name.to_owned() } else { format!("(pre {name})") })
    }
    fn binary(&self, op: Binary, lhs: &Expr, rhs: &Expr) -> Text {
        if matches!(lhs.ty(), Type::Machine { .. }) {
            return Err(machine());
        }
        let (left, right) = (self.expr(lhs)?, self.expr(rhs)?);
        let word = match op {
            Binary::Min => return Ok(format!("(if {left} <= {right} then {left} else {right})")),
            Binary::Max => return Ok(format!("(if {left} <= {right} then {right} else {left})")),
            _ => integer_word(op).ok_or_else(machine)?,
        };
        Ok(format!("({left} {word} {right})"))
    }
}

fn machine() -> Inexpressible {
    Inexpressible("arithmetic of machine integers, or a quotient that is no integer,".to_owned())
}

fn joined(parts: &[String], word: &str, none: &str) -> String {
    match parts {
        [] => none.to_owned(),
        [one] => one.clone(),
        parts => format!("({})", parts.join(&format!(" {word} "))),
    }
}

/// A name that Lustre has.
fn identifier(name: &str) -> Result<&str, Inexpressible> {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_word = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    match KEYWORDS.contains(&name) {
        true => Err(Inexpressible(format!("the name `{name}`, a keyword of Lustre,"))),
        false if begins && is_word => Ok(name),
        false => Err(Inexpressible(format!(
            "the name `{name}`, which is no word of ASCII letters, digits and `_`,"
        ))),
    }
}

/// The name of the node: what is no letter or digit of an interface's name is `_`.
fn node_name(name: &str) -> String {
    let word = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let mut found: String = name.chars().map(word).collect();
    if identifier(&found).is_err() {
        found.insert_str(0, "node_");
    }
    found
}

/// A text within quotes.
fn string(text: &str) -> Result<&str, Inexpressible> {
    let is_fine = !text.contains(['"', '\\', '\n', '\r']) && !text.contains("*)");
    let why = || Inexpressible(format!("the name `{text}`, with quotes, a backslash, a line end or `*)`,"));
    if is_fine { Ok(text) } else { Err(why()) }
}

/// A text behind `--`, within the comment that the contract is.
fn comment(text: &str) -> String {
    text.replace(char::is_control, " ").replace("*)", "* )")
}
