//! What the symbols of a system stand for.

use model::id::Id;
use model::system::{InitialInputId, InputId, StateId, TransitionSystem};
use model::term::{SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A state word.
    State(StateId),
    /// An input of a step.
    Input(InputId),
    /// An initial input.
    Initial(InitialInputId),
}

/// The roles of all symbols of a system.
#[derive(Clone)]
pub(crate) struct Symbols {
    /// By index of the symbol: what it or its base stands for, and at which offset in a window.
    roles: Vec<Option<(Role, u32)>>,
}

impl Symbols {
    /// Reads the tables of the system.
    pub(crate) fn new(system: &TransitionSystem) -> Self {
        let table = system.terms.symbols();
        let mut roles = vec![None; table.len()];
        for (id, state) in system.states.iter() {
            roles[state.symbol.index()] = Some((Role::State(id), 0));
        }
        for (id, input) in system.inputs.iter() {
            roles[input.symbol.index()] = Some((Role::Input(id), 0));
        }
        for (id, input) in system.initial_inputs.iter() {
            roles[input.symbol.index()] = Some((Role::Initial(id), 0));
        }
        for (id, symbol) in table.iter() {
            if let Some(framed) = symbol.framed {
                roles[id.index()] = roles[framed.base.index()].map(|(role, _)| (role, framed.offset));
            }
        }
        Self { roles }
    }
    /// What a symbol (or the base of a framed one) stands for, and its offset in a window.
    pub(crate) fn resolve(&self, symbol: SymbolId) -> Option<(Role, u32)> {
        self.roles[symbol.index()]
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
    pub(crate) fn of(
        &mut self,
        system: &TransitionSystem,
        symbols: &Symbols,
        root: TermId,
    ) -> Arc<[StateAt]> {
        if let Some(found) = self.found.get(&root) {
            return Arc::clone(found);
        }
        let found: Arc<[StateAt]> = self.traverse(system, symbols, root).into();
        self.found.insert(root, Arc::clone(&found));
        found
    }

    fn traverse(&mut self, system: &TransitionSystem, symbols: &Symbols, root: TermId) -> Vec<StateAt> {
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
                && let Some((Role::State(state), offset)) = symbols.resolve(symbol)
            {
                found.push((state, offset));
            }
            open.extend(node.operands());
        }
        found.sort_unstable();
        found
    }
}
