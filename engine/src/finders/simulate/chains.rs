//! From what the search has found to chains.

use super::beginning::Beginning;
use super::guards::Guards;
use super::search::{Budget, Search, Way};
use super::shorten::cut_loops;
use crate::finders::concatenate::holds::held_between;
use crate::knowledge::chains::{CheckedChain, covered, cut, missed};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::code::Program;
use crate::step::initial::InitialState;
use std::cell::Cell;
use std::sync::Arc;

/// The part of the budget, 1 in so many, for one more chain: what the first chain does not cover is
/// mostly not to be found.
const FURTHER: u64 = 2;
/// The part of the budget, 1 in so many, for going on from the last chain.
const PROLONGING: u64 = 4;
/// The part of what may be spent without progress, 1 in so many, for making a found execution
/// shorter.
const SHORTENING: u64 = 4;

/// What a step of the evaluator, which looks at each found chain, costs in steps of the simulator.
pub(crate) const EVALUATED: u64 = 32;

/// Chains that each end in Final; they cover goals, but not necessarily all. The evaluator has
/// accepted each. Where the goals need several chains, later chains cover what earlier ones do not.
/// Chains that are known come first, and the search goes on from them. The number beside the budget
/// is added to the seed.
pub(crate) fn chains(
    task: &Task<'_>,
    goals: &[Vertex],
    initial: &[InitialState],
    known: Vec<CheckedChain>,
    (budget, seed): (Budget, u64),
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let program = Program::with_library(task);
    if !program.fits_words() || initial.is_empty() {
        return Ok(known);
    }
    let mut beginnings: Vec<Beginning> = initial.iter().map(Beginning::initial).collect();
    // What was hard to reach is gone on from.
    let shared: Vec<Arc<CheckedChain>> = known.iter().cloned().map(Arc::new).collect();
    beginnings.extend(shared.iter().flat_map(|chain| Beginning::within(task, chain)));
    let mut open = missed(task, &known, goals);
    let mut chains = known;
    let spent = Cell::new(0);
    while !open.is_empty() && spent.get() < budget.total && session.stopped().is_none() {
        let share = |part: u64| Budget { total: budget.total / part, idle: budget.idle / part };
        let seed = session.options.seed.wrapping_add(chains.len() as u64).wrapping_add(seed << 8);
        let hunt = Hunt { task, program: &program, seed, spent: &spent, session };
        // One chain that goes on is better than one more.
        if let Some(last) = chains.last()
            && let Some(longer) = hunt.prolonged(last, &open, share(PROLONGING))?
        {
            open.retain(|&goal| !longer.covers(task.goal(goal)));
            chains.pop();
            chains.push(longer);
            record(goals.len(), open.len(), &chains, session);
            continue;
        }
        let part = if chains.is_empty() { 1 } else { FURTHER };
        let Some(chain) = hunt.chain(&beginnings, &open, &[], share(part))? else { break };
        open.retain(|&goal| !chain.covers(task.goal(goal)));
        // What no way leads on from may still be a good end.
        let both = match chains.last() {
            Some(before) => hunt.both(before, &chain, share(FURTHER))?,
            None => None,
        };
        if both.is_some() {
            chains.pop();
        }
        chains.push(both.unwrap_or(chain));
        record(goals.len(), open.len(), &chains, session);
    }
    Ok(chains)
}

fn record(goals: usize, open: usize, chains: &[CheckedChain], session: &Session<'_>) {
    let (covered, steps) = (goals - open, chains.last().map_or(0, CheckedChain::length));
    let text = format!("{covered} of {goals} goals covered, the last chain has {steps} steps");
    session.record(Engine::Simulation, text);
}

/// A search for one chain.
struct Hunt<'a, 'c> {
    task: &'a Task<'a>,
    program: &'a Program,
    seed: u64,
    /// What all searches together have spent, in evaluated instructions.
    spent: &'a Cell<u64>,
    session: &'a Session<'c>,
}

