//! Small games whose outcome is known by hand.

use super::{Effort, Family, Game, Outcome, Winner, fixpoint, solve, winner_with_grounds};
use model::sort::Sort;
use model::system::{InputRole, TransitionSystem};
use model::term::{BinaryOp, TermId};
use model::validate::validate;
use solver::sat::{Backend, Budget};

/// A counter of some bits up to which the environment counts; the system may refuse `spare` times.
fn counting(width: u32, most: u128, spare: u128) -> Outcome {
    counted((width, most, spare), |game| solve(game, &effort()).expect("an encoding"))
}

fn effort() -> Effort {
    Effort { backend: Backend::Batsat, rounds: 400, budget: Budget::default(), diagrams: false }
}

fn counted((width, most, spare): (u32, u128, u128), decide: impl Fn(&Game<'_>) -> Outcome) -> Outcome {
    let mut system = TransitionSystem { name: "counting".to_owned(), ..TransitionSystem::default() };
    let sort = Sort::word(width);
    let (count, spent) = (system.add_state("count", sort), system.add_state("spent", sort));
    let up = system.add_input("up", Sort::TRUTH, InputRole::Stimulus);
    let refuse = system.add_input("refuse", Sort::TRUTH, InputRole::Choice);
    let [up, refuse] = [up, refuse].map(|input| system.input_term(input));
    let [here, used] = [count, spent].map(|state| system.state_term(state));
    let terms = &mut system.terms;
    let [zero, one] = [0, 1].map(|value| terms.word(width, value));
    let plus = |terms: &mut model::term::TermPool, to: TermId| terms.binary(BinaryOp::Add, to, one);
    let keep = terms.not(refuse);
    let counts = terms.and(up, keep);
    let (more, spends) = (plus(terms, here), plus(terms, used));
    let next = terms.ite(counts, more, here);
    let spent_next = terms.ite(refuse, spends, used);
    let (limit, spare) = (terms.word(width, most), terms.word(width, spare));
    let within = terms.binary(BinaryOp::ULe, next, limit);
    let may = terms.binary(BinaryOp::ULe, spent_next, spare);
    let allowed = terms.and(within, may);
    let truth = terms.truth(true);
    for (state, next) in [(count, next), (spent, spent_next)] {
        system.states[state].init = zero;
        system.states[state].next = next;
    }
    let system = validate(system).expect("a system");
    decide(&Game { system: &system, environment: truth, allowed, position: truth })
}

#[test]
fn the_environment_wins_as_soon_as_it_can() {
    for (most, spare, answered) in [(0, 0, 0), (0, 1, 1), (2, 0, 2), (3, 1, 4), (1, 12, 13)] {
        match counting(4, most, spare) {
            Outcome::Lost { answered: found, play } => {
                assert_eq!((found, play.len()), (answered, answered + 1), "{most} {spare}");
            }
            outcome => panic!("{most} {spare}: {outcome:?}"),
        }
    }
}

/// By diagrams, also where there is one level for each of many steps.
#[test]
fn diagrams_say_the_same() {
    let decide = |game: &Game<'_>| {
        let decided = fixpoint::solve(game, 1 << 18, &Budget::default()).expect("an encoding");
        decided.expect("few nodes").0
    };
    for (width, most, spare, steps) in [(4, 0, 0, 0), (4, 3, 1, 4), (4, 1, 12, 13), (12, 1_500, 0, 1_500)] {
        match counted((width, most, spare), decide) {
            Outcome::Lost { answered, play } => assert_eq!((answered, play.len()), (steps, steps + 1)),
            outcome => panic!("{most} {spare}: {outcome:?}"),
        }
    }
    assert_eq!(counted((4, 15, 0), decide), Outcome::Kept);
    assert_eq!(counted((64, u64::MAX.into(), 0), decide), Outcome::Kept);
}

/// A number that falls for very long shows who wins.
#[test]
fn measures_that_fall_are_found() {
    let decide = |game: &Game<'_>| {
        let effort = Effort { rounds: 2_000, ..effort() };
        let (outcome, grounds) = winner_with_grounds(game, &effort).expect("an encoding");
        assert!(grounds.lost.iter().any(|lost| lost.measure.is_some()), "a measure should be found");
        outcome
    };
    assert_eq!(counted((20, 1 << 18, 0), decide), Outcome::LostSomewhere);
}

