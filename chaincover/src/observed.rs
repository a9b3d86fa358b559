//! What is known of coverage goals that have to be seen at outputs.

use frontend::coverage::Coverage;
use model::counterfactual::Sight;
use model::system::{GoalId, TransitionSystem};
use std::collections::BTreeMap;

/// What is known of the values that have to be seen.
#[derive(Default)]
pub(crate) struct Observed {
    /// The coverage goals: none implies another one.
    pub(crate) coverage: Coverage,
    /// For each goal of the system where it may be seen.
    pub(crate) sights: BTreeMap<GoalId, Vec<Sight>>,
    /// Goals of which nothing can be said, and why.
    pub(crate) unknown: BTreeMap<GoalId, String>,
    /// How many steps have to follow, where runs may end or get stuck before.
    pub(crate) cut_short: Option<u32>,
}

impl Observed {
    /// Why nothing can be said of a goal.
    pub(crate) fn unknown(&self, goal: GoalId) -> Option<&str> {
        self.unknown.get(&goal).map(String::as_str)
    }

    /// For each goal of which nothing can be said a sentence that says why.
    pub(crate) fn notes(&self, system: &TransitionSystem) -> Vec<String> {
        let note = |(&goal, why): (&GoalId, &String)| {
            format!("whether {} can be observed is not known: {why}", system.goals[goal].name)
        };
        let cut_short = self.cut_short.map(|depth| {
            format!(
                "--observe {depth}: a value counts only where {depth} further steps follow, and runs of this model may end before: a smaller number may cover more"
            )
        });
        self.unknown.iter().map(note).chain(cut_short).collect()
    }
}
