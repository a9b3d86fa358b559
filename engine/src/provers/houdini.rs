//! Invariants of the reachable states, found by guessing and dropping.
//!
//! Weak knowledge about reachable states is what makes distances too small: a leg may look short
//! only because it starts in a state that no execution reaches. Candidates are facts that all
//! states seen in simulation satisfy: ranges of words (with limits taken from the constants of the
//! program), small sets of values, equal words, each also under the condition that a mode word has
//! a certain value. What is not true initially or not preserved by a step, assuming all other
//! candidates, is dropped until the rest is inductive (C. Flanagan, K. R. M. Leino, FME 2001:
//! Houdini). Where versions of a system stand side by side, a word and its twin may differ in some
//! modes: what is said of [twins] is weakened before it is dropped.

mod twins;

use crate::knowledge::invariants::{Claim, Fact, Invariant};
use crate::knowledge::task::{Guessed, Task};
use crate::random_simulation::{Effort, constants, reachable_states};
use crate::session::{Session, Stop};
use crate::step::cases::{Cases, Modes};
use crate::step::frames::Frames;
use crate::step::twin_terms::TwinTerms;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::id::Id;
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::sat::Lit;
use std::collections::VecDeque;
use std::ops::Range;
use twins::Twins;

/// What simulation spends on states that candidates are taken from.
const EFFORT: Effort = Effort { executions: 48, steps: 192 };
/// Most candidates that are tried.
const CANDIDATES: usize = 3_000;
/// Most candidates beside those about twins.
const CANDIDATES_BESIDE_TWINS: usize = 400;
/// Most different values of a word that is taken for a mode.
const MODE_VALUES: usize = 8;
/// States whose values tell which words may be equal.
const KEY_STATES: usize = 16;
/// Limits tried for the range of a word: the extreme seen and the next constants beyond.
const LIMITS: usize = 4;
/// Conflicts that one query of the induction may cost.
const CONFLICTS: u64 = 2_000;
/// Conflicts that a query about a part of the facts may cost.
const CONFLICTS_OF_PARTS: u64 = 500;
/// How often facts that are too hard together are halved, before all that are left are dropped.
const HALVINGS: u32 = 64;

/// Guesses about twins, round by round: first all that is said of them, with all modes. Where a
/// part of that is too hard (arithmetic of floats, mostly), rounds follow that have few candidates,
/// and one mode by which cases can be told apart: what is said without modes, then with each mode
/// alone.
pub(crate) struct TwinGuesses {
    states: Vec<Vec<Value>>,
    twins: Twins,
    /// The rounds that are still to come; the first one is over as soon as somebody made use of it.
    rounds: VecDeque<Modes>,
    /// The candidates that are left of a round that has begun, or of guesses about single words.
    candidates: Option<Vec<Fact>>,
    /// Whether it has ended.
    has_found: bool,
    /// Whether rounds follow the first one.
    looks_closer: bool,
    /// Where it is hard to compare what versions compute: their terms.
    terms: Option<TwinTerms>,
}

impl TwinGuesses {
    /// `starts` are reachable states known already.
    pub(crate) fn new(task: &Task<'_>, starts: &[Vec<Value>], session: &Session<'_>) -> Self {
        let is_asked = twins::are_in(task.system) && !task.has_guessed(Guessed::Twins);
        let states = reachable_states(task.system, starts, EFFORT, session);
        let twins = Twins::new(task.system, &states);
        let rounds = is_asked.then_some(Modes::All).into_iter().collect();
        let terms = is_asked.then(|| TwinTerms::of_hard(task, &states, session)).flatten();
        Self { states, twins, rounds, candidates: None, has_found: false, looks_closer: false, terms }
    }

    /// The next round, or the last one where nobody said that it is [over](Self::go_on): adds to
    /// the invariants of the task what it finds to hold in all reachable states. The modes that it
    /// looked at; `None` where there is no round any more.
    ///
    /// # Errors
    /// Where a limit ends it, or a step cannot be encoded.
    pub(crate) fn advance(&mut self, task: &Task<'_>, session: &Session<'_>) -> Result<Option<Modes>, Stop> {
        let Some(&modes) = self.rounds.front() else {
            task.add_guessed(Vec::new(), Guessed::Twins);
            return Ok(None);
        };
        if self.has_found {
            return Ok(Some(modes));
        }
        let twins = self.twins.of(modes);
        // A round that a limit ends goes on with what it had left.
        let candidates = self.candidates.get_or_insert_with(|| {
            let known = task.facts();
            let mut candidates = twins.candidates(&self.states);
            candidates.retain(|fact| !known.contains(fact));
            candidates
        });
        let leaves_hard_ones =
            keep_inductive(task, (candidates, &twins), (modes, self.terms.as_ref()), session)?;
        let found = self.candidates.take().unwrap_or_default();
        task.add_invariants(found.into_iter().map(Invariant::Fact));
        self.has_found = true;
        if leaves_hard_ones {
            self.look_closer();
        }
        Ok(Some(modes))
    }

