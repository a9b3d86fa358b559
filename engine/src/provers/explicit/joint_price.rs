//! What the goals of a part that are hard to come to cost together.
//!
//! A part of the state with some ten thousand states and a handful of goals far away has a table of
//! the least price of each set of these goals from each state: a [pattern database](Table). It
//! bounds all chains of the whole from below, and guides walks.

use super::{Explicit, Limits, MOST_GOALS, Table, if_suited};
use crate::error::StopReason;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::search::breadth_first::FAR;
use crate::session::{Session, Stop};
use crate::step::initial::{INITIAL_STATES, initial_states};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// What the enumeration of one part may cost.
const LIMITS: Limits = Limits { states: 60_000, classes: 1_000, outcomes: true, work: 60_000_000 };
/// What it costs to go back to Init: a further chain is never cheaper than one that can go on.
pub(crate) const RESET: u32 = 4_000;
/// Entries of the tables of all parts, and of one of them, at most.
const ENTRIES: usize = 1 << 25;
const MOST_ENTRIES: usize = 1 << 20;

/// What it may cost to tell the inputs of a part apart, in conflicts: comparisons of floats make
/// thousands of classes, each of which is a query about a large circuit.
const EFFORT: u64 = 10_000;

/// All states of the task of a part. `None`: they are too many, or of no kind that
/// can be enumerated.
pub(crate) fn enumerated<'s>(
    task: &'s Task<'s>,
    session: &Session<'_>,
) -> Result<Option<Explicit<'s>>, Stop> {
    let limits = Limits { outcomes: task.calls().is_empty(), ..LIMITS };
    let Some(initial) = initial_states(task, INITIAL_STATES, session)? else { return Ok(None) };
    let found = session.at_most(EFFORT, || if_suited(Explicit::enumerate(task, &initial, limits, session)));
    match found {
        Err(Stop::Limit(StopReason::Effort)) if session.allowance() != Some(0) => Ok(None),
        found => found,
    }
}

/// The goals of a part that cost most, and what each set of them costs.
pub(crate) struct JointPrice {
    pub(crate) table: Table,
    /// The goals that the table may know.
    goals: Vec<Vertex>,
    /// The label of each of them.
    labels: Vec<usize>,
}

impl JointPrice {
    /// For one of so many parts. `None`: no goal is away from Init, or the part is too large.
    pub(crate) fn new(
        own: &Task<'_>,
        explicit: &Explicit<'_>,
        parts: usize,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let mut goals: Vec<Vertex> = own.vertices().filter(|&vertex| own.steps(vertex) == 1).collect();
        // Goals that are equally far away from everywhere are had together, mostly.
        let mut seen: FxHashSet<&[u32]> = FxHashSet::default();
        goals.retain(|&vertex| seen.insert(explicit.to_event(vertex)));
        goals.retain(|&vertex| from_init(explicit, vertex) != FAR);
        goals.sort_by_key(|&vertex| Reverse(from_init(explicit, vertex)));
        goals.truncate(MOST_GOALS);
        let labels = goals.iter().map(|&vertex| explicit.step().label(vertex, 0)).collect();
        let entries = (ENTRIES / parts.max(1)).min(MOST_ENTRIES);
        let table = explicit.table(&goals, (RESET, entries), session)?;
        Ok(table.map(|table| Self { table, goals, labels }))
    }

    /// The positions of goals whose labels are among these.
    pub(crate) fn among(&self, labels: &[u64]) -> u64 {
        let is_set = |label: usize| labels[label / 64] >> (label % 64) & 1;
        self.labels.iter().enumerate().fold(0, |all, (at, &label)| all | is_set(label) << at)
    }

    /// Steps from Init to the goal that is farthest away.
    pub(crate) fn farthest(&self, explicit: &Explicit<'_>) -> u32 {
        self.goals.first().map_or(0, |&goal| from_init(explicit, goal))
    }

    /// The positions of goals that are more than so many steps away from Init.
    pub(crate) fn beyond(&self, steps: u32, explicit: &Explicit<'_>) -> u64 {
        let is_beyond = |&goal: &Vertex| from_init(explicit, goal) > steps;
        self.goals.iter().enumerate().fold(0, |all, (at, goal)| all | u64::from(is_beyond(goal)) << at)
    }

    /// What the goals of the table cost together from Init. `None`: no chains cover them all.
    pub(crate) fn bound(&self, explicit: &Explicit<'_>) -> Option<Bound> {
        let initial = 0..explicit.states.initial() as u32;
        let least = initial.map(|state| self.table.bound(state, u64::MAX)).min()?;
        let known = self.table.mask();
        let goals = self.goals.iter().enumerate().filter(|(position, _)| known >> position & 1 == 1);
        let goals: Vec<Vertex> = goals.map(|(_, &goal)| goal).collect();
        let claim = Claim::Price { reset: u64::from(RESET), least: u64::from(least) };
        (least < FAR).then(|| Bound::new(&goals, claim))
    }
}

/// Steps from the first initial state to where a goal can be had.
fn from_init(explicit: &Explicit<'_>, goal: Vertex) -> u32 {
    explicit.to_event(goal).first().copied().unwrap_or(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;

    /// What is claimed of one chain, from the enumeration of the system.
    fn bound(text: &str) -> Option<u64> {
        let system = validate(parse(text).expect("a text")).expect("a system");
        let (options, task) = (Options::default(), Task::new(&system, &all_goals(&system), Vec::new()));
        let session = Session::new(&options, &Silent);
        let explicit = enumerated(&task, &session).expect("no limit").expect("few states");
        let price = JointPrice::new(&task, &explicit, 1, &session).expect("no limit")?;
        price.bound(&explicit).map(|bound| bound.steps(1))
    }

    #[test]
    fn goals_cost_together_what_the_shortest_chain_takes() {
        let cases = [
            // Nine steps lead there, and the goal is a step.
            ("input x w1 state a w4 init 0 next (ite x (add a 1) 0) goal a when (eq a 9)", Some(10)),
            (
                "input x w1 state a w4 init 0 next (ite x (add a 1) 0) goal a when (eq a 3) goal b when (eq a 9)",
                Some(10),
            ),
            // The second goal needs what the first one loses: down again, and up the other way.
            (
                "input x w1 state s w4 init 8 next (ite x (add s 1) (sub s 1)) goal up when (eq s 12) goal down when (eq s 5)",
                // Three down and seven up, and the step in which the second goal holds.
                Some(11),
            ),
            // Nothing is away from Init.
            ("input x w1 state a w4 init 0 next (ite x (add a 1) 0) goal a when (eq a 0)", None),
            // A goal that no state has plays no part.
            (
                "input x w1 state a w4 init 0 next (ite x 1 0) goal a when (eq a 1) goal b when (eq a 9)",
                Some(2),
            ),
            // The end counts.
            (
                "input x w1 state a w4 init 0 next (ite x (add a 1) 0) goal a when (eq a 9) end (eq a 2)",
                Some(12),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(bound(text), expected, "{text}");
        }
    }
}
