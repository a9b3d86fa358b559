//! What claims read: where a claim does not hold, these values are shown.

use super::place::Content;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::ir::expr::Expr;
use crate::ir::print::read_text;
use crate::ir::types::TypeId;
use crate::ir::{Local, LocalId};
use model::id::IdVec;
use model::term::TermId;

/// A number that a claim reads.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// What is read, as C writes it.
    pub(crate) text: String,
    /// Its value.
    pub(crate) value: TermId,
    /// The truth that it is read.
    pub(crate) is_read: TermId,
    /// Its type.
    pub(crate) ty: TypeId,
}

/// What a claim was found to read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watching {
    /// The condition of the configuration that is evaluated; `None`: code.
    condition: Option<usize>,
    found: Vec<Watched>,
}

impl Machine<'_> {
    /// Evaluates a claim, and notes what it reads; `condition` is its number where the
    /// configuration states it.
    pub(crate) fn watched<T>(
        &mut self,
        condition: Option<usize>,
        evaluate: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<(T, Vec<Watched>)> {
        let outer = self.watching.replace(Watching { condition, found: Vec::new() });
        let result = evaluate(self);
        let watching = std::mem::replace(&mut self.watching, outer).unwrap_or_default();
        Ok((result?, watching.found))
    }

    /// Notes a number that was read.
    pub(super) fn note_read(&mut self, frame: &Frame, state: &State, expr: &Expr, content: &Content) {
        let (Some(watching), Content::Scalar(value)) = (&self.watching, content) else { return };
        if self.is_pointer(expr.ty) {
            return;
        }
        let none = IdVec::new();
        let text = read_text(self.program, self.locals(frame, watching.condition, &none), expr);
        // Temporaries stand for results of calls, which have no name.
        let is_known = watching.found.iter().any(|known| known.text == text && known.value == *value);
        if text.contains('%') || is_known {
            return;
        }
        let (value, ty) = (*value, expr.ty);
        let is_read = self.paths.conjunction(state.path);
        if let Some(watching) = &mut self.watching {
            watching.found.push(Watched { text, value, is_read, ty });
        }
    }

    /// The variables that an expression may name.
    fn locals<'l>(
        &'l self,
        frame: &Frame,
        condition: Option<usize>,
        none: &'l IdVec<LocalId, Local>,
    ) -> &'l IdVec<LocalId, Local> {
        let condition = condition.and_then(|index| self.program.conditions.get(index)?.as_ref());
        match (frame.function, condition) {
            (Some(function), _) => &self.program.functions[function].locals,
            (None, Some(condition)) => &condition.locals,
            (None, None) => none,
        }
    }
}
