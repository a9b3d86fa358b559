//! Holding inputs, by trial on a part of the chain: as [`hold`](super::hold), but a trial runs only
//! until the execution is back in the state that the chain has there.
//!
//! From that state on everything is as before, and before the stretch nothing changes. So a trial
//! costs a few steps however long the chain is, and chains of a hundred thousand steps can be gone
//! through. What is found is judged as a whole before it is taken.

use super::Requirements;
use super::hold::{Stretch, next_stretch, proposals, worth};
use crate::knowledge::chains::CheckedChain;
use crate::session::{Session, Stop};
use crate::step::external::Answers;
use model::id::Id;
use model::simulate::Simulator;
use model::value::Value;

/// Steps that all trials on one chain may simulate together.
const EFFORT: usize = 3_000_000;
/// Steps behind a stretch within which the execution must be back, at least.
const PATIENCE: usize = 16;

/// A chain whose inputs are being changed in place.
struct Held<'t> {
    required: &'t Requirements<'t>,
    simulator: Simulator,
    library: Answers<'t>,
    inputs: Vec<Vec<Value>>,
    /// One more than inputs.
    states: Vec<Vec<Value>>,
    effort: usize,
}

/// What a chain does from a changed step on until it goes on as before.
#[derive(Default)]
struct Detour {
    /// Inputs of its steps.
    rows: Vec<Vec<Value>>,
    /// The states behind them.
    states: Vec<Vec<Value>>,
}

/// Goes through the chain until nothing helps or the effort is spent.
pub(super) fn hold(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut held = Held {
        required,
        simulator: Simulator::new(required.task.system),
        library: Answers::new(required.task.system),
        inputs: best.trace.inputs.clone(),
        states: best.run.states.clone(),
        effort: EFFORT,
    };
    while held.round(session)? {}
    if worth(required, &held.inputs) < worth(required, &best.trace.inputs)
        && let Some(better) = required.judge(best, held.inputs)
    {
        *best = better;
    }
    Ok(())
}

impl Held<'_> {
    /// Tries every stretch once; whether something helped and there is effort left.
    fn round(&mut self, session: &Session<'_>) -> Result<bool, Stop> {
        let mut helped = false;
        let mut at = 0;
        while let Some(stretch) = next_stretch(self.required, &self.inputs, &mut at) {
            session.check_limits()?;
            for value in proposals(self.required, &self.inputs, &stretch) {
                if self.effort == 0 {
                    return Ok(false);
                }
                if self.is_better(&stretch, value) && self.attempt(&stretch, value) {
                    helped = true;
                    break;
                }
            }
        }
        Ok(helped)
    }

    /// Whether there are fewer changes with this value, or as many and more defaults.
    fn is_better(&self, stretch: &Stretch, value: Value) -> bool {
        let column = stretch.input.index();
        let default = self.required.defaults.get(stretch.input).copied().flatten();
        let before = stretch.first.checked_sub(1).map(|step| self.inputs[step][column]);
        let behind = self.inputs.get(stretch.end).map(|row| row[column]);
        let cost = |value: Value| {
            let changes =
                [before, behind].into_iter().flatten().filter(|&neighbour| neighbour != value).count();
            (changes, default.is_some_and(|default| default != value))
        };
        cost(value) < cost(self.inputs[stretch.first][column])
    }

    /// Gives the stretch the value if the chain still does what it must.
    fn attempt(&mut self, stretch: &Stretch, value: Value) -> bool {
        let Some(Detour { rows, states }) = self.run(stretch, value) else { return false };
        let end = stretch.first + rows.len();
        let old_rows: Vec<_> = self.inputs.splice(stretch.first..end, rows).collect();
        let old_states: Vec<_> = self.states.splice(stretch.first + 1..=end, states).collect();
        if self.meets_demands(stretch.first, end) {
            return true;
        }
        self.inputs.splice(stretch.first..end, old_rows);
        self.states.splice(stretch.first + 1..=end, old_states);
        false
    }

    /// Inputs and states behind them from the stretch on until the chain goes on as it was; `None`
    /// where it does not in time.
    fn run(&mut self, stretch: &Stretch, value: Value) -> Option<Detour> {
        let length = self.inputs.len();
        let patience = stretch.end + PATIENCE.max(stretch.end - stretch.first);
        let mut detour = Detour::default();
        for step in stretch.first..length {
            self.effort = self.effort.checked_sub(1)?;
            let mut row = self.inputs[step].clone();
            if step < stretch.end {
                row[stretch.input.index()] = value;
            }
            let state = detour.states.last().unwrap_or(&self.states[step]);
            self.library.answer(state, &mut row);
            let done = self.simulator.step(state, &row);
            if done.violated.is_some() || (self.required.demands.no_hazards && !done.hazards.is_empty()) {
                return None;
            }
            detour.rows.push(row);
            detour.states.push(done.next);
            if step + 1 >= stretch.end && detour.states.last() == self.states.get(step + 1) {
                return Some(detour);
            }
            if step >= patience {
                return None;
            }
        }
        let may_end = !self.required.demands.ends || self.simulator.may_end(detour.states.last()?);
        may_end.then_some(detour)
    }

    /// Whether what the chain must show in these steps is there, at its place.
    fn meets_demands(&mut self, first: usize, end: usize) -> bool {
        let Self { required, simulator, inputs, states, .. } = self;
        required.demands.occurrences.iter().all(|demand| {
            let behind = demand.step + required.task.system.goals[demand.goal].steps as usize;
            if behind <= first || demand.step >= end {
                return true;
            }
            let seen = simulator.goals(&states[demand.step..=behind], &inputs[demand.step..behind]);
            seen.iter()
                .any(|seen| seen.goal == demand.goal && (!demand.violated || seen.expectation == Some(false)))
        })
    }
}
