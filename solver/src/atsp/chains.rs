//! Orders that are not cyclic tours: one path with given ends, and several paths.
//!
//! Both become a tour by a *depot*, vertex 0, that stands for "end here and begin anew". The items
//! to order are the vertices `1..=n`.
//!
//! One path: `c(depot, j) = d(Init, j)` and `c(i, depot) = d(i, Final)`; a free end costs 0.
//!
//! Several paths: ending a path and beginning another one between i and j costs `d(i, Final) + R +
//! d(Init, j)`, so `c'(i, j) = min(d(i, j), d(i, Final) + R + d(Init, j))`. With R above any total
//! length, the shortest tour has the fewest paths, and least total length among those; with a
//! smaller R, breaks are traded against length.

use super::instance::{Instance, MAX_COST};

/// The tour instance of one path through the items `0..n`. `from_init(j)`, `to_final(i)` and
/// `between(i, j)` are distances; `None` where there is no way. A free beginning or end is a
/// distance of 0.
///
/// # Panics
/// If a distance exceeds [`MAX_COST`].
pub fn open_path(
    n: usize,
    mut from_init: impl FnMut(usize) -> Option<u64>,
    mut to_final: impl FnMut(usize) -> Option<u64>,
    mut between: impl FnMut(usize, usize) -> Option<u64>,
) -> Instance {
    Instance::new(n + 1, |from, to| match (from, to) {
        (0, item) => from_init(item - 1),
        (item, 0) => to_final(item - 1),
        (item, next) => between(item - 1, next - 1),
    })
}

/// The items in the order of a tour of [`open_path`]. The tour begins at the depot.
pub fn path_of_tour(tour: &[usize]) -> Vec<usize> {
    tour.iter().skip(1).map(|&vertex| vertex - 1).collect()
}

/// What it costs to end one path and begin another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakCost {
    /// More than any total length: as few paths as possible, then least total length.
    FewestPaths,
    /// This much per break.
    Fixed(u64),
}

/// Several paths through the items `0..n` that together visit each item once.
#[derive(Clone, Debug)]
pub struct SeveralChains {
    instance: Instance,
    /// Row by row over vertices: whether the arc between two items ends a path and begins another.
    is_break: Vec<bool>,
    break_cost: u64,
}

/// The distances do not fit: the cost of a break that exceeds every total length would exceed
/// [`MAX_COST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("arc costs of {0} exceed the supported {MAX_COST}")]
pub struct CostTooGreat(pub u64);

/// The tour instance of several paths. Parameters as for [`open_path`].
///
/// # Errors
/// [`CostTooGreat`] where a cost would exceed [`MAX_COST`].
pub fn several_chains(
    n: usize,
    from_init: impl Fn(usize) -> Option<u64>,
    to_final: impl Fn(usize) -> Option<u64>,
    between: impl Fn(usize, usize) -> Option<u64>,
    break_cost: BreakCost,
) -> Result<SeveralChains, CostTooGreat> {
    let detour = |from: usize, to: usize| Some(to_final(from)? + from_init(to)?);
    let break_cost = match break_cost {
        BreakCost::Fixed(cost) => cost,
        BreakCost::FewestPaths => 1 + greatest_total(n, &from_init, &to_final, &between, detour),
    };
    let mut is_break = vec![false; (n + 1) * (n + 1)];
    let mut greatest = break_cost;
    let mut joined = |from: usize, to: usize| {
        let direct = between(from, to);
        let broken = detour(from, to).map(|cost| cost + break_cost);
        let breaks = broken.is_some_and(|broken| direct.is_none_or(|direct| broken < direct));
        is_break[(from + 1) * (n + 1) + to + 1] = breaks;
        let cost = if breaks { broken } else { direct };
        greatest = greatest.max(cost.unwrap_or(0));
        cost.map(|cost| cost.min(MAX_COST))
    };
    let instance = open_path(n, &from_init, &to_final, &mut joined);
    if greatest > MAX_COST {
        return Err(CostTooGreat(greatest));
    }
    Ok(SeveralChains { instance, is_break, break_cost })
}

/// Sum over the vertices of the dearest way to leave them (breaks not counted): no set of paths is
/// longer.
fn greatest_total(
    n: usize,
    from_init: impl Fn(usize) -> Option<u64>,
    to_final: impl Fn(usize) -> Option<u64>,
    between: impl Fn(usize, usize) -> Option<u64>,
    detour: impl Fn(usize, usize) -> Option<u64>,
) -> u64 {
    let leaving = |from: usize| {
        let others = (0..n).filter(|&to| to != from);
        let costs = others.flat_map(|to| [between(from, to), detour(from, to)]);
        costs.chain([to_final(from)]).flatten().max().unwrap_or(0)
    };
    (0..n).filter_map(&from_init).max().unwrap_or(0) + (0..n).map(leaving).sum::<u64>()
}

