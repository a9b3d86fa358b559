//! Why a goal cannot be reached: what of its antecedent and of the assumptions excludes it.
//!
//! The goal is asked for alone. Where it is unreachable, conditions are left out one by one - of the antecedent, then assumptions, then
//! invariants - as long as what is left is still proven unreachable. What remains is a set that excludes the goal and from which nothing could
//! be left out within the effort: with full effort, a minimal one. Conditions are those that the user wrote, with their text and place.

use crate::options::Options;
use crate::outcome::GoalStatus;
use crate::pipeline::{EngineError, find_chains};
use crate::stats::Progress;
use frontend::c::request::{Source, Written};
use model::id::IdVec;
use model::system::{Assumption, GoalId, Invariant, TransitionSystem};
use model::validate::{Validated, validate};
use std::time::{Duration, Instant};

/// What was found out about a goal.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What became of the goal alone.
    pub status: GoalStatus,
    /// For a covered goal: steps of the shortest chain that covers it alone.
    pub length: Option<u64>,
    /// What cannot be left out of all that speaks about the goal.
    pub needed: Reasons,
    /// All that speaks about the goal.
    pub all: Reasons,
    /// What the engine noted: invariants trusted or proven.
    pub notes: Vec<String>,
}

/// Conditions on executions that reach a goal.
#[derive(Clone, Debug)]
pub struct Reasons {
    /// Conditions of its antecedent.
    pub antecedent: Vec<Written>,
    /// Conditions on every step.
    pub assumptions: Vec<Written>,
    /// Claims about states.
    pub invariants: Vec<Invariant>,
}

/// Explains a goal; each question may take `effort`.
///
/// `source` must come from a request with [`keep_wording`](frontend::c::request::Request::keep_wording).
///
/// # Errors
/// As for [`find_chains`].
pub fn explain(
    system: &Validated,
    source: &dyn Source,
    goal: GoalId,
    options: &Options,
    effort: Duration,
    progress: &dyn Progress,
) -> Result<Explanation, EngineError> {
    let all = Reasons {
        antecedent: source.goal_parts(goal).to_vec(),
        assumptions: source.assumption_parts().to_vec(),
        invariants: system.invariants.clone(),
    };
    let whole = find_chains(&reduced(system, goal, &all), options, progress)?;
    let status = whole.goals.values().next().map_or(GoalStatus::NotChained, |result| result.status.clone());
    let length = matches!(status, GoalStatus::Covered { .. }).then(|| whole.length());
    let still = |reasons: &Reasons| -> bool {
        let asked = Options { deadline: Some(Instant::now() + effort), ..options.clone() };
        // A system that admits no execution, or nothing found in time, is no reason to leave something out.
        find_chains(&reduced(system, goal, reasons), &asked, progress)
            .is_ok_and(|found| found.goals.values().all(|result| is_excluded(&result.status)))
    };
    let needed = if is_excluded(&status) { necessary(&all, still) } else { all.clone() };
    Ok(Explanation { status, length, needed, all, notes: whole.notes })
}

/// Whether no execution, or none that may end, reaches the goal.
pub fn is_excluded(status: &GoalStatus) -> bool {
    matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
}

/// What remains when everything is left out that can be.
fn necessary(all: &Reasons, still: impl Fn(&Reasons) -> bool) -> Reasons {
    let mut needed = all.clone();
    let rest = needed.clone();
    shrink(&mut needed.antecedent, |antecedent| {
        still(&Reasons { antecedent: antecedent.to_vec(), ..rest.clone() })
    });
    let rest = needed.clone();
    shrink(&mut needed.assumptions, |assumptions| {
        still(&Reasons { assumptions: assumptions.to_vec(), ..rest.clone() })
    });
    let rest = needed.clone();
    shrink(&mut needed.invariants, |invariants| {
        still(&Reasons { invariants: invariants.to_vec(), ..rest.clone() })
    });
    needed
}

/// Leaves out entries, from the last to the first, as long as the rest still does.
fn shrink<T: Clone>(entries: &mut Vec<T>, still: impl Fn(&[T]) -> bool) {
    for index in (0..entries.len()).rev() {
        let mut fewer = entries.clone();
        fewer.remove(index);
        if still(&fewer) {
            *entries = fewer;
        }
    }
}

/// The system with one goal, for these reasons alone.
fn reduced(system: &Validated, goal: GoalId, reasons: &Reasons) -> Validated {
    let mut reduced: TransitionSystem = (**system).clone();
    let mut wanted = reduced.goals[goal].clone();
    wanted.antecedent = reduced.terms.conjunction(reasons.antecedent.iter().map(|part| part.condition));
    wanted.expectation = None;
    reduced.goals = IdVec::new();
    reduced.goals.push(wanted);
    let assumption = |part: &Written| Assumption { condition: part.condition, origin: None };
    reduced.assumptions = reasons.assumptions.iter().map(assumption).collect();
    reduced.invariants = reasons.invariants.clone();
    validate(reduced).expect("a valid system should stay valid when parts of it are left out")
}
