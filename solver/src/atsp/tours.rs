//! Heuristic search for good tours, on its own and from points of the relaxation.

use super::assignment::Assignment;
use super::bound::ExactBound;
use super::descent::MOST_FOR_KICKS_ALONE;
use super::found::Found;
use super::instance::{Instance, from_vertex_zero};
use super::limits::Limits;
use super::local_search::{Costs, Effort, search};
use super::random::mixed;
use super::windows::Windows;

/// Kicks in vain that all starts of a short and of a long search together may cost.
const FEW_KICKS: usize = 6_000;
const MANY_KICKS: usize = 30_000;
/// Kicks in vain per vertex that end the search for a tour that is to be merged.
const QUICK_KICKS: usize = 2;
/// One change for so many vertices makes a tour different.
const VERTICES_PER_SHAKE: usize = 10;

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

    /// A tour shorter than the best one so far, if one to four starts find one. Where vertices are many only one is
    /// made: what relaxations teach is worth more.
    pub(crate) fn few(&self, costs: &Costs, best: Option<&Found>, target: i64) -> Option<Found> {
        if self.instance.len() > MOST_FOR_KICKS_ALONE {
            let effort = Effort { starts: 1, idle_kicks: self.idle_kicks(), target, shakes: 0 };
            return self.run(costs, best.map(|best| best.tour.as_slice()), best, &effort);
        }
        self.starts(costs, best, FEW_KICKS.div_ceil(self.idle_kicks()).min(4), target)
    }

    /// The same with more starts.
    pub(crate) fn many(&self, costs: &Costs, best: Option<&Found>, target: i64) -> Option<Found> {
        self.starts(costs, best, MANY_KICKS.div_ceil(self.idle_kicks()), target)
    }

    /// Kicks in vain that end a start.
    pub(crate) fn idle_kicks(&self) -> usize {
        Effort::idle_kicks(self.instance.len())
    }

    fn starts(&self, costs: &Costs, best: Option<&Found>, starts: usize, target: i64) -> Option<Found> {
        let effort = Effort { starts, idle_kicks: self.idle_kicks(), target, shakes: 0 };
        self.run(costs, best.map(|best| best.tour.as_slice()), best, &effort)
    }

    /// Another good tour; rounds lead to different ones. Every other one comes from the best tour, changed in many places, the rest do not depend
    /// on it.
    pub(crate) fn another(&self, costs: &Costs, best: &Found, round: u64) -> Option<Found> {
        let n = self.instance.len();
        let is_changed = round % 2 == 1;
        let start = is_changed.then_some(best.tour.as_slice());
        let shakes = if is_changed { n / VERTICES_PER_SHAKE } else { 0 };
        let effort = Effort { starts: 1, shakes, idle_kicks: QUICK_KICKS * n, target: 0 };
        let (tour, _) = search(costs, start, &effort, mixed(self.seed ^ (round + 1)), self.limits)?;
        let length = self.windows.tour_length(self.instance, &tour)?;
        Some(Found { tour, length })
    }

    /// A tour from one that agrees with a fractional point as far as possible.
    pub(crate) fn near(
        &self,
        costs: &Costs,
        support: &[(usize, usize, f64)],
        idle_kicks: usize,
        target: i64,
    ) -> Option<Found> {
        let effort = Effort { starts: 1, idle_kicks, target, shakes: 0 };
        self.run(costs, Some(&costs.tour_near(support)), None, &effort)
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
