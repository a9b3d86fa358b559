//! What may be claimed of chains that were not searched for with a proof in mind.
//!
//! The best plan under the distances known so far is a lower bound for every set of as many chains.
//! Chains that meet it are minimal, whoever found them.

use crate::error::EngineError;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::optimum::order::plan::{Planned, plan};
use crate::session::Session;
use solver::atsp::{self, WarmStart};

/// Raises what is known to the lower bounds of sets of as many chains as the known ones, and of
/// fewer, that follow from these distances.
pub(crate) fn raise_by_plan(
    graph: &ReachGraph,
    known: &mut Knowledge,
    session: &Session<'_>,
) -> Result<(), EngineError> {
    let goals = known.covered();
    if goals.is_empty() {
        return Ok(());
    }
    let options = atsp::Options {
        seed: session.options.seed,
        deadline: session.options.deadline,
        stop: Some(session.options.stop.clone()),
    };
    let mut are_fewer_impossible = true;
    for chains in 1..=known.chains().len() {
        let excludes = |a, b| graph.lower(a, b).is_none();
        let best =
            plan(|a, b| graph.lower(a, b), excludes, &goals, &[], chains, &WarmStart::default(), &options);
        let steps = match best {
            Planned::Plan(plan) => plan.lower_bound,
            Planned::Unknown { lower_bound } => lower_bound,
            Planned::Impossible if !are_fewer_impossible => continue,
            Planned::Impossible => {
                known.raise(Bound::new(&goals, Claim::Fewest { chains: chains + 1, steps: 0 }))?;
                continue;
            }
        };
        are_fewer_impossible = false;
        known.raise(Bound::new(&goals, Claim::Of { chains, steps }))?;
    }
    Ok(())
}