    /// The terms of versions that the rounds look at, if they do.
    pub(crate) fn terms(&self) -> Option<&TwinTerms> {
        self.terms.as_ref()
    }

    /// Ends a round.
    pub(crate) fn go_on(&mut self) {
        self.has_found = false;
        self.rounds.pop_front();
    }

    /// Takes all rounds that are left, and guesses about single words behind them, unless that was
    /// done.
    ///
    /// # Errors
    /// Where a limit ends it, or a step cannot be encoded.
    pub(crate) fn complete(&mut self, task: &Task<'_>, session: &Session<'_>) -> Result<(), Stop> {
        while self.advance(task, session)?.is_some() {
            self.go_on();
        }
        if task.has_guessed(Guessed::All) {
            return Ok(());
        }
        if self.candidates.is_none() {
            self.candidates = Some(self.of_all_words(task, session)?);
        }
        let candidates = self.candidates.get_or_insert_default();
        keep_inductive(task, (candidates, &self.twins), (Modes::All, None), session)?;
        let found = self.candidates.take().unwrap_or_default();
        task.add_guessed(without_implied(found), Guessed::All);
        Ok(())
    }

    /// What is tried of single words, pairs, words in modes, and twins.
    fn of_all_words(&self, task: &Task<'_>, session: &Session<'_>) -> Result<Vec<Fact>, Stop> {
        let Self { states, twins, .. } = self;
        // What is said of twins is enough for versions that are alike, and far less.
        let most = if twins.is_empty() { CANDIDATES } else { CANDIDATES_BESIDE_TWINS };
        let mut candidates = candidates(task.system, states, most, session)?;
        // What is said of twins may need what is said of single words.
        let about_twins: Vec<Fact> =
            twins.candidates(states).into_iter().filter(|fact| !candidates.contains(fact)).collect();
        candidates.extend(about_twins);
        let known = task.facts();
        candidates.retain(|fact| !known.contains(fact));
        Ok(candidates)
    }

    /// Has more rounds follow the first one, since something is hard.
    pub(crate) fn look_closer(&mut self) {
        if !std::mem::replace(&mut self.looks_closer, true) {
            self.rounds.extend(self.twins.rounds());
        }
    }
}

/// Adds to the invariants of a task facts that hold in all reachable states, those about twins
/// before the others, unless that was done. `starts` are reachable states known already.
///
/// # Errors
/// Where a limit ends it, or a step cannot be encoded.
pub fn guess(task: &Task<'_>, starts: &[Vec<Value>], session: &Session<'_>) -> Result<(), Stop> {
    TwinGuesses::new(task, starts, session).complete(task, session)
}

/// Facts about all the states that say something: of single words, of pairs of words, of words in a
/// mode; no more than are tried.
fn candidates(
    system: &TransitionSystem,
    states: &[Vec<Value>],
    most: usize,
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
        if facts.len() >= most {
            break;
        }
        facts.extend(
            about(system, word, &all, &constants).into_iter().map(|claim| Fact { guard: None, claim }),
        );
    }
    same_words(system, states, (&every, most), &mut facts, session)?;
    facts.retain(|fact| states.iter().all(|state| fact.holds(state)));
    let (sets, others) = in_modes(system, &words, &all, (&constants, most), session)?;
    facts.extend(sets);
    facts.extend(others);
    facts.truncate(most);
    Ok(facts)
}

/// What the states in each mode have in common, mode by mode: where a word has fewer values than in
/// all states, and anything else, each no more than are tried. Generated code keeps each part of a
/// machine in a word of few values, and which of them exclude each other is worth more than ranges.
fn in_modes(
    system: &TransitionSystem,
    words: &[StateId],
    states: &[&Vec<Value>],
    (constants, most): (&[(Sort, Vec<u128>)], usize),
    session: &Session<'_>,
) -> Result<(Vec<Fact>, Vec<Fact>), Stop> {
    let everywhere: Vec<Option<Vec<u128>>> = words.iter().map(|&word| few_values(states, word)).collect();
    let (mut sets, mut others) = (Vec::new(), Vec::new());
    for (&mode, values) in words.iter().zip(&everywhere) {
        session.check_limits()?;
        let Some(values) = values.as_ref().filter(|values| values.len() > 1) else { continue };
        for &value in values {
            let within: Vec<&Vec<Value>> =
                states.iter().copied().filter(|state| state[mode.index()].bits() == value).collect();
            for (&word, all) in words.iter().zip(&everywhere).filter(|(word, _)| **word != mode) {
                if sets.len() >= most && others.len() >= most {
                    return Ok((sets, others));
                }
                for claim in about(system, word, &within, constants) {
                    let is_set =
                        matches!(&claim, Claim::OneOf { values, .. } if Some(values) != all.as_ref());
                    let list = if is_set { &mut sets } else { &mut others };
                    if list.len() < most {
                        list.push(Fact { guard: Some((mode, value)), claim });
                    }
                }
            }
        }
    }
    Ok((sets, others))
}

