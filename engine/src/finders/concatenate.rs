//! Chains one behind the other.
//!
//! Chains that were found one by one are often such that one can simply follow another: where both were made from Init, and the end
//! of the first is as good as Init for the second. To see that costs one execution for each pair. Others can follow after a few
//! steps; see [`bridge`](super::bridge).

use super::bridge::{bridged, joined};
use crate::error::EngineError;
use crate::finders::restricted_enumeration::inputs;
use crate::finders::simulate::search::Budget;
use crate::finders::simulation::continued;
use crate::knowledge::chains::{CheckedChain, is_covered};
use crate::knowledge::known::Knowledge;
use crate::knowledge::problem::Problem;
use crate::session::{Session, Silent, Stop};
use crate::turn::{Finder, Found, Turn};

/// Most chains that are tried.
const MOST_CHAINS: usize = 12;
/// Steps that the search for ways between chains may simulate, each time a chain is sought that can follow another.
const EFFORT: usize = 40_000;
/// Most chains of which pairs are tried to be made one by going on from one of them to the goals of the other.
const MOST_MERGED: usize = 4;

/// Fewer chains, where some can follow others or go on to what others cover.
pub(crate) struct Concatenation<'s>(&'s Problem<'s>);

impl<'s> Concatenation<'s> {
    pub(crate) fn new(problem: &'s Problem<'s>) -> Self {
        Self(problem)
    }
}

impl Finder for Concatenation<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        if known.chains().len() > 1 {
            let (chains, goals) = (known.chains().to_vec(), known.possible_goals());
            found.offer(session.stage("merge", || merged(self.0, chains, &goals, work, session))?);
        }
        Ok(Turn::Idle)
    }
}

/// The chains, with fewer of them where one can go on from its end to all that another covers: every chain costs a reset.
fn merged(
    problem: &Problem<'_>,
    mut chains: Vec<CheckedChain>,
    goals: &[usize],
    work: u64,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let budget = Budget { total: work, idle: work / 2 };
    chains = strung(problem, chains, session.options.reset_cost)?;
    // What is tried in between is of no interest to the user.
    let own = Session::new(session.options, &Silent);
    let covered = |chains: &[CheckedChain]| -> Vec<usize> {
        goals.iter().copied().filter(|&goal| is_covered(problem, chains, goal)).collect()
    };
    let pairs = |chains: usize| {
        let all = (0..chains).flat_map(move |first| (0..chains).map(move |second| (first, second)));
        all.filter(|(first, second)| first != second).collect::<Vec<_>>()
    };
    let mut open = if chains.len() > MOST_MERGED { Vec::new() } else { pairs(chains.len()) };
    while let Some((first, second)) = open.pop().filter(|_| session.stopped().is_none()) {
        let both = covered(&[chains[first].clone(), chains[second].clone()]);
        let longer = continued(problem, vec![chains[first].clone()], &both, (budget, 0), &own)?;
        if let [one] = &longer[..]
            && covered(&longer).len() == both.len()
        {
            chains[first] = one.clone();
            chains.remove(second);
            open = pairs(chains.len());
        }
    }
    session.count(own.sat_calls(), 0);
    Ok(chains)
}

/// The chains, fewer where some can follow others: nothing is lost, and a reset less is needed. With a price of a reset, steps between
/// chains may cost no more than that.
fn strung(
    problem: &Problem<'_>,
    mut chains: Vec<CheckedChain>,
    reset_cost: Option<u64>,
) -> Result<Vec<CheckedChain>, EngineError> {
    if chains.len() > MOST_CHAINS {
        return Ok(chains);
    }
    while let Some((first, second, both)) = pair(problem, &chains, reset_cost)? {
        chains[first] = both;
        chains.remove(second);
    }
    Ok(chains)
}

