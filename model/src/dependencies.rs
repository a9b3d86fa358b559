//! Which words of state goals depend on, now and through all steps before.
//!
//! The words that an antecedent speaks about, those that their next values are made of, and so on,
//! are *closed*: they go on by themselves, under the inputs. So the part of the system that they
//! are has an execution for each one of the system, with the same occurrences of the goal. Sets of
//! words that many terms share are kept once.

use crate::id::{Id, IdVec};
use crate::system::{GoalId, StateId, TransitionSystem};
use crate::term::{TermId, TermPool};
use crate::validate::{Meaning, Validated};
use crate::visit::cone;
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of all sets together at most: beyond that closed sets are not computed.
const MOST_ELEMENTS: usize = 20_000_000;

/// Words of state, ascending.
pub type Words = Vec<StateId>;

/// Closed sets of words, and which of them goals depend on; see the module text.
#[derive(Clone, Debug)]
pub struct ClosedCones {
    /// The sets, each once.
    pub cones: Vec<Words>,
    /// For each goal the position of the smallest set that has all that it depends on.
    pub of_goals: IdVec<GoalId, usize>,
}

/// The smallest closed set of words for each goal. `None`: there is too much to compute.
pub fn closed_cones(system: &Validated) -> Option<ClosedCones> {
    let dependencies = Dependencies::of(system)?;
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    let mut cones: Vec<Words> = Vec::new();
    let mut of_goals = IdVec::new();
    for goal in system.goals.values() {
        let set = dependencies.of_terms[&goal.antecedent];
        let position = *known.entry(set).or_insert_with(|| {
            let closed = dependencies.closed(set);
            cones.iter().position(|cone| *cone == closed).unwrap_or_else(|| {
                cones.push(closed);
                cones.len() - 1
            })
        });
        of_goals.push(position);
    }
    Some(ClosedCones { cones, of_goals })
}

/// The part of a system that a closed set of words is, with these goals, which depend on no others.
/// It has an execution for each one of the system, and perhaps more: assumptions, Final and
/// external calls that depend on other words are left out, as are outputs, hazards and invariants.
pub fn restricted(system: &Validated, words: &Words, goals: &[GoalId]) -> TransitionSystem {
    let is_here = |term: TermId| {
        let mut symbols = crate::visit::support(&system.terms, &[term]).into_iter();
        symbols.all(|symbol| match system.meaning(symbol) {
            Meaning::State(state) => words.binary_search(&state).is_ok(),
            _ => true,
        })
    };
    let mut part: TransitionSystem = (**system).clone();
    part.assumptions.retain(|assumption| is_here(assumption.condition));
    part.end = part.end.filter(|&end| is_here(end));
    part.external_calls.retain(|call| call.arguments.iter().all(|&argument| is_here(argument)));
    part.goals = goals.iter().map(|&goal| system.goals[goal].clone()).collect();
    part.outputs.clear();
    part.hazards.clear();
    part.invariants.clear();
    part
}

/// Which words terms speak about, and which words each word's next value is made of.
struct Dependencies {
    /// Sets of words by number, ascending.
    sets: Vec<Vec<u32>>,
    of_terms: FxHashMap<TermId, usize>,
    of_next: IdVec<StateId, usize>,
}

impl Dependencies {
    fn of(system: &Validated) -> Option<Self> {
        let pool = &system.terms;
        let mut roots: Vec<TermId> = system.states.values().map(|state| state.next).collect();
        roots.extend(system.goals.values().map(|goal| goal.antecedent));
        let mut sets = Sets::default();
        let mut of_terms: FxHashMap<TermId, usize> = FxHashMap::default();
        for term in cone(pool, &roots) {
            let set = match state(system, pool, term) {
                Some(state) => sets.of(vec![state.index() as u32])?,
                None => {
                    let mut operands = pool.node(term).operands().map(|operand| of_terms[&operand]);
                    let first = operands.next().unwrap_or(Sets::EMPTY);
                    operands.try_fold(first, |all, set| sets.union(all, set))?
                }
            };
            of_terms.insert(term, set);
        }
        let of_next = system.states.values().map(|state| of_terms[&state.next]).collect();
        Some(Self { sets: sets.sets, of_terms, of_next })
    }

