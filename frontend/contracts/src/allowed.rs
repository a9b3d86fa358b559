//! Sets of observations, and how they are shown.

use crate::interface::Interface;
use crate::semantics::{Valuation, id_index};
use crate::syntax::Role;
use rustc_hash::FxHashSet;
use spec::scope::VariableId;
use spec::types::Type;
use spec::value::Value;
use std::cmp::Ordering;

/// Observations that are kept at most; of more it is only said that there are many.
const MOST: usize = 20_000;

/// Observations that are listed at most where they are no product.
const LISTED: usize = 4;

/// The outputs that are allowed in a step.
#[derive(Clone, Debug)]
pub struct Allowed {
    outputs: Vec<VariableId>,
    /// The combinations of outputs; a value is unknown where all of them will do.
    seen: FxHashSet<Vec<Option<Value>>>,
    is_complete: bool,
}

impl Allowed {
    /// None yet.
    pub fn new(interface: &Interface) -> Self {
        let outputs = interface.variables(Role::Output).collect();
        Self { outputs, seen: FxHashSet::default(), is_complete: true }
    }
    /// Adds the outputs of a step.
    pub fn add(&mut self, now: &Valuation) {
        let outputs = self.outputs.iter().map(|id| now[id_index(*id)].clone()).collect();
        if self.seen.len() < MOST {
            self.seen.insert(outputs);
        } else if !self.seen.contains(&outputs) {
            self.is_complete = false;
        }
    }
    /// Whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// A small formula: `E & !F & pc <= 2` where outputs are allowed independently of each other,
    /// else some combinations.
    pub fn describe(&self, interface: &Interface) -> String {
        if self.is_empty() {
            return "none".to_owned();
        }
        if !self.is_complete {
            return format!("more than {MOST} combinations of outputs");
        }
        let columns: Vec<Vec<Value>> = (0..self.outputs.len()).map(|index| self.column(index)).collect();
        let product: usize = columns.iter().map(|column| column.len().max(1)).product();
        let shown = |index: usize, values: &[Value]| {
            let variable = interface.scope.variable(self.outputs[index]);
            constraint(&variable.name, &variable.ty, values)
        };
        if product == self.seen.len() {
            let parts = columns.iter().enumerate().filter_map(|(index, column)| shown(index, column));
            let parts: Vec<String> = parts.collect();
            return if parts.is_empty() { "any outputs".to_owned() } else { parts.join(" & ") };
        }
        let mut rows: Vec<&Vec<Option<Value>>> = self.seen.iter().collect();
        rows.sort_by(|left, right| compare_rows(left, right));
        let row = |row: &Vec<Option<Value>>| {
            let parts = row.iter().enumerate();
            let parts = parts.filter_map(|(index, value)| {
                value.as_ref().and_then(|value| shown(index, std::slice::from_ref(value)))
            });
            format!("({})", parts.collect::<Vec<_>>().join(" & "))
        };
        let mut listed: Vec<String> = rows.iter().take(LISTED).map(|one| row(one)).collect();
        if rows.len() > LISTED {
            listed.push(format!("... ({} combinations)", rows.len()));
        }
        listed.join(" | ")
    }
    /// The values of an output, ascending; none where it is unknown.
    fn column(&self, index: usize) -> Vec<Value> {
        let values: FxHashSet<Value> = self.seen.iter().filter_map(|row| row[index].clone()).collect();
        let mut values: Vec<Value> = values.into_iter().collect();
        values.sort_by(compare);
        values
    }
}

/// What a variable must be to be among some ascending values of its type; none where all are.
fn constraint(name: &str, ty: &Type, values: &[Value]) -> Option<String> {
    let (first, last) = (values.first()?, values.last()?);
    if ty.count() == Some(values.len() as u128) {
        return None;
    }
    if let (Value::Bool(value), [_]) = (first, values) {
        return Some(format!("{}{name}", if *value { "" } else { "!" }));
    }
    if values.len() == 1 {
        return Some(format!("{name} = {}", ty.show(first)));
    }
    let dense = ty.range().filter(|_| !matches!(ty, Type::Set(_))).and_then(|range| {
        let (lo, hi) = (range.units(first)?, range.units(last)?);
        (hi - lo + 1 == values.len() as i128).then_some((lo == range.lo(), hi == range.hi()))
    });
    let (first, last) = (ty.show(first), ty.show(last));
    Some(match dense {
        Some((true, false)) => format!("{name} <= {last}"),
        Some((false, true)) => format!("{name} >= {first}"),
        Some(_) => format!("{first} <= {name} <= {last}"),
        None => {
            let shown: Vec<String> = values.iter().map(|value| ty.show(value)).collect();
            format!("{name} in {{{}}}", shown.join(", "))
        }
    })
}

/// The order of rows of values, by their first difference.
pub(crate) fn compare_rows(left: &[Option<Value>], right: &[Option<Value>]) -> Ordering {
    let mut pairs = left.iter().zip(right).map(|(left, right)| compare_known(left, right));
    pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The order of values of which some are unknown, which come first.
pub(crate) fn compare_known(left: &Option<Value>, right: &Option<Value>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => compare(left, right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

/// The order of the values of one type.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Enumerator(left), Value::Enumerator(right)) => left.cmp(right),
        _ => left.as_number().cmp(&right.as_number()),
    }
}
