//! Traces: what was fed into a system, from its initial state or from a given one.
//!
//! A trace holds inputs only. [`replay`] runs it with the word-level evaluator and says everything
//! that happens: it is the judge of what the solver claims, and shares no code with the encoding
//! into bits.

use crate::id::IdVec;
use crate::simulate::Simulator;
use crate::sort::Sort;
use crate::system::GoalId;
use crate::term::SymbolId;
use crate::validate::Validated;
use crate::value::Value;
use thiserror::Error;

/// Where a trace starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In the initial state under these initial inputs (one value for each, in order of their ids).
    Initial(Vec<Value>),
    /// In this state (one value for each state word, in order of their ids).
    State(Vec<Value>),
}

/// An execution, given by its start and inputs: `inputs[k]` holds one value for each input of the
/// system, in order of their ids, read by step `k`. The length of the trace is the number of its
/// steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The first state.
    pub start: Start,
    /// The inputs of each step.
    pub inputs: Vec<Vec<Value>>,
}

/// A place where a goal occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The first step of its window.
    pub step: usize,
    /// Whether the goal's expectation holds there; `None` where it has none.
    pub expectation: Option<bool>,
}

/// A step that runs into an undefined operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HazardMet {
    /// The step.
    pub step: usize,
    /// Position in [`TransitionSystem::hazards`](crate::system::TransitionSystem::hazards).
    pub hazard: usize,
}

/// All that happens when a trace runs. Values stand in order of the ids of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// `states[k]` is the state before step `k`; one more entry than steps.
    pub states: Vec<Vec<Value>>,
    /// `outputs[k]` is what step `k` leaves behind.
    pub outputs: Vec<Vec<Value>>,
    /// Every occurrence of every goal, in order of steps. Windows that run beyond the end do not
    /// count.
    pub occurrences: IdVec<GoalId, Vec<Occurrence>>,
    /// Undefined operations met, in order of steps.
    pub hazards: Vec<HazardMet>,
    /// Whether the execution may end in its last state.
    pub may_end: bool,
}

/// Why a trace is no execution of a system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// Too few or too many values.
    #[error("{place}: {found} values, but the system has {expected}")]
    Count {
        /// Which values.
        place: Place,
        /// Size of the system's table.
        expected: usize,
        /// Number of values given.
        found: usize,
    },
    /// A value of the wrong sort.
    #[error("{place}: `{name}` has sort {expected}, but a value of sort {found} is given")]
    Sort {
        /// Which values.
        place: Place,
        /// Name of the state or input.
        name: String,
        /// Its sort.
        expected: Sort,
        /// Sort of the value given.
        found: Sort,
    },
    /// Initial inputs that violate an assumption.
    #[error("the initial inputs violate initial assumption {assumption}")]
    InitialAssumption {
        /// Position in `initial_assumptions`.
        assumption: usize,
    },
    /// A step that violates an assumption.
    #[error("step {step} violates assumption {assumption}")]
    Assumption {
        /// The step.
        step: usize,
        /// Position in `assumptions`.
        assumption: usize,
    },
    /// The caller of [`replay_while`] did not want it any longer.
    #[error("the execution was not run to its end")]
    Stopped,
}

/// Which values of a trace are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The initial inputs.
    InitialInputs,
    /// The state it starts in.
    State,
    /// The inputs of a step.
    Inputs {
        /// The step.
        step: usize,
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::InitialInputs => write!(formatter, "initial inputs"),
            Self::State => write!(formatter, "start state"),
            Self::Inputs { step } => write!(formatter, "inputs of step {step}"),
        }
    }
}

/// Runs a trace.
///
/// # Errors
/// If the trace does not fit the system or violates an assumption.
pub fn replay(system: &Validated, trace: &Trace) -> Result<Execution, TraceError> {
    replay_with(&mut Simulator::new(system), system, trace)
}

