//! From runs of the encoder to chains the evaluator accepts.
//!
//! Every run is replayed by the evaluator of `model`, which shares no code with the encoder. A
//! chain is cut after the first step that leaves all its goals covered and the state in Final: what
//! the search thought of is never longer than needed.

use crate::error::EngineError;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use model::system::GoalId;
use model::trace::{Execution, Trace, TraceError};
use model::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A chain with what the evaluator saw. Copies share both: a chain of a hundred thousand steps
/// takes hundreds of megabytes.
#[derive(Clone, Debug)]
pub(crate) struct CheckedChain {
    pub(crate) trace: Arc<Trace>,
    pub(crate) run: Arc<Execution>,
}

impl CheckedChain {
    /// Number of steps.
    pub(crate) fn length(&self) -> u32 {
        self.trace.inputs.len() as u32
    }
    /// Whether the goal occurs.
    pub(crate) fn covers(&self, goal: GoalId) -> bool {
        first_occurrence(&self.run, goal).is_some()
    }
    /// The state after so many steps.
    pub(crate) fn state(&self, steps: usize) -> &[Value] {
        &self.run.states[steps]
    }
    /// The trace of the first steps.
    pub(crate) fn prefix(&self, steps: usize) -> Trace {
        Trace { start: self.trace.start.clone(), inputs: self.trace.inputs[..steps].to_vec() }
    }
    /// The trace with these inputs in the place of some steps.
    pub(crate) fn replaced(&self, steps: Range<usize>, inputs: &[Vec<Value>]) -> Trace {
        let old = &self.trace.inputs;
        let inputs = [&old[..steps.start], inputs, &old[steps.end..]].concat();
        Trace { start: self.trace.start.clone(), inputs }
    }
    /// The chain with these inputs in the place of some steps, if it covers the goals of these
    /// vertices in fewer steps than before.
    pub(crate) fn shortened(
        &self,
        task: &Task<'_>,
        steps: Range<usize>,
        inputs: &[Vec<Value>],
        vertices: &[Vertex],
    ) -> Result<Option<Self>, EngineError> {
        let shorter = cut(task, &self.replaced(steps, inputs), vertices)?;
        Ok(shorter.filter(|shorter| shorter.length() < self.length()))
    }
}

/// Leaves out chains, the first ones first, that cover none of the goals which others do not, until
/// no more than `most` are left.
pub(crate) fn keep_needed(task: &Task<'_>, chains: &mut Vec<CheckedChain>, goals: &[Vertex], most: usize) {
    let missed_by_all = missed(task, chains, goals).len();
    let mut number = 0;
    while chains.len() > most && number < chains.len() {
        let chain = chains.remove(number);
        if missed(task, chains, goals).len() > missed_by_all {
            chains.insert(number, chain);
            number += 1;
        }
    }
}

/// Whether any of the chains covers the goal of a vertex.
pub(crate) fn is_covered(task: &Task<'_>, chains: &[CheckedChain], goal: Vertex) -> bool {
    chains.iter().any(|chain| chain.covers(task.goal(goal)))
}

/// Those of the goals that some of the chains covers.
pub(crate) fn covered<'c>(
    task: &Task<'_>,
    chains: impl IntoIterator<Item = &'c CheckedChain> + Clone,
    goals: impl IntoIterator<Item = Vertex>,
) -> Vec<Vertex> {
    let is_covered = |goal: &Vertex| {
        let mut chains = chains.clone().into_iter();
        chains.any(|chain| chain.covers(task.goal(*goal)))
    };
    goals.into_iter().filter(is_covered).collect()
}

/// Those of the goals that none of the chains covers.
pub(crate) fn missed(task: &Task<'_>, chains: &[CheckedChain], goals: &[Vertex]) -> Vec<Vertex> {
    goals.iter().copied().filter(|&goal| !is_covered(task, chains, goal)).collect()
}

/// The steps after which goals were covered for the first time, ascending, each once.
pub(crate) fn covered_after(task: &Task<'_>, chain: &CheckedChain) -> BTreeSet<usize> {
    let after = |vertex| {
        let at = first_occurrence(&chain.run, task.goal(vertex))?;
        Some((at + task.steps(vertex)).min(chain.length()) as usize)
    };
    task.vertices().filter_map(after).collect()
}

/// First step of the first occurrence of a goal.
pub(crate) fn first_occurrence(run: &Execution, goal: GoalId) -> Option<u32> {
    run.occurrences[goal].first().map(|occurrence| occurrence.step as u32)
}

/// The longest executable prefix of a trace, and what happens in it.
pub(crate) fn longest_run(task: &Task<'_>, trace: &Trace) -> Result<CheckedChain, EngineError> {
    longest_run_of(task, trace.clone())
}

