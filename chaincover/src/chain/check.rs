//! From runs of the encoder to chains the evaluator accepts.
//!
//! Every run is replayed by the evaluator of `model`, which shares no code with the encoder. A chain is cut after the first
//! step that leaves all its goals covered and the state in Final: what the search thought of is never longer than needed.

use crate::pipeline::EngineError;
use crate::problem::Problem;
use model::trace::{self, Run, Trace};
use model::validate::Validated;

/// A chain with what the evaluator saw.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) trace: Trace,
    pub(crate) run: Run,
}

impl Candidate {
    /// Number of steps.
    pub(crate) fn length(&self) -> u32 {
        self.trace.inputs.len() as u32
    }
}

/// The longest executable prefix of a trace and what happens in it.
pub(crate) fn longest_run(system: &Validated, trace: &Trace) -> Result<(Trace, Run), EngineError> {
    let mut trace = trace.clone();
    loop {
        match trace::replay(system, &trace) {
            Ok(run) => return Ok((trace, run)),
            Err(trace::Mismatch::Assumption { step, .. }) => trace.inputs.truncate(step as usize),
            Err(why) => return Err(EngineError::SelfCheck(why.to_string())),
        }
    }
}

/// The shortest prefix of the trace that covers the goals of these vertices and ends in Final, if there is one.
pub(crate) fn cut(
    problem: &Problem<'_>,
    trace: &Trace,
    vertices: &[usize],
) -> Result<Option<Candidate>, EngineError> {
    let (mut trace, run) = longest_run(problem.system, trace)?;
    let mut covered_after = 0;
    for &vertex in vertices {
        match run.first_occurrence(problem.goal(vertex)) {
            Some(at) => covered_after = covered_after.max(at + problem.steps(vertex)),
            None => return Ok(None),
        }
    }
    let length = trace.inputs.len() as u32;
    let Some(end) = (covered_after..=length).find(|&at| run.end_holds(at)) else { return Ok(None) };
    trace.inputs.truncate(end as usize);
    let (trace, run) = longest_run(problem.system, &trace)?;
    Ok(Some(Candidate { trace, run }))
}

/// The chain of a run that was asked to be one.
pub(crate) fn accept(
    problem: &Problem<'_>,
    trace: &Trace,
    vertices: &[usize],
) -> Result<Candidate, EngineError> {
    cut(problem, trace, vertices)?.ok_or_else(|| {
        let steps = trace.inputs.len();
        EngineError::SelfCheck(format!("the evaluator refuses a chain of {steps} steps that the encoder found"))
    })
}
