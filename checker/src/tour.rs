//! Certificates that no tour through all vertices of a matrix is shorter than a bound.
//!
//! Take a number for each row and each column and a non-negative multiplier for some sets of
//! vertices such that no arc costs less than its row's and its column's number together, less the
//! multipliers of the sets that it lies within. A tour leaves each vertex once, enters each once,
//! and has at most |S| - 1 arcs within a set S; so no tour is shorter than all numbers together,
//! less |S| - 1 times the multiplier of every set (duality of linear programs; G. Dantzig, R.
//! Fulkerson, S. Johnson, Operations Research 2 (1954)). An arc that costs more than that by d
//! makes every tour that uses it longer by d.
//!
//! More inequalities come from these by rounding: where a sum of them, each taken so many times, is
//! divided by an integer, all factors may be rounded down, as no arc is used a negative number of
//! times, and then the right-hand side, as what stands on the left is an integer (V. Chvátal,
//! Discrete Mathematics 4 (1973)). They take part with multipliers of their own. And where each arc
//! costs as much as a number of its row and one of its column together but for multiples of a
//! modulus, all tours have the same remainder, so that those below the bound are shorter than it by
//! more.
//!
//! A certificate is a tree: in each node such numbers remove the arcs that no tour below the bound
//! uses, until no such tour is left, or one arc splits the tours into those without it and those
//! with it. All numbers are integers, in units of `1 / scale`.
//!
//! ```text
//! chaincover tour 1
//! round DIVISOR RIGHT    the next inequality by rounding, for this and all later nodes; its right-hand side. What follows is added up:
//! leave FACTOR VERTEX...     the equations of these vertices being left
//! enter FACTOR VERTEX...     the equations of these vertices being entered
//! within FACTOR VERTEX...    the inequality of this set
//! earlier FACTOR NUMBER      an inequality by rounding, counted from 0
//! congruent MODULUS      numbers follow: rows and columns
//! dual SCALE             numbers follow
//! rows NUMBER...         one for each vertex that is left
//! columns NUMBER...      one for each vertex that is entered
//! set MULTIPLIER VERTEX...
//! rounded MULTIPLIER NUMBER  an inequality by rounding, counted from 0
//! split FROM TO          two nodes follow: without the arc, and with it
//! closed                 no tour below the bound is left in this node
//! ```

mod dual;
mod paths;
mod rounded;
#[cfg(test)]
mod tests;

use dual::{Congruence, Dual};
use paths::{Joined, Paths};
use rounded::Rounded;
use std::iter::Peekable;
use std::str::Lines;

/// Most vertices of a matrix.
pub const MOST_VERTICES: usize = 1_000;
/// Deepest tree that is read.
const MOST_SPLITS: usize = 2_000;
const TITLE: &str = "chaincover tour 1";

/// Costs of arcs, row by row; `None` where there is no arc. The diagonal does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    vertices: usize,
    costs: Vec<Option<u64>>,
}

