//! States that are new because two words have values that they never had together, and ways to
//! further such states by queries.
//!
//! A message counts if its checksum and its counter fit, a key if it answers the challenge that was
//! sent: few inputs in billions go on from a state, and others from the next one. So a SAT solver
//! unrolls a few steps from a state that was reached, and is asked for one in which an open goal
//! occurs, a word that tells modes has a value that it never had, or has one that it never had
//! together with another word's value. There are far fewer pairs than combinations of all words, and
//! most goals are on a way of new pairs. (After N. Lipovetzky, H. Geffner, Width and serialization of
//! classical planning problems, ECAI 2012.)

use super::needs::Lack;
use crate::finders::landmarks::system::Discrete;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{BmcSolver, if_small};
use crate::step::code::{PACK, Program};
use encoder::EncodeError;
use encoder::unroll::Start;
use model::id::Id;
use model::system::StateId;
use model::term::TermId;
use model::trace::Trace;
use model::value::Value;
use model::visit::support;
use rustc_hash::FxHashMap;
use solver::sat::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

/// Steps that a query looks ahead: few at first, and more where that came to nothing.
const AHEAD: [u32; 4] = [1, 4, 9, 16];
/// Conflicts of one query.
const CONFLICTS: u64 = 300;
/// Conflicts of a query for what a goal lacks, for each step that is looked ahead.
const CONFLICTS_PER_STEP: u64 = 200;
/// Gates that are unrolled for one state at most.
const MOST_GATES: u64 = 1_000_000;
/// Queries from one state, each of which has found something, until others have their turn.
const MOST_IN_A_ROW: usize = 16;
/// What is unrolled counts for so many evaluated instructions for each gate.
pub(super) const COST_PER_GATE: u64 = 10;
/// What a query counts for, in evaluated instructions: at least, and for each propagated literal.
const COST_OF_QUERY: u64 = 100_000;
const COST_PER_PROPAGATION: u64 = 30;
/// Propagated literals of a query to a solver that does not count them.
const USUAL_PROPAGATIONS: u64 = 20_000;
/// Facts, the rarest of a state, with which another one would be new.
const MOST_PARTNERS: usize = 8;
/// Most facts.
const MOST_FACTS: usize = 1_000;

/// Something that is so in some states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fact {
    /// A word has a value.
    Value(StateId, u64),
    /// The atom of this number holds or does not: a timer is over, a digit is the expected one.
    Atom(usize, bool),
}

impl Fact {
    /// Whether both cannot be so at once, or are the same.
    fn excludes(self, other: Self) -> bool {
        match (self, other) {
            (Self::Value(word, _), Self::Value(other, _)) => word == other,
            (Self::Atom(number, _), Self::Atom(other, _)) => number == other,
            _ => false,
        }
    }
}

/// Which facts and pairs of facts were met.
pub(super) struct Novelty {
    facts: Vec<Fact>,
    /// The words whose values are facts.
    words: Vec<StateId>,
    /// Those of them that are only given constants.
    given: Vec<StateId>,
    /// By number of the atom: what it says, where its truth is a fact.
    atoms: Vec<Option<TermId>>,
    numbers: FxHashMap<Fact, usize>,
    /// For each two facts: whether a state was met that has both; the same twice stands for one.
    met: Vec<bool>,
    /// For each fact: in how many states that were new it was met.
    counts: Vec<u32>,
    /// States to go on from: those with the rarest facts first, of such those that were looked ahead
    /// from least.
    queue: BinaryHeap<Reverse<(u32, usize, u32)>>,
}

