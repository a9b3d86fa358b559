//! Violated inequalities that come from halving a sum of others and rounding down.
//!
//! Add up some degree equations and subtour inequalities `x(S) ≤ |S| − 1`, halve the sum, and round
//! all factors down, which is allowed as no arc has a negative value. The left-hand side is an
//! integer in tours, so that the right-hand side may be rounded down, too: where it was odd, this
//! cuts off points between tours ({0, ½}-cuts; A. Caprara, M. Fischetti, Mathematical Programming
//! 74, 1996). Among them are comb inequalities and, for the asymmetric case, those of odd closed
//! alternating trails.
//!
//! The point violates the cut where the slacks of the summands and the values of the arcs with odd
//! factors sum up to less than one. Such sums are looked for by elimination modulo two: arcs of
//! great value are eliminated first, so that the rows that are left have odd factors at arcs of
//! small value only (A. Koster, A. Zymolka, M. Kutschka, Algorithmica 55, 2009).

use super::random::Random;

/// Slacks up to this make a summand worth a try.
const MOST_SLACK: f64 = 0.3;
/// Slacks and odd values must stay below one by this much.
const LEAST_VIOLATION: f64 = 0.08;
/// Orders of elimination that are tried.
const ORDERS: u64 = 3;
/// Cuts handed out at most.
const MOST_CUTS: usize = 20;
/// Violated cuts that are compared at most.
const MOST_RATED: usize = 400;
/// Greatest share of summands that a cut may have in common with another one.
const MOST_COMMON: f64 = 0.6;
/// Subtour inequalities in a sum at most: one bit for each.
const MOST_SETS: usize = u64::BITS as usize;

/// Half a sum of degree equations and subtour inequalities, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RoundedCut {
    shares: Vec<Share>,
    right: i64,
}

/// What a vertex does in a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Share {
    /// Whether the equation of being left is in it, and that of being entered.
    leaving: bool,
    entering: bool,
    /// The sets with the vertex.
    sets: u64,
}

impl RoundedCut {
    fn new(n: usize, rows: &[Summand]) -> Option<Self> {
        let mut shares = vec![Share::default(); n];
        let (mut right, mut sets) = (0, 0);
        for row in rows {
            match row {
                Summand::Leaving(vertex) => shares[*vertex].leaving = true,
                Summand::Entering(vertex) => shares[*vertex].entering = true,
                Summand::Subtour(set) => {
                    if sets == MOST_SETS {
                        return None;
                    }
                    set.iter().for_each(|&vertex| shares[vertex].sets |= 1 << sets);
                    sets += 1;
                }
            }
            right += row.right();
        }
        Some(Self { shares, right: right.div_euclid(2) })
    }

    /// The cut is `Σ factor · x(arc) ≤ right`.
    pub(crate) fn right(&self) -> i64 {
        self.right
    }

    /// Never negative.
    pub(crate) fn factor(&self, (from, to): (usize, usize)) -> i64 {
        let (tail, head) = (self.shares[from], self.shares[to]);
        let shared = (tail.sets & head.sets).count_ones();
        i64::from((u32::from(tail.leaving) + u32::from(head.entering) + shared) / 2)
    }

    /// Calls with every arc in the inequality and its factor.
    pub(crate) fn for_each_arc(&self, mut visit: impl FnMut((usize, usize), i64)) {
        let n = self.shares.len();
        for from in (0..n).filter(|&from| self.shares[from].leaving || self.shares[from].sets > 0) {
            for to in (0..n).filter(|&to| to != from) {
                let factor = self.factor((from, to));
                if factor > 0 {
                    visit((from, to), factor);
                }
            }
        }
    }

    /// What is added up: vertices with their equations of being left and of being entered, and
    /// sets.
    pub(crate) fn summands(&self) -> (Vec<usize>, Vec<usize>, Vec<Vec<usize>>) {
        let vertices = |is_in: &dyn Fn(&Share) -> bool| -> Vec<usize> {
            (0..self.shares.len()).filter(|&vertex| is_in(&self.shares[vertex])).collect()
        };
        let all = self.shares.iter().fold(0, |sets, share| sets | share.sets);
        let bits = (0..MOST_SETS).filter(|bit| all >> bit & 1 == 1);
        let sets = bits.map(|bit| vertices(&|share| share.sets >> bit & 1 == 1)).collect();
        (vertices(&|share| share.leaving), vertices(&|share| share.entering), sets)
    }

