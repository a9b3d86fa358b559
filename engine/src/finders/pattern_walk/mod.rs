//! Walks that exact distances in parts of the state guide.
//!
//! Where goals depend on small [parts](crate::provers::part) of the state, these are enumerated:
//! each tells for every one of its states how many steps the nearest of its goals is away (a
//! pattern database; Culberson, Schaeffer, *Pattern databases*, 1998). A step of a walk takes
//! inputs that bring all parts together as near to their next goals as any do. Where none bring
//! them nearer, since what serves one part throws others back, the part whose goal is nearest comes
//! first until it has it: of the inputs that bring it nearer those are taken that serve the others
//! best.
//!
//! A part that looks at its nearest goal alone throws away what the others cost: it leaves a count
//! that all of them wait for. So walks also weigh what goals that cost much cost together, from a
//! table of all of their sets; and some bring all parts to where they can [wait](waits) together.

mod team;
mod waits;
mod walker;

use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::provers::explicit::Explicit;
use crate::provers::explicit::joint_price::{JointPrice, RESET, enumerated};
use crate::provers::part::{Part, cones};
use crate::session::{Session, Stop};
use crate::turn::{Finder, Found, Turn};
use model::value::Value;
use team::Team;

/// Steps of a walk at most.
const MOST_STEPS: usize = 100_000;
/// Moves that are remembered at most, over all parts.
const MOST_MOVES: usize = 20_000_000;
/// Instructions that may be evaluated to find rows of inputs of which a part makes the same.
const MOST_MERGING: usize = 100_000_000;
/// Chains of one walk at most, where goals cannot all follow one another.
const MOST_CHAINS: usize = 16;
/// How often inputs are improved, part by part, within one step.
const PASSES: usize = 3;
/// Steps beyond which all goals are equally far away.
const HORIZON: u32 = RESET;
/// Weights of the walks, one after the other.
const WEIGHTS: [Weights; 5] = [
    Weights { nearest: 1, together: 2 },
    Weights { nearest: 1, together: 0 },
    Weights { nearest: 1, together: 1 },
    Weights { nearest: 1, together: 5 },
    Weights { nearest: 0, together: 1 },
];

/// What a walk goes by.
#[derive(Clone, Copy)]
struct Weights {
    /// The steps to the nearest open goal of each part count so much.
    nearest: i64,
    /// What open goals of each part cost together counts so much.
    together: i64,
}

/// See the module text.
pub(crate) struct PatternWalk<'s> {
    task: &'s Task<'s>,
    /// Parts of the system, from the first turn on.
    parts: Option<Vec<Part>>,
    /// How many walks were made.
    walks: u64,
    /// The inputs of the shortest chain that a walk has come to.
    best: Vec<Vec<Value>>,
}

impl<'s> PatternWalk<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, parts: None, walks: 0, best: Vec::new() }
    }
}

impl Finder for PatternWalk<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        session.stage("patterns", || self.walk(known, found, work, session))
    }
}

impl PatternWalk<'_> {
    fn walk(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let parts = self.parts.get_or_insert_with(|| cones(task));
        let tasks: Vec<Task<'_>> = parts.iter().map(|part| part.task(session)).collect();
        let mut all = Vec::new();
        for (part, task) in parts.iter().zip(&tasks) {
            if let Some(explicit) = enumerated(task, session)? {
                let hard = JointPrice::new(task, &explicit, parts.len(), session)?;
                all.push(Enumerated { part, task, explicit, hard });
            }
        }
        if all.len() < 2 {
            return Ok(Turn::Exhausted);
        }
        // What steps of parts lead to is remembered from walk to walk.
        let mut team = Team::new(task, &all, known, session)?;
        for _ in 0..work {
            let chains = team.chains(self.walks, &self.best, session)?;
            if let [chain] = &chains[..]
                && (self.best.is_empty() || chain.trace.inputs.len() < self.best.len())
            {
                self.best.clone_from(&chain.trace.inputs);
            }
            found.offer(chains);
            self.walks += 1;
        }
        Ok(Turn::Open)
    }
}

/// A part with all of its states.
struct Enumerated<'m> {
    part: &'m Part,
    task: &'m Task<'m>,
    explicit: Explicit<'m>,
    hard: Option<JointPrice>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::CheckedChain;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;

    fn walked(text: &str) -> Option<(usize, u32)> {
        let system = validate(parse(text).expect("a text")).expect("a system");
        let (options, task) = (Options::default(), Task::new(&system, &all_goals(&system), Vec::new()));
        let session = Session::new(&options, &Silent);
        let mut found = Found::default();
        let known = Knowledge::nothing(&task, None);
        PatternWalk::new(&task).run(&known, &mut found, 1, &session).expect("a turn");
        let chains = found.into_sets().into_iter().next()?;
        let covered = crate::knowledge::chains::covered(&task, &chains, task.vertices());
        Some((covered.len(), chains.iter().map(CheckedChain::length).sum()))
    }

    #[test]
    fn timers_that_can_run_side_by_side_do() {
        // Both count under x = 1, each has a goal of its own besides.
        let together = "input x w2
            state a w8 init 0 next (ite (eq x 1) (add a 1) 0)
            state b w8 init 0 next (ite (ult 0 x) (add b 1) 0)
            goal late when (eq a 40) goal later when (eq b 50) goal other when (and (eq b 3) (eq x 3))";
        let (covered, steps) = walked(together).expect("a walk");
        assert_eq!(covered, 3);
        assert!(steps <= 56, "{steps} steps, where 51 are needed");
    }

    #[test]
    fn parts_wait_at_the_same_time_once_all_are_where_they_have_to_wait() {
        // Each waits in two modes that only its own input changes, and which throws its timer back.
        let part = |m: &str, t: &str, x: &str| {
            let next = format!("next (ite (eq x {x}) (add {m} 1) {m})");
            let timer =
                format!("state {t} w8 init 0 next (ite (eq x {x}) 0 (ite (ult {t} 200) (add {t} 1) {t}))");
            let goal = |at: &str| format!("goal {m}{at} when (and (eq {m} {at}) (eq {t} 60))");
            format!("state {m} w2 init 0 {next} {timer} {} {} {}", goal("1"), goal("2"), goal("3"))
        };
        let text =
            format!("input x w2 {} {} {}", part("m", "a", "1"), part("n", "b", "2"), part("o", "c", "3"));
        let (covered, steps) = walked(&text).expect("a walk");
        assert_eq!(covered, 9);
        assert!(steps <= 3 * 63 + 10, "{steps} steps, where three waits of 63 are needed");
    }

    #[test]
    fn what_throws_the_other_back_comes_one_after_the_other() {
        let apart = "input x w1
            state a w4 init 0 next (ite (eq x 1) (add a 1) 0)
            state b w4 init 0 next (ite (eq x 0) (add b 1) 0)
            goal a when (eq a 9) goal b when (eq b 9)";
        assert_eq!(walked(apart), Some((2, 19)));
    }

    #[test]
    fn goals_that_cannot_follow_one_another_have_chains_of_their_own() {
        let traps = "input x w1 input y w1
            state a w2 init 0 next (ite (eq a 0) (ite x 1 2) a)
            state b w2 init 0 next (ite (eq b 0) (ite y 1 2) b)
            goal a1 when (eq a 1) goal a2 when (eq a 2) goal b1 when (eq b 1) goal b2 when (eq b 2)";
        assert_eq!(walked(traps), Some((4, 4)));
        let one = "input x w1 state a w4 init 0 next (add a 1) goal a when (eq a 9)";
        assert_eq!(walked(one), None, "one part is the whole");
    }
}
