//! Shorter chains by asking for windows of a chain again, where guided search does not suit the
//! system.
//!
//! One query for each window: from its concrete first state, is there a run of fewer steps to its
//! concrete last state (at the end of the chain: to Final) that covers the goals which the chain
//! covers nowhere else? The state at hand folds into the circuit, so windows of a dozen steps are
//! cheap even where the whole chain is out of reach. Every changed chain is run by the evaluator
//! before it takes the place of the old one, and only a shorter one does.

use crate::knowledge::chains::CheckedChain;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use encoder::EncodeError;
use encoder::unroll::Start;
use solver::sat::Lit;

/// Conflicts that one window may cost.
const EFFORT: Effort = Effort::Conflicts(5_000);
/// Most windows that are asked for in one go.
const MOST_WINDOWS: usize = 24;
/// Widths of windows in steps, one after the other.
const WIDTHS: [usize; 4] = [4, 8, 16, 32];

/// Which windows of a chain were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Of the widths, by number.
    width: usize,
    /// First step of the next window.
    begin: usize,
    /// Whether a window of this width made the chain shorter.
    is_shorter: bool,
}

impl Asked {
    /// Whether all windows were asked for, of all widths, since the chain last got shorter.
    pub(crate) fn is_done(&self) -> bool {
        self.width == WIDTHS.len()
    }

    /// No further window will be asked for.
    pub(crate) fn finish(&mut self) {
        *self = Self { width: WIDTHS.len(), ..Self::default() };
    }

    /// Goes over to the next width, or to the first one again if the chain got shorter.
    fn turn(&mut self) {
        let width = if self.is_shorter { 0 } else { self.width + 1 };
        *self = Self { width, ..Self::default() };
    }
}

/// The chain, which covers these goals, after some windows were asked for that were not asked for
/// before; none is where the chain has `target` steps. A limit that is reached meanwhile leaves
/// what was found by then.
pub(crate) fn shortened(
    task: &Task<'_>,
    chain: CheckedChain,
    goals: &[Vertex],
    target: u64,
    asked: &mut Asked,
    session: &Session<'_>,
) -> Result<CheckedChain, Stop> {
    let mut requery = Requery { task, session, goals, chain };
    for _ in 0..MOST_WINDOWS {
        if u64::from(requery.chain.length()) <= target {
            asked.finish();
        }
        if asked.is_done() {
            break;
        }
        match requery.ask_next(asked) {
            Ok(()) => {}
            Err(Stop::Limit(_)) => break,
            Err(halt) => return Err(halt),
        }
    }
    Ok(requery.chain)
}

struct Requery<'c, 's> {
    task: &'c Task<'s>,
    session: &'c Session<'c>,
    goals: &'c [Vertex],
    chain: CheckedChain,
}

impl Requery<'_, '_> {
    /// Asks for the next window, from front to back and then in the next width.
    fn ask_next(&mut self, asked: &mut Asked) -> Result<(), Stop> {
        self.session.check_limits()?;
        let width = WIDTHS[asked.width];
        if asked.begin >= self.chain.trace.inputs.len() {
            asked.turn();
            return Ok(());
        }
        let begin = asked.begin;
        asked.begin += width.div_ceil(2);
        asked.is_shorter |= self.ask_again(begin, width)?;
        Ok(())
    }

    /// The goals that are covered neither before a step nor from a later one on.
    fn wanted(&self, begin: usize, end: usize) -> Vec<Vertex> {
        let is_elsewhere = |goal: Vertex| {
            let steps = self.task.steps(goal) as usize;
            let occurrences = &self.chain.run.occurrences[self.task.goal(goal)];
            occurrences.iter().any(|occurrence| occurrence.step + steps <= begin || occurrence.step >= end)
        };
        self.goals.iter().copied().filter(|&goal| !is_elsewhere(goal)).collect()
    }

