//! Where the steps of a mutant are others than those of its original, as a goal of the original:
//! for systems with more states than anyone enumerates.

use super::{Builder, Lowered, Taken};
use crate::branches::{Branch, Step, branches};
use crate::system::System;
use frontend::diagnostics::Diagnostics;
use model::sort::Sort;
use model::system::{Assumption, Goal, InputRole, TransitionSystem};
use model::term::TermId;

/// The original with one goal: a state in which the mutant has a step that it has not, or it has
/// one that the mutant has not. Where no execution reaches the goal, and both start alike, they
/// have the same executions. `None`: the two cannot be compared so, as they choose values by `:in`,
/// say which actions go first, start or end otherwise, or are too large.
pub fn difference(original: &System, mutant: &System) -> Option<TransitionSystem> {
    let is_plain = original.block.is_plain() && original.block == mutant.block;
    if !is_plain || original.initial() != mutant.initial() {
        return None;
    }
    let mut diagnostics = Diagnostics::default();
    let (mut builder, states, all) = Builder::begin(original, &mut diagnostics).ok()?;
    let steps = builder.steps(&all).ok()?;
    let mut differs = builder.target.terms.truth(false);
    let pairs = original.actions.iter().zip(&mutant.actions).enumerate();
    for (action, (_, changed)) in pairs.filter(|(_, (own, changed))| own.body != changed.body) {
        let others = branches(&changed.body).ok()?;
        if all[action].iter().chain(&others).any(chooses) {
            return None;
        }
        builder.system = mutant;
        let others = builder.taken(action, &others).ok()?;
        builder.system = original;
        let own: Vec<&Taken> = steps.iter().filter(|step| step.action == action).collect();
        let others: Vec<&Taken> = others.iter().collect();
        for (these, those) in [(&own, &others), (&others, &own)] {
            let lacks = builder.lacks(these, those);
            differs = builder.target.terms.or(differs, lacks);
        }
    }
    let Lowered { mut system, .. } = builder.finish(states, steps);
    look(&mut system, differs);
    Some(system)
}

/// Whether a branch chooses a value.
fn chooses(branch: &Branch) -> bool {
    branch.steps.iter().any(|step| matches!(step, Step::Any { .. }))
}

/// Adds a step in which nothing happens but that somebody looks whether the condition holds, for
/// whatever parameters: also where the system has no step.
fn look(system: &mut TransitionSystem, condition: TermId) {
    let input = system.add_input("look", Sort::TRUTH, InputRole::Choice);
    let looks = system.input_term(input);
    let assumptions = std::mem::take(&mut system.assumptions);
    system.assumptions = assumptions
        .into_iter()
        .map(|assumption| {
            let condition = system.terms.or(looks, assumption.condition);
            Assumption { condition, ..assumption }
        })
        .collect();
    for state in system.states.ids() {
        let (now, next) = (system.state_term(state), system.states[state].next);
        system.states[state].next = system.terms.ite(looks, now, next);
    }
    let antecedent = system.terms.and(looks, condition);
    system.goals.push(Goal {
        name: "difference".to_owned(),
        requirement: None,
        text: None,
        origin: None,
        steps: 1,
        antecedent,
        expectation: None,
    });
}

impl Builder<'_> {
    /// The truth that one of these branches leads to where none of those does.
    fn lacks(&mut self, these: &[&Taken], those: &[&Taken]) -> TermId {
        let mut any = self.target.terms.truth(false);
        for this in these {
            let mut is_alone = this.enabled;
            for that in those {
                let mut is_same = that.enabled;
                for (&one, &other) in this.after.iter().zip(&that.after) {
                    let is_equal = self.target.terms.equal(one, other);
                    is_same = self.target.terms.and(is_same, is_equal);
                }
                let is_other = self.target.terms.not(is_same);
                is_alone = self.target.terms.and(is_alone, is_other);
            }
            any = self.target.terms.or(any, is_alone);
        }
        any
    }
}
