//! What a chain does and must still do when its inputs are smoothed.

use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, first_occurrence, longest_run};
use crate::knowledge::task::Task;
use model::system::GoalId;
use model::trace::Execution;

/// An occurrence that must stay where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurs {
    /// The goal.
    pub(super) goal: GoalId,
    /// First step of its window.
    pub(super) step: usize,
    /// Whether its expectation is violated there.
    pub(super) violated: bool,
}

impl Occurs {
    /// The first step of the first occurrence in a run that will do.
    fn place(&self, run: &Execution) -> Option<usize> {
        let mut found = run.occurrences[self.goal].iter();
        found.find(|found| !self.violated || found.expectation == Some(false)).map(|found| found.step)
    }
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Demands {
    /// First occurrences of the goals the chain is answerable for; for each violated expectation an
    /// occurrence that shows it.
    pub(super) occurrences: Vec<Occurs>,
    /// Whether the chain must stay without undefined operations.
    pub(super) no_hazards: bool,
    /// Whether it must end in Final.
    pub(super) ends: bool,
}

impl Demands {
    /// What the chain does.
    pub(super) fn of(task: &Task<'_>, chain: &CheckedChain, order: &[GoalId]) -> Self {
        let mut occurrences = Vec::new();
        for &goal in order {
            if let Some(step) = first_occurrence(&chain.run, goal) {
                occurrences.push(Occurs { goal, step: step as usize, violated: false });
            }
        }
        for goal in task.system.goals.ids() {
            let violated = chain.run.occurrences[goal].iter().find(|found| found.expectation == Some(false));
            occurrences.extend(violated.map(|found| Occurs { goal, step: found.step, violated: true }));
        }
        Self { occurrences, no_hazards: chain.run.hazards.is_empty(), ends: chain.run.may_end }
    }

    /// Whether a run does all of it. Occurrences may have moved: it is the goals and violations
    /// that count.
    pub(super) fn met(&self, run: &Execution) -> bool {
        self.occurrences.iter().all(|demand| demand.place(run).is_some())
            && (!self.no_hazards || run.hazards.is_empty())
            && (!self.ends || run.may_end)
    }

    /// The shortest beginning of a chain that does all of it, if the chain does.
    pub(super) fn trimmed(&self, task: &Task<'_>, chain: CheckedChain) -> Result<CheckedChain, EngineError> {
        let behind = |demand: &Occurs| {
            let steps = task.system.goals[demand.goal].steps as usize;
            demand.place(&chain.run).map(|step| step + steps)
        };
        let Some(behind) = self.occurrences.iter().map(behind).collect::<Option<Vec<usize>>>() else {
            return Ok(chain);
        };
        let Some(needed) = behind.into_iter().max() else { return Ok(chain) };
        let ends = |&at: &usize| !self.ends || task.may_end(&chain.run.states[at]);
        match (needed..chain.trace.inputs.len()).find(ends) {
            Some(end) => {
                let mut trace = chain.trace.as_ref().clone();
                trace.inputs.truncate(end);
                let trimmed = longest_run(task, &trace)?;
                Ok(if self.met(&trimmed.run) { trimmed } else { chain })
            }
            None => Ok(chain),
        }
    }
}