impl Novelty {
    pub(super) fn new(words: &[Discrete], task: &Task<'_>, program: &Program) -> Self {
        let value = |one: &Discrete| {
            let word = one.word;
            one.values.iter().map(move |&value| Fact::Value(word, value)).collect::<Vec<_>>()
        };
        let mut facts: Vec<Fact> = words.iter().flat_map(value).collect();
        // What atoms say of one word alone that is only given constants is known from its value.
        let given = |one: &&Discrete| one.most.is_none();
        let is_told = |term: TermId| match support(&task.system.terms, &[term]).as_slice() {
            [symbol] => words.iter().filter(given).any(|one| task.system.states[one.word].symbol == *symbol),
            _ => false,
        };
        let atoms: Vec<Option<TermId>> =
            program.atoms.iter().map(|atom| atom.term.filter(|&term| !is_told(term))).collect();
        for (number, _) in atoms.iter().enumerate().filter(|(_, term)| term.is_some()) {
            facts.extend([Fact::Atom(number, false), Fact::Atom(number, true)]);
        }
        facts.truncate(MOST_FACTS);
        let numbers = facts.iter().enumerate().map(|(number, &fact)| (fact, number)).collect();
        let met = vec![false; facts.len() * facts.len()];
        let counts = vec![0; facts.len()];
        let given = words.iter().filter(given).map(|one| one.word).collect();
        let words = words.iter().map(|one| one.word).collect();
        Self { facts, words, given, atoms, numbers, met, counts, queue: BinaryHeap::new() }
    }

    /// Leaves a word out from now on: it counts time, and its values are none that matter.
    pub(super) fn leave_out(&mut self, word: StateId) {
        self.words.retain(|&known| known != word);
    }

    /// What would be new beside these facts of a state.
    fn wishes(&self, own: &[usize]) -> Vec<Wish> {
        let mut wishes = Vec::new();
        for (number, &fact) in self.facts.iter().enumerate() {
            if own.contains(&number) || self.is_left_out(fact) {
                continue;
            }
            if !self.met[self.at(number, number)] {
                wishes.push(Wish { fact: number, partners: Vec::new() });
                continue;
            }
            let is_new =
                |&other: &usize| !self.facts[other].excludes(fact) && !self.met[self.at(number, other)];
            let mut partners: Vec<usize> = own.iter().copied().filter(is_new).collect();
            partners.sort_by_key(|&other| self.counts[other]);
            partners.truncate(MOST_PARTNERS);
            if !partners.is_empty() {
                wishes.push(Wish { fact: number, partners });
            }
        }
        wishes
    }

    /// The facts of a state in which atoms have these truths.
    pub(super) fn of(&self, (state, truths): (&[u64], &[u32])) -> Vec<usize> {
        let values = self.words.iter().map(|&word| Fact::Value(word, state[word.index()]));
        let atoms = (0..self.atoms.len()).map(|number| Fact::Atom(number, holds(truths, number)));
        values.chain(atoms).filter_map(|fact| self.numbers.get(&fact).copied()).collect()
    }

    /// For each word that is only given constants, the facts that it has a value: one of them is so.
    pub(super) fn given(&self) -> Vec<Vec<usize>> {
        let of = |word: &StateId| {
            let is_own = |&number: &usize| matches!(self.facts[number], Fact::Value(one, _) if one == *word);
            (0..self.facts.len()).filter(is_own).collect()
        };
        self.given.iter().map(of).collect()
    }

    /// The values of a word that facts tell apart, and whether it has no others.
    pub(super) fn values(&self, word: usize) -> (Vec<u64>, bool) {
        let value = |fact: &Fact| match fact {
            Fact::Value(known, value) if Id::index(*known) == word => Some(*value),
            _ => None,
        };
        (self.facts.iter().filter_map(value).collect(), self.given.contains(&StateId::new(word)))
    }

    /// Whether a fact is the only one of these that was met.
    pub(super) fn is_only(&self, fact: usize, of: &[usize]) -> bool {
        of.iter().all(|&other| self.met[self.at(other, other)] == (other == fact))
    }

