//! The question: which goals are to be covered, from where, to where.
//!
//! Inside the engine the goals asked for are [vertices](Vertex), in the order of their ids, and the
//! depot is Init as a source, Final as a target. See [`ReachGraph`].

use crate::knowledge::abstractions::Projected;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::invariants::{Fact, Invariant};
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::{Effort, reachable_states};
use crate::session::Session;
use model::external::Call;
use model::simulate::Simulator;
use model::slice::Keep;
use model::system::{GoalId, Input, TransitionSystem};
use model::term::TermId;
use model::trace::{self, Execution, Start, Trace, TraceError};
use model::validate::Validated;
use model::value::Value;
use solver::sat::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Simulation that shows what states are like.
const SAMPLE: Effort = Effort { executions: 32, steps: 500 };

/// What the search looks at besides goals, assumptions and Final.
pub const SEARCHED: Keep = Keep { outputs: false, hazards: false, invariants: false, external_calls: true };

/// A goal as the engine sees it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Its id in the system.
    pub(crate) goal: GoalId,
    /// Number of transitions of its window, at least 1.
    pub(crate) steps: u32,
    /// Truth over its window.
    pub(crate) antecedent: TermId,
}

/// What may be guessed of all reachable states, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guessed {
    /// What is said of a word and the same word of another version.
    Twins,
    /// All else.
    All,
}

/// A system and the goals to cover; shared by threads.
pub struct Task<'s> {
    /// The system.
    pub system: &'s Validated,
    /// Hold in all reachable states: for runs from a free state.
    invariants: RwLock<Vec<Invariant>>,
    /// Which invariants were guessed: they serve every engine, and need not be sought again.
    has_guessed: [AtomicBool; 2],
    /// Reachable states that simulation has seen, once they were wanted.
    sample: OnceLock<Vec<Vec<Value>>>,
    /// What projections say about distances.
    projected: Projected,
    targets: Vec<Target>,
    simulator: Mutex<Simulator>,
    /// Until when executions are run; see [`Task::until`].
    limit: Budget,
}

