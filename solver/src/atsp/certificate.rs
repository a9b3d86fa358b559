//! Certificates of lower bounds: the tree of a search with the exact numbers that close its nodes.
//!
//! The search is the same branch and cut, told to look for tours below the bound and to keep what it excludes them by. The text is
//! written for a checker that knows nothing of the search (`checker::tour` states format and meaning).

use super::Options;
use super::assignment::assign;
use super::branch_and_cut::{Node, certified_search};
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::restriction::Arc;
use super::tours::TourSearch;
use super::windows::Windows;
use std::fmt::Write;

/// Most nodes of a tree.
const MOST_NODES: usize = 20_000;

/// Numbers that show a bound, in units of `1 / scale`: for each vertex being left, for each being entered, and multipliers of sets that
/// tours leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dual {
    pub(crate) scale: i64,
    pub(crate) rows: Vec<i64>,
    pub(crate) columns: Vec<i64>,
    pub(crate) sets: Vec<(i64, Vec<usize>)>,
}

/// A node of the tree.
#[derive(Clone, Debug, Default)]
struct Record {
    duals: Vec<Dual>,
    /// Where it is split, and the nodes without and with the arc.
    split: Option<(Arc, usize, usize)>,
}

/// What a search keeps.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    nodes: Vec<Record>,
}

impl Recorder {
    fn new() -> Self {
        Self { nodes: vec![Record::default()] }
    }

    /// Keeps numbers by which arcs of a node, or the node, are excluded.
    pub(crate) fn dual(&mut self, node: usize, dual: Dual) {
        self.nodes[node].duals.push(dual);
    }

    /// Keeps that a node is split; the nodes without and with the arc.
    pub(crate) fn split(&mut self, node: usize, at: Arc) -> (usize, usize) {
        let (without, with) = (self.nodes.len(), self.nodes.len() + 1);
        self.nodes.extend([Record::default(), Record::default()]);
        self.nodes[node].split = Some((at, without, with));
        (without, with)
    }

    /// Whether there is room for more.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() > MOST_NODES
    }

    fn print(&self) -> String {
        let mut text = "chaincover tour 1\n".to_owned();
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Record { duals, split } = &self.nodes[node];
            duals.iter().for_each(|dual| dual.print(&mut text));
            let _ = match *split {
                Some(((from, to), without, with)) => {
                    open.extend([with, without]);
                    writeln!(text, "split {from} {to}")
                }
                None => writeln!(text, "closed"),
            };
        }
        text
    }
}

impl Dual {
    /// Numbers that exclude every tour: where some vertices can only be left for fewer others.
    pub(crate) fn of_infeasible(matrix: &[i64], n: usize, length: i64) -> Self {
        let (rows, columns) = crowded(matrix, n);
        let number = |chosen: &[bool], value: i64| {
            chosen.iter().map(|&chosen| if chosen { value } else { 0 }).collect()
        };
        Self { scale: 1, rows: number(&rows, length), columns: number(&columns, -length), sets: Vec::new() }
    }

    fn print(&self, text: &mut String) {
        let join = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let _ =
            writeln!(text, "dual {}\nrows {}\ncolumns {}", self.scale, join(&self.rows), join(&self.columns));
        for (multiplier, set) in &self.sets {
            let mut set = set.clone();
            set.sort_unstable();
            let set: Vec<String> = set.iter().map(usize::to_string).collect();
            let _ = writeln!(text, "set {multiplier} {}", set.join(" "));
        }
    }
}

/// A certificate that no tour of the instance is shorter than `length`. `None`: there is a shorter one, or a limit was reached.
pub fn certify(instance: &Instance, length: u64, options: &Options) -> Option<String> {
    let length = i64::try_from(length).ok().filter(|&length| length < FORBIDDEN && instance.len() > 1)?;
    let mut recorder = Recorder::new();
    let Some(assignment) = assign(instance) else {
        recorder.dual(0, Dual::of_infeasible(instance.matrix(), instance.len(), length));
        return Some(recorder.print());
    };
    let limits: Limits = options.limits();
    let windows = Windows::new(instance, &[]);
    let tours = TourSearch {
        instance,
        windows: &windows,
        assignment: &assignment,
        seed: options.seed,
        limits: &limits,
    };
    certified_search(&tours, Node::root(0), length, recorder).map(|recorder| recorder.print())
}

