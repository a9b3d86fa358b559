//! Cases of a state, by the value of one word.
//!
//! Where words of two versions are equal unless a mode has a certain value, a query about all modes
//! is about two copies of what is computed from them. In each mode alone either the words are one
//! or the mode is a constant, by which the circuits of either copy become small. Where a word is
//! used or not by a condition on inputs, the steps of a case are told apart by that.

use crate::knowledge::invariants::{Claim, Fact};
use crate::knowledge::task::Task;
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use crate::step::twin_terms::TwinTerms;
use encoder::unroll::Start;
use model::id::Id;
use model::system::{StateId, TransitionSystem};
use model::term::TermId;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::Lit;
use std::cmp::Reverse;

/// States that are looked at together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// All.
    Any,
    /// Those in which a word has this value, by its bits.
    Value(StateId, u128),
    /// Those in which it has none of these values.
    Others(StateId, Vec<u128>),
}

/// The words whose values tell cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modes {
    /// None.
    None,
    /// This one alone.
    Only(StateId),
    /// Any: the one that most facts speak of.
    All,
}

/// Conditions by which the steps of one case are told apart at most.
const MOST_CONDITIONS: usize = 4;

/// Cases that are still to be looked at.
pub(crate) struct Cases<'a> {
    /// With the values of conditions in the step.
    open: Vec<(Case, Vec<(TermId, bool)>)>,
    terms: Option<&'a TwinTerms>,
    splits: bool,
}

impl<'a> Cases<'a> {
    /// The cases that these facts speak of; together they are all states. With terms of versions,
    /// those that are equal are one, and where modes are looked at one by one, conditions tell
    /// steps apart too.
    pub(crate) fn new(facts: &[Fact], modes: Modes, terms: Option<&'a TwinTerms>) -> Self {
        let open = cases(facts, modes).into_iter().map(|case| (case, Vec::new())).collect();
        Self { open, terms, splits: modes != Modes::All }
    }

    /// The steps of the next case: from its states in which words are one that are equal by what is
    /// known and by these facts.
    ///
    /// # Errors
    /// Where a limit ends it, or a step cannot be encoded.
    pub(crate) fn next<'s>(
        &mut self,
        task: &Task<'s>,
        facts: &[Fact],
        session: &Session<'_>,
    ) -> Result<Option<Frames<'s>>, Stop> {
        while let Some((case, conditions)) = self.open.pop() {
            let mut frames = Frames::in_case(task, &case, facts, session)?;
            for &(condition, value) in &conditions {
                frames.fix(condition, value)?;
            }
            let Some(terms) = self.terms else { return Ok(Some(frames)) };
            if conditions.len() < MOST_CONDITIONS
                && let Some(condition) = terms.undetermined(&mut frames, &conditions, self.splits)?
            {
                for value in [false, true] {
                    let mut conditions = conditions.clone();
                    conditions.push((condition, value));
                    self.open.push((case.clone(), conditions));
                }
                continue;
            }
            // What follows from these facts is merged, too: who drops one of them looks at all
            // cases again.
            let assumed: Vec<Lit> =
                facts.iter().map(|fact| frames.fact(fact, 0)).collect::<Result<_, _>>()?;
            terms.merge(&mut frames, (&case, &conditions), &assumed, session)?;
            return Ok(Some(frames));
        }
        Ok(None)
    }
}

/// The cases that these facts speak of; together they are all states.
fn cases(facts: &[Fact], modes: Modes) -> Vec<Case> {
    let mut found: FxHashMap<StateId, (usize, Vec<u128>)> = FxHashMap::default();
    for fact in facts {
        if let Fact { guard: None, claim: Claim::SameUnless { mode, values, .. } } = fact
            && modes.contain(*mode)
        {
            let (count, all) = found.entry(*mode).or_default();
            *count += 1;
            all.extend(values);
            all.sort_unstable();
            all.dedup();
        }
    }
    let useful = |(mode, (count, values)): &(StateId, (usize, Vec<u128>))| {
        (*count, Reverse(values.len()), Reverse(*mode))
    };
    let Some((mode, (_, values))) = found.into_iter().max_by_key(useful) else { return vec![Case::Any] };
    let single = values.iter().map(|&value| Case::Value(mode, value));
    single.chain([Case::Others(mode, values.clone())]).collect()
}

