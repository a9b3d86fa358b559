//! Chains one behind the other.
//!
//! Chains that were found one by one are often such that one can simply follow another: where both
//! were made from Init, and the end of the first is as good as Init for the second. To see that
//! costs one execution for each pair. Other chains can follow
//!
//! | after | found by |
//! |---|---|
//! | a few steps of known inputs that lead to where the second chain once was | breadth-first search: [`bridge`] |
//! | inputs held for a while, which bring the system to rest | chance: [`holds`] |
//! | as many steps as it takes to what the second chain covers, in whatever way | simulation that goes on |
//!
//! [`joined`] makes one chain of two in the first three cases.

mod bridge;
pub(crate) mod holds;

use crate::error::EngineError;
use crate::finders::restricted_enumeration::inputs;
use crate::finders::simulate::search::Budget;
use crate::finders::simulation::continued;
use crate::knowledge::chains::{CheckedChain, covered, cut};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::options::Options;
use crate::session::{Session, Silent, Stop};
use crate::step::external::complete;
use crate::tuning::Constant;
use crate::turn::{Finder, Found, Turn};
use bridge::bridged;
use model::value::Value;

/// Most chains of which pairs are tried to follow each other.
const MOST_CHAINS: usize = 12;
/// Steps that the search for ways between chains may simulate for all pairs of chains together,
/// each time a chain is sought that can follow another.
const BRIDGING: usize = 40_000;
/// Most chains of which pairs are tried by simulation that goes on from one of them to the goals of
/// the other.
const MOST_PROLONGED: usize = 4;
/// The part of a turn that simulation may spend on one pair without progress: 1 in so many.
pub(crate) const IDLE_SHARE: Constant = Constant {
    name: "concatenation.idle-share",
    usual: 2,
    unit: "1 in so many",
    purpose: "what share of a turn may pass without progress",
};

/// Fewer chains, where some can follow others or go on to what others cover.
pub(crate) struct Concatenation<'s>(&'s Task<'s>);

impl<'s> Concatenation<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self(task)
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
            found.offer(session.stage("merge", || fewer(self.0, chains, &goals, work, session))?);
        }
        Ok(Turn::Idle)
    }
}

/// The first chain, inputs that lead on, and the second chain from a step on: one chain that covers
/// what both cover, if the evaluator agrees. The C library's results are those that it gives then.
fn joined(
    task: &Task<'_>,
    [first, second]: [&CheckedChain; 2],
    way: &[Vec<Value>],
    step: usize,
) -> Result<Option<CheckedChain>, EngineError> {
    let end = first.trace.inputs.len();
    let trace = first.replaced(end..end, &[way, &second.trace.inputs[step..]].concat());
    let goals = covered(task, [first, second], task.vertices());
    cut(task, &complete(task.system, trace), &goals)
}

/// The chains, with fewer of them where one can go on from its end to all that another covers:
/// every chain costs a reset.
fn fewer(
    task: &Task<'_>,
    chains: Vec<CheckedChain>,
    goals: &[Vertex],
    work: u64,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let mut chains = following(task, chains, session)?;
    // What is tried in between is of no interest to the user.
    let options = Options { deadline: session.deadline(), ..session.options.clone() };
    let own = Session::new(&options, &Silent);
    let budget = Budget { total: work, idle: work / session.options.tuning.value(&IDLE_SHARE).max(1) };
    let mut prolonged = |[first, second]: [&CheckedChain; 2]| -> Result<_, Stop> {
        if session.stopped().is_some() {
            return Ok(None);
        }
        let both = covered(task, [first, second], goals.iter().copied());
        let longer = continued(task, vec![first.clone()], &both, (budget, 0), &own)?;
        let [one] = &longer[..] else { return Ok(None) };
        let covers_both = covered(task, [one], both.iter().copied()).len() == both.len();
        Ok(covers_both.then(|| one.clone()))
    };
    while chains.len() <= MOST_PROLONGED && unite_pair(&mut chains, &mut prolonged)? {}
    session.count(own.sat_calls(), 0);
    Ok(chains)
}

