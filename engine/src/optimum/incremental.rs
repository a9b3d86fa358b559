//! One incremental query about the whole chain: all goals that are known to be coverable, latched,
//! with a growing bound.
//!
//! It refutes every shorter length without knowing anything about distances, so nothing misleads
//! it: where chains are short or the step is simple, nothing is faster. The unrolling and what the
//! solver has learned stay from turn to turn.

use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::accept;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::optimum::latched::{Latched, Told};
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};
use crate::step::size::Size;
use crate::turn::{Prover, Turn};

/// Most gates that are unrolled: more take more than a gigabyte of memory.
const MOST_GATES: u64 = 12_000_000;
/// Gates whose encoding counts as one conflict.
const GATES_PER_CONFLICT: u64 = 1_000;

/// See the module text.
pub(crate) struct IncrementalQuery<'s> {
    task: &'s Task<'s>,
    /// The unrolling, the goals it is about, and the greatest length that was refuted, plus one.
    query: Option<(Latched<'s>, Vec<Vertex>, u32)>,
    /// Gates of one step.
    gates: Option<u64>,
}

impl<'s> IncrementalQuery<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        let gates = Size::of(task.system).gates.map(|gates| gates as u64);
        Self { task, query: None, gates }
    }

    fn search(&mut self, known: &mut Knowledge, session: &Session<'_>) -> Result<Turn, Stop> {
        let goals = known.covered();
        if self.query.as_ref().is_none_or(|(_, about, _)| *about != goals) {
            self.query = Some((Latched::new(self.task, &goals, session)?, goals.clone(), 0));
        }
        let Some((latched, _, next)) = &mut self.query else { return Ok(Turn::Idle) };
        known.asked(latched.solver_name());
        let gates = self.gates.unwrap_or(u64::MAX);
        loop {
            let (_, best) = known.cost();
            let steps = (*next).max(u32::try_from(known.lower_bound()).unwrap_or(u32::MAX));
            if u64::from(steps) >= best {
                return Ok(Turn::Idle);
            }
            if gates.saturating_mul(u64::from(steps)) > MOST_GATES {
                return Ok(Turn::Exhausted);
            }
            let unrolled = u64::from((steps + 1).saturating_sub(latched.encoded()));
            session.count(0, unrolled * gates / GATES_PER_CONFLICT);
            known.deepened(steps);
            session.progress.update(steps, goals.len(), Some(best), known.lower_bound());
            match latched.within(steps, Told::None, Effort::Any, session)? {
                Answer::Run(trace) => {
                    known.offer(vec![accept(self.task, &trace, &goals)?])?;
                }
                Answer::None => {
                    *next = steps + 1;
                    let steps = u64::from(steps) + 1;
                    known.raise(Bound::new(&goals, Claim::Of { chains: 1, steps }))?;
                }
                Answer::GaveUp => session.check_limits()?,
            }
            if known.others().is_some() {
                known.meet_others()?;
                if known.covered() != goals {
                    return Ok(Turn::Open);
                }
            }
        }
    }
}

impl Prover for IncrementalQuery<'_> {
    fn run(&mut self, known: &mut Knowledge, _work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        if known.chains().len() != 1 || !self.task.calls().is_empty() {
            return Ok(Turn::Idle);
        }
        session.stage("latched", || self.search(known, session))
    }
}