/// Rows all whose arcs lie in fewer columns, where the matrix has no cycle cover: those on alternating paths from a row without partner in a
/// greatest matching (D. König, P. Hall).
fn crowded(matrix: &[i64], n: usize) -> (Vec<bool>, Vec<bool>) {
    let mut partner: Vec<Option<usize>> = vec![None; n];
    for row in 0..n {
        let mut seen = (vec![false; n], vec![false; n]);
        if !augment(row, matrix, &mut partner, &mut seen) {
            return seen;
        }
    }
    (vec![false; n], vec![false; n])
}

/// Gives the row a column, moving others where needed; marks the rows and columns that were met.
fn augment(
    first: usize,
    matrix: &[i64],
    partner: &mut [Option<usize>],
    seen: &mut (Vec<bool>, Vec<bool>),
) -> bool {
    let n = partner.len();
    let mut reached_from = vec![usize::MAX; n];
    let mut open = vec![first];
    seen.0[first] = true;
    while let Some(row) = open.pop() {
        for column in (0..n).filter(|column| matrix[row * n + column] != FORBIDDEN) {
            if std::mem::replace(&mut seen.1[column], true) {
                continue;
            }
            reached_from[column] = row;
            match partner[column] {
                Some(next) => {
                    seen.0[next] = true;
                    open.push(next);
                }
                None => {
                    take(column, &reached_from, partner);
                    return true;
                }
            }
        }
    }
    false
}

/// Gives each row on the way to the column the column that it was left by.
fn take(last: usize, reached_from: &[usize], partner: &mut [Option<usize>]) {
    let mut column = Some(last);
    while let Some(here) = column {
        let row = reached_from[here];
        column = (0..partner.len()).find(|&other| other != here && partner[other] == Some(row));
        partner[here] = Some(row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::dynamic_program::shortest_tour;
    use super::super::test_support::{closure_instance, random_instance};
    use super::*;
    use checker::tour::{Matrix, check};

    fn matrix(instance: &Instance) -> Matrix {
        Matrix::new(instance.len(), |from, to| instance.cost(from, to))
    }

    /// What the search certifies the checker accepts, the checker accepts no more than is true.
    #[test]
    fn certificates_are_accepted_and_show_no_more() {
        for seed in 0..160 {
            let n = 2 + seed as usize % 11;
            let instance = match seed % 4 {
                0 => closure_instance(n, true, seed),
                1 => random_instance(n, 2, 0, seed),
                2 => random_instance(n, 1000, 20, seed),
                _ => random_instance(n, 20, 70, seed),
            };
            let least = shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
            let bound = least.unwrap_or(5_000);
            let certificate = certify(&instance, bound, &Options::default());
            let certificate = certificate.unwrap_or_else(|| panic!("seed {seed}: no certificate"));
            assert_eq!(check(&matrix(&instance), bound, &certificate), Ok(()), "seed {seed}\n{certificate}");
            if let Some(least) = least {
                assert_eq!(certify(&instance, least + 1, &Options::default()), None, "seed {seed}");
                assert!(check(&matrix(&instance), least + 1, &certificate).is_err(), "seed {seed}");
            }
        }
    }

    #[test]
    fn larger_instances_are_certified() {
        for (n, seed) in [(40, 1), (70, 2)] {
            let instance = closure_instance(n, false, seed);
            let least = super::super::solve(&instance, &Options::default()).expect("a tour");
            assert!(least.optimal);
            let certificate = certify(&instance, least.length, &Options::default()).expect("a certificate");
            assert_eq!(check(&matrix(&instance), least.length, &certificate), Ok(()));
        }
    }
}
