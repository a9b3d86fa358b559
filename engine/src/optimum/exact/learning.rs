//! What plans rest on: distances that are asked one step deeper, true costs of sub-paths, and the
//! chains that are found on the way.

use super::{OptimalSearch, legs, whole};
use crate::knowledge::chains::accept;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::plan::Plan;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::Stop;
use crate::step::bmc_solver::{Answer, Effort};

/// Conflicts that one step of learning may cost.
const LEARNING_EFFORT: Effort = Effort::Conflicts(50_000);
/// Steps up to which a distance on the plan is asked for whatever the others are.
const SHALLOW_QUESTION: u32 = 8;
/// Most windows from Init over another goal that are learned from distances alone.
const MOST_ARRIVALS: usize = 64;

impl<O: DistanceEngine> OptimalSearch<'_, '_, O> {
    /// A goal is not reached any sooner by way of another one: where the two legs say less, the
    /// window from Init says so.
    pub(super) fn learn_arrivals(&mut self) {
        let mut windows = Vec::new();
        for &first in &self.goals {
            for &second in self.goals.iter().filter(|&&second| second != first) {
                let legs = self.graph.lower(Vertex::DEPOT, first).zip(self.graph.lower(first, second));
                if let Some((legs, alone)) =
                    legs.map(|(a, b)| a + b).zip(self.graph.lower(Vertex::DEPOT, second))
                    && legs < alone
                {
                    windows.push((alone - legs, first, second, alone));
                }
            }
        }
        windows
            .sort_unstable_by_key(|&(missing, first, second, _)| (std::cmp::Reverse(missing), first, second));
        for (_, first, second, alone) in windows.into_iter().take(MOST_ARRIVALS) {
            self.book.raise(&[Vertex::DEPOT, first, second], Some(alone));
        }
    }

    /// Asks one step deeper for the distances of the plan that are not known, or abandons them.
    /// `false`: all are known.
    pub(super) fn deepen(&mut self, plan: &Plan) -> Result<bool, Stop> {
        let mut targets = self.goals.clone();
        if self.task.has_end() {
            targets.push(Vertex::DEPOT);
        }
        let limit = self.patience();
        let unsettled: Vec<(Vertex, Vertex)> = plan
            .orders
            .iter()
            .flat_map(|order| legs(order))
            .filter(|&(source, target)| !self.graph.is_settled(source, target))
            .collect();
        let (open, late): (Vec<_>, Vec<_>) =
            unsettled.iter().partition(|&&(source, target)| self.graph.lower(source, target) <= Some(limit));
        for (source, target) in late {
            if self.abandoned.insert((source, target)) {
                self.distances.exclude(source, target, &mut self.graph, self.session)?;
            }
        }
        // Where bounds differ much, shallow questions are cheaper and raise the plan's bound as
        // well.
        let least = open.iter().filter_map(|&(source, target)| self.graph.lower(source, target)).min();
        let is_shallow = |source: Vertex, target: Vertex| {
            self.graph.lower(source, target) <= least.map(|least| 2 * least + SHALLOW_QUESTION)
        };
        let open: Vec<(Vertex, Vertex)> =
            open.into_iter().filter(|&(source, target)| is_shallow(source, target)).collect();
        let mut sources: Vec<Vertex> = open.iter().map(|&(source, _)| source).collect();
        sources.sort_unstable();
        sources.dedup();
        let tasks: Vec<(Vertex, Vec<Vertex>)> =
            sources.into_iter().map(|source| (source, targets.clone())).collect();
        self.distances.deepen_each(&tasks, &mut self.graph, self.session)?;
        for (source, target) in open {
            let lower = self.graph.lower(source, target);
            if lower.is_some_and(|lower| lower >= 4 && lower.is_power_of_two()) {
                self.distances.exclude(source, target, &mut self.graph, self.session)?;
            }
        }
        Ok(!unsettled.is_empty())
    }

    /// Looks for chains of the plan's orders and lengths.
    pub(super) fn concretise(&mut self, plan: &Plan) -> Result<bool, Stop> {
        let mut chains = Vec::new();
        for order in &plan.orders {
            let whole = whole(order);
            let Some(steps) = self.book.lower(&whole, &self.graph) else { return Ok(false) };
            let answer = self.sequence(&whole, steps)?;
            match answer {
                Answer::Run(trace) => chains.push(accept(self.task, &trace, order)?),
                Answer::None => return Ok(false),
                Answer::GaveUp => return Ok(false),
            }
        }
        self.offer(chains);
        Ok(true)
    }

