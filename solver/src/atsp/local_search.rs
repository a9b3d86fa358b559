//! Iterated local search for short tours.
//!
//! Moves are segment swaps (directed 3-opt without reversal; P. Kanellakis, C. Papadimitriou,
//! Operations Research 28, 1980), searched from a queue of vertices whose arcs changed, over the
//! arcs of least reduced cost in the assignment problem, with the gain criterion of Lin and
//! Kernighan: partial sums of gains stay positive. Where vertices are many, several moves may
//! follow each other that are better only together (variable depth; S. Lin, B. Kernighan,
//! Operations Research 21, 1973): such tours are better by about 2 % in the same time;
//! [`population`](super::population) breeds better ones of them. Local optima are left by double
//! bridges over a short stretch of the tour; a kick that makes it longer is undone. After many
//! kicks in vain the search starts anew from a randomised greedy tour.
//!
//! Costs in here are *reduced* costs of the assignment problem: the length of a tour differs by a
//! constant, the numbers are small, and the gain criterion becomes sharper because arcs that a good
//! tour wants cost nothing. Missing arcs cost more than any tour without them; a tour that uses one
//! is never handed out.

use super::assignment::Assignment;
use super::bound::ExactBound;
use super::descent::Descent;
use super::instance::{FORBIDDEN, Instance, from_vertex_zero};
use super::limits::Limits;
use super::random::Random;

/// Candidate arcs per vertex and direction.
const CANDIDATES: usize = 12;
/// Fewest vertices of which double bridges make another tour.
const MIN_FOR_KICKS: usize = 4;

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Times to start, at least one.
    pub(crate) starts: usize,
    /// Kicks in vain after which to start anew.
    pub(crate) idle_kicks: usize,
    /// Length that cannot be beaten: the search ends there.
    pub(crate) target: i64,
}

impl Effort {
    /// Kicks that suffice in practice for one start with n vertices.
    pub(crate) fn idle_kicks(n: usize) -> usize {
        12 * n + 200
    }
}

/// Costs with a price for missing arcs, and the candidate arcs.
pub(crate) struct Costs {
    pub(super) vertices: usize,
    matrix: Vec<i64>,
    /// Heads of candidate arcs out of each vertex with their costs, ascending.
    pub(super) leaving: Vec<Vec<(usize, i64)>>,
    /// Tails of candidate arcs into each vertex with their costs, ascending.
    pub(super) entering: Vec<Vec<(usize, i64)>>,
    /// Length of a tour minus the sum of these costs over it.
    pub(super) offset: i64,
    /// Price of a missing arc.
    pub(super) penalty: i64,
}

/// The best tour that the effort finds, beginning at vertex 0, and its length; `None` where all
/// tours found use missing arcs. `start` is improved first if given.
pub(crate) fn search(
    costs: &Costs,
    start: Option<&[usize]>,
    effort: &Effort,
    seed: u64,
    limits: &Limits,
) -> Option<(Vec<usize>, i64)> {
    let mut random = Random::new(seed);
    let mut best: Option<(Vec<usize>, i64)> = None;
    for round in 0..effort.starts.max(1) {
        let order = match start {
            Some(start) if round == 0 => start.to_vec(),
            _ => costs.greedy_tour(&mut random),
        };
        let mut descent = Descent::new(costs, order);
        descent.improve();
        iterate(&mut descent, effort, &mut random, limits);
        if best.as_ref().is_none_or(|(_, length)| descent.length < *length) {
            best = Some((descent.cycle.order().to_vec(), descent.length));
        }
        let reached = best.as_ref().is_some_and(|(_, length)| length + costs.offset <= effort.target);
        if reached || limits.reached() {
            break;
        }
    }
    let (tour, length) = best.filter(|(_, length)| *length < costs.penalty)?;
    Some((from_vertex_zero(tour), length + costs.offset))
}

