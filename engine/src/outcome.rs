//! What the engine hands back.

use crate::knowledge::chains::{Candidate, first_occurrence};
use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::findings::Findings;
use crate::session::{Context, Milestone, StageTiming, StopReason};
use crate::smooth::Smoothed;
use crate::task::Problem;
use model::external::Lemma;
use model::id::IdVec;
use model::system::GoalId;
use model::trace::{Execution, Trace};
use model::validate::Validated;

/// A test case chain that was accepted by the evaluator.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The stimuli, from the initial state on.
    pub trace: Trace,
    /// The goals this chain is answerable for, by the first step of their first occurrence (ties: by its last
    /// step, then by id). A goal that occurs in several chains belongs to the first of them.
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

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalStatus {
    /// It occurs in a chain.
    Covered {
        /// Index of the chain.
        chain: usize,
        /// First step of its first occurrence there.
        at: u32,
    },
    /// No execution has an occurrence.
    Unreachable {
        /// Why.
        proof: Proof,
    },
    /// It occurs, but no execution goes on from an occurrence to Final.
    EndUnreachable {
        /// Why.
        proof: Proof,
    },
    /// No occurrence was found, and none was excluded.
    Undecided {
        /// No execution has an occurrence that starts within this many steps.
        bound: u32,
    },
    /// It occurs, but no way on to Final was found, and none was excluded.
    EndUndecided {
        /// No execution of at most this many steps covers it and ends in Final.
        bound: u32,
    },
    /// No chain that covers it was found before the search ended; nothing is excluded.
    NotChained,
}

impl GoalStatus {
    /// `covered`, `unreachable` or `undecided`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Covered { .. } => "covered",
            Self::Unreachable { .. } | Self::EndUnreachable { .. } => "unreachable",
            Self::Undecided { .. } | Self::EndUndecided { .. } | Self::NotChained => "undecided",
        }
    }

    /// Why the goal is not covered, in words; `None` where it is.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Covered { .. } => None,
            Self::Unreachable { proof } => Some(format!("no execution reaches it ({proof})")),
            Self::EndUnreachable { proof } => {
                Some(format!("Final cannot be reached from any of its occurrences ({proof})"))
            }
            Self::Undecided { bound: 0 } => {
                Some("no chain to it was found, and it is not excluded either".to_owned())
            }
            Self::Undecided { bound } => Some(format!(
                "no chain to it was found; it is proven not to start before step {}, but not excluded later",
                bound + 1
            )),
            Self::EndUndecided { bound } => Some(format!(
                "no chain that covers it and ends in Final was found; such a chain is proven to need more than {bound} steps, but not excluded"
            )),
            Self::NotChained => Some(
                "the search ended before it found a chain that covers it; nothing is excluded".to_owned(),
            ),
        }
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

/// What is known about the minimality of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimality {
    /// No set of chains that covers the same goals has fewer chains, nor as many with fewer steps.
    Proven,
    /// The total length is above the proven lower bound.
    Gap,
    /// Nothing is claimed.
    Unknown,
}

impl Minimality {
    /// The name in `chain.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Gap => "gap",
            Self::Unknown => "unknown",
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The chains, all accepted by the evaluator.
    pub chains: Vec<Chain>,
    /// What became of each goal of the system.
    pub goals: IdVec<GoalId, GoalResult>,
    /// No set of chains that covers the covered goals has a smaller total length with as few chains.
    pub lower_bound: u64,
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
    /// Why the run ended early, where it did.
    pub stopped: Option<StopReason>,
    /// Invariants trusted or found, and what else a user should know.
    pub notes: Vec<String>,
    /// What the C library was asked for, and said.
    pub lemmas: Vec<Lemma>,
    /// Name and version of the SAT solver.
    pub solver: String,
}

impl Outcome {
    /// Total number of transitions of all chains.
    pub fn length(&self) -> u64 {
        self.chains.iter().map(Chain::length).sum()
    }
    /// Number of goals covered.
    pub fn covered(&self) -> usize {
        self.goals.values().filter(|goal| matches!(goal.status, GoalStatus::Covered { .. })).count()
    }
}

/// Puts together what a strategy found: orders, verdicts and statuses by what the evaluator saw.
pub(crate) fn assemble(
    problem: &Problem<'_>,
    findings: Findings,
    stopped: Option<StopReason>,
    context: &Context<'_>,
    mut notes: Vec<String>,
) -> Outcome {
    let system = problem.system;
    let chains = orders(system, &findings.chains);
    let goals = system.goals.ids().map(|goal| result(goal, problem, &findings, &chains)).collect();
    notes.extend(findings.notes.iter().cloned());
    Outcome {
        goals,
        chains,
        lower_bound: findings.lower_bound,
        minimal: findings.minimal,
        k: findings.depth,
        graph: findings.graph,
        smoothing: Vec::new(),
        stages: context.timings(),
        milestones: context.milestones(),
        stopped,
        notes,
        lemmas: Vec::new(),
        solver: findings.solver,
    }
}

/// Gives each goal to the first chain in which it occurs.
pub(crate) fn orders(system: &Validated, candidates: &[Candidate]) -> Vec<Chain> {
    let mut taken: IdVec<GoalId, bool> = system.goals.ids().map(|_| false).collect();
    let mut chains = Vec::new();
    for candidate in candidates {
        let occurring =
            system.goals.ids().filter_map(|goal| Some((first_occurrence(&candidate.run, goal)?, goal)));
        let mut order: Vec<(u32, GoalId)> = occurring.filter(|&(_, goal)| !taken[goal]).collect();
        order.sort_by_key(|&(at, goal)| (at, at + system.goals[goal].steps, goal));
        order.iter().for_each(|&(_, goal)| taken[goal] = true);
        chains.push(Chain {
            trace: candidate.trace.clone(),
            order: order.into_iter().map(|(_, goal)| goal).collect(),
            run: candidate.run.clone(),
        });
    }
    chains
}

fn result(goal: GoalId, problem: &Problem<'_>, findings: &Findings, chains: &[Chain]) -> GoalResult {
    let covering = chains.iter().position(|chain| chain.order.contains(&goal));
    let status = match covering {
        Some(chain) => {
            let at = first_occurrence(&chains[chain].run, goal).expect("an ordered goal should occur");
            GoalStatus::Covered { chain, at }
        }
        None => problem
            .vertices()
            .find(|&vertex| problem.goal(vertex) == goal)
            .and_then(|vertex| findings.statuses[vertex].clone())
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