    /// Learns the costs of the shortest windows of the plan that cost more than is known. `false`:
    /// there are none.
    pub(super) fn learn(&mut self, plan: &Plan) -> Result<bool, Stop> {
        let longest = plan.orders.iter().map(|order| order.len() + 2).max().unwrap_or(0);
        for size in window_sizes(longest) {
            let mut learned = false;
            for order in &plan.orders {
                for window in whole(order).windows(size) {
                    learned |= self.learn_window(window)?;
                }
            }
            if learned {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Raises the cost of a window until a run has it or it is more than a better chain can bear.
    fn learn_window(&mut self, window: &[Vertex]) -> Result<bool, Stop> {
        let Some(first) = self.book.lower(window, &self.graph) else { return Ok(false) };
        if self.book.is_seen(window, first) {
            return Ok(false);
        }
        let slack = self.best_total().map_or(4, |total| (total - self.bound) as u32);
        let limit = self.patience() + 2 * self.distance_sum(window);
        for steps in first..=first + slack {
            match self.sequence(window, steps)? {
                Answer::Run(_) => {
                    self.book.saw(window, steps);
                    return Ok(steps > first);
                }
                Answer::None if steps > limit => {
                    if self.excludes_within(window)? {
                        return Ok(true);
                    }
                    self.book.abandon(window);
                }
                Answer::None => self.book.raise(window, Some(steps + 1)),
                Answer::GaveUp => return Ok(steps > first),
            }
        }
        Ok(true)
    }

    /// Whether two goals of one of the plan's chains are proven never to follow each other.
    pub(super) fn excludes_in(&mut self, plan: &Plan) -> Result<bool, Stop> {
        for order in &plan.orders {
            if self.excludes_within(&whole(order))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether two goals of the window are proven never to follow each other, whatever is between
    /// them. Not asked where goals are many: each answer takes another order, which is dear then.
    fn excludes_within(&mut self, window: &[Vertex]) -> Result<bool, Stop> {
        if self.are_many_goals() {
            return Ok(false);
        }
        for width in 2..window.len() {
            for part in window.windows(width + 1) {
                let (source, target) = (part[0], part[width]);
                if !self.graph.is_settled(source, target) && self.compared.insert((source, target)) {
                    self.distances.exclude(source, target, &mut self.graph, self.session)?;
                }
                if self.graph.lower(source, target).is_none() {
                    self.book.raise(part, None);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Asks for a run unless it would be unrolled too far.
    pub(super) fn sequence(&mut self, sequence: &[Vertex], steps: u32) -> Result<Answer, Stop> {
        if steps > self.distances.deepest() {
            return Ok(Answer::GaveUp);
        }
        self.distances.sequence(sequence, steps, &self.graph, LEARNING_EFFORT, self.session)
    }

    fn distance_sum(&self, window: &[Vertex]) -> u32 {
        window.windows(2).filter_map(|pair| self.graph.lower(pair[0], pair[1])).sum()
    }

    /// Looks for shorter chains of the plan's orders with stretched legs (what the paper calls
    /// repair).
    pub(super) fn stretch(&mut self, plan: &Plan) -> Result<(), Stop> {
        let mut chains = Vec::new();
        let mut left = self.best_total().map_or(plan.length + 8 + plan.length / 2, |total| total - 1);
        for order in &plan.orders {
            let steps = u32::try_from(left).unwrap_or(u32::MAX);
            let answer = self.sequence(&whole(order), steps)?;
            let Answer::Run(trace) = answer else { return Ok(()) };
            let chain = accept(self.task, &trace, order)?;
            left = left.saturating_sub(u64::from(chain.length()));
            chains.push(chain);
        }
        self.offer(chains);
        Ok(())
    }
}

/// Sizes of windows that are asked for: all small ones, then every second power of the root of two,
/// so that their number grows with the logarithm of the longest.
fn window_sizes(longest: usize) -> impl Iterator<Item = usize> {
    let next = |&size: &usize| Some(if size < 8 { size + 1 } else { size + size / 2 });
    let sizes = std::iter::successors(Some(3), next).take_while(move |&size| size < longest);
    sizes.chain((longest >= 3).then_some(longest))
}