impl<'s> Task<'s> {
    /// The task of covering these goals (ascending, each once).
    pub fn new(system: &'s Validated, goals: &[GoalId], invariants: Vec<Invariant>) -> Self {
        debug_assert!(goals.is_sorted_by(|a, b| a < b), "goals should ascend");
        let target = |&goal: &GoalId| {
            let description = &system.goals[goal];
            Target { goal, steps: description.steps, antecedent: description.antecedent }
        };
        Self {
            system,
            invariants: RwLock::new(invariants),
            has_guessed: Default::default(),
            sample: OnceLock::new(),
            projected: Projected::default(),
            targets: goals.iter().map(target).collect(),
            simulator: Mutex::new(Simulator::new(system)),
            limit: Budget::default(),
        }
    }
    /// The task, in which no execution is run for longer than this limit allows: one of a million
    /// steps takes half a minute.
    pub(crate) fn until(self, limit: Budget) -> Self {
        Self { limit, ..self }
    }
    /// The same goals in another system, with the same invariants and limit.
    pub(crate) fn over<'o>(&self, system: &'o Validated) -> Task<'o> {
        self.over_goals(system, &self.goals())
    }
    /// These goals (ascending, each once) of another system, with the same invariants and limit.
    pub(crate) fn over_goals<'o>(&self, system: &'o Validated, goals: &[GoalId]) -> Task<'o> {
        Task::new(system, goals, self.invariants().clone()).until(self.limit.clone())
    }

    /// Calls of the C library, in the order of execution.
    pub(crate) fn calls(&self) -> &[Call] {
        &self.system.external_calls
    }
    /// Whether there is no goal.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
    /// Number of goals.
    pub fn len(&self) -> usize {
        self.targets.len()
    }
    /// The vertices of the goals, ascending.
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + Clone + use<> {
        Vertex::goals(self.targets.len())
    }
    /// The goal of a vertex other than the depot.
    pub(crate) fn target(&self, vertex: Vertex) -> &Target {
        &self.targets[vertex.position()]
    }
    /// The id of the goal of a vertex other than the depot.
    pub fn goal(&self, vertex: Vertex) -> GoalId {
        self.target(vertex).goal
    }
    /// The vertex of a goal.
    pub(crate) fn vertex(&self, goal: GoalId) -> Option<Vertex> {
        self.vertices().find(|&vertex| self.goal(vertex) == goal)
    }
    /// Length of the window of a vertex: 0 for the depot.
    pub(crate) fn steps(&self, vertex: Vertex) -> u32 {
        if vertex.is_depot() { 0 } else { self.target(vertex).steps }
    }
    /// What holds where the window of a vertex begins; for the depot where a chain may end, `None`
    /// if that is anywhere.
    pub(crate) fn condition(&self, vertex: Vertex) -> Option<TermId> {
        if vertex.is_depot() { self.system.end } else { Some(self.target(vertex).antecedent) }
    }
    /// Whether chains must end in Final.
    pub(crate) fn has_end(&self) -> bool {
        self.system.end.is_some()
    }
    /// What is known to hold in all reachable states.
    pub(crate) fn invariants(&self) -> RwLockReadGuard<'_, Vec<Invariant>> {
        self.invariants.read().unwrap_or_else(PoisonError::into_inner)
    }
    /// Adds what was found to hold in all reachable states.
    pub(crate) fn add_invariants(&self, found: impl IntoIterator<Item = Invariant>) {
        self.invariants.write().unwrap_or_else(PoisonError::into_inner).extend(found);
    }
    /// Adds facts of a kind that were guessed and proven, all that were found.
    pub(crate) fn add_guessed(&self, found: Vec<Fact>, kind: Guessed) {
        self.add_invariants(found.into_iter().map(Invariant::Fact));
        self.has_guessed[kind as usize].store(true, Ordering::SeqCst);
    }
    /// Whether facts of a kind were guessed before.
    pub(crate) fn has_guessed(&self, kind: Guessed) -> bool {
        self.has_guessed[kind as usize].load(Ordering::SeqCst)
    }
    /// The invariants that are facts.
    pub fn facts(&self) -> Vec<Fact> {
        self.invariants().iter().filter_map(Invariant::fact).cloned().collect()
    }
    /// Reachable states that a short simulation has seen.
    pub(crate) fn sample(&self, session: &Session<'_>) -> &[Vec<Value>] {
        self.sample.get_or_init(|| reachable_states(self.system, &[], SAMPLE, session))
    }
    /// What projections say about distances, as far as it was found out.
    pub(crate) fn projected(&self) -> &Projected {
        &self.projected
    }
    /// The evaluator. A thread that panicked cannot have left it in a state that matters: each run
    /// begins anew.
    fn simulator(&self) -> MutexGuard<'_, Simulator> {
        self.simulator.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Runs a trace with the evaluator, as long as the limit allows.
    pub(crate) fn replay(&self, trace: &Trace) -> Result<Execution, TraceError> {
        trace::replay_while(&mut self.simulator(), self.system, trace, || !self.limit.is_spent())
    }
    /// The first states of an execution, so many at most.
    pub(crate) fn states_of(&self, trace: &Trace, most: usize) -> Vec<Vec<Value>> {
        let mut simulator = self.simulator();
        let mut state = match &trace.start {
            Start::Initial(values) => simulator.initial(values).state,
            Start::State(values) => values.clone(),
        };
        let mut states = vec![state.clone()];
        for inputs in trace.inputs.iter().take(most.saturating_sub(1)) {
            if !simulator.advance(&mut state, inputs) {
                break;
            }
            states.push(state.clone());
        }
        states
    }
    /// Whether a chain may end in the state.
    pub(crate) fn may_end(&self, state: &[Value]) -> bool {
        self.simulator().may_end(state)
    }
    /// A zero for each of these inputs.
    pub(crate) fn zeros<'i>(&self, inputs: impl Iterator<Item = &'i Input>) -> Vec<Value> {
        inputs.map(|input| Value::zero(self.system.terms.symbol(input.symbol).sort)).collect()
    }
    /// The initial state under these initial inputs.
    pub fn initial_state(&self, inputs: &[Value]) -> Vec<Value> {
        self.simulator().initial(inputs).state
    }
    /// The graph in which nothing is known.
    pub(crate) fn empty_graph(&self) -> ReachGraph {
        let names = self.goals().iter().map(|&goal| self.system.goals[goal].name.clone()).collect();
        let steps: Vec<u32> = self.targets.iter().map(|target| target.steps).collect();
        ReachGraph::new(self.goals(), names, &steps, self.has_end())
    }
    /// Ids of the goals in order of their vertices.
    pub(crate) fn goals(&self) -> Vec<GoalId> {
        self.targets.iter().map(|target| target.goal).collect()
    }
}

/// All goals of a system.
pub fn all_goals(system: &TransitionSystem) -> Vec<GoalId> {
    system.goals.ids().collect()
}