    /// The smallest closed set that has all words of a set.
    fn closed(&self, set: usize) -> Words {
        let mut found: FxHashSet<u32> = self.sets[set].iter().copied().collect();
        let mut followed: FxHashSet<usize> = FxHashSet::default();
        let mut open: Vec<u32> = self.sets[set].clone();
        while let Some(word) = open.pop() {
            let next = self.of_next[StateId::new(word as usize)];
            if followed.insert(next) {
                open.extend(self.sets[next].iter().filter(|&&word| found.insert(word)));
            }
        }
        let mut words: Words = found.into_iter().map(|word| StateId::new(word as usize)).collect();
        words.sort_unstable();
        words
    }
}

/// The state that a term is, in whichever frame.
fn state(system: &Validated, pool: &TermPool, term: TermId) -> Option<StateId> {
    let symbol = pool.as_symbol(term)?;
    let base = match system.meaning(symbol) {
        Meaning::Framed { base, .. } => base,
        _ => symbol,
    };
    match system.meaning(base) {
        Meaning::State(state) => Some(state),
        _ => None,
    }
}

/// Sets that are kept once each.
struct Sets {
    sets: Vec<Vec<u32>>,
    numbers: FxHashMap<Vec<u32>, usize>,
    unions: FxHashMap<(usize, usize), usize>,
    elements: usize,
}

impl Default for Sets {
    fn default() -> Self {
        let numbers = FxHashMap::from_iter([(Vec::new(), Self::EMPTY)]);
        Self { sets: vec![Vec::new()], numbers, unions: FxHashMap::default(), elements: 0 }
    }
}

impl Sets {
    /// The number of the empty set.
    const EMPTY: usize = 0;

    /// The number of a set of ascending elements. `None`: there are too many.
    fn of(&mut self, set: Vec<u32>) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&set) {
            return Some(number);
        }
        self.elements += set.len();
        let number = self.sets.len();
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        (self.elements <= MOST_ELEMENTS).then_some(number)
    }

    fn union(&mut self, one: usize, other: usize) -> Option<usize> {
        if one == other || other == Self::EMPTY {
            return Some(one);
        }
        if one == Self::EMPTY {
            return Some(other);
        }
        let pair = (one.min(other), one.max(other));
        if let Some(&number) = self.unions.get(&pair) {
            return Some(number);
        }
        let mut all = [&self.sets[one][..], &self.sets[other][..]].concat();
        all.sort_unstable();
        all.dedup();
        let number = self.of(all)?;
        self.unions.insert(pair, number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::validate::validate;

    const CHAIN: &str = "input x w1
        state a w1 init 0 next x
        state b w2 init 0 next (ite a (add b 1) b)
        state c w2 init 0 next (ite (eq b 3) (add c 1) c)
        goal first when (eq a 1)
        goal second steps 2 when (eq b@1 2)
        goal third when (and (eq c 1) (eq x 1))
        goal input when (eq x 1)
        goal again when (eq a 0)";

    fn system(text: &str) -> Validated {
        validate(parse(text).expect("a text")).expect("a system")
    }

    #[test]
    fn goals_depend_on_what_made_the_words_that_they_speak_about() {
        let found = closed_cones(&system(CHAIN)).expect("cones");
        let sizes: Vec<usize> = found.of_goals.values().map(|&cone| found.cones[cone].len()).collect();
        assert_eq!(sizes, [1, 2, 3, 0, 1]);
        assert_eq!(found.cones.len(), 4);
    }

    #[test]
    fn what_speaks_about_other_words_is_left_out() {
        let text = format!("{CHAIN} assume (or x (eq a 0)) assume (ule c 2) end (eq b 0)");
        let system = system(&text);
        let found = closed_cones(&system).expect("cones");
        let kept: Vec<(usize, bool)> = system
            .goals
            .ids()
            .map(|goal| {
                let part = restricted(&system, &found.cones[found.of_goals[goal]], &[goal]);
                (part.assumptions.len(), part.end.is_some())
            })
            .collect();
        assert_eq!(kept, [(1, false), (1, true), (2, true), (0, false), (1, false)]);
    }
}
