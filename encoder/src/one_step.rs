//! One step of a system at the level of bits: the same tables as the system's, with words of
//! literals in place of terms, over the free bits of one state, of one step's inputs and of the
//! initial inputs.

use crate::EncodeError;
use crate::aig::{Aig, Literal};
use crate::bits::BitBuilder;
use crate::blast::{Blaster, Words};
use crate::symbols::{Role, resolve};
use model::id::Id;
use model::sort::Sort;
use model::term::{SymbolId, TermId};
use model::validate::Validated;

/// The bit-level system; tables are in order of the ids of the system's tables.
pub(crate) struct OneStep<'s> {
    pub(crate) system: &'s Validated,
    pub(crate) aig: Aig,
    blaster: Blaster<'s>,
    pub(crate) free: FreeWords,
    /// Initial states, over the initial inputs.
    pub(crate) init: Vec<Vec<Literal>>,
    /// States after the step.
    pub(crate) next: Vec<Vec<Literal>>,
    /// All initial assumptions.
    pub(crate) initial_assumption: Literal,
    /// All assumptions.
    pub(crate) assumption: Literal,
}

/// The words that a step reads.
#[derive(Clone, Default)]
pub(crate) struct FreeWords {
    /// The state before the step.
    pub(crate) states: Vec<Vec<Literal>>,
    /// The inputs of the step.
    pub(crate) inputs: Vec<Vec<Literal>>,
    /// The initial inputs.
    pub(crate) initial_inputs: Vec<Vec<Literal>>,
}

impl FreeWords {
    /// The word of a state or input.
    pub(crate) fn word(&self, role: Role) -> Vec<Literal> {
        match role {
            Role::State(state) => self.states[state.index()].clone(),
            Role::Input(input) => self.inputs[input.index()].clone(),
            Role::Initial(input) => self.initial_inputs[input.index()].clone(),
        }
    }
}

impl<'s> OneStep<'s> {
    /// Blasts the tables of the system over free bits.
    ///
    /// # Errors
    /// Where a symbol has no word, which validation rules out.
    pub(crate) fn new(system: &'s Validated) -> Result<Self, EncodeError> {
        Self::over(system, |_, free, _| free)
    }

    /// Blasts the tables of the system over the state that `state` makes of free bits and of the
    /// initial state.
    ///
    /// # Errors
    /// As for [`OneStep::new`].
    pub(crate) fn over(
        system: &'s Validated,
        state: impl FnOnce(&mut Aig, Vec<Vec<Literal>>, &[Vec<Literal>]) -> Vec<Vec<Literal>>,
    ) -> Result<Self, EncodeError> {
        let mut aig = Aig::new();
        let mut free = |symbol: SymbolId| -> Vec<Literal> {
            (0..system.terms.symbol(symbol).sort.width()).map(|_| aig.input()).collect()
        };
        let states = system.states.values().map(|state| free(state.symbol)).collect();
        let inputs = system.inputs.values().map(|input| free(input.symbol)).collect();
        let initial_inputs = system.initial_inputs.values().map(|input| free(input.symbol)).collect();
        let mut step = Self {
            system,
            aig,
            blaster: Blaster::new(&system.terms),
            free: FreeWords { states: Vec::new(), inputs, initial_inputs },
            init: Vec::new(),
            next: Vec::new(),
            initial_assumption: Literal::TRUE,
            assumption: Literal::TRUE,
        };
        step.blast_initial()?;
        step.free.states = state(&mut step.aig, states, &step.init);
        step.blast_step()?;
        Ok(step)
    }

    fn blast_initial(&mut self) -> Result<(), EncodeError> {
        let inputs = self.free.clone();
        let mut symbol = |role, _| matches!(role, Role::Initial(_)).then(|| inputs.word(role));
        let mut words = Words::default();
        for state in self.system.states.values() {
            let init = self.word(state.init, &mut words, &mut symbol)?;
            self.init.push(init);
        }
        for assumption in &self.system.initial_assumptions {
            let holds = self.word(assumption.condition, &mut words, &mut symbol)?[0];
            self.initial_assumption = self.aig.and(self.initial_assumption, holds);
        }
        Ok(())
    }

    fn blast_step(&mut self) -> Result<(), EncodeError> {
        let free = self.free.clone();
        let mut symbol = |role, offset| (offset == 0).then(|| free.word(role));
        let mut words = Words::default();
        for state in self.system.states.values() {
            let next = self.word(state.next, &mut words, &mut symbol)?;
            self.next.push(next);
        }
        for assumption in &self.system.assumptions {
            let holds = self.word(assumption.condition, &mut words, &mut symbol)?[0];
            self.assumption = self.aig.and(self.assumption, holds);
        }
        Ok(())
    }

    /// The truth of a term over a window, in which `symbol` gives the word of each state and input
    /// at each offset, or `None` where it has none; `words` is the memo of that reading.
    ///
    /// # Errors
    /// Where a symbol has no word or the term is no truth.
    pub(crate) fn window(
        &mut self,
        term: TermId,
        words: &mut Words<Literal>,
        symbol: &mut dyn FnMut(Role, u32) -> Option<Vec<Literal>>,
    ) -> Result<Literal, EncodeError> {
        let sort = self.system.terms.sort(term);
        if sort != Sort::TRUTH {
            return Err(EncodeError::NoTruth { sort: sort.to_string(), term });
        }
        Ok(self.word(term, words, symbol)?[0])
    }

    /// The word of a term, otherwise as [`OneStep::window`].
    ///
    /// # Errors
    /// Where a symbol has no word.
    pub(crate) fn word(
        &mut self,
        term: TermId,
        words: &mut Words<Literal>,
        symbol: &mut dyn FnMut(Role, u32) -> Option<Vec<Literal>>,
    ) -> Result<Vec<Literal>, EncodeError> {
        let system = self.system;
        let mut leaf = |_: &mut Aig, id| {
            let name = || system.terms.symbol(id).name.clone();
            let word = resolve(system, id).and_then(|(role, offset)| symbol(role, offset));
            word.ok_or_else(|| EncodeError::UnboundSymbol { name: name(), place: "the window" })
        };
        self.blaster.blast(term, words, &mut self.aig, &mut leaf)?;
        Ok(self.blaster.known(term, words).expect("a term should be known once it was blasted").to_vec())
    }
}
