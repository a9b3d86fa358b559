//! The system with a goal for each landmark.

use crate::error::EngineError;
use crate::knowledge::task::Task;
use crate::step::lemma::validated;
use model::id::IdVec;
use model::sort::Sort;
use model::system::{Goal, GoalId, StateId, TransitionSystem};
use model::term::{BinaryOp, Term, TermId};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::cone;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most landmarks.
const MOST_LANDMARKS: usize = 256;
/// Most constants that one word is given; a word with more is a table and no mode.
const MOST_VALUES: usize = 32;
/// A counter that is compared with a constant up to this one has a landmark for each value below.
const LONGEST_LADDER: u128 = 16;
/// Most words that a term may be in different branches and still counts as each of them.
const MOST_COUNTED: usize = 4;
/// Most constants that a counter is compared with.
const MOST_LIMITS: usize = 8;

/// A system with the goals of a task's system, and a goal for each landmark behind them.
pub(super) struct WithLandmarks {
    pub(super) system: Validated,
    /// The goals that are landmarks.
    landmarks: Vec<GoalId>,
}

impl WithLandmarks {
    /// `None` where there are no landmarks.
    ///
    /// # Errors
    /// Where that is no valid system, against expectation.
    pub(super) fn new(task: &Task<'_>) -> Result<Option<Self>, EngineError> {
        let found = landmarks(task);
        if found.is_empty() {
            return Ok(None);
        }
        let mut system: TransitionSystem = (**task.system).clone();
        let mut landmarks = Vec::new();
        for (number, landmark) in found.into_iter().take(MOST_LANDMARKS).enumerate() {
            let next = system.states[landmark.word].next;
            let value = system.terms.constant(landmark.value);
            let antecedent = match landmark.is_limit {
                false => system.terms.equal(next, value),
                true => {
                    let is_below = system.terms.binary(BinaryOp::ULt, next, value);
                    system.terms.not(is_below)
                }
            };
            landmarks.push(system.goals.push(Goal {
                name: format!("landmark {number}"),
                requirement: None,
                text: None,
                origin: None,
                steps: 1,
                antecedent,
                expectation: None,
            }));
        }
        system.hazards.clear();
        system.outputs.clear();
        Ok(Some(Self { system: validated(system)?, landmarks }))
    }

    /// The task of covering the same goals, and the landmarks. The goals have the same vertices.
    pub(super) fn task(&self, of: &Task<'_>) -> Task<'_> {
        let goals: Vec<GoalId> = of.goals().into_iter().chain(self.landmarks.iter().copied()).collect();
        of.over_goals(&self.system, &goals)
    }
}

/// A word that gets a value, or one that is no less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Landmark {
    is_limit: bool,
    word: StateId,
    value: Value,
}

/// The constants that the step gives to a word: modes, flags, phases. Of a word that counts, the
/// values up to a small constant that it is compared with, and greater such constants.
fn landmarks(task: &Task<'_>) -> Vec<Landmark> {
    let system = task.system;
    let compared = compared(task, true);
    let (mut modes, mut ladders, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for word in system.states.ids() {
        let sort = system.terms.symbol(system.states[word].symbol).sort;
        let Sort::Word(_) = sort else { continue };
        let leaves = leaves(task, word);
        let initial = system.terms.as_const(system.states[word].init);
        if leaves.constants.len() <= MOST_VALUES {
            let values = leaves.constants.iter().map(|&bits| Value::new(sort, bits));
            let others = values.filter(|&value| Some(value) != initial);
            modes.extend(others.map(|value| Landmark { is_limit: false, word, value }));
        }
        let is_computed = leaves.has_others || !leaves.copied.is_empty();
        let Some(constants) = compared.get(&word).filter(|_| is_computed) else { continue };
        let ladder = constants.iter().copied().filter(|&bits| bits <= LONGEST_LADDER).max().unwrap_or(0);
        let steps = (1..=ladder).filter(|bits| !leaves.constants.contains(bits));
        ladders.extend(steps.map(|bits| Landmark { is_limit: false, word, value: Value::new(sort, bits) }));
        let greater = constants.iter().copied().filter(|&bits| bits > LONGEST_LADDER).take(MOST_LIMITS);
        limits.extend(greater.map(|bits| Landmark { is_limit: true, word, value: Value::new(sort, bits) }));
    }
    modes.extend(ladders);
    modes.extend(limits);
    modes
}

/// A word whose values tell modes apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Discrete {
    /// The word.
    pub(crate) word: StateId,
    /// For a word that counts: up to where its values matter. `None`: it is only ever given
    /// constants.
    pub(crate) most: Option<u64>,
    /// The values that matter.
    pub(crate) values: Vec<u64>,
}

