//! What a step would have done otherwise, and where that is seen.
//!
//! A value of a step is *observable within d steps* if an output differs, in that step or in one of
//! the d steps behind it, from the execution in which the value was the opposite in that step, and
//! which has gone on from there under the same inputs (Whalen et al., *Observable modified
//! condition/decision coverage*, ICSE 2013, there by tags that err to both sides).
//!
//! The second execution is no part of the system: its words and outputs are terms over the window,
//! made by putting the inverted step into the frame of the value, and the original step into the
//! frames behind it. A word of memory is observable in the same way, where the second execution
//! begins with another value of it. So a goal that asks for it changes nothing, and many of them
//! stand side by side. Where the second execution has no meaning any more - it breaks an assumption,
//! ends, or does what the source language leaves undefined - nothing that follows is seen.

use crate::product::{Observation, Unmatched, open_hazards};
use crate::sort::Sort;
use crate::system::{StateId, TransitionSystem};
use crate::term::{SymbolId, TermId, TermPool};
use crate::validate::{Meaning, Validated};
use crate::visit::{Substitution, Transfer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A step in other systems than the original: there it has all words that either of the two writes.
#[derive(Clone, Copy)]
pub struct Otherwise<'v> {
    /// The step with the value inverted, and how its outputs belong to the original's.
    pub inverted: (&'v Validated, &'v Observation),
    /// The step without that, right in all states that the other one leads to.
    pub plain: (&'v Validated, &'v Observation),
}

/// Where a difference may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The step, counted from the first of the window.
    pub frame: u32,
    /// The position of the output in the original.
    pub output: usize,
    /// Truth over the window: it is seen there.
    pub differs: TermId,
    /// The value of the output in the other execution.
    pub other: TermId,
}

/// The words of a system by name, with their sorts.
type Words = FxHashMap<String, (StateId, Sort)>;

/// Values of the words of an execution at the beginning of a step.
type Memory = FxHashMap<String, TermId>;

/// An original system whose steps are compared with what they would have done.
pub struct Observer<'s> {
    system: &'s mut TransitionSystem,
    /// Conditions over (state, input) that hold in each step that has a meaning.
    defined: Vec<TermId>,
    words: Words,
    inputs: FxHashMap<String, (SymbolId, Sort)>,
}

/// One frame of a window.
struct Frame {
    number: u32,
    /// Terms of the original, in this frame.
    own: Substitution,
    /// What the original assumes here, so that it need not be said again.
    assumed: FxHashSet<TermId>,
    /// Hazards that the original excludes here.
    excluded: FxHashSet<TermId>,
    /// The original's memory by the names of the plain step's words.
    memory: Memory,
    /// Terms of the plain step, from that memory.
    plain: Transfer,
}

impl<'s> Observer<'s> {
    /// `defined` are conditions over (state, input) of the system, all of which hold in a step that
    /// does not end the program.
    pub fn new(system: &'s mut TransitionSystem, defined: &[TermId]) -> Self {
        let hazards: Vec<TermId> = open_hazards(system).collect();
        let mut all = defined.to_vec();
        all.extend(hazards.into_iter().map(|hazard| system.terms.not(hazard)));
        let named = |symbol: SymbolId| {
            let symbol = system.terms.symbol(symbol);
            (symbol.name.clone(), symbol.sort)
        };
        let word = |(id, state): (StateId, &crate::system::State)| {
            let (name, sort) = named(state.symbol);
            (name, (id, sort))
        };
        let words = system.states.iter().map(word).collect();
        let input = |input: &crate::system::Input| {
            let (name, sort) = named(input.symbol);
            (name, (input.symbol, sort))
        };
        let inputs = system.inputs.values().map(input).collect();
        Self { defined: all, words, inputs, system }
    }

    /// Where it may be seen within so many further steps that a value was not the opposite; nothing
    /// where the two executions are alike by their terms.
    ///
    /// # Errors
    /// Where the steps read what the original does not have; see [`Unmatched`].
    pub fn sights(&mut self, otherwise: Otherwise<'_>, depth: u32) -> Result<Vec<Sight>, Unmatched> {
        let memory = self.first_memory(otherwise);
        self.follow(otherwise, memory, 0..depth + 1)
    }

    /// Where it may be seen in these frames that a word of memory had its own value and not another
    /// one in front of the first of them. `same` is the original itself, and what is seen of it.
    ///
    /// # Errors
    /// As for [`Observer::sights`]; a word that the original does not have.
    pub fn altered(
        &mut self,
        same: (&Validated, &Observation),
        (word, value): (StateId, TermId),
        frames: Range<u32>,
    ) -> Result<Vec<Sight>, Unmatched> {
        let name = same.0.state_name(word).to_owned();
        let mut memory = self.own_memory(same.0, frames.start);
        match memory.get_mut(&name) {
            Some(known) => *known = value,
            None => return Err(Unmatched::Memory(name)),
        }
        self.follow(Otherwise { inverted: same, plain: same }, memory, frames)
    }

