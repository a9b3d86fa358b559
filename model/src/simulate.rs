//! Running a system step by step with the compiled evaluator.
//!
//! A [`WindowEvaluator`] computes terms over a stretch of an execution; a [`Simulator`] makes the
//! execution. Both are compiled once and then run without allocation other than for results, so
//! thousands of steps cost little. Clones share the compiled programs: give each thread its own
//! clone.

use crate::eval::Evaluator;
use crate::id::Id;
use crate::system::GoalId;
use crate::term::{SymbolId, TermId};
use crate::validate::{Meaning, Validated};
use crate::value::Value;

/// Where the value of a symbol comes from.
#[derive(Clone, Copy)]
enum Source {
    State { offset: usize, index: usize },
    Input { offset: usize, index: usize },
}

fn source(system: &Validated, symbol: SymbolId) -> Source {
    let (base, offset) = match system.meaning(symbol) {
        Meaning::Framed { base, offset } => (system.meaning(base), offset as usize),
        meaning => (meaning, 0),
    };
    match base {
        Meaning::State(state) => Source::State { offset, index: state.index() },
        Meaning::Input(input) => Source::Input { offset, index: input.index() },
        _ => panic!("a window term should depend on states and inputs only, not on {symbol:?}"),
    }
}

/// Evaluates fixed terms over states and inputs, framed or not, on stretches of executions.
#[derive(Clone)]
pub struct WindowEvaluator {
    evaluator: Evaluator,
    sources: Vec<Source>,
}

impl WindowEvaluator {
    /// Compiles terms of the system that are over states and inputs.
    ///
    /// # Panics
    /// If a term depends on other symbols.
    pub fn new(system: &Validated, roots: impl IntoIterator<Item = TermId>) -> Self {
        let evaluator = Evaluator::new(&system.terms, roots);
        let sources = evaluator.symbols().iter().map(|&(symbol, _)| source(system, symbol)).collect();
        Self { evaluator, sources }
    }
    /// Computes the terms on a window: `states[k]` and `inputs[k]` hold the values of all states
    /// and inputs at frame `k`, in order of their ids. Frames that no term speaks about may be left
    /// out.
    pub fn run<S: AsRef<[Value]>, I: AsRef<[Value]>>(&mut self, states: &[S], inputs: &[I]) {
        for (position, source) in self.sources.iter().enumerate() {
            let value = match *source {
                Source::State { offset, index } => states[offset].as_ref()[index],
                Source::Input { offset, index } => inputs[offset].as_ref()[index],
            };
            self.evaluator.set(position, value);
        }
        self.evaluator.execute();
    }
    /// The value of the term at a position of the list given to [`WindowEvaluator::new`], as of the
    /// last run.
    pub fn value(&self, root: usize) -> Value {
        self.evaluator.value(root)
    }
    /// Whether the truth at that position held in the last run.
    pub fn holds(&self, root: usize) -> bool {
        self.evaluator.holds(root)
    }
}

/// The initial state under some initial inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialResult {
    /// Values of all states.
    pub state: Vec<Value>,
    /// The first initial assumption that does not hold, by its position.
    pub violated: Option<usize>,
}

/// What one step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    /// Values of all states after the step.
    pub next: Vec<Value>,
    /// Values of all outputs.
    pub outputs: Vec<Value>,
    /// The first assumption that does not hold, by its position; then the step does not exist.
    pub violated: Option<usize>,
    /// The hazards that the step runs into, by their positions.
    pub hazards: Vec<usize>,
}

/// An occurrence of a goal, or none: see [`Simulator::goals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The goal whose antecedent holds.
    pub goal: GoalId,
    /// Whether its expectation holds, too; `None` where it has none.
    pub expectation: Option<bool>,
}

/// The goals whose windows have the same length.
#[derive(Clone)]
struct Watch {
    steps: usize,
    /// Goal, root of its antecedent, root of its expectation.
    goals: Vec<(GoalId, usize, Option<usize>)>,
    evaluator: WindowEvaluator,
}

/// Executes a system. Values are given and returned in order of the ids of the tables.
///
/// The number and sorts of the values given must be those of the tables;
/// [`replay`](crate::trace::replay) checks what comes from outside.
#[derive(Clone)]
pub struct Simulator {
    init: Evaluator,
    init_sources: Vec<usize>,
    step: WindowEvaluator,
    states: usize,
    outputs: usize,
    assumptions: usize,
    hazards: usize,
    watches: Vec<Watch>,
    end: Option<WindowEvaluator>,
}

