//! What the engine says of systems that are special in some way.

use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, EngineId, HazardPolicy, Options, Strategy};
use engine::outcome::{Expectation, Outcome};
use engine::session::Silent;
use model::validate::{Validated, validate};
use solver::sat::Backend;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn system(text: &str) -> Validated {
    let system = model::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    validate(system).expect("a system of the tests should be valid")
}

fn options(engine: EngineChoice) -> Options {
    Options { engine, ..Options::default() }
}

fn find(text: &str, engine: EngineChoice) -> Outcome {
    find_chains(&system(text), &options(engine), &Silent).expect("the search should have an outcome")
}

const ENGINES: [EngineChoice; 2] = [EngineChoice::Sat, EngineChoice::Explicit];

/// Number of chains, total length, and the names of the statuses, for both engines and all solvers;
/// minimality must be proven.
pub(crate) fn check(text: &str, chains: usize, length: u64, statuses: &[&str]) {
    let system = system(text);
    for (engine, backend) in
        ENGINES.into_iter().flat_map(|engine| Backend::ALL.map(|backend| (engine, backend)))
    {
        let options = Options { engine, backend, ..Options::default() };
        let outcome = find_chains(&system, &options, &Silent).expect("the search should have an outcome");
        let found: Vec<&str> = outcome.goals.values().map(|goal| goal.status.name()).collect();
        assert_eq!(found, statuses, "{engine}, {backend:?}: {:?}", outcome.goals);
        assert_eq!((outcome.chains.len(), outcome.length()), (chains, length), "{engine}");
        assert_eq!((outcome.minimal, outcome.lower_bound), (Minimality::Proven, length), "{engine}");
    }
}

const COUNTER: &str = "
    input up w1
    state count w4 next (ite (and up (ult count 9)) (add count 1) count)
";

#[test]
fn a_goal_true_at_once_takes_one_step() {
    check(&format!("{COUNTER} goal zero when (eq count 0)"), 1, 1, &["covered"]);
}

#[test]
fn the_shortest_way_to_a_deep_goal() {
    check(
        &format!("{COUNTER} goal nine when (eq count 9) goal four when (eq count@1 4)"),
        1,
        10,
        &["covered"; 2],
    );
}

#[test]
fn every_combination_of_inputs_is_found() {
    check(
        "
        input a w1
        input b w1
        state busy w1 next (or a b)
        goal none when (and (not a) (not b))
        goal first when (and a (not b) (not busy))
        goal second when (and b (not a) (not busy))
        goal both when (and a b (not busy))
        ",
        1,
        5,
        &["covered"; 4],
    );
}

#[test]
fn unreachable_goals_are_proven_so() {
    check(
        &format!("{COUNTER} goal nine when (eq count 9) goal eleven when (eq count 11)"),
        1,
        10,
        &["covered", "unreachable"],
    );
}

#[test]
fn nothing_can_be_covered_where_final_is_never_reached() {
    check(&format!("{COUNTER} goal one when (eq count 1) end (eq count 12)"), 0, 0, &["unreachable"]);
    for engine in ENGINES {
        let text = format!("{COUNTER} goal one when (eq count 1) end (eq count 0)");
        let outcome = find(&text, engine);
        let status = &outcome.goals.values().next().expect("a goal").status;
        assert!(matches!(status, GoalStatus::EndUnreachable { .. }), "{engine}: {status:?}");
    }
}

#[test]
fn a_chain_may_end_in_a_deadlock_but_not_pass_it() {
    let text = "
        input go w2
        state place w2 next (ite (eq place 0) go place)
        assume (ult place 2)
        goal stuck when (eq place@1 2)
        goal free when (eq place 1)
        goal beyond when (eq place 2)
    ";
    check(text, 2, 3, &["covered", "covered", "unreachable"]);
}

#[test]
fn one_transition_covers_several_goals() {
    let text = format!(
        "{COUNTER} goal a when (eq count 3) goal b when up goal c when (uge count 2) goal d when (and (eq count 3) up)"
    );
    check(&text, 1, 4, &["covered"; 4]);
}

#[test]
fn windows_of_several_steps_overlap() {
    let text = format!(
        "{COUNTER}
        goal rise steps 3 when (and up (and up@1 up@2))
        goal third steps 2 when (and (eq count@1 3) (eq count@2 4))
        goal late when (eq count 4)"
    );
    check(&text, 1, 5, &["covered"; 3]);
}

