//! Unrolling of a transition system, frame by frame and on demand.
//!
//! Frame k of an [`Unrolling`] holds the words of state k and the inputs of step k. Nothing is
//! encoded in advance: a query for a term at a frame computes which state words it needs there,
//! which ones those need one frame earlier, and so on down to words that are known already or to
//! the start; then fills them in, frame by frame upwards. Hence neither the stack nor the cost per
//! frame grows with the depth, and what nobody asks about costs nothing. All frames share one
//! [and-inverter graph](crate::aig): a frame that equals an earlier one, or that starts from a
//! concrete state and does not depend on inputs, adds no node. Clauses are made for the cone of the
//! asked literal alone.

use crate::EncodeError;
use crate::aig::{Aig, Literal};
use crate::blast::{Blaster, Bounds, Words};
use crate::cnf::Cnf;
use crate::symbols::Support;
use model::id::Id;
use model::sort::Sort;
use model::system::StateId;
use model::term::TermId;
use model::validate::Validated;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, Lit};
use std::sync::OnceLock;

mod fill;
mod lift;
#[cfg(test)]
mod tests;

/// Where an unrolling starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In any state; [`Unrolling::strengthen`] restricts it.
    Free,
    /// In the initial states: `init` terms over free initial inputs.
    /// [`Unrolling::running`] then includes the initial assumptions.
    Initial,
    /// In this state: one value for each state word, in order of their ids.
    Concrete(Vec<Value>),
    /// In some state in which these words have these values: the others are free.
    Partial(Vec<Option<Value>>),
}

impl Start {
    /// The value of a state word, if it is fixed.
    fn value(&self, state: StateId) -> Option<Value> {
        match self {
            Self::Free | Self::Initial => None,
            Self::Concrete(values) => Some(values[state.index()]),
            Self::Partial(values) => values[state.index()],
        }
    }

    /// Whether the values it fixes fit these sorts of state words.
    fn fits(&self, sorts: impl Iterator<Item = Sort>) -> bool {
        let sorts: Vec<Sort> = sorts.collect();
        let fits = |(value, sort): (Option<Value>, &Sort)| value.is_none_or(|value| value.sort() == *sort);
        match self {
            Self::Free | Self::Initial => true,
            Self::Concrete(values) => values.iter().map(|value| value.sort()).eq(sorts),
            Self::Partial(values) => {
                values.len() == sorts.len() && values.iter().copied().zip(&sorts).all(fits)
            }
        }
    }
}

/// The words of one frame.
#[derive(Clone, Default)]
struct Frame {
    /// By state word.
    states: Words<Literal>,
    /// By input.
    inputs: Words<Literal>,
    /// Memo of the blaster, for terms whose window starts here.
    terms: Words<Literal>,
    cost: FrameCost,
}

/// What was made for the sake of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Nodes of the graph: circuits over this frame's words.
    pub nodes: u64,
    /// Variables of the sink: for literals asked at this frame.
    pub variables: u64,
    /// Clauses: for literals asked at this frame.
    pub clauses: u64,
}

/// What an unrolling has cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Conjunctions of the graph.
    pub conjunctions: u64,
    /// Free inputs of the graph, in bits.
    pub inputs: u64,
    /// Variables of the sink.
    pub variables: u64,
    /// Clauses.
    pub clauses: u64,
    /// By frame.
    pub frames: Vec<FrameCost>,
}

/// Entries of the frames' memos above which all but the current one are dropped. They are a matter
/// of speed alone: a term blasted again gets the same literals.
const MEMO_LIMIT: usize = 1 << 24;

/// How often a predicate is fixed that is no constant afterwards.
const FIXED_ANEW: usize = 4;

/// A system unrolled from a [`Start`]; see the module text.
///
/// It owns no solver. Several unrollings may write into one sink, but all calls on one unrolling
/// must get the same sink, in which it remembers its variables.
#[derive(Clone)]
pub struct Unrolling<'s> {
    system: &'s Validated,
    support: Support,
    start: Start,
    /// Words that are another one in frame 0.
    identified: FxHashMap<StateId, StateId>,
    aig: Aig,
    blaster: Blaster<'s>,
    cnf: Cnf,
    frames: Vec<Frame>,
    /// The initial inputs, and the memo of terms over them.
    initial: Frame,
    /// Entry k: [`Unrolling::running`] of k steps.
    running: Vec<Lit>,
    /// Size of all frames' memos together.
    memo: usize,
    memo_limit: usize,
    evaluators: OnceLock<lift::Evaluators>,
}

