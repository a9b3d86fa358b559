//! Executing statements: sequences, branches, switches and jumps.
//!
//! Every function takes the state before, `None` where the point is not reached, and returns the
//! state behind. States that leave by another way (`break`, `return`, `goto`) wait in the
//! [frame](super::Frame) until the place they go to is joined. A statement that is not reached is
//! still walked through if a state waits for a label in it.

use super::builtins::is_nondet;
use super::jumps::awaits_label;
use super::place::{Content, bit_field};
use super::property::plain_local;
use super::state::State;
use super::{Frame, MOST_STATEMENTS, MOST_TERMS, Machine, Outcome, Scope, Stop};
use crate::code::Code;
use crate::detect::walk;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Callee, Place, PlaceBase, Stmt, StmtKind, SwitchEntry};
use frontend::source::Span;
use model::term::{BinaryOp, TermId};

impl Machine<'_> {
    /// Executes a block: its variables live until it ends.
    pub(super) fn block(
        &mut self,
        frame: &mut Frame,
        mut state: Option<State>,
        block: &Block,
    ) -> Outcome<Option<State>> {
        self.begin_lifetimes(frame, state.as_mut(), block);
        let mut end = self.statements(frame, state, block)?;
        self.end_lifetimes(frame, end.as_mut(), block);
        Ok(end)
    }

    /// Executes statements after one another, and again from a label that was jumped back to.
    pub(super) fn statements(
        &mut self,
        frame: &mut Frame,
        mut state: Option<State>,
        block: &Block,
    ) -> Outcome<Option<State>> {
        let mut entry = self.entry(state.as_ref());
        let first_label = block.iter().position(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
        for (index, stmt) in block.iter().enumerate() {
            self.assigned = self.assigned_place(stmt, block.get(index + 1));
            state = self.statement(frame, state, stmt)?;
            if first_label == Some(index) {
                entry = self.entry(state.as_ref());
            }
        }
        self.jump_back(frame, state, block, &entry)
    }

    /// The place that gets the result of a call of a `nondet` function, where the next statement
    /// assigns it: it names the input.
    fn assigned_place(&self, stmt: &Stmt, next: Option<&Stmt>) -> Option<Place> {
        let StmtKind::Call { result: Some(result), callee: Callee::Function(function), .. } = &stmt.kind
        else {
            return None;
        };
        let (StmtKind::Assign(place, value), PlaceBase::Local(temporary)) = (&next?.kind, &result.base)
        else {
            return None;
        };
        let is_nondet = is_nondet(&self.program.functions[*function]);
        (is_nondet && plain_local(value) == Some(*temporary)).then(|| place.clone())
    }

    pub(super) fn statement(
        &mut self,
        frame: &mut Frame,
        state: Option<State>,
        stmt: &Stmt,
    ) -> Outcome<Option<State>> {
        let is_walked = !frame.jumps.is_empty() && awaits_label(frame, stmt);
        if state.is_none() && !is_walked {
            return Ok(None);
        }
        self.statements += 1;
        self.keep_within_bounds(stmt.span)?;
        match (&stmt.kind, state) {
            (StmtKind::Label(name), state) => {
                let arriving = frame.arrive(name);
                Ok(self.join(arriving.into_iter().chain(state).collect()))
            }
            (StmtKind::Block(block), state) => self.block(frame, state, block),
            (StmtKind::If { condition, then, otherwise }, state) => {
                self.branch(frame, state, condition, then, otherwise)
            }
            (StmtKind::Loop { body, continuing }, state) => {
                self.repeat(frame, state, body, continuing, stmt.span)
            }
            (StmtKind::Switch { value, entries, body }, state) => {
                self.switch(frame, state, value, entries, body)
            }
            (_, None) => Ok(None),
            (simple, Some(state)) => self.simple(frame, state, simple, stmt.span),
        }
    }

    /// An error where an execution has become too long or too large.
    fn keep_within_bounds(&mut self, span: Span) -> Outcome<()> {
        if self.limit.is_reached(Some(span), &mut self.diagnostics) {
            return Err(Stop::Failed);
        }
        let message = if self.statements > MOST_STATEMENTS {
            format!("more than {MOST_STATEMENTS} statements are executed in one step")
        } else if self.system.terms.len() > MOST_TERMS {
            format!("one step is made of more than {MOST_TERMS} operations")
        } else {
            return Ok(());
        };
        let advice =
            "a loop that ends late or deep recursion is the usual reason; --unwind limits the rounds";
        Err(self.fail_with(Code::TooLarge, span, message, advice))
    }

    fn simple(
        &mut self,
        frame: &mut Frame,
        mut state: State,
        stmt: &StmtKind,
        span: Span,
    ) -> Outcome<Option<State>> {
        match stmt {
            StmtKind::DeclareSet(_) => {}
            StmtKind::Declare(local) => {
                self.take_values(&mut state, &[frame.locals[*local]]);
            }
            StmtKind::Assign(place, expr) => {
                let content = self.content(frame, &state, expr)?;
                self.narrow_float_hazard(frame, &state, (place.ty, bit_field(place)), expr)?;
                if self.is_unset_pointer(expr, &content) {
                    self.note_assignment(frame, &state, place, expr)?;
                }
                self.store(frame, &mut state, place, &content)?;
            }
            StmtKind::Call { result, callee, arguments } => {
                return self.call(frame, state, result.as_ref(), callee, arguments, span);
            }
            StmtKind::Reach(block) => self.note_block(&state, *block),
            StmtKind::Break => {
                let scope = frame.scopes.last_mut().expect("`break` should stand in a loop or switch");
                scope.breaks.push(state);
                return Ok(None);
            }
            StmtKind::Continue => {
                let scope = frame.scopes.iter_mut().rev().find(|scope| scope.is_loop);
                scope.expect("`continue` should stand in a loop").continues.push(state);
                return Ok(None);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let content = self.content(frame, &state, value)?;
                    if let Some(result) = frame.result.filter(|_| self.is_unset_pointer(value, &content)) {
                        let source = self.unset_source(frame, &state, value)?;
                        self.note_copy(self.objects.get(result).first, source);
                    }
                    self.set_result(frame, &mut state, value, &content)?;
                }
                frame.returns.push(state);
                return Ok(None);
            }
            StmtKind::Goto(label) => {
                frame.jump(label, state);
                return Ok(None);
            }
            _ => panic!("structured statements should be executed elsewhere"),
        }
        Ok(Some(state))
    }

    fn set_result(
        &mut self,
        frame: &Frame,
        state: &mut State,
        value: &Expr,
        content: &Content,
    ) -> Outcome<()> {
        let Some(object) = frame.result else { return Ok(()) };
        let target = self.whole(object);
        self.store_targets(state, &[target], value.ty, None, content, value.span)
    }

    /// As [`Self::assume`]; in the first rounds of a loop that may be a search, also where the
    /// conditions of the path exclude it together.
    fn assume_consistent(&mut self, state: &State, condition: TermId) -> Option<State> {
        let assumed = self.assume(state, condition)?;
        let is_excluded = self.searching > 0 && !self.is_consistent(assumed.path);
        (!is_excluded).then_some(assumed)
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        state: Option<State>,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
    ) -> Outcome<Option<State>> {
        let escaped = self.escapes(frame, frame.scopes.len());
        let before = state.as_ref().map(|state| state.path);
        let (positive, negative) = match &state {
            None => (None, None),
            Some(state) => {
                let truth = self.truth(frame, state, condition)?;
                if begins_round(condition, otherwise)
                    && let Some(scope) = frame.scopes.last_mut()
                {
                    scope.is_counted = self.system.terms.as_const(truth).is_some() && reads_memory(condition);
                }
                let truth = self.decision(condition.span, truth);
                let negated = self.system.terms.not(truth);
                (self.assume_consistent(state, truth), self.assume_consistent(state, negated))
            }
        };
        let calls = self.property_calls();
        let mut then = self.block(frame, positive, then)?;
        let mut otherwise_state = negative;
        if self.property_calls() != calls {
            // The property is about the executions that take the step: the other branch is none of
            // its business.
            otherwise_state = None;
        }
        let otherwise = self.block(frame, otherwise_state, otherwise)?;
        if otherwise.is_some() && self.property_calls() != calls {
            then = None;
        }
        let joined = self.join([then, otherwise].into_iter().flatten().collect());
        let unchanged = self.escapes(frame, frame.scopes.len()) == escaped;
        Ok(with_path(joined, before.filter(|_| unchanged)))
    }

    fn property_calls(&self) -> u32 {
        self.property.as_ref().map_or(0, |property| property.calls)
    }

    fn switch(
        &mut self,
        frame: &mut Frame,
        mut state: Option<State>,
        value: &Expr,
        entries: &[SwitchEntry],
        body: &Block,
    ) -> Outcome<Option<State>> {
        let depth = frame.scopes.len();
        let escaped = self.escapes(frame, depth);
        let before = state.as_ref().map(|state| state.path);
        if let Some(state) = &mut state {
            self.begin_switch(frame, state, body);
        }
        let mut arrivals = self.switch_arrivals(frame, state, value, entries)?;
        self.note_labels(value, &arrivals);
        frame.scopes.push(Scope::default());
        let outside = arrivals.pop().expect("a switch should have a way around its body");
        let mut inside = None;
        for (index, stmt) in body.iter().enumerate() {
            for (entry, arrival) in entries.iter().zip(&mut arrivals) {
                if entry.start == index {
                    inside = self.join([inside, arrival.take()].into_iter().flatten().collect());
                }
            }
            inside = self.statement(frame, inside, stmt)?;
        }
        self.end_lifetimes(frame, inside.as_mut(), body);
        let scope = frame.scopes.pop().expect("the scope of the switch should be open");
        let rest = arrivals.into_iter().flatten().chain(inside).chain(outside);
        let joined = self.join(scope.breaks.into_iter().chain(rest).collect());
        let unchanged = self.escapes(frame, depth) == escaped;
        Ok(with_path(joined, before.filter(|_| unchanged)))
    }

    /// The state in which each entry is reached, and at the end the state in which none is.
    fn switch_arrivals(
        &mut self,
        frame: &Frame,
        state: Option<State>,
        value: &Expr,
        entries: &[SwitchEntry],
    ) -> Outcome<Vec<Option<State>>> {
        let Some(state) = state else { return Ok(vec![None; entries.len() + 1]) };
        let number = self.evaluate(frame, &state, value)?;
        let signed = self.is_signed(value.ty);
        let mut arrivals = vec![None; entries.len() + 1];
        let mut rest = Some(state);
        for (entry, arrival) in entries.iter().zip(&mut arrivals) {
            let Some(state) = rest else { break };
            let mut matches = self.system.terms.truth(false);
            for &range in &entry.values {
                let inside = self.in_range(number, range, signed);
                matches = self.system.terms.or(matches, inside);
            }
            let matches = self.decision(value.span, matches);
            let missed = self.system.terms.not(matches);
            if !entry.is_default {
                *arrival = self.assume(&state, matches);
                rest = self.assume(&state, missed);
            } else {
                // The labels beside `default` match nothing that another entry matches: they go
                // with the rest.
                rest = Some(state);
            }
        }
        let is_default = |entry: &SwitchEntry| entry.is_default;
        let last = entries.iter().position(is_default).unwrap_or(entries.len());
        arrivals[last] = rest;
        Ok(arrivals)
    }

    fn in_range(&mut self, number: TermId, (low, high): (i128, i128), signed: bool) -> TermId {
        let terms = &mut self.system.terms;
        let width = terms.width(number);
        let low_term = terms.word(width, low as u128);
        if low == high {
            return terms.equal(number, low_term);
        }
        let high_term = terms.word(width, high as u128);
        let op = if signed { BinaryOp::SLe } else { BinaryOp::ULe };
        let above = terms.binary(op, low_term, number);
        let below = terms.binary(op, number, high_term);
        terms.and(above, below)
    }
}

/// Whether a branch is the condition of a loop: leaving the loop stands in the same place.
fn begins_round(condition: &Expr, otherwise: &Block) -> bool {
    matches!(otherwise.as_slice(), [Stmt { kind: StmtKind::Break, span }] if *span == condition.span)
}

fn reads_memory(condition: &Expr) -> bool {
    let mut reads = false;
    walk::visit_expression(condition, &mut |expr| reads |= matches!(expr.kind, ExprKind::Load(_)));
    reads
}

/// The state with another path: where nothing has left a statement on another way, what comes out
/// is all that went in.
pub(super) fn with_path(state: Option<State>, path: Option<super::path::PathId>) -> Option<State> {
    match (state, path) {
        (Some(state), Some(path)) => Some(State { path, ..state }),
        (state, _) => state,
    }
}