/// The chains, fewer where some can follow others: nothing is lost, and a reset less is needed.
/// With a price of a reset, steps between chains may cost no more than that.
fn following(
    task: &Task<'_>,
    mut chains: Vec<CheckedChain>,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, EngineError> {
    if chains.len() > MOST_CHAINS {
        return Ok(chains);
    }
    let reset_cost = session.options.reset_cost;
    // To run chains of thousands of steps for all pairs may take longer than there is time.
    let mut at_once = |pair: [&CheckedChain; 2]| match session.stopped() {
        Some(_) => Ok(None),
        None => joined(task, pair, &[], 0),
    };
    loop {
        while unite_pair(&mut chains, &mut at_once)? {}
        // What the C library gives depends on states that a way between chains may change.
        if !task.calls().is_empty() {
            return Ok(chains);
        }
        let (inputs, pairs) = (inputs(&chains), chains.len() * chains.len().saturating_sub(1));
        let mut by_a_way = |pair: [&CheckedChain; 2]| {
            let apart: u64 = pair.iter().map(|chain| u64::from(chain.length())).sum();
            if session.stopped().is_some() {
                return Ok(None);
            }
            let is_worth = |both: &CheckedChain| {
                reset_cost.is_none_or(|price| u64::from(both.length()) <= apart.saturating_add(price))
            };
            let both = bridged(task, pair, &inputs, &mut (BRIDGING / pairs))?;
            Ok::<_, EngineError>(both.filter(is_worth))
        };
        if !unite_pair(&mut chains, &mut by_a_way)? {
            return Ok(chains);
        }
    }
}

/// Puts one chain in the place of the first two of which `unite` makes one. Whether there are such.
fn unite_pair<E>(
    chains: &mut Vec<CheckedChain>,
    unite: &mut impl FnMut([&CheckedChain; 2]) -> Result<Option<CheckedChain>, E>,
) -> Result<bool, E> {
    let pairs = (0..chains.len()).flat_map(|first| (0..chains.len()).map(move |second| (first, second)));
    for (first, second) in pairs.filter(|(first, second)| first != second) {
        if let Some(both) = unite([&chains[first], &chains[second]])? {
            chains[first] = both;
            chains.remove(second);
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;
    use model::value::Value;

    /// A counter that an input moves or sets back, and one that is locked once the counter came to
    /// 3.
    const SYSTEM: &str = "system s input go w2
        state n w3 init 0 next (ite (eq go 1) (add n 1) (ite (eq go 2) 0 n))
        state locked w1 init 0 next (ite (eq n 3) 1 locked)
        goal three when (eq n 3)
        goal two when (and (eq n 2) (eq locked 0) (eq go 0))
        goal reset when (eq go 2)";

    fn chain(task: &Task<'_>, inputs: &[u128], goals: &[Vertex]) -> CheckedChain {
        let inputs = inputs.iter().map(|&go| vec![Value::new(Sort::word(2), go)]).collect();
        let trace = Trace { start: Start::Initial(Vec::new()), inputs };
        cut(task, &trace, goals).expect("a run").expect("a chain")
    }

    #[test]
    fn chains_follow_each_other_where_nothing_is_lost() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let chain = |inputs: &[u128], goals: &[Vertex]| chain(&task, inputs, goals);
        let lengths = |chains: Vec<CheckedChain>| -> Vec<u32> {
            following(&task, chains, &Session::new(&Options::default(), &Silent))
                .expect("runs")
                .iter()
                .map(CheckedChain::length)
                .collect()
        };
        // The lock lets the second chain come first only.
        let (three, two, reset) = (
            chain(&[2, 1, 1, 1, 0], &numbered([1])),
            chain(&[1, 1, 0, 2], &numbered([2, 3])),
            chain(&[2], &numbered([3])),
        );
        assert_eq!(lengths(vec![three.clone(), two]), [4 + 5]);
        assert_eq!(lengths(vec![three.clone(), reset]), [5], "the first chain covers what the second does");
        let late = chain(&[1, 1, 0], &numbered([2]));
        assert_eq!(lengths(vec![late.clone(), three]), [3 + 5]);
        assert_eq!(lengths(vec![late]), [3]);
    }

    /// After the first chain a counter of all steps is another one for good, and `ready` is lost; a
    /// message brings that back.
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
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let chain = |inputs: &[u128], goals: &[Vertex]| chain(&task, inputs, goals);
        let broken = chain(&[3, 1, 1], &numbered([1]));
        let counted = chain(&[2, 2, 2, 0], &numbered([2]));
        let lengths = |price: Option<u64>| -> Vec<u32> {
            let chains = vec![broken.clone(), counted.clone()];
            following(
                &task,
                chains,
                &Session::new(&Options { reset_cost: price, ..Options::default() }, &Silent),
            )
            .expect("runs")
            .iter()
            .map(CheckedChain::length)
            .collect()
        };
        // The second first: then the first can follow as it is.
        assert_eq!(lengths(None), [4 + 3]);
        let again = chain(&[0, 3, 1, 1], &numbered([1, 3]));
        let [first, second] = [&again, &counted];
        let inputs = inputs(&[again.clone(), counted.clone()]);
        let mut effort = 100;
        let both = bridged(&task, [first, second], &inputs, &mut effort).expect("runs").expect("a way");
        assert_eq!(both.length(), 4 + 1 + 4, "one step makes ready what the first chain broke");
        let mut none = 0;
        assert!(bridged(&task, [first, second], &inputs, &mut none).expect("runs").is_none());
    }
}
