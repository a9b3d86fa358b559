//! Heuristic search for good tours, on its own and from points of the relaxation.

use super::assignment::Assignment;
use super::bound::ExactBound;
use super::found::Found;
use super::instance::{Instance, from_vertex_zero};
use super::limits::Limits;
use super::local_search::{Costs, Effort, search};
use super::windows::Windows;

/// Kicks in vain that many starts together may cost.
const MANY_KICKS: usize = 60_000;

/// What stays the same between searches.
pub(crate) struct TourSearch<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) windows: &'a Windows,
    pub(crate) assignment: &'a Assignment,
    pub(crate) seed: u64,
    pub(crate) limits: &'a Limits,
}

impl TourSearch<'_> {
    /// Arc costs for local search, with candidates as the guide has it.
    pub(crate) fn costs(&self, guide: Option<&ExactBound>) -> Costs {
        Costs::new(self.instance, self.assignment, guide)
    }

    /// A tour shorter than the best one so far, if a few starts find one.
    pub(crate) fn first(
        &self,
        costs: &Costs,
        best: Option<&Found>,
        starts: usize,
        target: i64,
    ) -> Option<Found> {
        let effort = Effort { starts, idle_kicks: Effort::idle_kicks(self.instance.len()), target };
        self.run(costs, best.map(|best| best.tour.as_slice()), best, &effort)
    }

    /// The same with many starts.
    pub(crate) fn many(&self, costs: &Costs, best: Option<&Found>, target: i64) -> Option<Found> {
        let starts = (MANY_KICKS / Effort::idle_kicks(self.instance.len())).clamp(4, 40);
        self.first(costs, best, starts, target)
    }

    /// The same from a tour that agrees with a fractional point as far as possible.
    pub(crate) fn near(
        &self,
        costs: &Costs,
        support: &[(usize, usize, f64)],
        best: Option<&Found>,
        idle_kicks: usize,
        target: i64,
    ) -> Option<Found> {
        let effort = Effort { starts: 1, idle_kicks, target };
        self.run(costs, Some(&costs.tour_near(support)), best, &effort)
    }

    fn run(
        &self,
        costs: &Costs,
        start: Option<&[usize]>,
        best: Option<&Found>,
        effort: &Effort,
    ) -> Option<Found> {
        let (tour, _) = search(costs, start, effort, self.seed, self.limits)?;
        let length = self.windows.tour_length(self.instance, &tour)?;
        let is_better = best.is_none_or(|best| length < best.length);
        is_better.then(|| Found { tour: from_vertex_zero(tour), length })
    }
}