impl<'s> Unrolling<'s> {
    /// Without any frame encoded.
    ///
    /// # Panics
    /// If a start with values does not have one of the right sort for each state word, as far as
    /// they are fixed.
    pub fn new(system: &'s Validated, start: Start) -> Self {
        let sorts = system.states.values().map(|state| system.terms.symbol(state.symbol).sort);
        assert!(start.fits(sorts), "a start should fit the state words");
        Self {
            system,
            support: Support::default(),
            start,
            identified: FxHashMap::default(),
            aig: Aig::new(),
            blaster: Blaster::new(&system.terms),
            cnf: Cnf::new(),
            frames: Vec::new(),
            initial: Frame::default(),
            running: Vec::new(),
            memo: 0,
            memo_limit: MEMO_LIMIT,
            evaluators: OnceLock::new(),
        }
    }
    /// The same, giving up beyond these bounds.
    pub fn bounded(mut self, bounds: Bounds) -> Self {
        self.blaster.bound(bounds);
        self
    }
    /// From a state in which two words of one sort are equal: frame 0 has one word for both, so
    /// that the circuits over either are the same. To be called before anything is encoded. Where
    /// both are fixed nothing is done.
    ///
    /// # Panics
    /// If the start is the initial state or a concrete one, or something was encoded.
    pub fn identify(&mut self, [left, right]: [StateId; 2]) {
        assert!(self.frames.is_empty(), "words should be identified before anything is encoded");
        let (left, right) = (self.representative(left), self.representative(right));
        let (own, other) = (left.min(right), left.max(right));
        match &mut self.start {
            Start::Free => {}
            Start::Partial(values) => match (values[own.index()], values[other.index()]) {
                (Some(_), Some(_)) => return,
                (None, fixed) => values[own.index()] = fixed,
                (Some(_), None) => {}
            },
            Start::Initial | Start::Concrete(_) => panic!("only words of a free state can be identified"),
        }
        if own != other {
            self.identified.insert(other, own);
        }
    }
    /// Asserts for good that a predicate over frame 0 has this value, and takes it for a constant
    /// in all circuits that are made from now on.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn fix(
        &mut self,
        predicate: TermId,
        value: bool,
        sink: &mut dyn ClauseSink,
    ) -> Result<(), EncodeError> {
        // Made anew of what was fixed, a predicate may be another literal.
        for _ in 0..FIXED_ANEW {
            let holds = self.truth(predicate, 0)?.flipped(!value);
            let asserted = self.encode(holds, 0, sink);
            sink.clause(&[asserted]);
            if holds.constant().is_some() {
                break;
            }
            self.aig.fix(holds);
            // What was made before does not know it.
            let made = std::mem::take(&mut self.frames[0].terms);
            self.memo -= made.size();
        }
        Ok(())
    }
    /// Takes the word of a term at frame `at` for that of another one, which is to be known to be
    /// equal there: what is made from now on has the circuits of the first one alone.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    ///
    /// # Panics
    /// If the terms differ in width.
    pub fn merge(&mut self, [kept, other]: [TermId; 2], at: u32) -> Result<(), EncodeError> {
        let word = self.word(kept, at)?;
        let words = &mut self.frames[at as usize].terms;
        let size = words.size();
        self.blaster.give(other, words, &word);
        self.memo += words.size() - size;
        Ok(())
    }
    /// The word that a word is in frame 0.
    fn representative(&self, mut state: StateId) -> StateId {
        while let Some(&other) = self.identified.get(&state) {
            state = other;
        }
        state
    }
    /// The system.
    pub fn system(&self) -> &'s Validated {
        self.system
    }
    /// Where it starts.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The truth of a predicate over the window that starts at frame `at`.
    ///
    /// # Errors
    /// Where the predicate is no truth, reads a symbol that is neither a state word nor an input,
    /// or its window ends beyond the last frame number.
    pub fn literal(
        &mut self,
        predicate: TermId,
        at: u32,
        sink: &mut dyn ClauseSink,
    ) -> Result<Lit, EncodeError> {
        let literal = self.truth(predicate, at)?;
        Ok(self.encode(literal, at, sink))
    }
    /// The bits of a term over the window that starts at frame `at`, least significant first.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn word_literals(
        &mut self,
        term: TermId,
        at: u32,
        sink: &mut dyn ClauseSink,
    ) -> Result<Vec<Lit>, EncodeError> {
        let word = self.word(term, at)?;
        Ok(word.into_iter().map(|literal| self.encode(literal, at, sink)).collect())
    }
    /// The bits of a state word at frame `at`, least significant first.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn state_literals(
        &mut self,
        state: StateId,
        at: u32,
        sink: &mut dyn ClauseSink,
    ) -> Result<Vec<Lit>, EncodeError> {
        let word = self.state_word(state, at)?;
        Ok(word.into_iter().map(|literal| self.encode(literal, at, sink)).collect())
    }
    /// The literal that is fixed to true.
    pub fn fixed_true(&mut self, sink: &mut dyn ClauseSink) -> Lit {
        self.cnf.truth(sink)
    }
    /// A literal that implies that the steps 0 .. `steps` satisfy the assumptions (and, from
    /// [`Start::Initial`], that the initial inputs satisfy theirs). To ask for an execution of
    /// `steps` steps, assume it. It implies the literal of every smaller number of steps; an
    /// execution may end in a state without successor, so the assumptions of step `steps` are not
    /// included.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn running(&mut self, steps: u32, sink: &mut dyn ClauseSink) -> Result<Lit, EncodeError> {
        if self.running.is_empty() {
            let conditions = self.initial_assumptions()?;
            let truth = self.fixed_true(sink);
            let literal = self.conjoin(truth, &conditions, 0, sink);
            self.running.push(literal);
        }
        while self.running.len() <= steps as usize {
            let step = self.running.len() as u32 - 1;
            let system = self.system;
            let terms = system.assumptions.iter().map(|assumption| assumption.condition);
            let conditions: Vec<Literal> =
                terms.map(|term| self.truth(term, step)).collect::<Result<_, _>>()?;
            let literal = self.conjoin(self.running[step as usize], &conditions, step, sink);
            self.running.push(literal);
        }
        Ok(self.running[steps as usize])
    }
    /// Asserts for good that a state predicate holds in frame 0: for a [`Start::Free`] and a
    /// predicate that is known to hold in all reachable states.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn strengthen(&mut self, invariant: TermId, sink: &mut dyn ClauseSink) -> Result<(), EncodeError> {
        self.assert(invariant, 0, sink)
    }
    /// Asserts for good that a predicate holds of the window that starts at frame `at`.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn assert(
        &mut self,
        predicate: TermId,
        at: u32,
        sink: &mut dyn ClauseSink,
    ) -> Result<(), EncodeError> {
        let literal = self.truth(predicate, at)?;
        if literal != Literal::TRUE {
            let literal = self.encode(literal, at, sink);
            sink.clause(&[literal]);
        }
        Ok(())
    }

    /// The truth of a predicate as a literal of the graph, without any clause; its
    /// [`constant`](Literal::constant) tells whether folding decided it.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`]; and if the term is not a truth.
    pub fn truth(&mut self, predicate: TermId, at: u32) -> Result<Literal, EncodeError> {
        let sort = self.system.terms.sort(predicate);
        if sort != Sort::TRUTH {
            return Err(EncodeError::NoTruth { sort: sort.to_string(), term: predicate });
        }
        Ok(self.word(predicate, at)?[0])
    }
    /// The word of a term as literals of the graph, without any clause.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn word(&mut self, term: TermId, at: u32) -> Result<Vec<Literal>, EncodeError> {
        let support = self.support.of(self.system, term);
        let mut needed = Vec::with_capacity(support.len());
        for &(state, offset) in support.iter() {
            needed.push((at.checked_add(offset).ok_or(EncodeError::TooManyFrames)?, state));
        }
        self.fill(&needed)?;
        self.term_word(term, at)
    }
    /// A state word as literals of the graph, without any clause.
    ///
    /// # Errors
    /// As for [`Unrolling::literal`].
    pub fn state_word(&mut self, state: StateId, at: u32) -> Result<Vec<Literal>, EncodeError> {
        self.fill(&[(at, state)])?;
        let word = self.frames[at as usize].states.get(state.index(), self.width(state));
        Ok(word.expect("a state word should be known once it was filled").to_vec())
    }
    /// The solver's literal of a literal of the graph, with clauses for all it depends on; frame
    /// `at` bears the cost.
    pub fn encode(&mut self, literal: Literal, at: u32, sink: &mut dyn ClauseSink) -> Lit {
        let (variables, clauses) = (self.cnf.variables(), self.cnf.clauses());
        let encoded = self.cnf.literal(&self.aig, literal, sink);
        self.grow(at);
        let cost = &mut self.frames[at as usize].cost;
        cost.variables += u64::from(self.cnf.variables() - variables);
        cost.clauses += self.cnf.clauses() - clauses;
        encoded
    }
    /// The graph, to combine literals of [`Unrolling::truth`] before they are
    /// [encoded](Unrolling::encode).
    pub fn graph(&mut self) -> &mut Aig {
        &mut self.aig
    }
    /// What was made so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            conjunctions: self.aig.ands() as u64,
            inputs: self.aig.inputs() as u64,
            variables: u64::from(self.cnf.variables()),
            clauses: self.cnf.clauses(),
            frames: self.frames.iter().map(|frame| frame.cost).collect(),
        }
    }

    fn width(&self, state: StateId) -> u32 {
        self.system.terms.symbol(self.system.states[state].symbol).sort.width()
    }

    fn initial_assumptions(&mut self) -> Result<Vec<Literal>, EncodeError> {
        if self.start != Start::Initial {
            return Ok(Vec::new());
        }
        let system = self.system;
        let terms = system.initial_assumptions.iter().map(|assumption| assumption.condition);
        terms.map(|term| Ok(self.initial_word(term)?[0])).collect()
    }

    /// A literal that implies `before` and all conditions; one of the given ones where that
    /// suffices.
    fn conjoin(&mut self, before: Lit, conditions: &[Literal], at: u32, sink: &mut dyn ClauseSink) -> Lit {
        if conditions.contains(&Literal::FALSE) {
            return self.encode(Literal::FALSE, at, sink);
        }
        let mut parts = vec![before];
        for &condition in conditions {
            parts.push(self.encode(condition, at, sink));
        }
        self.cnf.implying(&parts, sink)
    }
}
