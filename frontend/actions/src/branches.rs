//! Action systems once more, as lists of branches: for the search and for speed.
//!
//! Distributing `[]` over everything else leaves *branches* without choice: a row of tests and
//! assignments that runs from one state to one other (or, by `:in`, to several). `a // b` adds to
//! each branch of `b` that no branch of `a` is enabled.

use crate::interpret::{MOST_POST_STATES, TooMany};
use crate::system::{Action, Body, State, System};
use spec::evaluate::evaluate;
use spec::scope::VariableId;
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;
use std::sync::Arc;

/// Branches of one action at most.
pub const MOST_BRANCHES: usize = 4096;

/// One thing that a branch does.
#[derive(Clone, Debug)]
pub enum Step {
    /// The branch goes on only where this holds.
    Test(Expr),
    /// The branch goes on only where none of these is enabled.
    Unless(Arc<[Branch]>),
    /// Variables get values, all at once.
    Assign(Vec<(VariableId, Expr)>),
    /// A variable gets any value between two bounds.
    Any {
        /// The variable.
        target: VariableId,
        /// The least value.
        lo: Expr,
        /// The greatest value.
        hi: Expr,
    },
}

/// A row of steps.
#[derive(Clone, Debug, Default)]
pub struct Branch {
    /// The steps.
    pub steps: Vec<Step>,
}

/// The branches of an action, in the order of the text.
///
/// # Errors
/// If there are more than [`MOST_BRANCHES`].
pub fn branches(body: &Body) -> Result<Vec<Branch>, TooMany> {
    let found = match body {
        Body::Skip => vec![Branch::default()],
        Body::Assign(assignments) => vec![Branch::of(Step::Assign(assignments.clone()))],
        Body::Any { target, lo, hi, .. } => {
            vec![Branch::of(Step::Any { target: *target, lo: lo.clone(), hi: hi.clone() })]
        }
        Body::Guarded(guard, body) => {
            let test = [Branch::of(Step::Test(guard.clone()))];
            composed(&test, &branches(body)?)?
        }
        Body::Sequence(parts) => {
            let mut found = vec![Branch::default()];
            for part in parts {
                found = composed(&found, &branches(part)?)?;
            }
            found
        }
        Body::Choice(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(branches(part)?);
            }
            found
        }
        Body::Prioritised(parts) => {
            let mut found: Vec<Branch> = Vec::new();
            let mut earlier: Vec<Branch> = Vec::new();
            for part in parts {
                let own = branches(part)?;
                let guarded = match earlier.is_empty() {
                    true => own.clone(),
                    false => composed(&[Branch::of(Step::Unless(earlier.clone().into()))], &own)?,
                };
                found.extend(guarded);
                earlier.extend(own);
            }
            found
        }
    };
    if found.len() > MOST_BRANCHES { Err(TooMany::Branches) } else { Ok(found) }
}

impl Branch {
    fn of(step: Step) -> Self {
        Self { steps: vec![step] }
    }
}

fn composed(first: &[Branch], second: &[Branch]) -> Result<Vec<Branch>, TooMany> {
    if first.len().saturating_mul(second.len()) > MOST_BRANCHES {
        return Err(TooMany::Branches);
    }
    let joined = |one: &Branch, other: &Branch| Branch {
        steps: one.steps.iter().chain(&other.steps).cloned().collect(),
    };
    Ok(first.iter().flat_map(|one| second.iter().map(move |other| joined(one, other))).collect())
}

/// An action with its branches.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The types of the state variables.
    types: Arc<[Type]>,
    first_parameter: usize,
    branches: Vec<Branch>,
}

impl Compiled {
    /// The branches of an action of a system.
    ///
    /// # Errors
    /// If there are too many.
    pub fn new(system: &System, action: &Action) -> Result<Self, TooMany> {
        Ok(Self {
            types: system.variables.iter().map(|variable| variable.ty.clone()).collect(),
            first_parameter: action.first_parameter,
            branches: branches(&action.body)?,
        })
    }
    /// How many branches there are.
    pub fn count(&self) -> usize {
        self.branches.len()
    }
    /// Calls `visit` with the number of a branch and each state that it leads to; states come more
    /// than once.
    ///
    /// # Errors
    /// If there are too many states.
    pub fn posts(
        &self,
        state: &[Value],
        args: &[Value],
        visit: &mut dyn FnMut(usize, State),
    ) -> Result<(), TooMany> {
        let mut left = MOST_POST_STATES;
        for (number, branch) in self.branches.iter().enumerate() {
            let mut current: State = state.into();
            self.run(&branch.steps, &mut current, args, &mut left, &mut |after| visit(number, after.into()))?;
        }
        Ok(())
    }

    fn value(&self, expr: &Expr, state: &[Value], args: &[Value]) -> Option<Value> {
        evaluate(expr, &|variable, _| {
            let number = model::id::Id::index(variable);
            state.get(number).unwrap_or_else(|| &args[number - self.first_parameter]).clone()
        })
    }

    /// Runs the rest of a branch from a state, which is as before afterwards.
    fn run(
        &self,
        steps: &[Step],
        state: &mut State,
        args: &[Value],
        left: &mut usize,
        found: &mut dyn FnMut(&[Value]),
    ) -> Result<(), TooMany> {
        let Some((step, rest)) = steps.split_first() else {
            *left = left.checked_sub(1).ok_or(TooMany::Choices)?;
            found(state);
            return Ok(());
        };
        match step {
            Step::Test(guard) => {
                if self.value(guard, state, args) == Some(Value::Bool(true)) {
                    self.run(rest, state, args, left, found)?;
                }
                Ok(())
            }
            Step::Unless(others) => {
                let mut is_enabled = false;
                for other in others.iter() {
                    self.run(&other.steps, &mut state.clone(), args, left, &mut |_| is_enabled = true)?;
                }
                if is_enabled { Ok(()) } else { self.run(rest, state, args, left, found) }
            }
            Step::Assign(assignments) => {
                let mut after = state.clone();
                for (target, expr) in assignments {
                    let number = model::id::Id::index(*target);
                    match self.value(expr, state, args) {
                        Some(value) if self.types[number].contains(&value) => after[number] = value,
                        _ => return Ok(()),
                    }
                }
                self.run(rest, &mut after, args, left, found)
            }
            Step::Any { target, lo, hi } => {
                let (Some(lo), Some(hi)) = (self.value(lo, state, args), self.value(hi, state, args)) else {
                    return Ok(());
                };
                let number = model::id::Id::index(*target);
                for value in chosen(&self.types[number], &lo, &hi)? {
                    let mut after = state.clone();
                    after[number] = value;
                    self.run(rest, &mut after, args, left, found)?;
                }
                Ok(())
            }
        }
    }
}

/// The values that `:in` may choose.
fn chosen(ty: &Type, lo: &Value, hi: &Value) -> Result<Vec<Value>, TooMany> {
    let Some(range) = ty.range() else { return Ok(Vec::new()) };
    let units = |value: &Value, round_up: bool| {
        let number = value.as_number()? / spec::value::big(range.step());
        let whole = if round_up { number.ceil() } else { number.floor() };
        i128::try_from(whole.to_integer()).ok()
    };
    let (Some(from), Some(to)) = (units(lo, true), units(hi, false)) else { return Err(TooMany::Choices) };
    let (from, to) = (from.max(range.lo()), to.min(range.hi()));
    if to.saturating_sub(from) >= MOST_POST_STATES as i128 {
        return Err(TooMany::Choices);
    }
    Ok((from..=to).map(|unit| range.value(unit)).filter(|value| ty.contains(value)).collect())
}
