#[path = "../../../../tests/shared/parts.rs"]
pub(crate) mod shared;

use super::tour::improved_order;
use super::{Group, Parts, least_steps};
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::{Vertex, numbered};
use crate::options::{EngineChoice, Options};
use crate::random_simulation::Random;
use crate::session::{Session, Silent};
use model::system::GoalId;
use model::validate::Validated;
use shared::{cheapest, is_covered, random_text, system};
use solver::atsp;

fn options() -> Options {
    Options { engine: EngineChoice::Explicit, ..Options::default() }
}

/// The parts, and the number of steps that so many chains need by them to cover these goals.
fn bound(system: &Validated, covered: &dyn Fn(GoalId) -> bool, chains: usize) -> Option<(Parts, u64)> {
    let task = Task::new(system, &all_goals(system), Vec::new());
    let options = options();
    let session = Session::new(&options, &Silent);
    let parts = Parts::find(&task, &session).expect("no limit")?;
    let goals: Vec<Vertex> = task.vertices().filter(|&goal| covered(task.goal(goal))).collect();
    let steps = least_steps(&parts.groups(&goals), chains, &atsp::Options::default());
    Some((parts, steps))
}

/// A place on a line, two lamps and a counter that only idle steps leave alone.
const HALL: &str = "
    input go w3
    state x w3 init 0 next (ite (and (eq go 1) (ult x 7)) (add x 1) (ite (and (eq go 2) (ult 0 x)) (sub x 1) x))
    state left w1 init 0 next (ite (and (eq go 3) (ult x 4)) (not left) left)
    state right w1 init 0 next (ite (and (eq go 3) (ule 4 x)) (not right) right)";

#[test]
fn changes_of_parts_add_up() {
    let cases: &[(&str, &[&str], u64)] = &[
        ("a lamp that must be off again", &["(and (eq x 1) (eq go 3) (eq left 0))"; 2], 1 + 3),
        ("a lamp that must be on first", &["(and (eq x 2) (eq go 3) (eq left 1))"], 2 + 2),
        (
            "one after the other",
            &["(and (eq x 6) (eq go 3) (eq right 1))", "(and (eq x 5) (eq go 3) (eq right 0))"],
            6 + 2,
        ),
        (
            "both lamps",
            &["(and (eq x 2) (eq go 3) (eq left 1))", "(and (eq x 6) (eq go 3) (eq right 1))"],
            6 + 2 + 2,
        ),
        ("nothing changes", &["(and (eq x 3) (eq go 0))", "(and (eq x 3) (eq go 5))"], 3 + 2),
    ];
    for (what, conditions, steps) in cases {
        let goals: String = conditions
            .iter()
            .enumerate()
            // Goals that are to be covered by different steps differ in their place.
            .map(|(number, when)| match *what {
                "a lamp that must be off again" => {
                    format!("\n goal g{number} when (and (eq x {number}) (eq go 3) (eq left 0))")
                }
                _ => format!("\n goal g{number} when {when}"),
            })
            .collect();
        let system = system(&format!("{HALL}{goals}"));
        let (_, bound) = bound(&system, &|_| true, 1).unwrap_or_else(|| panic!("{what}: parts"));
        assert_eq!(bound, *steps, "{what}");
        assert_eq!(cheapest(&system).length(), *steps, "{what}");
    }
}

#[test]
fn words_that_change_together_are_one_part() {
    let text = "
        input go w2
        state x w2 init 0 next (ite (eq go 1) (add x 1) x)
        state y w2 init 0 next (ite (ult go 2) (add y 1) y)
        goal a when (and (eq x 2) (eq y 3))";
    let together = system(text);
    assert!(bound(&together, &|_| true, 1).is_none(), "one input changes both");
    let apart = system(&text.replace("(ult go 2)", "(eq go 2)"));
    let (_, steps) = bound(&apart, &|_| true, 1).expect("two parts");
    assert_eq!((steps, cheapest(&apart).length()), (5, 6), "the goal's own step need not change anything");
}

#[test]
fn never_more_than_the_cheapest_chains() {
    let mut random = Random::new(11);
    let (mut split, mut met, mut several) = (0, 0, 0);
    for _ in 0..300 {
        let text = random_text(&mut random);
        let system = system(&text);
        let outcome = cheapest(&system);
        if outcome.covered() == 0 {
            continue;
        }
        let covered = |goal: GoalId| is_covered(&outcome, goal);
        let Some((_, steps)) = bound(&system, &covered, outcome.chains.len()) else { continue };
        split += 1;
        several += usize::from(outcome.chains.len() > 1);
        met += usize::from(steps == outcome.length());
        assert!(steps <= outcome.length(), "{steps} > {} for\n{text}", outcome.length());
    }
    assert!(
        split > 100 && met > 30 && several > 4,
        "{split} were split, {met} met, {several} of several chains"
    );
}

#[test]
fn orders_get_no_worse_and_keep_all_goals() {
    // Two groups: a line of ten places, and a value that the first five goals want low and the
    // others high.
    let line = Group::new(Vertex::goals(10).collect(), |from, to| from.abs_diff(to) as u32);
    let value = Group::new(Vertex::goals(10).collect(), |from, to| {
        let is_high = |place: usize| place % 2 == 1;
        3 * u32::from(is_high(from) != is_high(to))
    });
    let worst = numbered([1, 10, 2, 9, 3, 8, 4, 7, 5, 6]);
    let (order, cost) = improved_order(&[line, value], &worst, &mut Random::new(1), || true);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, Vertex::goals(10).collect::<Vec<_>>());
    // Up through the even places and down through the odd ones, or the other way round.
    assert_eq!(cost, 26, "{order:?}");
}

#[test]
fn costs_of_orders_are_sums_over_groups() {
    let (mut random, goals) = (Random::new(5), 9);
    let mut group = |goals: Vec<Vertex>| {
        let table: Vec<u32> = (0..100).map(|_| random.below(9) as u32).collect();
        Group::new(goals, |from, to| table[10 * from + to])
    };
    let groups = [
        group(Vertex::goals(goals).collect()),
        group(numbered([2, 5, 7]).to_vec()),
        group(numbered([1]).to_vec()),
        group(numbered([3, 4, 5, 6, 9]).to_vec()),
    ];
    let cost = |order: &[Vertex]| -> u64 {
        let along = |group: &Group| {
            let place = |goal: &Vertex| Some(1 + group.goals.iter().position(|known| known == goal)?);
            let places: Vec<usize> =
                [0].into_iter().chain(order.iter().filter_map(place)).chain([0]).collect();
            places.windows(2).map(|leg| u64::from(group.changes(leg[0], leg[1]).unwrap_or(0))).sum::<u64>()
        };
        groups.iter().map(along).sum()
    };
    let first: Vec<Vertex> = Vertex::goals(goals).rev().collect();
    let (order, least) = improved_order(&groups, &first, &mut Random::new(2), || true);
    assert_eq!(cost(&order), least, "{order:?}");
    assert!(least < cost(&first));
}
