//! The system with one more kind of step: the *leap*, which holds the inputs for many steps.
//!
//! Two further inputs say whether a step is a leap and over how many rounds of `period` steps. A
//! leap is allowed where the first round under the held inputs moves every state word by nothing or
//! by a constant that its next-state term adds somewhere, where the last round does the same, and
//! where no moving word passes a value that the step asks it to equal. An order between words that
//! move at constant rates changes its truth once at most, so the rounds between mostly do the same
//! as well. That is no proof (two orders may bound a range that is passed, a table may be looked up),
//! so executions of this system are run on the real one before they count.
//!
//! (After D. Kroening, M. Lewis, G. Weissenbacher, Under-approximating loops in C programs for fast
//! counterexample detection, Formal Methods in System Design 47 (2015): an accelerated step beside
//! the ordinary one.)

use crate::error::EngineError;
use crate::knowledge::task::Task;
use crate::step::lemma::validated;
use model::sort::Sort;
use model::system::{Assumption, InputRole, StateId, TransitionSystem};
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::trace::Trace;
use model::validate::Validated;
use model::value::Value;
use model::visit::{Substitution, cone, support};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Bits of the number of rounds of a leap.
const ROUND_BITS: u32 = 16;
/// The number of rounds in which all these bits are set.
const MOST_ROUNDS: usize = (1 << ROUND_BITS) - 1;
/// Most steps of an execution that is run on the real system.
const MOST_STEPS: usize = 200_000;
/// Most different rates of one word.
const MOST_RATES: usize = 4;

/// See the module text.
pub(super) struct Accelerated {
    system: Validated,
    period: usize,
}

/// A word that may move, and by what in one round.
struct Moving {
    word: StateId,
    rates: Vec<u128>,
}

impl Accelerated {
    /// The system of a task with leaps over rounds of `period` steps; `None` where no word moves at
    /// a constant rate.
    ///
    /// # Errors
    /// Where that is no valid system, against expectation.
    pub(super) fn new(task: &Task<'_>, period: usize) -> Result<Option<Self>, EngineError> {
        let mut system: TransitionSystem = (**task.system).clone();
        let moving: Vec<Moving> = task
            .system
            .states
            .ids()
            .map(|word| Moving { word, rates: rates(task.system, word, period) })
            .filter(|moving| !moving.rates.is_empty())
            .collect();
        if moving.is_empty() {
            return Ok(None);
        }
        let leap = system.add_input("leap", Sort::TRUTH, InputRole::Stimulus);
        let rounds = system.add_input("rounds", Sort::word(ROUND_BITS), InputRole::Stimulus);
        let (leap_symbol, leap) = (system.inputs[leap].symbol, system.input_term(leap));
        // Solvers set what does not matter to true; leaps should be no longer than they must.
        let missing = system.input_term(rounds);
        let rounds = system.terms.unary(UnaryOp::Not, missing);
        add_leaps(&mut system, &moving, leap, rounds, period);
        for goal in system.goals.ids().collect::<Vec<_>>() {
            let steps = system.goals[goal].steps;
            let mut antecedent = system.goals[goal].antecedent;
            for at in 0..steps {
                let leaps = if at == 0 { leap } else { system.terms.framed(leap_symbol, at) };
                let is_step = system.terms.not(leaps);
                antecedent = system.terms.and(antecedent, is_step);
            }
            system.goals[goal].antecedent = antecedent;
            system.goals[goal].expectation = None;
        }
        system.hazards.clear();
        system.outputs.clear();
        Ok(Some(Self { system: validated(system)?, period }))
    }

