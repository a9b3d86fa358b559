//! The initial states, one by one.

use crate::provers::explicit::InitialState;
use crate::session::{Context, Halt};
use crate::step::bmc_solver::Unfolding;
use crate::task::Problem;
use encoder::unroll::Start;
use model::trace;

/// All initial states with initial inputs that make them. `None`: more than `limit`.
pub(crate) fn initial_states(
    problem: &Problem<'_>,
    limit: usize,
    context: &Context<'_>,
) -> Result<Option<Vec<InitialState>>, Halt> {
    let mut unfolding = Unfolding::new(problem, Start::Initial, context)?;
    let running = unfolding.running(0)?;
    let mut states: Vec<InitialState> = Vec::new();
    while unfolding.ask(context, &[running])? {
        if states.len() == limit {
            return Ok(None);
        }
        let trace::Start::Initial(inputs) = unfolding.run(0).start else {
            panic!("a run from the initial state should start there");
        };
        let state = problem.initial_state(&inputs);
        unfolding.exclude_state(&state, 0)?;
        states.push(InitialState { inputs, state });
    }
    Ok(Some(states))
}
