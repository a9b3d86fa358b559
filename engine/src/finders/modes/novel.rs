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

use crate::finders::landmarks::system::Discrete;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::code::{PACK, Program};
use crate::step::size::Size;
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
/// Gates that are unrolled for one state at most.
const MOST_GATES: u64 = 1_000_000;
/// Queries from one state, each of which has found something, until others have their turn.
const MOST_IN_A_ROW: usize = 16;
/// What is unrolled counts for so many evaluated instructions for each gate.
const COST_PER_GATE: u64 = 10;
/// What a query counts for, in evaluated instructions: at least, and for each propagated literal.
const COST_OF_QUERY: u64 = 100_000;
const COST_PER_PROPAGATION: u64 = 30;
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
        // What atoms say of one of these words alone is known from its value.
        let is_told = |term: TermId| match support(&task.system.terms, &[term]).as_slice() {
            [symbol] => words.iter().any(|one| task.system.states[one.word].symbol == *symbol),
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
        let words = words.iter().map(|one| one.word).collect();
        Self { facts, words, atoms, numbers, met, counts, queue: BinaryHeap::new() }
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

    /// Whether a fact is about a word that counts time.
    fn is_left_out(&self, fact: Fact) -> bool {
        matches!(fact, Fact::Value(word, _) if !self.words.contains(&word))
    }

    fn at(&self, one: usize, other: usize) -> usize {
        one.min(other) * self.facts.len() + one.max(other)
    }

    /// Notes the facts of the state of an entry, and puts it into the queue where any are new.
    pub(super) fn enter(&mut self, entry: u32, facts: &[usize]) {
        let mut is_new = false;
        for (position, &one) in facts.iter().enumerate() {
            for &other in &facts[position..] {
                let at = self.at(one, other);
                is_new |= !self.met[at];
                self.met[at] = true;
            }
        }
        if is_new {
            let rarest = facts.iter().map(|&fact| self.counts[fact]).min().unwrap_or(0);
            self.queue.push(Reverse(((rarest + 1).ilog2(), 0, entry)));
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

/// Queries from one state.
pub(super) struct Lookahead<'s> {
    solver: BmcSolver<'s>,
    gates: u64,
    /// Frames that are looked at.
    frames: RangeInclusive<u32>,
    /// Literals of facts in frames, each of which implies the fact.
    facts: FxHashMap<(usize, u32), Lit>,
    queries: usize,
}

impl<'s> Lookahead<'s> {
    /// `None` where the step is too large to look so far ahead.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn new(
        task: &'s Task<'s>,
        (waiting, state): (Waiting, Vec<Value>),
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Self>, Stop> {
        let Some(gates) = Size::of(task.system).gates.map(|gates| gates as u64) else { return Ok(None) };
        let last = AHEAD[waiting.round];
        let first = waiting.round.checked_sub(1).map_or(0, |before| AHEAD[before]) + 1;
        if gates * u64::from(last) > MOST_GATES {
            return Ok(None);
        }
        *cost += gates * u64::from(last) * COST_PER_GATE;
        let solver = match BmcSolver::new(task, Start::Concrete(state), session) {
            Ok(solver) => solver,
            Err(EncodeError::TooLarge(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(Some(Self { solver, gates, frames: first..=last, facts: FxHashMap::default(), queries: 0 }))
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
            let before = self.solver.solver().propagations();
            let answer = session.solve_within(self.solver.solver(), &[asked, running], Some(CONFLICTS))?;
            let propagations = before
                .zip(self.solver.solver().propagations())
                .map_or(self.gates, |(before, after)| after - before);
            *cost += COST_OF_QUERY + propagations * COST_PER_PROPAGATION;
            match answer {
                Some(true) => return Ok(Some(self.solver.run(at))),
                // Nothing is new there as long as less is new.
                Some(false) => self.solver.solver().clause(&[!asked]),
                None => {}
            }
        }
        Ok(None)
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
            let literal = self.literal((*fact, novelty), at)?;
            if partners.is_empty() {
                wanted.push(literal);
                continue;
            }
            let both = self.solver.solver().fresh().positive();
            self.solver.solver().clause(&[!both, literal]);
            let mut clause = vec![!both];
            for &other in partners {
                clause.push(self.literal((other, novelty), at)?);
            }
            self.solver.solver().clause(&clause);
            wanted.push(both);
        }
        for &goal in goals {
            wanted.push(self.solver.event(goal, at - 1)?);
        }
        Ok(wanted)
    }

    /// A literal that implies a fact.
    fn literal(&mut self, (number, novelty): (usize, &Novelty), at: u32) -> Result<Lit, EncodeError> {
        if let Some(&known) = self.facts.get(&(number, at)) {
            return Ok(known);
        }
        let literal = match novelty.facts[number] {
            Fact::Value(word, value) => {
                let bits = self.solver.word(word, at)?;
                let literal = self.solver.solver().fresh().positive();
                for (place, bit) in bits.into_iter().enumerate() {
                    let bit = if value >> place & 1 == 1 { bit } else { !bit };
                    self.solver.solver().clause(&[!literal, bit]);
                }
                literal
            }
            Fact::Atom(atom, holds) => {
                let term = novelty.atoms[atom].expect("an atom that is a fact should say something");
                let truth = self.solver.truth(term, at)?;
                if holds { truth } else { !truth }
            }
        };
        self.facts.insert((number, at), literal);
        Ok(literal)
    }
}

/// Whether an atom holds, of packed truths.
fn holds(truths: &[u32], atom: usize) -> bool {
    truths[atom / PACK] >> (atom % PACK) & 1 == 1
}
