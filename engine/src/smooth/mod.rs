//! Chains that people can read and rigs can drive: after minimal length, inputs change as rarely as
//! possible.
//!
//! The second of two goals, in lexicographic order: no chain becomes longer, loses a goal, hides a
//! violated expectation or runs into undefined behaviour for it. What a pass proposes is replayed
//! by the evaluator, and replaces the chain only if it does all the chain did ([`demand`]) with
//! fewer changes ([`changes`]), or with as many and plainer values.
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
//! The passes are local and have a fixed effort: the number of changes is small, but not claimed to
//! be least.
//!
//! Other inputs may ask the C library at other points. So every trial takes the results that the
//! host's library gives for it; the passes by SAT, to which these results are open, are left out.

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

pub use changes::{count, respects};

use crate::knowledge::chains::{CheckedChain, longest_run};
use crate::knowledge::task::Task;
use crate::options::Limits;
use crate::options::Smoothing;
use crate::outcome::Keeping;
use crate::outcome::Smoothed;
use crate::session::{Session, Stop};
use crate::step::external::complete;
use demand::Demands;
use model::id::IdVec;
use model::system::{GoalId, InputId};
use model::trace::Trace;
use model::value::Value;

/// A chain, what it must do, and how its inputs may move.
pub(crate) struct Requirements<'t> {
    task: &'t Task<'t>,
    demands: Demands,
    limits: Limits,
    defaults: &'t IdVec<InputId, Option<Value>>,
    signed: &'t IdVec<InputId, Option<bool>>,
    ranges: &'t [bool],
}

/// The chain with its inputs smoothed; `order` are the goals it is answerable for. A limit ends the
/// passes early. The chain is shorter where goals that occur earlier now leave steps at its end
/// that nothing needs.
pub(crate) fn smooth(
    task: &Task<'_>,
    chain: &CheckedChain,
    order: &[GoalId],
    wishes: &Smoothing,
    session: &Session<'_>,
) -> Result<(CheckedChain, Smoothed), Stop> {
    let demands = Demands::of(task, chain, order);
    let Smoothing { defaults, signed, ranges, .. } = wishes;
    let raw_changes = count(task.system, &chain.trace.inputs);
    let mut required = Requirements { task, demands, limits: Limits::default(), defaults, signed, ranges };
    let mut best = chain.clone();
    let mut impossible = false;
    let ended = improve(&mut required, &mut best, &wishes.limits, &mut impossible, session);
    if let Err(Stop::Failed(error)) = ended {
        return Err(Stop::Failed(error));
    }
    best = required.demands.trimmed(task, best)?;
    let limits = match respects(task.system, &wishes.limits, &best.trace.inputs) {
        true => Keeping::Kept,
        false if impossible => Keeping::Impossible,
        false => Keeping::GivenUp,
    };
    let report = Smoothed {
        raw_changes,
        changes: count(task.system, &best.trace.inputs),
        limits,
        free: free::free_inputs(&required, &best, session)?,
    };
    Ok((best, report))
}

/// The passes in turn. `impossible` says whether limits were proven impossible. Limits that the
/// whole chain can keep are in force from then on.
fn improve(
    required: &mut Requirements<'_>,
    best: &mut CheckedChain,
    limits: &Limits,
    impossible: &mut bool,
    session: &Session<'_>,
) -> Result<(), Stop> {
    settle::settle(required, best, session)?;
    local::hold(required, best, session)?;
    hold::hold(required, best, session)?;
    if !limits.is_empty() {
        if !respects(required.task.system, limits, &best.trace.inputs) {
            *impossible = window::keep_limits(required, best, limits, session)?;
        }
        if respects(required.task.system, limits, &best.trace.inputs) {
            required.limits = limits.clone();
        }
    }
    if required.task.calls().is_empty() {
        window::windows(required, best, session)?;
    }
    hold::hold(required, best, session)?;
    plain::plain(required, best, session)
}

impl Requirements<'_> {
    /// What the evaluator makes of these inputs; `None` where they do not do what the chain must
    /// do.
    fn judge(&self, chain: &CheckedChain, inputs: Vec<Vec<Value>>) -> Option<CheckedChain> {
        if !respects(self.task.system, &self.limits, &inputs) {
            return None;
        }
        let trace = Trace { start: chain.trace.start.clone(), inputs };
        let trace = complete(self.task.system, trace);
        let judged = longest_run(self.task, &trace).ok()?;
        let complete = judged.length() == chain.length();
        (complete && self.demands.met(&judged.run)).then_some(judged)
    }
}
