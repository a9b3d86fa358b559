//! Which values of parameters have to be looked at.
//!
//! A parameter that an action compares and does nothing else with splits the values of its type
//! into a few classes, whose members the action cannot tell apart: those below, at and above each
//! value that it is compared with. One member of each class stands for all, so that `w = 20 * n`
//! costs as much for each n. A parameter that is stored or computed with has each of its values
//! looked at.

use crate::interpret::TooMany;
use crate::system::{Action, Body, System};
use spec::evaluate::evaluate;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind};
use spec::types::Type;
use spec::value::Value;

/// Labels of one action that are looked at in one state, at most.
pub const MOST_LABELS: usize = 1 << 12;

/// How the values of a parameter are told apart.
#[derive(Clone, Debug, PartialEq)]
enum Classes {
    /// Each value is one of its own.
    All,
    /// By comparisons with these, which read no parameter.
    Cuts(Vec<Expr>),
}

/// The labels that have to be looked at to tell some systems apart.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    /// For each action.
    actions: Vec<Signature>,
}

#[derive(Clone, Debug)]
struct Signature {
    first_parameter: usize,
    parameters: Vec<(Type, Classes)>,
}

impl Alphabet {
    /// The labels of one system.
    pub fn new(system: &System) -> Self {
        let signature = |action: &Action| {
            let none =
                |parameter: &crate::system::Parameter| (parameter.ty.clone(), Classes::Cuts(Vec::new()));
            let parameters = action.parameters.iter().map(none).collect();
            Signature { first_parameter: action.first_parameter, parameters }
        };
        let mut alphabet = Self { actions: system.actions.iter().map(signature).collect() };
        alphabet.add(system);
        alphabet
    }
    /// Tells apart what another system with the same actions and parameters does, too.
    pub fn add(&mut self, system: &System) {
        for (position, action) in system.actions.iter().enumerate() {
            self.add_action(position, action);
        }
    }
    /// As [`Alphabet::add`], for one action of another system.
    pub fn add_action(&mut self, position: usize, action: &Action) {
        let Some(signature) = self.actions.get_mut(position) else { return };
        if signature.parameters.is_empty() {
            return;
        }
        let mut assigned = Vec::new();
        collect_assigned(&action.body, &mut assigned);
        let mut reader = Reader { signature, first: action.first_parameter, assigned: &assigned };
        reader.body(&action.body);
    }

    /// One label of each class in some states, as values of the parameters.
    ///
    /// # Errors
    /// If there are more than [`MOST_LABELS`].
    pub fn arguments<'s>(
        &self,
        action: usize,
        states: impl IntoIterator<Item = &'s [Value]> + Clone,
    ) -> Result<Vec<Box<[Value]>>, TooMany> {
        let mut found: Vec<Box<[Value]>> = vec![Box::default()];
        for (ty, classes) in &self.actions[action].parameters {
            let values = match classes {
                Classes::All => all_values(ty)?,
                Classes::Cuts(cuts) => members(ty, cuts, states.clone())?,
            };
            if values.len().saturating_mul(found.len()) > MOST_LABELS {
                return Err(TooMany::Labels);
            }
            let with = |args: &[Value], value: &Value| {
                args.iter().cloned().chain(std::iter::once(value.clone())).collect::<Box<[Value]>>()
            };
            found = found.iter().flat_map(|args| values.iter().map(move |value| with(args, value))).collect();
        }
        Ok(found)
    }
    /// The greatest members of the classes in some states of which a label has the least ones.
    pub fn upto<'s>(
        &self,
        (action, args): (usize, &[Value]),
        states: impl IntoIterator<Item = &'s [Value]> + Clone,
    ) -> Box<[Value]> {
        let greatest = |((ty, classes), least): (&(Type, Classes), &Value)| {
            let (Classes::Cuts(cuts), Some(range)) = (classes, ty.range()) else { return least.clone() };
            let starts = members(ty, cuts, states.clone()).unwrap_or_default();
            let position = starts.iter().position(|start| start == least);
            let behind = |position: usize| match starts.get(position + 1) {
                Some(next) => Some(range.units(next)? - 1),
                None => Some(range.hi()),
            };
            position.and_then(behind).map_or_else(|| least.clone(), |units| range.value(units))
        };
        self.actions[action].parameters.iter().zip(args).map(greatest).collect()
    }
    /// Whether the labels of an action are the same in every state.
    pub fn is_fixed(&self, action: usize) -> bool {
        self.actions[action].parameters.iter().all(|(_, classes)| match classes {
            Classes::All => true,
            Classes::Cuts(cuts) => cuts.iter().all(|cut| cut.as_constant().is_some()),
        })
    }
}

