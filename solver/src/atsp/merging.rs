//! Merging of two tours, or of a tour and a relaxation: the best tour that keeps all arcs in which they agree.
//!
//! Good tours of an instance have most arcs in common, and the best tour has most of these, too. Paths of common arcs become single
//! vertices; what is left is a small instance, which branch and cut solves (tour merging; W. Cook, P. Seymour, INFORMS Journal on Computing
//! 15, 2003). Arcs that a
//! relaxation uses wholly serve as well as those of a second tour (relaxation induced neighbourhoods; E. Danna, E. Rothberg, C. Le Pape, Mathematical
//! Programming 102, 2005). As arcs have directions, nothing is lost by contracting a path: it is entered at its beginning and left at its end.

use super::branch_and_cut::{self, Effort};
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance, tour_arcs};
use super::restriction::Arc;
use super::tours::TourSearch;
use super::windows::Windows;
use super::{assignment, instance};

/// Fewest vertices left that are worth a search.
const FEWEST: usize = 4;
/// Most vertices left that are.
const MOST: usize = 250;

/// An instance whose vertices are paths of another one.
#[derive(Clone, Debug)]
struct Contracted {
    instance: Instance,
    paths: Vec<Vec<usize>>,
    /// Length of the paths.
    inside: i64,
}

/// A tour shorter than the best one, if one is found with all its arcs that are among the others: those of another tour, or those that a relaxation
/// wants. `matrix` holds costs of the arcs that it may use beside all these; `target` cannot be beaten.
pub(crate) fn merge(
    tours: &TourSearch,
    matrix: &[i64],
    best: &Found,
    others: impl Iterator<Item = Arc>,
    target: i64,
) -> Option<Found> {
    let contracted = Contracted::new(tours.instance, matrix, &best.tour, others)?;
    let small = &contracted.instance;
    let assignment = assignment::assign(small)?;
    let windows = Windows::new(small, &[]);
    let inner = TourSearch { instance: small, windows: &windows, assignment: &assignment, ..*tours };
    let tour = contracted.contracted_tour(&best.tour);
    let known = Found { tour, length: best.length - contracted.inside };
    let target = (target - contracted.inside).max(assignment.cost());
    let found = inner.few(&inner.costs(None), Some(&known), target).unwrap_or(known);
    let mut searched = Searched::new(Some(found), target);
    if !searched.is_complete() && !tours.limits.reached() {
        searched = branch_and_cut::search_with(&inner, searched, Effort::Small);
    }
    let found = searched.best?;
    let length = found.length + contracted.inside;
    (length < best.length).then(|| Found { tour: contracted.expanded(&found.tour), length })
}

impl Contracted {
    /// Contracts the arcs of the tour that are among the others, of which at most one leaves each vertex; none where too few or too many vertices
    /// are left.
    fn new(
        instance: &Instance,
        matrix: &[i64],
        tour: &[usize],
        others: impl Iterator<Item = Arc>,
    ) -> Option<Self> {
        let n = instance.len();
        let mut successors = [vec![n; n], vec![n; n]];
        tour_arcs(tour).for_each(|(from, to)| successors[0][from] = to);
        others.for_each(|(from, to)| successors[1][from] = to);
        let paths = common_paths(tour, |from, to| successors[1][from] == to);
        if !(FEWEST..=MOST).contains(&paths.len()) {
            return None;
        }
        let inside =
            paths.iter().flat_map(|path| path.windows(2)).map(|arc| instance.arc(arc[0], arc[1])).sum();
        let ends: Vec<(usize, usize)> = paths.iter().map(|path| (path[0], path[path.len() - 1])).collect();
        let small = Instance::new(paths.len(), |from, to| {
            let (tail, head) = (ends[from].1, ends[to].0);
            let is_allowed = matrix[tail * n + head] != FORBIDDEN
                || successors.iter().any(|successor| successor[tail] == head);
            instance.cost(tail, head).filter(|_| is_allowed)
        });
        Some(Self { instance: small, paths, inside })
    }

    /// The tour over the paths, where it keeps them whole.
    fn contracted_tour(&self, tour: &[usize]) -> Vec<usize> {
        let mut path_of = vec![None; tour.len()];
        for (index, path) in self.paths.iter().enumerate() {
            path_of[path[0]] = Some(index);
        }
        instance::from_vertex_zero(tour.iter().filter_map(|&vertex| path_of[vertex]).collect())
    }

