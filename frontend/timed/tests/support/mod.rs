//! Random systems of closed guards over small integers, and their steps by hand: with no code of the
//! crate under test.

use rand::Rng;
use rand::rngs::SmallRng;

/// A random transition: what the text says, and what the simulator computes with.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) is_input: bool,
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

pub(crate) fn random_edges(random: &mut SmallRng) -> Vec<Edge> {
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

pub(crate) fn text(edges: &[Edge]) -> String {
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
pub(crate) fn by_hand(
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