/// Why a certificate does not show its bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tour, line {line}: {why}")]
pub struct Rejection {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

impl Matrix {
    /// With the cost of each arc between two different vertices.
    pub fn new(vertices: usize, cost: impl Fn(usize, usize) -> Option<u64>) -> Self {
        let arc = |arc: usize| {
            let (from, to) = (arc / vertices, arc % vertices);
            if from == to { None } else { cost(from, to) }
        };
        Self { vertices, costs: (0..vertices * vertices).map(arc).collect() }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// A number that no tour is as long as.
    pub fn more_than_any_tour(&self) -> u64 {
        let dearest = self.costs.iter().flatten().max().copied().unwrap_or(0);
        dearest.saturating_mul(self.vertices as u64).saturating_add(1)
    }

    /// Cost of an arc.
    pub fn cost(&self, from: usize, to: usize) -> Option<u64> {
        self.costs[from * self.vertices + to]
    }
}

/// Checks that the certificate shows that no tour is shorter than `bound`.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(matrix: &Matrix, bound: u64, certificate: &str) -> Result<(), Rejection> {
    let mut reader = Reader { lines: certificate.lines().peekable(), line: 0 };
    if reader.next() != Some(TITLE) {
        return Err(reader.wrong("this is no certificate of a known version"));
    }
    if !(2..=MOST_VERTICES).contains(&matrix.vertices) {
        return Err(reader.wrong("there are too few or too many vertices"));
    }
    if bound == 0 {
        return Ok(());
    }
    let mut rounded = Vec::new();
    let mut open = vec![Node::root(matrix, bound)];
    while let Some(mut node) = open.pop() {
        read_steps(&mut reader, &mut rounded, &mut node)?;
        match reader.next() {
            Some("closed") if node.closed || node.has_no_tour() => {}
            Some("closed") => return Err(reader.wrong("the node may have a shorter tour")),
            Some(line) => {
                let arc = line.strip_prefix("split ").and_then(numbers::<usize>);
                let Some(&[from, to]) = arc.as_deref() else {
                    return Err(reader.wrong("there should be a dual, a split or the end of a node"));
                };
                if from.max(to) >= matrix.vertices || node.splits == MOST_SPLITS {
                    return Err(reader.wrong("there is no such arc to split at"));
                }
                open.push(node.with(from, to));
                open.push(node.without(from, to));
            }
            None => return Err(reader.wrong("the certificate ends too early")),
        }
    }
    match reader.next() {
        None => Ok(()),
        Some(_) => Err(reader.wrong("the certificate should end here")),
    }
}

/// Reads what stands before the split or the end of a node.
fn read_steps(
    reader: &mut Reader<'_>,
    rounded: &mut Vec<Rounded>,
    node: &mut Node<'_>,
) -> Result<(), Rejection> {
    let vertices = node.matrix.vertices;
    loop {
        match reader.kind() {
            "round" => {
                let next = Rounded::read(reader, vertices, rounded)?;
                rounded.push(next);
            }
            "congruent" => {
                let congruence = Congruence::read(reader, vertices)?;
                node.lower(&congruence).map_err(|why| reader.wrong(why))?;
            }
            "dual" => {
                let dual = Dual::read(reader, vertices, rounded)?;
                node.remove_arcs(&dual, rounded).map_err(|why| reader.wrong(why))?;
            }
            _ => return Ok(()),
        }
    }
}

struct Reader<'t> {
    lines: Peekable<Lines<'t>>,
    line: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.line += 1;
        self.lines.next()
    }

    /// First word of the next line.
    fn kind(&mut self) -> &'t str {
        self.lines.peek().and_then(|line| line.split(' ').next()).unwrap_or_default()
    }

    /// What follows the word on the next line, if that begins with it; the line is read then.
    fn line(&mut self, kind: &str) -> Option<&'t str> {
        let content = self.lines.peek()?.strip_prefix(kind)?.strip_prefix(' ')?;
        self.next();
        Some(content)
    }

    /// The numbers on the next line behind this word.
    fn field(&mut self, kind: &str) -> Option<Vec<i64>> {
        self.line(kind).and_then(numbers::<i64>)
    }

    fn wrong(&self, why: &'static str) -> Rejection {
        Rejection { line: self.line, why }
    }
}

fn numbers<N: std::str::FromStr>(text: &str) -> Option<Vec<N>> {
    text.split_ascii_whitespace().map(|word| word.parse().ok()).collect()
}

/// Ascending vertices, not all of them but one or more.
fn set(text: &str, vertices: usize) -> Option<Vec<usize>> {
    let set: Vec<usize> = numbers(text)?;
    let is_ascending = set.is_sorted_by(|a, b| a < b) && set.last().is_some_and(|&last| last < vertices);
    (is_ascending && set.len() < vertices).then_some(set)
}

