//! The order of search and proof.
//!
//! Cheap things first: the assignment problem, whose solution sometimes is a tour; local search, because a good
//! upper bound makes the proof cheap; then branch and cut.

use super::assignment::{Assignment, assign};
use super::branch_and_cut;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance, from_vertex_zero};
use super::limits::Limits;
use super::local_search::{self, Effort};
use super::window_program::WindowProgram;
use super::windows::Windows;

/// Starts of the local search before the relaxation is solved, and after it.
const FIRST_STARTS: usize = 4;
const MORE_STARTS: usize = 40;
/// Width of the program under windows that looks for a good tour.
const BEAM_WIDTH: usize = 200;
/// Steps that the program under windows that tries to be exact may take.
const PROGRAM_STEPS: usize = 50_000_000;

/// A shortest tour under windows, for two or more vertices. `known` is a tour to begin with, `target` a bound that is known already.
pub(crate) fn search(
    instance: &Instance,
    windows: &Windows,
    known: Option<Found>,
    target: i64,
    seed: u64,
    limits: &Limits,
) -> Searched {
    let Some(assignment) = assign(instance) else {
        return Searched { best: None, lower_bound: FORBIDDEN };
    };
    let target = target.max(assignment.cost());
    let tours = TourSearch { instance, windows, assignment: &assignment, seed, limits };
    let best = tours.better(known.as_ref(), FIRST_STARTS, target).or(known);
    let mut searched = Searched::new(best, target);
    if !searched.is_complete()
        && !windows.is_empty()
        && let Some(program) = WindowProgram::new(instance, windows, &assignment)
    {
        for width in [BEAM_WIDTH, 10 * BEAM_WIDTH, PROGRAM_STEPS / (instance.len() * instance.len())] {
            let found = program.run(searched.best.as_ref(), width, limits);
            searched = searched.with(found);
            if searched.is_complete() || limits.reached() {
                break;
            }
        }
    }
    if searched.is_complete() || limits.reached() {
        return searched;
    }
    let improve = |bound: i64, best: Option<&Found>| tours.better(best, MORE_STARTS, bound);
    branch_and_cut::search(instance, windows, searched, improve, seed, limits)
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
