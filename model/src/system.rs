//! The transition system: what every front end produces and the engine consumes.
//!
//! # What one step is
//! A system has *state words*, *inputs* and *initial inputs*. An execution is made as follows.
//!
//! 1. The initial inputs are chosen such that every `initial_assumptions` term holds; they are all
//!    that the initial state depends on (mostly there are none, and the initial state is one
//!    constant state). Every state word gets the value of its `init` term over the initial inputs.
//! 2. In each step the inputs are read. [`TransitionSystem::assumptions`] must hold over (state,
//!    input); a state where no input satisfies them has no successor. Outputs are functions of
//!    (state, input): what the step leaves behind for its environment. Then all state words change
//!    at once to their `next` terms over (state, input).
//! 3. An execution may stop after any step; the state it stops in need not admit a further step.
//!
//! State words without influence on anything asked are removed by slicing, not by the front end: a
//! front end may declare every memory cell that the step writes as a state word.
//!
//! # External calls
//! A [`Call`] says that an input stands for the result of a function that the system does not
//! define. The system has every execution of the program and more, so what is proven of it holds of
//! the program; a chain of the program needs the results that the function gives.
//!
//! # Goals
//! A [`Goal`] speaks about a *window* of `steps` transitions: states 0 ..= steps and inputs 0 ..
//! steps of the window. Its terms use the state and input symbols for frame 0 and
//! [framed](crate::term::TermPool::framed) symbols for later frames. An occurrence of the goal in
//! an execution is a position where the antecedent holds of the window that starts there.
//! Assumptions hold in every step of a window as in every step of an execution; they are not
//! repeated in the antecedent.

use crate::define_id;
use crate::external::Call;
use crate::id::IdVec;
use crate::sort::Sort;
use crate::term::{BinaryOp, SymbolId, TermId, TermPool};
use crate::value::Value;

define_id!(
    /// A state word of a [`TransitionSystem`].
    StateId, "s"
);
define_id!(
    /// An input of a [`TransitionSystem`], chosen anew in every step.
    InputId, "i"
);
define_id!(
    /// An initial input of a [`TransitionSystem`], chosen once before the first step.
    InitialInputId, "n"
);
define_id!(
    /// A goal of a [`TransitionSystem`].
    GoalId, "g"
);
define_id!(
    /// A place in the source text; only the front end that issued it can read it.
    OriginId, "o"
);

/// A word of state.
#[derive(Clone, Debug)]
pub struct State {
    /// Its symbol in terms.
    pub symbol: SymbolId,
    /// Value in the initial state: a term over initial inputs only.
    pub init: TermId,
    /// Value after a step: a term over states and inputs.
    pub next: TermId,
}

/// Who chooses an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputRole {
    /// The tester's move: a stimulus of the test case.
    Stimulus,
    /// The system's own nondeterminism, which a tester cannot control.
    Choice,
}

/// An input or initial input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its symbol in terms.
    pub symbol: SymbolId,
    /// Who chooses it.
    pub role: InputRole,
}

/// What a step leaves behind for the environment: a named function of (state, input).
#[derive(Clone, Debug)]
pub struct Output {
    /// The name in reports.
    pub name: String,
    /// Its value after the step.
    pub value: TermId,
}

/// A condition in force in every step.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// Truth over (state, input).
    pub condition: TermId,
    /// Where it was written.
    pub origin: Option<OriginId>,
}

/// A condition that is claimed to hold in every reachable state.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Truth over states.
    pub condition: TermId,
    /// Where it was written.
    pub origin: Option<OriginId>,
    /// The text shown to the user.
    pub text: String,
}

/// A test goal with its oracle; see the module text for windows.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Unique name.
    pub name: String,
    /// Identifier of the requirement it tests.
    pub requirement: Option<String>,
    /// What it means, in the user's words.
    pub text: Option<String>,
    /// Where it was written.
    pub origin: Option<OriginId>,
    /// Number of transitions of the window (J), at least 1.
    pub steps: u32,
    /// Truth over the window: what is to be reached.
    pub antecedent: TermId,
    /// Truth over the window: what must hold of every occurrence; `None` where nothing is claimed.
    pub expectation: Option<TermId>,
}

/// What the compiled program may do where it runs into a [`Hazard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardEffect {
    /// What the system does: compilers can be told to (signed overflow wraps).
    AsModelled,
    /// Anything: from there on it may have other values than the system, or die, without the system
    /// being wrong.
    Open,
}