/// The tours that use only some arcs of a matrix.
#[derive(Clone)]
struct Node<'m> {
    matrix: &'m Matrix,
    /// By arc, 64 to a word: they do not use it. Thousands of nodes may be open at once, so this is
    /// all that each holds of the matrix.
    gone: Vec<u64>,
    paths: Paths,
    splits: usize,
    /// No tour below the bound is left.
    closed: bool,
    /// Tours below the bound are at most so long.
    most: i128,
}

impl<'m> Node<'m> {
    /// All tours.
    fn root(matrix: &'m Matrix, bound: u64) -> Self {
        let paths = Paths::new(matrix.vertices);
        let gone = vec![0; matrix.costs.len().div_ceil(64)];
        Self { matrix, gone, paths, splits: 0, closed: false, most: i128::from(bound) - 1 }
    }

    /// Cost of an arc that is left.
    fn cost(&self, from: usize, to: usize) -> Option<u64> {
        let arc = from * self.matrix.vertices + to;
        if self.gone[arc / 64] >> (arc % 64) & 1 == 1 { None } else { self.matrix.cost(from, to) }
    }

    fn remove(&mut self, from: usize, to: usize) {
        let arc = from * self.matrix.vertices + to;
        self.gone[arc / 64] |= 1 << (arc % 64);
    }

    /// Lowers what tours below the bound can come to.
    fn lower(&mut self, congruence: &Congruence) -> Result<(), &'static str> {
        let n = self.matrix.vertices;
        for from in 0..n {
            for to in 0..n {
                if self.cost(from, to).is_some_and(|cost| !congruence.holds(from, to, cost)) {
                    return Err("an arc has another remainder than the numbers of its row and column");
                }
            }
        }
        self.most = congruence.at_most(self.most);
        self.closed |= self.most < 0;
        Ok(())
    }

    /// Removes the arcs whose tours are all as long as the bound.
    fn remove_arcs(&mut self, dual: &Dual, rounded: &[Rounded]) -> Result<(), &'static str> {
        let n = self.matrix.vertices;
        let (within, total) = (dual.within(n, rounded), dual.total(rounded));
        let most = self.most * dual.scale();
        self.closed |= total > most;
        for from in 0..n {
            for to in 0..n {
                let Some(cost) = self.cost(from, to) else { continue };
                let reduced = i128::from(cost) * dual.scale() + within[from * n + to] - dual.paid(from, to);
                if reduced < 0 {
                    return Err("an arc costs less than the numbers of its row and column");
                }
                if total + reduced > most {
                    self.remove(from, to);
                }
            }
        }
        Ok(())
    }

    fn without(&self, from: usize, to: usize) -> Self {
        let mut node = self.clone();
        node.splits += 1;
        node.remove(from, to);
        node
    }

    fn with(&self, from: usize, to: usize) -> Self {
        let mut node = self.clone();
        let n = self.matrix.vertices;
        node.splits += 1;
        (0..n).filter(|&other| other != to).for_each(|other| node.remove(from, other));
        (0..n).filter(|&other| other != from).for_each(|other| node.remove(other, to));
        match node.paths.join(from, to) {
            // The path may not be closed before it has all vertices.
            Joined::Path { first, last, vertices } if vertices < n => {
                node.remove(last, first);
            }
            Joined::Path { .. } => {}
            // Only a whole tour may be closed.
            Joined::Circle { vertices } => node.closed |= vertices < n,
            Joined::Never => node.closed = true,
        }
        node
    }

    /// Whether a vertex cannot be left or entered.
    fn has_no_tour(&self) -> bool {
        let n = self.matrix.vertices;
        let is_arc = |from: usize, to: usize| self.cost(from, to).is_some();
        let is_met = |vertex: usize| {
            (0..n).any(|other| is_arc(vertex, other)) && (0..n).any(|other| is_arc(other, vertex))
        };
        !(0..n).all(is_met)
    }
}
