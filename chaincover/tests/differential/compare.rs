//! The comparisons: evaluator with compiled code, evaluator with circuits.

use crate::differential::case::{Case, Prepared};
use crate::differential::harness::Rows;
use encoder::lanes::{LaneSimulator, lane_value, set_lane};
use model::id::Id;
use model::trace::{Execution, Start, replay};
use model::value::Value;
use std::collections::BTreeMap;

/// Circuits of more gates are not run: exact remainders of `double` have millions.
const MOST_GATES: usize = 400_000;

/// The execution by the evaluator.
pub(crate) fn evaluated(prepared: &Prepared) -> Result<Execution, String> {
    replay(&prepared.system, &prepared.trace).map_err(|error| format!("step: {error}"))
}

/// Compares what a compiled program printed with what the evaluator computed; the number of values.
pub(crate) fn with_compiled(case: &Case, prepared: &Prepared, printed: &Rows) -> Result<usize, String> {
    let run = evaluated(prepared)?;
    let signals = &prepared.translated.signals;
    let states: BTreeMap<&str, usize> =
        signals.states.iter().map(|(signal, state)| (signal.lvalue.as_str(), state.index())).collect();
    let outputs: BTreeMap<&str, usize> =
        signals.outputs.iter().map(|(signal, output)| (signal.lvalue.as_str(), *output)).collect();
    let mut compared = 0;
    for step in 0..prepared.trace.inputs.len() {
        let row = printed.get(&(case.seed, step)).ok_or_else(|| format!("step {step}: nothing printed"))?;
        for ((lvalue, _), &bits) in case.program.states.iter().zip(row) {
            let computed = match (states.get(lvalue.as_str()), outputs.get(lvalue.as_str())) {
                (Some(&state), _) => run.states[step + 1][state],
                (None, Some(&output)) => run.outputs[step][output],
                (None, None) => continue,
            };
            compared += 1;
            let native = Value::new(computed.sort(), bits);
            if !computed.agrees_with(native) {
                return Err(format!("step {step}, {lvalue}: computed {computed:?}, compiled {native:?}"));
            }
        }
    }
    Ok(compared)
}

/// Runs the circuits of the step on the execution and compares every state word with the evaluator's, bit for bit; the number of values.
pub(crate) fn with_circuits(prepared: &Prepared) -> Result<usize, String> {
    let (system, trace) = (&prepared.system, &prepared.trace);
    let run = evaluated(prepared)?;
    let mut lanes = LaneSimulator::<1>::new(system, &[]).map_err(|error| format!("encoding: {error}"))?;
    if lanes.gates() > MOST_GATES {
        return Ok(0);
    }
    let mut state = vec![[0]; lanes.state_width()];
    let mut initial = vec![[0]; lanes.initial_input_width()];
    if let Start::Initial(values) = &trace.start {
        for (id, &value) in system.initial_inputs.ids().zip(values) {
            let bits = lanes.initial_input_bits(id);
            set_lane(&mut initial[bits], 0, value);
        }
    }
    lanes.initial(&initial, &mut state);
    let mut compared = 0;
    for (step, values) in run.states.iter().enumerate() {
        for (id, &computed) in system.states.ids().zip(values) {
            let found = lane_value(&state[lanes.state_bits(id)], 0, computed.sort());
            if found != computed {
                let name = system.state_name(id);
                return Err(format!("step {step}, {name}: computed {computed:?}, circuit {found:?}"));
            }
            compared += 1;
        }
        let Some(row) = trace.inputs.get(step) else { break };
        let mut inputs = vec![[0]; lanes.input_width()];
        for (id, &value) in system.inputs.ids().zip(row) {
            let bits = lanes.input_bits(id);
            set_lane(&mut inputs[bits], 0, value);
        }
        let mut next = state.clone();
        let holds = lanes.step(&state, &inputs, &mut next);
        if holds[0] & 1 == 0 {
            return Err(format!("step {step}: the circuit says that assumptions fail"));
        }
        state = next;
    }
    Ok(compared)
}
