//! The system over ticks against a simulator of ticks that shares no code with it.

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

/// A random transition: what the text says, and what the simulator computes with.
#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    is_input: bool,
    /// `c OP bound + x * factor`: -1 at most, 0 equal, 1 at least, 2 none.
    op: i32,
    bound: i64,
    factor: i64,
    /// `x <= limit`.
    limit: i64,
    reset: bool,
    /// Added to x; leaving 0..5 disables.
    add: i64,
}

fn random_edges(random: &mut SmallRng) -> Vec<Edge> {
    let locations = random.random_range(2..5);
    let edge = |index: usize, random: &mut SmallRng| Edge {
        from: if index < locations { index } else { random.random_range(0..locations) },
        to: random.random_range(0..locations),
        is_input: random.random_bool(0.5),
        op: random.random_range(-1..3),
        bound: random.random_range(0..5),
        factor: random.random_range(0..2),
        limit: random.random_range(1..6),
        reset: random.random_bool(0.5),
        add: random.random_range(-1..3),
    };
    (0..random.random_range(locations..7)).map(|index| edge(index, random)).collect()
}

fn text(edges: &[Edge]) -> String {
    let mut text =
        String::from("timed t var x: 0..5 = 2 clock c input In(0..5) output Out(0..5) initial q0\n");
    for (index, edge) in edges.iter().enumerate() {
        let op = match edge.op {
            -1 => "<=",
            0 => "=",
            _ => ">=",
        };
        let bound = if edge.op == 2 {
            String::new()
        } else {
            format!(" and c {op} {} + {} * x", edge.bound, edge.factor)
        };
        let action = if edge.is_input { "In?x" } else { "Out!x" };
        let reset = if edge.reset { " reset c" } else { "" };
        text += &format!(
            "edge e{index}: q{} -> q{} when x <= {}{bound} {action}{reset} do x := x + {}\n",
            edge.from, edge.to, edge.limit, edge.add
        );
    }
    text.replace("+ -1", "- 1")
}

/// One step by hand: (location, x, c).
fn by_hand(
    edge: &Edge,
    (at, x, c): (usize, i64, i64),
    delay: i64,
    received: i64,
) -> Option<(usize, i64, i64)> {
    let (x, c) = (if edge.is_input { received } else { x }, c + delay);
    let limit = edge.bound + edge.factor * x;
    let in_time = match edge.op {
        -1 => c <= limit,
        0 => c == limit,
        1 => c >= limit,
        _ => true,
    };
    let next = x + edge.add;
    let is_possible = at == edge.from && x <= edge.limit && in_time && (0..=5).contains(&next);
    is_possible.then_some((edge.to, next, if edge.reset { 0 } else { c }))
}

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
