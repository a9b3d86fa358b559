//! All goals latched, one incremental query with a growing bound, and nothing else.
//!
//! The strongest simple way to a minimal chain with a SAT solver, and the rival every other strategy is measured against:
//! it unrolls the whole chain and refutes every shorter length without knowing anything about distances.

use crate::error::EngineError;
use crate::knowledge::chains::accept;
use crate::knowledge::findings::Findings;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::Minimality;
use crate::optimum::latched::{Knowledge, Latched};
use crate::session::{Context, Halt};
use crate::step::bmc_solver::{Answer, Effort};

/// Runs the search until there is a chain or a limit is reached. [`Options::max_k`](crate::options::Options::max_k) bounds
/// the length of the chain.
pub(crate) fn run(
    problem: &Problem<'_>,
    context: &Context<'_>,
) -> Result<(Findings, Result<(), Halt>), EngineError> {
    let goals: Vec<usize> = problem.vertices().collect();
    let mut latched = Latched::new(problem, &goals, context)?;
    let mut findings = Findings::nothing(problem, latched.solver_name());
    let ended = context.stage("latched", || search(problem, &goals, &mut latched, &mut findings, context));
    Ok((findings, ended))
}

fn search(
    problem: &Problem<'_>,
    goals: &[usize],
    latched: &mut Latched<'_>,
    findings: &mut Findings,
    context: &Context<'_>,
) -> Result<(), Halt> {
    let limit = context.options.max_k.unwrap_or(u32::MAX);
    for steps in 0..=limit {
        findings.depth = steps;
        context.progress.update(steps, 0, None, u64::from(steps));
        match latched.within(steps, Knowledge::None, Effort::Any, context)? {
            Answer::Run(trace) => {
                findings.chains = vec![accept(problem, &trace, goals)?];
                findings.minimal = Minimality::Proven;
                return Ok(());
            }
            Answer::None => findings.lower_bound = u64::from(steps) + 1,
            Answer::GaveUp => context.check_limits()?,
        }
    }
    Ok(())
}
