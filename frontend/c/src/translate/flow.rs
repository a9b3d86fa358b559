//! Which state words a step merely keeps, and which it only ever clears.

use crate::exec::Machine;
use crate::exec::object::Origin;
use model::term::{Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Who uses a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    /// The value of one cell after the step.
    Cell(usize),
    /// Several, or something else.
    Others,
}

/// Terms and their users; those at the end whose own operands were not looked at yet.
#[derive(Default)]
struct Users {
    waiting: BTreeMap<TermId, User>,
}

impl Users {
    fn add(&mut self, term: TermId, user: User) {
        let known = self.waiting.entry(term).or_insert(user);
        if *known != user {
            *known = User::Others;
        }
    }
}

/// Cells whose state word is used for nothing but their own value after the step: an output that
/// keeps its value on some paths.
pub(crate) fn kept_only(machine: &Machine<'_>) -> BTreeSet<usize> {
    let cells: FxHashMap<_, usize> = machine
        .initial_memory
        .states
        .iter()
        .map(|&(cell, state)| (machine.system.states[state].symbol, cell))
        .collect();
    let mut users = Users::default();
    for (cell, value) in machine.initial_memory.left.values.entries() {
        users.add(value, User::Cell(cell));
    }
    for &(_, _, next) in &machine.initial_memory.extras {
        users.add(next, User::Others);
    }
    for call in &machine.initial_memory.calls {
        users.add(call.path, User::Others);
    }
    let mut found = BTreeSet::new();
    // Operands have smaller ids: from the largest id down, every user of a term is seen before the
    // term.
    while let Some((term, user)) = users.waiting.pop_last() {
        let node = machine.system.terms.node(term);
        if let (Term::Symbol(symbol), User::Cell(user)) = (node, user)
            && cells.get(&symbol) == Some(&user)
        {
            found.insert(user);
        }
        for operand in node.operands() {
            users.add(operand, user);
        }
    }
    found
}

/// Cells that the step reads, and then sets to what they hold from the beginning, whatever happens:
/// events which the step takes away and which nothing in the code ever raises. Only memory that
/// other code can reach is looked at, without an initialiser.
pub(crate) fn cleared_only(machine: &mut Machine<'_>, written: &BTreeSet<usize>) -> Vec<usize> {
    let is_reachable = |machine: &Machine<'_>, cell: usize| {
        let object = machine.objects.get(machine.objects.owner(cell).0);
        let is_open = match object.origin {
            Origin::Pointee(_) => true,
            Origin::Global(global) => {
                let declaration = &machine.program.globals[global];
                !declaration.is_initialised && declaration.function.is_none()
            }
            _ => false,
        };
        is_open && !object.is_const && machine.initial_memory.read_first.contains(&cell)
    };
    let mut found = Vec::new();
    for &cell in written {
        if let Some(left) = machine.initial_memory.left.values.get(cell)
            && machine.system.terms.as_const(left).is_some()
            && is_reachable(machine, cell)
            && machine.start_value(cell) == left
        {
            found.push(cell);
        }
    }
    found
}
