//! Executing loops by unrolling them.
//!
//! A loop ends when no path goes on with it: its condition has become constant, or contradicts the
//! decisions made before. It is never cut off silently: reaching the limit is an error, or an
//! assumption that is told, where the request asks for that.

use super::branch::with_path;
use super::endless::Earlier;
use super::events::Premise;
use super::hazard::HazardKind;
use super::jumps::awaits_label;
use super::lifetime::is_made_of_jumps;
use super::path::PathId;
use super::state::State;
use super::{Frame, Machine, Outcome, Scope, Stop};
use crate::code::Code;
use crate::detect::walk::{self, FoundLoop};
use crate::ir::FunctionId;
use crate::ir::stmt::{Block, Callee, Stmt, StmtKind};
use frontend::DEFAULT_UNWIND;
use frontend::source::Span;

/// Rounds after which the decisions of a loop's path are looked at together.
const PATIENCE: u32 = 3;

/// Rounds after which the judge may spend all effort that it is worth; before that, less. It is
/// asked after 1, 2, 4, 8, ... rounds, and a last time after [`LAST_ASKED`]: what is impossible in
/// the first rounds would otherwise become a value that the state may have.
const FULL_EFFORT: u32 = 128;

/// Rounds after which the judge is asked for the last time.
const LAST_ASKED: u32 = 1024;

/// Rounds that get as much effort as so many.
const FIRST_ROUNDS: u32 = 16;

/// Terms that a loop may make while it is open whether it goes on: those of a driver that runs the
/// whole step in each round get out of hand long before its last round.
const MOST_OPEN: usize = 4_000_000;

/// Statements that a loop of the step function itself may execute: it is a driver, too, if it
/// executes more.
const MOST_DRIVEN: u64 = 150_000;

/// Rounds in which each decision of an open loop is looked at by itself.
const SEARCHED: u32 = 16;

/// Rounds after which the path is looked at only once in so many rounds; that of a loop which
/// counts up to a constant is before that looked at after 4, 8, 16, ... rounds.
const MANY: u32 = 256;

/// What an execution was like in front of a loop.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The path: where it is still the same behind a round, nothing but constants decides that the
    /// loop goes on.
    path: Option<PathId>,
    /// Terms made before.
    terms: usize,
    /// Statements executed before.
    statements: u64,
}

/// A loop as a statement.
#[derive(Clone, Copy)]
pub(super) struct Loop<'p> {
    /// What a round does.
    pub(super) body: &'p Block,
    /// What it does then, also behind `continue`.
    pub(super) continuing: &'p Block,
    /// Where it stands.
    pub(super) span: Span,
}

/// What becomes of a state behind a round of a loop.
pub(super) enum Behind {
    /// Another round begins.
    Again(State),
    /// None can, or must.
    Nothing,
    /// It goes on for too long, which is undefined: the state leaves the loop.
    Leaves(State),
}

/// A loop that is being executed: a statement, or the part of a block that is jumped back to.
pub(super) struct Run<'p> {
    /// Where it stands.
    pub(super) span: Span,
    /// Its body.
    pub(super) body: &'p [Stmt],
    /// What was in front of it.
    pub(super) entry: Entry,
    /// Rounds executed.
    pub(super) rounds: u32,
    /// Whether constants alone decided that the last round began.
    pub(super) is_counted: bool,
    /// Whether it stands in a step function.
    pub(super) is_step: bool,
}

