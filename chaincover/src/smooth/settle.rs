//! Inputs that a chain does not need, told by trial: for groups of inputs, whether the chain still works when they have their defaults from its
//! first step to its last.
//!
//! Generated code has a hundred inputs and more of which a chain needs a few. A group that may be settled costs one replay however
//! many inputs it has; one that may not is halved. So few replays tell what would take one for each stretch of each input otherwise, and
//! this pass comes first: where time is short, inputs that nothing needs are still.

use super::Task;
use super::changes::stimuli;
use super::hold::worth;
use crate::chain::check::Candidate;
use crate::stats::{Context, Halt};
use model::id::Id;
use model::system::InputId;
use model::value::Value;

/// Steps that all trials on one chain may simulate together.
const EFFORT: usize = 500_000;

/// Settles all inputs that allow it.
pub(super) fn settle(task: &Task<'_>, best: &mut Candidate, context: &Context<'_>) -> Result<(), Halt> {
    let default = |input: InputId| Some((input, task.defaults.get(input).copied().flatten()?));
    let inputs: Vec<(InputId, Value)> = stimuli(task.problem.system).filter_map(default).collect();
    let mut effort = EFFORT;
    let mut groups = vec![inputs.as_slice()];
    while let Some(group) = groups.pop() {
        context.check_limits()?;
        let is_elsewhere = |&&(input, default): &&(InputId, Value)| {
            best.trace.inputs.iter().any(|row| row[input.index()] != default)
        };
        if group.iter().filter(is_elsewhere).count() == 0 {
            continue;
        }
        effort = match effort.checked_sub(best.trace.inputs.len()) {
            Some(left) => left,
            None => return Ok(()),
        };
        match settled(task, best, group) {
            Some(better) => *best = better,
            None if group.len() > 1 => groups.extend(<[_; 2]>::from(group.split_at(group.len() / 2))),
            None => {}
        }
    }
    Ok(())
}

/// The chain with these inputs at their defaults, if it still does what it must and changes no more often.
fn settled(task: &Task<'_>, chain: &Candidate, group: &[(InputId, Value)]) -> Option<Candidate> {
    let mut inputs = chain.trace.inputs.clone();
    for row in &mut inputs {
        group.iter().for_each(|&(input, default)| row[input.index()] = default);
    }
    match worth(task, &inputs) < worth(task, &chain.trace.inputs) {
        true => task.judge(chain, inputs),
        false => None,
    }
}
