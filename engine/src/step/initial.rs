//! The initial states, one by one.

use crate::knowledge::task::Task;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use encoder::unroll::Start;
use model::trace;
use model::value::Value;

/// Most initial states that are enumerated.
pub(crate) const INITIAL_STATES: usize = 1_000;

/// An initial state and the initial inputs that make it.
#[derive(Clone, Debug)]
pub(crate) struct InitialState {
    pub(crate) inputs: Vec<Value>,
    pub(crate) state: Vec<Value>,
}

/// All initial states with initial inputs that make them. `None`: more than `limit`.
pub(crate) fn initial_states(
    task: &Task<'_>,
    limit: usize,
    session: &Session<'_>,
) -> Result<Option<Vec<InitialState>>, Stop> {
    let mut unfolding = BmcSolver::new(task, Start::Initial, session)?;
    let running = unfolding.running(0)?;
    let mut states: Vec<InitialState> = Vec::new();
    while unfolding.ask(session, &[running])? {
        if states.len() == limit {
            return Ok(None);
        }
        let trace::Start::Initial(inputs) = unfolding.run(0).start else {
            panic!("a run from the initial state should start there");
        };
        let state = task.initial_state(&inputs);
        unfolding.exclude_state(&state, 0)?;
        states.push(InitialState { inputs, state });
    }
    Ok(Some(states))
}
