//! Certificates of lower bounds: the tree of a search with the exact numbers that close its nodes.
//!
//! The search is the same branch and cut, told to look for tours below the bound and to keep what
//! it excludes them by. The text is written for a checker that knows nothing of the search
//! (`checker::tour` states format and meaning).

use super::Options;
use super::assignment::assign;
use super::branch_and_cut::{Node, certified_search};
use super::congruence::Congruence;
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::restriction::Arc;
use super::rounded_cuts::RoundedCut;
use super::tours::TourSearch;
use super::windows::Windows;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Most nodes of a tree.
const MOST_NODES: usize = 20_000;

/// Numbers that show a bound, in units of `1 / scale`: for each vertex being left, for each being
/// entered, and multipliers of sets that tours leave and of rounded cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dual {
    pub(crate) scale: i64,
    pub(crate) rows: Vec<i64>,
    pub(crate) columns: Vec<i64>,
    pub(crate) sets: Vec<(i64, Vec<usize>)>,
    pub(crate) rounded: Vec<(i64, RoundedCut)>,
}

/// What excludes arcs or tours of a node.
#[derive(Clone, Debug)]
enum Step {
    /// With the multipliers of rounded cuts by their numbers.
    Dual(Dual, Vec<(i64, usize)>),
    Congruence(Congruence),
}

/// A node of the tree.
#[derive(Clone, Debug, Default)]
struct Record {
    steps: Vec<Step>,
    /// Where it is split, and the nodes without and with the arc.
    split: Option<(Arc, usize, usize)>,
}

/// What a search keeps.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    nodes: Vec<Record>,
    /// Rounded cuts and their numbers.
    rounded: Vec<RoundedCut>,
    number_of: FxHashMap<RoundedCut, usize>,
}

impl Recorder {
    fn new() -> Self {
        Self { nodes: vec![Record::default()], rounded: Vec::new(), number_of: FxHashMap::default() }
    }

    /// Keeps numbers by which arcs of a node, or the node, are excluded.
    pub(crate) fn dual(&mut self, node: usize, mut dual: Dual) {
        let rounded = std::mem::take(&mut dual.rounded);
        let numbered = rounded.into_iter().map(|(multiplier, cut)| (multiplier, self.number(cut))).collect();
        self.nodes[node].steps.push(Step::Dual(dual, numbered));
    }

    fn number(&mut self, cut: RoundedCut) -> usize {
        *self.number_of.entry(cut).or_insert_with_key(|cut| {
            self.rounded.push(cut.clone());
            self.rounded.len() - 1
        })
    }

