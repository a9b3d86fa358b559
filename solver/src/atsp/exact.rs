//! The order of search and proof.
//!
//! Cheap things first: the assignment problem, whose solution sometimes is a tour; local search, because a good
//! upper bound makes the proof cheap; then branch and cut.

use super::assignment::{Assignment, assign};
use super::branch_and_bound::{Found, Searched};
use super::branch_and_cut;
use super::instance::{FORBIDDEN, Instance, from_vertex_zero};
use super::limits::Limits;
use super::local_search::{self, Effort};
use super::windows::Windows;

/// Starts of the local search before the relaxation is solved, and after it.
const FIRST_STARTS: usize = 4;
const MORE_STARTS: usize = 40;

/// A shortest tour under windows, beginning with a tour that is known, for two or more vertices.
pub(crate) fn search(
    instance: &Instance,
    windows: &Windows,
    known: Option<Found>,
    seed: u64,
    limits: &Limits,
) -> Searched {
    let Some(assignment) = assign(instance) else {
        return Searched { best: None, lower_bound: FORBIDDEN };
    };
    let tours = TourSearch { instance, windows, assignment: &assignment, seed, limits };
    let best = tours.better(known.as_ref(), FIRST_STARTS, assignment.cost()).or(known);
    if let Some(best) = best.as_ref().filter(|best| best.length == assignment.cost()) {
        return Searched { lower_bound: best.length, best: Some(best.clone()) };
    }
    let improve = |bound: i64, best: Option<&Found>| tours.better(best, MORE_STARTS, bound);
    branch_and_cut::search(instance, windows, best, improve, seed, limits)
}

/// Heuristic search for tours.
struct TourSearch<'a> {
    instance: &'a Instance,
    windows: &'a Windows,
    assignment: &'a Assignment,
    seed: u64,
    limits: &'a Limits,
}

impl TourSearch<'_> {
    /// A tour shorter than the best one so far, if the search finds one.
    fn better(&self, best: Option<&Found>, starts: usize, target: i64) -> Option<Found> {
        let effort = Effort { starts, idle_kicks: Effort::idle_kicks(self.instance.len()), target };
        let start = best.map(|best| best.tour.as_slice());
        let (tour, _) =
            local_search::search(self.instance, self.assignment, start, &effort, self.seed, self.limits)?;
        let length = self.windows.tour_length(self.instance, &tour)?;
        let is_better = best.is_none_or(|best| length < best.length);
        is_better.then(|| Found { tour: from_vertex_zero(tour), length })
    }
}
