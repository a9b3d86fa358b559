//! Goals to which no step leads, whatever the state before it.
//!
//! Generated code writes its outputs together, from one mode: that two of them exclude each other
//! is a fact about the last step alone, or the last two. A query finds that out at once, while
//! finders look for such a goal in vain, and what knows how states belong together takes its time.
//! A goal that does not occur within the first `k` steps, and not `k` steps behind any state at
//! all, never occurs.

use crate::error::StopReason;
use crate::knowledge::distances::Proof;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Engine, Session, Stop};
use crate::step::bmc_solver::{Answer, BmcSolver, Effort, if_small};
use crate::turn::{Prover, Turn};
use encoder::unroll::Start;

/// Most steps behind any state.
const DEEPEST: u32 = 2;
/// Conflicts that one query may cost.
const EFFORT: Effort = Effort::Conflicts(200);

/// See the module text.
pub(crate) struct Induction<'s> {
    task: &'s Task<'s>,
}

impl<'s> Induction<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task }
    }

    /// Asks about each open goal. `None`: the step is too large.
    fn exclude(&self, known: &mut Knowledge, session: &Session<'_>) -> Result<Option<()>, Stop> {
        let task = self.task;
        let Some(mut from_init) = if_small(BmcSolver::new(task, Start::Initial, session))? else {
            return Ok(None);
        };
        let Some(mut from_anywhere) = if_small(BmcSolver::new(task, Start::Free, session))? else {
            return Ok(None);
        };
        let mut open = known.open_goals();
        for k in 1..=DEEPEST {
            let mut rest = Vec::new();
            for goal in open {
                // A goal that occurs soon is no business of this engine.
                if is_refuted(&mut from_init, goal, k - 1, session)? != Some(true) {
                    continue;
                }
                match is_refuted(&mut from_anywhere, goal, k, session)? {
                    Some(true) => {
                        known.exclude(task, goal, (Engine::Sat, Proof::KInduction { k }), session)?;
                    }
                    Some(false) => rest.push(goal),
                    None => {}
                }
            }
            open = rest;
        }
        Ok(Some(()))
    }
}

/// Whether the goal cannot occur after so many steps; `None`: that is hard to say.
fn is_refuted(
    solver: &mut BmcSolver<'_>,
    goal: Vertex,
    at: u32,
    session: &Session<'_>,
) -> Result<Option<bool>, Stop> {
    let Some(event) = if_small(solver.event(goal, at))? else { return Ok(None) };
    Ok(match solver.look_for(session, &[event], at, EFFORT)? {
        Answer::None => Some(true),
        Answer::Run(_) => Some(false),
        Answer::GaveUp => None,
    })
}

impl Prover for Induction<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        // Where results of the C library are refined, proofs that also bound distances serve more.
        if !self.task.calls().is_empty() {
            return Ok(Turn::Exhausted);
        }
        let ended = session.stage("induction", || session.within(work, || self.exclude(known, session)));
        match ended {
            // What is left is for engines that know more.
            Ok(_) | Err(Stop::Limit(StopReason::Effort)) => Ok(Turn::Exhausted),
            Err(halt) => Err(halt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;

    /// A mode that is anything, two outputs decoded from it, and what these were one step ago.
    const SYSTEM: &str = "system s input a w32
        state mode w32 init 0 next (add mode a)
        state low w1 init false next (ult mode 10)
        state high w1 init true next (ult 100 mode)
        state before w1 init false next (and low high)
        goal both when (and low high)
        goal late when before
        goal first when (and high (not low))
        goal high when (and high (ult mode 5))
        goal none when (eq mode 77)";

    #[test]
    fn only_goals_that_no_step_leads_to_are_excluded() {
        let system = validate(parse(SYSTEM).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        Induction::new(&task).run(&mut known, 10_000, &session).expect("no limit");
        let open: Vec<usize> = known.open_goals().iter().map(|goal| goal.position()).collect();
        assert_eq!(open, [2, 3, 4], "the others are excluded");
    }
}