/// Two chains, by number, of which the second can follow the first, and both in one.
fn pair(
    problem: &Problem<'_>,
    chains: &[CheckedChain],
    reset_cost: Option<u64>,
) -> Result<Option<(usize, usize, CheckedChain)>, EngineError> {
    let all = (0..chains.len()).flat_map(|first| (0..chains.len()).map(move |second| (first, second)));
    let pairs: Vec<(usize, usize)> = all.filter(|(first, second)| first != second).collect();
    for &(first, second) in &pairs {
        if let Some(both) = joined(problem, [&chains[first], &chains[second]], &[], 0)? {
            return Ok(Some((first, second, both)));
        }
    }
    // What the C library gives depends on states that a way between chains may change.
    if !problem.calls().is_empty() {
        return Ok(None);
    }
    let inputs = inputs(chains);
    for (first, second) in pairs {
        let mut effort = EFFORT / (chains.len() * (chains.len() - 1));
        let both = bridged(problem, [&chains[first], &chains[second]], &inputs, &mut effort)?;
        let apart = u64::from(chains[first].length()) + u64::from(chains[second].length());
        let is_worth = |both: &CheckedChain| {
            reset_cost.is_none_or(|price| u64::from(both.length()) <= apart.saturating_add(price))
        };
        if let Some(both) = both.filter(is_worth) {
            return Ok(Some((first, second, both)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::cut;
    use crate::knowledge::problem::all_goals;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;
    use model::value::Value;

    /// A counter that an input moves or sets back, and one that is locked once the counter came to 3.
    const SYSTEM: &str = "system s input go w2
        state n w3 init 0 next (ite (eq go 1) (add n 1) (ite (eq go 2) 0 n))
        state locked w1 init 0 next (ite (eq n 3) 1 locked)
        goal three when (eq n 3)
        goal two when (and (eq n 2) (eq locked 0) (eq go 0))
        goal reset when (eq go 2)";

    fn chain(problem: &Problem<'_>, inputs: &[u128], goals: &[usize]) -> CheckedChain {
        let inputs = inputs.iter().map(|&go| vec![Value::new(Sort::word(2), go)]).collect();
        let trace = Trace { start: Start::Initial(Vec::new()), inputs };
        cut(problem, &trace, goals).expect("a run").expect("a chain")
    }

    #[test]
    fn chains_follow_each_other_where_nothing_is_lost() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let chain = |inputs: &[u128], goals: &[usize]| chain(&problem, inputs, goals);
        let lengths = |chains: Vec<CheckedChain>| -> Vec<u32> {
            strung(&problem, chains, None).expect("runs").iter().map(CheckedChain::length).collect()
        };
        // The lock lets the second chain come first only.
        let (three, two, reset) =
            (chain(&[2, 1, 1, 1, 0], &[1]), chain(&[1, 1, 0, 2], &[2, 3]), chain(&[2], &[3]));
        assert_eq!(lengths(vec![three.clone(), two]), [4 + 5]);
        assert_eq!(lengths(vec![three.clone(), reset]), [5], "the first chain covers what the second does");
        let late = chain(&[1, 1, 0], &[2]);
        assert_eq!(lengths(vec![late.clone(), three]), [3 + 5]);
        assert_eq!(lengths(vec![late]), [3]);
    }

    /// After the first chain a counter of all steps is another one for good, and `ready` is lost; a message brings that back.
    const BROKEN: &str = "system s input go w2
        state steps w16 init 0 next (add steps 1)
        state ready w1 init 1 next (ite (eq go 3) 1 (ite (eq go 1) 0 ready))
        state n w3 init 0 next (ite ready (ite (eq go 2) (add n 1) n) 0)
        goal broken when (and (eq ready 0) (eq go 1))
        goal counted when (eq n 3)
        goal asked when (eq go 3)";

    #[test]
    fn chains_follow_each_other_after_steps_that_lead_back() {
        let system = validate(parse(BROKEN).expect("text of a system")).expect("a valid system");
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let chain = |inputs: &[u128], goals: &[usize]| chain(&problem, inputs, goals);
        let broken = chain(&[3, 1, 1], &[1]);
        let counted = chain(&[2, 2, 2, 0], &[2]);
        let lengths = |price: Option<u64>| -> Vec<u32> {
            let chains = vec![broken.clone(), counted.clone()];
            strung(&problem, chains, price).expect("runs").iter().map(CheckedChain::length).collect()
        };
        // The second first: then the first can follow as it is.
        assert_eq!(lengths(None), [4 + 3]);
        let again = chain(&[0, 3, 1, 1], &[1, 3]);
        let [first, second] = [&again, &counted];
        let inputs = inputs(&[again.clone(), counted.clone()]);
        let mut effort = 100;
        let both = bridged(&problem, [first, second], &inputs, &mut effort).expect("runs").expect("a way");
        assert_eq!(both.length(), 4 + 1 + 4, "one step makes ready what the first chain broke");
        let mut none = 0;
        assert!(bridged(&problem, [first, second], &inputs, &mut none).expect("runs").is_none());
    }
}
