//! Some chains, quickly: always on to the nearest goal that is not covered yet, from the concrete
//! state at hand.
//!
//! They are an upper bound early. Where no uncovered goal can be reached any more, a further chain
//! begins.

use crate::knowledge::chains::{CheckedChain, accept, cut, longest_run};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};
use model::trace::{Execution, Start, Trace};
use model::value::Value;
use std::sync::Arc;

/// Conflicts that the search for one leg may cost at each depth.
const EFFORT: Effort = Effort::Conflicts(20_000);

/// Steps that a leg may have beyond twice the farthest distance.
const LEG_SLACK: u32 = 16;

/// Chains that together cover the goals, fewer where the search got stuck, and the limit that ended
/// it, if one did: what was found before counts. The distances from Init must be known.
pub(crate) fn chains(
    task: &Task<'_>,
    goals: &[Vertex],
    distances: &mut impl DistanceEngine,
    graph: &ReachGraph,
    session: &Session<'_>,
) -> (Vec<CheckedChain>, Result<(), Stop>) {
    let mut open = goals.to_vec();
    let mut chains = Vec::new();
    // Steps that a leg may have at most.
    let longest = LEG_SLACK + 2 * graph.farthest();
    while !open.is_empty() {
        let mut run = Run::new(task, &open, longest);
        let ended = run.begin(distances, graph, session).and_then(|()| run.go_on(distances, session));
        match run.finish(distances, session) {
            Ok(Some(chain)) if open.iter().any(|&goal| chain.covers(task.goal(goal))) => {
                open.retain(|&goal| !chain.covers(task.goal(goal)));
                chains.push(chain);
            }
            Ok(_) => return (chains, ended),
            Err(stop) => return (chains, ended.and(Err(stop))),
        }
        if ended.is_err() {
            return (chains, ended);
        }
    }
    (chains, Ok(()))
}

/// A run under construction.
struct Run<'t, 's> {
    task: &'t Task<'s>,
    inputs: Vec<Vec<Value>>,
    /// The state before each step, and the last one.
    states: Vec<Vec<Value>>,
    start: Start,
    open: Vec<Vertex>,
    /// The goals that it covers, in the order of their first occurrences.
    covered: Vec<Vertex>,
    /// After each leg: the number of steps and of goals covered.
    legs: Vec<(usize, usize)>,
    /// Steps that a leg may have at most.
    longest: u32,
}

impl<'t, 's> Run<'t, 's> {
    fn new(task: &'t Task<'s>, goals: &[Vertex], longest: u32) -> Self {
        let start = Start::Initial(Vec::new());
        let (open, covered) = (goals.to_vec(), Vec::new());
        Self { task, inputs: Vec::new(), states: Vec::new(), start, open, covered, legs: Vec::new(), longest }
    }

    /// The way from Init to the nearest goal.
    fn begin(
        &mut self,
        distances: &mut impl DistanceEngine,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let nearest =
            self.open.iter().filter_map(|&goal| Some((graph.upper(Vertex::DEPOT, goal)?, goal))).min();
        let Some((distance, first)) = nearest else { return Ok(()) };
        if let Answer::Run(mut trace) =
            distances.sequence(&[Vertex::DEPOT, first], distance, graph, Effort::Any, session)?
        {
            // The step in which it occurs is taken with a look at the others, where that costs
            // nothing.
            if distances.is_exhaustive() && self.task.steps(first) == 1 {
                trace.inputs.pop();
            }
            self.start = trace.start.clone();
            self.take(0, &trace)?;
        }
        Ok(())
    }

    /// On to the nearest open goal, as long as there is one.
    fn go_on(&mut self, distances: &mut impl DistanceEngine, session: &Session<'_>) -> Result<(), Stop> {
        while let Some(state) = self.states.last().filter(|_| !self.open.is_empty()) {
            let answer = distances.nearest(state, &self.open, self.longest, EFFORT, session)?;
            let Answer::Run(leg) = answer else { break };
            // Windows of several steps may begin before the leg. What lies further back was seen.
            let windows = self.open.iter().map(|&goal| self.task.steps(goal) as usize);
            let overlap = windows.max().unwrap_or(1).saturating_sub(1).min(self.inputs.len());
            let from = self.inputs.len() - overlap;
            let inputs = self.inputs[from..].iter().cloned().chain(leg.inputs).collect();
            self.take(from, &Trace { start: Start::State(self.states[from].clone()), inputs })?;
        }
        Ok(())
    }

    /// Puts an execution in the place of everything from step `from` on.
    fn take(&mut self, from: usize, trace: &Trace) -> Result<(), Stop> {
        let CheckedChain { trace, run } = longest_run(self.task, trace)?;
        self.inputs.truncate(from);
        self.inputs.extend(Arc::unwrap_or_clone(trace).inputs);
        let Execution { states, occurrences, .. } = Arc::unwrap_or_clone(run);
        self.states.truncate(from);
        self.states.extend(states);
        let is_covered = |goal: &Vertex| !occurrences[self.task.goal(*goal)].is_empty();
        let (covered, open) = self.open.iter().copied().partition::<Vec<_>, _>(is_covered);
        self.open = open;
        self.covered.extend(covered);
        self.legs.push((self.inputs.len(), self.covered.len()));
        Ok(())
    }

    /// The chain along as many legs as can be followed by a way to Final.
    fn finish(
        &self,
        distances: &mut impl DistanceEngine,
        session: &Session<'_>,
    ) -> Result<Option<CheckedChain>, Stop> {
        for &(steps, goals) in self.legs.iter().rev() {
            let covered = &self.covered[..goals];
            let mut trace = Trace { start: self.start.clone(), inputs: self.inputs[..steps].to_vec() };
            if let Some(chain) = cut(self.task, &trace, covered)? {
                return Ok(Some(chain));
            }
            let state = &self.states[steps];
            let answer = distances.nearest(state, &[Vertex::DEPOT], self.longest, EFFORT, session)?;
            if let Answer::Run(way) = answer {
                trace.inputs.extend(way.inputs);
                return Ok(Some(accept(self.task, &trace, covered)?));
            }
        }
        Ok(None)
    }
}
