//! Facts about states: the building blocks of invariants.
//!
//! A fact is evaluated on concrete states (to see whether it is worth a try) and encoded into an
//! unrolling without any new term, so the system stays as it is while knowledge about it grows.

use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::bits::BitBuilder;
use encoder::circuits::compare;
use encoder::unroll::Unrolling;
use model::id::Id;
use model::system::StateId;
use model::term::TermId;
use model::value::Value;

/// What is claimed of one or two state words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// The word, read as signed or unsigned, is at most this (given by its bits).
    AtMost {
        /// The word.
        state: StateId,
        /// How it is read.
        signed: bool,
        /// The greatest value, by its bits.
        limit: u128,
    },
    /// The word is at least this.
    AtLeast {
        /// The word.
        state: StateId,
        /// How it is read.
        signed: bool,
        /// The least value, by its bits.
        limit: u128,
    },
    /// The word has one of these values.
    OneOf {
        /// The word.
        state: StateId,
        /// Bits of its values.
        values: Vec<u128>,
    },
    /// The words are equal.
    Same(StateId, StateId),
    /// The words are equal, unless a third one has one of these values.
    SameUnless {
        /// The two words.
        words: [StateId; 2],
        /// The third word.
        mode: StateId,
        /// Bits of its values.
        values: Vec<u128>,
    },
    /// The words are equal, or both are at least this, read as unsigned.
    SameBelow {
        /// The two words.
        words: [StateId; 2],
        /// The least value from which on they may differ, by its bits.
        limit: u128,
    },
}

/// A claim, possibly only where a word has a certain value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// The word and the value it must have for the claim to be made; `None`: always.
    pub guard: Option<(StateId, u128)>,
    /// What is claimed.
    pub claim: Claim,
}

/// Something that holds in all reachable states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invariant {
    /// A predicate over states.
    Term(TermId),
    /// A fact.
    Fact(Fact),
}

impl Claim {
    fn holds(&self, state: &[Value]) -> bool {
        let value = |id: &StateId| state[id.index()];
        match self {
            Self::AtMost { state, signed, limit } => at_most(value(state), *limit, *signed),
            Self::AtLeast { state, signed, limit } => {
                let value = value(state);
                at_most(Value::new(value.sort(), *limit), value.bits(), *signed)
            }
            Self::OneOf { state, values } => values.contains(&value(state).bits()),
            Self::Same(left, right) => value(left).bits() == value(right).bits(),
            Self::SameUnless { words: [left, right], mode, values } => {
                value(left).bits() == value(right).bits() || values.contains(&value(mode).bits())
            }
            Self::SameBelow { words: [left, right], limit } => {
                let [left, right] = [value(left).bits(), value(right).bits()];
                left == right || left.min(right) >= *limit
            }
        }
    }

    fn encode(&self, unrolling: &mut Unrolling<'_>, frame: u32) -> Result<Literal, EncodeError> {
        Ok(match self {
            Self::AtMost { state, signed, limit } => {
                let word = unrolling.state_word(*state, frame)?;
                let limit = unrolling.graph().constant_word(word.len(), *limit);
                less_equal(unrolling, &word, &limit, *signed)
            }
            Self::AtLeast { state, signed, limit } => {
                let word = unrolling.state_word(*state, frame)?;
                let limit = unrolling.graph().constant_word(word.len(), *limit);
                less_equal(unrolling, &limit, &word, *signed)
            }
            Self::OneOf { state, values } => one_of(unrolling, *state, values, frame)?,
            Self::Same(left, right) => same(unrolling, [*left, *right], frame)?,
            Self::SameUnless { words, mode, values } => {
                let same = same(unrolling, *words, frame)?;
                let differ = one_of(unrolling, *mode, values, frame)?;
                unrolling.graph().or(same, differ)
            }
            Self::SameBelow { words, limit } => {
                let same = same(unrolling, *words, frame)?;
                let mut beyond = [same; 2];
                for (beyond, &word) in beyond.iter_mut().zip(words) {
                    let word = unrolling.state_word(word, frame)?;
                    let limit = unrolling.graph().constant_word(word.len(), *limit);
                    *beyond = less_equal(unrolling, &limit, &word, false);
                }
                let graph = unrolling.graph();
                let both = graph.and(beyond[0], beyond[1]);
                graph.or(same, both)
            }
        })
    }
}

