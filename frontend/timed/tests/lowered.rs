//! The system over ticks against a simulator of ticks that shares no code with it.

use crate::support::{by_hand, random_edges, text};
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use model::simulate::Simulator;
use model::validate::validate;
use model::value::Value as Word;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use spec::language::TIMED;
use spec::lexer::tokens;
use spec::scope::Scope;
use timed::check::check;
use timed::lower::{Lowered, Variant, lower};
use timed::parser::parse;

fn lowered(text: &str) -> Lowered {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text("t.tio".as_ref(), text);
    let tokens = tokens(&sources, file, &TIMED, &mut diagnostics);
    let file = parse(&tokens, &mut diagnostics);
    let system = check(&file, Scope::new(), &mut diagnostics);
    let system = system.unwrap_or_else(|_| panic!("{text}\n{:?}", diagnostics.entries));
    let found = lower(&file, &Scope::new(), &system, Variant::default(), &mut diagnostics);
    found.unwrap_or_else(|_| panic!("{text}\n{:?}", diagnostics.entries))
}

#[test]
fn steps_over_ticks_are_those_of_a_simulator_by_hand() {
    let mut random = SmallRng::seed_from_u64(11);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..300 {
        let edges = random_edges(&mut random);
        let text = text(&edges);
        let lowered = lowered(&text);
        let system = validate(lowered.system.clone()).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        let mut simulator = Simulator::new(&system);
        let mut state = simulator.initial(&[]).state;
        let mut hand = (0, 2, 0);
        for _ in 0..12 {
            let mut next = None;
            for _ in 0..8 {
                let edge = random.random_range(0..edges.len());
                let (delay, received) = (random.random_range(0..4), random.random_range(0..6));
                let words = [delay, edge as i64, received];
                let inputs: Vec<Word> = system
                    .inputs
                    .values()
                    .zip(words)
                    .map(|(input, word)| Word::new(system.terms.symbol(input.symbol).sort, word as u128))
                    .collect();
                let fits = system.inputs.values().zip(words).all(|(input, word)| {
                    let width = system.terms.symbol(input.symbol).sort.width();
                    width >= 63 || word < 1 << width
                });
                if !fits {
                    continue;
                }
                let expected = by_hand(&edges[edge], hand, delay, received);
                let longest = lowered.ticks.longest() as i64;
                let found = simulator.step(&state, &inputs);
                let found = found.violated.is_none().then_some(found.next);
                if delay > longest {
                    continue;
                }
                assert_eq!(found.is_some(), expected.is_some(), "{text}\n{hand:?} {edge} {delay} {received}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    next = Some((found, expected));
                    taken += 1;
                } else {
                    refused += 1;
                }
            }
            let Some((found, expected)) = next else { break };
            state = found;
            hand = expected;
            let values: Vec<i64> = state.iter().map(|word| word.bits() as i64).collect();
            let stopped = hand.2.min(lowered.ticks.last[0] as i64);
            assert_eq!(lowered.timed.states[values[0] as usize], format!("q{}", hand.0), "{text}");
            assert_eq!(values[1..], [hand.1, stopped], "{text}");
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} {refused}");
}