/// The same for a trace that is not needed any more: a trace may have a million steps.
fn longest_run_of(task: &Task<'_>, mut trace: Trace) -> Result<CheckedChain, EngineError> {
    loop {
        match task.replay(&trace) {
            Ok(run) => return Ok(CheckedChain { trace: Arc::new(trace), run: Arc::new(run) }),
            Err(TraceError::Assumption { step, .. }) => trace.inputs.truncate(step),
            Err(why) => return Err(refusal(&why)),
        }
    }
}

/// What it means that a trace that should be an execution was not run.
pub(crate) fn refusal(why: &TraceError) -> EngineError {
    match why {
        TraceError::Stopped => EngineError::Stopped,
        why => EngineError::SelfCheck(why.to_string()),
    }
}

/// The shortest prefix of the trace that covers the goals of these vertices and ends in Final, if
/// there is one.
pub(crate) fn cut(
    task: &Task<'_>,
    trace: &Trace,
    vertices: &[Vertex],
) -> Result<Option<CheckedChain>, EngineError> {
    cut_run(task, longest_run(task, trace)?, vertices)
}

/// What [`cut`] makes of an execution.
pub(crate) fn cut_run(
    task: &Task<'_>,
    whole: CheckedChain,
    vertices: &[Vertex],
) -> Result<Option<CheckedChain>, EngineError> {
    let CheckedChain { trace, run } = whole;
    let mut covered_after = 0;
    for &vertex in vertices {
        match first_occurrence(&run, task.goal(vertex)) {
            Some(at) => covered_after = covered_after.max(at + task.steps(vertex)),
            None => return Ok(None),
        }
    }
    let ends = |&at: &usize| task.may_end(&run.states[at]);
    let Some(end) = (covered_after as usize..run.states.len()).find(ends) else { return Ok(None) };
    // Both executions at once would take twice the memory.
    drop(run);
    let mut trace = Arc::unwrap_or_clone(trace);
    trace.inputs.truncate(end);
    longest_run_of(task, trace).map(Some)
}

/// The chain of a run, up to where it has covered those of the goals that occur in it and is in
/// Final. `None`: no goal occurs, or the run does not come to Final behind them.
pub(crate) fn covering(
    task: &Task<'_>,
    trace: Trace,
    goals: &[Vertex],
) -> Result<Option<CheckedChain>, EngineError> {
    let run = longest_run_of(task, trace)?;
    match covered(task, [&run], goals.iter().copied()) {
        covered if covered.is_empty() => Ok(None),
        covered => cut_run(task, run, &covered),
    }
}

/// The chain of a run that was asked to be one.
pub(crate) fn accept(
    task: &Task<'_>,
    trace: &Trace,
    vertices: &[Vertex],
) -> Result<CheckedChain, EngineError> {
    accepted(cut(task, trace, vertices)?, trace)
}

/// What [`cut`] or [`covering`] made of a run that was asked to be a chain.
pub(crate) fn accepted(chain: Option<CheckedChain>, trace: &Trace) -> Result<CheckedChain, EngineError> {
    chain.ok_or_else(|| {
        let steps = trace.inputs.len();
        EngineError::SelfCheck(format!(
            "the evaluator refuses a chain of {steps} steps that the search found"
        ))
    })
}

/// Total length.
pub(crate) fn total(chains: &[CheckedChain]) -> u64 {
    chains.iter().map(|chain| u64::from(chain.length())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use crate::session::Stop;
    use model::text::parse;
    use model::trace::Start;
    use model::validate::validate;
    use solver::sat::Budget;
    use std::time::Instant;

    #[test]
    fn long_executions_end_with_the_time() {
        let text = "input x w1 state n w32 next (add n 1) goal late when (eq n 5000)";
        let system = validate(parse(text).expect("a text")).expect("a system");
        let new = || Task::new(&system, &all_goals(&system), Vec::new());
        let trace = |steps| Trace {
            start: Start::Initial(Vec::new()),
            inputs: vec![vec![Value::truth(false)]; steps],
        };
        let whole = cut(&new(), &trace(6_000), &numbered([1])).expect("an execution").expect("a chain");
        assert_eq!(whole.length(), 5_001);
        let late = new().until(Budget { deadline: Some(Instant::now()), ..Budget::default() });
        assert!(cut(&late, &trace(20), &[]).is_ok(), "short ones cost nothing");
        let stopped = cut(&late, &trace(6_000), &numbered([1])).map(drop).map_err(Stop::from);
        assert!(matches!(stopped, Err(Stop::Limit(_))), "{stopped:?}");
    }
}
