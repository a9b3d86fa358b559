//! Lifetimes of local variables.
//!
//! A variable begins to live where its block is entered, whichever way that happens, and holds
//! nothing then. When that block ends, by whatever way it is left, or its function returns,
//! pointers to it are left that point to nothing: they become pointers to one object without
//! content, [`Origin::Gone`], so that the variable of a later round or call, which has the same
//! number, is not taken for what they pointed to. A compound literal lives until its function
//! returns.

use super::hazard::HazardKind;
use super::initial_memory::Phase;
use super::jumps::has_label;
use super::layout::Kind;
use super::object::{Object, ObjectId, Origin, address};
use super::state::State;
use super::{Frame, Machine};
use crate::ir::LocalId;
use crate::ir::stmt::{Stmt, StmtKind};
use crate::ir::types::TypeId;
use frontend::source::Span;
use model::id::Id;
use model::term::{BinaryOp, Term, TermId};
use model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The objects of the variables that live as long as a block.
fn declared(frame: &Frame, block: &[Stmt]) -> Vec<ObjectId> {
    declared_in(block).into_iter().map(|local| frame.locals[local]).collect()
}

/// The variables that live as long as a block: those that are declared in it, not in blocks inside
/// of it. What stands between a label and the jump back to it is no block.
pub(crate) fn declared_in(block: &[Stmt]) -> Vec<LocalId> {
    let mut all = Vec::new();
    for stmt in block {
        match &stmt.kind {
            StmtKind::Declare(local) | StmtKind::DeclareSet(local) => all.push(*local),
            StmtKind::Loop { body, .. } if is_made_of_jumps(body, stmt.span) => all.extend(declared_in(body)),
            _ => {}
        }
    }
    all
}

/// Whether the body of a loop stands in no block of its own: its label has the place of the loop.
pub(crate) fn is_made_of_jumps(body: &[Stmt], span: Span) -> bool {
    body.iter().any(|stmt| stmt.span == span && matches!(stmt.kind, StmtKind::Label(_)))
}