    /// No factor is greater.
    pub(crate) fn magnitude(&self) -> i64 {
        let sets = self.shares.iter().fold(0, |sets, share| sets | share.sets);
        i64::from((2 + sets.count_ones()) / 2)
    }
}

/// An inequality `≤` that is added up.
#[derive(Clone, Copy, Debug)]
enum Summand<'a> {
    Leaving(usize),
    Entering(usize),
    Subtour(&'a [usize]),
}

impl Summand<'_> {
    fn right(&self) -> i64 {
        match self {
            Self::Leaving(_) | Self::Entering(_) => 1,
            Self::Subtour(set) => set.len() as i64 - 1,
        }
    }
}

/// A sum modulo two.
#[derive(Clone, Debug)]
struct Row {
    /// Arcs with odd factors, as bits.
    odd: Vec<u64>,
    /// Summands, as bits.
    summands: Vec<u64>,
    slack: f64,
    is_right_odd: bool,
}

impl Row {
    fn add(&mut self, other: &Self) {
        for (bits, more) in
            self.odd.iter_mut().zip(&other.odd).chain(self.summands.iter_mut().zip(&other.summands))
        {
            *bits ^= more;
        }
        self.slack += other.slack;
        self.is_right_odd ^= other.is_right_odd;
    }

    /// Slack and odd values.
    fn weight(&self, values: &[f64], enough: f64) -> f64 {
        let mut weight = self.slack;
        for index in ones(&self.odd) {
            weight += values[index];
            if weight >= enough {
                break;
            }
        }
        weight
    }
}

fn ones(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(place, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| {
            let rest = word & (word - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |word| 64 * place + word.trailing_zeros() as usize)
    })
}

fn has(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}

fn flip(bits: &mut [u64], index: usize) {
    bits[index / 64] ^= 1 << (index % 64);
}

/// Rounded halves of sums that the point violates, those farthest from it first. `support` lists
/// the arcs with positive values, `sets` the sets whose subtour inequalities may be summands, as
/// sorted lists.
pub(crate) fn violated_roundings(
    n: usize,
    support: &[(usize, usize, f64)],
    sets: &[Vec<usize>],
    seed: u64,
) -> Vec<RoundedCut> {
    let values: Vec<f64> = support.iter().map(|arc| arc.2).collect();
    let (summands, rows) = first_rows(n, support, sets);
    let mut found: Vec<(f64, Vec<u64>)> = Vec::new();
    for order in 0..ORDERS {
        let mut random = Random::new(seed ^ order);
        let mut columns: Vec<(f64, usize)> = values
            .iter()
            .enumerate()
            .map(|(index, &value)| {
                let share = random.below(1000) as f64 / 1000.0;
                (if order == 0 { value } else { value * (1.0 - 0.5 * share) }, index)
            })
            .collect();
        columns.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        eliminate(rows.clone(), &columns, &values, &mut found);
    }
    found.sort_by(|left, right| left.0.total_cmp(&right.0).then_with(|| left.1.cmp(&right.1)));
    found.dedup_by(|left, right| left.1 == right.1);
    found.truncate(MOST_RATED);
    let cut = |chosen: &[u64]| {
        let rows: Vec<Summand> = ones(chosen).map(|index| summands[index]).collect();
        RoundedCut::new(n, &rows)
    };
    let depth = |weight: f64, cut: &RoundedCut| {
        let norm: i64 = support.iter().map(|&(from, to, _)| cut.factor((from, to)).pow(2)).sum();
        (1.0 - weight) / (norm.max(1) as f64).sqrt()
    };
    let mut rated: Vec<Rated> = found
        .into_iter()
        .filter_map(|(weight, summands)| {
            let cut = cut(&summands)?;
            Some(Rated { depth: depth(weight, &cut), summands, cut })
        })
        .collect();
    rated.sort_by(|left, right| {
        right.depth.total_cmp(&left.depth).then_with(|| left.summands.cmp(&right.summands))
    });
    different(rated)
}

