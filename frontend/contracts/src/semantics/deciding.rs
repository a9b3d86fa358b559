//! Steps in which a requirement decides what may be answered.

use super::{Effort, Position, Semantics, Step, Undecided, Valuation};
use crate::interface::{Contract, Interface, Requirement};
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::typed::Expr;
use std::ops::ControlFlow;

/// A requirement, to be asked whether it *decides* a step: whether from the position before, under
/// the inputs of the step, some answer keeps all others and breaks this one.
#[derive(Clone, Debug)]
pub struct Deciding<'a> {
    /// The requirement.
    pub requirement: &'a Requirement,
    /// The others of its part, ascending: they share controlled variables with it, by way of others
    /// or at once.
    pub others: Vec<usize>,
    /// Its index.
    index: usize,
    /// The variables that its guarantees read of an answer.
    reads: Vec<VariableId>,
}

impl<'a> Deciding<'a> {
    /// The requirement of an index, among those of its part ([`crate::independent_parts`]).
    pub fn new(interface: &'a Interface, index: usize, part: &[usize]) -> Self {
        let requirement = &interface.requirements[index];
        let guarantees = requirement.every_contract().map(|contract| &contract.guarantee);
        let mut reads: Vec<VariableId> = answered(interface, guarantees).collect();
        reads.sort_unstable();
        reads.dedup();
        let others = part.iter().copied().filter(|&other| other != index).collect();
        Self { requirement, others, index, reads }
    }
    /// Its index among the requirements.
    pub fn index(&self) -> usize {
        self.index
    }
    /// The controlled variables that its guarantees and those of the others read of an answer,
    /// ascending.
    pub fn answered(&self, interface: &Interface) -> Vec<VariableId> {
        let others = self.others.iter().map(|&other| &interface.requirements[other]);
        let guarantees = others.flat_map(Requirement::every_contract).map(|contract| &contract.guarantee);
        let mut found = self.reads.clone();
        found.extend(answered(interface, guarantees));
        found.sort_unstable();
        found.dedup();
        found
    }
    /// An answer to the inputs of a step that keeps the others and breaks the requirement: values
    /// of the variables of its part, as far as they may not be any. None where there is no such
    /// answer.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn answer(
        &self,
        semantics: &Semantics<'_>,
        step: Step<'_>,
        effort: &mut Effort,
    ) -> Result<Option<Valuation>, Undecided> {
        let Step { before, known } = step;
        let contracts = self.requirement.contracts(before.is_none());
        let is_triggered = |contract: &&Contract| semantics.is_triggered(contract, before, known);
        let triggered: Vec<&Contract> = contracts.iter().filter(is_triggered).collect();
        if triggered.is_empty() {
            return Ok(None);
        }
        let mut found = None;
        let mut visit = |now: &Valuation| {
            if triggered.iter().all(|contract| semantics.truth(&contract.guarantee, before, now)) {
                return ControlFlow::Continue(());
            }
            found = Some(now.clone());
            ControlFlow::Break(())
        };
        let _ = semantics.answers_of(&self.others, &self.reads, step, &mut visit, effort)?;
        let is_apart = |index: &usize| *index != self.index && !self.others.contains(index);
        let apart: Vec<usize> = semantics.selected.iter().copied().filter(is_apart).collect();
        if found.is_none() || apart.is_empty() {
            return Ok(found);
        }
        // Other parts are answered by themselves, where they can be answered.
        let mut stop = |_: &Valuation| ControlFlow::Break(());
        let is_answered = semantics.answers_of(&apart, &[], step, &mut stop, effort)?.is_break();
        Ok(found.filter(|_| is_answered))
    }
    /// Whether it decides a step from a position, or step 0, under given inputs.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn decides(
        &self,
        semantics: &Semantics<'_>,
        before: Option<&Position>,
        inputs: &Valuation,
        effort: &mut Effort,
    ) -> Result<bool, Undecided> {
        Ok(self.answer(semantics, Step { before, known: inputs }, effort)?.is_some())
    }
}

/// The controlled variables of this step that truths read.
fn answered<'e>(
    interface: &Interface,
    exprs: impl Iterator<Item = &'e Expr>,
) -> impl Iterator<Item = VariableId> {
    let reads = exprs.flat_map(Expr::reads).filter(|read| read.primed).map(|read| read.variable);
    reads.filter(|&variable| interface.roles[variable] != Role::Input)
}