fn one_of(
    unrolling: &mut Unrolling<'_>,
    word: StateId,
    values: &[u128],
    frame: u32,
) -> Result<Literal, EncodeError> {
    let word = unrolling.state_word(word, frame)?;
    let graph = unrolling.graph();
    let mut any = Vec::with_capacity(values.len());
    for &value in values {
        let value = graph.constant_word(word.len(), value);
        any.push(compare::equal(graph, &word, &value));
    }
    Ok(graph.any(&any))
}

fn same(
    unrolling: &mut Unrolling<'_>,
    [left, right]: [StateId; 2],
    frame: u32,
) -> Result<Literal, EncodeError> {
    let (left, right) = (unrolling.state_word(left, frame)?, unrolling.state_word(right, frame)?);
    Ok(compare::equal(unrolling.graph(), &left, &right))
}

fn at_most(value: Value, limit: u128, signed: bool) -> bool {
    let limit = Value::new(value.sort(), limit);
    if signed { value.signed() <= limit.signed() } else { value.bits() <= limit.bits() }
}

fn less_equal(unrolling: &mut Unrolling<'_>, lhs: &[Literal], rhs: &[Literal], signed: bool) -> Literal {
    if signed {
        compare::signed_less_equal(unrolling.graph(), lhs, rhs)
    } else {
        compare::unsigned_less_equal(unrolling.graph(), lhs, rhs)
    }
}

impl Fact {
    /// Whether it holds of a state.
    pub fn holds(&self, state: &[Value]) -> bool {
        let applies = self.guard.is_none_or(|(word, value)| state[word.index()].bits() == value);
        !applies || self.claim.holds(state)
    }

    /// Its truth in a frame, as a literal of the unrolling's graph.
    pub(crate) fn encode(&self, unrolling: &mut Unrolling<'_>, frame: u32) -> Result<Literal, EncodeError> {
        let claim = self.claim.encode(unrolling, frame)?;
        let Some((word, value)) = self.guard else { return Ok(claim) };
        let word = unrolling.state_word(word, frame)?;
        let graph = unrolling.graph();
        let value = graph.constant_word(word.len(), value);
        let applies = compare::equal(graph, &word, &value);
        let (applies, violated) = (graph.not(applies), claim);
        Ok(graph.or(applies, violated))
    }
}

impl Invariant {
    /// The fact, where it is one.
    pub(crate) fn fact(&self) -> Option<&Fact> {
        match self {
            Self::Term(_) => None,
            Self::Fact(fact) => Some(fact),
        }
    }

    /// Its truth in a frame, as a literal of the unrolling's graph.
    pub(crate) fn encode(&self, unrolling: &mut Unrolling<'_>, frame: u32) -> Result<Literal, EncodeError> {
        match self {
            Self::Term(term) => unrolling.truth(*term, frame),
            Self::Fact(fact) => fact.encode(unrolling, frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoder::unroll::Start;
    use model::sort::Sort;
    use model::system::TransitionSystem;
    use model::validate::validate;

    /// All facts of a kind over two words of three bits: the evaluation and the circuit agree on
    /// all states.
    #[test]
    fn circuits_agree_with_evaluation() {
        let mut system = TransitionSystem::default();
        let [a, b] = ["a", "b"].map(|name| {
            let state = system.add_state(name, Sort::word(3));
            let zero = system.terms.word(3, 0);
            system.states[state].init = zero;
            state
        });
        let system = validate(system).expect("a valid system");
        let mut claims = vec![Claim::Same(a, b)];
        for limit in [0, 3, 4, 7] {
            for signed in [false, true] {
                claims.push(Claim::AtMost { state: a, signed, limit });
                claims.push(Claim::AtLeast { state: b, signed, limit });
            }
            claims.push(Claim::OneOf { state: a, values: vec![1, limit] });
            claims.push(Claim::SameUnless { words: [a, b], mode: a, values: vec![2, limit] });
            claims.push(Claim::SameBelow { words: [a, b], limit });
        }
        for claim in claims {
            for guard in [None, Some((b, 5))] {
                let fact = Fact { guard, claim: claim.clone() };
                for bits in 0..64u128 {
                    let state = vec![Value::word(3, bits & 7), Value::word(3, bits >> 3)];
                    let mut unrolling = Unrolling::new(&system, Start::Concrete(state.clone()));
                    let literal = fact.encode(&mut unrolling, 0).expect("a fact should be encodable");
                    assert_eq!(literal.constant(), Some(fact.holds(&state)), "{fact:?} of {state:?}");
                }
            }
        }
    }
}