/// Adds the pairs of words that are equal in all the states. Words are compared only with those
/// that have the same values in a few states: all pairs of tens of thousands of words would be
/// billions.
fn same_words(
    system: &TransitionSystem,
    states: &[Vec<Value>],
    (words, most): (&[StateId], usize),
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
            if facts.len() < most && states.iter().all(|state| fact.holds(state)) {
                facts.push(fact);
            }
        }
        others.push(left);
        if facts.len() >= most {
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

/// Keeps the greatest part of the facts that holds initially and is preserved by every step, with
/// what is weaker than facts about twins that is so, and without what is too hard to tell: whether
/// there was such a fact. Where a limit ends it, less is left to look at.
///
/// Words that are equal by the facts are one word in the state before the step, in each
/// [case](crate::step::cases::Case): circuits over either are the same then, and nobody has to
/// prove that equal numbers have equal products (C. A. J. van Eijk, IEEE TCAD 2000: signal
/// correspondence). Where facts were dropped, all cases are looked at again.
fn keep_inductive(
    task: &Task<'_>,
    (facts, twins): (&mut Vec<Fact>, &Twins),
    (modes, terms): (Modes, Option<&TwinTerms>),
    session: &Session<'_>,
) -> Result<bool, Stop> {
    let mut frames = Frames::new(task, Start::Initial, session)?;
    let running = frames.running(0)?;
    let mut first = Induction::new(twins, running, (None, 0));
    first.keep_survivors(facts, &mut frames, session)?;
    let mut leaves_hard_ones = first.leaves_hard_ones;
    loop {
        let before = facts.clone();
        let mut cases = Cases::new(&before, modes, terms);
        while let Some(mut frames) = cases.next(task, facts, session)? {
            let running = frames.running(1)?;
            let mut step = Induction::new(twins, running, (Some(0), 1));
            step.keep_survivors(facts, &mut frames, session)?;
            leaves_hard_ones |= step.leaves_hard_ones;
        }
        if *facts == before {
            return Ok(leaves_hard_ones);
        }
    }
}

/// A question about facts: which of them follow in one frame from assumptions and from all of them
/// in another one.
struct Induction<'a> {
    twins: &'a Twins,
    running: Lit,
    /// The frame in which they are assumed, if there is one.
    before: Option<u32>,
    /// The frame in which they have to hold.
    after: u32,
    /// Bits in that frame of the words on which it depends what is weaker than facts: circuits are
    /// made before a query, values are read behind it.
    words: FxHashMap<StateId, Vec<Lit>>,
    /// Whether facts were dropped because they are too hard.
    leaves_hard_ones: bool,
}

/// A fact of which it is asked.
struct Candidate {
    fact: Fact,
    before: Option<Lit>,
    after: Lit,
}

/// Whether facts follow.
enum Answer {
    All,
    /// The solver has a model in which some of them are broken.
    Broken,
    /// None was found to be broken; those at these places, ascending, are too hard.
    Hard(Vec<usize>),
}

impl<'a> Induction<'a> {
    fn new(twins: &'a Twins, running: Lit, (before, after): (Option<u32>, u32)) -> Self {
        let (words, leaves_hard_ones) = (FxHashMap::default(), false);
        Self { twins, running, before, after, words, leaves_hard_ones }
    }

    fn candidate(&mut self, fact: Fact, frames: &mut Frames<'_>) -> Result<Candidate, EncodeError> {
        for word in self.twins.words_of(&fact) {
            if !self.words.contains_key(&word) {
                self.words.insert(word, frames.word(word, self.after)?);
            }
        }
        let before = self.before.map(|before| frames.fact(&fact, before)).transpose()?;
        let after = frames.fact(&fact, self.after)?;
        Ok(Candidate { fact, before, after })
    }

