//! What the engine hands back.

use crate::error::StopReason;
use crate::knowledge::chains::{CheckedChain, first_occurrence};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::status::Minimality;
use crate::knowledge::task::Task;
use crate::session::{EngineAccount, Milestone, StageTiming};
use model::external::Lemma;
use model::id::IdVec;
use model::system::{GoalId, TransitionSystem};
use model::trace::{Execution, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A test case chain that was accepted by the evaluator.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The stimuli, from the initial state on.
    pub trace: Trace,
    /// The goals this chain is answerable for, by the first step of their first occurrence (ties:
    /// by its last step, then by id). A goal that occurs in several chains belongs to the first of
    /// them.
    pub order: Vec<GoalId>,
    /// What the evaluator saw: states, outputs, occurrences, expectations, hazards.
    pub run: Execution,
}

impl Chain {
    /// Number of transitions.
    pub fn length(&self) -> u64 {
        self.trace.inputs.len() as u64
    }
}

/// What became of a goal's expectation, over all its occurrences in all chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing was claimed, or the goal does not occur.
    None,
    /// It held of every occurrence.
    Held,
    /// It was violated by some occurrence.
    Violated,
}

/// What became of a goal and its oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalResult {
    /// Whether it is covered, and if not, why.
    pub status: GoalStatus,
    /// The oracle's verdict.
    pub expectation: Expectation,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The chains, all accepted by the evaluator.
    pub chains: Vec<Chain>,
    /// What became of each goal of the system.
    pub goals: IdVec<GoalId, GoalResult>,
    /// No set of chains that covers the covered goals has a smaller total length with as few
    /// chains.
    pub lower_bound: u64,
    /// No set of chains, however many, that covers the covered goals has a smaller total length.
    pub lower_bound_of_any: u64,
    /// What is known about minimality.
    pub minimal: Minimality,
    /// Greatest distance asked for between goals (the paper's K).
    pub k: u32,
    /// What is known about distances, where the strategy computes them.
    pub graph: Option<ReachGraph>,
    /// For each chain what became of its inputs; empty where nothing was wished of them.
    pub smoothing: Vec<Smoothed>,
    /// Stages with timings and query counts, in the order of their first visit.
    pub stages: Vec<StageTiming>,
    /// What the engines came to, in order of time.
    pub milestones: Vec<Milestone>,
    /// What each engine cost and came to, in the order of their first turns.
    pub engines: Vec<EngineAccount>,
    /// Why the run ended early, where it did.
    pub stopped: Option<StopReason>,
    /// Invariants trusted or found, and what else a user should know.
    pub notes: Vec<String>,
    /// What the C library was asked for, and said.
    pub lemmas: Vec<Lemma>,
    /// What became of further questions, by the numbers that whoever asked them has for them. The
    /// engine itself has none.
    pub further: BTreeMap<usize, GoalStatus>,
    /// Name and version of the SAT solver.
    pub solver: String,
}

impl Outcome {
    /// The outcome of no search for chains: what results are made of that are about requirements
    /// alone.
    pub fn of_no_search(system: &TransitionSystem, solver: String) -> Self {
        let result = |_| GoalResult { status: GoalStatus::NotChained, expectation: Expectation::None };
        Self {
            chains: Vec::new(),
            goals: system.goals.ids().map(result).collect(),
            lower_bound: 0,
            lower_bound_of_any: 0,
            minimal: Minimality::Unknown,
            k: 0,
            graph: None,
            smoothing: Vec::new(),
            stages: Vec::new(),
            milestones: Vec::new(),
            engines: Vec::new(),
            stopped: None,
            notes: Vec::new(),
            lemmas: Vec::new(),
            further: BTreeMap::new(),
            solver,
        }
    }

    /// Puts executions in place of the chains. Each goal that occurs is covered by the first chain
    /// in which it does, and goals that the former chains covered and these do not are returned:
    /// they are not chained any more. More chains or steps than before are not proven minimal.
    pub fn put_chains(
        &mut self,
        system: &TransitionSystem,
        executions: Vec<(Trace, Execution)>,
    ) -> Vec<GoalId> {
        let before = (self.chains.len(), self.length());
        let checked = executions
            .into_iter()
            .map(|(trace, run)| CheckedChain { trace: Arc::new(trace), run: Arc::new(run) });
        self.chains = orders(system, checked);
        let mut missed = Vec::new();
        for (goal, result) in system.goals.ids().zip(self.goals.values_mut()) {
            if let Some((chain, at)) = place(&self.chains, goal) {
                result.status = GoalStatus::Covered { chain, at };
            } else if matches!(result.status, GoalStatus::Covered { .. }) {
                result.status = GoalStatus::NotChained;
                missed.push(goal);
            }
            result.expectation = expectation(self.chains.iter().map(|chain| &chain.run), goal);
        }
        if self.minimal == Minimality::Proven && (self.chains.len(), self.length()) != before {
            self.minimal = Minimality::Gap;
        }
        missed
    }