/// Kicks until so many of them were in vain.
fn iterate(descent: &mut Descent, effort: &Effort, random: &mut Random, limits: &Limits) {
    if descent.costs.vertices < MIN_FOR_KICKS {
        return;
    }
    let mut kept = descent.clone();
    let mut idle = 0;
    while idle < effort.idle_kicks && kept.length + descent.costs.offset > effort.target && !limits.reached()
    {
        descent.kick(random);
        descent.improve();
        idle += 1;
        if descent.length < kept.length {
            idle = 0;
        }
        if descent.length <= kept.length {
            kept.copy_from(descent);
        } else {
            descent.copy_from(&kept);
        }
    }
}

impl Costs {
    /// Candidates are the arcs of least reduced cost, or by which the bound of the guide rises
    /// least.
    pub(crate) fn new(instance: &Instance, assignment: &Assignment, guide: Option<&ExactBound>) -> Self {
        let n = instance.len();
        let reduced = |from: usize, to: usize| {
            let cost = instance.arc(from, to);
            (cost != FORBIDDEN).then(|| assignment.reduced(from, to, cost))
        };
        let dearest = |from: usize| (0..n).filter_map(|to| reduced(from, to)).max().unwrap_or(0);
        let penalty = 1 + (0..n).map(dearest).sum::<i64>();
        let mut costs = Self {
            vertices: n,
            matrix: (0..n * n).map(|arc| reduced(arc / n, arc % n).unwrap_or(penalty)).collect(),
            leaving: Vec::with_capacity(n),
            entering: Vec::with_capacity(n),
            offset: assignment.cost(),
            penalty,
        };
        let rank = |from: usize, to: usize| {
            let cost = (costs.matrix[from * n + to], instance.arc(from, to));
            (guide.map_or(0, |guide| guide.rise(from, to)), cost)
        };
        for vertex in 0..n {
            let others: Vec<usize> = (0..n).filter(|&other| other != vertex).collect();
            let heads = least(&others, |other| rank(vertex, other));
            let tails = least(&others, |other| rank(other, vertex));
            costs.leaving.push(heads.iter().map(|&head| (head, costs.arc(vertex, head))).collect());
            costs.entering.push(tails.iter().map(|&tail| (tail, costs.arc(tail, vertex))).collect());
        }
        costs.sort_candidates();
        costs
    }

    fn sort_candidates(&mut self) {
        for arcs in self.leaving.iter_mut().chain(&mut self.entering) {
            arcs.sort_by_key(|&(_, cost)| cost);
        }
    }

    pub(super) fn arc(&self, from: usize, to: usize) -> i64 {
        self.matrix[from * self.vertices + to]
    }

    /// From a random vertex always to a near vertex not yet visited.
    pub(super) fn greedy_tour(&self, random: &mut Random) -> Vec<usize> {
        let n = self.vertices;
        let mut left: Vec<usize> = (0..n).collect();
        random.shuffle(&mut left);
        let mut visited = vec![false; n];
        let mut tour = Vec::with_capacity(n);
        let mut vertex = left[0];
        loop {
            visited[vertex] = true;
            tour.push(vertex);
            left.retain(|&other| other != vertex);
            if left.is_empty() {
                return tour;
            }
            let near: Vec<usize> = self.near_unvisited(vertex, &visited);
            vertex = match near.as_slice() {
                [] => *left.iter().min_by_key(|&&other| self.arc(vertex, other)).unwrap_or(&left[0]),
                [only] => *only,
                [nearest, second, ..] => {
                    if random.below(4) > 0 {
                        *nearest
                    } else {
                        *second
                    }
                }
            };
        }
    }

    /// A tour that keeps arcs of the point, those of greatest value first, and joins the paths that
    /// these form.
    pub(crate) fn tour_near(&self, support: &[(usize, usize, f64)]) -> Vec<usize> {
        let n = self.vertices;
        let mut arcs = support.to_vec();
        arcs.sort_by(|left, right| right.2.total_cmp(&left.2));
        let mut successor = vec![None; n];
        let mut other_end: Vec<usize> = (0..n).collect();
        let mut is_head = vec![false; n];
        for (from, to, _) in arcs {
            if successor[from].is_none() && !is_head[to] && other_end[from] != to {
                successor[from] = Some(to);
                is_head[to] = true;
                let (first, last) = (other_end[from], other_end[to]);
                other_end[first] = last;
                other_end[last] = first;
            }
        }
        let mut beginnings: Vec<usize> = (0..n).filter(|&vertex| !is_head[vertex]).collect();
        let mut tour = Vec::with_capacity(n);
        let mut next = beginnings.swap_remove(0);
        loop {
            tour.extend(std::iter::successors(Some(next), |&vertex| successor[vertex]));
            let last = tour[tour.len() - 1];
            let nearest = (0..beginnings.len()).min_by_key(|&place| self.arc(last, beginnings[place]));
            match nearest {
                Some(place) => next = beginnings.swap_remove(place),
                None => return tour,
            }
        }
    }

