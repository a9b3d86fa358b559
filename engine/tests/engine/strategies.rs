//! The paper's strategies and the rivals: its Examples 1 to 5, systems that need several chains,
//! and random systems.

use crate::automaton::SHAPES;
use crate::automaton::{Automaton, goal, optimum};
use crate::cruise::Cruise;
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, Options, Strategy};
use engine::outcome::Outcome;
use engine::session::Silent;
use model::id::Id;
use model::validate::{Validated, validate};
use std::time::{Duration, Instant};

const PAPER: [Strategy; 3] = [Strategy::PaperRepair, Strategy::PaperRefine, Strategy::PaperConstraints];
const ENGINES: [EngineChoice; 2] = [EngineChoice::Sat, EngineChoice::Explicit];

fn system(text: &str) -> Validated {
    let system = model::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    validate(system).expect("a system of the tests should be valid")
}

fn find(system: &Validated, strategy: Strategy, engine: EngineChoice) -> Outcome {
    let options = Options { strategy, engine, ..Options::default() };
    find_chains(system, &options, &Silent).expect("the search should have an outcome")
}

/// Goals covered, chains, total length.
fn result(outcome: &Outcome) -> (usize, usize, u64) {
    (outcome.covered(), outcome.chains.len(), outcome.length())
}

fn order(outcome: &Outcome) -> Vec<&str> {
    let name = |goal: &model::system::GoalId| ["a", "b", "c", "d"][goal.index()];
    outcome.chains[0].order.iter().map(name).collect()
}

/// The introduction, and Examples 1 and 2: the chain of four steps needs its second leg stretched.
#[test]
fn the_cruise_controller_is_chained_and_repaired() {
    let introduction = validate(Cruise::with_four_properties().system).expect("a valid system");
    let example = validate(Cruise::of_example_1().system).expect("a valid system");
    for engine in ENGINES {
        for strategy in PAPER {
            let outcome = find(&introduction, strategy, engine);
            assert_eq!(result(&outcome), (4, 1, 9), "{strategy} {engine}");
            assert_eq!(
                (outcome.minimal, outcome.lower_bound),
                (Minimality::Proven, 9),
                "{strategy} {engine}"
            );
            let outcome = find(&example, strategy, engine);
            assert_eq!(result(&outcome), (2, 1, 4), "{strategy} {engine}");
            assert_eq!(outcome.minimal, Minimality::Gap, "three steps are not excluded by distances alone");
            assert_eq!(outcome.lower_bound, 3, "0, 1 and 2 steps");
        }
    }
}

/// Goal b is true in normal operation and after the switch a; c follows it in normal operation
/// only. The abstraction's shortest order a, b, c (3 steps) cannot be followed at any length; b, c,
/// a takes 8.
const ONE_WAY: &str = "
    input move w2
    state switched w1 next (or switched (and (eq place 0) (eq move 1)))
    state place w3 next
        (ite (eq place 0) (ite (eq move 0) place 1)
        (ite (eq place 1) (ite (eq move 1) (ite switched 3 2) place)
        (ite (eq place 2) (ite (eq move 1) 3 place)
        (ite (eq place 3) (ite (and (eq move 2) (not switched)) 4 place)
        (ite (eq place 4) 5 0)))))
    goal a when (and (eq place 0) (and (eq move 1) (not switched)))
    goal b when (and (eq place 1) (eq move 1))
    goal c when (and (eq place 2) (eq move 1))
    end (eq place 3)
";

/// Example 3.
#[test]
fn repair_fails_where_a_goal_cannot_be_left_as_it_was_entered() {
    for engine in ENGINES {
        let outcome = find(&system(ONE_WAY), Strategy::PaperRepair, engine);
        assert_eq!(result(&outcome), (0, 0, 0), "{engine}");
        assert_eq!(outcome.minimal, Minimality::Unknown);
        assert!(outcome.goals.values().all(|goal| goal.status == GoalStatus::NotChained), "{engine}");
        let failed = "chain repair failed on the path a -> b -> c";
        assert!(outcome.notes.iter().any(|note| note == failed), "{engine}: {:?}", outcome.notes);
    }
}

