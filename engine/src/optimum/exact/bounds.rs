//! Lower bounds: the best plan under all that is known of distances, and parts of the state that
//! change one at a time.

use super::OptimalSearch;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::additive_abstraction::least_steps;
use crate::optimum::order::partition::fewest_chains;
use crate::optimum::order::plan::{Planned, plan};
use crate::provers::distance_engine::DistanceEngine;
use crate::session::Engine;
use crate::session::Session;
use solver::atsp::{self, WarmStart};
use std::time::{Duration, Instant};

impl<O: DistanceEngine> OptimalSearch<'_, '_, O> {
    /// The number of chains and the bound that follow from what is known of distances.
    pub(super) fn raise_bound(&mut self, options: &atsp::Options) {
        let fewest = fewest_chains(&self.goals, |a, b| self.graph.lower(a, b).is_some());
        if fewest > self.chains {
            // What fewer chains need at least says nothing about more of them.
            (self.chains, self.bound) = (fewest, 0);
        }
        let planned = self.session.stage("order", || self.plan(options));
        match planned {
            Planned::Plan(plan) => self.bound = self.bound.max(plan.lower_bound),
            Planned::Unknown { lower_bound } => self.bound = self.bound.max(lower_bound),
            Planned::Impossible => {}
        }
        self.bound = self.bound.max(self.least());
        if self.session.options.reset_cost.is_none() {
            self.session.stage("parts", || self.raise_bound_by_parts(options));
        }
        self.report();
    }

    /// The bound that follows from parts of the state bits that change one at a time.
    fn raise_bound_by_parts(&mut self, options: &atsp::Options) {
        let Some(parts) = &self.parts else { return };
        let groups = parts.groups(&self.goals);
        let steps = least_steps(&groups, self.chains, options);
        if steps > self.bound {
            self.session.record(Engine::Sat, format!("parts of the state change in at least {steps} steps"));
            self.bound = steps;
        }
    }

    /// No set of chains, of any number, costs less: the best tour in which a restart may take the
    /// place of any leg.
    pub(super) fn least_cost(&self, reset: u64) -> u64 {
        if self.goals.is_empty() {
            return 0;
        }
        let distance =
            |a: Vertex, b: Vertex| leg_or_restart(&self.graph, reset, a, b).map(|(steps, _)| steps);
        match plan(
            distance,
            |_, _| false,
            &self.goals,
            &[],
            1,
            &WarmStart::default(),
            &self.plan_options(None),
        ) {
            Planned::Plan(plan) => plan.lower_bound,
            Planned::Unknown { lower_bound } => lower_bound,
            Planned::Impossible => 0,
        }
    }

    /// A bound for any number of chains: the farthest goal must be covered by one of them.
    pub(super) fn least(&self) -> u64 {
        let alone = |&goal: &Vertex| {
            Some(u64::from(self.graph.lower(Vertex::DEPOT, goal)? + self.graph.lower(goal, Vertex::DEPOT)?))
        };
        self.goals.iter().filter_map(alone).max().unwrap_or(0)
    }

    /// Limits of the search for an order; it may take this long at most.
    pub(super) fn plan_options(&self, most: Option<Duration>) -> atsp::Options {
        plan_options(self.session, most)
    }

    pub(super) fn plan(&self, options: &atsp::Options) -> Planned {
        let known = WarmStart { tour: None, lower_bound: self.bound };
        let assuming = self.proven.is_some();
        let distance = |source: Vertex, target: Vertex| {
            let assumed = assuming && self.abandoned.contains(&(source, target));
            self.graph.lower(source, target).filter(|_| !assumed)
        };
        let assumed = assuming.then(|| self.book.assumed());
        let windows = assumed.as_deref().unwrap_or(self.book.learned());
        let excludes = |a: Vertex, b: Vertex| self.graph.lower(a, b).is_none();
        plan(distance, excludes, &self.goals, windows, self.chains, &known, options)
    }
}

/// The lesser of the distance between two vertices and of the way through Final, a reset and Init,
/// and whether it is the latter.
pub(super) fn leg_or_restart(graph: &ReachGraph, reset: u64, a: Vertex, b: Vertex) -> Option<(u32, bool)> {
    let leg = graph.lower(a, b).map(|steps| (steps, false));
    let restart = || {
        let steps =
            u64::from(graph.lower(a, Vertex::DEPOT)?) + u64::from(graph.lower(Vertex::DEPOT, b)?) + reset;
        Some((u32::try_from(steps).ok()?, true))
    };
    if a.is_depot() || b.is_depot() { leg } else { leg.into_iter().chain(restart()).min() }
}

/// Limits of the search for an order; it may take `most` at most.
pub(super) fn plan_options(session: &Session<'_>, most: Option<Duration>) -> atsp::Options {
    let own = most.map(|most| Instant::now() + most);
    let deadline = own.into_iter().chain(session.options.deadline).min();
    atsp::Options { seed: session.options.seed, deadline, stop: Some(session.options.stop.clone()) }
}
