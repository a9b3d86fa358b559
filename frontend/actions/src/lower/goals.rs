//! Goals of the lowered system.

use super::{Lowered, branch_name};
use crate::system::{State, System};
use model::id::Id;
use model::system::{Goal, OriginId};
use model::term::TermId;

impl Lowered {
    /// A goal for each action: it is taken.
    pub(crate) fn action_goals(&mut self, system: &System) {
        for (position, action) in system.actions.iter().enumerate() {
            let mut any = self.system.terms.truth(false);
            for (&of, &taken) in self.branches.iter().zip(&self.taken) {
                if of == position {
                    any = self.system.terms.or(any, taken);
                }
            }
            self.goal(action.name.clone(), action.text.clone(), Some(position), any);
        }
    }
    /// A goal for each branch.
    pub(crate) fn branch_goals(&mut self, system: &System) {
        for (position, action) in system.actions.iter().enumerate() {
            let own: Vec<TermId> = (0..self.branches.len())
                .filter(|&one| self.branches[one] == position)
                .map(|one| self.taken[one])
                .collect();
            for (number, &taken) in own.iter().enumerate() {
                let name = branch_name(&action.name, number, own.len());
                self.goal(name, action.text.clone(), Some(position), taken);
            }
        }
    }
    /// A goal for each of some states: a step leads there.
    pub(crate) fn state_goals(&mut self, system: &System, wanted: &[State]) {
        for state in wanted {
            let mut all = self.system.terms.truth(true);
            for ((variable, value), &id) in system.variables.iter().zip(state).zip(&self.states) {
                let symbol = self.system.states[id].symbol;
                let after = self.system.terms.framed(symbol, 1);
                if let Some(word) = variable.ty.encode(value) {
                    let word = self.system.terms.constant(word);
                    let equal = self.system.terms.equal(after, word);
                    all = self.system.terms.and(all, equal);
                }
            }
            self.goal(system.show_state(state), None, None, all);
        }
    }
    fn goal(&mut self, name: String, text: Option<String>, action: Option<usize>, antecedent: TermId) {
        self.system.goals.push(Goal {
            name,
            requirement: None,
            text,
            origin: action.map(OriginId::new),
            steps: 1,
            antecedent,
            expectation: None,
        });
    }
}
