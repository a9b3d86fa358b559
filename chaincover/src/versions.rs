//! Versions of a model (mutants, revisions, values inverted) as models of their own, and their
//! executions under the inputs of the original.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use config::resolve::Model as Configuration;
use engine::step::external::complete;
use frontend::limit::Limit;
use frontend::{Kept, Signal, SignalKind};
use model::product::{
    Difference, Join, Observation, Soon, Unmatched, initial_inputs_of, inputs_of, twin_name,
};
use model::simulate::{Simulator, StepResult, WindowEvaluator};
use model::system::{HazardEffect, Output, StateId};
use model::term::TermId;
use model::trace::{Execution, Start, Trace, TraceError, replay_with};
use model::validate::{Validated, validate};
use model::value::Value;
use std::collections::BTreeMap;

/// A mutant that was read.
pub(crate) struct Version {
    pub(crate) model: Model,
    pub(crate) seen: Observation,
    /// Where each step is made from the original's memory: the positions of the words of this
    /// version in that memory.
    words: Option<Vec<usize>>,
    inputs: Vec<Option<usize>>,
    initial: Vec<usize>,
    /// Positions of the words that both keep, in the memory of the original and in its own.
    twins: Vec<(usize, usize)>,
    /// What runs it, compiled once.
    simulator: Simulator,
    /// What sees whether a step ends the program, compiled once, and the number of its conditions.
    goes_on: (WindowEvaluator, usize),
}

/// Where an execution has left a version with other memory than the original, and shown nothing of
/// it.
pub(crate) struct Infection {
    /// Steps so far.
    pub(crate) at: usize,
    /// The memory of the version there.
    pub(crate) state: Vec<Value>,
}

/// The inputs of a step, and for how many steps they are held at most: they no longer are when
/// nothing changes any more.
pub(crate) type Held<'a> = (&'a [Value], usize);

/// Infections along one execution that are kept.
const MOST_INFECTIONS: usize = 32;

/// A mutant that cannot be judged: its verdict, and why.
pub(crate) struct Refused {
    pub(crate) verdict: &'static str,
    pub(crate) why: String,
}

/// The inputs of an execution of one system as another one reads them.
///
/// # Errors
/// An input that the one does not have.
pub(crate) fn fed(system: &Validated, original: &Validated, trace: &Trace) -> Result<Trace, Unmatched> {
    let (inputs, initial) = (inputs_of(system, original)?, initial_inputs_of(system, original)?);
    Ok(read_by(system, (&inputs, &initial), trace, trace.inputs.len()))
}

/// The first so many steps of an execution, by the positions of a system's inputs in it. `None`: an
/// input that the other system does not have; nothing depends on it.
fn read_by(
    system: &Validated,
    (at, initial): (&[Option<usize>], &[usize]),
    trace: &Trace,
    steps: usize,
) -> Trace {
    let row = |values: &Vec<Value>| row_of(system, at, values);
    let start = match &trace.start {
        Start::Initial(values) => Start::Initial(initial.iter().map(|&at| values[at]).collect()),
        Start::State(_) => Start::Initial(Vec::new()),
    };
    complete(system, Trace { start, inputs: trace.inputs.iter().take(steps).map(row).collect() })
}

/// A system whose memory behind each step is among its outputs, behind those that it has.
pub(crate) fn with_memory_seen(system: &Validated) -> Validated {
    let mut seen = (**system).clone();
    let words = system.states.iter();
    let outputs =
        words.map(|(id, state)| Output { name: system.state_name(id).to_owned(), value: state.next });
    seen.outputs.extend(outputs);
    validate(seen).expect("a valid system should stay valid with its memory among the outputs")
}

/// The inputs of a step as a system reads them that has them at these positions.
fn row_of(system: &Validated, at: &[Option<usize>], values: &[Value]) -> Vec<Value> {
    let zero = |symbol| Value::zero(system.terms.symbol(symbol).sort);
    let inputs = at.iter().zip(system.inputs.values());
    inputs.map(|(at, input)| at.map_or_else(|| zero(input.symbol), |at| values[at])).collect()
}

