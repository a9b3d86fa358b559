//! The reference meaning of interfaces: sets of states, found by enumeration over exact values.
//!
//! It shares no code with the lowering into terms. All that is printed - chains, verdicts,
//! conflicts - has passed it.

mod answers;
mod deciding;

pub use answers::{Found, Step};
pub use deciding::Deciding;

use crate::interface::{Contract, Interface, Purpose};
use crate::syntax::Role;
use frontend::limit::Limit;
use spec::evaluate::holds;
use spec::scope::VariableId;
use spec::typed::Expr;
use spec::value::Value;
use std::ops::ControlFlow;

/// Values of all variables in one step, by [`VariableId`]; none where nobody knows.
pub type Valuation = Vec<Option<Value>>;

/// The values that the next step can read, in the order of [`Semantics::remembered`].
pub type Position = Box<[Value]>;

/// A reason why an enumeration did not come to its end: nothing is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// It would take more work than is allowed.
    #[error("enumerating its states takes more work than is allowed")]
    TooLarge,
    /// The time is up.
    #[error("the time limit was reached")]
    Time,
    /// No system can meet the requirements for ever, but the least step that it cannot answer was
    /// not found.
    #[error("inconsistent, but the first step that no system can answer was not found")]
    Depth,
}

/// The work that an enumeration may take.
#[derive(Clone, Debug)]
pub struct Effort {
    left: u64,
    limit: Limit,
}

/// Values that are tried between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 12;

/// Truths that are looked at in the time that one value takes.
const TRUTHS_PER_VALUE: usize = 16;

impl Effort {
    /// Values that may be tried, unless the limit is reached before.
    pub fn new(values: u64, limit: Limit) -> Self {
        Self { left: values, limit }
    }
    /// Whether the limit is reached.
    pub fn is_over(&self) -> bool {
        self.limit.reason().is_some()
    }
    /// Takes account of one more value.
    ///
    /// # Errors
    /// The work is done, or the time is up.
    pub fn spend(&mut self) -> Result<(), Undecided> {
        self.take(1)
    }
    /// Takes account of one more value for which so many truths are looked at: many are as much
    /// work as further values.
    ///
    /// # Errors
    /// As [`spend`](Self::spend).
    pub fn spend_for(&mut self, truths: usize) -> Result<(), Undecided> {
        self.take(1 + (truths / TRUTHS_PER_VALUE) as u64)
    }
    fn take(&mut self, values: u64) -> Result<(), Undecided> {
        let before = self.left;
        self.left = before.checked_sub(values).ok_or(Undecided::TooLarge)?;
        if before / BETWEEN_LOOKS != self.left / BETWEEN_LOOKS && self.limit.reason().is_some() {
            return Err(Undecided::Time);
        }
        Ok(())
    }
}

impl Effort {
    /// Does some work that may try a part of the values that are left, one of so many.
    pub fn share<T>(&mut self, parts: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        self.within(self.left / parts, work)
    }
    /// Does some work that may try some of the values that are left.
    pub fn within<T>(&mut self, values: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut part = Self { left: values.min(self.left), limit: self.limit.clone() };
        let given = part.left;
        let done = work(&mut part);
        self.left -= given - part.left;
        done
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self::new(20_000_000, Limit::default())
    }
}

/// The contracts of some requirements, ready to be asked what they allow.
#[derive(Clone, Debug)]
pub struct Semantics<'a> {
    /// The interface.
    pub interface: &'a Interface,
    /// The requirements that count, ascending.
    pub selected: Vec<usize>,
    /// The variables whose values the next step can read, ascending.
    pub remembered: Vec<VariableId>,
    /// The inputs that matter, ascending.
    pub inputs: Vec<VariableId>,
    /// The controlled variables whose values are wanted, beside the remembered ones.
    wanted: Vec<VariableId>,
}

/// What is read beside the contracts of the selected requirements.
#[derive(Clone, Debug, Default)]
pub struct Interest<'a> {
    /// Purposes that are to be judged in each step.
    pub purposes: Vec<&'a Purpose>,
    /// Contracts that are to be judged in each step.
    pub contracts: Vec<&'a Contract>,
    /// Whether all outputs and all inputs count.
    pub all_observable: bool,
    /// Whether all hidden values count.
    pub all_hidden: bool,
}