    /// The task over this system, with the same goals.
    pub(super) fn task(&self, of: &Task<'_>) -> Task<'_> {
        of.over(&self.system)
    }

    /// An execution of the real system as one of this system, without leaps.
    pub(super) fn lower(&self, trace: &Trace) -> Trace {
        let step = |row: &Vec<Value>| {
            let mut row = row.clone();
            row.push(Value::truth(false));
            row.push(Value::word(ROUND_BITS, 0));
            row
        };
        Trace { start: trace.start.clone(), inputs: trace.inputs.iter().map(step).collect() }
    }

    /// What the real system is to do for an execution of this system: leaps become steps. `None`
    /// where these are too many.
    pub(super) fn raise(&self, trace: &Trace) -> Option<Trace> {
        let mut inputs = Vec::new();
        for row in &trace.inputs {
            let (own, added) = row.split_at(row.len() - 2);
            let steps = match added[0].is_true() {
                true => (added[1].bits() as usize ^ MOST_ROUNDS) * self.period,
                false => 1,
            };
            if inputs.len() + steps > MOST_STEPS {
                return None;
            }
            inputs.extend(std::iter::repeat_n(own.to_vec(), steps));
        }
        Some(Trace { start: trace.start.clone(), inputs })
    }
}

/// By what a word may move in a round: constants that its next-state term adds to something, once
/// or in every step of the round.
fn rates(system: &TransitionSystem, word: StateId, period: usize) -> Vec<u128> {
    let terms = &system.terms;
    let next = system.states[word].next;
    let Sort::Word(width) = terms.sort(next) else { return Vec::new() };
    if !(2..=64).contains(&width) {
        return Vec::new();
    }
    let mask = (1u128 << width) - 1;
    let mut found = BTreeSet::new();
    for term in values_of(terms, next) {
        let Term::Binary { op, lhs, rhs } = terms.node(term) else { continue };
        let constant = |term: TermId| terms.as_const(term).map(Value::bits);
        let rate = match op {
            BinaryOp::Add => constant(lhs).or_else(|| constant(rhs)),
            BinaryOp::Sub => constant(rhs).map(|bits| bits.wrapping_neg()),
            _ => None,
        };
        found.extend(rate.map(|rate| rate & mask).filter(|&rate| rate != 0));
    }
    let in_every_step = found.iter().map(|rate| rate.wrapping_mul(period as u128) & mask);
    let all: BTreeSet<u128> = found.iter().copied().chain(in_every_step).filter(|&rate| rate != 0).collect();
    let mut all: Vec<u128> = all.into_iter().collect();
    all.sort_by_key(|&rate| (rate.min(mask + 1 - rate), rate));
    all.truncate(MOST_RATES);
    all
}

/// The terms that a value may come from: branches of choices, and what is widened or cut.
fn values_of(terms: &TermPool, root: TermId) -> Vec<TermId> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        found.push(term);
        match terms.node(term) {
            Term::Ite { then, otherwise, .. } => open.extend([then, otherwise]),
            Term::Extract { arg, .. } | Term::Extend { arg, .. } => open.push(arg),
            Term::Binary { op: BinaryOp::Concat, rhs, .. } => open.push(rhs),
            _ => {}
        }
    }
    found
}

/// Gives every state word its value after a leap, and assumes what allows one.
fn add_leaps(system: &mut TransitionSystem, moving: &[Moving], leap: TermId, rounds: TermId, period: usize) {
    let words: Vec<StateId> = system.states.ids().collect();
    let before: Vec<TermId> = words.iter().map(|&word| system.state_term(word)).collect();
    let compared = comparisons(system, moving);
    let mut allowed = Vec::new();

    // The first round, from the state at hand.
    let first = Round::of(system, &words, &before, &compared, period);
    let one = system.terms.word(ROUND_BITS, 1);
    let is_some = system.terms.binary(BinaryOp::ULe, one, rounds);
    let earlier = system.terms.binary(BinaryOp::Sub, rounds, one);
    allowed.push(is_some);
    let (mut last_before, mut last_after, mut after) = (before.clone(), before.clone(), before.clone());
    for moving in moving {
        let position = words.iter().position(|&word| word == moving.word).unwrap_or_default();
        let (word, moved) = (before[position], first.after[position]);
        let terms = &mut system.terms;
        let width = terms.width(word);
        for &rate in &moving.rates {
            let constant = terms.word(width, rate);
            let sum = terms.binary(BinaryOp::Add, word, constant);
            let moves = terms.equal(moved, sum);
            let (at_last, at_end) =
                (moved_by(terms, word, earlier, rate), moved_by(terms, word, rounds, rate));
            let fits = stays_in_range(terms, word, at_end, rounds, rate);
            let fits = terms.implies(moves, fits);
            allowed.push(fits);
            last_before[position] = terms.ite(moves, at_last, last_before[position]);
            after[position] = terms.ite(moves, at_end, after[position]);
        }
        last_after[position] = after[position];
    }

    // The last round does the same, and ends where the leap ends.
    let last = Round::of(system, &words, &last_before, &compared, period);
    for position in 0..words.len() {
        let one_round =
            is_one_of(&mut system.terms, moving, words[position], before[position], first.after[position]);
        let ends_there = same(&mut system.terms, last.after[position], last_after[position]);
        allowed.extend([one_round, ends_there]);
    }
    for (&one, &other) in first.truths.iter().zip(&last.truths) {
        let agree = system.terms.equal(one, other);
        allowed.push(agree);
    }
    allowed.extend(first.assumed.iter().chain(&last.assumed).copied());

    let condition = system.terms.conjunction(allowed);
    let condition = system.terms.implies(leap, condition);
    system.assumptions.push(Assumption { condition, origin: None });
    for (position, &word) in words.iter().enumerate() {
        let next = system.states[word].next;
        system.states[word].next = system.terms.ite(leap, after[position], next);
    }
}

/// What happens in one round of held inputs.
struct Round {
    /// The words after it.
    after: Vec<TermId>,
    /// The truths of the comparisons in each of its steps.
    truths: Vec<TermId>,
    /// The assumptions of its steps.
    assumed: Vec<TermId>,
}

