//! Chains that are found by guided search, before and beside the proofs.
//!
//! Before anything is asked of a solver, a plan under the distances of projections is followed from
//! state to state: goals covered so need no query to be known as coverable, and what the chains
//! pass bounds distances from above. Later the best chains are made shorter window by window.

use super::OptimalSearch;
use super::bounds::{leg_or_restart, plan_options};
use crate::error::StopReason;
use crate::knowledge::chains::CheckedChain;
use crate::knowledge::chains::{covered, missed, total};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::optimum::follow;
use crate::optimum::improve::{Improvement, improve, visited_order};
use crate::optimum::order::additive_abstraction::{Parts, improved_order};
use crate::optimum::order::partition::fewest_chains;
use crate::optimum::order::plan::{Planned, plan};
use crate::optimum::requery::{Asked, shortened};
use crate::options::EngineChoice;
use crate::provers::abstraction::{Guided, enter_cones, enter_localized};
use crate::provers::distance_engine::DistanceEngine;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::initial::INITIAL_STATES;
use crate::step::initial::initial_states;
use crate::tuning::Constant;
use solver::atsp::{self, WarmStart};
use std::sync::Arc;
use std::time::Duration;

/// Time for the order of the first chains: it need not be the best one.
const FIRST_PLAN: Duration = Duration::from_secs(3);
/// What finding parts of the state may cost, as of [`Session::within`].
pub(crate) const PARTS: Constant = Constant {
    name: "optimum.parts",
    usual: 20_000,
    unit: "conflicts",
    purpose: "what finding parts of the state may cost",
};
/// Points of search that making the first chains shorter may cost.
pub(crate) const FIRST_IMPROVEMENT: Constant = Constant {
    name: "optimum.first-improvement",
    usual: 600_000,
    unit: "points of search",
    purpose: "what making the first chains shorter may cost",
};
/// The same in each later round.
pub(crate) const LATER_IMPROVEMENT: Constant = Constant {
    name: "optimum.later-improvement",
    usual: 40_000,
    unit: "points of search",
    purpose: "the same in each later round",
};

/// Guided search and what it knows about distances.
pub(super) struct Guide<'s> {
    guided: Guided<'s>,
    /// Lower bounds by projections.
    graph: ReachGraph,
}

impl<'s> Guide<'s> {
    /// `None` where guided search does not suit the system.
    pub(super) fn new(task: &'s Task<'s>, session: &Session<'_>) -> Result<Option<Self>, Stop> {
        let Some(initial) = initial_states(task, INITIAL_STATES, session)? else { return Ok(None) };
        let Some(guided) = Guided::new(task, initial, session)? else { return Ok(None) };
        let mut graph = task.empty_graph();
        enter_cones(task, &mut graph, session)?;
        enter_localized(task, &mut graph, session)?;
        guided.enter_bounds(&mut graph);
        Ok(Some(Self { guided, graph }))
    }

    /// Enters what it knows about distances.
    pub(super) fn enter_bounds(&self, graph: &mut ReachGraph) {
        self.guided.enter_bounds(graph);
    }
}