/// An operation whose result the source language leaves undefined.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// Truth over (state, input): the step runs into it.
    pub condition: TermId,
    /// What happens, for the report: "division by zero".
    pub description: String,
    /// What the compiled program may do there.
    pub effect: HazardEffect,
    /// Where it happens.
    pub origin: Option<OriginId>,
}

/// A system with its goals; the module text says what it means.
#[derive(Clone, Default)]
pub struct TransitionSystem {
    /// Name of the model.
    pub name: String,
    /// Owner of all terms below.
    pub terms: TermPool,
    /// State words.
    pub states: IdVec<StateId, State>,
    /// Inputs of a step.
    pub inputs: IdVec<InputId, Input>,
    /// Inputs of the initial state.
    pub initial_inputs: IdVec<InitialInputId, Input>,
    /// Conditions on the initial inputs.
    pub initial_assumptions: Vec<Assumption>,
    /// Outputs of a step.
    pub outputs: Vec<Output>,
    /// Conditions on every step.
    pub assumptions: Vec<Assumption>,
    /// Claims about reachable states; to be proven or trusted before use.
    pub invariants: Vec<Invariant>,
    /// What is to be covered.
    pub goals: IdVec<GoalId, Goal>,
    /// Final: truth over states that a chain must end in; `None` where it may end anywhere.
    pub end: Option<TermId>,
    /// Undefined operations.
    pub hazards: Vec<Hazard>,
    /// Calls of functions outside the system, in the order of execution: inputs that stand for
    /// their results. An execution of the system may have any result that the assumptions allow;
    /// one of the program has the function's.
    pub external_calls: Vec<Call>,
}

impl TransitionSystem {
    /// Name of a state word.
    pub fn state_name(&self, state: StateId) -> &str {
        &self.terms.symbol(self.states[state].symbol).name
    }
    /// Name of an input.
    pub fn input_name(&self, input: InputId) -> &str {
        &self.terms.symbol(self.inputs[input].symbol).name
    }
    /// Makes a state the only initial one.
    ///
    /// # Panics
    /// If it has not a value for each word.
    pub fn begin_in(&mut self, state: &[Value]) {
        assert_eq!(state.len(), self.states.len(), "a state should have a value for each word");
        for (word, &value) in self.states.values_mut().zip(state) {
            word.init = self.terms.constant(value);
        }
        self.initial_assumptions.clear();
    }
    /// Adds a state word with a fresh symbol whose `init` and `next` are the symbol itself until
    /// they are set.
    pub fn add_state(&mut self, name: &str, sort: Sort) -> StateId {
        let symbol = self.terms.fresh_symbol(name, sort);
        let term = self.terms.symbol_term(symbol);
        self.states.push(State { symbol, init: term, next: term })
    }
    /// Adds a state word that counts the steps from 0 up to `last`, where it stays. Returns what it is
    /// before a step: the number of that step.
    pub fn add_step_counter(&mut self, name: &str, last: u32) -> TermId {
        let width = (u32::BITS - last.leading_zeros()).max(1);
        let counter = self.add_state(name, Sort::word(width));
        let count = self.state_term(counter);
        let terms = &mut self.terms;
        let (zero, one, last) = (terms.word(width, 0), terms.word(width, 1), terms.word(width, last.into()));
        let more = terms.binary(BinaryOp::ULt, count, last);
        let sum = terms.binary(BinaryOp::Add, count, one);
        let next = terms.ite(more, sum, count);
        self.states[counter].init = zero;
        self.states[counter].next = next;
        count
    }
    /// Adds an input with a fresh symbol.
    pub fn add_input(&mut self, name: &str, sort: Sort, role: InputRole) -> InputId {
        let symbol = self.terms.fresh_symbol(name, sort);
        self.inputs.push(Input { symbol, role })
    }
    /// Adds an initial input with a fresh symbol.
    pub fn add_initial_input(&mut self, name: &str, sort: Sort, role: InputRole) -> InitialInputId {
        let symbol = self.terms.fresh_symbol(name, sort);
        self.initial_inputs.push(Input { symbol, role })
    }
    /// The term of a state word.
    pub fn state_term(&mut self, state: StateId) -> TermId {
        self.terms.symbol_term(self.states[state].symbol)
    }
    /// The term of an input.
    pub fn input_term(&mut self, input: InputId) -> TermId {
        self.terms.symbol_term(self.inputs[input].symbol)
    }
}