    /// Where it may be seen in these frames that the other execution has this memory in front of the
    /// first of them, in which it makes the inverted step.
    fn follow(
        &mut self,
        otherwise: Otherwise<'_>,
        mut memory: Memory,
        frames: Range<u32>,
    ) -> Result<Vec<Sight>, Unmatched> {
        let mut goes_on = self.system.terms.truth(true);
        let mut sights = Vec::new();
        for number in frames.clone() {
            let is_first = number == frames.start;
            let (version, seen) = if is_first { otherwise.inverted } else { otherwise.plain };
            let mut frame = self.frame(number, otherwise.plain.0)?;
            let mut copies = Transfer::new();
            self.check_calls(&mut frame, &mut copies, (version, otherwise.plain.0), &memory)?;
            goes_on = self.holds_here(&mut frame, goes_on);
            for condition in conditions(version, seen) {
                let copy = self.copy(&mut copies, version, &memory, number, condition.term)?;
                let known = if condition.is_excluded { &frame.excluded } else { &frame.assumed };
                if !known.contains(&copy) {
                    let holds = if condition.is_excluded { self.system.terms.not(copy) } else { copy };
                    goes_on = self.system.terms.and(goes_on, holds);
                }
            }
            for &(output, position) in &seen.outputs {
                let other =
                    self.copy(&mut copies, version, &memory, number, version.outputs[position].value)?;
                let plain = otherwise.plain.0.outputs[position].value;
                if other == self.plain_copy(&mut frame, otherwise.plain.0, plain)? {
                    continue;
                }
                let value = self.system.outputs[output].value;
                let own = frame.own.apply(&mut self.system.terms, value);
                let terms = &mut self.system.terms;
                let is_equal = terms.agree(own, other);
                let is_other = terms.not(is_equal);
                let differs = terms.and(goes_on, is_other);
                if terms.as_const(differs).is_none_or(|value| value.is_true()) {
                    sights.push(Sight { frame: number, output, differs, other });
                }
            }
            if number + 1 < frames.end {
                memory = self.next_memory(&mut frame, (version, otherwise.plain.0), &mut copies, &memory)?;
            }
        }
        Ok(sights)
    }

    /// The memory in front of the step of the value: the original's. The plain step has all words that
    /// either of the two writes, so it says which of them are kept.
    fn first_memory(&mut self, otherwise: Otherwise<'_>) -> Memory {
        let plain = otherwise.plain.0;
        let names: FxHashSet<&str> = plain.states.ids().map(|id| plain.state_name(id)).collect();
        let mut memory = self.own_memory(otherwise.inverted.0, 0);
        memory.retain(|name, _| !names.contains(&**name));
        memory.extend(self.own_memory(plain, 0));
        memory
    }

    /// The symbol of the original's word of a name and sort.
    fn word(&self, name: &str, sort: Sort) -> Option<SymbolId> {
        let (id, known) = self.words.get(name)?;
        (*known == sort).then(|| self.system.states[*id].symbol)
    }

    fn frame(&mut self, number: u32, plain: &Validated) -> Result<Frame, Unmatched> {
        let states = self.system.states.values().map(|state| state.symbol);
        let symbols: Vec<SymbolId> =
            states.chain(self.system.inputs.values().map(|input| input.symbol)).collect();
        let terms = &mut self.system.terms;
        let replacements: Vec<(SymbolId, TermId)> =
            symbols.into_iter().map(|symbol| (symbol, terms.framed(symbol, number))).collect();
        let own = Substitution::new(terms, replacements);
        let mut frame = Frame {
            number,
            own,
            assumed: FxHashSet::default(),
            excluded: FxHashSet::default(),
            memory: self.own_memory(plain, number),
            plain: Transfer::new(),
        };
        for condition in assumptions(self.system) {
            let framed = frame.own.apply(&mut self.system.terms, condition);
            frame.assumed.insert(framed);
        }
        for hazard in open_hazards(self.system).collect::<Vec<_>>() {
            let framed = frame.own.apply(&mut self.system.terms, hazard);
            frame.excluded.insert(framed);
        }
        for condition in assumptions(plain) {
            let copy = self.plain_copy(&mut frame, plain, condition)?;
            frame.assumed.insert(copy);
        }
        for hazard in open_hazards(plain) {
            let copy = self.plain_copy(&mut frame, plain, hazard)?;
            frame.excluded.insert(copy);
        }
        Ok(frame)
    }

    /// The original's memory by the names of another version's words. Those that neither of the two
    /// writes have their first value for ever; what the original writes and does not keep, because
    /// it never reads it, is not known.
    fn own_memory(&mut self, version: &Validated, number: u32) -> Memory {
        let mut memory = Memory::default();
        for state in version.states.values() {
            let symbol = version.terms.symbol(state.symbol);
            let value = match self.word(&symbol.name, symbol.sort) {
                Some(own) => Some(self.system.terms.framed(own, number)),
                None => {
                    let first = version.terms.as_const(state.init);
                    let keeps = version.terms.as_symbol(state.next) == Some(state.symbol);
                    first.filter(|_| keeps).map(|value| self.system.terms.constant(value))
                }
            };
            memory.extend(value.map(|value| (symbol.name.clone(), value)));
        }
        memory
    }