/// The positions of words with equal names and sorts, in a system and in a version of it.
fn twins(original: &Validated, version: &Validated) -> Vec<(usize, usize)> {
    let named = |system: &Validated, symbol| {
        let symbol = system.terms.symbol(symbol);
        (symbol.name.clone(), symbol.sort)
    };
    let words = original.states.values().enumerate();
    let known: BTreeMap<_, usize> = words.map(|(at, state)| (named(original, state.symbol), at)).collect();
    let own = version.states.values().enumerate();
    own.filter_map(|(at, state)| Some((*known.get(&named(version, state.symbol))?, at))).collect()
}

/// What an execution of a mutant shows beside that of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// An output differs first after this step, soon enough.
    Differs(usize),
    /// Nothing that is seen differs before this step, in which the mutant does what C leaves
    /// undefined, ends, or goes on with a loop for longer than is unrolled; a difference would be
    /// soon enough there.
    Leaves(usize),
    /// Nothing.
    Nothing,
}

impl Version {
    /// The version as it makes each step from the memory of the original.
    pub(crate) fn on_memory_of(self, original: &Model) -> Result<Self, Refused> {
        let undecided = |why: String| Refused { verdict: "undecided", why };
        let named = |system: &Validated, symbol| {
            let symbol = system.terms.symbol(symbol);
            (symbol.name.clone(), symbol.sort)
        };
        let known: Vec<_> =
            original.system.states.values().map(|state| named(&original.system, state.symbol)).collect();
        let mut words = Vec::new();
        for state in self.model.system.states.values() {
            let own = named(&self.model.system, state.symbol);
            let position = known.iter().position(|word| *word == own);
            words.push(position.ok_or_else(|| undecided(Unmatched::Memory(own.0).to_string()))?);
        }
        if !self.model.system.external_calls.is_empty() {
            return Err(undecided("it calls functions of mathematics".to_owned()));
        }
        Ok(Self { words: Some(words), ..self })
    }

    /// Adds the version to a join with the original.
    pub(crate) fn join(&self, join: &mut Join) -> Result<Difference, Unmatched> {
        match self.words {
            None => join.add(&self.model.system, &self.seen),
            Some(_) => join.add_step(&self.model.system, &self.seen),
        }
    }

    /// A step of the version from the memory of the original; none where it has no meaning there.
    pub(crate) fn step(&self, trace: &Trace, run: &Execution, step: usize) -> Option<StepResult> {
        let inputs = self.trace(trace, step + 1).inputs.pop()?;
        let state = self.memory_of(self.words.as_ref()?, run, step);
        Stepper::new(self).step(&state, &inputs)
    }

    /// The memory of the original before a step, as these words of it.
    fn memory_of(&self, words: &[usize], run: &Execution, step: usize) -> Vec<Value> {
        words.iter().map(|&at| run.states[step][at]).collect()
    }

    /// What single steps show from the memory of the original.
    fn shows_in_steps(&self, words: &[usize], trace: &Trace, run: &Execution) -> Shown {
        let own = self.trace(trace, trace.inputs.len());
        let Start::Initial(chosen) = &own.start else { return Shown::Leaves(0) };
        let mut stepper = Stepper::new(self);
        let start = stepper.simulator.initial(chosen).state;
        let is_other = |(&at, value): (&usize, &Value)| !run.states[0][at].agrees_with(*value);
        if !own.inputs.is_empty() && words.iter().zip(&start).any(is_other) {
            return Shown::Differs(0);
        }
        for (step, inputs) in own.inputs.iter().enumerate() {
            let state = self.memory_of(words, run, step);
            let Some(found) = stepper.step(&state, inputs) else { return Shown::Leaves(step) };
            if differ(&self.seen.outputs, &run.outputs[step], &found.outputs) {
                return Shown::Differs(step);
            }
        }
        Shown::Nothing
    }