/// A cut with its distance from the point.
struct Rated {
    depth: f64,
    summands: Vec<u64>,
    cut: RoundedCut,
}

/// The first cuts whose summands differ enough from those of all cuts before them.
fn different(rated: Vec<Rated>) -> Vec<RoundedCut> {
    let mut kept: Vec<Rated> = Vec::new();
    for next in rated {
        let is_similar = |other: &Rated| {
            let common: Vec<u64> =
                other.summands.iter().zip(&next.summands).map(|(left, right)| left & right).collect();
            let fewer = count(&other.summands).min(count(&next.summands));
            f64::from(count(&common)) > MOST_COMMON * f64::from(fewer)
        };
        if !kept.iter().any(is_similar) {
            kept.push(next);
            if kept.len() == MOST_CUTS {
                break;
            }
        }
    }
    kept.into_iter().map(|rated| rated.cut).collect()
}

fn count(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// The inequalities that may be added up, and each as a row.
fn first_rows<'a>(
    n: usize,
    support: &[(usize, usize, f64)],
    sets: &'a [Vec<usize>],
) -> (Vec<Summand<'a>>, Vec<Row>) {
    let mut summands: Vec<Summand> =
        (0..n).map(Summand::Leaving).chain((0..n).map(Summand::Entering)).collect();
    let mut arcs: Vec<Vec<usize>> = vec![Vec::new(); 2 * n];
    for (index, &(from, to, _)) in support.iter().enumerate() {
        arcs[from].push(index);
        arcs[n + to].push(index);
    }
    let mut slacks = vec![0.0; 2 * n];
    for set in sets {
        let is_inside = |vertex: usize| set.binary_search(&vertex).is_ok();
        let inside: Vec<usize> = (0..support.len())
            .filter(|&index| is_inside(support[index].0) && is_inside(support[index].1))
            .collect();
        let slack = set.len() as f64 - 1.0 - inside.iter().map(|&index| support[index].2).sum::<f64>();
        if slack <= MOST_SLACK {
            summands.push(Summand::Subtour(set));
            arcs.push(inside);
            slacks.push(slack.max(0.0));
        }
    }
    let (width, height) = (support.len().div_ceil(64), summands.len().div_ceil(64));
    let row = |index: usize| {
        let mut row = Row {
            odd: vec![0; width],
            summands: vec![0; height],
            slack: slacks[index],
            is_right_odd: summands[index].right() % 2 == 1,
        };
        arcs[index].iter().for_each(|&arc| flip(&mut row.odd, arc));
        flip(&mut row.summands, index);
        row
    };
    let rows = (0..summands.len()).map(row).collect();
    (summands, rows)
}

