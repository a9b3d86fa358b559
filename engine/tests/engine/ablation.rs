//! Random systems with every engine switched off in turn: without one of them the result may be
//! weaker, and is never wrong.

use crate::automaton::{Automaton, SHAPES, count, first_seed, goal, optimum};
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineId, Options};
use engine::session::Silent;

/// Compares what is claimed of a system with the truth about its tables; what is left open may be
/// so. Whether all is proven.
fn check(seed: u64, automaton: &Automaton, options: &Options) -> bool {
    let outcome = match find_chains(&automaton.encode(), options, &Silent) {
        Err(EngineError::NoExecution(_)) if !automaton.has_execution() => return true,
        outcome => outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}")),
    };
    let what = format!("seed {seed} without {:?}", options.without);
    let truth = optimum(automaton);
    let mut covers_all = true;
    for number in 0..truth.reachable.len() {
        let (reachable, coverable) = (truth.reachable[number], truth.coverable[number]);
        let status = &outcome.goals[goal(number)].status;
        match status {
            GoalStatus::Covered { .. } => assert!(coverable, "{what}: goal {number} is covered"),
            GoalStatus::Unreachable { .. } => assert!(!reachable, "{what}: goal {number} is {status:?}"),
            GoalStatus::EndUnreachable { .. } => assert!(!coverable, "{what}: goal {number} is {status:?}"),
            _ => {}
        }
        covers_all &= coverable == matches!(status, GoalStatus::Covered { .. });
    }
    let Some((chains, length)) = truth.chains else {
        assert!(outcome.chains.is_empty(), "{what}");
        return true;
    };
    if !covers_all {
        return false;
    }
    let found = (outcome.chains.len(), outcome.length() as usize);
    assert!(found >= (chains, length), "{what}: better than the optimum");
    let fits = found.0 > chains || outcome.lower_bound as usize <= length;
    assert!(fits, "{what}: bound {} above {length}", outcome.lower_bound);
    let is_proven = outcome.minimal == Minimality::Proven;
    assert!(!is_proven || found == (chains, length), "{what}: proven, but not the optimum");
    is_proven
}

#[test]
fn without_any_one_engine_nothing_is_wrong() {
    for &engine in EngineId::ALL {
        let (mut proven, mut all) = (0, 0);
        for (number, &shape) in SHAPES.iter().enumerate() {
            for seed in 0..count(2) {
                let seed = first_seed() + 700_000 + 10_000 * number as u64 + seed;
                let automaton = Automaton::random(seed, shape);
                // With all states enumerated no other engine would have anything to do.
                let options = Options { without: vec![engine], most_states: Some(0), ..Options::default() };
                proven += usize::from(check(seed, &automaton, &options));
                all += 1;
            }
        }
        println!("without {engine}: {proven} of {all} proven");
        assert!(
            2 * proven >= all || engine == EngineId::Optimum,
            "without {engine}: {proven} of {all} proven"
        );
    }
}