/// Examples 4 and 5: splitting b, or excluding the path through it, gives the order that begins
/// with b.
#[test]
fn refinement_and_constraints_find_the_order_that_works() {
    for engine in ENGINES {
        for strategy in [Strategy::PaperRefine, Strategy::PaperConstraints] {
            let outcome = find(&system(ONE_WAY), strategy, engine);
            assert_eq!(result(&outcome), (3, 1, 8), "{strategy} {engine}");
            assert_eq!(order(&outcome), ["b", "c", "a"], "{strategy} {engine}");
            // Where all distances are known, so is that the first order excludes itself.
            let expected = match engine {
                EngineChoice::Sat => (Minimality::Gap, 3),
                _ => (Minimality::Proven, 8),
            };
            assert_eq!((outcome.minimal, outcome.lower_bound), expected, "{strategy} {engine}");
            assert!(outcome.notes.iter().any(|note| note.contains("a -> b -> c")), "{:?}", outcome.notes);
        }
        assert_eq!(result(&find(&system(ONE_WAY), Strategy::Exact, engine)), (3, 1, 8), "{engine}");
    }
}

/// Goals, expected number of chains, expected total length, expected statuses.
const SEVERAL: &[(&str, &str, usize, u64, &[&str])] = &[
    (
        "two chains, one goal in both regions",
        "input choose w2
         state branch w2 next (ite (eq branch 0) choose branch)
         goal before when (eq branch 0)
         goal one when (eq branch 1)
         goal two when (eq branch 2)",
        2,
        4,
        &["covered"; 3],
    ),
    (
        "three chains",
        "input choose w2
         state branch w2 next (ite (eq branch 0) choose branch)
         goal one when (eq branch 1)
         goal two when (eq branch 2)
         goal three when (eq branch 3)",
        3,
        6,
        &["covered"; 3],
    ),
    (
        "Final is reached from one goal only",
        "input choose w2
         state branch w2 next (ite (eq branch 0) choose (ite (and (eq branch 1) (eq choose 0)) 0 branch))
         goal one when (eq branch 1)
         goal two when (eq branch 2)
         end (eq branch 0)",
        1,
        2,
        &["covered", "unreachable"],
    ),
];

#[test]
fn goals_that_exclude_each_other_get_chains_of_their_own() {
    let strategies = PAPER.into_iter().chain([Strategy::Greedy, Strategy::Exact]);
    for strategy in strategies {
        for engine in ENGINES {
            for &(name, text, chains, length, statuses) in SEVERAL {
                let outcome = find(&system(text), strategy, engine);
                let found: Vec<&str> = outcome.goals.values().map(|goal| goal.status.name()).collect();
                assert_eq!(
                    (outcome.chains.len(), &found[..]),
                    (chains, statuses),
                    "{name}: {strategy} {engine}"
                );
                let shortest = outcome.length() == length;
                assert!(shortest || strategy == Strategy::Greedy, "{name}: {strategy} {engine}");
            }
        }
    }
}

/// Two goals in sequence can be covered together only if the first one is not met by the shortest
/// way.
#[test]
fn constraints_allow_one_chain_more_where_no_order_works() {
    let text = "
        input go w2
        state place w3 next (ite (eq place 0) (ite (eq go 0) 0 (ite (eq go 1) 1 2)) (ite (eq place 3) 3 (ite (eq go 1) 3 place)))
        state kind w2 next (ite (eq place 0) go kind)
        goal a when (and (eq place 0) (eq go 1))
        goal b when (and (or (eq place 1) (eq place 2)) (eq go 1))
        goal c when (and (eq place 3) (eq kind 2))
    ";
    for engine in ENGINES {
        for strategy in [Strategy::PaperRefine, Strategy::PaperConstraints] {
            let outcome = find(&system(text), strategy, engine);
            assert_eq!((outcome.covered(), outcome.chains.len()), (3, 2), "{strategy} {engine}");
        }
        let exact = find(&system(text), Strategy::Exact, engine);
        assert_eq!((exact.covered(), exact.chains.len()), (3, 2), "{engine}");
    }
}