impl SeveralChains {
    /// The instance to solve.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Cost of one break in the instance.
    pub fn break_cost(&self) -> u64 {
        self.break_cost
    }

    /// The paths that a tour of the instance stands for, in its order. The tour begins at the
    /// depot. No items: no paths.
    pub fn paths_of_tour(&self, tour: &[usize]) -> Vec<Vec<usize>> {
        let n = self.instance.len();
        let items = tour.get(1..).unwrap_or(&[]);
        let paths = items.chunk_by(|&from, &to| !self.is_break[from * n + to]);
        paths.map(|path| path.iter().map(|&vertex| vertex - 1).collect()).collect()
    }

    /// Total length of the paths of a tour of this length.
    pub fn total_length(&self, tour: &[usize], tour_length: u64) -> u64 {
        tour_length - self.break_cost * (self.paths_of_tour(tour).len().max(1) - 1) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{closure_instance, permutations};
    use super::super::{Options, solve};
    use super::*;

    #[test]
    fn one_path_has_its_fixed_ends() {
        let between = |from: usize, to: usize| Some([[0, 5, 1], [1, 0, 9], [9, 1, 0]][from][to]);
        let instance = open_path(3, |item| [Some(4), None, Some(2)][item], |_| Some(0), between);
        let solution = solve(&instance, &Options::default()).expect("a feasible instance");
        assert_eq!((path_of_tour(&solution.tour), solution.length), (vec![2, 1, 0], 4));
    }

    #[test]
    fn no_items_make_no_paths() {
        let chains =
            several_chains(0, |_| None, |_| None, |_, _| None, BreakCost::FewestPaths).expect("fits");
        assert!(chains.paths_of_tour(&[0]).is_empty());
    }

    #[test]
    fn costs_that_do_not_fit_are_refused() {
        let huge = several_chains(2, |_| Some(MAX_COST), |_| Some(0), |_, _| Some(1), BreakCost::FewestPaths);
        assert!(huge.is_err());
        let fixed =
            several_chains(2, |_| Some(1), |_| Some(0), |_, _| Some(1), BreakCost::Fixed(MAX_COST + 1));
        assert_eq!(fixed.err(), Some(CostTooGreat(MAX_COST + 1)));
    }

    /// Fewest paths, then least total length, over all orders and all ways to cut them.
    fn best_by_hand(distances: &Instance, break_cost: Option<u64>) -> Option<(usize, u64)> {
        let n = distances.len();
        let mut best: Option<(u64, usize, u64)> = None;
        for order in permutations(n) {
            for cuts in 0..1usize << (n - 1) {
                let begins = |k: usize| k == 0 || cuts >> (k - 1) & 1 == 1;
                let length = |k: usize| {
                    if begins(k) { Some(3 + order[k] as u64) } else { distances.cost(order[k - 1], order[k]) }
                };
                let paths = 1 + cuts.count_ones() as usize;
                if let Some(total) = (0..n).map(length).sum::<Option<u64>>() {
                    let key =
                        break_cost.map_or(paths as u64 * 100_000, |cost| cost * (paths as u64 - 1)) + total;
                    best = best.min(Some((key, paths, total))).or(Some((key, paths, total)));
                }
            }
        }
        best.map(|(_, paths, total)| (paths, total))
    }

    #[test]
    fn several_paths_equal_brute_force() {
        let mut several = 0;
        for seed in 0..60 {
            let n = 2 + seed as usize % 5;
            let distances = closure_instance(n, false, seed);
            for break_cost in [None, Some(0), Some(7)] {
                let kind = break_cost.map_or(BreakCost::FewestPaths, BreakCost::Fixed);
                let from_init = |item: usize| Some(3 + item as u64);
                let between = |from: usize, to: usize| distances.cost(from, to);
                let chains = several_chains(n, from_init, |_| Some(0), between, kind).expect("fits");
                let solution =
                    solve(chains.instance(), &Options::default()).expect("breaks make all orders possible");
                let paths = chains.paths_of_tour(&solution.tour);
                let total = chains.total_length(&solution.tour, solution.length);
                let (best_paths, best_total) = best_by_hand(&distances, break_cost).expect("an order exists");
                let price = |paths: usize, total: u64| chains.break_cost() * paths as u64 + total;
                assert_eq!(price(paths.len(), total), price(best_paths, best_total), "seed {seed}");
                several += usize::from(paths.len() > 1);
            }
        }
        assert!(several > 20);
    }
}
