//! Heuristic search for good tours, on its own and from points of the relaxation.

use super::assignment::Assignment;
use super::bound::ExactBound;
use super::descent::MOST_FOR_KICKS_ALONE;
use super::found::Found;
use super::instance::{Instance, from_vertex_zero};
use super::limits::Limits;
use super::local_search::{Costs, Effort, search};
use super::population::{Breeding, breed};
use super::random::mixed;
use super::windows::Windows;

/// Kicks in vain that all starts of a short and of a long search together may cost.
const FEW_KICKS: usize = 6_000;
const MANY_KICKS: usize = 30_000;
/// Tours of a small and of a large population.
const FEW_TOURS: usize = 100;
const MANY_TOURS: usize = 150;
/// Kicks of each tour of every other population beforehand: what better tours to begin with spare
/// in time they cost in variety.
const KICKS: usize = 40;

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

    /// A tour shorter than the best one so far, if one to four starts find one. Where vertices are
    /// many a small population breeds it.
    pub(crate) fn few(&self, costs: &Costs, best: Option<&Found>, target: i64) -> Option<Found> {
        if self.instance.len() > MOST_FOR_KICKS_ALONE {
            return self.bred(costs, best, &[], 0, target);
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
        let effort = Effort { starts, idle_kicks: self.idle_kicks(), target };
        self.run(costs, best.map(|best| best.tour.as_slice()), best, &effort)
    }

    /// A tour shorter than the best one so far that a population breeds, if it does; rounds lead to
    /// different ones. Known tours take part.
    pub(crate) fn bred(
        &self,
        costs: &Costs,
        best: Option<&Found>,
        known: &[&[usize]],
        round: u64,
        target: i64,
    ) -> Option<Found> {
        let tours = if known.is_empty() { FEW_TOURS } else { MANY_TOURS.min(self.instance.len()) };
        let breeding = Breeding { tours, kicks: if round.is_multiple_of(2) { KICKS } else { 0 }, target };
        let (tour, _) = breed(costs, known, &breeding, mixed(self.seed ^ round), self.limits)?;
        self.better(tour, best)
    }

    /// A tour from one that agrees with a fractional point as far as possible.
    pub(crate) fn near(
        &self,
        costs: &Costs,
        support: &[(usize, usize, f64)],
        idle_kicks: usize,
        target: i64,
    ) -> Option<Found> {
        let effort = Effort { starts: 1, idle_kicks, target };
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
        self.better(tour, best)
    }

    /// The tour, if it is shorter under windows than the best one so far.
    fn better(&self, tour: Vec<usize>, best: Option<&Found>) -> Option<Found> {
        let length = self.windows.tour_length(self.instance, &tour)?;
        let is_better = best.is_none_or(|best| length < best.length);
        is_better.then(|| Found { tour: from_vertex_zero(tour), length })
    }
}
