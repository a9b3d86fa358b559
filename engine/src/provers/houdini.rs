//! Invariants of the reachable states, found by guessing and dropping.
//!
//! Weak knowledge about reachable states is what makes distances too small: a leg may look short
//! only because it starts in a state that no execution reaches. Candidates are facts that all
//! states seen in simulation satisfy: ranges of words (with limits taken from the constants of the
//! program), small sets of values, equal words, each also under the condition that a mode word has
//! a certain value. What is not true initially or not preserved by a step, assuming all other
//! candidates, is dropped until the rest is inductive (C. Flanagan, K. R. M. Leino, FME 2001:
//! Houdini).

use crate::knowledge::invariants::{Claim, Fact};
use crate::knowledge::task::Task;
use crate::random_simulation::{Effort, constants, reachable_states};
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::id::Id;
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::Lit;

/// Most candidates that are tried.
const CANDIDATES: usize = 3_000;
/// Most different values of a word that is taken for a mode.
const MODE_VALUES: usize = 8;
/// States whose values tell which words may be equal.
const KEY_STATES: usize = 16;
/// Limits tried for the range of a word: the extreme seen and the next constants beyond.
const LIMITS: usize = 4;
/// Conflicts that one query of the induction may cost.
const CONFLICTS: u64 = 20_000;

/// Facts that hold in all reachable states. `starts` are reachable states known already.
pub fn invariants(task: &Task<'_>, starts: &[Vec<Value>], session: &Session<'_>) -> Result<Vec<Fact>, Stop> {
    let effort = Effort { executions: 48, steps: 192 };
    let states = reachable_states(task.system, starts, effort, session);
    let candidates = candidates(task.system, &states, session)?;
    let inductive = match inductive_part(task, candidates.clone(), session)? {
        Some(inductive) => inductive,
        // Arithmetic of floats makes queries hard; what is said of the other words needs none.
        None => {
            let is_of_float = |word: StateId| is_float(task.system, word);
            let is_plain = |fact: &Fact| !matches!(fact.claim, Claim::Same(word, _) if is_of_float(word));
            let plain: Vec<Fact> = candidates.iter().filter(|fact| is_plain(fact)).cloned().collect();
            let again = (plain.len() < candidates.len()).then(|| inductive_part(task, plain, session));
            again.transpose()?.flatten().unwrap_or_default()
        }
    };
    Ok(without_implied(inductive))
}

/// Facts about all the states that say something: of single words, of pairs of words, of words in a
/// mode; no more than are tried.
fn candidates(
    system: &TransitionSystem,
    states: &[Vec<Value>],
    session: &Session<'_>,
) -> Result<Vec<Fact>, Stop> {
    if states.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<&Vec<Value>> = states.iter().collect();
    let constants = constants(system);
    let every: Vec<StateId> = system.states.ids().collect();
    let words: Vec<StateId> = every.iter().copied().filter(|&id| !is_float(system, id)).collect();
    let mut facts = Vec::new();
    for &word in &words {
        session.check_limits()?;
        if facts.len() >= CANDIDATES {
            break;
        }
        facts.extend(
            about(system, word, &all, &constants).into_iter().map(|claim| Fact { guard: None, claim }),
        );
    }
    same_words(system, states, &every, &mut facts, session)?;
    facts.retain(|fact| states.iter().all(|state| fact.holds(state)));
    for &mode in &words {
        session.check_limits()?;
        if facts.len() >= CANDIDATES {
            break;
        }
        let Some(values) = few_values(&all, mode).filter(|values| values.len() > 1) else { continue };
        for value in values {
            let within: Vec<&Vec<Value>> =
                all.iter().copied().filter(|state| state[mode.index()].bits() == value).collect();
            for &word in words.iter().filter(|&&word| word != mode) {
                if facts.len() >= CANDIDATES {
                    break;
                }
                let claims = about(system, word, &within, &constants);
                let guarded = claims.into_iter().map(|claim| Fact { guard: Some((mode, value)), claim });
                facts.extend(guarded);
            }
        }
    }
    facts.truncate(CANDIDATES);
    Ok(facts)
}

