//! Certificates that no tour through all vertices of a matrix is shorter than a bound.
//!
//! Take a number for each row and each column and a non-negative multiplier for some sets of vertices such that no arc costs less than its row's and its
//! column's number together, less the multipliers of the sets that it lies within. A tour leaves each vertex once, enters each once, and has at most |S| - 1
//! arcs within a set S; so no tour is shorter than all numbers together, less |S| - 1 times the multiplier of every set (duality of linear programs;
//! G. Dantzig, R. Fulkerson, S. Johnson, Operations Research 2 (1954)). An arc that costs more than that by d makes every tour that uses it longer by d.
//!
//! A certificate is a tree: in each node such numbers remove the arcs that no tour below the bound uses, until no such tour is left, or one arc
//! splits the tours into those without it and those with it. All numbers are integers, in units of `1 / scale`.
//!
//! ```text
//! chaincover tour 1
//! dual SCALE             numbers follow
//! rows NUMBER...         one for each vertex that is left
//! columns NUMBER...      one for each vertex that is entered
//! set MULTIPLIER VERTEX...
//! split FROM TO          two nodes follow: without the arc, and with it
//! closed                 no tour below the bound is left in this node
//! ```

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
    let root = Node { matrix: matrix.clone(), paths: Paths::new(matrix.vertices), splits: 0, closed: false };
    let mut open = vec![root];
    while let Some(mut node) = open.pop() {
        while reader.lines.peek().is_some_and(|line| line.starts_with("dual ")) {
            let dual = Dual::read(&mut reader, matrix.vertices)?;
            node.remove_arcs(&dual, bound).map_err(|why| reader.wrong(why))?;
        }
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

struct Reader<'t> {
    lines: Peekable<Lines<'t>>,
    line: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.line += 1;
        self.lines.next()
    }

    fn wrong(&self, why: &'static str) -> Rejection {
        Rejection { line: self.line, why }
    }
}

fn numbers<N: std::str::FromStr>(text: &str) -> Option<Vec<N>> {
    text.split_ascii_whitespace().map(|word| word.parse().ok()).collect()
}

struct Dual {
    scale: i128,
    rows: Vec<i64>,
    columns: Vec<i64>,
    sets: Vec<(i64, Vec<usize>)>,
}

impl Dual {
    fn read(reader: &mut Reader<'_>, vertices: usize) -> Result<Self, Rejection> {
        let mut field = |name: &str| {
            let line = reader.next().and_then(|line| line.strip_prefix(name));
            line.and_then(numbers::<i64>).ok_or(reader.wrong("a dual should have a scale, rows and columns"))
        };
        let (scale, rows, columns) = (field("dual ")?, field("rows ")?, field("columns ")?);
        let &[scale] = &scale[..] else { return Err(reader.wrong("a dual should have one scale")) };
        if scale <= 0 || rows.len() != vertices || columns.len() != vertices {
            return Err(reader.wrong("a dual should have a number for each row and each column"));
        }
        let mut sets = Vec::new();
        while let Some(text) = reader.lines.peek().and_then(|line| line.strip_prefix("set ")) {
            reader.next();
            let set = Self::set(text, vertices);
            sets.push(set.ok_or(reader.wrong("a set should have a multiplier and ascending vertices"))?);
        }
        Ok(Self { scale: i128::from(scale), rows, columns, sets })
    }

    /// A proper subset of the vertices that is not empty: only of those it is true that tours leave them.
    fn set(text: &str, vertices: usize) -> Option<(i64, Vec<usize>)> {
        let (multiplier, set) = text.split_once(' ')?;
        let (multiplier, set): (i64, Vec<usize>) = (multiplier.parse().ok()?, numbers(set)?);
        let is_ascending = set.is_sorted_by(|a, b| a < b) && set.last().is_some_and(|&last| last < vertices);
        (multiplier >= 0 && is_ascending && set.len() < vertices).then_some((multiplier, set))
    }

    /// The bound that the numbers show, scaled.
    fn total(&self) -> i128 {
        let sum = |numbers: &[i64]| numbers.iter().map(|&number| i128::from(number)).sum::<i128>();
        let arcs = |(multiplier, set): &(i64, Vec<usize>)| i128::from(*multiplier) * (set.len() as i128 - 1);
        sum(&self.rows) + sum(&self.columns) - self.sets.iter().map(arcs).sum::<i128>()
    }

