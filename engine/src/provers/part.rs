//! A part of a task's system, looked at as a task of its own.
//!
//! A [closed](model::dependencies) set of words goes on by itself under the inputs. So what no
//! execution of it reaches the whole does not reach, and how long chains for its goals must be
//! there they must be in the whole.

use crate::error::EngineError;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::{SEARCHED, Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::session::Session;
use model::dependencies::{ClosedCones, Words, closed_cones, restricted};
use model::slice::{SliceMap, reduce};
use model::system::{GoalId, StateId, TransitionSystem};
use model::validate::{Validated, validate};
use std::time::{Duration, Instant};

/// See the module text.
pub(crate) struct Part {
    pub(crate) system: Validated,
    pub(crate) map: SliceMap,
    /// For each of its goals the vertex in the whole task.
    pub(crate) vertices: Vec<Vertex>,
}

impl Part {
    /// The part with these goals of the task, as a slice of the system that it is.
    pub(crate) fn new(task: &Task<'_>, system: TransitionSystem, goals: &[GoalId]) -> Self {
        let system = validate(system).expect("a part of a valid system should be one");
        let (system, map) = reduce(&system, SEARCHED);
        let vertices = goals.iter().filter_map(|&goal| task.vertex(goal)).collect();
        Self { system, map, vertices }
    }
    /// Number of bits of its state.
    pub(crate) fn bits(&self) -> u32 {
        bits(&self.system, self.system.states.ids())
    }
    /// The task of covering its goals.
    pub(crate) fn task(&self, session: &Session<'_>) -> Task<'_> {
        Task::new(&self.system, &all_goals(&self.system), Vec::new()).until(session.limit_of_executions())
    }
    /// Has the whole task learn what is known of the part.
    ///
    /// # Errors
    /// If the best chains of the whole contradict it.
    pub(crate) fn teach(&self, known: &mut Knowledge, of_part: &Knowledge) -> Result<(), EngineError> {
        known.learn_part(of_part, |vertex| self.vertices[vertex.position()])
    }
}

/// When a part has to end, where so many equal parts of the time are left to it and others.
pub(crate) fn share(end: Option<Instant>, parts: u32) -> Option<Instant> {
    let now = Instant::now();
    end.map(|end| now + end.saturating_duration_since(now).checked_div(parts).unwrap_or(Duration::ZERO))
}

/// A cone has at most one of so many parts of the bits of the state.
const LARGEST: u32 = 2;
/// Most cones: those with the most goals.
const MOST_CONES: usize = 64;

/// The greatest closed sets of words that are much smaller than the state, with all goals that
/// depend on no more.
pub(crate) fn cones(task: &Task<'_>) -> Vec<Part> {
    let system = task.system;
    let Some(ClosedCones { cones, of_goals }) = closed_cones(system) else { return Vec::new() };
    let most = bits(system, system.states.ids()) / LARGEST;
    let is_small = |cone: &&Words| !cone.is_empty() && bits(system, cone.iter().copied()) <= most;
    let small: Vec<&Words> = cones.iter().filter(is_small).collect();
    let is_within = |one: &Words, other: &Words| one.iter().all(|word| other.binary_search(word).is_ok());
    let is_greatest =
        |cone: &&&Words| !small.iter().any(|other| other.len() > cone.len() && is_within(cone, other));
    let goals_of = |cone: &Words| -> Vec<GoalId> {
        task.goals().into_iter().filter(|&goal| is_within(&cones[of_goals[goal]], cone)).collect()
    };
    let mut found: Vec<(&Words, Vec<GoalId>)> =
        small.iter().filter(is_greatest).map(|&cone| (cone, goals_of(cone))).collect();
    found.sort_by_key(|(_, goals)| std::cmp::Reverse(goals.len()));
    found.truncate(MOST_CONES);
    let part =
        |(words, goals): (&Words, Vec<GoalId>)| Part::new(task, restricted(system, words, &goals), &goals);
    found.into_iter().map(part).collect()
}

fn bits(system: &Validated, words: impl Iterator<Item = StateId>) -> u32 {
    words.map(|word| system.terms.symbol(system.states[word].symbol).sort.width()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::vertex::numbered;
    use crate::options::Options;
    use crate::schedule;
    use crate::session::Silent;
    use model::text::parse;

    /// Two timers under one input, and a word that reads both.
    const SYSTEM: &str = "input x w2
        state a w4 init 0 next (ite (eq x 1) (add a 1) 0)
        state b w4 init 0 next (ite (eq x 2) (add b 1) 0)
        state c w8 init 0 next (ite (eq a 3) (add c 1) (ite (eq b 3) 0 c))
        goal late when (eq a 9)
        goal early when (eq b 2)
        goal never when (and (eq b 5) (eq x 1) (eq b 6))
        goal both when (eq c 1)";

    #[test]
    fn cones_are_searched_alone_and_teach_the_whole() {
        let system = validate(parse(SYSTEM).expect("a text")).expect("a system");
        let (options, task) = (Options::default(), Task::new(&system, &all_goals(&system), Vec::new()));
        let session = Session::new(&options, &Silent);
        let parts = cones(&task);
        let goals: Vec<&[Vertex]> = parts.iter().map(|part| &part.vertices[..]).collect();
        assert_eq!(goals, [&numbered([2, 3])[..], &numbered([1])], "the word that reads both is no part");
        let mut known = Knowledge::nothing(&task, None);
        for part in &parts {
            let own = part.task(&session);
            let mut found = Knowledge::nothing(&own, None);
            schedule::run(&own, &mut found, &session).expect("an end");
            part.teach(&mut known, &found).expect("no contradiction");
        }
        assert!(known.is_excluded(numbered([3])[0]));
        // Nothing is chained yet, so all bounds are about what is sought.
        assert_eq!(known.lower_bound(), 10);
    }
}
