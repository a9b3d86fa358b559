//! Inputs that a chain does not need, told by trial: for groups of inputs, whether the chain still
//! works when they have their defaults from its first step to its last.
//!
//! Generated code has a hundred inputs and more of which a chain needs a few. A group that may be
//! settled costs one replay however many inputs it has; one that may not is halved. So few replays
//! tell what would take one for each stretch of each input otherwise, and this pass comes first:
//! where time is short, inputs that nothing needs are still.

use super::Requirements;
use super::changes::stimuli;
use super::hold::worth;
use crate::knowledge::chains::CheckedChain;
use crate::session::{Session, Stop};
use model::id::Id;
use model::system::InputId;
use model::value::Value;

/// Steps that all trials on one chain may simulate together.
const EFFORT: usize = 500_000;

/// Settles all inputs that allow it.
pub(super) fn settle(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let default = |input: InputId| Some((input, required.defaults.get(input).copied().flatten()?));
    let inputs: Vec<(InputId, Value)> = stimuli(required.task.system).filter_map(default).collect();
    let mut effort = EFFORT;
    let mut groups = vec![inputs.as_slice()];
    while let Some(group) = groups.pop() {
        session.check_limits()?;
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
        match settled(required, best, group) {
            Some(better) => *best = better,
            None if group.len() > 1 => groups.extend(<[_; 2]>::from(group.split_at(group.len() / 2))),
            None => {}
        }
    }
    Ok(())
}

/// The chain with these inputs at their defaults, if it still does what it must and changes no more
/// often.
fn settled(
    required: &Requirements<'_>,
    chain: &CheckedChain,
    group: &[(InputId, Value)],
) -> Option<CheckedChain> {
    let mut inputs = chain.trace.inputs.clone();
    for row in &mut inputs {
        group.iter().for_each(|&(input, default)| row[input.index()] = default);
    }
    match worth(required, &inputs) < worth(required, &chain.trace.inputs) {
        true => required.judge(chain, inputs),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::longest_run;
    use crate::knowledge::task::{Task, all_goals};
    use crate::options::Limits;
    use crate::options::Options;
    use crate::session::Silent;
    use crate::smooth::demand::Demands;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;

    /// Of sixteen inputs one is needed, and one may not be zero.
    #[test]
    fn all_inputs_rest_but_those_that_are_needed() {
        let inputs: String = (0..16).map(|number| format!("input i{number} w8 ")).collect();
        let text = format!(
            "system many {inputs} state n w4 next (ite (eq i5 9) (add n 1) n) state sum w8 next (add sum i2)
            goal three when (eq n 3) assume (ult 2 i11)"
        );
        let system = validate(parse(&text).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let row = |step: u128| -> Vec<Value> {
            (0..16).map(|input| Value::word(8, if input == 5 { 9 } else { 3 + step + input })).collect()
        };
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: (0..4).map(row).collect() };
        let chain = longest_run(&task, &trace).unwrap_or_else(|_| panic!("a run"));
        assert_eq!(chain.length(), 4);
        let order: Vec<_> = system.goals.ids().collect();
        let demands = Demands::of(&task, &chain, &order);
        let defaults = system.inputs.ids().map(|_| Some(Value::zero(Sort::word(8)))).collect();
        let signed = system.inputs.ids().map(|_| None).collect();
        let required = Requirements {
            task: &task,
            demands,
            limits: Limits::default(),
            defaults: &defaults,
            signed: &signed,
            ranges: &[],
        };
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut best = chain.clone();
        assert!(settle(&required, &mut best, &session).is_ok());
        for (before, after) in chain.trace.inputs.iter().zip(&best.trace.inputs) {
            for input in 0..16 {
                let expected = if [5, 11].contains(&input) { before[input] } else { Value::word(8, 0) };
                assert_eq!(after[input], expected, "{input}");
            }
        }
        assert!(best.covers(order[0]));
    }
}
