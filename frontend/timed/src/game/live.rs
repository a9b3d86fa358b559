//! Which variables matter in a state: those that are read before they are written.

use crate::interpret::index;
use crate::system::{Action, System};
use spec::typed::Expr;
use spec::value::Value;

/// For each state of a system the variables whose values matter there.
#[derive(Debug)]
pub(super) struct Live {
    /// By state, by variable.
    matters: Vec<Vec<bool>>,
}

impl Live {
    /// Solves the equations of live variables. Conditions of goals read theirs everywhere.
    pub(super) fn new(system: &System, always: &[&Expr]) -> Self {
        let variables = system.scope.variables().len();
        let mut start = vec![false; variables];
        always.iter().for_each(|expr| mark(expr, &mut start));
        let mut matters = vec![start; system.states.len()];
        loop {
            let mut has_grown = false;
            for edge in &system.edges {
                let before = through(system, edge, &matters[edge.to]);
                for (known, new) in matters[edge.from].iter_mut().zip(before) {
                    has_grown |= new && !*known;
                    *known |= new;
                }
            }
            if !has_grown {
                return Self { matters };
            }
        }
    }
    /// Whether the value of a variable, by its position, matters in a state.
    pub(super) fn matters(&self, state: usize, variable: usize) -> bool {
        self.matters[state][variable]
    }
    /// Makes states equal that differ in what does not matter only.
    pub(super) fn forget(&self, state: &mut crate::interpret::State) {
        for (value, matters) in state.values.iter_mut().zip(&self.matters[state.location]) {
            if !matters {
                *value = Value::Integer(0);
            }
        }
    }
}

/// What matters before a transition.
///
/// The range of a received value is that of its variable, too: nothing is read for that.
fn through(system: &System, edge: &crate::system::Edge, behind: &[bool]) -> Vec<bool> {
    let mut matters = behind.to_vec();
    for (variable, _) in &edge.updates {
        matters[index(*variable)] = false;
    }
    for &reset in &edge.resets {
        matters[index(system.clocks[reset])] = false;
    }
    // Whether an update is possible decides whether the transition is, even of what nobody reads.
    edge.updates.iter().for_each(|(_, expr)| mark(expr, &mut matters));
    mark(&edge.guard, &mut matters);
    match &edge.action {
        Action::Send(terms) => terms.iter().for_each(|term| mark(term, &mut matters)),
        Action::Receive(variables) => {
            variables.iter().for_each(|variable| matters[index(*variable)] = false);
        }
    }
    matters
}

fn mark(expr: &Expr, matters: &mut [bool]) {
    for read in expr.reads() {
        matters[index(read.variable)] = true;
    }
}
