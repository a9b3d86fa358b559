//! Chains that people can read and rigs can drive: after minimal length, inputs change as rarely as possible.
//!
//! The second of two goals, in lexicographic order: no chain becomes longer, loses a goal, hides a violated expectation or runs into
//! undefined behaviour for it. What a pass proposes is replayed by the evaluator, and replaces the chain only if it does all the chain
//! did ([`demand`]) with fewer changes ([`changes`]), or with as many and plainer values.
//!
//! | pass | does |
//! |---|---|
//! | [`settle`] | gives inputs that the chain does not need their defaults throughout |
//! | [`hold`] | gives a stretch of one input the value before or behind it, or its default, and looks whether the chain still works |
//! | [`local`] | the same, running each trial only until the execution is back in the chain's state |
//! | [`window`] | solves stretches of all inputs anew under a bound on the number of changes, by SAT |
//! | [`plain`] | gives values that came by chance ones with few digits |
//! | [`trimmed`](demand::Demands::trimmed) | cuts off steps at the end that are needed no more, since occurrences moved |
//! | [`free`] | marks inputs that do not matter |
//!
//! The passes are local and have a fixed effort: the number of changes is small, but not claimed to be least.
//!
//! Other inputs may ask the C library at other points. So every trial takes the results that the host's library gives for it; the passes
//! by SAT, to which these results are open, are left out.

mod cardinality;
mod changes;
mod demand;
mod free;
mod hold;
mod local;
mod plain;
mod settle;
mod slew;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use changes::respects;
pub use changes::{Limits, Slew};

use crate::chain::check::{Candidate, longest_run};
use crate::problem::Problem;
use crate::refine::complete;
use crate::stats::{Context, Halt};
use changes::count;
use demand::Demands;
use model::id::IdVec;
use model::system::{GoalId, InputId};
use model::trace::Trace;
use model::value::Value;

/// What is wished of the inputs of a chain.
#[derive(Clone, Debug, Default)]
pub struct Smoothing {
    /// What a rig demands of every step, where a chain of the same length can do it.
    pub limits: Limits,
    /// For each input the value it has where nothing else decides, if one is preferred.
    pub defaults: IdVec<InputId, Option<Value>>,
    /// For each numeric input whether words are two's complement numbers; values of the others stay as they were found.
    pub signed: IdVec<InputId, Option<bool>>,
    /// Whether the assumption at a position of the system's list is the declared range of one input. Others are none, whatever they speak about.
    pub ranges: Vec<bool>,
}

/// Whether a chain keeps the limits asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// It does.
    Kept,
    /// No inputs of that length that keep them have every goal occur where it does: proven.
    Impossible,
    /// None were found within the effort and the time.
    #[default]
    GivenUp,
}

/// What became of the inputs of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Smoothed {
    /// Number of changes of inputs between steps in the chain that was found first.
    pub raw_changes: usize,
    /// Number of changes in the chain that is given out.
    pub changes: usize,
    /// Whether the limits asked for are kept.
    pub limits: Keeping,
    /// `free[k][i]`: input i does not matter in step k.
    pub free: Vec<Vec<bool>>,
}

/// A chain, what it must do, and how its inputs may move.
pub(crate) struct Task<'t> {
    problem: &'t Problem<'t>,
    demands: Demands,
    limits: Limits,
    defaults: &'t IdVec<InputId, Option<Value>>,
    signed: &'t IdVec<InputId, Option<bool>>,
    ranges: &'t [bool],
}

/// The chain with its inputs smoothed; `order` are the goals it is answerable for. A limit ends the passes early. The chain is shorter
/// where goals that occur earlier now leave steps at its end that nothing needs.
pub(crate) fn smooth(
    problem: &Problem<'_>,
    chain: &Candidate,
    order: &[GoalId],
    wishes: &Smoothing,
    context: &Context<'_>,
) -> Result<(Candidate, Smoothed), Halt> {
    let demands = Demands::of(problem, chain, order);
    let Smoothing { defaults, signed, ranges, .. } = wishes;
    let raw_changes = count(problem.system, &chain.trace.inputs);
    let mut task = Task { problem, demands, limits: Limits::default(), defaults, signed, ranges };
    let mut best = chain.clone();
    let mut impossible = false;
    let ended = improve(&mut task, &mut best, &wishes.limits, &mut impossible, context);
    if let Err(Halt::Failed(error)) = ended {
        return Err(Halt::Failed(error));
    }
    best = task.demands.trimmed(problem, best)?;
    let limits = match respects(problem.system, &wishes.limits, &best.trace.inputs) {
        true => Keeping::Kept,
        false if impossible => Keeping::Impossible,
        false => Keeping::GivenUp,
    };
    let report = Smoothed {
        raw_changes,
        changes: count(problem.system, &best.trace.inputs),
        limits,
        free: free::free_inputs(&task, &best, context)?,
    };
    Ok((best, report))
}

/// The passes in turn. `impossible` says whether limits were proven impossible. Limits that the whole chain can keep are in force from then on.
fn improve(
    task: &mut Task<'_>,
    best: &mut Candidate,
    limits: &Limits,
    impossible: &mut bool,
    context: &Context<'_>,
) -> Result<(), Halt> {
    settle::settle(task, best, context)?;
    local::hold(task, best, context)?;
    hold::hold(task, best, context)?;
    if !limits.is_empty() {
        if !respects(task.problem.system, limits, &best.trace.inputs) {
            *impossible = window::keep_limits(task, best, limits, context)?;
        }
        if respects(task.problem.system, limits, &best.trace.inputs) {
            task.limits = limits.clone();
        }
    }
    if task.problem.calls().is_empty() {
        window::windows(task, best, context)?;
    }
    hold::hold(task, best, context)?;
    plain::plain(task, best, context)
}

impl Task<'_> {
    /// What the evaluator makes of these inputs; `None` where they do not do what the chain must do.
    fn judge(&self, chain: &Candidate, inputs: Vec<Vec<Value>>) -> Option<Candidate> {
        if !respects(self.problem.system, &self.limits, &inputs) {
            return None;
        }
        let trace = Trace { start: chain.trace.start.clone(), inputs };
        let calls = self.problem.calls();
        let trace = if calls.is_empty() { trace } else { complete(self.problem.system, calls, &trace) };
        let judged = longest_run(self.problem, &trace).ok()?;
        let complete = judged.length() == chain.length();
        (complete && self.demands.met(&judged.run)).then_some(judged)
    }
}
