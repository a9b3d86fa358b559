//! The price of a reset: both engines against search over tables, on systems that need several
//! chains and on systems where more chains may pay.

use crate::automaton::{Automaton, cheapest};
use crate::automaton::{SHAPES, count};
use engine::find_chains;
use engine::knowledge::status::Minimality;
use engine::options::{EngineChoice, Options};
use engine::outcome::Outcome;
use engine::session::Silent;

fn cost(outcome: &Outcome, reset: u64) -> u64 {
    outcome.length() + reset * (outcome.chains.len() as u64).saturating_sub(1)
}

#[test]
fn resets_are_traded_against_steps() {
    let (mut compared, mut several, mut traded) = (0, 0, 0);
    for seed in 0..count(24) {
        let automaton = Automaton::random(seed, SHAPES[seed as usize % SHAPES.len()]);
        if !automaton.has_execution() {
            continue;
        }
        let system = automaton.encode();
        let mut numbers = Vec::new();
        for reset in [0, 2, 5, 1000] {
            let find = |engine| {
                let options = Options { engine, reset_cost: Some(reset), ..Options::default() };
                find_chains(&system, &options, &Silent).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
            };
            let (explicit, sat) = (find(EngineChoice::Explicit), find(EngineChoice::Sat));
            let truth = cheapest(&automaton, reset as usize);
            assert_eq!(explicit.chains.is_empty(), truth.is_none(), "seed {seed}");
            let Some(best) = truth else { continue };
            let best = best as u64;
            assert_eq!(explicit.minimal, Minimality::Proven, "seed {seed}, reset {reset}");
            assert_eq!(explicit.covered(), sat.covered(), "seed {seed}, reset {reset}");
            assert_eq!(cost(&explicit, reset), best, "seed {seed}, reset {reset}");
            assert_eq!(explicit.lower_bound, explicit.length(), "seed {seed}, reset {reset}");
            numbers.push(explicit.chains.len());
            let found = cost(&sat, reset);
            assert!(sat.lower_bound <= sat.length(), "seed {seed}, reset {reset}");
            assert!(found >= best, "seed {seed}, reset {reset}: {found} below the optimum {best}");
            if sat.minimal == Minimality::Proven {
                assert_eq!(found, best, "seed {seed}, reset {reset}");
                assert_eq!(sat.lower_bound, sat.length(), "seed {seed}, reset {reset}");
                compared += 1;
            }
            several += usize::from(sat.chains.len() > 1);
        }
        traded += usize::from(numbers.first() != numbers.last());
    }
    assert!(compared > 10 && several > 2, "{compared} compared, {several} of several chains");
    assert!(traded > 0, "the number of chains should depend on the price somewhere");
}
