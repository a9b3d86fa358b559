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
//! [`with_prefix`] demands another thing instead: that the first steps are those of the old
//! sequence.

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
    let (position, edits) = (word(&mut join, POSITION), word(&mut join, "edits.count"));
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
    let done = vec![at_most(&mut join, total, limit)];
    put_goal(&mut join, system, &goals, done);
    join
}

/// The system, in whose executions the first steps have the inputs of these rows, as far as they
/// are compared. Its one goal is that all these goals have occurred, and that so many steps were
/// made. Its first words and inputs are those of the system.
pub fn with_prefix(
    system: &Validated,
    compared: &[InputId],
    prefix: &[Vec<Value>],
    goals: &[GoalId],
) -> TransitionSystem {
    let mut join: TransitionSystem = (**system).clone();
    let goals: Vec<Goal> = goals.iter().map(|&goal| system.goals[goal].clone()).collect();
    join.goals = std::iter::empty().collect();
    let length = prefix.len() as u128;
    let width = (u128::BITS - length.leading_zeros()).max(1);
    let position = join.add_state(POSITION, Sort::word(width));
    join.states[position].init = join.terms.word(width, 0);
    let at = join.state_term(position);
    let (one, end) = (join.terms.word(width, 1), join.terms.word(width, length));
    let is_behind = join.terms.equal(at, end);
    let further = join.terms.binary(BinaryOp::Add, at, one);
    let next = join.terms.ite(is_behind, at, further);
    join.states[position].next = next;
    let old: Vec<Option<Vec<Value>>> = prefix.iter().cloned().map(Some).collect();
    let adaptation = Adaptation { compared, old: &old, goals: &[], edits: 0 };
    let is_same = same(&mut join, &adaptation, at, width);
    let condition = join.terms.or(is_behind, is_same);
    join.assumptions.push(Assumption { condition, origin: None });
    let is_whole = join.terms.equal(next, end);
    put_goal(&mut join, system, &goals, vec![is_whole]);
    join
}

/// The word that says how much of the old sequence was read.
const POSITION: &str = "edits.position";

/// Adds the goal that these conditions hold, that all these goals have occurred, and that the
/// execution may end.
fn put_goal(join: &mut TransitionSystem, system: &Validated, goals: &[Goal], mut done: Vec<TermId>) {
    for (number, goal) in goals.iter().enumerate() {
        done.push(latched(join, system, goal, number));
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
}

/// The part of a trace of the joined system that is one of the system.
pub fn own_part(system: &Validated, trace: &Trace) -> Trace {
    let inputs = trace.inputs.iter().map(|row| row[..system.inputs.len()].to_vec()).collect();
    Trace { start: trace.start.clone(), inputs }
}

/// What an edit does; steps are counted from 0 in the old and in the new sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A step of the old sequence has other inputs in the new one.
    Replaced {
        /// The step of the old sequence.
        old: usize,
        /// The step of the new sequence.
        new: usize,
    },
    /// A step of the new sequence that the old one does not have.
    Inserted {
        /// The step of the new sequence.
        new: usize,
    },
    /// A step of the old sequence that the new one does not have.
    Deleted {
        /// The step of the old sequence.
        old: usize,
    },
}

/// Whether the inputs of two steps are the same.
pub fn agree(old: &[Value], new: &[Value]) -> bool {
    old.iter().zip(new).all(|(old, new)| old.agrees_with(*new))
}

/// As few edits as possible that make the new sequence of the old one, in order; a step `None` of
/// the old one is never kept (Wagner, Fischer, *The string-to-string correction problem*, J. ACM
/// 1974).
pub fn script(old: &[Option<Vec<Value>>], new: &[Vec<Value>]) -> Vec<Edit> {
    let is_same = |at: usize, step: usize| old[at].as_ref().is_some_and(|old| agree(old, &new[step]));
    // Edits between the rest of the old sequence from a step on and that of the new one.
    let mut rest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for at in (0..=old.len()).rev() {
        for step in (0..=new.len()).rev() {
            rest[at][step] = match (old.len() - at, new.len() - step) {
                (0, left) | (left, 0) => left,
                _ => {
                    let kept = rest[at + 1][step + 1] + usize::from(!is_same(at, step));
                    kept.min(1 + rest[at + 1][step]).min(1 + rest[at][step + 1])
                }
            };
        }
    }
    let (mut at, mut step, mut edits) = (0, 0, Vec::new());
    while at < old.len() || step < new.len() {
        let here = rest[at][step];
        if at < old.len() && step < new.len() && is_same(at, step) {
            (at, step) = (at + 1, step + 1);
        } else if at < old.len() && step < new.len() && here == 1 + rest[at + 1][step + 1] {
            edits.push(Edit::Replaced { old: at, new: step });
            (at, step) = (at + 1, step + 1);
        } else if step < new.len() && here == 1 + rest[at][step + 1] {
            edits.push(Edit::Inserted { new: step });
            step += 1;
        } else {
            edits.push(Edit::Deleted { old: at });
            at += 1;
        }
    }
    edits
}

