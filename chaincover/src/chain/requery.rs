//! Shorter chains by asking for windows of a chain again, where guided search does not suit the system.
//!
//! One query for each window: from its concrete first state, is there a run of fewer steps to its concrete last state (at the end of the chain:
//! to Final) that covers the goals which the chain covers nowhere else? The state at hand folds into the circuit, so windows of a
//! dozen steps are cheap even where the whole chain is out of reach. Every changed chain is run by the evaluator before it takes
//! the place of the old one, and only a shorter one does.

use super::check::{Candidate, cut};
use crate::problem::Problem;
use crate::reach::oracle::{Answer, Effort};
use crate::reach::unfolding::Unfolding;
use crate::stats::{Context, Halt};
use encoder::EncodeError;
use encoder::unroll::Start;
use model::trace::Trace;
use solver::sat::Lit;

/// Conflicts that one window may cost.
const EFFORT: Effort = Effort::Conflicts(5_000);
/// Most windows that are asked for in one go.
const MOST_WINDOWS: usize = 600;
/// Widths of windows in steps, one after the other.
const WIDTHS: [usize; 4] = [4, 8, 16, 32];

/// The chain, which covers these goals, after all windows were asked for until none gets shorter, or the chain has `target` steps.
/// A limit that is reached meanwhile leaves what was found by then.
pub(crate) fn shortened(
    problem: &Problem<'_>,
    chain: Candidate,
    goals: &[usize],
    target: u64,
    context: &Context<'_>,
) -> Result<Candidate, Halt> {
    let mut requery = Requery { problem, context, goals, chain, windows_left: MOST_WINDOWS };
    let mut width = 0;
    while width < WIDTHS.len() && u64::from(requery.chain.length()) > target {
        match requery.sweep(WIDTHS[width]) {
            Ok(true) => width = 0,
            Ok(false) => width += 1,
            Err(Halt::Stopped(_)) => break,
            Err(halt) => return Err(halt),
        }
    }
    Ok(requery.chain)
}

struct Requery<'c, 's> {
    problem: &'c Problem<'s>,
    context: &'c Context<'c>,
    goals: &'c [usize],
    chain: Candidate,
    windows_left: usize,
}

impl Requery<'_, '_> {
    /// Asks for the windows of so many steps from front to back. `true`: the chain got shorter.
    fn sweep(&mut self, width: usize) -> Result<bool, Halt> {
        let (mut begin, mut shorter) = (0, false);
        while begin < self.chain.trace.inputs.len() && self.windows_left > 0 {
            self.context.check_limits()?;
            self.windows_left -= 1;
            shorter |= self.ask_again(begin, width)?;
            begin += width.div_ceil(2);
        }
        Ok(shorter)
    }

    /// The goals that are covered neither before a step nor from a later one on.
    fn wanted(&self, begin: usize, end: usize) -> Vec<usize> {
        let is_elsewhere = |goal: usize| {
            let steps = self.problem.steps(goal) as usize;
            let occurrences = &self.chain.run.occurrences[self.problem.goal(goal)];
            occurrences.iter().any(|occurrence| occurrence.step + steps <= begin || occurrence.step >= end)
        };
        self.goals.iter().copied().filter(|&goal| !is_elsewhere(goal)).collect()
    }

    /// Looks for a shorter way through one window. `true`: there is one.
    fn ask_again(&mut self, begin: usize, width: usize) -> Result<bool, Halt> {
        let length = self.chain.trace.inputs.len();
        let end = length.min(begin + width);
        let wanted = self.wanted(begin, end);
        let start = Start::Concrete(self.chain.run.states[begin].clone());
        let mut unfolding = Unfolding::new(self.problem, start, self.context)?;
        let mut ways = Vec::new();
        for steps in 0..(end - begin) as u32 {
            let arrives = match end == length {
                true => unfolding.event(0, steps)?,
                false => unfolding.state_is(&self.chain.run.states[end], steps)?,
            };
            ways.extend(self.way(&mut unfolding, &wanted, arrives, steps)?);
        }
        let one = unfolding.solver().fresh().positive();
        let clause: Vec<Lit> = ways.iter().map(|&(way, _)| way).chain([!one]).collect();
        unfolding.solver().clause(&clause);
        let answer = unfolding.look_for(self.context, &[one], (end - begin) as u32, EFFORT)?;
        let Answer::Run(run) = answer else { return Ok(false) };
        let shortest = ways.iter().find(|&&(way, _)| unfolding.solver().is_true(way));
        let Some(&(_, steps)) = shortest else { return Ok(false) };
        let old = &self.chain.trace;
        let parts = [&old.inputs[..begin], &run.inputs[..steps as usize], &old.inputs[end..]];
        let trace = Trace { start: old.start.clone(), inputs: parts.concat() };
        match cut(self.problem, &trace, self.goals)? {
            Some(chain) if chain.length() < self.chain.length() => {
                self.chain = chain;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A literal that implies a run of so many steps that arrives and covers what is wanted; `None`: it is too short for that.
    fn way(
        &self,
        unfolding: &mut Unfolding<'_>,
        wanted: &[usize],
        arrives: Lit,
        steps: u32,
    ) -> Result<Option<(Lit, u32)>, EncodeError> {
        if wanted.iter().any(|&goal| self.problem.steps(goal) > steps) {
            return Ok(None);
        }
        let way = unfolding.solver().fresh().positive();
        unfolding.solver().clause(&[!way, arrives]);
        let running = unfolding.running(steps)?;
        unfolding.solver().clause(&[!way, running]);
        for &goal in wanted {
            let mut clause = vec![!way];
            for at in 0..=steps - self.problem.steps(goal) {
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
    use crate::chain::check::accept;
    use crate::options::Options;
    use crate::problem::all_goals;
    use crate::stats::Silent;
    use model::sort::Sort;
    use model::text::parse;
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
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let context = Context::new(&options, &Silent);
        let goals: Vec<usize> = problem.vertices().collect();
        let poor: Vec<u128> = [100, 100, 100, 5000, 400, 400, 900, 900]
            .into_iter()
            .chain([100; 21])
            .chain([60_000; 4])
            .chain([50; 6])
            .collect();
        let inputs = poor.iter().map(|&a| vec![Value::new(Sort::word(16), a)]).collect();
        let trace = Trace { start: model::trace::Start::Initial(Vec::new()), inputs };
        let chain = accept(&problem, &trace, &goals).expect("a chain");
        let before = chain.length();
        let better = shortened(&problem, chain, &goals, 0, &context).expect("no limit");
        let again = accept(&problem, &better.trace, &goals).expect("a chain that the evaluator accepts");
        assert_eq!(again.length(), better.length());
        // Not before seven steps is the sum 5000, and the counter 1 only after nine; the end takes one more.
        assert_eq!(better.length(), 10, "{before} steps");
        let same = shortened(&problem, better, &goals, 0, &context).expect("no limit");
        assert_eq!(same.length(), 10);
    }
}