impl Round {
    fn of(
        system: &mut TransitionSystem,
        words: &[StateId],
        before: &[TermId],
        compared: &[TermId],
        period: usize,
    ) -> Self {
        let symbols: Vec<SymbolId> = words.iter().map(|&word| system.states[word].symbol).collect();
        let nexts: Vec<TermId> = words.iter().map(|&word| system.states[word].next).collect();
        let conditions: Vec<TermId> = system.assumptions.iter().map(|assumed| assumed.condition).collect();
        let mut round = Self { after: before.to_vec(), truths: Vec::new(), assumed: Vec::new() };
        for _ in 0..period {
            let replacements = symbols.iter().copied().zip(round.after.iter().copied());
            let mut at = Substitution::new(&mut system.terms, replacements);
            round.truths.extend(compared.iter().map(|&term| at.apply(&mut system.terms, term)));
            round.assumed.extend(conditions.iter().map(|&term| at.apply(&mut system.terms, term)));
            round.after = nexts.iter().map(|&next| at.apply(&mut system.terms, next)).collect();
        }
        round
    }
}

/// Truths over the state and the inputs that must agree in the first and the last round: where the
/// step asks whether a moving word equals something, on which side of it the word is. Where it asks
/// for an order, no such truth is needed: what changes on the way has changed in the last round, and
/// whether that matters shows in what the last round does.
fn comparisons(system: &mut TransitionSystem, moving: &[Moving]) -> Vec<TermId> {
    let symbols: FxHashSet<SymbolId> =
        moving.iter().map(|moving| system.states[moving.word].symbol).collect();
    let roots: Vec<TermId> = system
        .states
        .values()
        .map(|state| state.next)
        .chain(system.assumptions.iter().map(|assumed| assumed.condition))
        .collect();
    let mut found = Vec::new();
    for term in cone(&system.terms, &roots) {
        let Term::Binary { op: BinaryOp::Eq, lhs, rhs } = system.terms.node(term) else { continue };
        let moves = support(&system.terms, &[term]).iter().any(|symbol| symbols.contains(symbol));
        if moves && system.terms.width(lhs) > 1 {
            found.push(term);
            found.push(system.terms.binary(BinaryOp::ULt, lhs, rhs));
        }
    }
    found
}

/// The word after that many rounds at a rate.
fn moved_by(terms: &mut TermPool, word: TermId, rounds: TermId, rate: u128) -> TermId {
    let width = terms.width(word);
    let (rounds, rate) = (terms.resize(rounds, width, false), terms.word(width, rate));
    let way = terms.binary(BinaryOp::Mul, rounds, rate);
    terms.binary(BinaryOp::Add, word, way)
}

/// Whether a word that moves for that many rounds wraps around neither as an unsigned number nor as
/// a signed one.
fn stays_in_range(terms: &mut TermPool, word: TermId, end: TermId, rounds: TermId, rate: u128) -> TermId {
    let width = terms.width(word);
    let falls = rate >> (width - 1) & 1 == 1;
    let size = if falls { (1u128 << width) - rate } else { rate };
    let (low, high) = if falls { (end, word) } else { (word, end) };
    let unsigned = terms.binary(BinaryOp::ULe, low, high);
    let signed = terms.binary(BinaryOp::SLe, low, high);
    let is_ordered = terms.and(unsigned, signed);
    let most = ((1u128 << width) - 1) / size;
    if most >= 1 << ROUND_BITS {
        return is_ordered;
    }
    let most = terms.word(ROUND_BITS, most);
    let is_short = terms.binary(BinaryOp::ULe, rounds, most);
    terms.and(is_ordered, is_short)
}

/// Whether a round leaves the word as it is or moves it by one of its rates.
fn is_one_of(
    terms: &mut TermPool,
    moving: &[Moving],
    word: StateId,
    before: TermId,
    after: TermId,
) -> TermId {
    let mut one_of = same(terms, before, after);
    for moving in moving.iter().filter(|moving| moving.word == word) {
        for &rate in &moving.rates {
            let width = terms.width(before);
            let rate = terms.word(width, rate);
            let moved = terms.binary(BinaryOp::Add, before, rate);
            let moves = terms.equal(after, moved);
            one_of = terms.or(one_of, moves);
        }
    }
    one_of
}

/// Whether two values of a state word are the same, floats bit by bit.
fn same(terms: &mut TermPool, one: TermId, other: TermId) -> TermId {
    if one == other {
        return terms.truth(true);
    }
    match terms.sort(one) {
        Sort::Word(_) => terms.equal(one, other),
        _ => {
            let bits = [one, other].map(|term| terms.unary(UnaryOp::FloatToBits, term));
            terms.equal(bits[0], bits[1])
        }
    }
}
