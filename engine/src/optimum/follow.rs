//! A chain along an order, leg by leg, by guided search from the state at hand.
//!
//! Each leg is a shortest one from where the last leg ended, so legs are not balanced against each
//! other: the chain is a good one where the order was good, and a start for
//! [`improve`](super::improve).

use crate::knowledge::chains::{CheckedChain, covering, refusal};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::provers::abstraction::{End, Guided, Subproblem, Wanted};
use crate::search::best_first::SearchResult;
use crate::session::{Session, Stop};
use model::trace::{Start, Trace};
use model::value::Value;

/// Points that the search for one leg may visit.
const POINTS: usize = 100_000;
/// Ends of legs from which Final is sought before a chain is given up.
const RETREATS: usize = 12;

/// Chains that follow these orders and cover what they can; goals that a chain misses are tried
/// again by further chains, until none of those left is reached.
pub(crate) fn chains(
    task: &Task<'_>,
    guided: &mut Guided<'_>,
    orders: &[Vec<Vertex>],
    graph: &ReachGraph,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let mut open: Vec<Vertex> = orders.iter().flatten().copied().collect();
    let mut found: Vec<CheckedChain> = Vec::new();
    let mut next = 0;
    while !open.is_empty() {
        let planned = orders.get(next).map_or(&open, |order| order);
        let order: Vec<Vertex> = planned.iter().copied().filter(|goal| open.contains(goal)).collect();
        next += 1;
        if order.is_empty() {
            continue;
        }
        let chain = Walker::new(task, guided, graph, session).chain(&order)?;
        let covered = |goal: &Vertex| chain.as_ref().is_some_and(|chain| chain.covers(task.goal(*goal)));
        let before = open.len();
        open.retain(|goal| !covered(goal));
        if open.len() == before && next >= orders.len() {
            break;
        }
        found.extend(chain);
    }
    Ok(found)
}

/// A chain under construction.
struct Walker<'c, 's, 'g> {
    task: &'c Task<'s>,
    guided: &'c mut Guided<'g>,
    graph: &'c ReachGraph,
    session: &'c Session<'c>,
    /// State after each leg, and the number of steps made by then.
    stops: Vec<(Vec<Value>, usize)>,
    trace: Trace,
    covered: ByVertex<bool>,
}

impl<'c, 's, 'g> Walker<'c, 's, 'g> {
    fn new(
        task: &'c Task<'s>,
        guided: &'c mut Guided<'g>,
        graph: &'c ReachGraph,
        session: &'c Session<'c>,
    ) -> Self {
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: Vec::new() };
        let covered = by_vertex(task.len(), |_| false);
        Self { task, guided, graph, session, stops: Vec::new(), trace, covered }
    }

    /// A chain that covers as many goals of the order as it can. `None`: not even one.
    fn chain(mut self, order: &[Vertex]) -> Result<Option<CheckedChain>, Stop> {
        let Some(start) = self.guided.start_toward(order[0]) else { return Ok(None) };
        self.trace = Guided::trace(start);
        self.stops.push((start.state.clone(), 0));
        for position in 0..order.len() {
            if self.covered[order[position]] || self.leg(Wanted::All(&[order[position]]))? {
                continue;
            }
            let open: Vec<Vertex> = order.iter().copied().filter(|&goal| !self.covered[goal]).collect();
            if !self.leg(Wanted::Any(&open))? {
                break;
            }
        }
        self.finish(order)
    }

    /// Goes on to what is wanted. `false`: no way was found.
    fn leg(&mut self, wanted: Wanted<'_>) -> Result<bool, Stop> {
        let Some(inputs) = self.walk(wanted, End::Anywhere, self.stops.len() - 1)? else { return Ok(false) };
        let state = self.stops[self.stops.len() - 1].0.clone();
        let leg = Trace { start: Start::State(state), inputs };
        let run = self.task.replay(&leg).map_err(|why| refusal(&why))?;
        for vertex in self.task.vertices() {
            self.covered[vertex] |= !run.occurrences[self.task.goal(vertex)].is_empty();
        }
        self.trace.inputs.extend(leg.inputs);
        let state = run.states.last().expect("a run should have a state").clone();
        self.stops.push((state, self.trace.inputs.len()));
        Ok(true)
    }

    fn walk(
        &mut self,
        wanted: Wanted<'_>,
        end: End<'_>,
        stop: usize,
    ) -> Result<Option<Vec<Vec<Value>>>, Stop> {
        let from = self.guided.pack(&self.stops[stop].0);
        let subproblem = Subproblem { from: &from, wanted, end, steps: u32::MAX - 1, points: POINTS };
        Ok(match self.guided.solve(subproblem, self.graph, self.session)? {
            SearchResult::Found(classes) => Some(self.guided.inputs(&classes)),
            SearchResult::None | SearchResult::GaveUp { .. } => None,
        })
    }

    /// The chain that goes on to Final from the last stop from which there is a way.
    fn finish(mut self, order: &[Vertex]) -> Result<Option<CheckedChain>, Stop> {
        let last = self.stops.len() - 1;
        for stop in (1..=last).rev().take(RETREATS) {
            let Some(rest) = self.walk(Wanted::All(&[]), End::Final, stop)? else { continue };
            let mut trace = self.trace.clone();
            trace.inputs.truncate(self.stops[stop].1);
            trace.inputs.extend(rest);
            return Ok(covering(self.task, trace, order)?);
        }
        Ok(None)
    }
}
