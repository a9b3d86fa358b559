//! The way back: models of the clauses as states and traces.
//!
//! A model fixes the inputs of the graph: the bits of free states, inputs and initial inputs that
//! the query depended on. All other bits are free to choose and become 0. Later states are not read
//! from the model but computed from these by the word-level evaluator, so that a state is always
//! the one that the inputs lead to, and complete, whatever the query encoded of it.

use super::{Start, Unrolling};
use crate::aig::Literal;
use crate::blast::Words;
use crate::symbols::{Role, resolve};
use model::eval::Evaluator;
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::system::{InitialInputId, Input, InputId, State, StateId};
use model::term::SymbolId;
use model::trace::{self, Trace};
use model::validate::Validated;
use model::value::Value;
use solver::sat::{IncrementalSat, Lit};

/// Evaluators of the `init` and the `next` terms.
#[derive(Clone)]
pub(super) struct Evaluators {
    init: Evaluator,
    next: WindowEvaluator,
}

impl Evaluators {
    fn new(system: &Validated) -> Self {
        let states = || system.states.values();
        Self {
            init: Evaluator::new(&system.terms, states().map(|state| state.init)),
            next: WindowEvaluator::new(system, states().map(|state| state.next)),
        }
    }
}

impl Unrolling<'_> {
    /// The execution of the model between two frames: its first state (or the initial inputs, where
    /// `first` is 0 and the unrolling starts in [`Start::Initial`]) and the inputs of the steps
    /// `first .. last`.
    ///
    /// # Panics
    /// If the solver has no model (see [`IncrementalSat::value`]), or `last` is below `first`.
    pub fn lift(&self, first: u32, last: u32, solver: &dyn IncrementalSat) -> Trace {
        assert!(first <= last, "a trace should not end before it starts");
        let start = if first == 0 && self.start == Start::Initial {
            trace::Start::Initial(self.initial_inputs(solver))
        } else {
            trace::Start::State(self.state_at(first, solver))
        };
        Trace { start, inputs: (first..last).map(|frame| self.inputs_at(frame, solver)).collect() }
    }
    /// The model's state at a frame: one value for each state word, in order of their ids.
    ///
    /// # Panics
    /// If the solver has no model.
    pub fn state_at(&self, frame: u32, solver: &dyn IncrementalSat) -> Vec<Value> {
        let mut evaluator = self.evaluators().next.clone();
        (0..frame).fold(self.first_state(solver), |state, step| {
            self.successor(&mut evaluator, &state, &self.inputs_at(step, solver))
        })
    }
    /// The model's states at the frames 0 ..= `last`.
    ///
    /// # Panics
    /// If the solver has no model.
    pub fn states(&self, last: u32, solver: &dyn IncrementalSat) -> Vec<Vec<Value>> {
        let mut evaluator = self.evaluators().next.clone();
        let mut states = vec![self.first_state(solver)];
        for step in 0..last {
            let inputs = self.inputs_at(step, solver);
            states.push(self.successor(&mut evaluator, &states[step as usize], &inputs));
        }
        states
    }
    /// The model's inputs of the step from a frame: one value for each input, in order of their
    /// ids.
    ///
    /// # Panics
    /// If the solver has no model.
    pub fn inputs_at(&self, frame: u32, solver: &dyn IncrementalSat) -> Vec<Value> {
        let words = self.frames.get(frame as usize).map(|frame| &frame.inputs);
        self.input_values(self.system.inputs.values(), words, solver)
    }

    /// The sink's literals of the bits of an input, least significant first; `None` for bits that
    /// nothing encoded so far depends on.
    pub fn input_literals(&self, input: InputId, at: u32) -> Vec<Option<Lit>> {
        let words = self.frames.get(at as usize).map(|frame| &frame.inputs);
        self.free_literals(self.system.inputs[input].symbol, input.index(), words)
    }
    /// As [`Unrolling::input_literals`], for an initial input.
    pub fn initial_input_literals(&self, input: InitialInputId) -> Vec<Option<Lit>> {
        let symbol = self.system.initial_inputs[input].symbol;
        self.free_literals(symbol, input.index(), Some(&self.initial.inputs))
    }

    fn initial_inputs(&self, solver: &dyn IncrementalSat) -> Vec<Value> {
        self.input_values(self.system.initial_inputs.values(), Some(&self.initial.inputs), solver)
    }

    fn input_values<'a>(
        &self,
        inputs: impl Iterator<Item = &'a Input>,
        words: Option<&Words<Literal>>,
        solver: &dyn IncrementalSat,
    ) -> Vec<Value> {
        let value = |(number, input): (usize, &Input)| self.free_value(input.symbol, number, words, solver);
        inputs.enumerate().map(value).collect()
    }

    /// The value of a free word, by its number in the table that holds its bits.
    fn free_value(
        &self,
        symbol: SymbolId,
        number: usize,
        words: Option<&Words<Literal>>,
        solver: &dyn IncrementalSat,
    ) -> Value {
        let is_set = |bit: &Option<Lit>| bit.is_some_and(|literal| solver.is_true(literal));
        let literals = self.free_literals(symbol, number, words);
        let bits = literals.iter().rev().fold(0, |bits, bit| bits << 1 | u128::from(is_set(bit)));
        Value::new(self.system.terms.symbol(symbol).sort, bits)
    }

    fn free_literals(
        &self,
        symbol: SymbolId,
        number: usize,
        words: Option<&Words<Literal>>,
    ) -> Vec<Option<Lit>> {
        let width = self.system.terms.symbol(symbol).sort.width();
        match words.and_then(|words| words.get(number, width)) {
            Some(word) => word.iter().map(|&bit| self.cnf.known(bit)).collect(),
            None => vec![None; width as usize],
        }
    }

    fn first_state(&self, solver: &dyn IncrementalSat) -> Vec<Value> {
        match &self.start {
            Start::Concrete(values) => values.clone(),
            Start::Free | Start::Partial(_) => {
                let words = self.frames.first().map(|frame| &frame.states);
                let states = self.system.states.iter();
                let value = |(id, state): (StateId, &State)| {
                    let free = || self.free_value(state.symbol, id.index(), words, solver);
                    self.start.value(id).unwrap_or_else(free)
                };
                states.map(value).collect()
            }
            Start::Initial => {
                let inputs = self.initial_inputs(solver);
                let mut evaluator = self.evaluators().init.clone();
                evaluator.run(|symbol| match resolve(self.system, symbol) {
                    Some((Role::Initial(input), 0)) => inputs[input.index()],
                    _ => unreachable!("an init term should read initial inputs only"),
                });
                (0..evaluator.roots()).map(|root| evaluator.value(root)).collect()
            }
        }
    }

    fn successor(&self, evaluator: &mut WindowEvaluator, state: &[Value], inputs: &[Value]) -> Vec<Value> {
        evaluator.run(&[state], &[inputs]);
        (0..state.len()).map(|root| evaluator.value(root)).collect()
    }

    fn evaluators(&self) -> &Evaluators {
        self.evaluators.get_or_init(|| Evaluators::new(self.system))
    }
}
