//! Loops whose counter begins at one of several constants.
//!
//! `for (i = first; i < 500; i++) a[i] = 0;`, where a search left `first` as a choice among
//! constants: executed as it stands, the counter is a choice in every round, each round may write
//! every element, and nothing constant ends the loop. But executions with equal counters can share
//! a round: those that begin with a later number wait until the counter of the others has come
//! there. In every round the counter is then a constant, and the loop ends by its own condition.
//!
//! Waiting changes nothing that a program can see: executions that exclude each other have no
//! common time.

use super::layout::Cell;
use super::place::Target;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::detect::walk;
use crate::ir::expr::{BinaryOp, Expr, ExprKind};
use crate::ir::stmt::{Block, Place, PlaceBase, Projection, Stmt, StmtKind};
use model::sort::Sort;
use model::term::{Term, TermId, TermPool};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Numbers that a counter may begin with at most.
const MOST_NUMBERS: usize = 4096;

/// Terms looked at in order to find them.
const MOST_TERMS: usize = 20_000;

/// A loop some of whose executions may still wait for their first round.
pub(super) struct Staggered {
    /// The cell of the counter.
    cell: usize,
    /// What it holds in front of the loop.
    first: TermId,
    /// Numbers that it begins with, and when; the next one last. Never empty.
    later: Vec<(i128, TermId)>,
    /// The truth that an execution has begun.
    begun: TermId,
    /// The counter of all executions that have begun.
    counter: Value,
    is_signed: bool,
    is_descending: bool,
}

/// Executions at the head of a loop.
pub(super) struct Parted {
    /// Those that take the round.
    pub(super) active: Option<State>,
    /// Those that wait.
    pub(super) waiting: Option<State>,
}

impl Machine<'_> {
    /// Looks whether a loop that begins in a state can be executed so.
    pub(super) fn stagger(
        &mut self,
        frame: &Frame,
        state: &State,
        body: &Block,
        continuing: &Block,
    ) -> Outcome<Option<Staggered>> {
        let [Stmt { kind: StmtKind::If { condition, .. }, .. }, ..] = body.as_slice() else {
            return Ok(None);
        };
        for place in counters(condition) {
            let Some(cell) = self.cell_of(frame, state, place)? else { continue };
            if state.memory.written.get(cell).is_some() {
                continue;
            }
            let Some(first) = state.memory.values.get(cell) else { continue };
            let is_signed = self.is_signed(place.ty);
            let Some(mut later) = constants(&mut self.system.terms, first, is_signed) else { continue };
            let is_descending = counts_down(place, continuing);
            later.sort_unstable_by_key(|&(number, _)| if is_descending { number } else { -number });
            let Some((number, begun)) = later.pop().filter(|_| !later.is_empty()) else { continue };
            let counter = Value::new(self.system.terms.sort(first), number as u128);
            return Ok(Some(Staggered { cell, first, later, begun, counter, is_signed, is_descending }));
        }
        Ok(None)
    }

    /// The cell that a place without indices designates as a whole.
    fn cell_of(&mut self, frame: &Frame, state: &State, place: &Place) -> Outcome<Option<usize>> {
        let targets = self.locate(frame, state, place)?;
        let [Target { object, bit, .. }] = targets[..] else { return Ok(None) };
        let object = self.objects.get(object);
        let index = object.layout.first_behind(bit);
        let extent = self.layouts.scalar(place.ty, None).map(|scalar| scalar.extent);
        let is_whole = |cell: &&Cell| cell.bit == bit && Some(cell.scalar.extent) == extent;
        Ok(object.layout.cells.get(index).filter(is_whole).map(|_| object.first + index))
    }

    /// Parts the executions at the head of the loop into those that have begun and those that wait.
    pub(super) fn part_begun(&mut self, state: State, staggered: &Staggered) -> Parted {
        let others = self.system.terms.not(staggered.begun);
        let mut active = self.assume(&state, staggered.begun);
        let waiting = self.assume(&state, others);
        let counter = self.system.terms.constant(staggered.counter);
        if let Some(active) = &mut active {
            active.memory.set(staggered.cell, counter);
        }
        Parted { active, waiting }
    }

    /// Joins the executions behind a round with those that waited, and lets the next of these
    /// begin. Once all have begun, and where that is no longer possible, the loop goes on as any
    /// other: `staggered` becomes `None`.
    pub(super) fn join_begun(
        &mut self,
        parted: Parted,
        staggered: &mut Option<Staggered>,
        is_counted: bool,
    ) -> Option<State> {
        let Parted { active, waiting } = parted;
        let (Some(beginning), Some(mut waiting)) = (staggered.as_mut(), waiting) else {
            *staggered = None;
            return active;
        };
        let behind = active.as_ref().and_then(|active| active.memory.values.get(beginning.cell));
        let counter = behind.and_then(|behind| self.system.terms.as_const(behind));
        let goes_on = match (&active, counter) {
            (None, _) => {
                beginning.begin_anew();
                true
            }
            (Some(_), Some(counter)) if is_counted => beginning.count(&mut self.system.terms, counter),
            _ => false,
        };
        // What the counter of those that wait is does not matter before they begin.
        let shown = if goes_on { self.system.terms.constant(beginning.counter) } else { beginning.first };
        waiting.memory.set(beginning.cell, shown);
        if !goes_on || beginning.later.is_empty() {
            *staggered = None;
        }
        self.join(active.into_iter().chain([waiting]).collect())
    }
}

