//! Why a goal cannot be reached: what of its antecedent and of the assumptions excludes it.
//!
//! The goal is asked for alone. Where it is unreachable, conditions are left out one by one - of
//! the antecedent, then assumptions, then invariants - as long as what is left is still proven
//! unreachable. What remains is a set that excludes the goal and from which nothing could be left
//! out within the effort: with full effort, a minimal one. Conditions are those that the user
//! wrote, with their text and place.
//!
//! The code is questioned in this way, too: a decision (`if`, `switch`) is left out by letting it
//! go either way in every step. That allows more executions than the code has, so what is
//! unreachable nevertheless is so for the decisions that are left.

use crate::error::Error;
use crate::model::Model;
use crate::timed;
use config::resolve::Model as Configuration;
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::Options;
use engine::session::Progress;
use frontend::{Decision, Location, Written};
use model::id::IdVec;
use model::system::{Assumption, Goal, GoalId, Invariant, OriginId, TransitionSystem};
use model::validate::{Validated, validate};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// What was found out about a goal.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The goal.
    pub goal: GoalId,
    /// What became of the goal alone.
    pub status: GoalStatus,
    /// For a covered goal: steps of the shortest chain that covers it alone.
    pub length: Option<u64>,
    /// For a covered goal: no chain that covers it is shorter than this.
    pub least: u64,
    /// All that speaks about the goal.
    pub all: Reasons,
    /// What cannot be left out of that.
    pub needed: Reasons,
    /// Whether it was found out of everything that is needed that it cannot be left out.
    pub is_minimal: bool,
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
    /// Lines of the step's code that branch.
    pub decisions: Vec<Decision>,
}

/// A system, with its conditions as they were written.
#[derive(Clone)]
struct Worded {
    /// The system.
    system: Validated,
    /// All that speaks about the goal.
    all: Reasons,
}

impl Worded {
    /// The goal's conditions. The model must come from a request with
    /// [`keep_wording`](frontend::Request::keep_wording).
    fn new(model: &Model, goal: GoalId) -> Self {
        let (system, source) = (model.system.clone(), &*model.translated.source);
        // Where the front end keeps no wording the system's own conditions count: none may get lost.
        let place = |origin: Option<OriginId>| origin.map(|origin| source.locate(origin));
        // What was written does not say that outputs have to show it.
        let has_to_be_seen = model.observed.as_ref().is_some_and(|observed| observed.demands(goal));
        let mut antecedent = if has_to_be_seen { Vec::new() } else { source.goal_parts(goal).to_vec() };
        if antecedent.is_empty() {
            let Goal { name, antecedent: condition, origin, .. } = &system.goals[goal];
            antecedent.push(Written { condition: *condition, text: name.clone(), place: place(*origin) });
        }
        let mut assumptions = source.assumption_parts().to_vec();
        if assumptions.is_empty() {
            let unworded = |(number, assumption): (usize, &Assumption)| Written {
                condition: assumption.condition,
                text: format!("assumption {number}"),
                place: place(assumption.origin),
            };
            assumptions.extend((1..).zip(&system.assumptions).map(unworded));
        }
        let all = Reasons {
            antecedent,
            assumptions,
            invariants: system.invariants.clone(),
            decisions: source.decisions().to_vec(),
        };
        Self { system, all }
    }
}

/// Time for each question that leaves a part out.
const EFFORT: Duration = Duration::from_secs(10);