    /// `so_far`, and the original has a meaning in this frame.
    fn holds_here(&mut self, frame: &mut Frame, so_far: TermId) -> TermId {
        let mut holds = so_far;
        for condition in self.defined.clone() {
            let framed = frame.own.apply(&mut self.system.terms, condition);
            holds = self.system.terms.and(holds, framed);
        }
        holds
    }

    /// A term of the plain step from the original's memory: what the original does, in its terms.
    fn plain_copy(
        &mut self,
        frame: &mut Frame,
        plain: &Validated,
        root: TermId,
    ) -> Result<TermId, Unmatched> {
        self.copy(&mut frame.plain, plain, &frame.memory, frame.number, root)
    }

    /// A term of another system, from some memory and under the original's inputs.
    fn copy(
        &mut self,
        copies: &mut Transfer,
        version: &Validated,
        memory: &Memory,
        number: u32,
        root: TermId,
    ) -> Result<TermId, Unmatched> {
        let mut missing = None;
        let inputs = &self.inputs;
        let symbol = |pool: &mut TermPool, symbol: SymbolId| {
            let declared = version.terms.symbol(symbol);
            let is_memory = matches!(version.meaning(symbol), Meaning::State(_));
            let known = match is_memory {
                true => memory.get(&declared.name).copied(),
                false => {
                    let input = inputs.get(&declared.name).filter(|(_, sort)| *sort == declared.sort);
                    input.map(|&(own, _)| pool.framed(own, number))
                }
            };
            known.unwrap_or_else(|| {
                let name = declared.name.clone();
                missing = Some(if is_memory { Unmatched::Memory(name) } else { Unmatched::Input(name) });
                let fresh = pool.fresh_symbol(&declared.name, declared.sort);
                pool.symbol_term(fresh)
            })
        };
        let copy = copies.copy(&version.terms, &mut self.system.terms, root, symbol);
        missing.map_or(Ok(copy), Err)
    }

    /// Results of external calls are inputs; they are alike only where the calls are.
    fn check_calls(
        &mut self,
        frame: &mut Frame,
        copies: &mut Transfer,
        (version, plain): (&Validated, &Validated),
        memory: &Memory,
    ) -> Result<(), Unmatched> {
        for call in &version.external_calls {
            let name = version.input_name(call.input);
            let is_it = |known: &&crate::external::Call| plain.input_name(known.input) == name;
            let known = plain.external_calls.iter().find(is_it).ok_or(Unmatched::Call)?;
            if known.function != call.function || known.arguments.len() != call.arguments.len() {
                return Err(Unmatched::Call);
            }
            for (&own, &other) in known.arguments.iter().zip(&call.arguments) {
                let other = self.copy(copies, version, memory, frame.number, other)?;
                if self.plain_copy(frame, plain, own)? != other {
                    return Err(Unmatched::Call);
                }
            }
        }
        Ok(())
    }

    /// The memory behind a step. A word that changes as the original's is that word.
    fn next_memory(
        &mut self,
        frame: &mut Frame,
        (version, plain): (&Validated, &Validated),
        copies: &mut Transfer,
        memory: &Memory,
    ) -> Result<Memory, Unmatched> {
        let mut next = memory.clone();
        let named = |id| (plain.state_name(id), plain.states[id].next);
        let twins: FxHashMap<&str, TermId> = plain.states.ids().map(named).collect();
        for state in version.states.values() {
            let symbol = version.terms.symbol(state.symbol);
            let value = self.copy(copies, version, memory, frame.number, state.next)?;
            let is_alike = match twins.get(&*symbol.name) {
                Some(&twin) => self.plain_copy(frame, plain, twin)? == value,
                None => false,
            };
            let own = self.word(&symbol.name, symbol.sort).filter(|_| is_alike);
            let value = own.map_or(value, |own| self.system.terms.framed(own, frame.number + 1));
            next.insert(symbol.name.clone(), value);
        }
        Ok(next)
    }
}

/// The conditions that are in force in every step.
fn assumptions(system: &TransitionSystem) -> Vec<TermId> {
    system.assumptions.iter().map(|known| known.condition).collect()
}

/// A condition of a step.
struct Condition {
    term: TermId,
    /// Whether it must not hold.
    is_excluded: bool,
}

/// Conditions under which a step has a meaning.
fn conditions(version: &Validated, seen: &Observation) -> Vec<Condition> {
    let assumed = version.assumptions.iter().map(|known| known.condition);
    let demanded = assumed.chain(seen.defined.iter().copied());
    let demanded = demanded.map(|term| Condition { term, is_excluded: false });
    let excluded = open_hazards(version).map(|term| Condition { term, is_excluded: true });
    demanded.chain(excluded).collect()
}