    /// Looks for a shorter way through one window. `true`: there is one.
    fn ask_again(&mut self, begin: usize, width: usize) -> Result<bool, Stop> {
        let length = self.chain.trace.inputs.len();
        let end = length.min(begin + width);
        let wanted = self.wanted(begin, end);
        let start = Start::Concrete(self.chain.run.states[begin].clone());
        let mut unfolding = BmcSolver::new(self.task, start, self.session)?;
        let mut ways = Vec::new();
        for steps in 0..(end - begin) as u32 {
            let arrives = match end == length {
                true => unfolding.event(Vertex::DEPOT, steps)?,
                false => unfolding.state_is(&self.chain.run.states[end], steps)?,
            };
            ways.extend(self.way(&mut unfolding, &wanted, arrives, steps)?);
        }
        let one = unfolding.solver().fresh().positive();
        let clause: Vec<Lit> = ways.iter().map(|&(way, _)| way).chain([!one]).collect();
        unfolding.solver().clause(&clause);
        let answer = unfolding.look_for(self.session, &[one], (end - begin) as u32, EFFORT)?;
        let Answer::Run(run) = answer else { return Ok(false) };
        let shortest = ways.iter().find(|&&(way, _)| unfolding.solver().is_true(way));
        let Some(&(_, steps)) = shortest else { return Ok(false) };
        let way = &run.inputs[..steps as usize];
        let Some(shorter) = self.chain.shortened(self.task, begin..end, way, self.goals)? else {
            return Ok(false);
        };
        self.chain = shorter;
        Ok(true)
    }

    /// A literal that implies a run of so many steps that arrives and covers what is wanted;
    /// `None`: it is too short for that.
    fn way(
        &self,
        unfolding: &mut BmcSolver<'_>,
        wanted: &[Vertex],
        arrives: Lit,
        steps: u32,
    ) -> Result<Option<(Lit, u32)>, EncodeError> {
        if wanted.iter().any(|&goal| self.task.steps(goal) > steps) {
            return Ok(None);
        }
        let way = unfolding.solver().fresh().positive();
        unfolding.solver().clause(&[!way, arrives]);
        let running = unfolding.running(steps)?;
        unfolding.solver().clause(&[!way, running]);
        for &goal in wanted {
            let mut clause = vec![!way];
            for at in 0..=steps - self.task.steps(goal) {
                clause.push(unfolding.event(goal, at)?);
            }
            unfolding.solver().clause(&clause);
        }
        Ok(Some((way, steps)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::accept;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::Trace;
    use model::validate::validate;
    use model::value::Value;

    /// A sum of inputs of many values, and a goal of two steps.
    const SUM: &str = "
        input a w16
        state x w16 init 0 next (ite (ult a 1000) (add x a) x)
        state n w2 init 0 next (add n 1)
        goal low when (eq x 300)
        goal rise steps 2 when (and (eq x 1100) (eq x@2 2900))
        goal high when (and (eq x 5000) (eq n 1))
        end (ule 5200 x)";

    #[test]
    fn windows_of_a_poor_chain_get_shorter_and_the_chain_stays_one() {
        let system = validate(parse(SUM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let goals: Vec<Vertex> = task.vertices().collect();
        let poor: Vec<u128> = [100, 100, 100, 5000, 400, 400, 900, 900]
            .into_iter()
            .chain([100; 21])
            .chain([60_000; 4])
            .chain([50; 6])
            .collect();
        let inputs = poor.iter().map(|&a| vec![Value::new(Sort::word(16), a)]).collect();
        let trace = Trace { start: model::trace::Start::Initial(Vec::new()), inputs };
        let chain = accept(&task, &trace, &goals).expect("a chain");
        let before = chain.length();
        let settled = |mut chain| {
            let mut asked = Asked::default();
            while !asked.is_done() {
                chain = shortened(&task, chain, &goals, 0, &mut asked, &session).expect("no limit");
            }
            chain
        };
        let better = settled(chain);
        let again = accept(&task, &better.trace, &goals).expect("a chain that the evaluator accepts");
        assert_eq!(again.length(), better.length());
        // Not before seven steps is the sum 5000, and the counter 1 only after nine; the end takes
        // one more.
        assert_eq!(better.length(), 10, "{before} steps");
        assert_eq!(settled(better).length(), 10);
    }
}