#[test]
fn the_last_window_may_end_after_the_last_beginning() {
    let text = format!(
        "{COUNTER}
        goal long steps 4 when (and (eq count 1) (and (eq count@3 1) (eq count@4 1)))
        goal short when (and (eq count 1) (not up))"
    );
    check(&text, 1, 5, &["covered"; 2]);
}

#[test]
fn goals_that_exclude_each_other_take_several_chains() {
    let text = "
        input choose w2
        state branch w2 next (ite (eq branch 0) choose branch)
        goal one when (eq branch 1)
        goal two when (eq branch 2)
        goal three when (eq branch 3)
    ";
    check(text, 3, 6, &["covered"; 3]);
}

#[test]
fn a_timer_decides_the_length() {
    let text = "
        input press w1
        state timer w6 next (ite press 0 (ite (ult timer 40) (add timer 1) timer))
        goal expired when (and (eq timer 40) press)
        goal again when (and (eq timer 20) press)
        end (eq timer 0)
    ";
    check(text, 1, 62, &["covered"; 2]);
}

#[test]
fn the_monolithic_strategy_agrees() {
    let text =
        format!("{COUNTER} goal nine when (eq count 9) goal rise steps 3 when (and up (and up@1 up@2))");
    let options = Options { strategy: Strategy::Monolithic, ..options(EngineChoice::Sat) };
    let outcome = find_chains(&system(&text), &options, &Silent).expect("an outcome");
    assert_eq!((outcome.length(), outcome.minimal), (10, Minimality::Proven));
}

#[test]
fn initial_inputs_choose_the_initial_state() {
    let text = "
        input up w1
        initial-input start w4
        initial-assume (ult start 5)
        state count w4 init start next (ite (and up (ult count 9)) (add count 1) count)
        goal seven when (eq count 7)
        goal two when (eq count 2)
    ";
    check(text, 1, 6, &["covered"; 2]);
}

#[test]
fn expectations_are_judged_over_all_occurrences() {
    let text = format!(
        "{COUNTER}
        goal held when (eq count 1) expect (ule count@1 2)
        goal violated when (eq count 2) expect (eq count@1 2)
        goal far when (eq count 3)"
    );
    let outcome = find(&text, EngineChoice::Auto);
    let found: Vec<Expectation> = outcome.goals.values().map(|goal| goal.expectation).collect();
    assert_eq!(found, [Expectation::Held, Expectation::Violated, Expectation::None]);
}

const HAZARD: &str = "
    input a w1
    input b w1
    state count w3 next (ite (or a b) (add count 1) count)
    goal three when (eq count 3)
    hazard \"division by zero\" (and a (eq count 1))
";

fn hazards(policy: HazardPolicy) -> (u64, usize) {
    let options = Options { hazards: policy, ..options(EngineChoice::Sat) };
    let outcome = find_chains(&system(HAZARD), &options, &Silent).expect("an outcome");
    (outcome.length(), outcome.chains[0].run.hazards.len())
}

#[test]
fn hazards_are_avoided_and_forbidden_at_the_same_length() {
    assert_eq!(hazards(HazardPolicy::Report).0, 4);
    assert_eq!(hazards(HazardPolicy::Avoid), (4, 0));
    assert_eq!(hazards(HazardPolicy::Forbid), (4, 0));
}

#[test]
fn contradictory_assumptions_are_an_error() {
    let cases = [
        "input a w1 state s w1 assume a assume (not a) goal g when s",
        "initial-input a w1 initial-assume a initial-assume (not a) state s w1 goal g when s",
    ];
    for text in cases {
        let error = find_chains(&system(text), &Options::default(), &Silent).expect_err("no execution");
        assert!(matches!(error, EngineError::NoExecution(_)), "{error}");
    }
    let error = find_chains(&system("state s w1"), &Options::default(), &Silent).expect_err("no goals");
    assert_eq!(error, EngineError::NoGoals);
}

#[test]
fn claimed_invariants_are_proven_or_refuted() {
    let text = format!("{COUNTER} goal nine when (eq count 9) invariant (ule count 9) text \"count <= 9\"");
    let outcome = find(&text, EngineChoice::Sat);
    assert!(outcome.notes.iter().any(|note| note.contains("`count <= 9`: proven")), "{:?}", outcome.notes);
    let text = format!("{COUNTER} goal nine when (eq count 9) invariant (ule count 5) text \"count <= 5\"");
    let error = find_chains(&system(&text), &Options::default(), &Silent).expect_err("a refuted invariant");
    assert_eq!(error, EngineError::RefutedInvariant { invariant: "count <= 5".to_owned(), steps: 6 });
}

