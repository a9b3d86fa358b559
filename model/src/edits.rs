//! An execution that differs from a given sequence of inputs by few edits.
//!
//! An *edit* replaces the inputs of a step, inserts a step, or deletes one (the distance of
//! Levenshtein over steps). [`within_edits`] joins a system with an automaton that reads the old
//! sequence beside the new one: its states are the position in the old sequence and the number of
//! edits so far. Its one goal is that some goals have occurred, that the old sequence is at its end
//! or the rest of it can be deleted, and that all edits together are within a limit. So a shortest
//! chain of it has the fewest steps of all adaptations within the limit, and a proof that its goal
//! cannot be reached says that more edits are needed. Every step takes one of the old sequence or
//! is an edit: no execution has more steps than the old sequence and the limit together.

use crate::sort::Sort;
use crate::system::{Assumption, Goal, GoalId, InputId, InputRole, StateId, TransitionSystem};
use crate::term::{BinaryOp, SymbolId, TermId};
use crate::trace::Trace;
use crate::validate::{Meaning, Validated};
use crate::value::Value;
use crate::visit::{Substitution, support};
use rustc_hash::FxHashMap;

/// The old sequence, and what an adaptation of it has to do.
#[derive(Clone, Debug)]
pub struct Adaptation<'a> {
    /// The inputs that are compared with the old sequence. Others (choices of the system, results
    /// of external calls) are free.
    pub compared: &'a [InputId],
    /// For each step of the old sequence the values of the compared inputs, in that order; `None`:
    /// the step cannot be kept.
    pub old: &'a [Option<Vec<Value>>],
    /// The goals that have to occur.
    pub goals: &'a [GoalId],
    /// Edits at most.
    pub edits: u32,
}

/// The system joined with the automaton; see the module text. Its first words and inputs are those
/// of the system.
pub fn within_edits(system: &Validated, adaptation: &Adaptation<'_>) -> TransitionSystem {
    let mut join: TransitionSystem = (**system).clone();
    let goals: Vec<Goal> = adaptation.goals.iter().map(|&goal| system.goals[goal].clone()).collect();
    join.goals = std::iter::empty().collect();
    let limit = u128::from(adaptation.edits);
    let length = adaptation.old.len() as u128;
    // Wide enough for every sum below.
    let width = (u128::BITS - (length + 3 * limit + 3).leading_zeros()).max(2);
    let sort = Sort::word(width);
    let zero = join.terms.word(width, 0);
    let word = |join: &mut TransitionSystem, name: &str| {
        let word = join.add_state(name, sort);
        join.states[word].init = zero;
        word
    };
    let (position, edits) = (word(&mut join, "edits.position"), word(&mut join, "edits.count"));
    let skipped = join.add_input("edits.skipped", sort, InputRole::Choice);
    let inserts = join.add_input("edits.inserts", Sort::word(1), InputRole::Choice);
    let (skipped, inserts) = (join.input_term(skipped), join.input_term(inserts));
    let (at, before) = (join.state_term(position), join.state_term(edits));

    let few = at_most(&mut join, skipped, limit);
    let target = join.terms.binary(BinaryOp::Add, at, skipped);
    let is_within = match length.checked_sub(1) {
        Some(last) => at_most(&mut join, target, last),
        None => join.terms.truth(false),
    };
    let is_none_skipped = join.terms.equal(skipped, zero);
    let is_allowed = join.terms.ite(inserts, is_none_skipped, is_within);
    let is_same = same(&mut join, adaptation, target, width);
    let is_kept = {
        let takes = join.terms.not(inserts);
        join.terms.and(takes, is_same)
    };
    let one = join.terms.word(width, 1);
    let own = join.terms.ite(is_kept, zero, one);
    let cost = join.terms.binary(BinaryOp::Add, skipped, own);
    let after = join.terms.binary(BinaryOp::Add, before, cost);
    let behind = join.terms.binary(BinaryOp::Add, target, one);
    let reached = join.terms.ite(inserts, at, behind);
    let affordable = at_most(&mut join, after, limit);
    for condition in [few, is_allowed, affordable] {
        join.assumptions.push(Assumption { condition, origin: None });
    }
    join.states[position].next = reached;
    join.states[edits].next = after;

    let end = join.terms.word(width, length);
    let left = join.terms.binary(BinaryOp::Sub, end, reached);
    let total = join.terms.binary(BinaryOp::Add, after, left);
    let mut done = vec![at_most(&mut join, total, limit)];
    for (number, goal) in goals.iter().enumerate() {
        done.push(latched(&mut join, system, goal, number));
    }
    if let Some(end) = join.end.take() {
        let next: Vec<(SymbolId, TermId)> =
            join.states.values().map(|state| (state.symbol, state.next)).collect();
        done.push(Substitution::new(&mut join.terms, next).apply(&mut join.terms, end));
    }
    let antecedent = join.terms.conjunction(done);
    join.goals.push(Goal {
        name: "adapted".to_owned(),
        requirement: None,
        text: None,
        origin: None,
        steps: 1,
        antecedent,
        expectation: None,
    });
    join
}