    /// A model as a version of the original; of the outputs that are named, or of all, where none
    /// is.
    pub(crate) fn new(original: &Model, model: Model, observe: &[String]) -> Result<Self, Refused> {
        let unmatched = |why: Unmatched| Refused { verdict: "undecided", why: why.to_string() };
        let inputs = inputs_of(&model.system, &original.system).map_err(unmatched)?;
        let initial = initial_inputs_of(&model.system, &original.system).map_err(unmatched)?;
        let (ours, theirs) = (&original.translated.signals.outputs, &model.translated.signals.outputs);
        let mut outputs = Vec::new();
        for (signal, position) in
            ours.iter().filter(|(signal, _)| is_seen(&signal.kind, &signal.name, observe))
        {
            let twin = theirs.iter().find(|(other, _)| other.lvalue == signal.lvalue);
            let Some((_, other)) = twin else {
                let why = format!("it has no output {}", signal.name);
                return Err(Refused { verdict: "undecided", why });
            };
            outputs.push((*position, *other));
        }
        let facts = model.translated.library_facts.clone();
        let conditions = goes_on(&model);
        let seen = Observation { outputs, defined: conditions.clone(), facts, soon: None };
        let simulator = Simulator::new(&model.system);
        let evaluator = WindowEvaluator::new(&model.system, conditions.iter().copied());
        let (twins, goes_on) = (twins(&original.system, &model.system), (evaluator, conditions.len()));
        Ok(Self { model, seen, words: None, inputs, initial, twins, simulator, goes_on })
    }

    /// Adds to a join of [`with_memory_seen`] the truth over (state, input) that a step of this
    /// version from the memory of the original leaves other memory, shows other outputs, or has no
    /// meaning; or that the version starts otherwise. In an execution without such a step, each step
    /// keeps the version like the original, as it starts.
    pub(crate) fn departure(&self, original: &Model, join: &mut Join) -> Result<TermId, Unmatched> {
        let version = with_memory_seen(&self.model.system);
        let (ours, theirs) = (original.system.outputs.len(), self.model.system.outputs.len());
        let mut seen = Observation { soon: None, ..self.seen.clone() };
        seen.outputs.extend(self.twins.iter().map(|&(one, other)| (ours + one, theirs + other)));
        let Difference { kills, leaves, .. } = join.add_step(&version, &seen)?;
        Ok(join.system.terms.or(kills, leaves))
    }

    /// Makes the executions of a join with this version, which was added last, begin with this memory
    /// of both.
    pub(crate) fn begin_at(&self, join: &mut Join, original: &[Value], own: &[Value]) {
        let system = &mut join.system;
        let theirs = system.states.ids().zip(original).map(|(word, value)| (word, *value));
        let mut begin: Vec<(StateId, Value)> = theirs.collect();
        let names = self.model.system.states.ids().map(|word| self.model.system.state_name(word));
        let values: BTreeMap<&str, Value> = names.zip(own.iter().copied()).collect();
        let known = begin.len();
        begin.extend(
            system
                .states
                .ids()
                .skip(known)
                .filter_map(|word| Some((word, *values.get(twin_name(system.state_name(word))?)?))),
        );
        for (word, value) in begin {
            system.states[word].init = system.terms.constant(value);
        }
        system.initial_inputs = std::iter::empty().collect();
        system.initial_assumptions.clear();
    }

    /// Where an execution leaves this version with other memory than the original, when it begins to
    /// and at its end, as long as nothing shows it; some of these places, where they are many.
    pub(crate) fn infections(&self, trace: &Trace, run: &Execution) -> Vec<Infection> {
        let own = self.trace(trace, trace.inputs.len());
        let Start::Initial(chosen) = &own.start else { return Vec::new() };
        let mut stepper = Stepper::new(self);
        let mut state = stepper.simulator.initial(chosen).state;
        let (mut found, mut was_other) = (Vec::new(), false);
        for (step, inputs) in own.inputs.iter().enumerate() {
            let Some(made) = stepper.step(&state, inputs) else { return found };
            if differ(&self.seen.outputs, &run.outputs[step], &made.outputs) {
                return found;
            }
            state = made.next;
            let is_other = differ(&self.twins, &run.states[step + 1], &state);
            if is_other && (!was_other || step + 1 == own.inputs.len()) {
                found.push(Infection { at: step + 1, state: state.clone() });
                if found.len() > MOST_INFECTIONS {
                    let mut at = 0..;
                    found.retain(|_| at.next().is_some_and(|at| at % 2 == 0));
                }
            }
            was_other = is_other;
        }
        found
    }

