//! Executing loops by unrolling them.
//!
//! A loop ends when no path goes on with it: its condition has become constant, or contradicts the decisions made before. It is never cut off
//! silently: reaching the limit is an error.

use super::branch::{awaits_label, with_path};
use super::path::PathId;
use super::state::State;
use super::{Frame, Machine, Outcome, Scope, Stop};
use crate::c::ir::stmt::Block;
use crate::source::Span;

/// Rounds after which the decisions of a loop's path are looked at together.
const PATIENCE: u32 = 3;

/// Rounds after which the judge is asked, once in twice as many rounds each.
const PATIENCE_OF_JUDGE: u32 = 1024;

/// Rounds after which that is done only once in so many rounds.
const MANY: u32 = 256;

impl Machine<'_> {
    pub(super) fn repeat(
        &mut self,
        frame: &mut Frame,
        state: Option<State>,
        body: &Block,
        continuing: &Block,
        span: Span,
    ) -> Outcome<Option<State>> {
        if let Some(driver) = &mut self.driver
            && frame.function == Some(driver.function)
            && driver.span == span
        {
            driver.reached.extend(state);
            return Ok(None);
        }
        let depth = frame.scopes.len();
        let escaped = frame.escaped(depth) + self.escaped();
        let before = state.as_ref().map(|state| state.path);
        frame.scopes.push(Scope { is_loop: true, ..Scope::default() });
        let mut current = state;
        let mut rounds = 0;
        loop {
            current = self.round(frame, current, body, continuing)?;
            let is_awaited = !frame.jumps.is_empty()
                && body.iter().chain(continuing).any(|stmt| awaits_label(frame, stmt));
            if current.is_none() && !is_awaited {
                break;
            }
            rounds += 1;
            if let Some(state) = &current
                && !self.goes_on(state.path, rounds)
            {
                current = None;
            }
            if rounds >= self.unwind {
                return Err(self.loop_bound(span));
            }
        }
        let scope = frame.scopes.pop().expect("the scope of the loop should be open");
        let joined = self.join(scope.breaks);
        let unchanged = frame.escaped(depth) + self.escaped() == escaped;
        Ok(with_path(joined, before.filter(|_| unchanged)))
    }

    /// Whether a loop may go on after so many rounds, which is looked at now and then.
    fn goes_on(&mut self, path: PathId, rounds: u32) -> bool {
        if rounds.is_power_of_two() && rounds >= PATIENCE_OF_JUDGE {
            return self.is_possible(path);
        }
        let is_looked_at = rounds > PATIENCE && (rounds < MANY || rounds.is_multiple_of(MANY));
        !is_looked_at || self.is_consistent(path)
    }

    fn round(
        &mut self,
        frame: &mut Frame,
        state: Option<State>,
        body: &Block,
        continuing: &Block,
    ) -> Outcome<Option<State>> {
        let done = self.block(frame, state, body)?;
        let scope = frame.scopes.last_mut().expect("the scope of the loop should be open");
        let continued = std::mem::take(&mut scope.continues);
        let joined = self.join(continued.into_iter().chain(done).collect());
        self.block(frame, joined, continuing)
    }

    /// One round of a driver's loop. What leaves the loop has ended for good.
    pub(crate) fn driver_round(
        &mut self,
        frame: &mut Frame,
        state: State,
        body: &Block,
        continuing: &Block,
    ) -> Outcome<Option<State>> {
        frame.scopes.push(Scope { is_loop: true, ..Scope::default() });
        let done = self.round(frame, Some(state), body, continuing)?;
        let scope = frame.scopes.pop().expect("the scope of the loop should be open");
        let returns = std::mem::take(&mut frame.returns);
        let jumps = std::mem::take(&mut frame.jumps).into_iter().map(|(_, state)| state);
        self.events.ends.extend(scope.breaks.into_iter().chain(returns).chain(jumps));
        Ok(done)
    }

    /// The error for a loop that does not end.
    pub(super) fn loop_bound(&mut self, span: Span) -> Stop {
        let message = format!("cannot bound this loop: it may run for {} rounds or more", self.unwind);
        self.fail_with(
            "loop-bound",
            span,
            message,
            "a loop needs a bound that follows from constants or ranges; --unwind raises the limit",
        )
    }
}
