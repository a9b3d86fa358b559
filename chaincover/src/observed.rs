//! What is known of goals that have to be seen at outputs.

use frontend::coverage::Coverage;
use model::counterfactual::Sight;
use model::system::{GoalId, StateId, TransitionSystem};
use model::term::TermId;
use std::collections::BTreeMap;

/// What is known of the values and requirements that have to be seen.
#[derive(Default)]
pub(crate) struct Observed {
    /// The coverage goals, where some are wanted: none implies another one.
    pub(crate) coverage: Option<Coverage>,
    /// For each goal of the system where it may be seen.
    pub(crate) looks: BTreeMap<GoalId, Vec<Look>>,
    /// Goals of which nothing can be said, and why.
    pub(crate) unknown: BTreeMap<GoalId, String>,
    /// How many steps have to follow, where runs may end or get stuck before.
    pub(crate) cut_short: Option<u32>,
}

/// A place where a goal may be seen.
#[derive(Clone)]
pub(crate) struct Look {
    pub(crate) sight: Sight,
    /// Truth over the window: it is seen there.
    pub(crate) is_seen: TermId,
    /// The word of memory that has another value in the other execution, where that is the reason.
    pub(crate) alteration: Option<Alteration>,
}

/// Another value of a word.
#[derive(Clone, Copy)]
pub(crate) struct Alteration {
    pub(crate) word: StateId,
    /// The frame in front of which it has that.
    pub(crate) frame: u32,
    pub(crate) value: TermId,
}

impl Observed {
    /// Why nothing can be said of a goal.
    pub(crate) fn unknown(&self, goal: GoalId) -> Option<&str> {
        self.unknown.get(&goal).map(String::as_str)
    }

    /// Whether a goal is one that outputs have to show.
    pub(crate) fn demands(&self, goal: GoalId) -> bool {
        self.looks.contains_key(&goal)
    }

    /// Whether there are goals of which nothing can be said.
    pub(crate) fn is_partly_unknown(&self) -> bool {
        !self.unknown.is_empty()
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

    /// Of coverage goals with equal truths the first stands for the others in the search. Nothing
    /// follows from the structure of the code: a value may be seen where the decision's is not.
    pub(crate) fn merge(&mut self, system: &TransitionSystem) {
        let Some(coverage) = &mut self.coverage else { return };
        let mut first: BTreeMap<(TermId, u32), usize> = BTreeMap::new();
        for index in 0..coverage.goals.len() {
            let id = coverage.goals[index].goal;
            let goal = &system.goals[id];
            let known = *first.entry((goal.antecedent, goal.steps)).or_insert(index);
            let stands_for = known != index && !self.unknown.contains_key(&id);
            coverage.goals[index].implied_by = stands_for.then_some(known).into_iter().collect();
        }
    }
}
