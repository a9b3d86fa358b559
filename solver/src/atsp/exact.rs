//! The order of search and proof.
//!
//! Cheap things first: the assignment problem, whose solution sometimes is a tour; local search, because a good
//! upper bound makes the proof cheap; then branch and cut.

use super::assignment::assign;
use super::branch_and_cut;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::tours::TourSearch;
use super::window_program::WindowProgram;
use super::windows::Windows;

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
    let best = tours.few(&tours.costs(None), known.as_ref(), target).or(known);
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
    branch_and_cut::search(&tours, searched)
}
