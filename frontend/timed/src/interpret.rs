//! The reference meaning of timed systems: concrete runs, with exact numbers.

use crate::system::{Action, System};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use spec::evaluate::{evaluate, holds};
use spec::scope::VariableId;
use spec::value::Value;

/// A state of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The state of the system.
    pub location: usize,
    /// Values of data and clocks, by variable.
    pub values: Vec<Value>,
}

/// What a transition did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state behind it.
    pub state: State,
    /// The values of its message.
    pub message: Vec<Value>,
}

/// The first state, with values for data whose value at the start is unknown; none where one is no
/// value of its type.
pub fn start(system: &System, unknown: &mut dyn FnMut(VariableId) -> Value) -> Option<State> {
    let mut values = vec![Value::Integer(0); system.scope.variables().len()];
    for data in &system.data {
        let value = data.initial.clone().unwrap_or_else(|| unknown(data.variable));
        if !system.ty(data.variable).contains(&value) {
            return None;
        }
        values[index(data.variable)] = value;
    }
    Some(State { location: 0, values })
}

/// The state after a transition that is taken when `delay` has passed, with `received` as the
/// values of its message where it receives; none where it cannot be taken so.
pub fn step(
    system: &System,
    state: &State,
    edge: usize,
    delay: &BigRational,
    received: &[Value],
) -> Option<Step> {
    let transition = &system.edges[edge];
    if transition.from != state.location || delay.is_negative() {
        return None;
    }
    let mut values = state.values.clone();
    for &clock in &system.clocks {
        let value = &mut values[index(clock)];
        *value = Value::number(value.as_number()? + delay);
    }
    let args = &system.channel(transition).args;
    if let Action::Receive(variables) = &transition.action {
        if received.len() != variables.len() {
            return None;
        }
        for ((variable, value), arg) in variables.iter().zip(received).zip(args) {
            let fits_channel = arg.as_ref().is_none_or(|ty| ty.contains(value));
            if !fits_channel || !system.ty(*variable).contains(value) {
                return None;
            }
            values[index(*variable)] = value.clone();
        }
    }
    let environment = |variable: VariableId, _| values[index(variable)].clone();
    if !holds(&transition.guard, &environment) {
        return None;
    }
    let message = match &transition.action {
        Action::Receive(_) => received.to_vec(),
        Action::Send(terms) => {
            let sent: Option<Vec<Value>> = terms.iter().map(|term| evaluate(term, &environment)).collect();
            let sent = sent?;
            let fit = args.iter().zip(&sent).all(|(arg, value)| match arg {
                Some(ty) => ty.contains(value),
                None => value.as_integer().is_some(),
            });
            if !fit {
                return None;
            }
            sent
        }
    };
    let mut next = values.clone();
    for (variable, expr) in &transition.updates {
        let value = evaluate(expr, &environment)?;
        if !system.ty(*variable).contains(&value) {
            return None;
        }
        next[index(*variable)] = value;
    }
    for &reset in &transition.resets {
        next[index(system.clocks[reset])] = Value::number(BigRational::zero());
    }
    Some(Step { state: State { location: transition.to, values: next }, message })
}

/// The position of a variable in [`State::values`].
pub fn index(variable: VariableId) -> usize {
    model::id::Id::index(variable)
}