/// A counter moves by two and must never be some odd number: odd numbers are lost one by one, and
/// the system has to avoid the bit that makes them odd.
#[test]
fn bits_that_lost_positions_share_are_avoided() {
    let mut system = TransitionSystem { name: "even".to_owned(), ..TransitionSystem::default() };
    let count = system.add_state("count", Sort::word(20));
    let here = system.state_term(count);
    let terms = &mut system.terms;
    let [zero, two, bad] = [0, 2, (1 << 19) + 1].map(|value| terms.word(20, value));
    let next = terms.binary(BinaryOp::Add, here, two);
    let is_bad = terms.binary(BinaryOp::Eq, next, bad);
    let (allowed, truth) = (terms.not(is_bad), terms.truth(true));
    system.states[count].init = zero;
    system.states[count].next = next;
    let system = validate(system).expect("a system");
    let game = Game { system: &system, environment: truth, allowed, position: truth };
    let effort = Effort { rounds: 2_000, ..effort() };
    let (outcome, grounds) = winner_with_grounds(&game, &effort).expect("an encoding");
    assert_eq!((outcome, grounds.has_avoided), (Outcome::Kept, true));
    assert_eq!(solve(&game, &effort).expect("an encoding"), Outcome::Kept);
}

#[test]
fn a_counter_that_wraps_is_never_lost() {
    assert_eq!(counting(4, 15, 0), Outcome::Kept);
    assert_eq!(counting(64, u64::MAX.into(), 0), Outcome::Kept);
}

#[test]
fn limits_leave_it_open() {
    assert!(matches!(counting(64, 1 << 50, 0), Outcome::Unknown | Outcome::LostSomewhere));
}

/// Inputs `1` may only come where `flag` is set, and lead to a place without answers. Where it is
/// not set, the position is not lost, although the same inputs would lead there.
#[test]
fn inputs_that_do_not_occur_make_nothing_lost() {
    let mut system = TransitionSystem { name: "gate".to_owned(), ..TransitionSystem::default() };
    let (flag, dead) = (system.add_state("flag", Sort::TRUTH), system.add_state("dead", Sort::TRUTH));
    let press = system.add_input("press", Sort::TRUTH, InputRole::Stimulus);
    let press = system.input_term(press);
    let [here, over] = [flag, dead].map(|state| system.state_term(state));
    let terms = &mut system.terms;
    let (no, yes) = (terms.truth(false), terms.truth(true));
    let (may_press, alive) = (terms.implies(press, here), terms.not(over));
    for (state, next) in [(flag, no), (dead, press)] {
        system.states[state].init = no;
        system.states[state].next = next;
    }
    let system = validate(system).expect("a system");
    let game = Game { system: &system, environment: may_press, allowed: alive, position: yes };
    assert_eq!(solve(&game, &effort()).expect("an encoding"), Outcome::Kept);
}

/// Of three parameters two contradict each other, in the first step or for ever.
#[test]
fn parameters_that_are_needed_are_named() {
    let mut system = TransitionSystem { name: "parameters".to_owned(), ..TransitionSystem::default() };
    let truth = |system: &mut TransitionSystem, name: &str| system.add_state(name, Sort::TRUTH);
    let [yes, idle, no, first] = ["yes", "idle", "no", "first"].map(|name| truth(&mut system, name));
    let choice = system.add_input("choice", Sort::TRUTH, InputRole::Choice);
    let choice = system.input_term(choice);
    let [up, still, down, now] = [yes, idle, no, first].map(|state| system.state_term(state));
    let terms = &mut system.terms;
    let (never, always) = (terms.truth(false), terms.truth(true));
    let counts = terms.and(down, now);
    let (raised, dropped) = (terms.implies(up, choice), terms.not(choice));
    let lowered = terms.implies(counts, dropped);
    let allowed = terms.and(raised, lowered);
    for (state, next) in [(yes, up), (idle, still), (no, down), (first, never)] {
        system.states[state].init = always;
        system.states[state].next = next;
    }
    let system = validate(system).expect("a system");
    let game = Game { system: &system, environment: always, allowed, position: always };
    // Another order than that of the states.
    let mut family = Family::new(&game, &[no, first, idle, yes], &effort()).expect("an encoding");
    let both = |places: &[usize]| Winner::Environment(places.to_vec());
    for (values, winner) in [
        ([true, true, true, true], both(&[0, 1, 3])),
        ([true, true, true, false], Winner::System),
        ([true, true, false, true], both(&[0, 1, 3])),
        ([false, true, true, true], Winner::System),
        ([true, false, true, true], Winner::System),
    ] {
        assert_eq!(family.winner(&values, 400).expect("an encoding"), winner, "{values:?}");
    }
}