/// Adds the pairs of words that are equal in all the states. Words are compared only with those
/// that have the same values in a few states: all pairs of tens of thousands of words would be
/// billions.
fn same_words(
    system: &TransitionSystem,
    states: &[Vec<Value>],
    words: &[StateId],
    facts: &mut Vec<Fact>,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let sample: Vec<&Vec<Value>> = states.iter().step_by(states.len().div_ceil(KEY_STATES)).collect();
    let mut alike: FxHashMap<(Sort, Vec<u128>), Vec<StateId>> = FxHashMap::default();
    for &left in words {
        session.check_limits()?;
        let key = sample.iter().map(|state| state[left.index()].bits()).collect();
        let others = alike.entry((sort(system, left), key)).or_default();
        for &right in others.iter() {
            let fact = Fact { guard: None, claim: Claim::Same(right, left) };
            if facts.len() < CANDIDATES && states.iter().all(|state| fact.holds(state)) {
                facts.push(fact);
            }
        }
        others.push(left);
        if facts.len() >= CANDIDATES {
            break;
        }
    }
    Ok(())
}

fn is_float(system: &TransitionSystem, state: StateId) -> bool {
    matches!(sort(system, state), Sort::Float(_))
}

fn sort(system: &TransitionSystem, state: StateId) -> Sort {
    system.terms.symbol(system.states[state].symbol).sort
}

/// The different values of a word, if they are few; ascending.
fn few_values(states: &[&Vec<Value>], word: StateId) -> Option<Vec<u128>> {
    let mut values: Vec<u128> = Vec::new();
    for state in states {
        let bits = state[word.index()].bits();
        if let Err(place) = values.binary_search(&bits) {
            values.insert(place, bits);
            if values.len() > MODE_VALUES {
                return None;
            }
        }
    }
    Some(values)
}

/// What the states have in common as to one word.
fn about(
    system: &TransitionSystem,
    word: StateId,
    states: &[&Vec<Value>],
    constants: &[(Sort, Vec<u128>)],
) -> Vec<Claim> {
    let sort = sort(system, word);
    let mut claims = Vec::new();
    if let Some(values) = few_values(states, word)
        && (values.len() as u128) <= sort.mask()
    {
        claims.push(Claim::OneOf { state: word, values });
    }
    if sort.width() == 1 {
        return claims;
    }
    let empty = Vec::new();
    let constants = constants.iter().find(|(known, _)| *known == sort).map_or(&empty, |(_, values)| values);
    for signed in [false, true] {
        let number = |bits: u128| {
            let value = Value::new(sort, bits);
            if signed { value.signed() } else { (value.bits() ^ 1 << 127) as i128 }
        };
        let bits = states.iter().map(|state| state[word.index()].bits());
        let Some(least) = bits.clone().min_by_key(|&bits| number(bits)) else { continue };
        let greatest = bits.max_by_key(|&bits| number(bits)).unwrap_or(least);
        let mut above: Vec<u128> =
            constants.iter().copied().filter(|&bits| number(bits) > number(greatest)).collect();
        above.sort_by_key(|&bits| number(bits));
        let mut below: Vec<u128> =
            constants.iter().copied().filter(|&bits| number(bits) < number(least)).collect();
        below.sort_by_key(|&bits| std::cmp::Reverse(number(bits)));
        let upper = std::iter::once(greatest).chain(above).take(LIMITS);
        claims.extend(upper.map(|limit| Claim::AtMost { state: word, signed, limit }));
        let lower = std::iter::once(least).chain(below).take(LIMITS);
        claims.extend(lower.map(|limit| Claim::AtLeast { state: word, signed, limit }));
    }
    claims
}

/// The greatest part of the facts that holds initially and is preserved by every step. `None`: that
/// is too hard.
fn inductive_part(
    task: &Task<'_>,
    facts: Vec<Fact>,
    session: &Session<'_>,
) -> Result<Option<Vec<Fact>>, Stop> {
    let mut frames = Frames::new(task, Start::Initial, session)?;
    let running = frames.running(0)?;
    let literals = encode(&facts, &mut frames, 0)?;
    let Some(alive) = survivors(&facts, &[running], &literals, None, &mut frames, session)? else {
        return Ok(None);
    };
    let facts = keep(facts, &alive);
    let mut frames = Frames::new(task, Start::Free, session)?;
    let running = frames.running(1)?;
    let before = encode(&facts, &mut frames, 0)?;
    let after = encode(&facts, &mut frames, 1)?;
    let alive = survivors(&facts, &[running], &after, Some(&before), &mut frames, session)?;
    Ok(alive.map(|alive| keep(facts, &alive)))
}

