//! Claims that follow from distances between goals: no order of the goals is shorter than the
//! [tour](checker::tour) bound.
//!
//! Distances come from graphs, each of which may know some of the goals only, and from
//! [queries](super::apart). All are lower bounds, so the greatest one holds.

use super::claims::Claim;
use super::judge::Judge;
use super::manifest::Leg;
use checker::legs::Legs;
use checker::tour::{self, MOST_VERTICES, Matrix};

/// Bounds of all distances between the goals covered.
pub(super) struct Distances<'g> {
    covered: &'g [String],
    legs: Legs,
}

impl<'g> Distances<'g> {
    /// Of goals of which nothing is known but the lengths of their windows, given among all goals
    /// of the system.
    ///
    /// # Errors
    /// Where the system does not have one of them.
    pub(super) fn new(goals: &[(String, u32)], covered: &'g [String]) -> Result<Self, String> {
        let window = |goal: &String| {
            let found = goals.iter().find(|(name, _)| name == goal).map(|&(_, steps)| steps);
            found.ok_or_else(|| format!("the system has no goal {goal}"))
        };
        let windows = covered.iter().map(window).collect::<Result<Vec<u32>, String>>()?;
        Ok(Self { covered, legs: Legs::of_windows(&windows) })
    }

    /// Learns the distances on a graph.
    pub(super) fn raise_by_graph(&mut self, judge: &Judge<'_>) {
        let (places, legs) = judge.legs();
        self.legs.raise_all(legs, places);
    }

    /// Learns one distance; one between other goals is of no use.
    pub(super) fn raise(&mut self, leg: &Leg) {
        let place = |goal: &Option<String>| match goal {
            None => Some(None),
            Some(goal) => self.covered.iter().position(|covered| covered == goal).map(Some),
        };
        if let Some((from, to)) = place(&leg.from).zip(place(&leg.to)) {
            self.legs.raise(from, to, leg.steps);
        }
    }

    /// The matrix of tours of so many chains, or with a price of each further chain.
    ///
    /// # Errors
    /// Where there are too many vertices.
    pub(super) fn matrix(&self, chains: usize, reset: Option<u32>) -> Result<Matrix, String> {
        let vertices = chains.checked_add(self.covered.len());
        if chains == 0 || vertices.is_none_or(|vertices| vertices > MOST_VERTICES) {
            return Err(format!("orders are bounded for 1 to {MOST_VERTICES} goals and chains"));
        }
        Ok(self.legs.matrix(chains, reset))
    }

    /// What a certificate shows that no tour through the matrix of so many chains is shorter than a
    /// bound.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn shown(
        &self,
        (chains, reset): (usize, Option<u32>),
        bound: u64,
        certificate: &str,
    ) -> Result<Claim, String> {
        let matrix = self.matrix(chains, reset)?;
        tour::check(&matrix, bound, certificate).map_err(|why| why.to_string())?;
        Ok(match reset {
            Some(reset) => Claim::Cost { reset: u64::from(reset), cost: bound },
            None if bound >= matrix.more_than_any_tour() => Claim::FewestChains { chains: chains + 1 },
            None => Claim::Length { chains, steps: bound },
        })
    }
}