    /// The first of these inputs, from a state of the original and one of this version, up to the
    /// step after which an output differs; `None`: none does as long as both go on and have other
    /// memory.
    pub(crate) fn propagates(
        &self,
        original: &mut Simulator,
        (theirs, own): (&[Value], &[Value]),
        inputs: &[Held<'_>],
    ) -> Option<Vec<Vec<Value>>> {
        let mut stepper = Stepper::new(self);
        let (mut theirs, mut own) = (theirs.to_vec(), own.to_vec());
        let mut taken: Vec<&[Value]> = Vec::new();
        for &(row, times) in inputs {
            let own_row = row_of(&self.model.system, &self.inputs, row);
            for _ in 0..times {
                let there = original.step(&theirs, row);
                if there.violated.is_some() {
                    return None;
                }
                let here = stepper.step(&own, &own_row)?;
                taken.push(row);
                if differ(&self.seen.outputs, &there.outputs, &here.outputs) {
                    return Some(taken.into_iter().map(<[Value]>::to_vec).collect());
                }
                let is_steady = theirs == there.next && own == here.next;
                (theirs, own) = (there.next, here.next);
                if !differ(&self.twins, &theirs, &own) {
                    return None;
                }
                if is_steady {
                    break;
                }
            }
        }
        None
    }

    /// The version as it is told from the original by some of the outputs alone, at most so many
    /// steps after the first step behind which any of them differs.
    pub(crate) fn seen_soon(
        mut self,
        original: &Model,
        most: u32,
        is_output: impl Fn(&Signal) -> bool,
    ) -> Self {
        let differing = self.seen.outputs.clone();
        let outputs = &original.translated.signals.outputs;
        self.seen
            .outputs
            .retain(|(one, _)| outputs.iter().any(|(signal, position)| position == one && is_output(signal)));
        self.seen.soon = Some(Soon { most, differing });
        self
    }

    /// The inputs of an execution of the original as this mutant reads them, the first so many
    /// steps.
    pub(crate) fn trace(&self, trace: &Trace, steps: usize) -> Trace {
        read_by(&self.model.system, (&self.inputs, &self.initial), trace, steps)
    }

    /// Runs inputs of its own.
    pub(crate) fn replay(&self, trace: &Trace) -> Result<Execution, TraceError> {
        replay_with(&mut self.simulator.clone(), &self.model.system, trace)
    }

    /// What the mutant shows under the inputs of an execution of the original.
    pub(crate) fn shows(&self, trace: &Trace, run: &Execution) -> Shown {
        if let Some(words) = &self.words {
            return self.shows_in_steps(words, trace, run);
        }
        let own = self.trace(trace, trace.inputs.len());
        let Start::Initial(chosen) = &own.start else { return Shown::Leaves(0) };
        let mut stepper = Stepper::new(self);
        let initial = stepper.simulator.initial(chosen);
        if initial.violated.is_some() {
            return Shown::Leaves(0);
        }
        // The step after which a difference comes too late.
        let mut last = None;
        let mut state = initial.state;
        for (step, inputs) in own.inputs.iter().enumerate() {
            if last.is_some_and(|last| step > last) {
                return Shown::Nothing;
            }
            let Some(found) = stepper.step(&state, inputs) else { return Shown::Leaves(step) };
            if let (Some(soon), None) = (&self.seen.soon, last)
                && differ(&soon.differing, &run.outputs[step], &found.outputs)
            {
                last = Some(step.saturating_add(usize::try_from(soon.most).unwrap_or(usize::MAX)));
            }
            if differ(&self.seen.outputs, &run.outputs[step], &found.outputs) {
                return Shown::Differs(step);
            }
            state = found.next;
        }
        Shown::Nothing
    }
}

/// Whether any of these pairs of values, of one system and of another, differ.
fn differ(pairs: &[(usize, usize)], ours: &[Value], theirs: &[Value]) -> bool {
    pairs.iter().any(|&(one, other)| !ours[one].agrees_with(theirs[other]))
}

/// Makes steps of a version.
struct Stepper<'v> {
    system: &'v Validated,
    simulator: Simulator,
    goes_on: WindowEvaluator,
    conditions: usize,
}