fn encode(facts: &[Fact], frames: &mut Frames<'_>, at: u32) -> Result<Vec<Lit>, EncodeError> {
    facts.iter().map(|fact| frames.fact(fact, at)).collect()
}

fn keep(facts: Vec<Fact>, alive: &[bool]) -> Vec<Fact> {
    facts.into_iter().zip(alive).filter(|&(_, &alive)| alive).map(|(fact, _)| fact).collect()
}

/// Drops facts until `after` follows from `assumptions` and (if given) `before` for all that are
/// left; `None`: too hard.
fn survivors(
    facts: &[Fact],
    assumptions: &[Lit],
    after: &[Lit],
    before: Option<&[Lit]>,
    frames: &mut Frames<'_>,
    session: &Session<'_>,
) -> Result<Option<Vec<bool>>, Stop> {
    let mut alive = vec![true; facts.len()];
    loop {
        let violated = frames.fresh();
        let living = || (0..facts.len()).filter(|&fact| alive[fact]);
        let mut clause = vec![!violated];
        clause.extend(living().map(|fact| !after[fact]));
        frames.solver.clause(&clause);
        let mut query = assumptions.to_vec();
        query.push(violated);
        query.extend(before.into_iter().flat_map(|before| living().map(|fact| before[fact])));
        match frames.ask(&query, CONFLICTS, session)? {
            None => return Ok(None),
            Some(false) => return Ok(Some(alive)),
            Some(true) => {
                let broken: Vec<usize> =
                    living().filter(|&fact| !frames.solver.is_true(after[fact])).collect();
                broken.into_iter().for_each(|fact| alive[fact] = false);
            }
        }
        frames.solver.clause(&[!violated]);
    }
}

/// Without ranges that a narrower one of the same word under the same guard makes superfluous.
fn without_implied(facts: Vec<Fact>) -> Vec<Fact> {
    let mut kept: Vec<Fact> = Vec::new();
    for fact in facts {
        let same_side = |known: &Fact| match (&known.claim, &fact.claim) {
            (Claim::AtMost { state: a, signed: s, .. }, Claim::AtMost { state: b, signed: t, .. })
            | (Claim::AtLeast { state: a, signed: s, .. }, Claim::AtLeast { state: b, signed: t, .. }) => {
                a == b && s == t && known.guard == fact.guard
            }
            _ => false,
        };
        if !kept.iter().any(same_side) {
            kept.push(fact);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;
    use std::fmt::Write;

    fn guessed(text: &str) -> (Vec<Vec<Value>>, Vec<Fact>) {
        let system = validate(parse(text).expect("a text of a system")).expect("a valid system");
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let states = reachable_states(&system, &[], Effort { executions: 4, steps: 20 }, &session);
        let facts = candidates(&system, &states, &session).expect("no limit should be reached");
        (states, facts)
    }

    /// The words that are compared are all that are equal, and no more candidates come out than are
    /// tried.
    #[test]
    fn equal_words_are_found_among_many() {
        let mut text = String::from("system many input x w8 input y w8 ");
        for word in 0..12 {
            let from = if word % 3 == 0 { "y" } else { "x" };
            let _ = write!(text, "state s{word} w8 next {from} ");
        }
        text.push_str("goal one when (eq s0 s1)");
        let (states, facts) = guessed(&text);
        let is_equal = |left: usize, right: usize| states.iter().all(|state| state[left] == state[right]);
        let pairs = (0..12).flat_map(|left| (0..left).map(move |right| (right, left)));
        let expected: Vec<Claim> = pairs
            .filter(|&(right, left)| is_equal(left, right))
            .map(|(right, left)| Claim::Same(StateId::new(right), StateId::new(left)))
            .collect();
        let same = |fact: &Fact| matches!(fact.claim, Claim::Same(..)) && fact.guard.is_none();
        let found: Vec<Claim> =
            facts.iter().filter(|fact| same(fact)).map(|fact| fact.claim.clone()).collect();
        assert!(expected.len() >= 34, "{expected:?}");
        assert_eq!(found, expected);
    }

    #[test]
    fn thousands_of_words_give_no_more_candidates_than_are_tried() {
        let mut text = String::from("system many input x w8 ");
        for word in 0..4_000 {
            let _ = write!(text, "state s{word} w8 next x ");
        }
        text.push_str("goal one when (eq s0 s1)");
        let (states, facts) = guessed(&text);
        assert!(facts.len() <= CANDIDATES, "{}", facts.len());
        assert!(!states.is_empty());
    }
}