    /// By arc: the multipliers of the sets that it lies within.
    fn within(&self, vertices: usize) -> Vec<i128> {
        let mut within = vec![0; vertices * vertices];
        for (multiplier, set) in &self.sets {
            for &from in set {
                set.iter().for_each(|&to| within[from * vertices + to] += i128::from(*multiplier));
            }
        }
        within
    }
}

/// The tours that use only arcs of a matrix.
#[derive(Clone)]
struct Node {
    matrix: Matrix,
    paths: Paths,
    splits: usize,
    closed: bool,
}

impl Node {
    /// Removes the arcs whose tours are all as long as the bound.
    fn remove_arcs(&mut self, dual: &Dual, bound: u64) -> Result<(), &'static str> {
        let n = self.matrix.vertices;
        let (within, total) = (dual.within(n), dual.total());
        let most = i128::from(bound - 1) * dual.scale;
        self.closed |= total > most;
        for from in 0..n {
            for to in 0..n {
                let Some(cost) = self.matrix.cost(from, to) else { continue };
                let paid = i128::from(dual.rows[from]) + i128::from(dual.columns[to]);
                let reduced = i128::from(cost) * dual.scale + within[from * n + to] - paid;
                if reduced < 0 {
                    return Err("an arc costs less than the numbers of its row and column");
                }
                if total + reduced > most {
                    self.matrix.costs[from * n + to] = None;
                }
            }
        }
        Ok(())
    }

    fn without(&self, from: usize, to: usize) -> Self {
        let mut node = self.clone();
        node.splits += 1;
        node.matrix.costs[from * self.matrix.vertices + to] = None;
        node
    }

    fn with(&self, from: usize, to: usize) -> Self {
        let mut node = self.clone();
        let n = self.matrix.vertices;
        let cost = self.matrix.cost(from, to);
        node.splits += 1;
        (0..n).for_each(|other| node.matrix.costs[from * n + other] = None);
        (0..n).for_each(|other| node.matrix.costs[other * n + to] = None);
        node.matrix.costs[from * n + to] = cost;
        match node.paths.join(from, to) {
            // The path may not be closed before it has all vertices.
            Some((first, last, length)) if length < n => node.matrix.costs[last * n + first] = None,
            Some(_) => {}
            // The arc closes a path: only a whole tour may do so.
            None => node.closed |= node.paths.length(to) < n,
        }
        node
    }

    /// Whether a vertex cannot be left or entered.
    fn has_no_tour(&self) -> bool {
        let n = self.matrix.vertices;
        let is_arc = |from: usize, to: usize| self.matrix.cost(from, to).is_some();
        let is_met = |vertex: usize| {
            (0..n).any(|other| is_arc(vertex, other)) && (0..n).any(|other| is_arc(other, vertex))
        };
        !(0..n).all(is_met)
    }
}

/// The paths that arcs form of which every tour of a node uses all.
#[derive(Clone)]
struct Paths {
    /// By vertex: the next one on its path.
    next: Vec<Option<usize>>,
    previous: Vec<Option<usize>>,
}

impl Paths {
    fn new(vertices: usize) -> Self {
        Self { next: vec![None; vertices], previous: vec![None; vertices] }
    }

    fn end(vertex: usize, onward: &[Option<usize>]) -> (usize, usize) {
        let (mut last, mut steps) = (vertex, 0);
        while let Some(next) = onward[last].filter(|_| steps < onward.len()) {
            (last, steps) = (next, steps + 1);
        }
        (last, steps)
    }

    /// Number of vertices on the path of this one.
    fn length(&self, vertex: usize) -> usize {
        1 + Self::end(vertex, &self.next).1 + Self::end(vertex, &self.previous).1
    }

    /// First and last vertex of the path with the arc, and how many it has. `None`: the arc closes a path, or the vertices have other arcs
    /// (then its cost is gone).
    fn join(&mut self, from: usize, to: usize) -> Option<(usize, usize, usize)> {
        if Self::end(to, &self.next).0 == from || self.next[from].is_some() || self.previous[to].is_some() {
            return None;
        }
        self.next[from] = Some(to);
        self.previous[to] = Some(from);
        let (first, last) = (Self::end(from, &self.previous).0, Self::end(to, &self.next).0);
        Some((first, last, self.length(from)))
    }
}