    /// The facts, those together of which at most one is so in a state; without those about words
    /// that count time.
    pub(super) fn alternatives(&self) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        for (number, &fact) in self.facts.iter().enumerate().filter(|(_, fact)| !self.is_left_out(**fact)) {
            match found.last_mut() {
                Some(last) if self.facts[last[0]].excludes(fact) => last.push(number),
                _ => found.push(vec![number]),
            }
        }
        found
    }

    /// Whether a fact is about a word that counts time.
    fn is_left_out(&self, fact: Fact) -> bool {
        matches!(fact, Fact::Value(word, _) if !self.words.contains(&word))
    }

    fn at(&self, one: usize, other: usize) -> usize {
        one.min(other) * self.facts.len() + one.max(other)
    }

    /// Notes the facts of the state of an entry, and puts it into the queue where any are new: first
    /// of all where it is nearer to a goal than any before.
    pub(super) fn enter(&mut self, entry: u32, facts: &[usize], is_nearer: bool) {
        let mut is_new = false;
        for (position, &one) in facts.iter().enumerate() {
            for &other in &facts[position..] {
                let at = self.at(one, other);
                is_new |= !self.met[at];
                self.met[at] = true;
            }
        }
        if is_new || is_nearer {
            let rarest = facts.iter().map(|&fact| self.counts[fact]).min().unwrap_or(0);
            let rank = if is_nearer { 0 } else { (rarest + 1).ilog2() };
            self.queue.push(Reverse((rank, 0, entry)));
            facts.iter().for_each(|&fact| self.counts[fact] += 1);
        }
    }

    /// What is to be looked for next: from the state of an entry, so far ahead.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        self.queue.pop().map(|Reverse((rank, round, entry))| Waiting { rank, round, entry })
    }

    /// Puts off a state until others had their turn: looks as far ahead again where it went on to
    /// lead to what is new, and else farther.
    pub(super) fn put_off(&mut self, waiting: Waiting, goes_on: bool) {
        let Waiting { rank, round, entry } = waiting;
        let (rank, round) = if goes_on { (rank + 1, round) } else { (rank, round + 1) };
        if round < AHEAD.len() {
            self.queue.push(Reverse((rank, round, entry)));
        }
    }
}

/// A fact that would be new, by itself or together with one of others.
struct Wish {
    fact: usize,
    partners: Vec<usize>,
}

/// The state of an entry, and how often was looked ahead from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    rank: u32,
    round: usize,
    pub(super) entry: u32,
}

impl Waiting {
    /// The frames that are looked at, from the state in frame 0.
    pub(super) fn frames(&self) -> RangeInclusive<u32> {
        let before = self.round.checked_sub(1).map_or(0, |before| AHEAD[before]);
        before + 1..=AHEAD[self.round]
    }
}

/// Queries from one state.
pub(super) struct Lookahead<'s> {
    solver: BmcSolver<'s>,
    /// Frames that are looked at.
    frames: RangeInclusive<u32>,
    literals: FactLiterals,
    queries: usize,
}

impl<'s> Lookahead<'s> {
    /// `None` where the step is too large to look so far ahead.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn new(
        task: &'s Task<'s>,
        (frames, state, gates): (RangeInclusive<u32>, Vec<Value>, u64),
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Self>, Stop> {
        let last = *frames.end();
        if gates * u64::from(last) > MOST_GATES {
            return Ok(None);
        }
        *cost += gates * u64::from(last) * COST_PER_GATE;
        let Some(solver) = if_small(BmcSolver::new(task, Start::Concrete(state), session))? else {
            return Ok(None);
        };
        Ok(Some(Self { solver, frames, literals: FactLiterals::default(), queries: 0 }))
    }

    /// Whether it has led to what is new as often as it may in a row.
    pub(super) fn goes_on(&self) -> bool {
        self.queries == MOST_IN_A_ROW
    }

