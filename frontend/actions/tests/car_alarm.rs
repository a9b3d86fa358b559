//! The car alarm system: the numbers of its mutants, as an enumeration by other means has them.

use actions::analysis::{Bounds, Explored, Kill, Source, explore, read};
use actions::mutate::{Operator, Operators};
use std::path::Path;

fn car_alarm() -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/car_alarm.as");
    read(&path, &[]).expect("the example should be right")
}

fn explored(source: &Source, all_outputs: bool) -> (Vec<Operator>, Explored) {
    let mutants = source.mutants(source.changes(&Operators(Operator::PAPER.to_vec())));
    let systems: Vec<_> = mutants.iter().map(|mutant| mutant.system.as_ref().ok()).collect();
    let bounds = Bounds { all_outputs, ..Bounds::default() };
    let explored = explore(&source.system, &systems, Kill::Output, &bounds).expect("few states");
    (mutants.iter().map(|mutant| mutant.mutation.operator).collect(), explored)
}

/// How many mutants of each operator of the paper a test picks.
fn counts(operators: &[Operator], picked: impl Fn(usize) -> bool) -> [usize; 5] {
    Operator::PAPER
        .map(|wanted| (0..operators.len()).filter(|&one| operators[one] == wanted && picked(one)).count())
}

#[test]
fn verdicts_are_those_of_brute_force() {
    let source = car_alarm();
    let (operators, found) = explored(&source, false);
    let finding = |one: usize| found.mutants[one].as_ref().expect("all are decided");
    let shortest = |one: usize| finding(one).product.as_ref().and_then(|product| product.shortest);
    assert_eq!(counts(&operators, |_| true), [34, 52, 4, 110, 6]);
    assert_eq!(found.reached.states.len(), 19);
    assert_eq!(found.reached.steps.iter().map(Vec::len).sum::<usize>(), 30);
    assert_eq!(found.reached.depth.iter().max(), Some(&12));
    let is_unsafe = |one: usize| !finding(one).difference.unsafe_states.is_empty();
    assert_eq!(counts(&operators, is_unsafe), [34, 44, 4, 90, 0], "not refining");
    assert_eq!(counts(&operators, |one| shortest(one).is_some()), [33, 51, 4, 103, 5], "not conforming");

    let mut depths = [0; 13];
    for one in (0..operators.len()).filter(|&one| is_unsafe(one)) {
        depths[found.reached.depth[finding(one).difference.unsafe_states[0].state] as usize] += 1;
    }
    assert_eq!(depths, [31, 17, 8, 5, 8, 20, 5, 20, 9, 15, 23, 4, 7]);
    let mut lengths = [0; 19];
    for length in (0..operators.len()).filter_map(shortest) {
        lengths[length as usize - 1] += 1;
    }
    assert_eq!(lengths, [5, 12, 23, 23, 9, 22, 2, 27, 10, 10, 21, 7, 2, 14, 5, 1, 0, 2, 1]);
}

#[test]
fn all_labels_as_outputs_tell_less() {
    let source = car_alarm();
    let (operators, found) = explored(&source, true);
    let fails = |one: usize| {
        found.mutants[one].as_ref().and_then(|finding| finding.product.as_ref()?.shortest).is_some()
    };
    assert_eq!(counts(&operators, fails), [33, 47, 4, 95, 5]);
}
