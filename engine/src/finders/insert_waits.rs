//! Goals that known chains would reach if they waited.
//!
//! A timer runs out where its inputs are held; a chain that was made for other goals passes there
//! and goes on too soon. So at each step where the inputs of a chain change, simulation holds the
//! old ones for long, which costs little. If an open goal occurs then, the wait becomes part of the
//! chain.

use crate::knowledge::chains::{CheckedChain, cut, first_occurrence, longest_run, missed};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashSet;

/// Longest wait, in steps.
const LONGEST: usize = 4_000;

/// Terms that a step counts for at least: it is more than its terms.
const LEAST_TERMS: usize = 64;

/// How many steps may be simulated for so many evaluated terms.
pub(super) fn steps_for(task: &Task<'_>, work: u64) -> usize {
    let terms = task.system.terms.len().max(LEAST_TERMS) as u64;
    usize::try_from(work / terms).unwrap_or(usize::MAX)
}

/// The chains, with waits in them that cover more of the goals, after at most `left` simulated
/// steps.
pub(super) fn with_waits(
    task: &Task<'_>,
    mut chains: Vec<CheckedChain>,
    goals: &[Vertex],
    mut left: usize,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let mut number = 0;
    while number < chains.len() {
        match longer(task, &chains, number, goals, &mut left, session) {
            // What was found before a limit counts.
            Err(Stop::Limit(_)) => break,
            Err(stop) => return Err(stop),
            Ok(Some(chain)) => {
                chains[number] = chain;
                let covered = goals.len() - missed(task, &chains, goals).len();
                let text = format!("{covered} of {} goals covered, by waiting", goals.len());
                session.record(Engine::Simulation, text);
            }
            Ok(None) => number += 1,
        }
    }
    Ok(chains)
}

/// The chain of this number with a wait that covers one more of the goals, and all that it covered
/// before.
fn longer(
    task: &Task<'_>,
    chains: &[CheckedChain],
    number: usize,
    goals: &[Vertex],
    left: &mut usize,
    session: &Session<'_>,
) -> Result<Option<CheckedChain>, Stop> {
    let (chain, open) = (&chains[number], missed(task, chains, goals));
    if open.is_empty() {
        return Ok(None);
    }
    for (at, held) in waits(chain) {
        if *left < LONGEST || session.stopped().is_some() {
            break;
        }
        *left -= LONGEST;
        let wait =
            Trace { start: Start::State(chain.run.states[at].clone()), inputs: vec![held.clone(); LONGEST] };
        let waited = longest_run(task, &wait)?;
        for &goal in &open {
            let Some(first) = first_occurrence(&waited.run, task.goal(goal)) else { continue };
            let steps = (first + task.steps(goal)) as usize;
            if let Some(chain) = inserted(task, chain, at, &vec![held.clone(); steps], goal)? {
                return Ok(Some(chain));
            }
        }
    }
    Ok(None)
}

/// The chain with these inputs before a step, or at its end without the rest if nothing is lost
/// with it, where it covers this goal then and all that it covered.
fn inserted(
    task: &Task<'_>,
    chain: &CheckedChain,
    at: usize,
    wait: &[Vec<Value>],
    goal: Vertex,
) -> Result<Option<CheckedChain>, Stop> {
    let covers = |&vertex: &Vertex| vertex == goal || chain.covers(task.goal(vertex));
    let wanted: Vec<Vertex> = task.vertices().filter(covers).collect();
    Ok(cut(task, &chain.replaced(at..at, wait), &wanted)?)
}

/// Where inputs change, with those held until then, each pair of a state and inputs once; the last
/// ones first.
fn waits(chain: &CheckedChain) -> Vec<(usize, &Vec<Value>)> {
    let inputs = &chain.trace.inputs;
    let mut seen = FxHashSet::default();
    let changes = |at: &usize| inputs.get(*at) != inputs.get(at - 1);
    let wait = |at: usize| (at, &inputs[at - 1]);
    let is_new =
        |&(at, held): &(usize, &Vec<Value>)| seen.insert((chain.run.states[at].clone(), held.clone()));
    (1..=inputs.len()).rev().filter(changes).map(wait).filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::validate::validate;

    /// A timer that runs in mode 2 and counts up to 900.
    const SYSTEM: &str = "system s input go w2
        state mode w2 init 0 next (ite (eq go 0) mode go)
        state timer w12 init 0 next (ite (eq mode 2) (ite (ult timer 900) (add timer 1) timer) 0)
        goal one when (eq mode 1)
        goal three when (eq mode 3)
        goal late when (eq timer 900)
        goal never when (eq timer 901)
        end (eq mode 3)";

    #[test]
    fn a_wait_is_put_into_the_chain() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let inputs = [1, 2, 3, 0].map(|go| vec![Value::new(Sort::word(2), go)]).to_vec();
        let trace = Trace { start: Start::Initial(Vec::new()), inputs };
        let chain = cut(&task, &trace, &numbered([1, 2])).expect("a run").expect("a chain");
        let goals = numbered([1, 2, 3, 4]);
        let Ok(longer) = with_waits(&task, vec![chain], &goals, 1_000_000, &session) else {
            panic!("no limit")
        };
        let [longer] = &longer[..] else { panic!("one chain") };
        assert_eq!(missed(&task, std::slice::from_ref(longer), &goals), numbered([4]));
        assert!((900..910).contains(&longer.length()), "{}", longer.length());
    }
}