impl<'v> Stepper<'v> {
    fn new(version: &'v Version) -> Self {
        let (goes_on, conditions) = version.goes_on.clone();
        let simulator = version.simulator.clone();
        Self { system: &version.model.system, simulator, goes_on, conditions }
    }

    /// A step; `None` where it does what C leaves undefined, ends the program, or has no meaning.
    fn step(&mut self, state: &[Value], inputs: &[Value]) -> Option<StepResult> {
        let found = self.simulator.step(state, inputs);
        let is_open = |&hazard: &usize| self.system.hazards[hazard].effect == HazardEffect::Open;
        if found.violated.is_some() || found.hazards.iter().any(is_open) {
            return None;
        }
        if self.conditions > 0 {
            self.goes_on.run(&[state], &[inputs]);
        }
        (0..self.conditions).all(|at| self.goes_on.holds(at)).then_some(found)
    }
}

/// Conditions that hold in a step which does not end the program.
pub(crate) fn goes_on(model: &Model) -> Vec<TermId> {
    model.translated.early_end.iter().map(|place| place.goes_on).collect()
}

/// The steps of an execution that run into operations behind which anything may happen.
pub(crate) fn open_steps(system: &Validated, run: &Execution) -> Vec<usize> {
    let is_open = |hazard: usize| system.hazards[hazard].effect == HazardEffect::Open;
    run.hazards.iter().filter(|met| is_open(met.hazard)).map(|met| met.step).collect()
}

/// The first step that ends the program.
pub(crate) fn ended(model: &Model, trace: &Trace, run: &Execution) -> Option<usize> {
    let conditions = goes_on(model);
    if conditions.is_empty() {
        return None;
    }
    let mut evaluator = WindowEvaluator::new(&model.system, conditions.iter().copied());
    (0..trace.inputs.len()).find(|&step| {
        evaluator.run(&run.states[step..=step], &trace.inputs[step..=step]);
        (0..conditions.len()).any(|at| !evaluator.holds(at))
    })
}

/// Whether an output tells mutants from the original: addresses do not.
pub(crate) fn is_seen(kind: &SignalKind, name: &str, observe: &[String]) -> bool {
    *kind != SignalKind::Pointer && (observe.is_empty() || observe.iter().any(|wanted| wanted == name))
}

/// An execution of the original.
pub(crate) struct Run {
    pub(crate) trace: Trace,
    pub(crate) run: Execution,
}

/// Runs inputs on the original, within what C defines.
pub(crate) fn execution(original: &Model, trace: Trace) -> Result<Run, Error> {
    execution_by(&mut Simulator::new(&original.system), original, trace)
}

/// As [`execution`], with a simulator of the original that was compiled before.
pub(crate) fn execution_by(simulator: &mut Simulator, original: &Model, trace: Trace) -> Result<Run, Error> {
    let run = replay_with(simulator, &original.system, &trace).map_err(|error| {
        Error::new(ErrorKind::Deviates, format!("the inputs are no execution of the model: {error}"))
    })?;
    let open = open_steps(&original.system, &run).into_iter().chain(ended(original, &trace, &run)).min();
    match open {
        Some(step) => {
            let message = format!(
                "step {step} of the inputs ends the program or runs into what C leaves undefined: no mutant can be told from it by what follows"
            );
            Err(Error::new(ErrorKind::Deviates, message))
        }
        None => Ok(Run { trace, run }),
    }
}

/// The configuration with everything that was found filled in, so that mutants have the inputs and
/// outputs of the original, and without goals, which mutants are not asked for.
pub(crate) fn bare(configuration: Configuration, resolved: frontend::Request) -> Configuration {
    let mut request = resolved;
    request.goals.clear();
    (request.end, request.cost) = (None, None);
    request.coverage = Default::default();
    (request.robustness, request.keep_wording) = (false, false);
    request.edits.clear();
    // Mutants have the texts of the original, but for their changes.
    request.kept = Kept::new();
    request.limit = Limit::default();
    Configuration { request, ..configuration }
}
