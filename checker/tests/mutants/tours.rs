//! Small matrices whose tours are listed, with certificates by splitting and by rows and columns.

use super::Verdict;
use super::mutate::{mutated, raised};
use super::random::Random;
use checker::tour::{self, Matrix};
use std::fmt::Write;

pub(crate) struct Case {
    matrix: Matrix,
    bound: u64,
    certificate: String,
}

pub(crate) fn make(random: &mut Random) -> Case {
    let n = 2 + random.index(4);
    let modulus = 1 + random.below(3);
    let sides: Vec<u64> = (0..2 * n).map(|_| random.below(modulus)).collect();
    let mut costs = Vec::new();
    for arc in 0..n * n {
        let cost = (sides[arc / n] + sides[n + arc % n]) % modulus + modulus * random.below(4);
        costs.push((!random.once_in(7)).then_some(cost));
    }
    let matrix = Matrix::new(n, |from, to| costs[from * n + to]);
    let bound = least_tour(&matrix).unwrap_or(1_000);
    let bound = if random.once_in(4) { bound.saturating_sub(random.below(3)) } else { bound };
    let congruence = (modulus > 1).then(|| {
        let numbers = |side: &[u64]| side.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        format!("congruent {modulus}\nrows {}\ncolumns {}\n", numbers(&sides[..n]), numbers(&sides[n..]))
    });
    let certificate = certificate(&matrix, bound, congruence, random).expect("no shorter tour");
    Case { matrix, bound, certificate }
}

pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let (mut bound, mut certificate) = (case.bound, case.certificate.clone());
    if !as_it_is {
        if random.below(4) != 0 {
            bound = raised(bound, random);
        }
        if random.below(8) != 0 {
            certificate = mutated(&certificate, &donor.certificate, random);
        }
        if random.below(4) == 0 {
            certificate = split_again(&certificate, random);
        }
    }
    if tour::check(&case.matrix, bound, &certificate).is_err() {
        return Verdict::Rejected;
    }
    match least_tour(&case.matrix) {
        Some(least) if least < bound => {
            Verdict::False(format!("{bound} instead of {least}\n{:?}\n{certificate}", case.matrix))
        }
        _ => Verdict::True,
    }
}

/// Every end of a node becomes one more split at an arc that was split at, or at any.
fn split_again(certificate: &str, random: &mut Random) -> String {
    let known: Vec<&str> = certificate.lines().filter(|line| line.starts_with("split")).collect();
    let mut text = String::new();
    for line in certificate.lines() {
        if line == "closed" && random.below(2) == 0 {
            let arc = match known.is_empty() || random.below(3) == 0 {
                true => format!("split {} {}", random.below(5), random.below(5)),
                false => (*random.of(&known)).to_owned(),
            };
            text += &format!("{arc}\nclosed\n");
        }
        text += &format!("{line}\n");
    }
    text
}

/// Length of the shortest tour, by all orders of the vertices.
pub(crate) fn least_tour(matrix: &Matrix) -> Option<u64> {
    fn rest(matrix: &Matrix, at: usize, left: &mut Vec<usize>) -> Option<u64> {
        if left.is_empty() {
            return matrix.cost(at, 0);
        }
        let mut least = None;
        for place in 0..left.len() {
            let next = left.swap_remove(place);
            let whole = matrix.cost(at, next).and_then(|cost| Some(cost + rest(matrix, next, left)?));
            left.push(next);
            let last = left.len() - 1;
            left.swap(place, last);
            least = least.into_iter().chain(whole).min();
        }
        least
    }
    rest(matrix, 0, &mut (1..matrix.vertices()).collect())
}

/// A certificate that no tour is shorter. `None`: one is.
pub(crate) fn certificate(
    matrix: &Matrix,
    bound: u64,
    congruence: Option<String>,
    random: &mut Random,
) -> Option<String> {
    let n = matrix.vertices();
    let is_arc = (0..n * n).map(|arc| matrix.cost(arc / n, arc % n).is_some()).collect();
    let mut tree = Tree {
        matrix,
        bound,
        congruence,
        rounded: Vec::new(),
        random,
        text: "chaincover tour 1\n".to_owned(),
    };
    if bound > 0 {
        tree.node(is_arc, vec![None; n])?;
    }
    Some(tree.text)
}

struct Tree<'t> {
    matrix: &'t Matrix,
    bound: u64,
    congruence: Option<String>,
    /// Factors by arc and right-hand sides of inequalities.
    rounded: Vec<(Vec<i64>, i64)>,
    random: &'t mut Random,
    text: String,
}

