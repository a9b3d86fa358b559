//! The question: which goals are to be covered, from where, to where.
//!
//! Inside the engine the goals asked for are numbered from 1 in the order of their ids; 0 stands for the depot:
//! Init as a source, Final as a target. See [`ReachGraph`](crate::reach::graph::ReachGraph).

use model::id::Id;
use model::system::{GoalId, TransitionSystem};
use model::term::TermId;
use model::validate::Validated;

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

/// A system and the goals to cover.
#[derive(Clone)]
pub(crate) struct Problem<'s> {
    pub(crate) system: &'s Validated,
    targets: Vec<Target>,
}

impl<'s> Problem<'s> {
    /// The problem of covering these goals (ascending, each once).
    pub(crate) fn new(system: &'s Validated, goals: &[GoalId]) -> Self {
        debug_assert!(goals.is_sorted_by(|a, b| a < b), "goals should ascend");
        let target = |&goal: &GoalId| {
            let description = &system.goals[goal];
            Target { goal, steps: description.steps, antecedent: description.antecedent }
        };
        Self { system, targets: goals.iter().map(target).collect() }
    }

    /// Number of goals.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }
    /// The vertex numbers of the goals.
    pub(crate) fn vertices(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.targets.len()
    }
    /// The goal of a vertex other than 0.
    pub(crate) fn target(&self, vertex: usize) -> &Target {
        &self.targets[vertex - 1]
    }
    /// The id of the goal of a vertex other than 0.
    pub(crate) fn goal(&self, vertex: usize) -> GoalId {
        self.targets[vertex - 1].goal
    }
    /// Length of the window of a vertex: 0 for the depot.
    pub(crate) fn steps(&self, vertex: usize) -> u32 {
        if vertex == 0 { 0 } else { self.targets[vertex - 1].steps }
    }
    /// Whether chains must end in Final.
    pub(crate) fn has_end(&self) -> bool {
        self.system.end.is_some()
    }
    /// Ids of the goals in order of their vertices.
    pub(crate) fn goals(&self) -> Vec<GoalId> {
        self.targets.iter().map(|target| target.goal).collect()
    }
}

/// All goals of a system.
pub(crate) fn all_goals(system: &TransitionSystem) -> Vec<GoalId> {
    (0..system.goals.len()).map(GoalId::new).collect()
}