/// Why a goal is unreachable, or how short a chain for it alone is. The model must have been read
/// with [`keep_wording`](crate::Settings::keep_wording).
///
/// ```
/// # use chaincover::{Options, Settings, Silent, explain, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on;\n__CPROVER_cover(on); }")?;
/// let model = read([&path], &Settings { keep_wording: true, ..Settings::default() })?;
/// let explanation = explain(&model, "lamp.c:2", &Options::default(), &Silent)?;
/// assert_eq!((explanation.status.name(), explanation.length), ("covered", Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): there is no such goal; otherwise as for
/// [`find_chains`](crate::find_chains()).
pub fn explain(
    model: &Model,
    goal: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Explanation, Error> {
    let id = model.goal(goal)?;
    let worded = Worded::new(model, id);
    let open = |places: &[Location]| with_open_decisions(&model.configuration, goal, places);
    let explained = explain_worded(&worded, id, &open, (options, EFFORT), progress);
    let mut explained = match explained {
        Err(error @ EngineError::NoExecution(_)) => {
            let system = reduced(&worded, id, &worded.all, &worded.all);
            let found = timed::without_steps(model, &system, options).unwrap_or_else(|| Err(error.into()))?;
            let status = found.goals.values().next().map(|result| result.status.clone());
            let status = status.unwrap_or(GoalStatus::NotChained);
            let (all, needed) = (worded.all.clone(), worded.all.clone());
            let (length, least, is_minimal) = (None, 0, false);
            Explanation { goal: id, status, length, least, all, needed, is_minimal, notes: found.notes }
        }
        explained => explained?,
    };
    if is_excluded(&explained.status)
        && let Some(why) = timed::may_reach(model, goal, options)?
    {
        explained.status = GoalStatus::Undecided { bound: 0 };
        explained.needed = explained.all.clone();
        explained.notes.push(why);
    }
    Ok(explained)
}

/// The model with the decisions of some lines left open; `None` where it cannot be translated so.
fn with_open_decisions(configuration: &Configuration, goal: &str, places: &[Location]) -> Option<Worded> {
    let mut configuration = configuration.clone();
    configuration.request.open_decisions = places.to_vec();
    let model = Model::new(configuration).ok()?;
    let goal = model.goal(goal).ok()?;
    Some(Worded::new(&model, goal))
}

/// Questions of full effort that an explanation may take.
const QUESTIONS: u32 = 12;

/// Explains a goal; each question may take `effort`, all together twelve times as much, and none is
/// asked beyond the deadline of the options.
///
/// `open` makes the system anew with some decisions left open; `None` where that is not possible.
///
/// # Errors
/// As for [`find_chains`].
fn explain_worded(
    worded: &Worded,
    goal: GoalId,
    open: &dyn Fn(&[Location]) -> Option<Worded>,
    (options, effort): (&Options, Duration),
    progress: &dyn Progress,
) -> Result<Explanation, EngineError> {
    let all = &worded.all;
    let whole = find_chains(&reduced(worded, goal, all, all), options, progress)?;
    let status = whole.goals.values().next().map_or(GoalStatus::NotChained, |result| result.status.clone());
    let length = matches!(status, GoalStatus::Covered { .. }).then(|| whole.length());
    let judged = Cell::new(true);
    let end = Instant::now() + effort * QUESTIONS;
    let end = options.deadline.map_or(end, |deadline| deadline.min(end));
    let still = |reasons: &Reasons| -> bool {
        let status = || {
            let asked = Options { deadline: Some(end.min(Instant::now() + effort)), ..options.clone() };
            let left: Vec<Location> =
                absent(&all.decisions, &reasons.decisions).map(|line| line.place.clone()).collect();
            let system = match left.is_empty() {
                true => reduced(worded, goal, all, reasons),
                false => reduced(&open(&left)?, goal, all, reasons),
            };
            // A system that admits no execution, or nothing found in time, is no reason to leave
            // something out.
            let found = find_chains(&system, &asked, progress).ok()?;
            found.goals.values().next().map(|result| result.status.clone())
        };
        let status = if Instant::now() < end { status() } else { None };
        let is_judged = status
            .as_ref()
            .is_some_and(|status| is_excluded(status) || matches!(status, GoalStatus::Covered { .. }));
        judged.set(judged.get() && is_judged);
        status.as_ref().is_some_and(is_excluded)
    };
    let needed = if is_excluded(&status) { necessary(all, still) } else { all.clone() };
    let least = if whole.minimal == Minimality::Proven { whole.length() } else { whole.lower_bound };
    Ok(Explanation {
        goal,
        status,
        length,
        least,
        all: all.clone(),
        needed,
        is_minimal: judged.get(),
        notes: whole.notes,
    })
}

/// Whether no execution, or none that may end, reaches the goal.
pub fn is_excluded(status: &GoalStatus) -> bool {
    matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
}

/// What remains when everything is left out that can be: of each kind in turn.
fn necessary(all: &Reasons, still: impl Fn(&Reasons) -> bool) -> Reasons {
    let mut needed = all.clone();
    let rest = needed.clone();
    shrink(&mut needed.antecedent, |kept| still(&Reasons { antecedent: kept, ..rest.clone() }));
    let rest = needed.clone();
    shrink(&mut needed.assumptions, |kept| still(&Reasons { assumptions: kept, ..rest.clone() }));
    let rest = needed.clone();
    shrink(&mut needed.invariants, |kept| still(&Reasons { invariants: kept, ..rest.clone() }));
    let rest = needed.clone();
    shrink(&mut needed.decisions, |kept| still(&Reasons { decisions: kept, ..rest.clone() }));
    needed
}

/// Leaves out entries as long as the rest still does: whole stretches at first, then halves of
/// them, so that few questions are needed where few entries matter.
fn shrink<T: Clone>(entries: &mut Vec<T>, still: impl Fn(Vec<T>) -> bool) {
    let mut stretches = vec![(0, entries.len())];
    let mut kept = vec![true; entries.len()];
    while let Some((start, end)) = stretches.pop().filter(|_| !entries.is_empty()) {
        let without = |index: usize| kept[index] && !(start..end).contains(&index);
        let fewer = (0..entries.len()).filter(|&index| without(index)).map(|index| entries[index].clone());
        if still(fewer.collect()) {
            kept[start..end].fill(false);
        } else if end - start > 1 {
            let middle = start + (end - start) / 2;
            stretches.extend([(start, middle), (middle, end)]);
        }
    }
    let mut kept = kept.into_iter();
    entries.retain(|_| kept.next() == Some(true));
}

/// Entries of the first list that are not in the second.
fn absent<'a, T: PartialEq>(all: &'a [T], kept: &'a [T]) -> impl Iterator<Item = &'a T> {
    all.iter().filter(|entry| !kept.contains(entry))
}

/// The system with one goal, without those of all reasons that are not among `reasons`. What the
/// system knows besides stays.
fn reduced(worded: &Worded, goal: GoalId, all: &Reasons, reasons: &Reasons) -> Validated {
    let mut reduced: TransitionSystem = (*worded.system).clone();
    let left_out = |part: &Written, all: &[Written], kept: &[Written]| {
        let is_same = |other: &Written| other.text == part.text && other.place == part.place;
        all.iter().any(is_same) && !kept.iter().any(is_same)
    };
    let mut wanted = reduced.goals[goal].clone();
    let parts = worded.all.antecedent.iter();
    let parts = parts.filter(|part| !left_out(part, &all.antecedent, &reasons.antecedent));
    wanted.antecedent = reduced.terms.conjunction(parts.map(|part| part.condition));
    wanted.expectation = None;
    reduced.goals = IdVec::new();
    reduced.goals.push(wanted);
    let parts = worded.all.assumptions.iter();
    let parts = parts.filter(|part| !left_out(part, &all.assumptions, &reasons.assumptions));
    reduced.assumptions = parts.map(|part| Assumption { condition: part.condition, origin: None }).collect();
    reduced.invariants.retain(|claim| reasons.invariants.iter().any(|kept| kept.text == claim.text));
    validate(reduced).expect("a valid system should stay valid when parts of it are left out")
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use std::cell::Cell;

    #[test]
    fn what_remains_is_needed() {
        for needed in [vec![], vec![0], vec![63], vec![5, 6, 40], (0..64).collect()] {
            let mut entries: Vec<usize> = (0..64).collect();
            let asked = Cell::new(0);
            shrink(&mut entries, |kept| {
                asked.set(asked.get() + 1);
                needed.iter().all(|entry| kept.contains(entry))
            });
            assert_eq!(entries, needed);
            assert!(asked.get() <= 1 + 2 * needed.len() * 6, "{} questions for {needed:?}", asked.get());
        }
    }
}