impl Run<'_> {
    /// Whether the decisions of the round that begins are worth a look each: the loop may be a
    /// search, and what it cannot find would otherwise become values that it may have.
    pub(super) fn is_searching(&self, path: PathId) -> bool {
        (1..SEARCHED).contains(&self.rounds) && self.entry.path != Some(path)
    }
}

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
        let escaped = self.escapes(frame, depth);
        let entry = self.entry(state.as_ref());
        let is_step = self.is_in_step(frame);
        let mut run = Run { span, body, entry, rounds: 0, is_counted: false, is_step };
        let mut staggered = match &state {
            Some(state) => self.stagger(frame, state, body, continuing)?,
            None => None,
        };
        frame.scopes.push(Scope { is_loop: true, ..Scope::default() });
        let repeated = Loop { body, continuing, span };
        let mut earlier = state.as_ref().map(Earlier::new);
        let mut current = state;
        loop {
            let is_searching = current.as_ref().is_some_and(|state| run.is_searching(state.path));
            self.searching += u32::from(is_searching);
            current = match (current, &staggered) {
                (Some(state), Some(begun)) => {
                    let mut parted = self.part_begun(state, begun);
                    parted.active = self.round(frame, parted.active, &repeated)?;
                    let is_counted = frame.scopes.last().is_some_and(|scope| scope.is_counted);
                    self.join_begun(parted, &mut staggered, is_counted)
                }
                (current, _) => self.round(frame, current, &repeated)?,
            };
            self.searching -= u32::from(is_searching);
            let is_awaited = !frame.jumps.is_empty()
                && body.iter().chain(continuing).any(|stmt| awaits_label(frame, stmt));
            if current.is_none() && !is_awaited {
                break;
            }
            run.rounds += 1;
            run.is_counted = frame.scopes.last().is_some_and(|scope| scope.is_counted);
            current = match current {
                Some(state) => {
                    let kept = earlier.as_mut().filter(|_| staggered.is_none());
                    self.next_round(frame, state, (&run, &repeated), kept)?
                }
                None if run.rounds >= self.unwind => return Err(self.loop_bound(span)),
                None => None,
            };
        }
        let scope = frame.scopes.pop().expect("the scope of the loop should be open");
        let joined = self.join(scope.breaks);
        let unchanged = self.escapes(frame, depth) == escaped;
        Ok(with_path(joined, entry.path.filter(|_| unchanged)))
    }

    /// The state in which the next round begins. Where the loop goes on for too long, its state
    /// leaves it, with the memory that was in front of it: nothing is known of what follows.
    fn next_round(
        &mut self,
        frame: &mut Frame,
        state: State,
        (run, repeated): (&Run<'_>, &Loop<'_>),
        earlier: Option<&mut Earlier>,
    ) -> Outcome<Option<State>> {
        let before = earlier.as_ref().map(|earlier| earlier.before.clone());
        let (state, kind) = match self.behind_round(state, run)? {
            Behind::Nothing => return Ok(None),
            Behind::Again(state) => {
                let ends = earlier
                    .is_none_or(|earlier| !self.never_ends(frame, (&state, earlier), (repeated, run.rounds)));
                if ends {
                    return Ok(Some(state));
                }
                (state, HazardKind::Endless)
            }
            Behind::Leaves(state) => (state, HazardKind::LongLoop),
        };
        let always = self.system.terms.truth(true);
        self.hazard(&state, always, kind, run.span);
        let memory = before.unwrap_or(state.memory);
        frame.scopes.last_mut().into_iter().for_each(|scope| {
            scope.breaks.push(State { path: state.path, memory: memory.clone() });
        });
        Ok(None)
    }

    /// What an execution is like at this point.
    pub(super) fn entry(&self, state: Option<&State>) -> Entry {
        let path = state.map(|state| state.path);
        Entry { path, terms: self.system.terms.len(), statements: self.statements }
    }

    /// Whether a frame is that of a step function.
    pub(super) fn is_in_step(&self, frame: &Frame) -> bool {
        frame.function.is_some_and(|function| self.steps.contains(&function))
    }

    /// What becomes of the state behind a round.
    pub(super) fn behind_round(&mut self, state: State, run: &Run<'_>) -> Outcome<Behind> {
        let is_open = run.entry.path != Some(state.path);
        self.has_open_loops |= is_open && !run.is_counted;
        if is_open && !self.goes_on(state.path, run) {
            return Ok(Behind::Nothing);
        }
        let limit = if is_open || !self.assumes_unwound { self.unwind } else { DEFAULT_UNWIND };
        if run.rounds >= limit {
            if self.marks_long_loops && (!is_open || self.assumes_unwound) {
                return Ok(Behind::Leaves(state));
            }
            if !(is_open && self.assumes_unwound) {
                return Err(self.loop_bound(run.span));
            }
            let never = self.system.terms.truth(false);
            self.note_assumption(&state, never, (run.span, Premise::Unwound(run.rounds)));
            return Ok(Behind::Nothing);
        }
        let is_too_large = is_open && self.system.terms.len() - run.entry.terms > MOST_OPEN;
        if is_too_large || run.is_step && self.statements - run.entry.statements > MOST_DRIVEN {
            return Err(self.loop_too_large(run));
        }
        Ok(Behind::Again(state))
    }

    /// Whether a loop may go on behind a round, which is looked at now and then. What counts up to
    /// a constant ends anyway: there, the judge is asked only where that takes long.
    fn goes_on(&mut self, path: PathId, run: &Run<'_>) -> bool {
        let rounds = run.rounds;
        let is_early = if run.is_counted { rounds == FULL_EFFORT } else { rounds <= FULL_EFFORT };
        if rounds.is_power_of_two() && (is_early || rounds == LAST_ASKED) {
            let part = f64::from(rounds.clamp(FIRST_ROUNDS, FULL_EFFORT)) / f64::from(FULL_EFFORT);
            return self.is_possible(path, part * part);
        }
        let is_often = if run.is_counted { rounds.is_power_of_two() } else { rounds < MANY };
        let is_looked_at = rounds > PATIENCE && (is_often || rounds.is_multiple_of(MANY));
        !is_looked_at || self.is_consistent(path)
    }

    /// Executes a round of a loop whose scope is the innermost one.
    pub(super) fn round(
        &mut self,
        frame: &mut Frame,
        state: Option<State>,
        repeated: &Loop<'_>,
    ) -> Outcome<Option<State>> {
        let &Loop { body, continuing, span } = repeated;
        let done = match is_made_of_jumps(body, span) {
            true => self.statements(frame, state, body)?,
            false => self.block(frame, state, body)?,
        };
        let scope = frame.scopes.last_mut().expect("the scope of the loop should be open");
        let continued = std::mem::take(&mut scope.continues);
        let joined = self.join(continued.into_iter().chain(done).collect());
        self.block(frame, joined, continuing)
    }

    /// One round of a driver's loop. What leaves the loop goes through `behind`, the statements
    /// behind it, and has ended for good then.
    pub(crate) fn driver_round(
        &mut self,
        frame: &mut Frame,
        state: State,
        found: &FoundLoop<'_>,
        behind: &[&[Stmt]],
    ) -> Outcome<Option<State>> {
        frame.scopes.push(Scope { is_loop: true, ..Scope::default() });
        let repeated = Loop { body: found.body, continuing: found.continuing, span: found.span };
        let done = self.round(frame, Some(state), &repeated)?;
        let scope = frame.scopes.pop().expect("the scope of the loop should be open");
        let returns = std::mem::take(&mut frame.returns);
        let jumps = frame.jumps.iter().map(|jump| jump.state.clone());
        let leaving: Vec<State> = scope.breaks.iter().chain(&returns).cloned().chain(jumps).collect();
        self.events.leaving.clone_from(&leaving);
        let is_plain = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_));
        if behind.iter().copied().flatten().all(is_plain) {
            self.events.ends.extend(leaving);
            return Ok(done);
        }
        let before = self.clone();
        match self.tail(frame, scope.breaks, behind) {
            Ok(ends) => self.events.ends.extend(returns.into_iter().chain(ends)),
            Err(Stop::Restart) => return Err(Stop::Restart),
            Err(Stop::Failed) => {
                *self = before;
                self.events.skips_tail = true;
                self.events.ends.extend(leaving);
            }
        }
        Ok(done)
    }

    /// Executes what stands behind a driver's loop. Returns the states in which the program ends.
    fn tail(&mut self, frame: &mut Frame, breaks: Vec<State>, behind: &[&[Stmt]]) -> Outcome<Vec<State>> {
        let mut state = self.join(breaks);
        self.events.is_behind_loop = true;
        for rest in behind {
            state = self.block(frame, state, &rest.to_vec())?;
        }
        self.events.is_behind_loop = false;
        let returns = std::mem::take(&mut frame.returns);
        let jumps = std::mem::take(&mut frame.jumps).into_iter().map(|jump| jump.state);
        Ok(returns.into_iter().chain(jumps).chain(state).collect())
    }

    /// The error for a loop that does not end.
    pub(super) fn loop_bound(&mut self, span: Span) -> Stop {
        let message = format!("cannot bound this loop: it may run for {} rounds or more", self.unwind);
        self.fail_with(
            Code::LoopBound,
            span,
            message,
            "a loop needs a bound that follows from constants or ranges; --unwind raises the limit, and \
             `--unwind N --assume-unwound` leaves out executions in which the loop runs longer",
        )
    }

    /// The error for a loop that becomes too large before it is known to end.
    fn loop_too_large(&mut self, run: &Run<'_>) -> Stop {
        let message = format!(
            "cannot bound this loop: after {} rounds it has become too large, and it may go on",
            run.rounds
        );
        let error = self.diagnostics.error(Code::LoopBound, Some(run.span), message);
        error.advice(
            "a loop needs a bound that follows from constants or ranges; `--unwind N --assume-unwound` leaves out \
             executions in which it runs longer",
        );
        let called = if run.is_step { called_in(run.body) } else { Vec::new() };
        let called: Vec<&str> =
            called.iter().map(|&function| &*self.program.functions[function].name).collect();
        if !called.is_empty() {
            let names = called.join("`, `");
            error.advice(format!(
                "where one round is one step, name what it calls as the step function with --step: `{names}`"
            ));
        }
        Stop::Failed
    }
}

/// The functions that a loop calls itself, in order.
fn called_in(body: &[Stmt]) -> Vec<FunctionId> {
    let mut found = Vec::new();
    walk::visit(body, &mut |stmt| {
        if let StmtKind::Call { callee: Callee::Function(function), .. } = &stmt.kind
            && !found.contains(function)
        {
            found.push(*function);
        }
    });
    found
}
