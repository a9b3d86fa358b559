//! Tours of several chains in which a vertex may exclude others for the rest of its chain.
//!
//! The first vertices of the instance are depots; a tour through them is a set of chains. That one
//! vertex never comes after another, at any distance, is more than a missing arc between the two:
//! with others between them every arc may exist. This is the precedence of the sequential ordering
//! problem (L. F. Escudero, European Journal of Operational Research 37 (1988)), for each chain
//! alone.

use super::assignment::assign;
use super::found::Searched;
use super::instance::{FORBIDDEN, Instance};
use super::path_costs::{WarmStart, outcome, solve_with_path_costs_from};
use super::window_program::{MAX_TABLE_VERTICES, WindowProgram};
use super::windows::Windows;
use super::{Failure, Options, PathCost, Solution};

/// Widths of the dynamic program: to look for a good tour, and to be exact.
const WIDTHS: [usize; 3] = [200, 5_000, 300_000];

/// Which vertices never stand behind which others in one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusions {
    depots: usize,
    never_later: Vec<u64>,
}

impl Exclusions {
    /// `excludes(a, b)` says that b never stands behind a in a chain, for the vertices after the
    /// depots. `None` where nothing is excluded, or where there are more vertices than the exact
    /// program takes: then missing arcs have to do.
    #[must_use]
    pub fn new(vertices: usize, depots: usize, excludes: impl Fn(usize, usize) -> bool) -> Option<Self> {
        if vertices > MAX_TABLE_VERTICES || depots == 0 {
            return None;
        }
        let behind = |a: usize| {
            let others = (depots..vertices).filter(|&b| a >= depots && a != b && excludes(a, b));
            others.fold(0, |set, b| set | 1 << b)
        };
        let never_later: Vec<u64> = (0..vertices).map(behind).collect();
        never_later.iter().any(|&set| set != 0).then_some(Self { depots, never_later })
    }

    /// Vertices that may not follow in the chain, after it has gone on to `vertex`; those that were
    /// so before are `excluded`. `None` where the vertex is one of them. Depots are alike, so they
    /// are passed in the order of their numbers.
    pub(crate) fn after(&self, excluded: u64, vertex: usize) -> Option<u64> {
        match vertex < self.depots {
            true if excluded >> vertex & 1 == 1 => None,
            true => Some((vertex + 2..self.depots).fold(0, |set, later| set | 1 << later)),
            false => (excluded >> vertex & 1 == 0).then_some(excluded | self.never_later[vertex]),
        }
    }

    /// What is excluded at the first depot, where every tour begins.
    pub(crate) fn at_start(&self) -> u64 {
        self.after(0, 0).unwrap_or(0)
    }
}

/// The shortest tour under path costs in which no chain holds a vertex behind one that excludes it.
/// Path costs must not have a depot strictly inside.
///
/// # Errors
/// As for [`solve`](super::solve).
pub fn solve_chains(
    instance: &Instance,
    path_costs: &[PathCost],
    exclusions: &Exclusions,
    warm_start: &WarmStart,
    options: &Options,
) -> Result<Solution, Failure> {
    let windows = Windows::new(instance, path_costs);
    let Some(assignment) = assign(instance) else { return Err(Failure::Infeasible) };
    let Some(program) = WindowProgram::from_depot(instance, &windows, &assignment, exclusions) else {
        return solve_with_path_costs_from(instance, path_costs, warm_start, options);
    };
    let known = i64::try_from(warm_start.lower_bound).unwrap_or(FORBIDDEN).min(FORBIDDEN - 1);
    let mut searched = Searched::new(None, known.max(assignment.cost()));
    let limits = options.limits();
    for width in WIDTHS {
        let found = program.run(searched.best.as_ref(), width, &limits);
        searched = searched.with(found);
        if searched.is_complete() || limits.reached() {
            return outcome(searched);
        }
    }
    // Tours that ignore the exclusions are at least bounded from below by more than the program.
    let warm_start = WarmStart { lower_bound: searched.lower_bound as u64, ..warm_start.clone() };
    match (solve_with_path_costs_from(instance, path_costs, &warm_start, options), searched.best.is_some()) {
        (Ok(relaxed), true) => outcome(Searched::new(searched.best, relaxed.lower_bound as i64)),
        (Err(Failure::Stopped { .. }), true) => outcome(searched),
        (relaxed, _) => relaxed,
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::test_support::{brute_force_with, random_instance, random_windows};
    use super::*;

    /// Whether no chain of the tour holds a vertex behind one that excludes it.
    fn is_allowed(tour: &[usize], depots: usize, excludes: impl Fn(usize, usize) -> bool) -> bool {
        let chains = tour.split(|&vertex| vertex < depots);
        let mut pairs = chains.flat_map(|chain| {
            (0..chain.len()).flat_map(move |at| chain[at + 1..].iter().map(move |&b| (chain[at], b)))
        });
        pairs.all(|(a, b)| !excludes(a, b))
    }

    #[test]
    fn equals_brute_force() {
        let mut random = Random::new(5);
        let (mut solved, mut infeasible, mut dearer) = (0, 0, 0);
        for seed in 0..400 {
            let n = 4 + seed as usize % 4;
            let depots = 1 + seed as usize % 3;
            let instance = random_instance(n, 15, [0, 20][seed as usize % 2], seed);
            let mut path_costs = random_windows(n, 10, &mut random);
            // What speaks of one depot must speak of all: depots are alike.
            path_costs.retain(|window| window.vertices.iter().all(|&vertex| vertex >= depots));
            let alike = Instance::new(n, |from, to| {
                let one = |vertex: usize| if vertex < depots { 0 } else { vertex };
                if from < depots && to < depots {
                    return None;
                }
                (one(from) != one(to)).then(|| instance.cost(one(from), one(to))).flatten()
            });
            let set: Vec<bool> = (0..n * n).map(|_| random.below(6) == 0).collect();
            let excludes = |a: usize, b: usize| set[a * n + b];
            let Some(exclusions) = Exclusions::new(n, depots, excludes) else { continue };
            let windows = Windows::new(&alike, &path_costs);
            let measure = |tour: &[usize]| windows.tour_length(&alike, tour).map(|length| length as u64);
            let expected = brute_force_with(&alike, |tour| {
                let begins_at_depot = tour[0] == 0;
                measure(tour).filter(|_| begins_at_depot && is_allowed(tour, depots, excludes))
            });
            let free = brute_force_with(&alike, measure);
            dearer += usize::from(free.is_some() && free != expected);
            let found =
                solve_chains(&alike, &path_costs, &exclusions, &WarmStart::default(), &Options::default());
            match (found, expected) {
                (Ok(solution), Some(expected)) => {
                    solved += 1;
                    assert!(solution.optimal, "seed {seed}");
                    assert_eq!((solution.length, solution.lower_bound), (expected, expected), "seed {seed}");
                    assert_eq!(measure(&solution.tour), Some(expected), "seed {seed}");
                    assert!(is_allowed(&solution.tour, depots, excludes), "seed {seed}");
                }
                (Err(Failure::Infeasible), None) => infeasible += 1,
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        assert!(solved > 50 && infeasible > 20 && dearer > 50, "{solved} {infeasible} {dearer}");
    }
}
