//! One path, always extended to the nearest uncovered goal, in the manner of SAL-ATG (Hamon, de Moura, Rushby, SEFM 2004).
//!
//! This search also gives [`exact`](crate::optimum::exact) its first upper bound; here it stands
//! alone, as a rival.

use crate::baselines::engine::OracleUse;
use crate::finders::greedy;
use crate::knowledge::findings::Findings;
use crate::knowledge::problem::Problem;
use crate::knowledge::status::Minimality;
use crate::optimum::reachable::settle_ends;
use crate::provers::distance_engine::Oracle;
use crate::session::{Context, Halt};

/// See the module text.
pub(crate) struct Nearest;

impl OracleUse for Nearest {
    fn run<O: Oracle>(
        self,
        problem: &Problem<'_>,
        mut oracle: O,
        context: &Context<'_>,
    ) -> (Findings, Result<(), Halt>) {
        let mut findings = Findings::nothing(problem, oracle.solver_name());
        let mut graph = problem.empty_graph();
        let ended = context
            .stage("graph", || {
                settle_ends(problem, &mut oracle, &mut graph, &mut findings.statuses, &[], context)
            })
            .and_then(|()| {
                let is_open = |&goal: &usize| findings.statuses[goal].is_none();
                let goals: Vec<usize> = problem.vertices().filter(is_open).collect();
                findings.chains = context
                    .stage("chain", || greedy::chains(problem, &goals, &mut oracle, &graph, context))?;
                let alone = |&goal: &usize| Some(graph.lower(0, goal)? + graph.lower(goal, 0)?);
                findings.lower_bound = u64::from(goals.iter().filter_map(alone).max().unwrap_or(0));
                Ok(())
            });
        if !findings.chains.is_empty() {
            findings.minimal = Minimality::Gap;
        }
        findings.depth = graph.depth();
        findings.graph = Some(graph);
        (findings, ended)
    }
}