/// The words that are only given constants, and those that count and are compared with a small one.
pub(crate) fn discrete_words(task: &Task<'_>) -> Vec<Discrete> {
    let system = task.system;
    let compared = compared(task, false);
    let all: IdVec<StateId, Leaves> = system.states.ids().map(|word| leaves(task, word)).collect();
    let mut modes: IdVec<StateId, bool> =
        all.values().map(|leaves| !leaves.has_others && leaves.constants.len() <= MOST_VALUES).collect();
    // What a word is copied from has to tell modes as well, as where a chart goes back to a state.
    let mut changed = true;
    while changed {
        changed = false;
        for word in system.states.ids() {
            let copies = modes[word] && all[word].copied.iter().any(|&other| !modes[other]);
            changed |= copies;
            modes[word] &= !copies;
        }
    }
    let discrete = |word: StateId| {
        let Sort::Word(_) = system.terms.symbol(system.states[word].symbol).sort else { return None };
        if modes[word] {
            let is_written = !all[word].constants.is_empty() || !all[word].copied.is_empty();
            let copied = all[word].copied.iter().flat_map(|&other| &all[other].constants);
            let initial = system.terms.as_const(system.states[word].init).map(|value| value.bits());
            let values = all[word].constants.iter().chain(copied).copied().chain(initial);
            let values: BTreeSet<u64> = values.map(|bits| bits as u64).collect();
            return is_written.then(|| Discrete { word, most: None, values: values.into_iter().collect() });
        }
        let small = compared.get(&word)?.iter().copied().filter(|&bits| bits <= LONGEST_LADDER).max()? as u64;
        Some(Discrete { word, most: Some(small), values: (0..=small).collect() })
    };
    system.states.ids().filter_map(discrete).collect()
}

/// What the branches of a next-state term end in.
#[derive(Default)]
struct Leaves {
    constants: BTreeSet<u128>,
    /// Other words that some branch copies.
    copied: BTreeSet<StateId>,
    /// Whether some branch computes a value.
    has_others: bool,
}

fn leaves(task: &Task<'_>, word: StateId) -> Leaves {
    let terms = &task.system.terms;
    let (mut found, mut seen) = (Leaves::default(), BTreeSet::new());
    let mut open: Vec<TermId> = vec![task.system.states[word].next];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Term::Ite { then, otherwise, .. } => open.extend([then, otherwise]),
            Term::Symbol(symbol) => match task.system.meaning(symbol) {
                Meaning::State(other) if other == word => {}
                Meaning::State(other) => drop(found.copied.insert(other)),
                _ => found.has_others = true,
            },
            _ => match terms.as_const(term) {
                Some(value) => {
                    found.constants.insert(value.bits());
                }
                None => found.has_others = true,
            },
        }
    }
    found
}

/// Lists the constants that state words are compared with, in the step and in goals; with `after`, it
/// adds those that they are compared with after the step has counted them.
fn compared(task: &Task<'_>, after: bool) -> BTreeMap<StateId, BTreeSet<u128>> {
    let system = task.system;
    let terms = &system.terms;
    let mut roots: Vec<TermId> = system.states.values().map(|state| state.next).collect();
    roots.extend(task.vertices().map(|vertex| task.target(vertex).antecedent));
    let mut found: BTreeMap<StateId, BTreeSet<u128>> = BTreeMap::new();
    let mut counted = Counted::default();
    for term in cone(terms, &roots) {
        if after || matches!(terms.node(term), Term::Symbol(_) | Term::Extend { .. }) {
            counted.add(task, term);
        }
        let Term::Binary { op, lhs, rhs } = terms.node(term) else { continue };
        let compares =
            matches!(op, BinaryOp::Eq | BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe);
        for (one, other) in [(lhs, rhs), (rhs, lhs)] {
            let Some(value) = terms.as_const(other).filter(|_| compares) else { continue };
            for &word in counted.words(one) {
                // Small numbers are compared as wider ones.
                if value.bits() <= terms.symbol(system.states[word].symbol).sort.mask() {
                    found.entry(word).or_default().insert(value.bits());
                }
            }
        }
    }
    found
}

/// Which terms are a state word, or what some branch makes of it by adding constants.
#[derive(Default)]
struct Counted(FxHashMap<TermId, Vec<StateId>>);

impl Counted {
    /// The words that a term is.
    fn words(&self, term: TermId) -> &[StateId] {
        self.0.get(&term).map_or(&[], Vec::as_slice)
    }
    /// Adds a term, after its operands.
    fn add(&mut self, task: &Task<'_>, term: TermId) {
        let terms = &task.system.terms;
        let of = |one: TermId| self.words(one).to_vec();
        let mut words = match terms.node(term) {
            Term::Symbol(symbol) => match task.system.meaning(symbol) {
                Meaning::State(word) => vec![word],
                _ => return,
            },
            Term::Extend { arg, .. } | Term::Extract { arg, low: 0, .. } => of(arg),
            Term::Ite { then, otherwise, .. } => [of(then), of(otherwise)].concat(),
            Term::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                match (terms.as_const(lhs), terms.as_const(rhs)) {
                    (None, Some(_)) => of(lhs),
                    (Some(_), None) => of(rhs),
                    _ => return,
                }
            }
            _ => return,
        };
        words.sort_unstable();
        words.dedup();
        // What may be one of many words is not one that counts.
        if !words.is_empty() && words.len() <= MOST_COUNTED {
            self.0.insert(term, words);
        }
    }
}