/// The fewest edits between two sequences of steps; see [`script`].
pub fn distance(old: &[Option<Vec<Value>>], new: &[Vec<Value>]) -> u32 {
    u32::try_from(script(old, new).len()).unwrap_or(u32::MAX)
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
            alike.push(join.terms.agree(input, value));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::simulate::Simulator;
    use crate::text::parse;
    use crate::trace::{Start, replay, replay_with};
    use crate::validate::validate;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::collections::BTreeMap;

    /// Edits by definition: one step of both is kept, replaced, deleted or inserted.
    fn edits(old: &[Option<Vec<Value>>], new: &[Vec<Value>]) -> u32 {
        match (old, new) {
            ([], rest) => u32::try_from(rest.len()).expect("a short sequence"),
            (rest, []) => u32::try_from(rest.len()).expect("a short sequence"),
            ([first, old_rest @ ..], [step, new_rest @ ..]) => {
                let kept = edits(old_rest, new_rest) + u32::from(first.as_ref() != Some(step));
                kept.min(1 + edits(old_rest, new)).min(1 + edits(old, new_rest))
            }
        }
    }

    fn random_system(random: &mut SmallRng) -> Validated {
        let mut state = |at: &str| format!("(eq s{at} {})", random.random_range(0..4));
        let (first, second, third, last) = (state(""), state("@1"), state("@2"), state("@1"));
        let (barred, end) = (state(""), state(""));
        let table: Vec<u32> = (0..8).map(|_| random.random_range(0..4)).collect();
        let mut next = table[7].to_string();
        for (number, target) in table.iter().enumerate().take(7) {
            next = format!("(ite (eq (concat s a) {number}) {target} {next})");
        }
        let steps = random.random_range(1..4);
        let window = match steps {
            1 => format!("(or {last} (and {first} a))"),
            2 => format!("(and {second} (not a@1) (or b {third}))"),
            _ => format!("(and {second} a@2 (or a (eq s@3 1)))"),
        };
        let end = if random.random_range(0..3) == 0 { format!("end (not {end})") } else { String::new() };
        let assume = match random.random_range(0..2) {
            0 => format!("assume (not (and {barred} a b))"),
            _ => String::new(),
        };
        let text = format!(
            "input a w1 input b w1 choice state s w2 next (xor {next} (concat 0:w1 (and a b))) {assume} {end}
             goal one steps {steps} when {window} goal two when (and {first} b)"
        );
        validate(parse(&text).expect("the text should parse")).expect("the system is well-formed")
    }

    /// The fewest steps of all executions within the limit that have the goals.
    fn by_enumeration(system: &Validated, adaptation: &Adaptation<'_>) -> Option<usize> {
        let longest = adaptation.old.len() + adaptation.edits as usize;
        let mut simulator = Simulator::new(system);
        let mut open: Vec<Vec<Vec<Value>>> = vec![Vec::new()];
        for steps in 0..=longest {
            for inputs in &open {
                let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.clone() };
                let Ok(run) = replay_with(&mut simulator, system, &trace) else { continue };
                let seen: Vec<Vec<Value>> = inputs.iter().map(|row| vec![row[0]]).collect();
                let has_all = adaptation.goals.iter().all(|&goal| !run.occurrences[goal].is_empty());
                if has_all && run.may_end && edits(adaptation.old, &seen) <= adaptation.edits {
                    return Some(steps);
                }
            }
            let more = |known: &Vec<Vec<Value>>| {
                let row = |bits: u128| vec![Value::truth(bits & 1 == 1), Value::truth(bits & 2 == 2)];
                let known = known.clone();
                (0..4).map(move |bits| [known.as_slice(), &[row(bits)]].concat())
            };
            open = open.iter().flat_map(more).collect();
        }
        None
    }

    /// The fewest steps of the joined system to its goal, by breadth-first search.
    fn by_join(system: &Validated, adaptation: &Adaptation<'_>) -> Option<usize> {
        let join = validate(within_edits(system, adaptation)).expect("the join is well-formed");
        let mut simulator = Simulator::new(&join);
        let width = |input: &crate::system::Input| match join.terms.symbol(input.symbol).sort {
            Sort::Word(width) => u32::from(width),
            Sort::Float(_) => panic!("the system has no floats"),
        };
        let widths: Vec<u32> = join.inputs.values().map(width).collect();
        let all: Vec<Vec<Value>> = (0..1_u128 << widths.iter().sum::<u32>())
            .map(|mut bits| {
                let mut take = |width: &u32| {
                    let value = Value::word(*width, bits & ((1 << width) - 1));
                    bits >>= width;
                    value
                };
                widths.iter().map(&mut take).collect()
            })
            .collect();
        let mut depth: BTreeMap<Vec<u128>, usize> = BTreeMap::new();
        let mut open = vec![simulator.initial(&[]).state];
        for steps in 1.. {
            let mut next = Vec::new();
            for (state, inputs) in open.iter().flat_map(|state| all.iter().map(move |inputs| (state, inputs)))
            {
                let trace = Trace { start: Start::State(state.clone()), inputs: vec![inputs.clone()] };
                let Ok(run) = replay_with(&mut simulator, &join, &trace) else { continue };
                if !run.occurrences[GoalId::new(0)].is_empty() {
                    return Some(steps);
                }
                let reached = run.states[1].clone();
                let key = reached.iter().map(|value| value.bits()).collect();
                depth.entry(key).or_insert_with(|| {
                    next.push(reached);
                    steps
                });
            }
            if next.is_empty() {
                return None;
            }
            open = next;
        }
        None
    }

    #[test]
    fn joins_have_the_adaptations_that_enumeration_finds() {
        let mut random = SmallRng::seed_from_u64(7);
        let mut found = [0, 0];
        for _ in 0..200 {
            let system = random_system(&mut random);
            let row = |random: &mut SmallRng| match random.random_range(0..5) {
                0 => None,
                bits => Some(vec![Value::truth(bits > 2)]),
            };
            let old: Vec<_> = (0..random.random_range(0..4)).map(|_| row(&mut random)).collect();
            let ids: Vec<GoalId> = system.goals.ids().collect();
            let goals = if random.random_range(0..3) == 0 { &ids[..1] } else { &ids[..] };
            for edits in 0..3 {
                let compared = [InputId::new(0)];
                let adaptation = Adaptation { compared: &compared, old: &old, goals, edits };
                let expected = by_enumeration(&system, &adaptation);
                assert_eq!(by_join(&system, &adaptation), expected, "{old:?} {edits}");
                found[usize::from(expected.is_some())] += 1;
            }
        }
        assert!(found.iter().all(|&number| number > 20), "{found:?}");
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        let mut random = SmallRng::seed_from_u64(3);
        for _ in 0..300 {
            let mut row = || vec![Value::word(2, random.random_range(0..3))];
            let new: Vec<_> = (0..4).map(|_| row()).collect();
            let old: Vec<_> = (0..5).map(|_| Some(row()).filter(|row| row[0].bits() != 2)).collect();
            let (old, new) = (&old[..random.random_range(0..=5)], &new[..random.random_range(0..=4)]);
            assert_eq!(distance(old, new), edits(old, new));
            // The edits make the new sequence of the old one.
            let (mut made, mut at) = (Vec::new(), 0);
            let kept = |range: std::ops::Range<usize>| {
                old[range].iter().map(|row| row.clone().expect("a step that is kept"))
            };
            for edit in script(old, new) {
                let next = match edit {
                    Edit::Replaced { old, .. } | Edit::Deleted { old } => old,
                    Edit::Inserted { new } => at + new - made.len(),
                };
                made.extend(kept(at..next));
                at = next + usize::from(!matches!(edit, Edit::Inserted { .. }));
                if let Edit::Replaced { new: step, .. } | Edit::Inserted { new: step } = edit {
                    assert_eq!(made.len(), step);
                    made.push(new[step].clone());
                }
            }
            made.extend(kept(at..old.len()));
            assert_eq!(made, new);
        }
    }

    #[test]
    fn own_parts_are_executions_of_the_system() {
        let system = random_system(&mut SmallRng::seed_from_u64(1));
        let row = |bits: [bool; 2]| bits.map(Value::truth).to_vec();
        let inputs = vec![[row([true, false]), vec![Value::word(2, 1), Value::truth(false)]].concat()];
        let own = own_part(&system, &Trace { start: Start::Initial(Vec::new()), inputs });
        assert_eq!(own.inputs, [row([true, false])]);
        assert!(replay(&system, &own).is_ok());
    }
}
