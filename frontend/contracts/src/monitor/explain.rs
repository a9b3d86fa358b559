//! Which requirements an observation violates.
//!
//! Hidden values are not seen, so an observation that is not allowed can be explained in several
//! ways. A set of requirements *explains* it if the hidden values can be completed such that only
//! these are violated; the smallest such sets are what is told first. The tracing of the paper
//! (TraceFailTC) is made deterministic: completions are taken in the order of their hidden values,
//! by steps and then by declarations, and each one that violates a requirement which none before it
//! violated is kept, with all that it violates.

use super::{Belief, Forbidden, Monitor, Path};
use crate::allowed::compare;
use crate::interface::Interface;
use crate::semantics::{Effort, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::value::Value;
use std::ops::ControlFlow;

/// Requirements in one explanation at most.
const MOST_VIOLATED: usize = 4;

/// Completions of hidden values that are looked at.
const MOST_COMPLETIONS: u128 = 1 << 16;

/// A set of requirements that explains an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The requirements, ascending.
    pub violated: Vec<usize>,
    /// Hidden values of the step with which only they are violated: `k = 2`.
    pub hidden: String,
}

/// A way to complete the hidden values of all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The values of each hidden variable from step 0 on: `k=0,1,2`.
    pub hidden: String,
    /// The requirements that its last step violates, ascending.
    pub violated: Vec<usize>,
}

impl Monitor<'_> {
    /// Why an observation is not allowed.
    pub(super) fn explained(
        &self,
        observed: &Valuation,
        effort: &mut Effort,
    ) -> Result<Forbidden, Undecided> {
        // What is too large to explain is still not allowed.
        let explanations = self.explanations(observed, effort).unwrap_or_default();
        let completions = if self.keeps_paths {
            self.completions(observed, effort).unwrap_or_default()
        } else {
            Vec::new()
        };
        let allowed = self.allowed(observed, effort)?;
        Ok(Forbidden { step: self.step, outside: None, explanations, completions, allowed })
    }

    fn explanations(&self, observed: &Valuation, effort: &mut Effort) -> Result<Vec<Explanation>, Undecided> {
        let candidates = self.triggered(observed);
        let mut found: Vec<Explanation> = Vec::new();
        for size in 1..=MOST_VIOLATED.min(candidates.len()) {
            for dropped in subsets(&candidates, size) {
                let is_known = |one: &Explanation| one.violated.iter().all(|index| dropped.contains(index));
                if found.iter().any(is_known) {
                    continue;
                }
                if let Some(hidden) = self.completed_without(&dropped, observed, effort)? {
                    found.push(Explanation { violated: dropped, hidden });
                }
            }
        }
        let interface = self.semantics.interface;
        // Blame on what was seen comes before blame on what was not.
        found.sort_by_key(|one| {
            let unseen = one.violated.iter().filter(|&&index| !speaks_of_outputs(interface, index)).count();
            (one.violated.len(), unseen, one.violated.clone())
        });
        Ok(found)
    }
    /// The requirements that are triggered somewhere in the belief.
    fn triggered(&self, observed: &Valuation) -> Vec<usize> {
        let is_triggered = |index: &usize| {
            let requirement = &self.semantics.interface.requirements[*index];
            self.belief.iter().any(|belief| {
                let before = belief.position.as_ref();
                let contracts = requirement.contracts(before.is_none());
                contracts.iter().any(|contract| self.semantics.is_triggered(contract, before, observed))
            })
        };
        self.semantics.selected.iter().copied().filter(is_triggered).collect()
    }
    /// Hidden values with which all requirements but some are kept.
    fn completed_without(
        &self,
        dropped: &[usize],
        observed: &Valuation,
        effort: &mut Effort,
    ) -> Result<Option<String>, Undecided> {
        let semantics = self.semantics.without(dropped);
        for belief in &self.belief {
            let mut found = None;
            let mut visit = |now: &Valuation| {
                found = Some(shown(semantics.interface, now));
                ControlFlow::Break(())
            };
            let step = Step { before: belief.position.as_ref(), known: observed };
            let _ = semantics.answers(step, &mut visit, effort)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The completions of hidden values in order, each with something that none before it violates.
    fn completions(&self, observed: &Valuation, effort: &mut Effort) -> Result<Vec<Completion>, Undecided> {
        let interface = self.semantics.interface;
        let hidden: Vec<VariableId> = interface.variables(Role::Hidden).collect();
        let mut counts = hidden.iter().map(|id| interface.scope.variable(*id).ty.count());
        let product = counts.try_fold(1_u128, |product, count| product.checked_mul(count?));
        if product.is_none_or(|product| product > MOST_COMPLETIONS) {
            return Err(Undecided::TooLarge);
        }
        let mut beliefs: Vec<&Belief> = self.belief.iter().collect();
        beliefs.sort_by(|left, right| super::compare_paths(left.path.as_deref(), right.path.as_deref()));
        let mut found = Vec::new();
        let mut told: Vec<usize> = Vec::new();
        for belief in beliefs {
            let mut lists = Vec::new();
            complete(interface, &hidden, &mut observed.clone(), &mut lists, effort)?;
            for now in lists {
                let violated = self.violated(belief, &now);
                if violated.iter().any(|index| !told.contains(index)) {
                    told.extend(&violated);
                    let values = hidden.iter().filter_map(|id| now[id_index(*id)].clone()).collect();
                    let hidden = shown_path(interface, &hidden, belief.path.as_deref(), values);
                    found.push(Completion { hidden, violated });
                }
            }
        }
        Ok(found)
    }
    fn violated(&self, belief: &Belief, now: &Valuation) -> Vec<usize> {
        let before = belief.position.as_ref();
        let is_violated = |index: &usize| {
            let requirement = &self.semantics.interface.requirements[*index];
            let contracts = requirement.contracts(before.is_none());
            contracts
                .iter()
                .any(|contract| is_known(contract, now) && !self.semantics.is_kept(contract, before, now))
        };
        self.semantics.selected.iter().copied().filter(is_violated).collect()
    }
}

/// Whether all values of a step that a contract reads are known; an unknown output violates
/// nothing.
fn is_known(contract: &crate::interface::Contract, now: &Valuation) -> bool {
    contract.guarantee.reads().iter().all(|read| !read.primed || now[id_index(read.variable)].is_some())
}

/// Whether a guarantee of a requirement speaks of outputs.
fn speaks_of_outputs(interface: &Interface, index: usize) -> bool {
    let requirement = &interface.requirements[index];
    let contracts = requirement.initial.iter().chain(&requirement.update);
    contracts
        .flat_map(|contract| contract.guarantee.reads())
        .any(|read| read.primed && interface.roles[read.variable] == Role::Output)
}

/// The subsets of a size, in the order of their members.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (index, &first) in of.iter().enumerate() {
        for mut rest in subsets(&of[index + 1..], size - 1) {
            rest.insert(0, first);
            found.push(rest);
        }
    }
    found
}