    /// Keeps what lengths of the tours of a node have in common.
    pub(crate) fn congruence(&mut self, node: usize, congruence: &Congruence) {
        self.nodes[node].steps.push(Step::Congruence(congruence.clone()));
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
        // By rounded cut: its number in the text, which tells them in the order of their first use.
        let mut printed: FxHashMap<usize, usize> = FxHashMap::default();
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Record { steps, split } = &self.nodes[node];
            for step in steps {
                match step {
                    Step::Congruence(congruence) => print_congruence(congruence, &mut text),
                    Step::Dual(dual, rounded) => {
                        for &(_, number) in rounded {
                            let next = printed.len();
                            printed.entry(number).or_insert_with(|| {
                                print_rounded(&self.rounded[number], &mut text);
                                next
                            });
                        }
                        dual.print(&mut text);
                        for (multiplier, number) in rounded {
                            let _ = writeln!(text, "rounded {multiplier} {}", printed[number]);
                        }
                    }
                }
            }
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

fn joined<N: ToString>(numbers: &[N]) -> String {
    numbers.iter().map(N::to_string).collect::<Vec<_>>().join(" ")
}

fn print_rounded(cut: &RoundedCut, text: &mut String) {
    let (leaving, entering, sets) = cut.summands();
    let _ = writeln!(text, "round 2 {}", cut.right());
    for (kind, vertices) in [("leave", leaving), ("enter", entering)] {
        if !vertices.is_empty() {
            let _ = writeln!(text, "{kind} 1 {}", joined(&vertices));
        }
    }
    for set in sets {
        let _ = writeln!(text, "within 1 {}", joined(&set));
    }
}

fn print_congruence(congruence: &Congruence, text: &mut String) {
    let (rows, columns) = (joined(&congruence.rows), joined(&congruence.columns));
    let _ = writeln!(text, "congruent {}\nrows {rows}\ncolumns {columns}", congruence.modulus());
}

impl Dual {
    /// Numbers that exclude every tour: where some vertices can only be left for fewer others.
    pub(crate) fn of_infeasible(matrix: &[i64], n: usize, length: i64) -> Self {
        let (rows, columns) = crowded(matrix, n);
        let number = |chosen: &[bool], value: i64| {
            chosen.iter().map(|&chosen| if chosen { value } else { 0 }).collect()
        };
        let (rows, columns) = (number(&rows, length), number(&columns, -length));
        Self { scale: 1, rows, columns, sets: Vec::new(), rounded: Vec::new() }
    }

    fn print(&self, text: &mut String) {
        let (rows, columns) = (joined(&self.rows), joined(&self.columns));
        let _ = writeln!(text, "dual {}\nrows {rows}\ncolumns {columns}", self.scale);
        for (multiplier, set) in &self.sets {
            let mut set = set.clone();
            set.sort_unstable();
            let _ = writeln!(text, "set {multiplier} {}", joined(&set));
        }
    }
}

/// A certificate that no tour of the instance is shorter than `length`. `None`: there is a shorter
/// one, or a limit was reached.
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

/// Rows all whose arcs lie in fewer columns, where the matrix has no cycle cover: those on
/// alternating paths from a row without partner in a greatest matching (D. König, P. Hall).
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
    use super::super::random::Random;
    use super::super::test_support::{closure_instance, congruent_instance, random_instance, strip_instance};
    use super::*;
    use checker::tour::{Matrix, check};

    fn matrix(instance: &Instance) -> Matrix {
        Matrix::new(instance.len(), |from, to| instance.cost(from, to))
    }

    /// Instances of all kinds, with their shortest tours where there are any.
    fn instances(seeds: u64) -> impl Iterator<Item = (u64, Instance, Option<u64>)> {
        (0..seeds).map(|seed| {
            let n = 2 + seed as usize % 11;
            let instance = match seed % 6 {
                0 => closure_instance(n, true, seed),
                1 => random_instance(n, 2, 0, seed),
                2 => random_instance(n, 1000, 20, seed),
                3 => random_instance(n, 20, 70, seed),
                4 => random_instance(n, 1, 30, seed),
                _ => congruent_instance(n, 2 + seed as usize % 2, &mut Random::new(seed)),
            };
            let least = shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
            (seed, instance, least)
        })
    }

    /// What the search certifies the checker accepts, the checker accepts no more than is true.
    #[test]
    fn certificates_are_accepted_and_show_no_more() {
        let (mut rounded, mut congruent) = (0, 0);
        for (seed, instance, least) in instances(600) {
            let bound = least.unwrap_or(5_000);
            let certificate = certify(&instance, bound, &Options::default());
            let certificate = certificate.unwrap_or_else(|| panic!("seed {seed}: no certificate"));
            assert_eq!(check(&matrix(&instance), bound, &certificate), Ok(()), "seed {seed}\n{certificate}");
            if let Some(least) = least {
                assert_eq!(certify(&instance, least + 1, &Options::default()), None, "seed {seed}");
                assert!(check(&matrix(&instance), least + 1, &certificate).is_err(), "seed {seed}");
            }
            rounded += usize::from(certificate.contains("\nrounded "));
            congruent += usize::from(certificate.contains("\ncongruent "));
        }
        assert!(rounded > 5 && congruent > 50, "{rounded} {congruent}");
    }

    /// The text with one of its numbers changed.
    fn corrupted(text: &str, random: &mut Random) -> String {
        let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        let is_number = |&place: &usize| words[place].trim_end().parse::<i64>().is_ok();
        let places: Vec<usize> = (3..words.len()).filter(is_number).collect();
        let Some(&place) = places.get(random.below(places.len().max(1))) else { return text.to_owned() };
        let number: i64 = words[place].trim_end().parse().expect("a number");
        let change = [1, -1, 2, 1 << 20, -(1 << 20)][random.below(5)];
        let end = &words[place][words[place].trim_end().len()..];
        [&words[..place].concat(), &(number + change).to_string(), end, &words[place + 1..].concat()].concat()
    }

    /// Whatever becomes of a certificate, it shows nothing that is not true.
    #[test]
    fn corrupted_certificates_show_no_more() {
        let mut random = Random::new(77);
        let (mut rejected, mut still_true) = (0, 0);
        for (seed, instance, least) in instances(240) {
            let Some(least) = least else { continue };
            let matrix = matrix(&instance);
            let certificate = certify(&instance, least, &Options::default()).expect("a certificate");
            for _ in 0..40 {
                let mut text = corrupted(&certificate, &mut random);
                for _ in 0..random.below(3) {
                    text = corrupted(&text, &mut random);
                }
                assert!(check(&matrix, least + 1, &text).is_err(), "seed {seed}\n{text}");
                match check(&matrix, least, &text) {
                    Ok(()) => still_true += 1,
                    Err(_) => rejected += 1,
                }
            }
        }
        assert!(rejected > still_true, "{rejected} {still_true}");
    }

    /// Each part of an inequality by rounding matters, and its right-hand side is computed anew.
    #[test]
    fn corrupted_roundings_are_rejected() {
        let mut found = 0;
        for (seed, instance, least) in instances(600) {
            let Some(least) = least else { continue };
            let certificate = certify(&instance, least, &Options::default()).expect("a certificate");
            let why = |text: &str| check(&matrix(&instance), least, text).map_err(|rejection| rejection.why);
            let Some(round) = certificate.lines().find(|line| line.starts_with("round 2 ")) else { continue };
            let right: i64 = round["round 2 ".len()..].parse().expect("a right-hand side");
            for wrong in [right - 1, right + 1] {
                let text = certificate.replacen(round, &format!("round 2 {wrong}"), 1);
                let expected = "the right-hand side is not the sum's, divided and rounded down";
                assert_eq!(why(&text), Err(expected), "seed {seed}\n{text}");
            }
            let used = certificate.lines().find(|line| line.starts_with("rounded ")).expect("it is used");
            for (text, expected) in [
                (
                    certificate.replacen(used, "rounded 0 0", 1),
                    "an arc costs less than the numbers of its row and column",
                ),
                (
                    certificate.replacen(used, "rounded 1 99", 1),
                    "an inequality by rounding should have a multiplier, and a number among those before it",
                ),
                (
                    certificate.replacen("rounded ", "rounded -", 1),
                    "an inequality by rounding should have a multiplier, and a number among those before it",
                ),
            ] {
                assert_eq!(why(&text), Err(expected), "seed {seed}\n{text}");
            }
            found += 1;
        }
        assert!(found > 5, "{found}");
    }

    #[test]
    fn larger_instances_are_certified() {
        for (n, strip, seed) in [(40, false, 1), (70, false, 2), (80, true, 3)] {
            let instance = if strip { strip_instance(n, seed) } else { closure_instance(n, false, seed) };
            let least = super::super::solve(&instance, &Options::default()).expect("a tour");
            assert!(least.optimal);
            let certificate = certify(&instance, least.length, &Options::default()).expect("a certificate");
            assert_eq!(check(&matrix(&instance), least.length, &certificate), Ok(()));
        }
    }
}