    /// An execution from the state to what is new.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn ask(
        &mut self,
        (own, novelty): (&[usize], &Novelty),
        goals: &[Vertex],
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Trace>, Stop> {
        if self.queries == MOST_IN_A_ROW {
            return Ok(None);
        }
        self.queries += 1;
        let (frames, wishes) = (self.frames.clone(), novelty.wishes(own));
        for at in frames {
            let wanted = self.wanted(at, (&wishes, novelty), goals)?;
            if wanted.is_empty() {
                continue;
            }
            let asked = self.solver.solver().fresh().positive();
            let clause: Vec<Lit> = std::iter::once(!asked).chain(wanted).collect();
            self.solver.solver().clause(&clause);
            let running = self.solver.running(at)?;
            let answer = priced(&mut self.solver, &[asked, running], CONFLICTS, cost, session)?;
            match answer {
                Some(true) => return Ok(Some(self.solver.run(at))),
                // Nothing is new there as long as less is new.
                Some(false) => self.solver.solver().clause(&[!asked]),
                None => {}
            }
        }
        Ok(None)
    }

    /// An execution from the state to the goal or to a state that has what is lacking for it: first
    /// what no state had so far, then what the goal itself needs, then anything, while all that is
    /// needed and known to be so stays.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn ask_for(
        &mut self,
        (goal, lack): (Vertex, &Lack),
        novelty: &Novelty,
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Trace>, Stop> {
        let lacking: Vec<usize> = lack.levels.iter().flatten().copied().collect();
        let (known, new): (Vec<usize>, Vec<usize>) =
            lacking.into_iter().partition(|&fact| novelty.met[novelty.at(fact, fact)]);
        let all = [&new[..], &known[..]].concat();
        let first = lack.levels.first().cloned().unwrap_or_default();
        let queries = [(new, false), (first, true), (all, true)];
        let conflicts = CONFLICTS_PER_STEP * u64::from(*self.frames.end());
        for (facts, keeps) in queries.into_iter().filter(|(facts, _)| !facts.is_empty()) {
            let mut wanted = Vec::new();
            for at in self.frames.clone() {
                wanted.push((at, self.wanted_for((goal, &facts), (lack, keeps), at, novelty)?));
            }
            let asked = self.solver.solver().fresh().positive();
            let clause: Vec<Lit> =
                std::iter::once(!asked).chain(wanted.iter().map(|&(_, literal)| literal)).collect();
            self.solver.solver().clause(&clause);
            let answer = priced(&mut self.solver, &[asked], conflicts, cost, session)?;
            if answer == Some(true) {
                let is_so = |literal: Lit| self.solver.holds(literal);
                let first = wanted.iter().find(|&&(_, literal)| is_so(literal));
                return Ok(first.map(|&(at, _)| self.solver.run(at)));
            }
        }
        Ok(None)
    }

    /// A literal that implies: the state of that frame has one of the facts, and all that is needed
    /// if it `keeps` that; or the goal occurs in the step to it.
    fn wanted_for(
        &mut self,
        (goal, facts): (Vertex, &[usize]),
        (lack, keeps): (&Lack, bool),
        at: u32,
        novelty: &Novelty,
    ) -> Result<Lit, EncodeError> {
        let has = self.solver.solver().fresh().positive();
        let mut clause = vec![!has];
        for &fact in facts {
            clause.push(self.literals.literal((fact, novelty), at, &mut self.solver)?);
        }
        self.solver.solver().clause(&clause);
        for needed in lack.met.iter().filter(|_| keeps) {
            let mut clause = vec![!has];
            for &fact in needed {
                clause.push(self.literals.literal((fact, novelty), at, &mut self.solver)?);
            }
            self.solver.solver().clause(&clause);
        }
        let (wanted, running) = (self.solver.solver().fresh().positive(), self.solver.running(at)?);
        self.solver.solver().clause(&[!wanted, running]);
        let mut clause = vec![!wanted, has];
        if self.solver.steps(goal) == 1 {
            clause.push(self.solver.event(goal, at - 1)?);
        }
        self.solver.solver().clause(&clause);
        Ok(wanted)
    }