impl<'a> Semantics<'a> {
    /// All requirements; purposes can be judged, inputs and outputs seen.
    pub fn whole(interface: &'a Interface) -> Self {
        let interest = Interest {
            purposes: interface.purposes.iter().collect(),
            all_observable: true,
            ..Interest::default()
        };
        Self::new(interface, (0..interface.requirements.len()).collect(), &interest)
    }
    /// All requirements; all variables can be seen.
    pub fn seeing_hidden(interface: &'a Interface) -> Self {
        let interest = Interest {
            purposes: interface.purposes.iter().collect(),
            all_observable: true,
            all_hidden: true,
            ..Interest::default()
        };
        Self::new(interface, (0..interface.requirements.len()).collect(), &interest)
    }
    /// The same without some requirements, whose variables are still remembered and wanted.
    #[must_use]
    pub fn without(&self, dropped: &[usize]) -> Self {
        let kept = self.selected.iter().copied().filter(|index| !dropped.contains(index));
        Self { selected: kept.collect(), ..self.clone() }
    }
    /// Some requirements.
    pub fn new(interface: &'a Interface, mut selected: Vec<usize>, interest: &Interest<'a>) -> Self {
        selected.sort_unstable();
        selected.dedup();
        let requirements = selected.iter().map(|&index| &interface.requirements[index]);
        let contracts = requirements.flat_map(|req| req.initial.iter().chain(&req.update));
        let contracts = contracts.chain(interest.contracts.iter().copied());
        let exprs = contracts
            .flat_map(|contract| contract.assumption.iter().chain([&contract.guarantee]))
            .chain(interface.environment.iter().map(|restriction| &restriction.condition));
        let purposes = interest.purposes.iter().map(|purpose| &purpose.body);
        let mut is_remembered = vec![false; interface.roles.len()];
        let mut is_read = is_remembered.clone();
        for read in exprs.chain(purposes.clone()).flat_map(Expr::reads) {
            is_read[id_index(read.variable)] = true;
            is_remembered[id_index(read.variable)] |= !read.primed;
        }
        let chosen = |wanted: &dyn Fn(VariableId) -> bool| -> Vec<VariableId> {
            interface.roles.ids().filter(|&id| wanted(id)).collect()
        };
        let judged = interest.contracts.iter().map(|contract| &contract.guarantee);
        let mut is_wanted = vec![false; interface.roles.len()];
        for read in purposes.chain(judged).flat_map(Expr::reads).filter(|read| read.primed) {
            is_wanted[id_index(read.variable)] = true;
        }
        let role = |id| interface.roles[id];
        let remembered = chosen(&|id| is_remembered[id_index(id)]);
        let inputs =
            chosen(&|id| role(id) == Role::Input && (interest.all_observable || is_read[id_index(id)]));
        let wanted = chosen(&|id| match role(id) {
            Role::Input => false,
            Role::Output if interest.all_observable => true,
            Role::Hidden if interest.all_hidden => true,
            _ => is_wanted[id_index(id)],
        });
        Self { interface, selected, remembered, inputs, wanted }
    }