impl Hunt<'_, '_> {
    /// A chain that goes on from the end of another, covers what that covers, and some of the open
    /// goals.
    fn prolonged(
        &self,
        chain: &CheckedChain,
        open: &[Vertex],
        budget: Budget,
    ) -> Result<Option<CheckedChain>, Stop> {
        let covered = covered(self.task, [chain], self.task.vertices());
        self.chain(&[Beginning::end_of(&Arc::new(chain.clone()))], open, &covered, budget)
    }

    /// One chain that covers what two chains cover; `None`: simulation does not find one.
    fn both(
        &self,
        before: &CheckedChain,
        after: &CheckedChain,
        budget: Budget,
    ) -> Result<Option<CheckedChain>, Stop> {
        match held_between((self.task, self.program), [before, after], budget.idle, self.session)? {
            None => self.prolonged_to(after, before, budget),
            found => Ok(found),
        }
    }

    /// A chain that goes on from the end of `first` until it covers what `second` covers, too;
    /// `None`: simulation does not find one.
    fn prolonged_to(
        &self,
        first: &CheckedChain,
        second: &CheckedChain,
        budget: Budget,
    ) -> Result<Option<CheckedChain>, Stop> {
        let wanted = covered(self.task, [second], self.task.vertices());
        let missed = |chain: &CheckedChain| missed(self.task, std::slice::from_ref(chain), &wanted);
        let (mut chain, mut open) = (first.clone(), missed(first));
        while !open.is_empty() {
            let Some(longer) = self.prolonged(&chain, &open, budget)? else { return Ok(None) };
            open = missed(&longer);
            chain = longer;
        }
        Ok(Some(chain))
    }

    /// A chain by way of one of these beginnings, which covers as many of the open goals as
    /// possible, one at least, and all of the others.
    fn chain(
        &self,
        beginnings: &[Beginning],
        open: &[Vertex],
        others: &[Vertex],
        budget: Budget,
    ) -> Result<Option<CheckedChain>, Stop> {
        let Self { task, program, seed, spent, session } = *self;
        let states: Vec<Vec<u64>> = beginnings.iter().map(|beginning| beginning.state.clone()).collect();
        let guards = Guards::new(task, session.options.backend);
        let mut search = Search::new((task.system, guards), program, &states, open, seed);
        search.run(budget, session);
        spent.set(spent.get() + search.spent());
        let longest = session.longest_execution(program.cost);
        let is_judged = |way: &Way| beginnings[way.start].steps().saturating_add(way.length) <= longest;
        let Some(way) = search.found().filter(is_judged) else { return Ok(None) };
        let start = way.start;
        let way = search.shorten(way, &states[start], budget.idle / SHORTENING, session);
        let goals: Vec<Vertex> = others.iter().chain(open).copied().collect();
        let inputs = search.vectors().inputs(&way.holds, &program.input_sorts);
        let found = beginnings[start].chain(task, inputs, &goals)?;
        let steps = found.as_ref().map_or(0, |chain| u64::from(chain.length()));
        spent.set(spent.get() + EVALUATED * steps * program.cost);
        let covers = |chain: &CheckedChain, goal: Vertex| chain.covers(task.goal(goal));
        let found = found.filter(|chain| {
            others.iter().all(|&goal| covers(chain, goal)) && open.iter().any(|&goal| covers(chain, goal))
        });
        found.map(|chain| self.straight(chain, &goals)).transpose()
    }

    /// The chain without loops, which covers those of the goals that it covered before.
    fn straight(&self, chain: CheckedChain, goals: &[Vertex]) -> Result<CheckedChain, Stop> {
        let covered = covered(self.task, [&chain], goals.iter().copied());
        let straight = cut(self.task, &cut_loops(self.task, &chain, &covered), &covered)?;
        Ok(straight.filter(|straight| straight.length() <= chain.length()).unwrap_or(chain))
    }
}