    fn expanded(&self, tour: &[usize]) -> Vec<usize> {
        instance::from_vertex_zero(tour.iter().flat_map(|&path| self.paths[path].iter().copied()).collect())
    }
}

/// The tour cut at its arcs that are not common.
fn common_paths(tour: &[usize], is_common: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let arcs: Vec<(usize, usize)> = tour_arcs(tour).collect();
    let Some(cut) = arcs.iter().position(|&(from, to)| !is_common(from, to)) else { return Vec::new() };
    let mut paths = Vec::new();
    let mut path = Vec::new();
    for &(from, to) in arcs[cut + 1..].iter().chain(&arcs[..=cut]) {
        path.push(from);
        if !is_common(from, to) {
            paths.push(std::mem::take(&mut path));
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::super::dynamic_program::shortest_tour;
    use super::super::limits::Limits;
    use super::super::random::Random;
    use super::super::test_support::{brute_force, closure_instance, random_instance};
    use super::*;
    use assignment::assign;
    use instance::is_permutation;

    fn merged(instance: &Instance, matrix: &[i64], best: &Found, other: &[usize]) -> Option<Found> {
        let windows = Windows::new(instance, &[]);
        let assignment = assign(instance).expect("complete");
        let limits = Limits::default();
        let tours =
            TourSearch { instance, windows: &windows, assignment: &assignment, seed: 3, limits: &limits };
        merge(&tours, matrix, best, tour_arcs(other), 0)
    }

    fn found(instance: &Instance, tour: &[usize]) -> Found {
        let length = instance.tour_length(tour).expect("complete") as i64;
        Found { tour: tour.to_vec(), length }
    }

    /// Two tours that agree in nothing leave the whole instance, and the best of two is the best of all.
    #[test]
    fn tours_without_common_arcs_lead_to_the_shortest_one() {
        for seed in 0..20 {
            let n = 7;
            let instance = random_instance(n, 20, 0, seed);
            let best = found(&instance, &(0..n).collect::<Vec<_>>());
            let backward: Vec<usize> = (0..n).rev().collect();
            let merged = merged(&instance, instance.matrix(), &best, &backward);
            let length = merged.map_or(best.length, |merged| merged.length);
            assert_eq!(Some(length as u64), brute_force(&instance), "seed {seed}");
        }
    }

    /// What comes out is a shorter tour with all common arcs.
    #[test]
    fn common_arcs_are_kept() {
        let mut shorter = 0;
        for seed in 0..40 {
            let (n, mut random) = (11, Random::new(seed));
            let instance = closure_instance(n, true, seed);
            let best: Vec<usize> = (0..n).collect();
            let mut other = best.clone();
            random.shuffle(&mut other[3..]);
            let Some(merged) = merged(&instance, instance.matrix(), &found(&instance, &best), &other) else {
                continue;
            };
            assert!(is_permutation(&merged.tour, n));
            assert_eq!(instance.tour_length(&merged.tour), Some(merged.length as u64));
            assert!(merged.length < found(&instance, &best).length);
            assert!(
                merged.length as u64
                    >= shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour)).expect("a tour")
            );
            let arcs: Vec<_> = tour_arcs(&merged.tour).collect();
            let others: Vec<_> = tour_arcs(&other).collect();
            assert!(tour_arcs(&best).filter(|arc| others.contains(arc)).all(|arc| arcs.contains(&arc)));
            shorter += 1;
        }
        assert!(shorter > 20, "{shorter}");
    }

    /// Arcs that are excluded are used only where one of the two tours uses them.
    #[test]
    fn excluded_arcs_stay_excluded() {
        let n = 8;
        let instance = random_instance(n, 20, 0, 5);
        let best: Vec<usize> = (0..n).collect();
        let other: Vec<usize> = (0..n).rev().collect();
        let nothing = vec![FORBIDDEN; n * n];
        let merged = merged(&instance, &nothing, &found(&instance, &best), &other);
        let allowed: Vec<_> = tour_arcs(&best).chain(tour_arcs(&other)).collect();
        let tour = merged.map_or(best.clone(), |merged| merged.tour);
        assert!(tour_arcs(&tour).all(|arc| allowed.contains(&arc)));
    }
}