/// Eliminates the columns in their order and keeps all rows on the way that are violated, with
/// their weights.
fn eliminate(mut rows: Vec<Row>, columns: &[(f64, usize)], values: &[f64], found: &mut Vec<(f64, Vec<u64>)>) {
    let enough = 1.0 - LEAST_VIOLATION;
    for &(_, column) in columns {
        let with: Vec<usize> = (0..rows.len()).filter(|&row| has(&rows[row].odd, column)).collect();
        let Some(&pivot) = with.iter().min_by(|&&left, &&right| {
            rows[left]
                .slack
                .total_cmp(&rows[right].slack)
                .then_with(|| count(&rows[left].odd).cmp(&count(&rows[right].odd)))
        }) else {
            continue;
        };
        let pivot_row = rows[pivot].clone();
        for &index in with.iter().filter(|&&index| index != pivot) {
            let row = &mut rows[index];
            row.add(&pivot_row);
            if row.is_right_odd && row.slack < enough {
                let weight = row.weight(values, enough);
                if weight < enough {
                    found.push((weight, row.summands.clone()));
                }
            }
        }
        rows.swap_remove(pivot);
        rows.retain(|row| row.slack < enough);
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::tour_arcs;
    use super::super::test_support::permutations;
    use super::*;

    fn value(cut: &RoundedCut, arcs: impl Iterator<Item = (usize, usize, f64)>) -> f64 {
        arcs.map(|(from, to, value)| cut.factor((from, to)) as f64 * value).sum()
    }

    /// A convex combination of a few cyclic orders and covers by cycles.
    fn random_point(n: usize, random: &mut Random) -> Vec<(usize, usize, f64)> {
        let mut values = vec![0.0; n * n];
        let weights = [[0.5, 0.5, 0.0], [0.34, 0.33, 0.33]][random.below(2)];
        for weight in weights {
            let mut order: Vec<usize> = (0..n).collect();
            random.shuffle(&mut order);
            let first = [n, 2, 3][random.below(3)];
            for place in 0..n {
                let next = if place + 1 == first { 0 } else { place + 1 };
                let next = if next == n { first % n } else { next };
                values[order[place] * n + order[next]] += weight;
            }
        }
        let arcs = (0..n * n).filter(|&arc| values[arc] > 0.0);
        arcs.map(|arc| (arc / n, arc % n, values[arc])).collect()
    }

    /// All sets of two or more vertices but not of all but one.
    fn all_sets(n: usize) -> Vec<Vec<usize>> {
        let sets =
            (0..1usize << n).map(|set| (0..n).filter(|vertex| set >> vertex & 1 == 1).collect::<Vec<_>>());
        sets.filter(|set| (2..n - 1).contains(&set.len())).collect()
    }

    #[test]
    fn cuts_hold_for_all_tours_and_not_for_the_point() {
        let (n, mut random) = (6, Random::new(5));
        let (tours, sets) = (permutations(n), all_sets(n));
        let mut found = 0;
        for seed in 0..60 {
            let point = random_point(n, &mut random);
            for cut in violated_roundings(n, &point, &sets, seed) {
                let right = cut.right() as f64;
                assert!(value(&cut, point.iter().copied()) > right + LEAST_VIOLATION / 2.0 - 1e-9, "{cut:?}");
                for tour in &tours {
                    let length = value(&cut, tour_arcs(tour).map(|(from, to)| (from, to, 1.0)));
                    assert!(length <= right, "{cut:?} {tour:?}");
                }
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }

    /// Two triangles of half edges, joined by three whole edges, all in both directions: every set
    /// is left by one or more, and yet no tours make up the point, as a comb shows.
    #[test]
    fn combs_are_found() {
        let mut point = Vec::new();
        for (first, second, weight) in [
            (0, 1, 0.25),
            (1, 2, 0.25),
            (2, 0, 0.25),
            (3, 4, 0.25),
            (4, 5, 0.25),
            (5, 3, 0.25),
            (0, 3, 0.5),
            (1, 4, 0.5),
            (2, 5, 0.5),
        ] {
            point.extend([(first, second, weight), (second, first, weight)]);
        }
        let sets = [vec![0, 1, 2], vec![3, 4, 5], vec![0, 3], vec![1, 4], vec![2, 5]];
        assert!(!violated_roundings(6, &point, &sets, 0).is_empty());
    }

    #[test]
    fn factors_are_those_of_the_listed_arcs() {
        let (n, mut random) = (6, Random::new(9));
        let mut compared = 0;
        for seed in 0..20 {
            let point = random_point(n, &mut random);
            for cut in violated_roundings(n, &point, &all_sets(n), seed) {
                let mut listed = vec![0; n * n];
                cut.for_each_arc(|(from, to), factor| listed[from * n + to] += factor);
                for arc in (0..n * n).filter(|arc| arc / n != arc % n) {
                    let factor = cut.factor((arc / n, arc % n));
                    assert_eq!(listed[arc], factor);
                    assert!((0..=cut.magnitude()).contains(&factor));
                }
                compared += 1;
            }
        }
        assert!(compared > 30, "{compared}");
    }
}
