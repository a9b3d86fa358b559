//! Executing jumps back to a label: what stands behind it in its block is a loop, with the bounds
//! of one.
//!
//! Jumps forward need nothing of this: their states wait in the [frame](super::Frame) until the
//! label is met.

use super::hazard::HazardKind;
use super::loops::{Behind, Entry, Run};
use super::state::State;
use super::{Frame, Machine, Outcome, Scope};
use crate::ir::stmt::{Block, Stmt, StmtKind};
use frontend::source::Span;

/// A state on its way to a label.
pub(crate) struct Jump {
    label: String,
    /// The state.
    pub(super) state: State,
    /// Which jump of the function it is.
    number: u64,
}

/// Who was outside of a statement at some point of the execution: those that have left it for good,
/// and those that wait for a label, which may be inside. Where all are the same before and behind a
/// statement, what comes out of it is what went in.
#[derive(PartialEq, Eq)]
pub(super) struct Escapes {
    left: usize,
    waiting: Vec<u64>,
}

impl Jump {
    /// The label.
    pub(super) fn label(&self) -> &str {
        &self.label
    }
}

impl Frame {
    /// Sends a state to a label.
    pub(super) fn jump(&mut self, label: &str, state: State) {
        self.jumps.push(Jump { label: label.to_owned(), state, number: self.jumped });
        self.jumped += 1;
    }

    /// The states that have waited for a label.
    pub(super) fn arrive(&mut self, label: &str) -> Vec<State> {
        let (arriving, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.jumps).into_iter().partition(|jump| jump.label == label);
        self.jumps = waiting;
        arriving.into_iter().map(|jump| jump.state).collect()
    }
}

impl Machine<'_> {
    /// Who is outside of a statement in a frame that has so many scopes around the statement.
    pub(super) fn escapes(&self, frame: &Frame, scopes: usize) -> Escapes {
        let breaks = |scope: &Scope| scope.breaks.len() + scope.continues.len();
        let left = frame.returns.len() + frame.scopes[..scopes].iter().map(breaks).sum::<usize>();
        let waiting = frame.jumps.iter().map(|jump| jump.number).collect();
        Escapes { left: left + self.escaped(), waiting }
    }

    /// Executes a block again from labels that were jumped back to. Returns the state behind it.
    pub(super) fn jump_back(
        &mut self,
        frame: &mut Frame,
        mut state: Option<State>,
        block: &Block,
        entry: &Entry,
    ) -> Outcome<Option<State>> {
        let mut rounds = 0;
        while let Some(start) = block.iter().position(|stmt| awaits_label(frame, stmt)) {
            rounds += 1;
            let (body, is_step) = (&block[start..], self.is_in_step(frame));
            let span = awaited_label(frame, &block[start]).expect("a label should be awaited");
            let run = Run { span, body, entry: *entry, rounds, is_counted: false, is_step };
            let is_searching = self.jump_on(frame, &run)?;
            self.searching += u32::from(is_searching);
            let mut again = None;
            for stmt in body {
                again = self.statement(frame, again, stmt)?;
            }
            self.searching -= u32::from(is_searching);
            state = self.join([state, again].into_iter().flatten().collect());
        }
        Ok(state)
    }

    /// Drops the states that wait for a label of the loop and cannot go on, or must not. Whether
    /// one of the others is searching.
    fn jump_on(&mut self, frame: &mut Frame, run: &Run<'_>) -> Outcome<bool> {
        let mut is_searching = false;
        for jump in std::mem::take(&mut frame.jumps) {
            if !run.body.iter().any(|stmt| has_label(stmt, &jump.label)) {
                frame.jumps.push(jump);
                continue;
            }
            match self.behind_round(jump.state, run)? {
                Behind::Again(state) => {
                    is_searching |= run.is_searching(state.path);
                    frame.jumps.push(Jump { state, ..jump });
                }
                Behind::Nothing => {}
                Behind::Leaves(state) => {
                    let always = self.system.terms.truth(true);
                    self.hazard(&state, always, HazardKind::LongLoop, run.span);
                }
            }
        }
        Ok(is_searching)
    }
}

/// Whether a state waits for a label in the statement.
pub(super) fn awaits_label(frame: &Frame, stmt: &Stmt) -> bool {
    !frame.jumps.is_empty() && awaited_label(frame, stmt).is_some()
}

/// Where the first label stands in the statement that a state waits for.
fn awaited_label(frame: &Frame, stmt: &Stmt) -> Option<Span> {
    find_label(stmt, &|name| frame.jumps.iter().any(|jump| jump.label == name))
}

pub(super) fn has_label(stmt: &Stmt, wanted: &str) -> bool {
    find_label(stmt, &|name| name == wanted).is_some()
}

fn find_label(stmt: &Stmt, is_wanted: &dyn Fn(&str) -> bool) -> Option<Span> {
    let mut parts = match &stmt.kind {
        StmtKind::Label(name) => return is_wanted(name).then_some(stmt.span),
        StmtKind::Block(block) => block.iter().chain(&[]),
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise),
        StmtKind::Loop { body, continuing } => body.iter().chain(continuing),
        StmtKind::Switch { body, .. } => body.iter().chain(&[]),
        _ => return None,
    };
    parts.find_map(|part| find_label(part, is_wanted))
}