fn all_values(ty: &Type) -> Result<Vec<Value>, TooMany> {
    match ty.count() {
        Some(count) if count <= MOST_LABELS as u128 => Ok(ty.values().into_iter().flatten().collect()),
        _ => Err(TooMany::Labels),
    }
}

/// The least member of each class of an integral type.
fn members<'s>(
    ty: &Type,
    cuts: &[Expr],
    states: impl IntoIterator<Item = &'s [Value]>,
) -> Result<Vec<Value>, TooMany> {
    let Some(range) = ty.range() else { return all_values(ty) };
    let mut starts = vec![range.lo()];
    for state in states {
        for cut in cuts {
            let value =
                evaluate(cut, &|variable: VariableId, _| state[model::id::Id::index(variable)].clone());
            // A value that is undefined, or no integer, is equal to no member.
            let Some(value) = value else { continue };
            let Some(number) = value.as_number() else { continue };
            let Ok(floor) = i128::try_from(number.floor().to_integer()) else { continue };
            starts.extend([floor, floor.saturating_add(1)]);
        }
    }
    starts.retain(|start| range.contains(*start));
    starts.sort_unstable();
    starts.dedup();
    Ok(starts.into_iter().map(|units| range.value(units)).collect())
}

fn collect_assigned(body: &Body, found: &mut Vec<VariableId>) {
    match body {
        Body::Skip => {}
        Body::Assign(assignments) => found.extend(assignments.iter().map(|(target, _)| *target)),
        Body::Any { target, .. } => found.push(*target),
        Body::Guarded(_, body) => collect_assigned(body, found),
        Body::Sequence(parts) | Body::Prioritised(parts) | Body::Choice(parts) => {
            parts.iter().for_each(|part| collect_assigned(part, found));
        }
    }
}

/// Finds what an action does with its parameters.
struct Reader<'a> {
    signature: &'a mut Signature,
    /// The first parameter in the action's own numbering.
    first: usize,
    /// Variables whose value where they are read may differ from that before the step.
    assigned: &'a [VariableId],
}

impl Reader<'_> {
    fn body(&mut self, body: &Body) {
        match body {
            Body::Skip => {}
            Body::Assign(assignments) => assignments.iter().for_each(|(_, value)| self.expr(value)),
            Body::Any { lo, hi, .. } => [lo, hi].into_iter().for_each(|bound| self.expr(bound)),
            Body::Guarded(guard, body) => {
                self.expr(guard);
                self.body(body);
            }
            Body::Sequence(parts) | Body::Prioritised(parts) | Body::Choice(parts) => {
                parts.iter().for_each(|part| self.body(part));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let Kind::Binary { op: Binary::Equal | Binary::Less | Binary::LessEqual, lhs, rhs } = expr.kind() {
            for (one, other) in [(lhs, rhs), (rhs, lhs)] {
                if let Some(parameter) = self.parameter(one)
                    && self.is_cut(other)
                    && self.is_integral(parameter)
                {
                    self.cut(parameter, other);
                    return;
                }
            }
        }
        if let Some(parameter) = self.parameter(expr) {
            self.signature.parameters[parameter].1 = Classes::All;
        }
        expr.kind().for_each_operand(|operand| self.expr(operand));
    }

    fn cut(&mut self, parameter: usize, with: &Expr) {
        if let Classes::Cuts(cuts) = &mut self.signature.parameters[parameter].1
            && !cuts.contains(with)
        {
            cuts.push(with.clone());
        }
    }
    /// The parameter that an expression is.
    fn parameter(&self, expr: &Expr) -> Option<usize> {
        match expr.kind() {
            Kind::Variable { variable, .. } => {
                let position = model::id::Id::index(*variable).checked_sub(self.first)?;
                (position < self.signature.parameters.len()).then_some(position)
            }
            _ => None,
        }
    }
    fn is_integral(&self, parameter: usize) -> bool {
        let (ty, _) = &self.signature.parameters[parameter];
        matches!(ty, Type::Number(range) if range.is_integral()) || matches!(ty, Type::Machine { .. })
    }
    /// Whether an expression has one value in a state, wherever it is read.
    fn is_cut(&self, expr: &Expr) -> bool {
        expr.reads().iter().all(|read| {
            model::id::Id::index(read.variable) < self.signature.first_parameter
                && !self.assigned.contains(&read.variable)
        })
    }
}
