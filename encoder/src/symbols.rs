//! What the symbols of a system stand for.

use model::id::Id;
use model::system::{InitialInputId, InputId, StateId};
use model::term::{SymbolId, Term, TermId};
use model::validate::{Meaning, Validated};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// A state word.
    State(StateId),
    /// An input of a step.
    Input(InputId),
    /// An initial input.
    Initial(InitialInputId),
}

/// What a symbol (or the base of a framed one) stands for, and its offset in a window.
pub(crate) fn resolve(system: &Validated, symbol: SymbolId) -> Option<(Role, u32)> {
    match system.meaning(symbol) {
        Meaning::State(state) => Some((Role::State(state), 0)),
        Meaning::Input(input) => Some((Role::Input(input), 0)),
        Meaning::Initial(input) => Some((Role::Initial(input), 0)),
        Meaning::Framed { base, offset } => resolve(system, base).map(|(role, _)| (role, offset)),
        Meaning::Nothing => None,
    }
}

/// A state word at an offset in a window.
pub(crate) type StateAt = (StateId, u32);

/// Which state words a term reads, found by one traversal for each term asked.
#[derive(Clone, Default)]
pub(crate) struct Support {
    found: FxHashMap<TermId, Arc<[StateAt]>>,
    /// By index of the term: number of the last traversal that met it.
    visits: Vec<u32>,
    visit: u32,
}

impl Support {
    /// The state words that a term reads, in order.
    pub(crate) fn of(&mut self, system: &Validated, root: TermId) -> Arc<[StateAt]> {
        if let Some(found) = self.found.get(&root) {
            return Arc::clone(found);
        }
        let found: Arc<[StateAt]> = self.traverse(system, root).into();
        self.found.insert(root, Arc::clone(&found));
        found
    }

    fn traverse(&mut self, system: &Validated, root: TermId) -> Vec<StateAt> {
        self.visits.resize(system.terms.len(), 0);
        self.visit += 1;
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if std::mem::replace(&mut self.visits[term.index()], self.visit) == self.visit {
                continue;
            }
            let node = system.terms.node(term);
            if let Term::Symbol(symbol) = node
                && let Some((Role::State(state), offset)) = resolve(system, symbol)
            {
                found.push((state, offset));
            }
            open.extend(node.operands());
        }
        found.sort_unstable();
        found
    }
}