    /// Literals each of which implies something new in the state of that frame, or a goal in the
    /// step to it.
    fn wanted(
        &mut self,
        at: u32,
        (wishes, novelty): (&[Wish], &Novelty),
        goals: &[Vertex],
    ) -> Result<Vec<Lit>, EncodeError> {
        let mut wanted = Vec::new();
        for Wish { fact, partners } in wishes {
            let literal = self.literals.literal((*fact, novelty), at, &mut self.solver)?;
            if partners.is_empty() {
                wanted.push(literal);
                continue;
            }
            let both = self.solver.solver().fresh().positive();
            self.solver.solver().clause(&[!both, literal]);
            let mut clause = vec![!both];
            for &other in partners {
                clause.push(self.literals.literal((other, novelty), at, &mut self.solver)?);
            }
            self.solver.solver().clause(&clause);
            wanted.push(both);
        }
        for &goal in goals {
            wanted.push(self.solver.event(goal, at - 1)?);
        }
        Ok(wanted)
    }
}

/// Literals of facts in the frames of one solver.
#[derive(Default)]
pub(super) struct FactLiterals {
    /// By fact and frame, whether it holds or does not: each implies that.
    known: FxHashMap<(usize, u32, bool), Lit>,
}

impl FactLiterals {
    /// A literal that implies a fact.
    pub(super) fn literal(
        &mut self,
        (number, novelty): (usize, &Novelty),
        at: u32,
        solver: &mut BmcSolver<'_>,
    ) -> Result<Lit, EncodeError> {
        self.either((number, novelty), (at, true), solver)
    }

    /// A literal that implies that a fact does not hold.
    pub(super) fn negated(
        &mut self,
        (number, novelty): (usize, &Novelty),
        at: u32,
        solver: &mut BmcSolver<'_>,
    ) -> Result<Lit, EncodeError> {
        self.either((number, novelty), (at, false), solver)
    }

    fn either(
        &mut self,
        (number, novelty): (usize, &Novelty),
        (at, is_so): (u32, bool),
        solver: &mut BmcSolver<'_>,
    ) -> Result<Lit, EncodeError> {
        if let Some(&known) = self.known.get(&(number, at, is_so)) {
            return Ok(known);
        }
        let literal = match novelty.facts[number] {
            Fact::Value(word, value) => {
                let bits = solver.word(word, at)?.into_iter().enumerate();
                let equal = bits.map(|(place, bit)| if value >> place & 1 == 1 { bit } else { !bit });
                let literal = solver.solver().fresh().positive();
                if is_so {
                    equal.for_each(|bit| solver.solver().clause(&[!literal, bit]));
                } else {
                    let clause: Vec<Lit> = std::iter::once(!literal).chain(equal.map(|bit| !bit)).collect();
                    solver.solver().clause(&clause);
                }
                literal
            }
            Fact::Atom(atom, holds) => {
                let term = novelty.atoms[atom].expect("an atom that is a fact should say something");
                let truth = solver.truth(term, at)?;
                if holds == is_so { truth } else { !truth }
            }
        };
        self.known.insert((number, at, is_so), literal);
        Ok(literal)
    }
}

/// Asks whether these literals can be true at once; `None` where that many conflicts do not tell.
/// `cost` grows by what that counts for, in evaluated instructions.
///
/// # Errors
/// Limits that end the whole search.
pub(super) fn priced(
    solver: &mut BmcSolver<'_>,
    assumptions: &[Lit],
    conflicts: u64,
    cost: &mut u64,
    session: &Session<'_>,
) -> Result<Option<bool>, Stop> {
    let before = solver.solver().propagations();
    let answer = session.solve_within(solver.solver(), assumptions, Some(conflicts))?;
    let propagations = before.zip(solver.solver().propagations());
    let propagations = propagations.map_or(USUAL_PROPAGATIONS, |(before, after)| after - before);
    *cost += COST_OF_QUERY + propagations * COST_PER_PROPAGATION;
    Ok(answer)
}

/// Whether an atom holds, of packed truths.
fn holds(truths: &[u32], atom: usize) -> bool {
    truths[atom / PACK] >> (atom % PACK) & 1 == 1
}