/// The part of a trace of the joined system that is one of the system.
pub fn own_part(system: &Validated, trace: &Trace) -> Trace {
    let inputs = trace.inputs.iter().map(|row| row[..system.inputs.len()].to_vec()).collect();
    Trace { start: trace.start.clone(), inputs }
}

/// The fewest edits between two sequences of steps; a step `None` of the old one is never kept
/// (Wagner, Fischer, *The string-to-string correction problem*, J. ACM 1974).
pub fn distance(old: &[Option<Vec<Value>>], new: &[Vec<Value>]) -> u32 {
    let mut row: Vec<u32> = (0..).take(new.len() + 1).collect();
    for known in old {
        let mut diagonal = row[0];
        row[0] += 1;
        for (column, step) in new.iter().enumerate() {
            let is_same = known.as_ref() == Some(step);
            let replaced = diagonal + u32::from(!is_same);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[new.len()]
}

fn at_most(join: &mut TransitionSystem, term: TermId, limit: u128) -> TermId {
    let width = join.terms.width(term);
    let limit = join.terms.word(width, limit);
    join.terms.binary(BinaryOp::ULe, term, limit)
}

/// Whether the inputs are those of the step of the old sequence at a position.
fn same(join: &mut TransitionSystem, adaptation: &Adaptation<'_>, target: TermId, width: u32) -> TermId {
    let inputs: Vec<TermId> = adaptation.compared.iter().map(|&input| join.input_term(input)).collect();
    let mut is_same = join.terms.truth(false);
    for (number, values) in adaptation.old.iter().enumerate() {
        let Some(values) = values else { continue };
        let number = join.terms.word(width, number as u128);
        let mut alike = vec![join.terms.equal(target, number)];
        for (&input, &value) in inputs.iter().zip(values) {
            let value = join.terms.constant(value);
            alike.push(join.terms.equal(input, value));
        }
        let alike = join.terms.conjunction(alike);
        is_same = join.terms.or(is_same, alike);
    }
    is_same
}

/// Adds a word that remembers whether a goal has occurred. Truth over (state, input): it has, this
/// step included.
fn latched(join: &mut TransitionSystem, system: &Validated, goal: &Goal, number: usize) -> TermId {
    let occurs = completed(join, system, goal, number);
    let word = join.add_state(&format!("edits.goal{number}"), Sort::word(1));
    let before = join.state_term(word);
    let after = join.terms.or(before, occurs);
    join.states[word].init = join.terms.truth(false);
    join.states[word].next = after;
    after
}

/// Truth over (state, input): this step is the last of a window of the goal. Values of earlier steps
/// of the window are remembered in words of their own.
fn completed(join: &mut TransitionSystem, system: &Validated, goal: &Goal, number: usize) -> TermId {
    let mut delayed: FxHashMap<(SymbolId, u32), TermId> = FxHashMap::default();
    let mut replacements = Vec::new();
    for symbol in support(&system.terms, &[goal.antecedent]) {
        let framed = system.terms.symbol(symbol).framed;
        let (base, offset) = framed.map_or((symbol, 0), |framed| (framed.base, framed.offset));
        let term = match (system.meaning(base), offset == goal.steps) {
            (Meaning::State(state), true) => join.states[state].next,
            _ => delay(join, &mut delayed, number, (base, goal.steps - 1 - offset.min(goal.steps - 1))),
        };
        replacements.push((symbol, term));
    }
    let occurs = Substitution::new(&mut join.terms, replacements).apply(&mut join.terms, goal.antecedent);
    let mut is_complete = join.terms.truth(true);
    for step in 1..goal.steps {
        let word = join.add_state(&format!("edits.goal{number}.step{step}"), Sort::word(1));
        join.states[word].init = join.terms.truth(false);
        join.states[word].next = is_complete;
        is_complete = join.state_term(word);
    }
    join.terms.and(is_complete, occurs)
}

/// The value that a symbol had so many steps ago.
fn delay(
    join: &mut TransitionSystem,
    known: &mut FxHashMap<(SymbolId, u32), TermId>,
    number: usize,
    (symbol, steps): (SymbolId, u32),
) -> TermId {
    let mut term = join.terms.symbol_term(symbol);
    let sort = join.terms.sort(term);
    for step in 1..=steps {
        term = match known.get(&(symbol, step)) {
            Some(&term) => term,
            None => {
                let name = format!("edits.goal{number}.{}.{step}", join.terms.symbol(symbol).name);
                let word: StateId = join.add_state(&name, sort);
                join.states[word].init = join.terms.constant(Value::zero(sort));
                join.states[word].next = term;
                let delayed = join.state_term(word);
                known.insert((symbol, step), delayed);
                delayed
            }
        };
    }
    term
}