/// As [`replay`], with a simulator of the same system that was compiled before.
///
/// # Errors
/// As for [`replay`].
pub fn replay_with(
    simulator: &mut Simulator,
    system: &Validated,
    trace: &Trace,
) -> Result<Execution, TraceError> {
    replay_while(simulator, system, trace, || true)
}

/// Steps after which a caller is asked whether the rest is wanted.
const STEPS_BETWEEN_QUESTIONS: usize = 1 << 10;

/// As [`replay_with`], as long as it is wanted: a long trace takes seconds.
///
/// # Errors
/// As for [`replay`], and [`TraceError::Stopped`].
pub fn replay_while(
    simulator: &mut Simulator,
    system: &Validated,
    trace: &Trace,
    is_wanted: impl Fn() -> bool,
) -> Result<Execution, TraceError> {
    let is_unwanted =
        |step: usize| step % STEPS_BETWEEN_QUESTIONS == STEPS_BETWEEN_QUESTIONS - 1 && !is_wanted();
    let mut state = start(simulator, system, &trace.start)?;
    let mut states = Vec::with_capacity(trace.inputs.len() + 1);
    let mut outputs = Vec::with_capacity(trace.inputs.len());
    let mut hazards = Vec::new();
    let input_symbols: Vec<SymbolId> = system.inputs.values().map(|input| input.symbol).collect();
    for (step, inputs) in trace.inputs.iter().enumerate() {
        if is_unwanted(step) {
            return Err(TraceError::Stopped);
        }
        check_values(system, Place::Inputs { step }, &input_symbols, inputs)?;
        let result = simulator.step(&state, inputs);
        if let Some(assumption) = result.violated {
            return Err(TraceError::Assumption { step, assumption });
        }
        hazards.extend(result.hazards.into_iter().map(|hazard| HazardMet { step, hazard }));
        outputs.push(result.outputs);
        states.push(std::mem::replace(&mut state, result.next));
    }
    let may_end = simulator.may_end(&state);
    states.push(state);
    let mut occurrences: IdVec<GoalId, Vec<Occurrence>> = system.goals.ids().map(|_| Vec::new()).collect();
    for step in 0..trace.inputs.len() {
        if is_unwanted(step) {
            return Err(TraceError::Stopped);
        }
        for sighting in simulator.goals(&states[step..], &trace.inputs[step..]) {
            let occurrence = Occurrence { step, expectation: sighting.expectation };
            occurrences[sighting.goal].push(occurrence);
        }
    }
    Ok(Execution { states, outputs, occurrences, hazards, may_end })
}

fn start(simulator: &mut Simulator, system: &Validated, start: &Start) -> Result<Vec<Value>, TraceError> {
    match start {
        Start::Initial(values) => {
            let symbols: Vec<SymbolId> = system.initial_inputs.values().map(|input| input.symbol).collect();
            check_values(system, Place::InitialInputs, &symbols, values)?;
            let initial = simulator.initial(values);
            match initial.violated {
                Some(assumption) => Err(TraceError::InitialAssumption { assumption }),
                None => Ok(initial.state),
            }
        }
        Start::State(values) => {
            let symbols: Vec<SymbolId> = system.states.values().map(|state| state.symbol).collect();
            check_values(system, Place::State, &symbols, values)?;
            Ok(values.clone())
        }
    }
}