    /// The controlled variables that the contracts of the selected requirements read.
    pub fn controlled(&self) -> Vec<VariableId> {
        let requirements = self.selected.iter().map(|&index| &self.interface.requirements[index]);
        let contracts = requirements.flat_map(|req| req.initial.iter().chain(&req.update));
        let exprs = contracts.flat_map(|contract| contract.assumption.iter().chain([&contract.guarantee]));
        let reads = exprs.flat_map(Expr::reads).map(|read| read.variable);
        let mut found: Vec<VariableId> =
            reads.filter(|id| self.interface.roles[*id] != Role::Input).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
    /// The position that a step leads to, whose remembered values are known.
    ///
    /// # Panics
    /// If one is unknown: a defect of the caller.
    pub fn position(&self, now: &[Option<Value>]) -> Position {
        let value = |id: &VariableId| {
            now[id_index(*id)].clone().unwrap_or_else(|| panic!("a remembered value should be known"))
        };
        self.remembered.iter().map(value).collect()
    }
    /// The value of a variable in a position, where it is remembered.
    pub fn remembered_value<'p>(&self, position: &'p Position, variable: VariableId) -> Option<&'p Value> {
        self.remembered.binary_search(&variable).ok().map(|index| &position[index])
    }
    /// Whether a truth holds in a step from a position, or in step 0, where all that it reads is
    /// known.
    ///
    /// # Panics
    /// If something is unknown: a defect of the caller.
    pub fn truth(&self, expr: &Expr, before: Option<&Position>, now: &[Option<Value>]) -> bool {
        holds(expr, &|variable, primed| {
            let value = if primed {
                now[id_index(variable)].as_ref()
            } else {
                before.and_then(|position| self.remembered_value(position, variable))
            };
            value.unwrap_or_else(|| panic!("a value that is read should be known")).clone()
        })
    }
    /// Whether a contract is triggered by the inputs of a step.
    pub fn is_triggered(
        &self,
        contract: &Contract,
        before: Option<&Position>,
        now: &[Option<Value>],
    ) -> bool {
        contract.assumption.as_ref().is_none_or(|assumption| self.truth(assumption, before, now))
    }
    /// Whether a contract is kept in a step.
    pub fn is_kept(&self, contract: &Contract, before: Option<&Position>, now: &[Option<Value>]) -> bool {
        !self.is_triggered(contract, before, now) || self.truth(&contract.guarantee, before, now)
    }
    /// Whether a purpose is met in a step.
    pub fn is_met(&self, purpose: &Purpose, before: Option<&Position>, now: &[Option<Value>]) -> bool {
        (before.is_some() || !purpose.needs_before) && self.truth(&purpose.body, before, now)
    }
    /// Whether the environment may give the inputs of a step.
    pub fn may_occur(&self, before: Option<&Position>, now: &[Option<Value>]) -> bool {
        self.interface.environment.iter().all(|restriction| {
            (before.is_none() && restriction.needs_before) || self.truth(&restriction.condition, before, now)
        })
    }

    /// How many combinations of the inputs that matter there are, whether they may occur or not;
    /// none where nobody can count them.
    pub(crate) fn combinations(&self) -> Option<u64> {
        let count = |input: &VariableId| self.interface.scope.variable(*input).ty.count();
        let all = self.inputs.iter().try_fold(1_u128, |all, input| all.checked_mul(count(input)?));
        all.and_then(|all| u64::try_from(all).ok())
    }
    /// The inputs that may occur in a step, in ascending order; those that do not matter are
    /// unknown.
    ///
    /// # Errors
    /// There are too many.
    pub fn occurring(
        &self,
        before: Option<&Position>,
        effort: &mut Effort,
    ) -> Result<Vec<Valuation>, Undecided> {
        // All of them are tried, so that it is known before whether there are too many.
        if self.combinations().is_none_or(|all| all > effort.left) {
            return Err(Undecided::TooLarge);
        }
        let mut found = Vec::new();
        let mut now: Valuation = vec![None; self.interface.roles.len()];
        let mut visit = |now: &Valuation| {
            found.push(now.clone());
            ControlFlow::Continue(())
        };
        let _ = self.choose_inputs(0, before, &mut now, &mut visit, effort)?;
        Ok(found)
    }
    /// Whether any inputs may occur in a step.
    ///
    /// # Errors
    /// There are too many to try.
    pub fn can_occur(&self, before: Option<&Position>, effort: &mut Effort) -> Result<bool, Undecided> {
        let mut now: Valuation = vec![None; self.interface.roles.len()];
        let found = self.choose_inputs(0, before, &mut now, &mut |_| ControlFlow::Break(()), effort)?;
        Ok(found.is_break())
    }
    fn choose_inputs(
        &self,
        index: usize,
        before: Option<&Position>,
        now: &mut Valuation,
        visit: &mut dyn FnMut(&Valuation) -> Found,
        effort: &mut Effort,
    ) -> Result<Found, Undecided> {
        effort.spend()?;
        let Some(&input) = self.inputs.get(index) else {
            return Ok(if self.may_occur(before, now) { visit(now) } else { ControlFlow::Continue(()) });
        };
        for value in self.interface.scope.variable(input).ty.values().ok_or(Undecided::TooLarge)? {
            now[id_index(input)] = Some(value);
            if self.choose_inputs(index + 1, before, now, visit, effort)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        now[id_index(input)] = None;
        Ok(ControlFlow::Continue(()))
    }
}

/// A step with nothing known but inputs.
pub fn inputs_of(interface: &Interface, step: &Valuation) -> Valuation {
    let mut inputs = step.clone();
    interface.controlled().for_each(|id| inputs[id_index(id)] = None);
    inputs
}

/// The place of a variable in a [`Valuation`].
pub fn id_index(variable: VariableId) -> usize {
    model::id::Id::index(variable)
}