/// The hidden values of a step that are known: `k = 2`.
fn shown(interface: &Interface, now: &Valuation) -> String {
    let known = interface.variables(Role::Hidden).filter_map(|id| {
        let variable = interface.scope.variable(id);
        Some(format!("{} = {}", variable.name, variable.ty.show(now[id_index(id)].as_ref()?)))
    });
    known.collect::<Vec<_>>().join(", ")
}

/// The values of hidden variables from step 0 on: `k=0,1,2`.
fn shown_path(interface: &Interface, hidden: &[VariableId], path: Option<&Path>, last: Vec<Value>) -> String {
    let mut steps = vec![last];
    let mut at = path;
    while let Some(path) = at {
        steps.push(path.hidden.clone());
        at = path.before.as_deref();
    }
    steps.reverse();
    let one = |(index, id): (usize, &VariableId)| {
        let variable = interface.scope.variable(*id);
        let values = steps
            .iter()
            .map(|step| step.get(index).map_or_else(String::new, |value| variable.ty.show(value)));
        format!("{}={}", variable.name, values.collect::<Vec<_>>().join(","))
    };
    hidden.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
}

/// All values of hidden variables, in order.
fn complete(
    interface: &Interface,
    hidden: &[VariableId],
    now: &mut Valuation,
    found: &mut Vec<Valuation>,
    effort: &mut Effort,
) -> Result<(), Undecided> {
    effort.spend()?;
    let Some((first, rest)) = hidden.split_first() else {
        found.push(now.clone());
        return Ok(());
    };
    let ty = interface.scope.variable(*first).ty.clone();
    let mut values: Vec<Value> = ty.values().into_iter().flatten().collect();
    values.sort_by(compare);
    for value in values {
        now[id_index(*first)] = Some(value);
        complete(interface, rest, now, found, effort)?;
    }
    now[id_index(*first)] = None;
    Ok(())
}