impl<O: DistanceEngine> OptimalSearch<'_, '_, O> {
    /// Makes the guide, enters what it knows, and finds first chains. Goals that they cover are
    /// known to be coverable.
    pub(super) fn start_guided(&mut self) -> Result<(), Stop> {
        let (task, session) = (self.task, self.session);
        let parts = || session.within(session.options.tuning.value(&PARTS), || Parts::find(task, session));
        self.parts = match session.stage("parts", parts) {
            Err(Stop::Limit(StopReason::Effort)) => None,
            found => found?,
        };
        self.enter_projected()?;
        self.guide = session.stage("guide", || session.apart(|| Guide::new(task, session)))?;
        let Some(guide) = &self.guide else { return Ok(()) };
        if session.options.engine != EngineChoice::Sat && !self.distances.is_exhaustive() {
            guide.enter_bounds(&mut self.graph);
        }
        let possible = |&goal: &Vertex| {
            guide.graph.lower(Vertex::DEPOT, goal).is_some()
                && guide.graph.lower(goal, Vertex::DEPOT).is_some()
                && !matches!(
                    self.statuses[goal],
                    Some(GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
                )
        };
        let goals: Vec<Vertex> = self.task.vertices().filter(possible).collect();
        if goals.is_empty() {
            return Ok(());
        }
        self.follow_plan(&goals)
    }

    /// Enters the distances in projections to what goals depend on.
    pub(super) fn enter_projected(&mut self) -> Result<(), Stop> {
        let (task, session) = (self.task, self.session);
        if session.options.engine == EngineChoice::Sat || self.distances.is_exhaustive() {
            return Ok(());
        }
        session.stage("projections", || {
            session.apart(|| {
                enter_cones(task, &mut self.graph, session)?;
                enter_localized(task, &mut self.graph, session)
            })
        })
    }

    /// Chains of the best plan for these goals under what is known.
    fn follow_plan(&mut self, goals: &[Vertex]) -> Result<(), Stop> {
        let session = self.session;
        let Some(guide) = &self.guide else { return Ok(()) };
        let graph = if self.distances.is_exhaustive() { &self.graph } else { &guide.graph };
        let orders = session.stage("order", || orders(goals, graph, session));
        self.follow(goals, &orders)?;
        match &orders[..] {
            [order] => self.follow_parts(order),
            _ => Ok(()),
        }
    }

    /// Chains of these orders.
    fn follow(&mut self, goals: &[Vertex], orders: &[Vec<Vertex>]) -> Result<(), Stop> {
        let session = self.session;
        let Some(guide) = &mut self.guide else { return Ok(()) };
        let graph = if self.distances.is_exhaustive() { &self.graph } else { &guide.graph };
        let chains = session
            .stage("chain", || follow::chains(self.task, &mut guide.guided, orders, graph, session))?;
        self.note(&chains);
        self.offer_for(goals, chains);
        Ok(())
    }

    /// The chain of a good order under the changes of all parts, where these speak about all goals;
    /// `order` is an order to start from.
    fn follow_parts(&mut self, order: &[Vertex]) -> Result<(), Stop> {
        let Some(parts) = &self.parts else { return Ok(()) };
        let mut goals = order.to_vec();
        goals.sort_unstable();
        let groups = parts.groups(&goals);
        if !goals.iter().all(|goal| groups.iter().any(|group| group.goals.contains(goal))) {
            return Ok(());
        }
        let random = &mut self.random;
        let in_time = || self.session.check_limits().is_ok();
        let (better, changes) =
            self.session.stage("order", || improved_order(&groups, order, random, in_time));
        if self.best.len() == 1 && self.best_covers(&goals) && changes >= total(&self.best) {
            return Ok(());
        }
        self.follow(&goals, &[better])
    }

    fn best_covers(&self, goals: &[Vertex]) -> bool {
        goals.iter().all(|&goal| self.is_covered(goal))
    }

    /// Takes chains if they cover more of the goals than the best so far, or as many with fewer
    /// chains or steps.
    fn offer_for(&mut self, goals: &[Vertex], chains: Vec<CheckedChain>) {
        let task = self.task;
        let key = |chains: &[CheckedChain]| (missed(task, chains, goals).len(), self.rank(chains));
        if self.best.is_empty() || key(&chains) < key(&self.best) {
            self.best = chains;
        }
        self.report();
    }

    /// Enters the distances that chains show: upper bounds from visit to visit, and where they meet
    /// lower bounds.
    pub(super) fn note(&mut self, chains: &[CheckedChain]) {
        let engine = if self.distances.is_exhaustive() { return } else { Engine::Sat };
        for chain in chains {
            let witness = Arc::clone(&chain.trace);
            let mut visits: Vec<(u32, Vertex)> = self
                .task
                .vertices()
                .filter_map(|goal| {
                    Some((
                        crate::knowledge::chains::first_occurrence(&chain.run, self.task.goal(goal))?,
                        goal,
                    ))
                })
                .collect();
            visits.sort_unstable();
            visits.insert(0, (0, Vertex::DEPOT));
            for (position, &(from, source)) in visits.iter().enumerate() {
                for (gap, &(to, target)) in visits[position + 1..].iter().enumerate() {
                    if gap == 0 || self.graph.lower(source, target) == Some(to - from) {
                        let witness = source.is_depot().then_some(&witness);
                        self.graph.found(source, target, to - from, witness, engine);
                    }
                }
                let rest = chain.length() - from;
                if !source.is_depot()
                    && (position + 1 == visits.len() || self.graph.lower(source, Vertex::DEPOT) == Some(rest))
                {
                    self.graph.found(source, Vertex::DEPOT, rest, None, engine);
                }
            }
        }
    }

    /// Makes the best chains shorter by guided search; they cover the goals.
    pub(super) fn improve_best(&mut self) -> Result<(), Stop> {
        let session = self.session;
        if let ([chain], true) = (&self.best[..], self.was_improved) {
            self.follow_parts(&visited_order(self.task, chain, &self.goals))?;
        }
        if self.best.is_empty() {
            return Ok(());
        }
        let Some(guide) = &mut self.guide else { return self.improve_by_queries() };
        let graph = if self.distances.is_exhaustive() { &self.graph } else { &guide.graph };
        let points = if std::mem::replace(&mut self.was_improved, true) {
            &LATER_IMPROVEMENT
        } else {
            &FIRST_IMPROVEMENT
        };
        let points = session.options.tuning.value(points);
        let mut open = self.goals.clone();
        let mut better = Vec::new();
        for (position, chain) in self.best.iter().enumerate() {
            let mine = covered(self.task, [chain], open.iter().copied());
            let target = if self.best.len() == 1 { self.bound } else { 0 };
            let random = &mut self.random;
            let search = Improvement { chain: chain.clone(), goals: &mine, target, points, random };
            let improved = match mine.is_empty() {
                true => continue,
                false => improve(self.task, &mut guide.guided, graph, session, search)?,
            };
            open.retain(|&goal| !improved.covers(self.task.goal(goal)));
            better.push(improved);
            if session.stopped().is_some() {
                better.extend(self.best[position + 1..].iter().cloned());
                break;
            }
        }
        self.note(&better);
        self.offer(better);
        Ok(())
    }
}

impl<O: DistanceEngine> OptimalSearch<'_, '_, O> {
    /// Makes the best chains shorter by queries about some of their windows; later calls go on with
    /// the others.
    fn improve_by_queries(&mut self) -> Result<(), Stop> {
        let session = self.session;
        if self.distances.is_exhaustive() {
            return Ok(());
        }
        if self.requeried.0 != total(&self.best) || self.requeried.1.len() != self.best.len() {
            self.requeried = (total(&self.best), vec![Asked::default(); self.best.len()]);
        }
        let target = if self.best.len() == 1 { self.bound } else { 0 };
        let mut open = self.goals.clone();
        let mut better = Vec::new();
        for (position, chain) in self.best.clone().into_iter().enumerate() {
            let mine = covered(self.task, [&chain], open.iter().copied());
            let asked = &mut self.requeried.1[position];
            if mine.is_empty() {
                asked.finish();
                continue;
            }
            let shorter = shortened(self.task, chain, &mine, target, asked, session)?;
            open.retain(|&goal| !shorter.covers(self.task.goal(goal)));
            better.push(shorter);
        }
        self.offer(better);
        self.requeried.0 = total(&self.best);
        Ok(())
    }

