//! Which bits of a state matter for a given continuation.
//!
//! The continuation is run from the state with one bit flipped, 64 of them at a time. A bit that
//! can be flipped without loss is not needed, as far as it is flipped alone; that several may be
//! flipped together is not said.

use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::step::bits::Step;
use model::value::Value;

/// A continuation.
pub(crate) struct Rest<'a> {
    /// Its inputs.
    pub(crate) inputs: &'a [Vec<Value>],
    /// Goals and the steps of the continuation at which they must begin.
    pub(crate) begins: &'a [(Vertex, usize)],
}

/// A set bit for each bit of the packed state without which the continuation is not executable,
/// misses one of its goals or does not end where a chain may end.
pub(super) fn needed_bits(task: &Task<'_>, step: &Step, state: &[u64], rest: &Rest<'_>) -> Vec<u64> {
    let labels = labels(task, step, rest);
    let mut needed = vec![0u64; state.len()];
    for first in (0..step.state_width()).step_by(64) {
        needed[first / 64] = !survivors(step, state, first, (rest, &labels));
    }
    needed
}

/// The labels that the continuation must have, behind the steps at which it must have them, in
/// order.
fn labels(task: &Task<'_>, step: &Step, rest: &Rest<'_>) -> Vec<(usize, usize)> {
    let of_goal = |&(goal, at): &(Vertex, usize)| {
        (0..task.steps(goal)).map(move |offset| (at + offset as usize, step.label(goal, offset)))
    };
    let mut labels: Vec<(usize, usize)> = rest.begins.iter().flat_map(of_goal).collect();
    labels.sort_unstable();
    labels
}

/// The lanes in which the continuation does all it must, where lane k starts with bit `first + k`
/// flipped.
fn survivors(
    step: &Step,
    state: &[u64],
    first: usize,
    (rest, labels): (&Rest<'_>, &[(usize, usize)]),
) -> u64 {
    let mut columns: Vec<u64> = (0..step.state_width())
        .map(|bit| {
            let column = 0u64.wrapping_sub(state[bit / 64] >> (bit % 64) & 1);
            if (first..first + 64).contains(&bit) { column ^ 1 << (bit - first) } else { column }
        })
        .collect();
    let (mut alive, mut labels) = (u64::MAX, labels);
    let mut registers = Vec::new();
    for (time, inputs) in rest.inputs.iter().enumerate() {
        registers.clear();
        registers.push(0);
        registers.extend(&columns);
        registers.extend(step.input_columns(inputs));
        step.run(&mut registers);
        alive &= step.allowed(&registers);
        while let [(at, label), later @ ..] = labels
            && *at <= time
        {
            alive &= step.has_label(&registers, *label);
            labels = later;
        }
        if alive == 0 {
            return 0;
        }
        columns = (0..step.state_width()).map(|bit| step.next(&registers, bit)).collect();
    }
    registers.clear();
    registers.push(0);
    registers.extend(&columns);
    registers.extend((0..step.input_width()).map(|_| 0));
    step.run(&mut registers);
    alive & step.ends(&registers)
}