impl Machine<'_> {
    /// Makes the object that pointers to dead variables point to. Its number must not depend on
    /// what is executed.
    pub(super) fn make_gone(&mut self, ty: TypeId) {
        let added = self.objects.add(&mut self.layouts, Origin::Gone, "(dead variable)".to_owned(), ty);
        debug_assert!(added.is_ok(), "an object without content should need no layout");
    }

    /// Makes the variables of a block hold nothing, in the state that enters it and in those that
    /// jump into it.
    pub(super) fn begin_lifetimes(&mut self, frame: &mut Frame, state: Option<&mut State>, block: &[Stmt]) {
        let objects = declared(frame, block);
        if objects.is_empty() {
            return;
        }
        if let Some(state) = state {
            self.take_values(state, &objects);
        }
        for jump in &mut frame.jumps {
            if block.iter().any(|stmt| has_label(stmt, jump.label())) {
                self.take_values(&mut jump.state, &objects);
            }
        }
    }

    /// Makes the variables that stand directly in the body of a `switch` hold nothing.
    pub(super) fn begin_switch(&mut self, frame: &Frame, state: &mut State, body: &[Stmt]) {
        self.take_values(state, &declared(frame, body));
    }

    /// Makes variables hold nothing. Of those that outlive a step that has to be said: they are
    /// else taken to hold what the step before has left.
    pub(super) fn take_values(&mut self, state: &mut State, objects: &[ObjectId]) {
        self.forget(state, objects);
        if self.initial_memory.phase == Phase::Init {
            return;
        }
        let never = self.system.terms.truth(false);
        for &object in objects.iter().filter(|&&object| self.objects.get(object).is_persistent) {
            for cell in self.cells_of(object) {
                let zero = Value::zero(self.objects.cell(cell).scalar.sort());
                let zero = self.system.terms.constant(zero);
                state.memory.set(cell, zero);
                state.memory.written.set(cell, Some(never));
            }
        }
    }

    /// Makes pointers to the variables of a block that has ended point to nothing: in the state
    /// behind it, and in all that wait elsewhere, since none of them can be inside of the block.
    pub(super) fn end_lifetimes(&mut self, frame: &mut Frame, state: Option<&mut State>, block: &[Stmt]) {
        if self.lent.is_empty() {
            return;
        }
        let ended = declared(frame, block);
        if ended.is_empty() {
            return;
        }
        let scopes =
            frame.scopes.iter_mut().flat_map(|scope| scope.breaks.iter_mut().chain(&mut scope.continues));
        let jumps = frame.jumps.iter_mut().map(|jump| &mut jump.state);
        let origins: Vec<Origin> =
            ended.iter().map(|&object| self.objects.get(object).origin.clone()).collect();
        for state in state.into_iter().chain(scopes).chain(jumps) {
            self.bury(state, &|object| origins.contains(&object.origin));
        }
    }

    /// Remembers a cell that gets a pointer to a local variable.
    pub(super) fn note_lent(&mut self, cell: usize, value: TermId) {
        let is_pointer = self.objects.cell(cell).scalar.kind == Kind::Pointer;
        if is_pointer && !self.lent.contains(&cell) && self.is_lent(value) {
            self.lent.insert(cell);
        }
    }

    /// Makes pointers to dead variables point to nothing.
    pub(crate) fn bury(&mut self, state: &mut State, is_dead: &dyn Fn(&Object) -> bool) {
        for cell in self.lent.clone() {
            let Some(value) = state.memory.values.get(cell) else { continue };
            let buried = self.buried(value, is_dead, &mut FxHashMap::default());
            if buried != value {
                state.memory.values.set(cell, Some(buried));
            }
        }
    }

    /// As [`Self::bury`], for all variables that do not outlive a step.
    pub(crate) fn bury_all(&mut self, state: &mut State) {
        self.bury(state, &|object| matches!(object.origin, Origin::Local(..)) && !object.is_persistent);
    }

    fn buried(
        &mut self,
        pointer: TermId,
        is_dead: &dyn Fn(&Object) -> bool,
        known: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if let Some(&known) = known.get(&pointer) {
            return known;
        }
        let result = match self.system.terms.node(pointer) {
            Term::Ite { condition, then, otherwise } => {
                let then = self.buried(then, is_dead, known);
                let otherwise = self.buried(otherwise, is_dead, known);
                self.system.terms.ite(condition, then, otherwise)
            }
            _ if self.named_object(pointer).is_some_and(is_dead) => self.gone(pointer),
            _ => pointer,
        };
        known.insert(pointer, result);
        result
    }

    /// A pointer with the same offset into the object of dead variables.
    fn gone(&mut self, pointer: TermId) -> TermId {
        let Some(gone) = self.objects.find(&Origin::Gone) else { return pointer };
        let terms = &mut self.system.terms;
        let number = terms.word(32, address(gone, 0) >> 32);
        let offset = terms.extract(pointer, 31, 0);
        terms.binary(BinaryOp::Concat, number, offset)
    }

    /// The object that a pointer names which is not chosen among several.
    fn named_object(&self, pointer: TermId) -> Option<&Object> {
        let terms = &self.system.terms;
        let number = match terms.node(pointer) {
            Term::Binary { op: BinaryOp::Concat, lhs, .. } if terms.width(lhs) == 32 => {
                terms.as_const(lhs)?.bits()
            }
            _ => terms.as_const(pointer)?.bits() >> 32,
        };
        self.objects.by_number(number as u64).map(|object| self.objects.get(object))
    }

    /// Whether one of the objects that a pointer is chosen from is a local variable.
    fn is_lent(&mut self, pointer: TermId) -> bool {
        let mut waiting = vec![pointer];
        let mut met = FxHashSet::default();
        while let Some(pointer) = waiting.pop() {
            if self.lends_nothing.contains(&pointer) || !met.insert(pointer) {
                continue;
            }
            let is_local = |object: &Object| matches!(object.origin, Origin::Local(..));
            match self.system.terms.node(pointer) {
                Term::Ite { then, otherwise, .. } => waiting.extend([then, otherwise]),
                _ if self.named_object(pointer).is_some_and(is_local) => return true,
                _ => {}
            }
        }
        self.lends_nothing.extend(met);
        false
    }

    /// Records that pointers are compared of which one points to a dead variable: C leaves open
    /// what it is then. Comparing with `NULL` tells nothing that compilers disagree about.
    pub(super) fn dead_pointers_hazard(&mut self, state: &State, pointers: (TermId, TermId), span: Span) {
        let Some(gone) = self.objects.find(&Origin::Gone) else { return };
        let is_null = |term| self.system.terms.as_const(term).is_some_and(|value| value.bits() == 0);
        if is_null(pointers.0) || is_null(pointers.1) {
            return;
        }
        for pointer in [pointers.0, pointers.1] {
            let numbers = self.object_numbers(pointer).unwrap_or_default();
            if numbers.contains(&(gone.index() as u64 + 1)) {
                let terms = &mut self.system.terms;
                let number = terms.extract(pointer, 63, 32);
                let dead = terms.word(32, gone.index() as u128 + 1);
                let is_dead = terms.equal(number, dead);
                self.hazard(state, is_dead, HazardKind::Dead, span);
            }
        }
    }
}