fn check_values(
    system: &Validated,
    place: Place,
    symbols: &[SymbolId],
    values: &[Value],
) -> Result<(), TraceError> {
    if symbols.len() != values.len() {
        return Err(TraceError::Count { place, expected: symbols.len(), found: values.len() });
    }
    for (&symbol, value) in symbols.iter().zip(values) {
        let symbol = system.terms.symbol(symbol);
        if symbol.sort != value.sort() {
            let (expected, found) = (symbol.sort, value.sort());
            return Err(TraceError::Sort { place, name: symbol.name.clone(), expected, found });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::text::parse;
    use crate::validate::validate;

    /// The cruise controller of Schrammel, Melham, Kroening (ICTSS 2013) with its four properties.
    const CRUISE: &str = "
        system cruise
        input signal w3
        let button (eq signal 1) let acc (eq signal 2) let dec (eq signal 3) let gas (eq signal 4) let brake (eq signal 5)
        let off (eq mode 0) let on (eq mode 1) let dis (eq mode 2)
        let turns-dis (and on (or gas brake))
        let turns-off (and (not off) button)
        let turns-on (or (and dis (or (and (eq speed 2) (or dec brake)) (and (eq speed 0) (or acc gas))))
                         (and off (or (and (eq speed 0) enable (or gas acc)) (and (eq speed 1) button)
                                      (and (eq speed 2) enable (or brake dec)))))
        let faster (and (or gas (and (not on) acc)) (ult speed 2))
        let slower (and (or brake (and (not on) dec)) (ugt speed 0))
        state mode w2 next (ite turns-on 1 (ite turns-off 0 (ite turns-dis 2 mode)))
        state speed w2 next (ite faster (add speed 1) (ite slower (sub speed 1) speed))
        state enable w1 next (xor enable button)
        output moving (ne speed 0)
        assume (and (ule 1 signal) (ule signal 5))
        goal p1 when (and on (eq speed 1) dec) expect (eq speed@1 1)
        goal p2 when (and dis (eq speed 2) dec) expect (eq mode@1 1)
        goal p3 when (and on brake) expect (eq mode@1 2)
        goal p4 when (and off (eq speed 2) button) expect enable@1
        goal twice steps 2 when (and gas (eq signal@1 2)) expect (eq speed@2 2)
        end (and off (eq speed 0) (not enable))
        hazard \"odd\" (and acc (eq speed 2))";

    fn cruise() -> Validated {
        validate(parse(CRUISE).expect("the text should parse")).expect("the system is well-formed")
    }

    fn signals(signals: &[u128]) -> Trace {
        let inputs = signals.iter().map(|&signal| vec![Value::word(3, signal)]).collect();
        Trace { start: Start::Initial(vec![]), inputs }
    }

    fn steps(execution: &Execution, goal: usize) -> Vec<(usize, Option<bool>)> {
        let occurrences = &execution.occurrences[Id::new(goal)];
        occurrences.iter().map(|occurrence| (occurrence.step, occurrence.expectation)).collect()
    }

    #[test]
    fn chain_of_the_paper() {
        let system = cruise();
        let execution =
            replay(&system, &signals(&[4, 2, 1, 3, 3, 4, 3, 5, 1])).expect("the chain should run");
        assert_eq!(steps(&execution, 3), [(2, Some(true))]);
        assert_eq!(steps(&execution, 0), [(4, Some(true))]);
        assert_eq!(steps(&execution, 1), [(6, Some(true))]);
        assert_eq!(steps(&execution, 2), [(7, Some(true))]);
        assert_eq!(steps(&execution, 4), [(0, Some(true))]);
        assert!(execution.may_end);
        assert_eq!(execution.states.len(), 10);
        let modes: Vec<u128> = execution.states.iter().map(|state| state[0].bits()).collect();
        assert_eq!(modes, [0, 0, 0, 0, 1, 1, 2, 1, 2, 0]);
        let moving: Vec<u128> = execution.outputs.iter().map(|outputs| outputs[0].bits()).collect();
        assert_eq!(moving, [0, 1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(execution.hazards, []);
    }

    #[test]
    fn windows_beyond_the_end_do_not_count_and_hazards_do() {
        let system = cruise();
        let execution = replay(&system, &signals(&[4, 4])).expect("the trace should run");
        assert_eq!(steps(&execution, 4), []);
        assert!(!execution.may_end);
        let state = vec![Value::word(2, 0), Value::word(2, 2), Value::truth(true)];
        let trace = Trace { start: Start::State(state), ..signals(&[2, 4, 2]) };
        let execution = replay(&system, &trace).expect("the trace should run");
        assert_eq!(execution.hazards, [0, 2].map(|step| HazardMet { step, hazard: 0 }));
        assert_eq!(steps(&execution, 4), [(1, Some(true))]);
    }

    #[test]
    fn violated_expectations_are_told() {
        let text = "input u w1 state n w4 next (add n 1) goal g when u expect (eq n@1 2)";
        let system = validate(parse(text).expect("the text should parse")).expect("it is well-formed");
        let inputs = [1, 1, 0].map(|bit| vec![Value::word(1, bit)]).to_vec();
        let execution = replay(&system, &Trace { start: Start::Initial(vec![]), inputs });
        assert_eq!(steps(&execution.expect("it should run"), 0), [(0, Some(false)), (1, Some(true))]);
    }

    #[test]
    fn traces_that_do_not_run() {
        let text = "initial-input k w8 initial-assume (ult k 9) input u w1 state n w8 init k next (add n 1)
                    assume (or u (ult n 8))";
        let system = validate(parse(text).expect("the text should parse")).expect("it is well-formed");
        let trace = |start, bits: &[u128]| Trace {
            start,
            inputs: bits.iter().map(|&bit| vec![Value::word(1, bit)]).collect(),
        };
        let initial = |bits| Start::Initial(vec![Value::word(8, bits)]);
        let table = [
            (trace(Start::Initial(vec![]), &[]), "initial inputs: 0 values, but the system has 1"),
            (trace(initial(9), &[]), "the initial inputs violate initial assumption 0"),
            (trace(initial(7), &[0, 0]), "step 1 violates assumption 0"),
            (
                trace(Start::State(vec![Value::truth(true)]), &[]),
                "start state: `n` has sort w8, but a value of sort w1 is given",
            ),
            (
                Trace { start: initial(0), inputs: vec![vec![Value::truth(true)], vec![]] },
                "inputs of step 1: 0 values, but the system has 1",
            ),
        ];
        for (trace, message) in table {
            assert_eq!(replay(&system, &trace).expect_err(message).to_string(), message);
        }
        assert!(replay(&system, &trace(initial(7), &[0, 1, 1])).is_ok());
    }

    #[test]
    fn advancing_is_stepping() {
        let system = cruise();
        let mut simulator = Simulator::new(&system);
        let mut state = simulator.initial(&[]).state;
        for signal in [4, 2, 1, 0, 3, 7, 4, 3, 5, 1] {
            let inputs = [Value::word(3, signal)];
            let result = simulator.step(&state, &inputs);
            let before = state.clone();
            let moved = simulator.advance(&mut state, &inputs);
            assert_eq!(moved, result.violated.is_none());
            assert_eq!(state, if moved { result.next } else { before });
        }
    }

    #[test]
    fn a_replay_goes_on_while_it_is_wanted() {
        use std::cell::Cell;
        let system =
            validate(parse("system s input x w1 state n w32 next (add n 1) goal g when x").expect("a text"))
                .expect("a system");
        let inputs = vec![vec![Value::truth(true)]; 10_000];
        let trace = Trace { start: Start::Initial(Vec::new()), inputs };
        let asked = Cell::new(0);
        let run = |most: u32| {
            asked.set(0);
            replay_while(&mut Simulator::new(&system), &system, &trace, || {
                asked.set(asked.get() + 1);
                asked.get() <= most
            })
        };
        assert_eq!(run(u32::MAX).expect("an execution"), replay(&system, &trace).expect("an execution"));
        assert!(asked.get() > 10, "the caller is asked now and then");
        for most in [0, 3, 12] {
            assert_eq!(run(most), Err(TraceError::Stopped));
            assert_eq!(asked.get(), most + 1, "nothing goes on after that");
        }
    }
}