    /// Whether there are windows to ask for, where chains are made shorter by queries.
    pub(super) fn has_windows_left(&self) -> bool {
        self.guide.is_none()
            && !self.distances.is_exhaustive()
            && !self.best.is_empty()
            && (self.requeried.0 != total(&self.best) || !self.requeried.1.iter().all(Asked::is_done))
    }
}

/// The orders of the best plan, with as few chains as the distances allow or by the price of a
/// reset; none where there is no time for it.
fn orders(goals: &[Vertex], graph: &ReachGraph, session: &Session<'_>) -> Vec<Vec<Vertex>> {
    let options = plan_options(session, Some(FIRST_PLAN));
    if let Some(reset) = session.options.reset_cost {
        return priced_orders(goals, graph, reset, &options).unwrap_or_else(|| vec![goals.to_vec()]);
    }
    let fewest = fewest_chains(goals, |a, b| graph.lower(a, b).is_some());
    for chains in fewest..=goals.len() {
        let distance = |a: Vertex, b: Vertex| graph.lower(a, b);
        match plan(
            distance,
            |a, b| distance(a, b).is_none(),
            goals,
            &[],
            chains,
            &WarmStart::default(),
            &options,
        ) {
            Planned::Plan(plan) => return plan.orders,
            Planned::Impossible => {}
            Planned::Unknown { .. } => break,
        }
    }
    vec![goals.to_vec()]
}

/// The best tour in which a restart may take the place of any leg, cut where it does; `None` where
/// there is none in time.
pub(super) fn priced_orders(
    goals: &[Vertex],
    graph: &ReachGraph,
    reset: u64,
    options: &atsp::Options,
) -> Option<Vec<Vec<Vertex>>> {
    let distance = |a: Vertex, b: Vertex| leg_or_restart(graph, reset, a, b).map(|(steps, _)| steps);
    let planned = plan(distance, |_, _| false, goals, &[], 1, &WarmStart::default(), options);
    let Planned::Plan(plan) = planned else { return None };
    let is_leg =
        |&a: &Vertex, &b: &Vertex| leg_or_restart(graph, reset, a, b).is_some_and(|(_, restart)| !restart);
    Some(plan.orders.iter().flat_map(|order| order.chunk_by(is_leg)).map(<[Vertex]>::to_vec).collect())
}
