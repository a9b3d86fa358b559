//! Random systems against breadth-first search over tables, with each SAT solver in turn: a model
//! that one of them leaves open in part must not be read as more than it says.

use crate::automaton::{Automaton, Optimum, SHAPES, Shape, count, first_seed, goal, optimum};
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, Options};
use engine::outcome::{GoalResult, Outcome};
use engine::session::Silent;
use model::system::GoalId;
use model::validate::Validated;
use solver::sat::Backend;

/// How often what was seen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) systems: usize,
    pub(crate) proven: usize,
    pub(crate) gaps: usize,
    pub(crate) several: usize,
    pub(crate) unreachable: usize,
    /// Optimal chains in which a transition belongs to the windows of several goals.
    pub(crate) shared: usize,
    /// Optimal chains of fewer steps than the windows of their goals have together.
    pub(crate) compressed: usize,
    /// Greatest length of an optimum.
    pub(crate) longest: usize,
}

fn check(seed: u64, shape: Shape, options: &Options, tally: &mut Tally) {
    let automaton = Automaton::random(seed, shape);
    let system = automaton.encode();
    let backend = Backend::ALL[seed as usize % Backend::ALL.len()];
    let options = Options { backend, ..options.clone() };
    check_against(seed, &system, &automaton, &options, tally);
}

/// Compares what the engine finds for a system with the truth about its tables.
pub(crate) fn check_against(
    seed: u64,
    system: &Validated,
    automaton: &Automaton,
    options: &Options,
    tally: &mut Tally,
) {
    let outcome = match find_chains(system, options, &Silent) {
        Err(EngineError::NoExecution(_)) if !automaton.has_execution() => return,
        outcome => outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}")),
    };
    let optimum = optimum(automaton);
    tally.systems += 1;
    check_statuses(seed, &outcome, &optimum, tally);
    let Some((chains, length)) = optimum.chains else {
        assert!(outcome.chains.is_empty(), "seed {seed}: chains although nothing can be covered");
        tally.proven += 1;
        return;
    };
    tally.several += usize::from(chains > 1);
    tally.longest = tally.longest.max(length);
    let found = (outcome.chains.len(), outcome.length() as usize);
    match outcome.minimal {
        Minimality::Proven => {
            assert_eq!(found, (chains, length), "seed {seed}: proven, but not the optimum");
            assert_eq!(outcome.lower_bound as usize, length, "seed {seed}");
            tally.proven += 1;
            let windows = windows(system, &outcome);
            tally.shared += usize::from(share_transitions(&windows));
            let together: u32 = windows.iter().map(|window| window.steps).sum();
            tally.compressed += usize::from(length < together as usize);
        }
        Minimality::Gap => {
            assert!(found >= (chains, length), "seed {seed}: better than the optimum");
            let fits = found.0 > chains || outcome.lower_bound as usize <= length;
            assert!(fits, "seed {seed}: bound {} above {length}", outcome.lower_bound);
            tally.gaps += 1;
        }
        Minimality::Unknown => tally.gaps += 1,
    }
}

/// The first occurrence of a goal.
struct Window {
    chain: usize,
    at: u32,
    steps: u32,
}

fn windows(system: &Validated, outcome: &Outcome) -> Vec<Window> {
    let window = |(goal, result): (GoalId, &GoalResult)| match result.status {
        GoalStatus::Covered { chain, at } => Some(Window { chain, at, steps: system.goals[goal].steps }),
        _ => None,
    };
    outcome.goals.iter().filter_map(window).collect()
}

fn share_transitions(windows: &[Window]) -> bool {
    let shares =
        |a: &Window, b: &Window| a.chain == b.chain && a.at < b.at + b.steps && b.at < a.at + a.steps;
    (0..windows.len()).any(|b| windows[..b].iter().any(|a| shares(a, &windows[b])))
}

pub(crate) fn check_statuses(seed: u64, outcome: &Outcome, optimum: &Optimum, tally: &mut Tally) {
    for number in 0..optimum.reachable.len() {
        let status = &outcome.goals[goal(number)].status;
        let (reachable, coverable) = (optimum.reachable[number], optimum.coverable[number]);
        let fits = match status {
            GoalStatus::Covered { .. } => coverable,
            GoalStatus::Unreachable { .. } => !reachable,
            GoalStatus::EndUnreachable { .. } => !coverable,
            GoalStatus::Undecided { .. } => !reachable,
            GoalStatus::EndUndecided { .. } => !coverable,
            GoalStatus::NotChained => false,
        };
        assert!(fits, "seed {seed}: goal {number} is {status:?}, truth {reachable} {coverable}");
        tally.unreachable += usize::from(!coverable);
    }
}

fn tally(options: &Options, systems: u64) -> Tally {
    let mut tally = Tally::default();
    for (number, &shape) in SHAPES.iter().enumerate() {
        for seed in 0..count(systems) {
            check(first_seed() + 10_000 * number as u64 + seed, shape, options, &mut tally);
        }
    }
    println!("{}, {:?} states: {tally:?}", options.engine, options.most_states);
    tally
}

fn run(engine: EngineChoice, systems: u64) {
    let tally = tally(&Options { engine, ..Options::default() }, systems);
    assert!(tally.proven * 100 >= tally.systems * 95, "{tally:?}");
    assert!(tally.several > 0 && tally.unreachable > 0, "{tally:?}");
    assert!(tally.shared > 20 && tally.compressed > 5, "{tally:?}");
}

#[test]
fn the_automatic_engine_finds_the_optimum() {
    run(EngineChoice::Auto, 100);
}

#[test]
fn the_sat_engine_finds_the_optimum() {
    run(EngineChoice::Sat, 40);
}

/// With nothing enumerated, the engines take turns that come in otherwise only where states are
/// many.
#[test]
fn engines_without_all_states_find_the_optimum() {
    let tally = tally(&Options { most_states: Some(1), ..Options::default() }, 4);
    assert!(tally.proven * 100 >= tally.systems * 90, "{tally:?}");
    assert!(tally.shared > 0 && tally.unreachable > 0, "{tally:?}");
}
