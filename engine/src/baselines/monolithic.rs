//! All goals latched, one incremental query with a growing bound, and nothing else.
//!
//! The strongest simple way to a minimal chain with a SAT solver, and the rival every other
//! strategy is measured against: it unrolls the whole chain and refutes every shorter length
//! without knowing anything about distances.

use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::accept;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::optimum::latched::{Latched, Told};
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};

/// Runs the search until there is a chain or a limit is reached.
/// [`Options::max_k`](crate::options::Options::max_k) bounds the length of the chain.
pub(crate) fn run(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let goals: Vec<Vertex> = task.vertices().collect();
    let mut latched = Latched::new(task, &goals, session)?;
    known.asked(latched.solver_name());
    session.stage("latched", || search(task, &goals, &mut latched, known, session))
}

fn search(
    task: &Task<'_>,
    goals: &[Vertex],
    latched: &mut Latched<'_>,
    known: &mut Knowledge,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let limit = session.options.max_k.unwrap_or(u32::MAX);
    for steps in session.options.least_length..=limit {
        known.deepened(steps);
        session.progress.update(steps, 0, None, u64::from(steps));
        match latched.within(steps, Told::None, Effort::Any, session)? {
            Answer::Run(trace) => {
                known.offer(vec![accept(task, &trace, goals)?])?;
                return Ok(());
            }
            Answer::None => {
                let steps = u64::from(steps) + 1;
                known.raise(Bound::new(goals, Claim::Of { chains: 1, steps }))?;
            }
            Answer::GaveUp => session.check_limits()?,
        }
    }
    Ok(())
}
