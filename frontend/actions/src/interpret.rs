//! What an action system means: bodies as relations between states before and after, read off the
//! paper's table (section 3.2) and computed as images of single states.
//!
//! This is the judge: chains, kills and verdicts found by other means run here before anyone sees
//! them. Nothing is compiled, cached or shared with [`branches`](crate::branches), which say the
//! same in another way.

use crate::syntax::Kind;
use crate::system::{Action, Body, State, System};
use crate::values::Alphabet;
use spec::evaluate::{evaluate, holds};
use spec::scope::VariableId;
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;
use std::collections::BTreeSet;

/// States after one step at most, and values of `:in`.
pub const MOST_POST_STATES: usize = 1 << 16;

/// More states, values or labels than are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// States of the systems, or pairs of sets of them.
    #[error("the system has more states than are enumerated (--states N allows more)")]
    States,
    /// Labels of one action.
    #[error(
        "the parameters of an action have more values than are enumerated: of a parameter that is only compared a \
         few stand for all, of one that is stored or computed with each value of its type is looked at"
    )]
    Labels,
    /// Branches of one action.
    #[error("an action has more branches than are enumerated")]
    Branches,
    /// States after one step, or values that `:in` may choose.
    #[error("one step leads to more states than are enumerated")]
    Choices,
    /// More than the time suffices for.
    #[error("the time was up before all states were enumerated")]
    Time,
}

/// What is seen of a system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// A label: an action and the values of its parameters.
    Label(usize, Box<[Value]>),
    /// Nothing happens, and nothing will.
    Quiet,
}

/// A label: an action and the values of its parameters.
pub type Label = (usize, Box<[Value]>);

/// A set of states in which a system may be; values have no order, so that it is a list without
/// repetitions.
pub type States = Vec<State>;

/// The states after a body has run in a state, without repetitions.
///
/// # Errors
/// If there are more than [`MOST_POST_STATES`].
pub fn image(
    system: &System,
    action: &Action,
    body: &Body,
    state: &[Value],
    args: &[Value],
) -> Result<States, TooMany> {
    let value = |expr: &Expr| evaluate(expr, &|variable, _| action.value(variable, state, args));
    match body {
        Body::Skip => Ok(vec![state.into()]),
        Body::Assign(assignments) => {
            let mut after: State = state.into();
            for (target, expr) in assignments {
                let Some(value) = value(expr) else { return Ok(Vec::new()) };
                if !ty(system, *target).contains(&value) {
                    return Ok(Vec::new());
                }
                after[position(*target)] = value;
            }
            Ok(vec![after])
        }
        Body::Any { target, lo, hi, .. } => {
            let (Some(lo), Some(hi)) = (value(lo), value(hi)) else { return Ok(Vec::new()) };
            let chosen = values_between(ty(system, *target), &lo, &hi)?;
            Ok(chosen.into_iter().map(|value| changed(state, *target, value)).collect())
        }
        Body::Guarded(guard, body) => {
            match holds(guard, &|variable, _| action.value(variable, state, args)) {
                true => image(system, action, body, state, args),
                false => Ok(Vec::new()),
            }
        }
        Body::Sequence(parts) => {
            let mut reached: States = vec![state.into()];
            for part in parts {
                let mut next = States::new();
                for between in &reached {
                    add_all(&mut next, image(system, action, part, between, args)?)?;
                }
                reached = next;
            }
            Ok(reached)
        }
        Body::Prioritised(parts) => {
            for part in parts {
                let found = image(system, action, part, state, args)?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
            Ok(Vec::new())
        }
        Body::Choice(parts) => {
            let mut found = States::new();
            for part in parts {
                add_all(&mut found, image(system, action, part, state, args)?)?;
            }
            Ok(found)
        }
    }
}

fn ty(system: &System, variable: VariableId) -> &Type {
    &system.variables[position(variable)].ty
}
fn position(variable: VariableId) -> usize {
    model::id::Id::index(variable)
}
fn changed(state: &[Value], target: VariableId, value: Value) -> State {
    let mut after: State = state.into();
    after[position(target)] = value;
    after
}

fn add_all(found: &mut States, more: States) -> Result<(), TooMany> {
    for state in more {
        if !found.contains(&state) {
            found.push(state);
        }
    }
    if found.len() > MOST_POST_STATES { Err(TooMany::Choices) } else { Ok(()) }
}

/// The values of a type from `lo` to `hi`, which may lie outside it.
fn values_between(ty: &Type, lo: &Value, hi: &Value) -> Result<Vec<Value>, TooMany> {
    let (Some(lo), Some(hi)) = (lo.as_number(), hi.as_number()) else { return Ok(Vec::new()) };
    let lies_between = |value: &Value| value.as_number().is_some_and(|number| lo <= number && number <= hi);
    let count = ty.count().unwrap_or(u128::MAX);
    if count <= MOST_POST_STATES as u128 {
        return Ok(ty.values().into_iter().flatten().filter(lies_between).collect());
    }
    // A large type: its numbers from the first that is not below `lo`.
    let range = ty.range().ok_or(TooMany::Choices)?;
    let step = spec::value::big(range.step());
    let first = integer(&(&lo / &step).ceil()).unwrap_or(range.lo()).max(range.lo());
    let last = integer(&(&hi / &step).floor()).unwrap_or(range.hi()).min(range.hi());
    if last.saturating_sub(first) >= MOST_POST_STATES as i128 {
        return Err(TooMany::Choices);
    }
    let values = (first..=last).map(|units| range.value(units));
    Ok(values.filter(|value| ty.contains(value)).collect())
}

/// An integral number, where it fits.
fn integer(number: &num_rational::BigRational) -> Option<i128> {
    i128::try_from(number.numer().clone()).ok()
}

/// What becomes of the states of a set that have no step for a label which happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// They are left: it was seen that the system is in another one.
    Ends,
    /// They stay: the system ignores what it does not take.
    Stays,
    /// They stay if another state of the set has such a step: nobody sees whether the stimulus was
    /// ignored. Where none has one, nobody gives the stimulus.
    StaysWithOthers,
}

