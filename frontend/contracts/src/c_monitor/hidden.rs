//! How a monitor follows hidden values.

use super::Inexpressible;
use crate::interface::{Contract, Interface};
use crate::lower::{Equation, equations};
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::value::Value;

/// Sets of hidden values that a belief has at most: each step tries all pairs of them.
const MOST_BELIEFS: u128 = 8;

/// Requirements that a monitor with a belief can tell apart: bits of a word.
const MOST_REQUIREMENTS: usize = 64;

/// How hidden values are followed.
pub(super) enum Hidden<'i> {
    /// There are none.
    None,
    /// By the set of those that fit: for each variable its value in each of the combinations.
    Belief(Vec<(VariableId, Vec<i128>)>),
    /// By equations, in an order in which each reads only what is known: for each variable those of
    /// step 0 and those of later steps.
    Determined(Vec<(VariableId, [Vec<Equation<'i>>; 2])>),
}

impl<'i> Hidden<'i> {
    /// How those of an interface are followed.
    pub(super) fn new(interface: &'i Interface) -> Result<Self, Inexpressible> {
        let hidden: Vec<VariableId> = interface.variables(Role::Hidden).collect();
        if hidden.is_empty() {
            return Ok(Self::None);
        }
        let count = |id: &VariableId| interface.scope.variable(*id).ty.count();
        let all = hidden.iter().map(count).try_fold(1_u128, |all, count| all.checked_mul(count?));
        if all.is_some_and(|all| all <= MOST_BELIEFS) && interface.requirements.len() <= MOST_REQUIREMENTS {
            return Ok(Self::Belief(combinations(interface, &hidden)));
        }
        determined(interface, hidden)
    }
}

fn combinations(interface: &Interface, hidden: &[VariableId]) -> Vec<(VariableId, Vec<i128>)> {
    let mut found: Vec<(VariableId, Vec<i128>)> = Vec::new();
    for &id in hidden {
        let values: Vec<i128> = match interface.scope.variable(id).ty.values() {
            Some(values) => values.map(|value| units(&value)).collect(),
            None => Vec::new(),
        };
        let repeat = found.first().map_or(1, |(_, column)| column.len());
        for (_, column) in &mut found {
            *column = column.iter().flat_map(|&value| vec![value; values.len()]).collect();
        }
        let own = (0..repeat).flat_map(|_| values.iter().copied());
        found.push((id, own.collect()));
    }
    found
}

fn units(value: &Value) -> i128 {
    match value {
        Value::Bool(value) => i128::from(*value),
        Value::Enumerator(position) => i128::from(*position),
        other => other.as_integer().unwrap_or_default(),
    }
}

fn determined(interface: &Interface, mut open: Vec<VariableId>) -> Result<Hidden<'_>, Inexpressible> {
    let mut found = Vec::new();
    while !open.is_empty() {
        let is_known = |equation: &Equation<'_>| {
            let reads = equation.value.iter().flat_map(|value| value.reads());
            let assumed = equation.contract.assumption.iter().flat_map(|assumption| assumption.reads());
            reads.into_iter().chain(assumed).all(|read| !read.primed || !open.contains(&read.variable))
        };
        let of = |id: VariableId, is_first: bool| -> Vec<Equation<'_>> {
            let all = equations(interface, id).into_iter();
            all.filter(|equation| equation.is_first == is_first && is_known(equation)).collect()
        };
        let next = open.iter().position(|&id| !of(id, true).is_empty() && !of(id, false).is_empty());
        let Some(next) = next else {
            let names: Vec<&str> =
                open.iter().map(|&id| interface.scope.variable(id).name.as_str()).collect();
            let what = format!(
                "the hidden {} (more than {MOST_BELIEFS} combinations of values, and no equations that determine them)",
                names.join(", ")
            );
            return Err(Inexpressible::new(what));
        };
        let id = open[next];
        found.push((id, [of(id, true), of(id, false)]));
        open.remove(next);
    }
    Ok(Hidden::Determined(found))
}

/// Whether a contract speaks of hidden values.
pub(super) fn reads_hidden(interface: &Interface, contract: &Contract) -> bool {
    let exprs = contract.assumption.iter().chain([&contract.guarantee]);
    exprs.flat_map(|expr| expr.reads()).any(|read| interface.roles[read.variable] == Role::Hidden)
}