    fn near_unvisited(&self, vertex: usize, visited: &[bool]) -> Vec<usize> {
        let candidates = self.leaving[vertex].iter().map(|&(head, _)| head);
        candidates.filter(|&head| !visited[head]).take(2).collect()
    }
}

/// The vertices of least keys, as many as there are candidates.
fn least<Key: Ord>(vertices: &[usize], key: impl Fn(usize) -> Key) -> Vec<usize> {
    let mut sorted = vertices.to_vec();
    sorted.sort_by_cached_key(|&vertex| key(vertex));
    sorted.truncate(CANDIDATES);
    sorted
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::dynamic_program::shortest_tour;
    use super::super::instance::is_permutation;
    use super::super::test_support::{closure_instance, random_instance};
    use super::*;

    fn effort(n: usize, starts: usize) -> Effort {
        Effort { starts, idle_kicks: Effort::idle_kicks(n), target: 0 }
    }

    #[test]
    fn finds_shortest_tours_of_small_instances() {
        let mut feasible = 0;
        for seed in 0..120 {
            let n = 3 + seed as usize % 9;
            let instance = match seed % 3 {
                0 => closure_instance(n, true, seed),
                1 => random_instance(n, 9, 0, seed),
                _ => random_instance(n, 30, 35, seed),
            };
            let Some(assignment) = assign(&instance) else { continue };
            let expected = shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
            let found = search(
                &Costs::new(&instance, &assignment, None),
                None,
                &effort(n, 3),
                seed,
                &Limits::default(),
            );
            assert_eq!(found.as_ref().map(|found| found.1 as u64), expected, "seed {seed}");
            if let Some((tour, length)) = found {
                assert!(is_permutation(&tour, n));
                assert_eq!(instance.tour_length(&tour), Some(length as u64));
                feasible += 1;
            }
        }
        assert!(feasible > 90);
    }

    #[test]
    fn tours_near_a_point_keep_its_greatest_arcs() {
        let instance = closure_instance(8, true, 1);
        let costs = Costs::new(&instance, &assign(&instance).expect("strongly connected"), None);
        let support =
            [(0, 1, 0.9), (1, 0, 0.8), (2, 3, 1.0), (3, 2, 1.0), (1, 2, 0.5), (4, 2, 0.4), (7, 6, 0.1)];
        let tour = costs.tour_near(&support);
        assert!(is_permutation(&tour, 8));
        let follows = |from, to| tour.windows(2).any(|pair| pair == [from, to]);
        assert!(follows(0, 1) && follows(2, 3) && follows(1, 2) && follows(7, 6));
    }

    #[test]
    fn the_seed_decides_everything() {
        let instance = random_instance(50, 3, 0, 2);
        let assignment = assign(&instance).expect("complete");
        let costs = Costs::new(&instance, &assignment, None);
        let run = |seed| search(&costs, None, &effort(50, 2), seed, &Limits::default());
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_given_start_is_never_made_worse() {
        let instance = closure_instance(30, true, 6);
        let assignment = assign(&instance).expect("strongly connected");
        let start: Vec<usize> = (0..30).rev().collect();
        let none = Effort { starts: 1, idle_kicks: 0, target: 0 };
        let (_, length) =
            search(&Costs::new(&instance, &assignment, None), Some(&start), &none, 0, &Limits::default())
                .expect("complete");
        assert!(length as u64 <= instance.tour_length(&start).expect("complete"));
    }
}