impl Tree<'_> {
    fn node(&mut self, is_arc: Vec<bool>, next: Vec<Option<usize>>) -> Option<()> {
        let n = self.matrix.vertices();
        if self.random.once_in(3) {
            self.round();
        }
        if self.random.once_in(3)
            && let Some(congruence) = &self.congruence
        {
            self.text += congruence;
        }
        let has_none = |vertex: usize| {
            !(0..n).any(|other| is_arc[vertex * n + other]) || !(0..n).any(|other| is_arc[other * n + vertex])
        };
        let open = (0..n * n).find(|&arc| is_arc[arc] && next[arc / n] != Some(arc % n));
        if (0..n).any(has_none) || self.dual(&is_arc, open.is_some()) {
            self.text += "closed\n";
            return Some(());
        }
        let open = open?;
        let (from, to) = (open / n, open % n);
        let _ = writeln!(self.text, "split {from} {to}");
        let mut without = is_arc.clone();
        without[open] = false;
        self.node(without, next.clone())?;
        let (mut with, mut joined) = (is_arc, next);
        joined[from] = Some(to);
        (0..n).filter(|&other| other != to).for_each(|other| with[from * n + other] = false);
        (0..n).filter(|&other| other != from).for_each(|other| with[other * n + to] = false);
        let (mut first, mut last, mut length) = (from, to, 2);
        while let Some(onward) = joined[last].filter(|_| length <= n) {
            (last, length) = (onward, length + 1);
        }
        while let Some(before) = (0..n).find(|&before| joined[before] == Some(first)).filter(|_| length <= n)
        {
            (first, length) = (before, length + 1);
        }
        if length < n {
            with[last * n + first] = false;
        }
        self.node(with, joined)
    }

    /// Writes numbers of rows and columns, with some sets and inequalities where wanted; whether
    /// they exclude all shorter tours.
    fn dual(&mut self, is_arc: &[bool], with_more: bool) -> bool {
        let n = self.matrix.vertices();
        let scale = 1 + self.random.below(2) as i64;
        let mut extra = vec![0i64; n * n];
        let (mut lines, mut most) = (String::new(), 0i64);
        if with_more && n > 2 && self.random.below(2) == 0 {
            let multiplier = self.random.below(3) as i64;
            let (a, b) = (self.random.index(n - 1), n - 1);
            for (from, to) in [(a, b), (b, a), (a, a), (b, b)] {
                extra[from * n + to] += multiplier;
            }
            lines += &format!("set {multiplier} {a} {b}\n");
            most += multiplier;
        }
        if with_more && !self.rounded.is_empty() && self.random.below(2) == 0 {
            let (multiplier, number) = (self.random.below(3) as i64, self.random.index(self.rounded.len()));
            let (factors, right) = &self.rounded[number];
            extra.iter_mut().zip(factors).for_each(|(extra, factor)| *extra += multiplier * factor);
            lines += &format!("rounded {multiplier} {number}\n");
            most += multiplier * right;
        }
        let cost = |arc: usize| {
            let cost = self.matrix.cost(arc / n, arc % n).filter(|_| is_arc[arc])?;
            Some(cost as i64 * scale + extra[arc])
        };
        let rows: Vec<i64> =
            (0..n).map(|from| (0..n).filter_map(|to| cost(from * n + to)).min().unwrap_or(0)).collect();
        let column = |to: usize| (0..n).filter_map(|from| Some(cost(from * n + to)? - rows[from])).min();
        let columns: Vec<i64> = (0..n).map(|to| column(to).unwrap_or(0)).collect();
        let total = rows.iter().chain(&columns).sum::<i64>() - most;
        let numbers = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let _ = write!(
            self.text,
            "dual {scale}\nrows {}\ncolumns {}\n{lines}",
            numbers(&rows),
            numbers(&columns)
        );
        total >= self.bound as i64 * scale
    }

    /// Writes an inequality of a few equations, a set and an earlier one, divided.
    fn round(&mut self) {
        let n = self.matrix.vertices();
        let divisor = 1 + self.random.below(3) as i64;
        let (mut factors, mut right, mut lines) = (vec![0i64; n * n], 0i64, String::new());
        for _ in 0..1 + self.random.below(3) {
            let (factor, vertex) = (self.random.below(4) as i64 - 1, self.random.index(n));
            let is_left = self.random.below(2) == 0;
            lines += &format!("{} {factor} {vertex}\n", if is_left { "leave" } else { "enter" });
            for other in (0..n).filter(|&other| other != vertex) {
                factors[if is_left { vertex * n + other } else { other * n + vertex }] += factor;
            }
            right += factor;
        }
        if n > 2 && self.random.below(2) == 0 {
            lines += "within 1 0 1\n";
            factors[1] += 1;
            factors[n] += 1;
            right += 1;
        }
        if !self.rounded.is_empty() && self.random.below(2) == 0 {
            let number = self.random.index(self.rounded.len());
            lines += &format!("earlier 1 {number}\n");
            factors.iter_mut().zip(&self.rounded[number].0).for_each(|(factor, other)| *factor += other);
            right += self.rounded[number].1;
        }
        let (factors, right) =
            (factors.iter().map(|factor| factor.div_euclid(divisor)).collect(), right.div_euclid(divisor));
        let _ = write!(self.text, "round {divisor} {right}\n{lines}");
        self.rounded.push((factors, right));
    }
}