#[test]
fn suites_end_in_final_and_cover_everything() {
    let system = validate(Cruise::with_four_properties().system).expect("a valid system");
    for strategy in [Strategy::Fshell, Strategy::Random, Strategy::Greedy] {
        let outcome = find(&system, strategy, EngineChoice::Auto);
        assert_eq!(outcome.covered(), 4, "{strategy}");
        assert!(outcome.chains.iter().all(|chain| chain.run.may_end), "{strategy}");
        assert!(outcome.length() >= 9 && outcome.minimal == Minimality::Gap, "{strategy}");
    }
}

#[test]
fn random_suites_depend_on_the_seed_alone() {
    let system = validate(Cruise::with_four_properties().system).expect("a valid system");
    let suite = |seed| {
        let options = Options { strategy: Strategy::Random, seed, ..Options::default() };
        let outcome = find_chains(&system, &options, &Silent).expect("an outcome");
        outcome.chains.iter().map(|chain| chain.trace.clone()).collect::<Vec<_>>()
    };
    assert_eq!(suite(3), suite(3));
    assert!((4..10).any(|seed| suite(seed) != suite(3)));
}

/// Whatever a strategy finds is no better than the optimum, what it claims is true, and those that
/// are complete cover everything.
#[test]
fn no_strategy_beats_the_optimum_or_claims_what_is_not() {
    let mut failed_repairs = 0;
    for (number, &shape) in SHAPES.iter().enumerate() {
        for seed in 0..25 {
            let automaton = Automaton::random(5000 + 1000 * number as u64 + seed, shape);
            let optimum = optimum(&automaton);
            let Some(best) = optimum.chains else { continue };
            let system = automaton.encode();
            for &strategy in Strategy::ALL.iter().filter(|&&strategy| strategy != Strategy::Monolithic) {
                let all = optimum.coverable.iter().all(|&coverable| coverable);
                if strategy == Strategy::Random && !all {
                    continue;
                }
                let deadline =
                    (strategy == Strategy::Random).then(|| Instant::now() + Duration::from_secs(5));
                let max_k = (strategy == Strategy::Fshell).then_some(30);
                let engine = if seed % 5 == 0 { EngineChoice::Sat } else { EngineChoice::Auto };
                let options = Options { strategy, deadline, max_k, engine, ..Options::default() };
                let outcome = match find_chains(&system, &options, &Silent) {
                    Err(EngineError::NoExecution(_)) => continue,
                    outcome => outcome.unwrap_or_else(|error| panic!("{strategy} {seed}: {error}")),
                };
                let what = format!("{strategy} of system {seed} of shape {number}");
                let covers = |number: &usize| {
                    matches!(outcome.goals[goal(*number)].status, GoalStatus::Covered { .. })
                };
                let covered: Vec<usize> = (0..optimum.coverable.len()).filter(covers).collect();
                assert!(covered.iter().all(|&goal| optimum.coverable[goal]), "{what}");
                let complete =
                    covered.len() == optimum.coverable.iter().filter(|&&coverable| coverable).count();
                let found = (outcome.chains.len(), outcome.length() as usize);
                if !complete {
                    failed_repairs += usize::from(strategy == Strategy::PaperRepair);
                    let allowed = [Strategy::PaperRepair, Strategy::Random, Strategy::Greedy];
                    assert!(
                        allowed.contains(&strategy),
                        "{what} covers {covered:?} of {:?}",
                        optimum.coverable
                    );
                    continue;
                }
                assert!(found >= best, "{what}: {found:?} is better than {best:?}");
                if outcome.minimal == Minimality::Proven {
                    assert_eq!(found, best, "{what}");
                }
                if found.0 == best.0 {
                    assert!(outcome.lower_bound as usize <= best.1, "{what}: bound {}", outcome.lower_bound);
                }
            }
        }
    }
    assert!(failed_repairs > 0, "some system should defeat plain repair");
}