impl Simulator {
    /// Compiles the system.
    pub fn new(system: &Validated) -> Self {
        let initial = system.states.values().map(|state| state.init);
        let assumed = system.initial_assumptions.iter().map(|assumption| assumption.condition);
        let init = Evaluator::new(&system.terms, initial.chain(assumed));
        let init_source = |symbol| match system.meaning(symbol) {
            Meaning::Initial(input) => input.index(),
            _ => panic!("an initial value should depend on initial inputs only, not on {symbol:?}"),
        };
        let init_sources = init.symbols().iter().map(|&(symbol, _)| init_source(symbol)).collect();
        let next = system.states.values().map(|state| state.next);
        let outputs = system.outputs.iter().map(|output| output.value);
        let assumptions = system.assumptions.iter().map(|assumption| assumption.condition);
        let hazards = system.hazards.iter().map(|hazard| hazard.condition);
        Self {
            init,
            init_sources,
            step: WindowEvaluator::new(system, next.chain(outputs).chain(assumptions).chain(hazards)),
            states: system.states.len(),
            outputs: system.outputs.len(),
            assumptions: system.assumptions.len(),
            hazards: system.hazards.len(),
            watches: watches(system),
            end: system.end.map(|end| WindowEvaluator::new(system, [end])),
        }
    }

    /// The initial state under these initial inputs.
    pub fn initial(&mut self, initial_inputs: &[Value]) -> InitialResult {
        for (position, &source) in self.init_sources.iter().enumerate() {
            self.init.set(position, initial_inputs[source]);
        }
        self.init.execute();
        InitialResult {
            state: (0..self.states).map(|root| self.init.value(root)).collect(),
            violated: (self.states..self.init.roots()).position(|root| !self.init.holds(root)),
        }
    }

    /// One step from this state under these inputs.
    pub fn step(&mut self, state: &[Value], inputs: &[Value]) -> StepResult {
        self.step.run(&[state], &[inputs]);
        let mut base = self.states;
        let outputs = (base..base + self.outputs).map(|root| self.step.value(root)).collect();
        base += self.outputs;
        let violated = (base..base + self.assumptions).position(|root| !self.step.holds(root));
        base += self.assumptions;
        let hazards = (0..self.hazards).filter(|hazard| self.step.holds(base + hazard)).collect();
        StepResult { next: self.next_state().collect(), outputs, violated, hazards }
    }

    /// As [`Simulator::step`], replacing `state` by the next state without allocation. Where an
    /// assumption is violated, the state stays as it is and the answer is false.
    pub fn advance(&mut self, state: &mut [Value], inputs: &[Value]) -> bool {
        self.step.run(&[&*state], &[inputs]);
        let base = self.states + self.outputs;
        if !(base..base + self.assumptions).all(|root| self.step.holds(root)) {
            return false;
        }
        for (word, next) in state.iter_mut().zip(self.next_state()) {
            *word = next;
        }
        true
    }

    fn next_state(&self) -> impl Iterator<Item = Value> {
        (0..self.states).map(|root| self.step.value(root))
    }

    /// The goals that occur at the first state of a stretch of an execution, in order of window
    /// length, then of ids: those whose window fits the stretch (`inputs.len()` steps, one state
    /// more) and whose antecedent holds.
    pub fn goals<S: AsRef<[Value]>, I: AsRef<[Value]>>(
        &mut self,
        states: &[S],
        inputs: &[I],
    ) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        for watch in self.watches.iter_mut().filter(|watch| watch.steps <= inputs.len()) {
            let Watch { evaluator, goals, .. } = watch;
            evaluator.run(states, inputs);
            for &(goal, antecedent, expectation) in goals.iter() {
                if evaluator.holds(antecedent) {
                    let expectation = expectation.map(|root| evaluator.holds(root));
                    sightings.push(Sighting { goal, expectation });
                }
            }
        }
        sightings
    }

    /// Whether an execution may end in this state.
    pub fn may_end(&mut self, state: &[Value]) -> bool {
        match &mut self.end {
            Some(evaluator) => {
                evaluator.run::<_, &[Value]>(&[state], &[]);
                evaluator.holds(0)
            }
            None => true,
        }
    }
}

fn watches(system: &Validated) -> Vec<Watch> {
    let mut lengths: Vec<u32> = system.goals.values().map(|goal| goal.steps).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths.into_iter().map(|steps| watch(system, steps)).collect()
}

fn watch(system: &Validated, steps: u32) -> Watch {
    let mut roots = Vec::new();
    let mut goals = Vec::new();
    for (id, goal) in system.goals.iter().filter(|(_, goal)| goal.steps == steps) {
        let antecedent = roots.len();
        roots.push(goal.antecedent);
        roots.extend(goal.expectation);
        goals.push((id, antecedent, goal.expectation.map(|_| antecedent + 1)));
    }
    Watch { steps: steps as usize, goals, evaluator: WindowEvaluator::new(system, roots) }
}