impl Staggered {
    fn number(&self, value: Value) -> i128 {
        if self.is_signed { value.signed() } else { value.bits() as i128 }
    }

    /// Notes what the counter has become, and lets those begin whose number that is; whether none
    /// was passed that others wait for.
    fn count(&mut self, terms: &mut TermPool, counter: Value) -> bool {
        self.counter = counter;
        let number = self.number(counter);
        if let Some((_, when)) = self.later.pop_if(|(next, _)| *next == number) {
            self.begun = terms.or(self.begun, when);
            return true;
        }
        let is_ahead =
            |&(next, _): &(i128, TermId)| if self.is_descending { next < number } else { next > number };
        self.later.last().is_some_and(is_ahead)
    }

    /// All that had begun have left the loop: the next ones begin.
    fn begin_anew(&mut self) {
        let (number, begun) = self.later.pop().expect("who waits should have a number to begin with");
        self.begun = begun;
        self.counter = Value::new(self.counter.sort(), number as u128);
    }
}

/// Integer variables that a condition reads.
fn counters(condition: &Expr) -> Vec<&Place> {
    let mut found = Vec::new();
    walk::visit_expression(condition, &mut |expr| {
        if let ExprKind::Load(place) = &expr.kind {
            found.push(place);
        }
    });
    let is_plain = |place: &&Place| {
        let is_member = |projection: &Projection| matches!(projection, Projection::Field { bits: None, .. });
        matches!(place.base, PlaceBase::Local(_) | PlaceBase::Global(_)) && place.path.iter().all(is_member)
    };
    found.retain(is_plain);
    found
}

/// Whether the step of a loop makes a variable smaller.
fn counts_down(counter: &Place, continuing: &Block) -> bool {
    continuing.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign(Place { base: PlaceBase::Local(local), .. }, value) => {
            matches!(counter.base, PlaceBase::Local(other) if other == *local) && subtracts(value)
        }
        StmtKind::Assign(Place { base: PlaceBase::Global(global), .. }, value) => {
            matches!(counter.base, PlaceBase::Global(other) if other == *global) && subtracts(value)
        }
        _ => false,
    })
}

fn subtracts(value: &Expr) -> bool {
    let mut found = false;
    walk::visit_expression(value, &mut |expr| {
        found |= matches!(expr.kind, ExprKind::Binary(BinaryOp::Subtract, ..));
    });
    found
}

/// The constants that a word chooses among, and when it chooses each; `None` where it is anything
/// else, or one constant.
fn constants(terms: &mut TermPool, word: TermId, is_signed: bool) -> Option<Vec<(i128, TermId)>> {
    if !matches!(terms.sort(word), Sort::Word(_)) || !matches!(terms.node(word), Term::Ite { .. }) {
        return None;
    }
    let choices = choices(terms, word)?;
    let mut guards: FxHashMap<TermId, TermId> = FxHashMap::default();
    guards.insert(word, terms.truth(true));
    let mut found: Vec<(i128, TermId)> = Vec::new();
    // Operands have smaller numbers than the terms over them: whoever chooses a term has been
    // looked at before it.
    for &choice in choices.iter().rev() {
        let guard = guards[&choice];
        match terms.node(choice) {
            Term::Ite { condition, then, otherwise } => {
                let negated = terms.not(condition);
                for (branch, condition) in [(then, condition), (otherwise, negated)] {
                    let here = terms.and(guard, condition);
                    let known = guards.get(&branch).copied();
                    let all = known.map_or(here, |known| terms.or(known, here));
                    guards.insert(branch, all);
                }
            }
            _ => {
                let value = terms.as_const(choice).expect("only choices and constants should be here");
                let number = if is_signed { value.signed() } else { value.bits() as i128 };
                found.push((number, guard));
            }
        }
    }
    Some(found)
}

/// A word, and all words that it chooses among; `None` where one of these is neither a choice nor a
/// constant.
fn choices(terms: &TermPool, word: TermId) -> Option<BTreeSet<TermId>> {
    let mut found = BTreeSet::from([word]);
    let mut waiting = vec![word];
    let mut constants = 0;
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            Term::Ite { then, otherwise, .. } => {
                waiting.extend([then, otherwise].into_iter().filter(|&branch| found.insert(branch)));
            }
            Term::Const(_) => constants += 1,
            _ => return None,
        }
        if constants > MOST_NUMBERS || found.len() > MOST_TERMS {
            return None;
        }
    }
    Some(found)
}