impl Refusal {
    /// Whether they stay, where others have such a step or not.
    pub(crate) const fn stays(self, others_move: bool) -> bool {
        match self {
            Self::Ends => false,
            Self::Stays => true,
            Self::StaysWithOthers => others_move,
        }
    }
}

/// A system in motion: what it can do in a set of states.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The system.
    pub system: &'a System,
    /// Which labels are looked at.
    pub alphabet: &'a Alphabet,
}

impl Machine<'_> {
    /// The states after a label, with the block's priorities.
    ///
    /// # Errors
    /// If too much would have to be enumerated; so with all functions of this type.
    pub fn after_label(&self, state: &[Value], action: usize, args: &[Value]) -> Result<States, TooMany> {
        if !self.may_move(state, action)? {
            return Ok(States::new());
        }
        let action = &self.system.actions[action];
        image(self.system, action, &action.body, state, args)
    }
    /// The actions that may take a step, by the block.
    fn allowed(&self, state: &[Value]) -> Result<Vec<usize>, TooMany> {
        self.system.block.allowed(&mut |action| Ok(!self.labels(state, action)?.is_empty()))
    }
    /// Whether the block lets an action move, if it has a step.
    fn may_move(&self, state: &[Value], action: usize) -> Result<bool, TooMany> {
        if !self.system.block.is_plain() {
            return Ok(self.allowed(state)?.contains(&action));
        }
        let mut is_mentioned = false;
        self.system.block.for_each_action(&mut |known| is_mentioned |= known == action);
        Ok(is_mentioned)
    }
    /// The labels of an action that have a step if the block lets it move.
    fn labels(&self, state: &[Value], action: usize) -> Result<Vec<Box<[Value]>>, TooMany> {
        let description = &self.system.actions[action];
        let mut found = Vec::new();
        for args in self.alphabet.arguments(action, [state])? {
            if !image(self.system, description, &description.body, state, &args)?.is_empty() {
                found.push(args);
            }
        }
        Ok(found)
    }
    /// The labels by which a step may be taken from a state.
    pub fn steps(&self, state: &[Value]) -> Result<Vec<Label>, TooMany> {
        let mut found = Vec::new();
        for action in self.allowed(state)? {
            found.extend(self.labels(state, action)?.into_iter().map(|args| (action, args)));
        }
        Ok(found)
    }
    /// All states that invisible steps lead to, those of the set included.
    pub fn closed(&self, states: States) -> Result<States, TooMany> {
        let mut closed = states;
        if self.system.actions.iter().all(|action| action.kind != Kind::Internal) {
            return Ok(closed);
        }
        let mut next = 0;
        while let Some(state) = closed.get(next).cloned() {
            next += 1;
            for action in self.allowed(&state)? {
                if self.system.actions[action].kind != Kind::Internal {
                    continue;
                }
                for args in self.labels(&state, action)? {
                    let more = self.after_label(&state, action, &args)?;
                    add_all(&mut closed, more)?;
                }
            }
        }
        Ok(closed)
    }
    /// The states at the start, closed.
    pub fn start(&self) -> Result<States, TooMany> {
        self.closed(vec![self.system.initial()])
    }
    /// What may be seen next of a closed set of states. Labels are told apart as `others`, states
    /// of a system that this one is compared with, do as well.
    pub fn out(&self, states: &States, others: &States) -> Result<Vec<Seen>, TooMany> {
        let mut found = Vec::new();
        let all = || states.iter().chain(others).map(|state| &**state);
        for (position, action) in self.system.actions.iter().enumerate() {
            if action.kind != Kind::Observable {
                continue;
            }
            for args in self.alphabet.arguments(position, all().collect::<Vec<_>>())? {
                let seen = Seen::Label(position, args);
                if !self.after_seen(states, &seen)?.is_empty() {
                    found.push(seen);
                }
            }
        }
        if !self.after_seen(states, &Seen::Quiet)?.is_empty() {
            found.push(Seen::Quiet);
        }
        Ok(found)
    }
    /// What this system may show in some states and `original` may not in its own; the first found.
    pub fn failing(
        &self,
        states: &States,
        original: &Self,
        allowed: &States,
    ) -> Result<Option<Seen>, TooMany> {
        for seen in self.out(states, allowed)? {
            if original.after_seen(allowed, &seen)?.is_empty() {
                return Ok(Some(seen));
            }
        }
        Ok(None)
    }
    /// The states after something was seen, closed.
    pub fn after_seen(&self, states: &States, seen: &Seen) -> Result<States, TooMany> {
        let mut after = States::new();
        for state in states {
            match seen {
                Seen::Label(action, args) => {
                    add_all(&mut after, self.after_label(state, *action, args)?)?;
                }
                Seen::Quiet => {
                    let allowed = self.allowed(state)?;
                    let is_quiet = |action: &usize| self.system.actions[*action].kind == Kind::Controllable;
                    if allowed.iter().all(is_quiet) {
                        add_all(&mut after, vec![state.clone()])?;
                    }
                }
            }
        }
        self.closed(after)
    }
    /// The states after a stimulus, closed.
    pub fn after_stimulus(
        &self,
        states: &States,
        (action, args): (usize, &[Value]),
        refusal: Refusal,
    ) -> Result<States, TooMany> {
        let (mut after, mut refusing) = (States::new(), States::new());
        for state in states {
            let next = self.after_label(state, action, args)?;
            if next.is_empty() {
                refusing.push(state.clone());
            }
            add_all(&mut after, next)?;
        }
        if refusal.stays(!after.is_empty()) {
            add_all(&mut after, refusing)?;
        }
        self.closed(after)
    }
}

/// The states that some steps lead to, from the initial one, at most so many.
///
/// # Errors
/// If there are more.
pub fn reachable(machine: Machine<'_>, most: usize) -> Result<States, TooMany> {
    let mut found = vec![machine.system.initial()];
    let mut known: BTreeSet<String> = found.iter().map(|state| format!("{state:?}")).collect();
    let mut next = 0;
    while let Some(state) = found.get(next).cloned() {
        next += 1;
        for action in machine.allowed(&state)? {
            for args in machine.labels(&state, action)? {
                for after in machine.after_label(&state, action, &args)? {
                    if known.insert(format!("{after:?}")) {
                        found.push(after);
                    }
                }
            }
        }
        if found.len() > most {
            return Err(TooMany::States);
        }
    }
    Ok(found)
}
