//! Pointers that nothing gives a value.
//!
//! Reusable code reaches its data through a structure of pointers (`rtM->dwork`) that the calling
//! program fills. Where no file does that, such a pointer gets a fresh object as soon as it is
//! looked through. It may have been copied before (`DW *d = rtM->dwork;`, an argument), so for
//! every copy of an unset pointer the cell is remembered that the copy came from.

use super::initial_memory::Role;
use super::place::Content;
use super::state::{Memory, State};
use super::{Frame, Machine, Outcome, Stop};
use crate::ir::expr::{BinaryOp, Expr, ExprKind};
use crate::ir::stmt::Place;
use crate::ir::types::{Type, TypeId};
use model::term::TermId;

impl Machine<'_> {
    /// Asks for an object behind a pointer that is looked through, where it is an unset pointer or
    /// a copy of one.
    pub(super) fn want_pointee(&mut self, frame: &Frame, state: &State, pointer: &Expr) -> Outcome<()> {
        let Some(cell) = self.unset_source(frame, state, pointer)? else { return Ok(()) };
        let held = stored_pointer(pointer, &|ty| self.is_pointer(ty)).map_or(pointer.ty, |place| place.ty);
        if let Some(pointee) = self.complete_pointee(held).or_else(|| self.complete_pointee(pointer.ty)) {
            self.wanted = Some((cell, pointee));
            return Err(Stop::Restart);
        }
        Ok(())
    }

    /// The cell of the unset pointer whose value a pointer expression has; `None` where it is none.
    pub(super) fn unset_source(
        &mut self,
        frame: &Frame,
        state: &State,
        pointer: &Expr,
    ) -> Outcome<Option<usize>> {
        let Some(place) = stored_pointer(pointer, &|ty| self.is_pointer(ty)) else { return Ok(None) };
        let targets = self.locate(frame, state, place)?;
        let [target] = targets.as_slice() else { return Ok(None) };
        let object = self.objects.get(target.object);
        let index = object.layout.first_behind(target.bit);
        let is_cell = object.layout.cells.get(index).is_some_and(|cell| cell.bit == target.bit);
        if !target.indices.is_empty() || !is_cell {
            return Ok(None);
        }
        let cell = object.first + index;
        if object.is_persistent && self.is_never_written(&state.memory, cell) {
            return Ok(Some(cell));
        }
        let is_null = state.memory.values.get(cell).is_some_and(|value| self.is_null(value));
        Ok(self.unset_copies.get(&cell).copied().filter(|_| is_null))
    }

    /// Remembers that the pointer in a cell was copied from the given unset one, or that it was
    /// not.
    pub(super) fn note_copy(&mut self, cell: usize, source: Option<usize>) {
        match source {
            Some(source) => drop(self.unset_copies.insert(cell, source)),
            None => drop(self.unset_copies.remove(&cell)),
        }
    }

    /// Remembers for an assignment of a null pointer to a variable which unset pointer it was
    /// copied from.
    pub(super) fn note_assignment(
        &mut self,
        frame: &Frame,
        state: &State,
        place: &Place,
        value: &Expr,
    ) -> Outcome<()> {
        let source = self.unset_source(frame, state, value)?;
        if let [target] = self.locate(frame, state, place)?.as_slice()
            && target.indices.is_empty()
        {
            let object = self.objects.get(target.object);
            let cell = object.first + object.layout.first_behind(target.bit);
            self.note_copy(cell, source);
        }
        Ok(())
    }

    /// For each argument of a call the unset pointer that it copies.
    pub(super) fn unset_arguments(
        &mut self,
        frame: &Frame,
        state: &State,
        arguments: &[Expr],
        contents: &[Content],
    ) -> Outcome<Vec<Option<usize>>> {
        let mut sources = Vec::with_capacity(arguments.len());
        for (argument, content) in arguments.iter().zip(contents) {
            let may_be_unset = self.is_unset_pointer(argument, content);
            sources.push(if may_be_unset { self.unset_source(frame, state, argument)? } else { None });
        }
        Ok(sources)
    }

    /// Whether an expression has the value that unset pointers have.
    pub(super) fn is_unset_pointer(&self, expr: &Expr, content: &Content) -> bool {
        matches!(content, Content::Scalar(value) if self.is_pointer(expr.ty) && self.is_null(*value))
    }

    fn is_null(&self, value: TermId) -> bool {
        self.system.terms.as_const(value).is_some_and(|value| value.bits() == 0)
    }

    fn complete_pointee(&self, pointer: TypeId) -> Option<TypeId> {
        match *self.layouts.type_of(pointer) {
            Type::Pointer(pointee) => self.layouts.size(pointee).map(|_| pointee),
            _ => None,
        }
    }

    /// Whether neither an initialiser nor code has given the cell a value so far.
    fn is_never_written(&self, memory: &Memory, cell: usize) -> bool {
        memory.values.get(cell).is_none()
            && self.initial_memory.start.values.get(cell).is_none()
            && !self.initial_memory.initial.contains_key(&cell)
            && self.initial_memory.role(cell) == Role::Constant
    }
}

/// The place that a pointer is read from before anything is added to it.
fn stored_pointer<'e>(pointer: &'e Expr, is_pointer: &dyn Fn(TypeId) -> bool) -> Option<&'e Place> {
    let mut pointer = pointer;
    loop {
        match &pointer.kind {
            ExprKind::Convert(inner) if is_pointer(inner.ty) => pointer = inner,
            ExprKind::Binary(BinaryOp::PointerAdd, base, _) => pointer = base,
            ExprKind::Load(place) => return Some(place),
            _ => return None,
        }
    }
}