    /// Drops facts, or puts weaker ones in their place, until all that are left follow; where a limit
    /// ends it, until then.
    fn keep_survivors(
        &mut self,
        facts: &mut Vec<Fact>,
        frames: &mut Frames<'_>,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let mut candidates = Vec::with_capacity(facts.len());
        for fact in facts.iter() {
            candidates.push(self.candidate(fact.clone(), frames)?);
        }
        let ended = self.drop_others(&mut candidates, frames, session);
        *facts = candidates.into_iter().map(|candidate| candidate.fact).collect();
        ended
    }

    fn drop_others(
        &mut self,
        candidates: &mut Vec<Candidate>,
        frames: &mut Frames<'_>,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let mut known: FxHashSet<Fact> = candidates.iter().map(|candidate| candidate.fact.clone()).collect();
        let mut halvings = HALVINGS;
        loop {
            match self.follow(candidates, &mut halvings, frames, session)? {
                Answer::All => return Ok(()),
                Answer::Broken => {
                    let is_true = |candidate: &Candidate| frames.solver.is_true(candidate.after);
                    let (holding, broken): (Vec<Candidate>, Vec<Candidate>) =
                        std::mem::take(candidates).into_iter().partition(is_true);
                    *candidates = holding;
                    for fact in self.weaker(&broken, frames) {
                        if known.insert(fact.clone()) {
                            candidates.push(self.candidate(fact, frames)?);
                        }
                    }
                }
                Answer::Hard(places) => {
                    self.leaves_hard_ones = true;
                    for place in places.into_iter().rev() {
                        candidates.remove(place);
                    }
                }
            }
        }
    }

    /// Whether all the candidates follow. Where that is too hard to tell at once, halves of them
    /// are asked about, down to those that are hard alone: arithmetic of floats or products is
    /// hard, what is said of the other words is not.
    fn follow(
        &self,
        candidates: &[Candidate],
        halvings: &mut u32,
        frames: &mut Frames<'_>,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let mut assumed = vec![self.running];
        assumed.extend(candidates.iter().filter_map(|candidate| candidate.before));
        let mut hard = Vec::new();
        let mut open: Vec<Range<usize>> = std::iter::once(0..candidates.len()).collect();
        while let Some(part) = open.pop() {
            let violated = frames.fresh();
            let mut clause = vec![!violated];
            clause.extend(candidates[part.clone()].iter().map(|candidate| !candidate.after));
            frames.solver.clause(&clause);
            assumed.push(violated);
            let conflicts = if part.len() == candidates.len() { CONFLICTS } else { CONFLICTS_OF_PARTS };
            let answer = frames.ask(&assumed, conflicts, session)?;
            assumed.pop();
            match answer {
                Some(true) => return Ok(Answer::Broken),
                Some(false) => {}
                None if part.len() == 1 || *halvings == 0 => hard.extend(part),
                None => {
                    *halvings -= 1;
                    let middle = part.start + part.len() / 2;
                    open.extend([middle..part.end, part.start..middle]);
                }
            }
            frames.solver.clause(&[!violated]);
        }
        Ok(if hard.is_empty() { Answer::All } else { Answer::Hard(hard) })
    }

    /// What is weaker than facts that the solver's model breaks, and holds there.
    fn weaker(&self, broken: &[Candidate], frames: &Frames<'_>) -> Vec<Fact> {
        let value = |word: StateId| {
            let bits = self.words[&word].iter().enumerate();
            let set = bits.filter(|(_, literal)| frames.solver.is_true(**literal));
            set.fold(0u128, |value, (bit, _)| value | 1 << bit)
        };
        broken.iter().flat_map(|candidate| self.twins.weaker(&candidate.fact, &value)).collect()
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
        let facts = candidates(&system, &states, CANDIDATES, &session).expect("no limit should be reached");
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

    /// Two products are equal, which is beyond a short query; that costs no other fact.
    #[test]
    fn only_what_is_too_hard_is_left_out() {
        let text = "system products input x w32 input y w32
            state one w32 init 0 next (mul x y)
            state other w32 init 0 next (sub (mul (add x 1) y) y)
            state low w32 init 0 next (and x 255) state same w32 init 0 next (sub x (sub x (and x 255)))
            goal apart when (not (eq low same))";
        let system = validate(parse(text).expect("a text of a system")).expect("a valid system");
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let task = Task::new(&system, &[], Vec::new());
        guess(&task, &[], &session).expect("no limit should be reached");
        let facts = task.facts();
        let same =
            |left, right| Fact { guard: None, claim: Claim::Same(StateId::new(left), StateId::new(right)) };
        assert!(facts.contains(&same(2, 3)), "{facts:?}");
        assert!(!facts.contains(&same(0, 1)), "that should be hard: {facts:?}");
        assert!(facts.iter().any(|fact| matches!(fact.claim, Claim::AtMost { .. })), "{facts:?}");
    }
}
