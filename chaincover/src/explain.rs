//! Why a goal cannot be reached: what of its antecedent and of the assumptions excludes it.
//!
//! The goal is asked for alone. Where it is unreachable, parts are left out one by one - conjuncts of the antecedent, then assumptions -
//! as long as what is left is still proven unreachable. What remains is a set that excludes the goal and from which no part could be left
//! out within the effort: with full effort, a minimal one.

use crate::options::Options;
use crate::outcome::GoalStatus;
use crate::pipeline::{EngineError, find_chains};
use crate::stats::Progress;
use model::id::IdVec;
use model::system::{Assumption, GoalId, TransitionSystem};
use model::term::TermId;
use model::validate::{Validated, validate};
use std::time::{Duration, Instant};

/// What was found out about a goal.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What became of the goal alone.
    pub status: GoalStatus,
    /// For a covered goal: steps of the shortest chain that covers it alone.
    pub length: Option<u64>,
    /// Conjuncts of its antecedent that cannot be left out.
    pub conjuncts: Vec<TermId>,
    /// Number of conjuncts in all.
    pub of_conjuncts: usize,
    /// Conjuncts of the assumptions that cannot be left out.
    pub assumptions: Vec<Assumption>,
    /// Number of conjuncts of assumptions in all.
    pub of_assumptions: usize,
    /// What the engine noted: invariants trusted or proven.
    pub notes: Vec<String>,
}

/// Explains a goal; each question may take `effort`.
///
/// # Errors
/// As for [`find_chains`].
pub fn explain(
    system: &Validated,
    goal: GoalId,
    options: &Options,
    effort: Duration,
    progress: &dyn Progress,
) -> Result<Explanation, EngineError> {
    let parts = system.terms.conjuncts(system.goals[goal].antecedent);
    let every: Vec<Assumption> = system.assumptions.iter().flat_map(|whole| split(system, whole)).collect();
    let whole = find_chains(&reduced(system, goal, &parts, &every), options, progress)?;
    let status = whole.goals.values().next().map_or(GoalStatus::NotChained, |result| result.status.clone());
    let mut explanation = Explanation {
        length: matches!(status, GoalStatus::Covered { .. }).then(|| whole.length()),
        status,
        of_conjuncts: parts.len(),
        of_assumptions: every.len(),
        conjuncts: parts,
        assumptions: every,
        notes: whole.notes,
    };
    let is_excluded = |status: &GoalStatus| {
        matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
    };
    if !is_excluded(&explanation.status) {
        return Ok(explanation);
    }
    let still = |parts: &[TermId], assumptions: &[Assumption]| -> bool {
        let asked = Options { deadline: Some(Instant::now() + effort), ..options.clone() };
        // A system that admits no execution, or nothing found in time, is no reason to leave a part out.
        find_chains(&reduced(system, goal, parts, assumptions), &asked, progress)
            .is_ok_and(|found| found.goals.values().all(|result| is_excluded(&result.status)))
    };
    let assumptions = explanation.assumptions.clone();
    shrink(&mut explanation.conjuncts, |parts| still(parts, &assumptions));
    let parts = explanation.conjuncts.clone();
    shrink(&mut explanation.assumptions, |assumptions| still(&parts, assumptions));
    Ok(explanation)
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

/// One assumption for each conjunct.
fn split(system: &TransitionSystem, whole: &Assumption) -> Vec<Assumption> {
    let parts = system.terms.conjuncts(whole.condition).into_iter();
    parts.map(|condition| Assumption { condition, origin: whole.origin }).collect()
}

/// The system with one goal, made of some conjuncts, under some assumptions.
fn reduced(system: &Validated, goal: GoalId, parts: &[TermId], assumptions: &[Assumption]) -> Validated {
    let mut reduced: TransitionSystem = (**system).clone();
    let mut wanted = reduced.goals[goal].clone();
    wanted.antecedent = reduced.terms.truth(true);
    for &part in parts {
        wanted.antecedent = reduced.terms.and(wanted.antecedent, part);
    }
    wanted.expectation = None;
    reduced.goals = IdVec::new();
    reduced.goals.push(wanted);
    reduced.assumptions = assumptions.to_vec();
    validate(reduced).expect("a valid system should stay valid when parts of it are left out")
}
