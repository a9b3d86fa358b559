//! Automata side by side, which share nothing or their inputs, against breadth-first search over
//! their product.

use crate::automaton::{Automaton, SHAPES, Shape, count, first_seed};
use crate::random::{Tally, check_against};
use engine::find_chains;
use engine::knowledge::status::Minimality;
use engine::options::Options;
use engine::session::Silent;

/// Small enough for the search over products of two.
fn small(seed: u64) -> Shape {
    let shape = SHAPES[seed as usize % SHAPES.len()];
    Shape { states: shape.states.min(6), inputs: shape.inputs.min(4), goals: shape.goals.min(3), ..shape }
}

#[test]
fn two_automata_that_share_nothing_have_the_optimum_of_their_product() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + count(120) {
        let one = Automaton::random(2 * seed, small(seed));
        let mut two = Automaton::random(2 * seed + 1, small(seed / 7));
        if seed % 3 > 0 {
            // Where both have a Final of their own, it is one condition over both.
            two.end = None;
        }
        let (system, product) = (Automaton::encode_all(&[&one, &two]), one.beside(&two));
        check_against(seed, &system, &product, &Options::default(), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.proven * 100 >= tally.systems * 95, "{tally:?}");
    assert!(tally.several > 0 && tally.unreachable > 5 && tally.longest > 5, "{tally:?}");
}

/// Parts of the state that go on by themselves, under inputs that they share: not all states are
/// enumerated, so that engines for parts get their turns.
#[test]
fn two_automata_that_read_one_input_have_the_optimum_of_their_product() {
    let options = Options { most_states: Some(1), ..Options::default() };
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + count(20) {
        let shape = small(seed);
        let one = Automaton::random(2 * seed, shape);
        let mut two = Automaton::random(2 * seed + 1, shape);
        if seed % 3 > 0 {
            two.end = None;
        }
        let (system, product) = (Automaton::encode_in_step(&[&one, &two]), one.in_step(&two));
        check_against(seed, &system, &product, &options, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.proven * 100 >= tally.systems * 90, "{tally:?}");
    assert!(tally.unreachable > 5 && tally.longest > 3, "{tally:?}");
}

#[test]
fn chains_of_components_run_side_by_side() {
    let automata: Vec<Automaton> = (0..40)
        .map(|seed| Automaton::random(seed, Shape { missing: 0, backward: 100, regions: 1, ..small(seed) }))
        .map(|automaton| Automaton { end: None, ..automaton })
        .collect();
    let lengths: Vec<u64> = automata
        .iter()
        .map(|automaton| {
            let alone = find_chains(&automaton.encode(), &Options::default(), &Silent).expect("an outcome");
            assert_eq!(alone.minimal, Minimality::Proven);
            if alone.chains.len() > 1 { 0 } else { alone.length() }
        })
        .collect();
    let of_one_chain: Vec<&Automaton> =
        automata.iter().zip(&lengths).filter(|(_, length)| **length > 0).map(|(known, _)| known).collect();
    assert!(of_one_chain.len() > 10, "{lengths:?}");
    let system = Automaton::encode_all(&of_one_chain);
    let outcome = find_chains(&system, &Options::default(), &Silent).expect("an outcome");
    let longest = lengths.iter().copied().max().unwrap_or(0);
    assert_eq!((outcome.chains.len(), outcome.length(), outcome.minimal), (1, longest, Minimality::Proven));
}
