//! How the words of an unrolling's frames come about.

use super::{Frame, Start, Unrolling};
use crate::EncodeError;
use crate::aig::{Aig, Literal};
use crate::bits::BitBuilder;
use crate::blast::{SymbolWords, Words};
use crate::symbols::{Role, resolve};
use model::id::Id;
use model::system::StateId;
use model::term::{SymbolId, TermId};
use model::validate::Validated;
use std::collections::BTreeMap;

/// Reads symbols over the window that starts at frame `at`.
struct WindowSymbols<'a> {
    system: &'a Validated,
    frames: &'a mut Vec<Frame>,
    at: u32,
}

impl SymbolWords<Aig> for WindowSymbols<'_> {
    fn word(&mut self, aig: &mut Aig, symbol: SymbolId) -> Result<Vec<Literal>, EncodeError> {
        let width = self.system.terms.symbol(symbol).sort.width();
        let (role, offset) = match resolve(self.system, symbol) {
            Some((Role::Initial(_), _)) | None => return Err(unbound(self.system, symbol, "a step")),
            Some(resolved) => resolved,
        };
        let frame = self.at.checked_add(offset).ok_or(EncodeError::TooManyFrames)? as usize;
        if self.frames.len() <= frame {
            self.frames.resize_with(frame + 1, Frame::default);
        }
        let Frame { states, inputs, .. } = &mut self.frames[frame];
        match role {
            Role::State(state) => {
                let word = states.get(state.index(), width);
                Ok(word.expect("the state words that a term reads should be filled in first").to_vec())
            }
            Role::Input(input) => Ok(input_word(aig, inputs, input.index(), width)),
            Role::Initial(_) => unreachable!("initial inputs were sorted out above"),
        }
    }
}

/// Reads symbols of `init` terms and initial assumptions.
struct InitialSymbols<'a> {
    system: &'a Validated,
    inputs: &'a mut Words<Literal>,
}

impl SymbolWords<Aig> for InitialSymbols<'_> {
    fn word(&mut self, aig: &mut Aig, symbol: SymbolId) -> Result<Vec<Literal>, EncodeError> {
        let width = self.system.terms.symbol(symbol).sort.width();
        match resolve(self.system, symbol) {
            Some((Role::Initial(input), 0)) => Ok(input_word(aig, self.inputs, input.index(), width)),
            _ => Err(unbound(self.system, symbol, "the initial state")),
        }
    }
}

/// The word of an input, made free at its first use.
fn input_word(aig: &mut Aig, inputs: &mut Words<Literal>, number: usize, width: u32) -> Vec<Literal> {
    if !inputs.contains(number) {
        let word = free_word(aig, width);
        inputs.insert(number, &word);
    }
    inputs.get(number, width).expect("an input should have a word by now").to_vec()
}

fn free_word(aig: &mut Aig, width: u32) -> Vec<Literal> {
    (0..width).map(|_| aig.input()).collect()
}

fn unbound(system: &Validated, symbol: SymbolId, place: &'static str) -> EncodeError {
    EncodeError::UnboundSymbol { name: system.terms.symbol(symbol).name.clone(), place }
}

impl Unrolling<'_> {
    /// Makes the frames up to `at`.
    pub(super) fn grow(&mut self, at: u32) {
        if self.frames.len() <= at as usize {
            self.frames.resize_with(at as usize + 1, Frame::default);
        }
    }

    /// Fills in state words and all earlier ones that they need: first downwards which ones, then
    /// upwards their bits.
    pub(super) fn fill(&mut self, needed: &[(u32, StateId)]) -> Result<(), EncodeError> {
        let mut open: BTreeMap<u32, Vec<StateId>> = BTreeMap::new();
        for &(frame, state) in needed {
            self.grow(frame);
            self.request(&mut open, frame, state);
        }
        let mut plan = Vec::new();
        while let Some((frame, mut states)) = open.pop_last() {
            states.sort_unstable();
            states.dedup();
            if let Some(before) = frame.checked_sub(1) {
                for &state in &states {
                    let next = self.system.states[state].next;
                    let support = self.support.of(self.system, next);
                    for &(state, _) in support.iter() {
                        self.request(&mut open, before, state);
                    }
                }
            }
            plan.push((frame, states));
        }
        for (frame, states) in plan.into_iter().rev() {
            for state in states {
                let word = self.compute_state(state, frame)?;
                self.frames[frame as usize].states.insert(state.index(), &word);
            }
        }
        Ok(())
    }

    fn request(&self, open: &mut BTreeMap<u32, Vec<StateId>>, frame: u32, state: StateId) {
        if !self.frames[frame as usize].states.contains(state.index()) {
            open.entry(frame).or_default().push(state);
        }
    }

    fn compute_state(&mut self, state: StateId, frame: u32) -> Result<Vec<Literal>, EncodeError> {
        if let Some(before) = frame.checked_sub(1) {
            return self.term_word(self.system.states[state].next, before);
        }
        let width = self.width(state);
        match &self.start {
            Start::Free => Ok(self.free_state(state)),
            Start::Initial => self.initial_word(self.system.states[state].init),
            Start::Concrete(values) => {
                Ok(self.aig.constant_word(width as usize, values[state.index()].bits()))
            }
            Start::Partial(values) => match values[self.representative(state).index()] {
                Some(value) => Ok(self.aig.constant_word(width as usize, value.bits())),
                None => Ok(self.free_state(state)),
            },
        }
    }

    /// The free word of a state word in frame 0, or of the one that it is identified with.
    fn free_state(&mut self, state: StateId) -> Vec<Literal> {
        let (own, width) = (self.representative(state), self.width(state));
        let states = &mut self.frames[0].states;
        if !states.contains(own.index()) {
            states.insert(own.index(), &free_word(&mut self.aig, width));
        }
        states.get(own.index(), width).expect("a word should be there by now").to_vec()
    }

    /// The word of a term at frame `at`, whose state words are filled in.
    pub(super) fn term_word(&mut self, term: TermId, at: u32) -> Result<Vec<Literal>, EncodeError> {
        self.grow(at);
        let mut words = std::mem::take(&mut self.frames[at as usize].terms);
        let (size, nodes) = (words.size(), self.aig.ands());
        let Self { system, frames, blaster, aig, .. } = self;
        let mut window = WindowSymbols { system, frames, at };
        let blasted = blaster.blast(term, &mut words, aig, &mut window);
        let word = blaster.known(term, &words).map(<[Literal]>::to_vec);
        self.memo += words.size() - size;
        let frame = &mut self.frames[at as usize];
        frame.terms = words;
        frame.cost.nodes += (self.aig.ands() - nodes) as u64;
        if self.memo > self.memo_limit {
            self.forget_but(at);
        }
        blasted.map(|()| word.expect("a term should be known once it was blasted"))
    }

    /// The word of a term over initial inputs.
    pub(super) fn initial_word(&mut self, term: TermId) -> Result<Vec<Literal>, EncodeError> {
        let Self { system, initial, blaster, aig, .. } = self;
        let mut leaves = InitialSymbols { system, inputs: &mut initial.inputs };
        blaster.blast(term, &mut initial.terms, aig, &mut leaves)?;
        let word = blaster.known(term, &initial.terms);
        Ok(word.expect("a term should be known once it was blasted").to_vec())
    }

    /// Drops the memos of all frames but one.
    fn forget_but(&mut self, kept: u32) {
        for (number, frame) in self.frames.iter_mut().enumerate() {
            if number != kept as usize {
                frame.terms = Words::default();
            }
        }
        self.memo = self.frames[kept as usize].terms.size();
    }
}
