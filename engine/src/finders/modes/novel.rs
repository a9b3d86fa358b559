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
use crate::step::size::Size;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::id::Id;
use model::system::StateId;
use model::trace::Trace;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

/// Steps that a query looks ahead: so many at first, and more where that came to nothing.
const AHEAD: [u32; 4] = [1, 4, 9, 16];
/// Gates that are unrolled for one state at most.
const MOST_GATES: u64 = 1_000_000;
/// Conflicts of one query.
const CONFLICTS: u64 = 300;
/// Queries from one state, each of which has found something, until others have their turn.
const MOST_IN_A_ROW: usize = 16;
/// What is unrolled counts for so many evaluated instructions for each gate.
const COST_PER_GATE: u64 = 10;
/// What a query counts for, in evaluated instructions for each propagated literal.
const COST_PER_PROPAGATION: u64 = 30;
/// Most values of all words together.
const MOST_FACTS: usize = 2_000;

/// A word has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fact {
    word: StateId,
    value: u64,
}

/// Which facts and pairs of facts were met.
pub(super) struct Novelty {
    facts: Vec<Fact>,
    numbers: FxHashMap<Fact, usize>,
    /// For each two facts: whether a state was met that has both; the same twice stands for one.
    met: Vec<bool>,
    /// For each fact: in how many states that were new it was met.
    counts: Vec<u32>,
    /// States to go on from: those with the rarest facts first, of such those that were looked ahead
    /// from least.
    queue: BinaryHeap<Reverse<(u32, usize, u32)>>,
    /// Words that count time: their values are none that matter.
    timers: Vec<StateId>,
}

impl Novelty {
    pub(super) fn new(words: &[Discrete]) -> Self {
        let of = |one: &Discrete| {
            one.values.iter().map(|&value| Fact { word: one.word, value }).collect::<Vec<_>>()
        };
        let mut facts: Vec<Fact> = words.iter().flat_map(of).collect();
        facts.truncate(MOST_FACTS);
        let numbers = facts.iter().enumerate().map(|(number, &fact)| (fact, number)).collect();
        let met = vec![false; facts.len() * facts.len()];
        let counts = vec![0; facts.len()];
        Self { facts, numbers, met, counts, queue: BinaryHeap::new(), timers: Vec::new() }
    }

    /// Leaves a word out from now on.
    pub(super) fn leave_out(&mut self, word: StateId) {
        self.timers.push(word);
    }

    /// The facts of a state.
    fn of(&self, state: &[u64]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut last = None;
        for fact in &self.facts {
            if last != Some(fact.word) && !self.timers.contains(&fact.word) {
                last = Some(fact.word);
                let own = Fact { word: fact.word, value: state[fact.word.index()] };
                found.extend(self.numbers.get(&own));
            }
        }
        found
    }

    fn at(&self, one: usize, other: usize) -> usize {
        one.min(other) * self.facts.len() + one.max(other)
    }

    /// Notes the facts of the state of an entry, and puts it into the queue where any are new.
    pub(super) fn enter(&mut self, entry: u32, state: &[u64]) {
        let facts = self.of(state);
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
    pub(super) fn next(&mut self) -> Option<Outlook> {
        self.queue.pop().map(|Reverse((rank, round, entry))| Outlook { rank, round, entry })
    }

    /// Puts off what came to nothing until the others have looked as far ahead.
    pub(super) fn put_off(&mut self, outlook: Outlook) {
        let Outlook { rank, round, entry } = outlook;
        if round + 1 < AHEAD.len() {
            self.queue.push(Reverse((rank, round + 1, entry)));
        }
    }
}

/// The state of an entry, and how often was looked ahead from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    rank: u32,
    round: usize,
    pub(super) entry: u32,
}

/// Queries from one state.
pub(super) struct Ahead<'s> {
    solver: BmcSolver<'s>,
    gates: u64,
    /// Frames that are looked at.
    frames: RangeInclusive<u32>,
    /// Literals of facts in frames, each of which implies the fact.
    facts: FxHashMap<(usize, u32), Lit>,
    queries: usize,
}

impl<'s> Ahead<'s> {
    /// `None` where the step is too large to look so far ahead.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn new(
        task: &'s Task<'s>,
        (outlook, state): (Outlook, Vec<Value>),
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Self>, Stop> {
        let Some(gates) = Size::of(task.system).gates.map(|gates| gates as u64) else { return Ok(None) };
        let last = AHEAD[outlook.round];
        let first = outlook.round.checked_sub(1).map_or(0, |before| AHEAD[before]) + 1;
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

    /// An execution from the state to what is new.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn ask(
        &mut self,
        (state, novelty): (&[u64], &Novelty),
        goals: &[Vertex],
        session: &Session<'_>,
        cost: &mut u64,
    ) -> Result<Option<Trace>, Stop> {
        if self.queries == MOST_IN_A_ROW {
            return Ok(None);
        }
        self.queries += 1;
        let frames = self.frames.clone();
        for at in frames {
            let wanted = self.wanted(at, (state, novelty), goals)?;
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
            *cost += propagations * COST_PER_PROPAGATION;
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
        (state, novelty): (&[u64], &Novelty),
        goals: &[Vertex],
    ) -> Result<Vec<Lit>, EncodeError> {
        let own = novelty.of(state);
        let mut wanted = Vec::new();
        for (number, &fact) in novelty.facts.iter().enumerate() {
            if own.contains(&number) || novelty.timers.contains(&fact.word) {
                continue;
            }
            let is_new = !novelty.met[novelty.at(number, number)];
            let partners: Vec<usize> = own
                .iter()
                .copied()
                .filter(|&other| {
                    novelty.facts[other].word != fact.word && !novelty.met[novelty.at(number, other)]
                })
                .collect();
            if !is_new && partners.is_empty() {
                continue;
            }
            let literal = self.holds((number, fact), at)?;
            if is_new {
                wanted.push(literal);
                continue;
            }
            let both = self.solver.solver().fresh().positive();
            self.solver.solver().clause(&[!both, literal]);
            let mut clause = vec![!both];
            for other in partners {
                clause.push(self.holds((other, novelty.facts[other]), at)?);
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
    fn holds(&mut self, (number, fact): (usize, Fact), at: u32) -> Result<Lit, EncodeError> {
        if let Some(&known) = self.facts.get(&(number, at)) {
            return Ok(known);
        }
        let bits = self.solver.word(fact.word, at)?;
        let literal = self.solver.solver().fresh().positive();
        for (place, bit) in bits.into_iter().enumerate() {
            let bit = if fact.value >> place & 1 == 1 { bit } else { !bit };
            self.solver.solver().clause(&[!literal, bit]);
        }
        self.facts.insert((number, at), literal);
        Ok(literal)
    }
}
