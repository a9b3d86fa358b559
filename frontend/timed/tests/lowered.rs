//! The system over ticks against a simulator of ticks that shares no code with it.

use crate::support::{by_hand, random_edges, text};
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use model::simulate::Simulator;
use model::validate::validate;
use model::value::Value as Word;
use num_rational::BigRational;
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

/// What a guard by hand says: `clocks[first] - clocks[second] OP bound`, no second clock: of the first
/// alone; -1 at most, 0 equal, 1 at least.
type Comparison = (usize, Option<usize>, i32, i64);

/// Clocks that are compared with one another stop, so that words hold them; a simulator by hand lets
/// them run on for ever, and takes the same transitions at the same times.
#[test]
fn clocks_that_are_compared_with_one_another_stop_unnoticed() {
    let mut random = SmallRng::seed_from_u64(5);
    let (mut taken, mut refused, mut stopped) = (0, 0, 0);
    for _ in 0..400 {
        let count = random.random_range(2..4);
        let edges: Vec<(Vec<Comparison>, Vec<usize>)> = (0..random.random_range(3..8))
            .map(|_| {
                let comparison = |random: &mut SmallRng| {
                    let first = random.random_range(0..count);
                    let second =
                        random.random_bool(0.6).then(|| (first + random.random_range(1..count)) % count);
                    (first, second, random.random_range(-1..2), random.random_range(0..5))
                };
                let guard = (0..random.random_range(0..3)).map(|_| comparison(&mut random)).collect();
                (guard, (0..count).filter(|_| random.random_bool(0.4)).collect())
            })
            .collect();
        let names = ["c", "d", "e"];
        let mut text = format!("timed t clock {} output A initial q\n", names[..count].join(", "));
        for (index, (guard, resets)) in edges.iter().enumerate() {
            let atom = |&(first, second, op, bound): &Comparison| {
                let op = ["<=", "=", ">="][usize::try_from(op + 1).expect("an operator")];
                let second = second.map_or_else(String::new, |second: usize| format!("{} + ", names[second]));
                format!("{} {op} {second}{bound}", names[first])
            };
            let guard: Vec<String> = guard.iter().map(atom).collect();
            let guard = if guard.is_empty() { "true".to_owned() } else { guard.join(" and ") };
            let resets: Vec<&str> = resets.iter().map(|&clock| names[clock]).collect();
            let reset =
                if resets.is_empty() { String::new() } else { format!(" reset {}", resets.join(", ")) };
            text += &format!("edge e{index}: q -> q when {guard} A!{reset}\n");
        }
        let lowered = lowered(&text);
        let system = validate(lowered.system.clone()).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        let mut simulator = Simulator::new(&system);
        let mut state = simulator.initial(&[]).state;
        let mut hand = vec![0; count];
        for _ in 0..200 {
            let edge = random.random_range(0..edges.len());
            let delay = random.random_range(0..=lowered.ticks.longest().min(3)) as i64;
            let words = [delay, edge as i64];
            let sorts = system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort);
            let inputs: Vec<Word> =
                sorts.zip(words).map(|(sort, word)| Word::new(sort, word as u128)).collect();
            let later: Vec<i64> = hand.iter().map(|clock| clock + delay).collect();
            let (guard, resets) = &edges[edge];
            let is_possible = guard.iter().all(|&(first, second, op, bound)| {
                let value = later[first] - second.map_or(0, |second| later[second]);
                (value - bound).signum() == i64::from(op) || value == bound
            });
            let found = simulator.step(&state, &inputs);
            assert_eq!(found.violated.is_none(), is_possible, "{text}\n{hand:?} e{edge} {delay}");
            if !is_possible {
                refused += 1;
                continue;
            }
            taken += 1;
            state = found.next;
            hand = (0..count).map(|clock| if resets.contains(&clock) { 0 } else { later[clock] }).collect();
            let values: Vec<i64> = state.iter().skip(1).map(|word| word.bits() as i64).collect();
            stopped += usize::from(values != hand);
            let stop = |values: &[i64]| {
                let mut times: Vec<BigRational> =
                    values.iter().map(|&value| BigRational::from_integer(value.into())).collect();
                lowered.ticks.stop(&mut times);
                times
            };
            assert_eq!(stop(&values), stop(&hand), "{text}");
        }
    }
    assert!(taken > 5_000 && refused > 5_000 && stopped > 1_000, "{taken} {refused} {stopped}");
}