impl Modes {
    /// Whether a word is one of them.
    pub(crate) fn contain(self, mode: StateId) -> bool {
        match self {
            Self::None => false,
            Self::Only(only) => only == mode,
            Self::All => true,
        }
    }
}

impl Case {
    /// The words that are equal in this case by a fact.
    pub(crate) fn equal_words(&self, fact: &Fact) -> Option<[StateId; 2]> {
        match (fact.guard, &fact.claim) {
            (None, Claim::Same(left, right)) => Some([*left, *right]),
            (None, Claim::SameUnless { words, mode, values }) => {
                let are_equal = match self {
                    Self::Any => false,
                    Self::Value(word, value) => word == mode && !values.contains(value),
                    Self::Others(word, others) => {
                        word == mode && values.iter().all(|value| others.contains(value))
                    }
                };
                are_equal.then_some(*words)
            }
            _ => None,
        }
    }

    /// The start of a run from any state of the case, but for [`Case::excluded`] values.
    pub(crate) fn start(&self, system: &TransitionSystem) -> Start {
        let Self::Value(word, value) = self else { return Start::Free };
        let mut values = vec![None; system.states.len()];
        let sort = system.terms.symbol(system.states[*word].symbol).sort;
        values[word.index()] = Some(Value::new(sort, *value));
        Start::Partial(values)
    }

    /// Whether a state is one of the case.
    pub(crate) fn contains(&self, state: &[Value]) -> bool {
        let value = |word: &StateId| state[word.index()].bits();
        match self {
            Self::Any => true,
            Self::Value(word, only) => value(word) == *only,
            Self::Others(word, excluded) => !excluded.contains(&value(word)),
        }
    }

    /// The values that a word does not have.
    pub(crate) fn excluded(&self) -> Option<(StateId, &[u128])> {
        match self {
            Self::Any | Self::Value(..) => None,
            Self::Others(word, values) => Some((*word, values)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every state is in one case, and words that a case takes to be equal are equal in each of its
    /// states that satisfies the facts.
    #[test]
    fn cases_are_all_states_and_words_are_equal_in_them() {
        let [left, right, one, other, mode, second] = [0, 1, 2, 3, 4, 5].map(StateId::new);
        let unless = |words, mode, values: &[u128]| Fact {
            guard: None,
            claim: Claim::SameUnless { words, mode, values: values.to_vec() },
        };
        let facts = [
            unless([left, right], mode, &[0]),
            unless([one, other], mode, &[0, 2]),
            unless([one, other], second, &[1]),
            Fact { guard: None, claim: Claim::Same(left, one) },
        ];
        for (modes, expected) in [(Modes::None, 1), (Modes::Only(second), 2), (Modes::All, 3)] {
            let cases = cases(&facts, modes);
            assert_eq!(cases.len(), expected, "{cases:?}");
            for bits in 0..1u128 << 12 {
                let state: Vec<Value> = (0..6).map(|word| Value::word(2, bits >> (2 * word) & 3)).collect();
                let value = |word: StateId| state[word.index()].bits();
                let own: Vec<&Case> = cases.iter().filter(|case| case.contains(&state)).collect();
                assert_eq!(own.len(), 1, "{bits} {cases:?}");
                if facts.iter().all(|fact| fact.holds(&state)) {
                    let equal = facts.iter().filter_map(|fact| own[0].equal_words(fact));
                    equal.for_each(|[a, b]| assert_eq!(value(a), value(b), "{bits} {:?}", own[0]));
                }
            }
        }
    }
}
