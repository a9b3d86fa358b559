//! Holding inputs, by trial: a stretch in which an input has one value gets the value of a
//! neighbouring stretch, or its default.
//!
//! Each trial is one replay. Trials go on in rounds until none helps or the effort is spent.

use super::Requirements;
use super::changes::{count, stimuli};
use crate::knowledge::chains::CheckedChain;
use crate::session::{Session, Stop};
use model::id::Id;
use model::system::InputId;
use model::value::Value;

/// Steps that all trials on one chain may simulate together.
const EFFORT: usize = 1_500_000;

/// A stretch of steps with one value of an input.
pub(super) struct Stretch {
    /// The input.
    pub(super) input: InputId,
    /// Its first step.
    pub(super) first: usize,
    /// One more than its last step.
    pub(super) end: usize,
}

/// Tries until nothing helps.
pub(super) fn hold(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut effort = EFFORT;
    loop {
        let before = worth(required, &best.trace.inputs);
        let mut at = 0;
        // Stretches are found anew after each success: from the place where the last one was.
        while let Some(stretch) = next_stretch(required, &best.trace.inputs, &mut at) {
            for value in proposals(required, &best.trace.inputs, &stretch) {
                session.check_limits()?;
                effort = match effort.checked_sub(best.trace.inputs.len()) {
                    Some(left) => left,
                    None => return Ok(()),
                };
                let mut inputs = best.trace.inputs.clone();
                (stretch.first..stretch.end).for_each(|step| inputs[step][stretch.input.index()] = value);
                if worth(required, &inputs) >= worth(required, &best.trace.inputs) {
                    continue;
                }
                if let Some(better) = required.judge(best, inputs) {
                    *best = better;
                    break;
                }
            }
        }
        if worth(required, &best.trace.inputs) >= before {
            return Ok(());
        }
    }
}

/// Number of changes, then number of values that are not the default.
pub(super) fn worth(required: &Requirements<'_>, inputs: &[Vec<Value>]) -> (usize, usize) {
    let system = required.task.system;
    let is_other = |input: InputId, row: &Vec<Value>| {
        required.defaults.get(input).copied().flatten().is_some_and(|default| row[input.index()] != default)
    };
    let others = inputs.iter().map(|row| stimuli(system).filter(|&input| is_other(input, row)).count());
    (count(system, inputs), others.sum())
}

/// The `at`-th cell (by step, then input) at which a stretch begins; moves `at` behind it.
pub(super) fn next_stretch(
    required: &Requirements<'_>,
    inputs: &[Vec<Value>],
    at: &mut usize,
) -> Option<Stretch> {
    let width = required.task.system.inputs.len();
    while *at < width * inputs.len() {
        let (first, column) = (*at / width, *at % width);
        *at += 1;
        let input = InputId::new(column);
        let begins = first == 0 || inputs[first - 1][column] != inputs[first][column];
        if !begins || !stimuli(required.task.system).any(|stimulus| stimulus == input) {
            continue;
        }
        let value = inputs[first][column];
        let end = (first..inputs.len()).find(|&step| inputs[step][column] != value).unwrap_or(inputs.len());
        return Some(Stretch { input, first, end });
    }
    None
}

/// Values worth a trial, other than the present one.
pub(super) fn proposals(required: &Requirements<'_>, inputs: &[Vec<Value>], stretch: &Stretch) -> Vec<Value> {
    let column = stretch.input.index();
    let before = stretch.first.checked_sub(1).map(|step| inputs[step][column]);
    let behind = inputs.get(stretch.end).map(|row| row[column]);
    let default = required.defaults.get(stretch.input).copied().flatten();
    let mut values: Vec<Value> = Vec::new();
    for value in [before, behind, default].into_iter().flatten() {
        if value != inputs[stretch.first][column] && !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
