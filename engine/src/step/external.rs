//! Executions with the results that the host's C library gives.

use crate::random_simulation::{DRAWS, Random, RandomExecution};
use model::eval::Evaluator;
use model::external::{Call, Lemma};
use model::id::Id;
use model::simulate::Simulator;
use model::term::SymbolId;
use model::trace::{Execution, Start, Trace};
use model::validate::Validated;
use model::value::Value;
use rustc_hash::FxHashMap;

/// The trace with every result of a call set to what the host's library says for the arguments it
/// has then.
pub fn complete(system: &Validated, mut trace: Trace) -> Trace {
    if system.external_calls.is_empty() {
        return trace;
    }
    let mut walk = Walk::new(system, &trace);
    for row in &mut trace.inputs {
        walk.answers.answer(&walk.state, row);
        walk.step(row);
    }
    trace
}

/// Executions under random inputs that satisfy the assumptions: so many, each of so many steps at
/// most. The seed determines them. Results of external calls are those that the host's library
/// gives.
pub fn random_traces(system: &Validated, seed: u64, (executions, steps): (usize, usize)) -> Vec<Trace> {
    let mut execution = RandomExecution::new(system, seed, DRAWS);
    let mut answers = Answers::new(system);
    let mut settle = |state: &[Value], row: &mut [Value]| answers.answer(state, row);
    let trace = |_| {
        let (initial, mut state) = execution.start()?;
        let mut inputs = Vec::new();
        execution.walk(&mut state, steps, &mut settle, |row, _| {
            inputs.push(row.to_vec());
            true
        });
        Some(Trace { start: Start::Initial(initial), inputs })
    };
    (0..executions).filter_map(trace).collect()
}

/// Executions that leave known ones somewhere and go on under random inputs: so many, each of so
/// many steps beyond that place at most.
pub fn random_branches(
    system: &Validated,
    known: &[(&Trace, &Execution)],
    seed: u64,
    (executions, steps): (usize, usize),
) -> Vec<Trace> {
    let mut execution = RandomExecution::new(system, seed, DRAWS);
    let mut random = Random::new(seed);
    let mut answers = Answers::new(system);
    let mut settle = |state: &[Value], row: &mut [Value]| answers.answer(state, row);
    let branch = |_| {
        let (trace, run) = known.get(random.below(known.len()))?;
        let at = random.below(trace.inputs.len() + 1);
        let mut inputs = trace.inputs[..at].to_vec();
        execution.walk(&mut run.states[at].clone(), steps, &mut settle, |row, _| {
            inputs.push(row.to_vec());
            true
        });
        Some(Trace { start: trace.start.clone(), inputs })
    };
    (0..executions).filter_map(branch).collect()
}

/// The points at which the library is asked along a trace, in the order of the calls.
pub(crate) fn points(system: &Validated, trace: &Trace) -> Vec<Lemma> {
    let mut walk = Walk::new(system, trace);
    let mut found = Vec::new();
    for row in &trace.inputs {
        found.extend(walk.answers.asked(&walk.state, row));
        walk.step(row);
    }
    found
}

/// An execution and the library.
struct Walk<'s> {
    answers: Answers<'s>,
    simulator: Simulator,
    state: Vec<Value>,
}

impl<'s> Walk<'s> {
    fn new(system: &'s Validated, trace: &Trace) -> Self {
        let mut simulator = Simulator::new(system);
        let state = match &trace.start {
            Start::Initial(initial) => simulator.initial(initial).state,
            Start::State(state) => state.clone(),
        };
        Self { answers: Answers::new(system), simulator, state }
    }

    fn step(&mut self, row: &[Value]) {
        self.state = self.simulator.step(&self.state, row).next;
    }
}

/// What the host's library says of the calls in one step.
pub(crate) struct Answers<'s> {
    system: &'s Validated,
    calls: &'s [Call],
    evaluator: Evaluator,
    states: FxHashMap<SymbolId, usize>,
    inputs: FxHashMap<SymbolId, usize>,
}

impl<'s> Answers<'s> {
    /// For the calls of a system, in the order of execution.
    pub(crate) fn new(system: &'s Validated) -> Self {
        let calls = &system.external_calls;
        let roots = calls.iter().flat_map(|call| call.arguments.iter().copied());
        let states = system.states.iter().map(|(id, state)| (state.symbol, id.index()));
        let inputs = system.inputs.iter().map(|(id, input)| (input.symbol, id.index()));
        Self {
            system,
            calls,
            evaluator: Evaluator::new(&system.terms, roots),
            states: states.collect(),
            inputs: inputs.collect(),
        }
    }

    /// Sets every result of a call in the inputs of a step to what the library says for the
    /// arguments it has from this state.
    pub(crate) fn answer(&mut self, state: &[Value], row: &mut [Value]) {
        // Arguments may depend on results of earlier calls: at most one round for each call.
        for _ in 0..self.calls.len() {
            let mut changed = false;
            for (call, lemma) in self.calls.iter().zip(self.asked(state, row)) {
                let slot = &mut row[call.input.index()];
                changed |= *slot != lemma.result;
                *slot = lemma.result;
            }
            if !changed {
                break;
            }
        }
    }

    /// What the library says of each call in a state under the inputs of a step.
    pub(crate) fn asked(&mut self, state: &[Value], row: &[Value]) -> Vec<Lemma> {
        let Self { evaluator, states, inputs, system, .. } = self;
        evaluator.run(|symbol| match (states.get(&symbol), inputs.get(&symbol)) {
            (Some(&index), _) => state[index],
            (None, Some(&index)) => row[index],
            (None, None) => Value::zero(system.terms.symbol(symbol).sort),
        });
        let mut root = 0;
        let mut found = Vec::with_capacity(self.calls.len());
        for call in self.calls {
            let arguments: Vec<Value> =
                (root..root + call.arguments.len()).map(|root| self.evaluator.value(root)).collect();
            root += call.arguments.len();
            let result = call.function.evaluate(call.format, &arguments);
            found.push(Lemma { function: call.function, format: call.format, arguments, result });
        }
        found
    }
}