#[test]
fn a_cap_on_the_depth_leaves_goals_undecided() {
    let text = "
        input up w1
        state low w16 next (ite up (add low 1) low)
        goal far when (eq low 300)
    ";
    let options = Options { max_k: Some(10), ..options(EngineChoice::Sat) };
    let outcome = find_chains(&system(text), &options, &Silent).expect("an outcome");
    let status = &outcome.goals.values().next().expect("a goal").status;
    assert_eq!(*status, GoalStatus::Undecided { bound: 10 });
}

#[test]
fn a_stopped_search_has_an_outcome() {
    let stop = Arc::new(AtomicBool::new(true));
    let options = Options { stop, ..Options::default() };
    let outcome = find_chains(&system(&format!("{COUNTER} goal nine when (eq count 9)")), &options, &Silent);
    let outcome = outcome.expect("an outcome");
    assert!(outcome.stopped.is_some() && outcome.chains.is_empty());
    assert_eq!(outcome.minimal, Minimality::Unknown);
}

/// The enumeration would never come to an end; a few queries do.
#[test]
fn a_counter_that_never_rests_is_left_to_queries() {
    let text = "
        input call w1
        state tick w32 next (add tick 1)
        state busy w2 next (ite (eq (urem tick 5) 0) (ite call (ite (eq busy 0) 1 2) busy) busy)
        goal once when (eq busy 1)
        goal twice when (eq busy 2)
        goal never when (eq busy 3)
    ";
    let outcome = find(text, EngineChoice::Auto);
    let found: Vec<&str> = outcome.goals.values().map(|goal| goal.status.name()).collect();
    assert_eq!(found, ["covered", "covered", "unreachable"]);
    assert_eq!((outcome.length(), outcome.minimal), (7, Minimality::Proven));
}

/// The function is asked at four points only: once they are known, what no execution reaches is
/// soon proven, and no finder looks for it any longer.
#[test]
fn goals_that_points_of_the_library_exclude_are_not_sought_for_long() {
    let system = system(
        "input n w2  input value f64 choice  state phase w2 init 0
         next (ite (and (eq phase 0) (and (float-lt 7.0:f64 value) (float-lt value 8.0:f64))) 1
              (ite (and (eq phase 1) (and (float-lt 2.8:f64 value) (float-lt value 7.0:f64))) 2 phase))
         assume (and (float-le 0.0:f64 value) (float-le value 3000.0:f64))
         goal one when (eq phase 1)  goal two when (eq phase 2)
         call exp value (float-from-signed f64 (zext w32 n))",
    );
    let outcome = find_chains(&system, &Options::default(), &Silent).expect("an outcome");
    let statuses: Vec<&str> = outcome.goals.values().map(|goal| goal.status.name()).collect();
    assert_eq!(statuses, ["covered", "unreachable"]);
    assert_eq!((outcome.minimal, outcome.length()), (Minimality::Proven, 2));
    let turns = |engine| outcome.engines.iter().find(|row| row.engine == engine).map_or(0, |row| row.turns);
    assert_eq!(turns(EngineId::Simulation), 1);
}

/// There is one execution, so the length of the chain is known, whoever finds it.
#[test]
fn every_engine_bears_a_system_without_inputs() {
    let system = system(
        "
        state value w32 init 5 next (add (mul value 1664525) 1013904223)
        state mixed w32 init 0 next (xor (concat (extract 28 0 mixed) (extract 31 29 mixed)) (lshr value 7))
        goal now when (eq (extract 11 0 mixed) 17)
        goal never when (and (eq value 3) (eq mixed 9))
        ",
    );
    let (mut value, mut mixed, mut length) = (5_u32, 0_u32, 1);
    while mixed % 4096 != 17 {
        mixed = mixed.rotate_left(3) ^ (value >> 7);
        value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        length += 1;
    }
    for &engine in EngineId::ALL {
        let without = EngineId::ALL.iter().copied().filter(|&other| other != engine).collect();
        let deadline = Some(Instant::now() + Duration::from_millis(400));
        let options = Options { without, deadline, most_states: Some(0), ..Options::default() };
        let outcome = find_chains(&system, &options, &Silent).expect("the search should have an outcome");
        let statuses: Vec<&str> = outcome.goals.values().map(|goal| goal.status.name()).collect();
        assert!(!statuses.contains(&"unreachable"), "{engine}: {statuses:?}");
        assert!(outcome.chains.is_empty() || outcome.length() == length, "{engine}: {}", outcome.length());
    }
}
