//! The order of search and proof.
//!
//! Cheap things first: the assignment problem, whose solution sometimes is a tour; local search,
//! because a good upper bound makes the proof cheap; under windows dynamic programming, at first as
//! a beam search; then branch and cut. What the relaxation at its root says of arcs guides the
//! search for tours much better than the assignment problem does, so where vertices are many the
//! root comes soon, and populations of tours are bred before it, at it and beside branching.

use super::assignment::assign;
use super::branch_and_cut;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::tours::TourSearch;
use super::window_program::WindowProgram;
use super::windows::Windows;

/// Up to this many vertices dynamic programming under windows needs no help from a relaxation.
const FEW_VERTICES: usize = 12;
/// Widths of that program: to look for a good tour, for a better one, and to be exact.
const FULL_WIDTHS: [usize; 3] = [200, 2_000, 500_000];

/// A shortest tour under windows, for two or more vertices. `known` is a tour to begin with,
/// `target` a bound that is known already.
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
    let target = branch_and_cut::congruence(instance, windows).at_least(target.max(assignment.cost()));
    let tours = TourSearch { instance, windows, assignment: &assignment, seed, limits };
    let best = tours.few(&tours.costs(None), known.as_ref(), target).or(known);
    let mut searched = Searched::new(best, target);
    if !windows.is_empty() && !searched.is_complete() {
        searched = run_program(&tours, searched);
    }
    if searched.is_complete() || limits.reached() {
        return searched;
    }
    branch_and_cut::search(&tours, searched)
}

/// Dynamic programming under windows: exact for a few vertices, and a beam search that finds a tour
/// for more.
fn run_program(tours: &TourSearch, mut searched: Searched) -> Searched {
    let Some(program) = WindowProgram::new(tours.instance, tours.windows, tours.assignment) else {
        return searched;
    };
    let widths: &[usize] =
        if tours.instance.len() <= FEW_VERTICES { &FULL_WIDTHS } else { &FULL_WIDTHS[..1] };
    for &width in widths {
        let found = program.run(searched.best.as_ref(), width, tours.limits);
        searched = searched.with(found);
        if searched.is_complete() || tours.limits.reached() {
            break;
        }
    }
    searched
}