    /// Total number of transitions of all chains.
    pub fn length(&self) -> u64 {
        self.chains.iter().map(Chain::length).sum()
    }
    /// Number of goals covered.
    pub fn covered(&self) -> usize {
        self.goals.values().filter(|goal| matches!(goal.status, GoalStatus::Covered { .. })).count()
    }
}

/// What a search came to, before it is put into the form of an [`Outcome`].
pub(crate) struct Searched {
    pub(crate) known: Knowledge,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) smoothing: Vec<Smoothed>,
    pub(crate) stages: Vec<StageTiming>,
    pub(crate) milestones: Vec<Milestone>,
    pub(crate) engines: Vec<EngineAccount>,
    pub(crate) lemmas: Vec<Lemma>,
    /// What a user should know of the system, whatever was found.
    pub(crate) notes: Vec<String>,
}

impl Searched {
    /// Orders, verdicts and statuses by what the evaluator saw.
    pub(crate) fn outcome(self, task: &Task<'_>) -> Outcome {
        let Self { known, mut notes, .. } = self;
        let system = task.system;
        let chains = orders(system, known.chains().iter().cloned());
        let goals = system.goals.ids().map(|goal| result(goal, task, &known, &chains)).collect();
        notes.extend(known.notes().iter().cloned());
        Outcome {
            goals,
            chains,
            lower_bound: known.lower_bound(),
            lower_bound_of_any: known.lower_bound_of_any(),
            minimal: known.minimality(),
            k: known.depth(),
            graph: known.graph().cloned(),
            smoothing: self.smoothing,
            stages: self.stages,
            milestones: self.milestones,
            engines: self.engines,
            stopped: self.stopped,
            notes,
            lemmas: self.lemmas,
            further: BTreeMap::new(),
            solver: known.solver().to_owned(),
        }
    }
}

/// Gives each goal to the first chain in which it occurs.
pub(crate) fn orders(
    system: &TransitionSystem,
    candidates: impl IntoIterator<Item = CheckedChain>,
) -> Vec<Chain> {
    let mut taken: IdVec<GoalId, bool> = system.goals.ids().map(|_| false).collect();
    let mut chains = Vec::new();
    for candidate in candidates {
        let occurring =
            system.goals.ids().filter_map(|goal| Some((first_occurrence(&candidate.run, goal)?, goal)));
        let mut order: Vec<(u32, GoalId)> = occurring.filter(|&(_, goal)| !taken[goal]).collect();
        order.sort_by_key(|&(at, goal)| (at, at + system.goals[goal].steps, goal));
        order.iter().for_each(|&(_, goal)| taken[goal] = true);
        let order = order.into_iter().map(|(_, goal)| goal).collect();
        let CheckedChain { trace, run } = candidate;
        chains.push(Chain { trace: Arc::unwrap_or_clone(trace), order, run: Arc::unwrap_or_clone(run) });
    }
    chains
}

/// The chain that covers a goal, and the step at which the goal occurs in it first.
fn place(chains: &[Chain], goal: GoalId) -> Option<(usize, u32)> {
    let chain = chains.iter().position(|chain| chain.order.contains(&goal))?;
    let at = first_occurrence(&chains[chain].run, goal).expect("an ordered goal should occur");
    Some((chain, at))
}

fn result(goal: GoalId, task: &Task<'_>, known: &Knowledge, chains: &[Chain]) -> GoalResult {
    let status = match place(chains, goal) {
        Some((chain, at)) => GoalStatus::Covered { chain, at },
        None => task
            .vertices()
            .find(|&vertex| task.goal(vertex) == goal)
            .and_then(|vertex| known.statuses()[vertex].clone())
            .unwrap_or(GoalStatus::NotChained),
    };
    GoalResult { status, expectation: expectation(chains.iter().map(|chain| &chain.run), goal) }
}

/// The verdict on a goal's expectation over all its occurrences in some runs.
pub fn expectation<'a>(runs: impl Iterator<Item = &'a Execution>, goal: GoalId) -> Expectation {
    let verdicts =
        runs.flat_map(|run| &run.occurrences[goal]).filter_map(|occurrence| occurrence.expectation);
    match verdicts.reduce(|all, held| all && held) {
        None => Expectation::None,
        Some(true) => Expectation::Held,
        Some(false) => Expectation::Violated,
    }
}

/// Whether a chain keeps the limits asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// It does.
    Kept,
    /// No inputs of that length that keep them have every goal occur where it does: proven.
    Impossible,
    /// None were found within the effort and the time.
    #[default]
    GivenUp,
}

/// What became of the inputs of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Smoothed {
    /// Number of changes of inputs between steps in the chain that was found first.
    pub raw_changes: usize,
    /// Number of changes in the chain that is given out.
    pub changes: usize,
    /// Whether the limits asked for are kept.
    pub limits: Keeping,
    /// `free[k][i]`: input i does not matter in step k.
    pub free: Vec<Vec<bool>>,
}
