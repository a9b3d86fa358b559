//! Tours under costs of sub-paths.
//!
//! Used in a loop: find the best order, learn what some of its sub-paths truly cost, find the best
//! order again. An order found earlier is a good start, and as long as path costs are only added or
//! raised, a bound proven earlier stays true.

use super::exact::search;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance, from_vertex_zero, is_permutation};
use super::windows::Windows;
use super::{Failure, Options, PathCost, Solution};

/// What an earlier run left. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarmStart {
    /// An order to begin with; ignored where it is no tour of the instance (any more).
    pub tour: Option<Vec<usize>>,
    /// A length that no tour is shorter than, proven for the same instance with the same or fewer
    /// path costs.
    pub lower_bound: u64,
}

/// The shortest tour under path costs. `length` and `lower_bound` are meant under the path costs;
/// see [`PathCost`].
///
/// # Errors
/// As for [`solve`](super::solve).
pub fn solve_with_path_costs(
    instance: &Instance,
    path_costs: &[PathCost],
    options: &Options,
) -> Result<Solution, Failure> {
    solve_with_path_costs_from(instance, path_costs, &WarmStart::default(), options)
}

/// The same, beginning with what an earlier run left.
///
/// # Errors
/// As for [`solve`](super::solve).
pub fn solve_with_path_costs_from(
    instance: &Instance,
    path_costs: &[PathCost],
    warm_start: &WarmStart,
    options: &Options,
) -> Result<Solution, Failure> {
    let windows = Windows::new(instance, path_costs);
    let start = warm_start.tour.as_ref().filter(|tour| is_permutation(tour, instance.len()));
    let best = start
        .and_then(|tour| Some(Found { tour: tour.clone(), length: windows.tour_length(instance, tour)? }));
    if instance.len() < 2 {
        return Ok(Solution {
            tour: (0..instance.len()).collect(),
            length: 0,
            lower_bound: 0,
            optimal: true,
        });
    }
    let known = i64::try_from(warm_start.lower_bound).unwrap_or(FORBIDDEN).min(FORBIDDEN - 1);
    outcome(search(instance, &windows, best, known, options.seed, &options.limits()))
}

/// What a search came to, as callers see it.
pub(crate) fn outcome(searched: Searched) -> Result<Solution, Failure> {
    let lower_bound = searched.lower_bound as u64;
    match searched.best {
        Some(Found { tour, length }) => {
            let lower_bound = lower_bound.min(length as u64);
            let optimal = lower_bound == length as u64;
            Ok(Solution { tour: from_vertex_zero(tour), length: length as u64, lower_bound, optimal })
        }
        None if searched.lower_bound == FORBIDDEN => Err(Failure::Infeasible),
        None => Err(Failure::Stopped { lower_bound }),
    }
}

/// The length of a tour under path costs, as [`solve_with_path_costs`] measures it; `None` where it
/// uses a missing arc or a forbidden sub-path or is no tour of the instance.
pub fn length_with_path_costs(instance: &Instance, path_costs: &[PathCost], tour: &[usize]) -> Option<u64> {
    if !is_permutation(tour, instance.len()) {
        return None;
    }
    Windows::new(instance, path_costs).tour_length(instance, tour).map(|length| length as u64)
}
