//! Why an interface is inconsistent: the inputs that no system can answer, and what the
//! requirements ask for there.

use crate::game::Play;
use crate::interface::Interface;
use crate::semantics::{Position, Semantics, Valuation, id_index};
use crate::syntax::Role;
use serde_json::{Value as Json, json};
use spec::evaluate::evaluate;
use spec::typed::{Binary, Expr, Kind, Unary};
use spec::types::Type;
use spec::value::Value;

/// A shortest play that no system can answer.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// For each step its inputs; none: any inputs.
    pub inputs: Vec<Option<Valuation>>,
    /// The play, one of several where any inputs do.
    pub play: Play,
    /// The part of the interface that is played for: requirements, ascending.
    pub part: Vec<usize>,
    /// What requirements ask for in the last step: requirement, and a clause such as "asks for k' =
    /// -1, outside 0..2".
    pub asked: Vec<(usize, String)>,
}

/// What the requirements of a part ask for at the end of a play.
pub(super) fn refutation(semantics: &Semantics<'_>, play: Play) -> Refutation {
    let mut asked = Vec::new();
    if let Some(last) = play.moves.last() {
        for &index in &semantics.selected {
            let requirement = &semantics.interface.requirements[index];
            let before = last.before.as_ref();
            for contract in requirement.contracts(before.is_none()) {
                if semantics.is_triggered(contract, before, &last.inputs) {
                    let parts = contract.guarantee.conjuncts();
                    let clauses =
                        parts.iter().filter_map(|part| clause(semantics, part, before, &last.inputs));
                    asked.extend(clauses.map(|clause| (index, clause)));
                }
            }
        }
    }
    let inputs = play.moves.iter();
    let inputs = inputs.map(|one| if one.any_do { None } else { Some(one.inputs.clone()) }).collect();
    Refutation { inputs, play, part: semantics.selected.clone(), asked }
}

/// What a conjunct asks of a variable whose other side is known: "asks for k' = -1, outside 0..2".
fn clause(
    semantics: &Semantics<'_>,
    part: &Expr,
    before: Option<&Position>,
    now: &Valuation,
) -> Option<String> {
    let interface = semantics.interface;
    let asks = |name: &str, ty: &Type, value: &Value| {
        let outside = if ty.contains(value) { String::new() } else { format!(", outside {ty}") };
        format!("asks for {name}' = {}{outside}", ty.show(value))
    };
    let controlled = |expr: &Expr| match expr.kind() {
        Kind::Variable { variable, primed: true } if interface.roles[*variable] != Role::Input => {
            Some(*variable)
        }
        _ => None,
    };
    let declared = |variable| {
        let variable = interface.scope.variable(variable);
        (variable.name.as_str(), &variable.ty)
    };
    match part.kind() {
        Kind::Variable { .. } => {
            let (name, ty) = declared(controlled(part)?);
            Some(asks(name, ty, &Value::Bool(true)))
        }
        Kind::Unary { op: Unary::Not, arg } => {
            let (name, ty) = declared(controlled(arg)?);
            Some(asks(name, ty, &Value::Bool(false)))
        }
        Kind::Binary { op: Binary::Equal, lhs, rhs } => {
            let (variable, other) = controlled(lhs)
                .map(|variable| (variable, rhs))
                .or_else(|| controlled(rhs).map(|variable| (variable, lhs)))?;
            let is_known = other.reads().iter().all(|read| {
                if read.primed { now[id_index(read.variable)].is_some() } else { before.is_some() }
            });
            if !is_known {
                return None;
            }
            let value = evaluate(other, &|variable, primed| {
                let value = if primed {
                    now[id_index(variable)].as_ref()
                } else {
                    before.and_then(|before| semantics.remembered_value(before, variable))
                };
                value.unwrap_or_else(|| panic!("a value that is read should be known")).clone()
            });
            let (name, ty) = declared(variable);
            Some(match value {
                Some(value) => asks(name, ty, &value),
                None => format!("divides by zero for {name}'"),
            })
        }
        _ => None,
    }
}

/// Steps at each end of a play that are shown, where equal ones in a row count once.
const SHOWN_ROWS: usize = 10;

/// Inputs of a step in words: `deq alone` where one truth holds of several, else `a = 1, b =
/// false`.
pub fn describe_inputs(interface: &Interface, inputs: Option<&Valuation>) -> String {
    let Some(inputs) = inputs else { return "any".to_owned() };
    let known: Vec<_> = interface
        .variables(Role::Input)
        .filter_map(|id| inputs[id_index(id)].as_ref().map(|value| (interface.scope.variable(id), value)))
        .collect();
    let holding: Vec<_> = known.iter().filter(|(_, value)| **value == Value::Bool(true)).collect();
    if known.len() > 1 && known.iter().all(|(variable, _)| variable.ty == Type::Bool) {
        match holding[..] {
            [] => return "none".to_owned(),
            [(variable, _)] => return format!("{} alone", variable.name),
            _ => {}
        }
    }
    if known.is_empty() {
        return "any".to_owned();
    }
    let shown: Vec<String> = known
        .iter()
        .map(|(variable, value)| format!("{} = {}", variable.name, variable.ty.show(value)))
        .collect();
    shown.join(" and ")
}

impl Refutation {
    /// The inputs of the steps in words; of long plays the first ones and the last ones.
    pub fn describe(&self, interface: &Interface) -> String {
        // Equal steps in a row, as one.
        let mut rows: Vec<(String, usize)> = Vec::new();
        for inputs in &self.inputs {
            let step = describe_inputs(interface, inputs.as_ref());
            match rows.last_mut() {
                Some((last, times)) if *last == step => *times += 1,
                _ => rows.push((step, 1)),
            }
        }
        let show = |(step, times): &(String, usize)| match times {
            1 => step.clone(),
            times => format!("{step} ({times} times)"),
        };
        let mut shown: Vec<String> = rows.iter().map(show).collect();
        if let Some(left) = rows.len().checked_sub(2 * SHOWN_ROWS).filter(|&left| left > 0) {
            let hidden = SHOWN_ROWS..SHOWN_ROWS + left;
            let steps: usize = rows[hidden.clone()].iter().map(|(_, times)| times).sum();
            shown.splice(hidden, [format!("{steps} more steps")]);
        }
        shown.join(", then ")
    }
    /// For scripts: the inputs of each step (`null`: any), and what is asked for at its end.
    pub(super) fn to_json(&self, interface: &Interface) -> Json {
        let step = |inputs: &Option<Valuation>| {
            inputs.as_ref().map(|inputs| crate::values::fields(interface, Role::Input, inputs))
        };
        let asked = self.asked.iter().map(
            |(index, clause)| json!({ "requirement": interface.requirements[*index].name, "clause": clause }),
        );
        json!({
            "inputs": self.inputs.iter().map(step).collect::<Vec<_>>(),
            "asked": asked.collect::<Vec<_>>(),
        })
    }
}
